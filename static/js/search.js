// Search as one types, where the list is on the page; elsewhere the form goes to the list.
const PAUSE = 200;

export function start() {
  const field = document.getElementById("search");
  if (!field) return;
  let timer;
  const search = () => {
    clearTimeout(timer);
    // The field holds all that the list is filtered by; what else the address says of that is older.
    const address = new URL(location.pathname, location.href);
    const sort = new URLSearchParams(location.search).get("sort");
    if (field.value.trim()) address.searchParams.set("q", field.value.trim());
    if (sort) address.searchParams.set("sort", sort);
    if (address.href === location.href) return;
    history.replaceState(history.state, "", address);
    htmx.ajax("GET", address.pathname + address.search, {target: "#view", swap: "innerMorph"});
  };
  const onList = () => location.pathname === new URL(field.form.action).pathname;
  field.addEventListener("input", () => {
    clearTimeout(timer);
    if (onList()) timer = setTimeout(search, PAUSE);
  });
  field.form.addEventListener("submit", (event) => {
    if (!onList()) return;
    event.preventDefault();
    search();
  });
}
