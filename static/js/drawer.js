// The job beside the page: its preview, and then how it goes. It goes on without it.
const LOOK = 3000;

const drawer = () => document.getElementById("drawer");
let before;

export function start() {
  if (!drawer()) return;
  document.addEventListener("click", ({target}) => target.closest("[data-close-drawer]") && close());
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && drawer().childElementCount && !document.querySelector("dialog[open]")) close();
  });
  document.addEventListener("htmx:before:request", ({detail: {ctx}}) => {
    if (ctx.target === drawer() && !drawer().contains(document.activeElement)) before = document.activeElement;
  });
  document.addEventListener("htmx:after:swap", ({detail: {ctx}}) => {
    // Only what a person has done moves the focus: a page that is brought up to date by itself does not.
    if (ctx.target !== drawer() || ctx.request.method !== "POST" || drawer().contains(document.activeElement)) return;
    (drawer().querySelector("[autofocus]") ?? drawer()).focus();
  });
  // Whatever a lost word would have told.
  setInterval(() => changed(), LOOK);
}

// A job has news, or may have: it is drawn again, if it is here and not over.
export function changed(job) {
  const shown = drawer()?.querySelector("[data-job]:not([data-ended])");
  if (!shown || document.hidden || (job && shown.dataset.job !== String(job))) return;
  // htmx tells the server of a target only where an element names it.
  const headers = {"HX-Target": "aside#drawer"};
  htmx.ajax("GET", shown.dataset.address, {source: "#drawer", target: "#drawer", swap: "innerMorph", headers});
}

function close() {
  drawer().replaceChildren();
  before?.isConnected && before.focus();
}
