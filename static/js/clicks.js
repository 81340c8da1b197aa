// Small things that a click does without the server.
import {setState} from "./states.js";
import {shown} from "./view.js";

const SAID_FOR = 1500;
// Good news goes by itself; what went wrong stays until it is dismissed.
const GOOD_NEWS_FOR = 6000;

export function start() {
  document.addEventListener("click", (event) => {
    const {target} = event;
    const fill = target.closest("[data-fill]");
    if (fill) fillIn(fill, event);
    const copy = target.closest("[data-copy]");
    if (copy) copyText(copy);
    const restart = target.closest("button[data-verb^=restart]");
    if (restart) showRestart(restart);
    target.closest("[data-dismiss]")?.closest(".notice").remove();
    const open = target.closest("[data-open]");
    if (open) document.querySelector(open.dataset.open).showModal();
    if (open || !target.closest("details.menu")) document.querySelectorAll("details.menu[open]").forEach((menu) => (menu.open = false));
  });
  document.addEventListener("htmx:after:swap", () => {
    const good = document.querySelector(".notice:not(.bad)");
    if (good) setTimeout(() => good.remove(), GOOD_NEWS_FOR);
  });
  // What a button is answered with, its row or the whole list, is drawn over what is on the screen: nothing moves.
  document.addEventListener("htmx:config:request", ({detail: {ctx}}) => {
    if (ctx.request.method === "POST") ctx.request.body.set("shown", shown(ctx.target));
  });
}

// At once: its RUNNING may come over the stream before the answer to the press. A refusal draws the row anew.
function showRestart(button) {
  const chip = (button.closest("tbody[data-key]") ?? button.closest("[data-key]"))?.querySelector(".state");
  if (chip) setState(chip, "RESTARTING", Date.now());
}

// A link that, without this, comes back with the field filled in.
function fillIn({dataset}, event) {
  const field = document.querySelector(dataset.fill);
  if (!field || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  field.value = dataset.value;
  field.focus();
}

async function copyText(button) {
  const text = document.querySelector(button.dataset.copy).textContent;
  const word = button.lastElementChild;
  const before = word.textContent;
  try {
    await navigator.clipboard.writeText(text);
    word.textContent = "Copied";
  } catch {
    word.textContent = "Select and copy by hand";
  }
  setTimeout(() => (word.textContent = before), SAID_FOR);
}
