// The list by keyboard. A row is "the current one" by having its link focused, so that a screen reader says so, too.
import {view} from "./view.js";
import {any as anySelected, toggle as toggleSelected} from "./select.js";

const KEYS = {
  "/": () => document.getElementById("search").select(),
  "?": () => document.getElementById("help").showModal(),
  j: () => (beforeThis === "g" ? go("/ui/jobs/") : move(1)),
  k: () => move(-1),
  r: () => press("restart-failed") || press("restart"),
  R: () => document.querySelector(anySelected() ? '[data-verb="restart-selected"]:enabled' : "#restart-failed")?.click(),
  x: () => toggleSelected(current()),
  p: () => press("pause") || press("resume"),
  a: () => go("/ui/activity/"),
  s: () => beforeThis === "g" ? go("/ui/settings/") : view().querySelector("#resort:not([hidden])")?.click(),
  f: () => go("/ui/"),
  e: () => go("/ui/failures/"),
  w: () => go("/ui/workers/"),
};

const go = (address) => beforeThis === "g" && location.assign(address);

let beforeThis = "";

export function start() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.key === "Escape") closeMenus();
    if (event.target.closest("input:not(.pick), textarea, select")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const act = KEYS[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
    beforeThis = event.key;
  });
}

// The focus goes back to what opened it.
function closeMenus() {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (menu.contains(document.activeElement)) menu.querySelector("summary").focus();
    menu.open = false;
  }
}

const ROW = "table.fleet tbody[data-key], .workers li[data-key]";
const rows = () => [...view().querySelectorAll(ROW)];
const current = () => document.activeElement.closest(ROW);

function move(step) {
  const all = rows();
  const at = all.indexOf(current());
  const next = all[at === -1 ? (step > 0 ? 0 : all.length - 1) : at + step];
  next?.querySelector("a").focus();
  next?.scrollIntoView({block: "nearest"});
}

function press(verb) {
  const place = current() ?? view().querySelector("article.connector");
  const button = place?.querySelector(`button[data-verb="${verb}"]:not(:disabled)`);
  button?.click();
  return Boolean(button);
}
