// States on the page: setting one, and seeing to it that a restart can be seen. RESTARTING may last a few milliseconds; it is
// shown for as long as an eye needs.
const SHOWN_AT_LEAST = 600;
const SETTLING = 900;

const shownSince = new WeakMap();
const waiting = new Map();
const still = matchMedia("(prefers-reduced-motion: reduce)");

// Told by a slower road than what came after it.
const isLate = (element, state, since) => state === "RESTARTING" && since && Number(element.dataset?.since) > Number(since);

export function setState(element, state, since) {
  if (isLate(element, state, since)) return;
  const left = timeLeft(element);
  clearTimeout(waiting.get(element));
  waiting.delete(element);
  if (element.dataset.state === "RESTARTING" && state !== "RESTARTING" && left > 0) {
    waiting.set(element, setTimeout(() => setState(element, state, since), left));
    return;
  }
  element.dataset.state = state;
  if (since) element.dataset.since = since;
  const word = element.querySelector(":scope > b");
  if (word) word.textContent = state;
  const elapsed = element.querySelector(":scope > .elapsed");
  if (elapsed && state !== "RESTARTING") elapsed.textContent = "";
}

// How long a fetched page has to wait until it may overwrite what is being shown.
export function longestHold(root) {
  const restarting = root.querySelectorAll('[data-state="RESTARTING"]');
  return Math.max(0, ...[...restarting].map(timeLeft));
}

export const anyRestarting = (root) => root.querySelector('[data-state="RESTARTING"]') !== null;

function timeLeft(element) {
  return (shownSince.get(element) ?? -Infinity) + SHOWN_AT_LEAST - performance.now();
}

// Whoever changed it, an event, an answer or a fetched page: noticed here, once.
export function watchStates() {
  const observer = new MutationObserver((changes) => changes.forEach(noticed));
  const view = document.getElementById("view");
  if (view) observer.observe(view, {subtree: true, attributes: true, attributeFilter: ["data-state"], attributeOldValue: true});
  // So is a page that was drawn before an event that has come since.
  htmx.registerExtension("late", {
    htmx_before_morph_node: (element, {newNode}) => !isLate(element, newNode.dataset?.state, newNode.dataset?.since),
  });
}

function noticed({target, oldValue}) {
  const state = target.dataset.state;
  if (state === oldValue) return;
  if (state === "RESTARTING") shownSince.set(target, performance.now());
  if (oldValue === "RESTARTING" && state === "RUNNING" && target.matches(".state")) settle(target);
}

function settle(chip) {
  const row = chip.closest("tr, .head");
  if (!row || still.matches) return;
  const colour = getComputedStyle(document.documentElement).getPropertyValue("--settled");
  row.animate([{backgroundColor: colour}, {backgroundColor: "transparent"}], {duration: SETTLING, easing: "ease-out"});
}
