// Live events, and what stands in for them: without a stream, or without Redis behind it, the view is fetched every few seconds.
import {setState} from "./states.js";
import {refresh, refreshSoon, followRestarts, view} from "./view.js";
import {span} from "./times.js";
import {changed as jobChanged} from "./drawer.js";

const POLL = 5000;
const TRY_AGAIN = 30000;

let source;
let polling;
let lastWord = Date.now();

export function start() {
  if (!document.getElementById("link")) return;
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
  addEventListener("pageshow", (event) => event.persisted && open());
  document.addEventListener("htmx:after:swap", followRestarts);
  setInterval(showAge, 1000);
  open(false);
}

// A page in the background holds no connection: a browser has six to a server, and a server so many threads.
function close() {
  source?.close();
  source = null;
  stopPolling();
}

function open(fetchFirst = true) {
  close();
  if (fetchFirst) refresh();
  source = new EventSource("/ui/live");
  source.addEventListener("link", ({data}) => (data === '"up"' ? flowing() : waiting()));
  source.addEventListener("message", ({data}) => received(JSON.parse(data)));
  source.addEventListener("error", lost);
}

function flowing() {
  stopPolling();
  show("live");
  // Whatever happened while nothing was heard: since the connection was lost, or since the page was drawn.
  refreshSoon(0);
  heard();
}

// Told again and again while it lasts: the clock that runs already must not start over each time.
function waiting() {
  show("reconnecting");
  polling ??= setInterval(refresh, POLL);
}

function stopPolling() {
  clearInterval(polling);
  polling = undefined;
}

function lost() {
  waiting();
  // The browser tries again by itself, unless it was refused: then there was no place free.
  if (source?.readyState === EventSource.CLOSED) setTimeout(() => document.hidden || open(false), TRY_AGAIN);
}

function show(state) {
  const link = document.getElementById("link");
  link.dataset.link = state;
  link.lastElementChild.textContent = state;
}

function heard() {
  lastWord = Date.now();
}

function showAge() {
  const link = document.getElementById("link");
  if (link.dataset.link === "live") heard();
  else if (link.dataset.link === "reconnecting") link.title = `No live updates for ${span(Date.now() - lastWord)}; looking every 5 s`;
}

function received({cluster, connectors = [], activity, job, move, resources}) {
  if (activity && !view().querySelector("[data-activity]")) return;
  if (resources && !view().querySelector("[data-resources]")) return;
  if (move && !view().querySelector("[data-moves]")) return;
  if (job) {
    jobChanged(job);
    if (view().querySelector(`[data-jobs], [data-job="${job}"]`)) refreshSoon();
    return;
  }
  for (const connector of connectors) {
    const key = CSS.escape(`${cluster}/${connector.name}`);
    for (const place of view().querySelectorAll(`[data-key="${key}"]`)) apply(place, connector);
  }
  refreshSoon();
}

// A row has one chip and a cell per task; the connector's own page a chip in its head and one per task; a worker's panel cells for
// what runs there, and marks without a state for what ran there: no news of them is news of that worker.
function apply(place, {state, since, own, tasks}) {
  const chip = place.querySelector(".state");
  if (chip) setState(chip, state, since);
  const instance = place.querySelector("[data-own][data-state]");
  if (instance && own) setState(instance, own, since);
  for (const [task, taskState] of Object.entries(tasks)) {
    const cell = place.querySelector(`li[data-task="${task}"][data-state], tbody[data-task="${task}"] .state`);
    if (cell) setState(cell, taskState, since);
  }
}
