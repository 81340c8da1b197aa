// Relative times and elapsed seconds, by the rule of dashboard/fleet/durations.py.
const UNITS = [[86400, "d"], [3600, "h"], [60, "min"]];

export function span(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const [size, unit] = UNITS.find(([size]) => seconds >= size) ?? [1, "s"];
  return `${Math.floor(seconds / size)} ${unit}`;
}

export function start() {
  setInterval(tick, 1000);
}

function tick() {
  const now = Date.now();
  for (const time of document.querySelectorAll("time[data-ago], time[data-lasting]")) {
    write(time, span(now - Date.parse(time.dateTime)) + ("ago" in time.dataset ? " ago" : ""));
  }
  for (const time of document.querySelectorAll("time[data-until]")) write(time, `in ${span(Date.parse(time.dateTime) - now)}`);
  for (const chip of document.querySelectorAll('.state[data-state="RESTARTING"][data-since]')) {
    write(chip.querySelector(".elapsed"), span(now - Number(chip.dataset.since)));
  }
}

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
