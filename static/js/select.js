// Connectors that somebody has selected on the fleet page, by id: kept over live updates, pages and filters. What can be done to
// them, and to how many, is for the server to say.
const KEPT = "drover-selection";
const PAUSE = 80;

let selected = new Set();
let last;
let timer;
// All that the filter finds was asked for: the answer says which those are.
let all = false;

const form = () => document.getElementById("selection");
const boxes = () => [...document.querySelectorAll("#view input.pick")];

export function start() {
  if (!form()) return;
  selected = new Set(JSON.parse(sessionStorage.getItem(KEPT) ?? "[]"));
  document.addEventListener("click", clicked);
  document.addEventListener("change", ({target}) => {
    if (target.id === "pick-page") pick(boxes(), target.checked);
  });
  document.addEventListener("htmx:after:swap", ({detail: {ctx}}) => {
    if (ctx.target.id === "chosen" && ctx.request.body?.has("all")) adopt();
    // A job has begun of it.
    if (ctx.target.id === "drawer" && ctx.request.method === "POST" && ctx.target.querySelector("[data-job]")) none();
    if (ctx.target.id === "view") show();
  });
  show();
}

// `x`: the row that has the focus.
export function toggle(row) {
  const box = row?.querySelector("input.pick");
  if (!box || !form()) return;
  pick([box], !box.checked);
  last = box.value;
}

export const any = () => selected.size > 0 && Boolean(form());

function clicked(event) {
  const {target} = event;
  if (target.matches("input.pick")) {
    pick(event.shiftKey && last ? between(last, target.value) : [target], target.checked);
    last = target.value;
  }
  if (target.closest("[data-select-none]")) none();
  if (target.closest("[data-select-all]")) {
    all = true;
    clearTimeout(timer);
    ask({all: "1"});
  }
}

function between(one, other) {
  const shown = boxes();
  const ends = [one, other].map((id) => shown.findIndex((box) => box.value === id));
  return ends.includes(-1) ? shown.slice(ends[1], ends[1] + 1) : shown.slice(Math.min(...ends), Math.max(...ends) + 1);
}

function pick(those, on) {
  for (const box of those) on ? selected.add(box.value) : selected.delete(box.value);
  keep();
}

function none() {
  selected.clear();
  keep();
}

function keep() {
  all = false;
  sessionStorage.setItem(KEPT, JSON.stringify([...selected]));
  show();
}

function adopt() {
  if (!all) return;
  all = false;
  selected = new Set((form().querySelector("input[name=of]")?.value ?? "").split(",").filter(Boolean));
  sessionStorage.setItem(KEPT, JSON.stringify([...selected]));
  draw();
}

function show() {
  draw();
  clearTimeout(timer);
  // Which they are is about to be told: the older question is not to be asked behind that.
  if (selected.size && !all) timer = setTimeout(() => ask({}), PAUSE);
}

function draw() {
  const shown = boxes();
  for (const box of shown) box.checked = selected.has(box.value);
  form().classList.toggle("some", selected.size > 0);
  form().classList.toggle("scripted", true);
  const page = document.getElementById("pick-page");
  if (!page) return;
  page.hidden = false;
  const here = shown.filter((box) => box.checked).length;
  page.checked = here > 0 && here === shown.length;
  page.indeterminate = here > 0 && here < shown.length;
}

function ask(more) {
  const token = form().querySelector("input[name=csrfmiddlewaretoken]").value;
  const values = {of: [...selected].join(","), csrfmiddlewaretoken: token, ...more};
  htmx.ajax("POST", `/ui/jobs/selection${location.search}`, {source: "#chosen", target: "#chosen", swap: "innerMorph", values});
}
