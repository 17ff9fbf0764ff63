// filters.js - the panel of filters above the table: capabilities with yes and no, ranges, and lists to
// choose from. It reads the state and says what shall change; it keeps nothing of its own.
import { fill, h } from "./dom.js";
import { capabilityGroups, labelOf } from "./fields.js";
import { count } from "./format.js";

const ranges = [
  { id: "context", label: "Context", from: "200k", to: "" },
  { id: "output", label: "Output", from: "32k", to: "" },
  { id: "inputPrice", label: "Input $ per million", from: "", to: "1.50" },
  { id: "outputPrice", label: "Output $ per million", from: "", to: "10" },
  { id: "released", label: "Released", from: "2026-01", to: "" },
  { id: "retires", label: "Retires", from: "", to: "2027-06" },
];

const listOf = (text) => (text ? text.split(",").filter((word) => word) : []);

function tally(column) {
  const counts = new Map();
  for (const value of column) counts.set(value || "unknown", (counts.get(value || "unknown") ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}

/** change({ name: value }) is called with what the person did. */
export function filters(table, change) {
  let state = new URLSearchParams();
  const can = (id) => (listOf(state.get("can")).includes(id) ? "yes" : listOf(state.get("cannot")).includes(id) ? "no" : "");

  // any -> yes -> no -> any
  function turn(id) {
    const next = { "": "yes", yes: "no", no: "" }[can(id)];
    const without = (name) => listOf(state.get(name)).filter((word) => word !== id);
    change({
      can: [...without("can"), ...(next === "yes" ? [id] : [])].join(","),
      cannot: [...without("cannot"), ...(next === "no" ? [id] : [])].join(","),
    });
  }

  function toggle(name, value) {
    const now = listOf(state.get(name));
    change({ [name]: (now.includes(value) ? now.filter((word) => word !== value) : [...now, value]).join(",") });
  }

  const chips = new Map();
  const capabilityPart = capabilityGroups.map((group) => h("div", { class: "chips", role: "group", "aria-label": group.name }, h("span", { class: "of" }, group.name),
    group.fields.map((field) => {
      const chip = h("button", { type: "button", class: "chip turn", title: field.says, onclick: () => turn(field.id) }, field.label);
      chips.set(field.id, chip);
      return chip;
    })));

  const anyAll = ["all", "any"].map((which) => h("button", { type: "button", onclick: () => change({ any: which === "any" ? "1" : "" }) }, which === "all" ? "All of these" : "Any of these"));

  const bounds = ranges.map(({ id, label, from, to }) => {
    const inputs = [["from", from], ["to", to]].map(([end, hint]) => h("input", { type: "text", size: "8", placeholder: hint || "–", "aria-label": `${label} ${end}`, spellcheck: "false", autocomplete: "off",
      oninput: () => {
        const [a, b] = inputs.map((input) => input.value.trim());
        change({ [id]: a || b ? `${a}..${b}` : "" });
      } }));
    return { id, inputs, node: h("div", { class: /^re/.test(id) ? "field day" : "field" }, h("span", {}, label), h("div", { class: "row tight" }, inputs[0], h("span", { class: "soft" }, "to"), inputs[1])) };
  });

  const providers = tally(table.provider);
  const knownProviders = h("datalist", { id: "providers" }, providers.map(([name, n]) => h("option", { value: name }, `${count(n)} offerings`)));
  const providerBox = h("input", { type: "text", list: "providers", placeholder: "Add a provider", "aria-label": "Add a provider", autocomplete: "off" });
  providerBox.addEventListener("input", () => {
    if (!providers.some(([name]) => name === providerBox.value) || listOf(state.get("provider")).includes(providerBox.value)) return;
    const value = providerBox.value;
    providerBox.value = "";
    toggle("provider", value);
  });
  const familyBox = h("input", { type: "text", list: "families", placeholder: "Add a family", "aria-label": "Add a family", autocomplete: "off" });
  const families = tally(table.family).filter(([name]) => name !== "unknown");
  familyBox.addEventListener("input", () => {
    if (!families.some(([name]) => name === familyBox.value)) return;
    const value = familyBox.value;
    familyBox.value = "";
    toggle("family", value);
  });
  const lists = new Map();
  const choice = (name, label, values) => h("div", { class: "chips", role: "group", "aria-label": label }, h("span", { class: "of" }, label), values.map(([value, n]) => {
    const chip = h("button", { type: "button", class: "chip", title: `${count(n)} offerings`, onclick: () => toggle(name, value) }, value);
    lists.set(`${name}=${value}`, { name, value, chip });
    return chip;
  }));
  const chosen = h("span", { class: "row tight" });
  const retired = h("input", { type: "checkbox", onchange: () => change({ retired: retired.checked ? "1" : "" }) });

  const node = h("section", { class: "filters panel", "aria-label": "Filters" },
    h("div", { class: "bounds" }, bounds.map(({ node: part }) => part)),
    h("div", { class: "chips" }, h("span", { class: "of" }, "Where"), providerBox, knownProviders, familyBox, h("datalist", { id: "families" }, families.map(([name]) => h("option", { value: name }))), chosen),
    h("div", { class: "row" }, h("span", { class: "of" }, "It can"), h("span", { class: "tabs", role: "group", "aria-label": "Capabilities" }, anyAll), h("span", { class: "soft" }, "Click once: must have it. Twice: must not.")),
    h("div", { class: "abilities" }, capabilityPart),
    choice("status", "Status", tally(table.status)),
    choice("kind", "Kind", tally(table.kind)),
    h("label", { class: "row" }, retired, "Show what has stopped"));

  return {
    node,
    update(now) {
      state = now;
      for (const [id, chip] of chips) {
        const is = can(id);
        chip.dataset.is = is;
        chip.setAttribute("aria-pressed", is ? "true" : "false");
        chip.setAttribute("aria-label", `${labelOf(id)}${is ? `: ${is === "yes" ? "must have it" : "must not have it"}` : ""}`);
      }
      anyAll[0].setAttribute("aria-pressed", state.get("any") ? "false" : "true");
      anyAll[1].setAttribute("aria-pressed", state.get("any") ? "true" : "false");
      for (const { id, inputs } of bounds) {
        if (inputs.includes(document.activeElement)) continue;
        const [a, b] = (state.get(id) ?? "").split("..");
        inputs[0].value = a ?? "";
        inputs[1].value = b ?? "";
      }
      for (const { name, value, chip } of lists.values()) chip.setAttribute("aria-pressed", listOf(state.get(name)).includes(value) ? "true" : "false");
      retired.checked = !!state.get("retired");
      fill(chosen, ["provider", "family"].flatMap((name) => listOf(state.get(name)).map((value) => h("button", { type: "button", class: "chip", "aria-label": `Remove ${value}`, onclick: () => toggle(name, value) }, value, " ✕"))));
    },
  };
}

const filterNames = ["q", "can", "cannot", "any", "provider", "family", "status", "kind", "retired", ...ranges.map(({ id }) => id)];

/** Filters in force as chips that can be taken away. */
export function activeFilters(state, change) {
  const made = [];
  const chip = (text, next) => made.push(h("button", { type: "button", class: "chip", "aria-label": `Remove ${text}`, onclick: () => change(next) }, text, " ✕"));
  for (const [name, sign] of [["can", ""], ["cannot", "no "]]) {
    for (const id of listOf(state.get(name))) chip(`${sign}${sign ? labelOf(id).toLowerCase() : labelOf(id)}`, { [name]: listOf(state.get(name)).filter((word) => word !== id).join(",") });
  }
  for (const name of ["provider", "family", "status", "kind"]) {
    for (const value of listOf(state.get(name))) chip(value, { [name]: listOf(state.get(name)).filter((word) => word !== value).join(",") });
  }
  for (const { id, label } of ranges) {
    const text = state.get(id);
    if (!text) continue;
    const [a, b] = text.split("..");
    chip(`${label} ${a && b ? `${a} to ${b}` : a ? `from ${a}` : `to ${b}`}`, { [id]: "" });
  }
  if (state.get("retired")) chip("with stopped ones", { retired: "" });
  if (made.length > 1) made.push(h("button", { type: "button", class: "plain", onclick: () => change(Object.fromEntries(filterNames.map((name) => [name, ""]))) }, "Clear all"));
  return made;
}

export const activeCount = (state) => filterNames.slice(1).filter((name) => name !== "any" && state.get(name)).reduce((n, name) => n + listOf(state.get(name)).length, 0);
