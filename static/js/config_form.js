// The form of a config: drawn from sections of fields, filled with what is set. Values only ever become text.
let lists = 0;

// Draws anew what is different: who types in a field stays there.
export function draw(place, sections) {
  const shape = JSON.stringify(sections);
  if (place.dataset.shape === shape) return;
  place.dataset.shape = shape;
  const focused = place.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  const selection = focused === undefined ? null : range(document.activeElement);
  const open = new Set([...place.querySelectorAll("details[open]")].map((details) => details.dataset.title));
  place.replaceChildren(...sections.map((section) => drawSection(section, open)));
  if (focused === undefined) return;
  const field = place.querySelector(`[data-key="${CSS.escape(focused)}"]`);
  const folded = field?.closest("details");
  if (folded) folded.open = true;
  field?.focus();
  if (selection && field?.setSelectionRange) field.setSelectionRange(...selection);
}

// What is set, what of it is other than it was, and what is wrong with it.
export function fill(place, values, original, errors) {
  for (const row of place.querySelectorAll("[data-field]")) {
    const key = row.dataset.field;
    const control = row.querySelector("[data-key]");
    const set = values.has(key);
    const value = values.get(key) ?? "";
    if (control !== document.activeElement || control.value !== value) write(control, value);
    row.toggleAttribute("data-set", set);
    row.toggleAttribute("data-changed", set !== original.has(key) || (set && values.get(key) !== original.get(key)));
    control.readOnly = key === place.dataset.fixed;
    row.querySelector("[data-unset]").hidden = !set || control.readOnly;
    row.querySelector("[data-restore]").hidden = !row.hasAttribute("data-changed") || !original.has(key);
    tell(row, control, errors[key]);
  }
  for (const section of place.querySelectorAll("section")) {
    section.toggleAttribute("data-wrong", section.querySelector("[aria-invalid]") !== null);
  }
}

function write(control, value) {
  if (control.tagName === "SELECT" && value !== "" && ![...control.options].some((option) => option.value === value)) {
    control.append(new Option(value, value));
  }
  if (control.value !== value) control.value = value;
}

function tell(row, control, errors) {
  const place = row.querySelector(".error");
  place.textContent = errors ? errors.join(" ") : "";
  place.hidden = !errors;
  control.toggleAttribute("aria-invalid", Boolean(errors));
  const fold = errors && row.closest("details:not([open])");
  if (fold) fold.open = true;
}

function drawSection(section, open) {
  const shown = section.fields.filter((field) => !field.folded);
  const folded = section.fields.filter((field) => field.folded);
  const parts = [make("h3", {}, section.title), ...shown.map(drawField)];
  if (folded.length) {
    const more = make("details", {"data-title": section.title}, make("summary", {}, `${folded.length} more`), ...folded.map(drawField));
    more.open = open.has(section.title);
    parts.push(more);
  }
  return make("section", {"aria-label": section.title}, ...parts);
}

function drawField(field) {
  const id = `key-${field.key}`;
  const name = field.label === field.key ? [] : [make("span", {class: "none"}, field.label)];
  const marks = field.required ? [make("span", {class: "mark"}, "required")] : [];
  const label = make("label", {for: id}, make("span", {class: "name"}, field.key), ...name, ...marks);
  const control = drawControl(field, id);
  const buttons = [
    make("button", {type: "button", class: "quiet", "data-restore": "", "aria-label": `As it was: ${field.key}`, title: "As it was", hidden: ""}, "↺"),
    make("button", {type: "button", class: "quiet", "data-unset": "", "aria-label": `Remove ${field.key}`, title: "Remove", hidden: ""}, "×"),
  ];
  const error = make("p", {class: "error", id: `${id}-error`, hidden: ""});
  const about = field.documentation ? [make("p", {class: "about", id: `${id}-about`, title: field.documentation}, field.documentation)] : [];
  return make("div", {"data-field": field.key, class: "row-field"}, label, make("div", {class: "control"}, control, ...buttons), error, ...about);
}

function drawControl(field, id) {
  const common = {id, "data-key": field.key, class: "field mono", "aria-describedby": `${id}-error ${id}-about`, spellcheck: "false", autocomplete: "off"};
  if (field.type === "BOOLEAN") {
    const unset = field.default === null ? "not set" : `not set: ${field.default}`;
    const select = make("select", common, new Option(unset, ""), ...field.choices.map((choice) => new Option(choice, choice)));
    return select;
  }
  const numeric = ["INT", "SHORT", "LONG"].includes(field.type) ? {inputmode: "numeric"} : field.type === "DOUBLE" ? {inputmode: "decimal"} : {};
  // A secret is as good as its mask: what is typed anew can be read while it is typed.
  const input = make("input", {...common, ...numeric, placeholder: hint(field)});
  if (!field.choices.length) return input;
  const list = make("datalist", {id: `choices-${++lists}`}, ...field.choices.map((choice) => make("option", {value: choice})));
  input.setAttribute("list", list.id);
  return make("span", {class: "choosing"}, input, list);
}

function hint(field) {
  if (field.default !== null && field.default !== "") return field.default;
  return field.type === "LIST" ? "a, b, …" : "";
}

function range(element) {
  try {
    return element.selectionStart === null ? null : [element.selectionStart, element.selectionEnd];
  } catch {
    return null;
  }
}

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
