// The part of the page that the server draws: fetched again to bring everything on it up to date, in place.
import {longestHold, anyRestarting} from "./states.js";

const GATHER = 250;
// A restart's last word may come without an event: the answer that was shown for it lapses after some seconds.
const LOOK_AGAIN = 3200;

let timer;
let lookAgain;
let busy = false;
let again = false;

export const view = () => document.getElementById("view");

// Rows keep their places and their heights: the server is told which are shown, and says how many would move.
export function shown(within = view()) {
  // A panel that is somebody's at work, or was dear to fetch: it stays as long as the server finds that it fits.
  const kept = within.querySelector("[data-kept]");
  if (kept) return kept.dataset.kept;
  const panels = [...within.querySelectorAll("[data-panel]")];
  if (panels.length) return panels.map(inPanel).join(",");
  const rows = within.matches("tbody[data-id]") ? [within] : [...within.querySelectorAll("tbody[data-id]")];
  return rows.map((row) => row.dataset.id + (row.rows.length > 1 ? "t" : "")).join(",");
}

const inPanel = (panel) => [panel.dataset.panel, ...[...panel.querySelectorAll("li[data-id]")].map((line) => line.dataset.id)].join(".");

export function refreshSoon(delay = GATHER) {
  clearTimeout(timer);
  timer = setTimeout(refresh, Math.max(delay, longestHold(view()) + 50));
}

export async function refresh() {
  // Somebody is filling in a form, or has to copy what is shown once.
  if (view().querySelector("[data-still]")) return;
  if (busy) {
    again = true;
    return;
  }
  const hold = longestHold(view());
  if (hold > 0) return refreshSoon(hold);
  busy = true;
  try {
    await fetchView();
  } finally {
    busy = false;
    if (again) {
      again = false;
      refreshSoon();
    }
  }
  followRestarts();
}

export function followRestarts() {
  clearTimeout(lookAgain);
  if (anyRestarting(view())) lookAgain = setTimeout(refresh, LOOK_AGAIN);
}

async function fetchView() {
  const address = new URL(location.href);
  const rows = shown();
  if (rows) address.searchParams.set("shown", rows);
  address.hash = "";
  await htmx.ajax("GET", address.pathname + address.search, {target: "#view", swap: "innerMorph"});
}
