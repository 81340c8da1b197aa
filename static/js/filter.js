// Narrows a long table while one types. What is not shown stays in the form, and what is wrong stays in sight.
export function start() {
  document.addEventListener("input", ({target}) => {
    if (!target.dataset.filter) return;
    const text = target.value.trim().toLowerCase();
    for (const row of document.querySelectorAll(`${target.dataset.filter} tbody tr`)) {
      row.hidden = !row.dataset.name.toLowerCase().includes(text) && !row.querySelector("[aria-invalid]");
    }
  });
}
