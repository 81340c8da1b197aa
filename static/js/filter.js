// Narrows a long table while one types. What is not shown stays in the form, and what is wrong stays in sight.
export function start() {
  document.addEventListener("input", ({target}) => target.dataset.filter && narrow(target));
  // The server draws every row.
  document.addEventListener("htmx:after:swap", () => document.querySelectorAll("[data-filter]").forEach(narrow));
}

function narrow(input) {
  const text = input.value.trim().toLowerCase();
  for (const row of document.querySelectorAll(`${input.dataset.filter} tbody tr`)) {
    row.hidden = !row.dataset.name.toLowerCase().includes(text) && !row.querySelector("[aria-invalid]");
  }
}
