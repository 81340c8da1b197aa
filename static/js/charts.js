// Charts of figures over time, drawn when they come into view. uPlot is fetched with the first of them.
const EVERY = 60000;
const HEIGHT = 160;
const NARROW = 40;
const DAY = 86400;
// How far apart, in seconds, the ticks may be: times are told in minutes.
const TICKS = [60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 14400, 21600, 43200, DAY, 2 * DAY];

const drawn = new Map();
const asked = new Map();
let library;

export function start() {
  const seen = new IntersectionObserver((entries) => entries.forEach(({isIntersecting, target}) => isIntersecting && draw(target)));
  const look = () => {
    forget();
    document.querySelectorAll("[data-chart]").forEach((place) => seen.observe(place));
  };
  document.addEventListener("htmx:after:swap", look);
  setInterval(() => document.hidden || drawn.forEach((_, place) => update(place)), EVERY);
  addEventListener("resize", () => drawn.forEach((chart, place) => chart.setSize({width: place.clientWidth, height: HEIGHT})));
  // Colours are asked for with each drawing.
  const redraw = () => drawn.forEach((chart) => chart.redraw(false));
  new MutationObserver(redraw).observe(document.documentElement, {attributes: true, attributeFilter: ["data-theme"]});
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  look();
}

function forget() {
  for (const [place, chart] of drawn) {
    if (!place.isConnected) {
      chart.destroy();
      drawn.delete(place);
    }
  }
}

async function draw(place) {
  if (drawn.has(place)) return;
  const [uPlot, points] = await Promise.all([(library ??= load()), fetched(place.dataset.chart)]);
  if (drawn.has(place) || !place.isConnected) return;
  drawn.set(place, new uPlot(options(uPlot, place), columns(place, points), place));
}

async function update(place) {
  drawn.get(place).setData(columns(place, await fetched(place.dataset.chart)));
}

// Charts of one connector share an answer.
function fetched(address) {
  const last = asked.get(address);
  if (last && Date.now() - last.at < EVERY / 2) return last.points;
  const points = fetch(address).then((answer) => (answer.ok ? answer.json() : {points: []})).then((answer) => answer.points);
  asked.set(address, {at: Date.now(), points});
  return points;
}

function columns(place, points) {
  const places = place.dataset.places.split(",").map(Number);
  return [points.map((point) => point[0] / 1000), ...places.map((column) => points.map((point) => point[column]))];
}

function load() {
  const here = (file) => new URL(`../vendor/${file}`, import.meta.url).href;
  const style = Object.assign(document.createElement("link"), {rel: "stylesheet", href: here("uPlot.min.css")});
  const script = Object.assign(document.createElement("script"), {src: here("uPlot.iife.min.js")});
  const ready = Promise.all([style, script].map((part) => new Promise((done, failed) => Object.assign(part, {onload: done, onerror: failed}))));
  document.head.append(style, script);
  return ready.then(() => window.uPlot);
}

function options(uPlot, place) {
  const {labels, unit, step} = place.dataset;
  const clock = ([from, to]) => (seconds) => new Date(seconds * 1000).toISOString().slice(from, to).replace("T", " ");
  const [day, time] = [clock([5, 10]), clock([11, 16])];
  // Of a week it is the day that counts. No two ticks say the same.
  const tick = (seconds) => (step > 60 && seconds % DAY === 0 ? day : time)(seconds);
  const colour = (name) => () => resolved(place, name);
  const axis = {stroke: colour("--muted"), grid: {stroke: colour("--line"), width: 1}, ticks: {show: false}, font: "11px system-ui", gap: 4};
  const value = (_, number) => (number == null ? "–" : `${round(number)} ${unit}`);
  return {
    width: place.clientWidth,
    height: HEIGHT,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
    padding: [8, 8, 0, 0],
    cursor: {points: {size: 6}, drag: {x: false}},
    scales: {y: {range: (_, low, high) => [0, high > 0 ? high * 1.1 : 1]}},
    axes: [{...axis, size: 24, incrs: TICKS, values: (_, ticks) => ticks.map(tick)}, {...axis, size: 56, values: (_, ticks) => ticks.map(round), space: NARROW}],
    series: [
      {label: "UTC", value: (_, seconds) => (seconds == null ? "–" : clock([0, 16])(seconds))},
      ...labels.split(",").map((label, at) => ({
        label,
        value,
        stroke: colour(at ? "--second" : "--first"),
        width: 1.5,
        dash: at ? [5, 4] : undefined,
        points: {show: false},
      })),
    ],
  };
}

// A token may be `light-dark(…)`: what it comes to is for the browser to say.
function resolved(place, name) {
  place.style.color = `var(${name})`;
  const colour = getComputedStyle(place).color;
  place.style.color = "";
  return colour;
}

const round = (number) => (number >= 1e6 ? `${(number / 1e6).toPrecision(3)} M` : number >= 1e4 ? `${(number / 1e3).toPrecision(3)} k` : String(Math.round(number * 100) / 100));
