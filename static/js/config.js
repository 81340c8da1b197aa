// The editor of a config: a form beside the JSON, kept in step. The JSON is what is sent; the form shows it with what the cluster
// knows of the plug-in, asked while one types. Secrets are not here: the server has sent masks in their place, and takes them back.
import {parse, write} from "./pairs.js";
import {draw, fill} from "./config_form.js";

const PAUSE = 500;

export function start() {
  attach();
  document.addEventListener("htmx:after:swap", attach);
  addEventListener("beforeunload", (event) => document.querySelector("form[data-dirty]") && event.preventDefault());
}

function attach() {
  for (const form of document.querySelectorAll("form[data-editor]:not([data-attached])")) {
    form.dataset.attached = "";
    edit(form);
  }
}

function edit(form) {
  const text = form.elements.config;
  const place = form.querySelector("[data-form]");
  const verdict = form.querySelector("[data-verdict]");
  const count = form.querySelector("[data-count]");
  const panel = form.closest("[data-kept]");
  const original = new Map(parse(form.querySelector("[data-original]").value).pairs);
  const key = panel.dataset.kept;
  let report = {errors: {}, sections: null};
  let pairs = parse(text.value).pairs ?? [];
  let timer;
  let asked = 0;

  // --- what is typed, on either side --------------------------------------------------------------------------------

  text.addEventListener("input", () => {
    const found = parse(text.value);
    text.toggleAttribute("aria-invalid", Boolean(found.error));
    if (found.error) {
      say(found.error, false);
      clearTimeout(timer);
    } else {
      pairs = found.pairs;
      fill(place, new Map(pairs), original, report.errors);
      askSoon();
    }
    typed();
  });

  place.addEventListener("input", ({target}) => target.dataset.key !== undefined && set(target.dataset.key, target.value));
  place.addEventListener("click", ({target}) => {
    const button = target.closest("[data-unset], [data-restore]");
    if (!button) return;
    const field = button.closest("[data-field]").dataset.field;
    if (button.matches("[data-restore]") && original.has(field)) set(field, original.get(field));
    else remove(field);
    fill(place, new Map(pairs), original, report.errors);
  });

  // An emptied field is one that is not set, unless it has been set to nothing before.
  function set(field, value) {
    const at = pairs.findIndex(([name]) => name === field);
    if (value === "" && at !== -1 && original.get(field) !== "" && field !== "name") return remove(field);
    if (at !== -1) pairs[at] = [field, value];
    else if (value !== "") pairs.push([field, value]);
    rewritten();
  }

  function remove(field) {
    pairs = pairs.filter(([name]) => name !== field);
    rewritten();
  }

  function rewritten() {
    text.value = write(pairs);
    text.removeAttribute("aria-invalid");
    fill(place, new Map(pairs), original, report.errors);
    typed();
    askSoon();
  }

  function typed() {
    const changed = changes(original, new Map(pairs));
    const dirty = changed > 0 || form.elements.opened?.value === undefined || text.hasAttribute("aria-invalid");
    form.toggleAttribute("data-dirty", dirty && text.value !== form.dataset.begun);
    panel.dataset.kept = key + (form.hasAttribute("data-dirty") ? "*" : "");
    if (count) count.textContent = changed ? `${changed} ${changed === 1 ? "key differs" : "keys differ"}` : "";
    // What was reviewed is not what is here any more.
    form.querySelector("#review").replaceChildren();
  }

  // --- what the cluster says ----------------------------------------------------------------------------------------

  function askSoon() {
    clearTimeout(timer);
    timer = setTimeout(ask, PAUSE);
  }

  async function ask() {
    const number = ++asked;
    verdict.dataset.asking = "";
    try {
      const cluster = form.elements.cluster;
      const address = form.dataset.check ?? cluster.selectedOptions[0].dataset.check;
      const response = await fetch(address, {method: "POST", body: new FormData(form), headers: {Accept: "application/json"}});
      if (number !== asked) return;
      if (!response.ok) return say(`Nothing was checked: the server answered ${response.status}.`, null);
      heard(await response.json());
    } catch {
      if (number === asked) say("Nothing was checked: the server cannot be reached.", null);
    } finally {
      if (number === asked) delete verdict.dataset.asking;
    }
  }

  function heard(answer) {
    const found = parse(text.value);
    if (found.error) return;
    report = {errors: answer.errors, sections: answer.sections ?? report.sections};
    if (answer.sections) draw(place, answer.sections);
    else if (!report.sections) place.querySelector("[data-awaited]")?.replaceChildren("The form is drawn when the cluster knows what is to run.");
    fill(place, new Map(pairs), original, report.errors);
    say(answer.sentence, answer.good);
  }

  function say(sentence, good) {
    verdict.textContent = sentence;
    verdict.dataset.good = String(good);
  }

  form.elements.cluster?.addEventListener("change", ({target}) => {
    const lacks = target.selectedOptions[0].dataset.lacksStates;
    const begins = form.elements.initial_state;
    begins.disabled = lacks !== "";
    if (begins.disabled) begins.value = "";
    form.querySelector("#lacks-states").textContent = lacks;
    ask();
  });
  form.addEventListener("htmx:before:request", () => form.setAttribute("aria-busy", "true"));
  form.addEventListener("htmx:after:request", () => form.removeAttribute("aria-busy"));
  // It is on its way: leaving the page now is what was wanted.
  form.addEventListener("submit", ({submitter}) => {
    if (submitter?.value === "save" || submitter?.value === "create") form.removeAttribute("data-dirty");
  });
  form.dataset.begun = text.value;
  typed();
  if (new Map(pairs).size && changes(original, new Map(pairs))) form.setAttribute("data-dirty", "");
  ask();
}

function changes(before, after) {
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys].filter((key) => before.get(key) !== after.get(key) || before.has(key) !== after.has(key)).length;
}
