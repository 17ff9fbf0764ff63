// correct.js - a value is wrong: what to write into a file of one's own so that cando knows better, ready to be copied. The model's page
// and About have it.
import { copy, fill, h, save } from "./dom.js";
import { codeWithDoubt, evidenceWords, sourceLink } from "./evidence.js";
import { capabilities, capabilityGroups, labelOf } from "./fields.js";
import { codeOf, glyph, valueText } from "./format.js";
import { numberOf } from "./lib/number.js";
import { kindOf, stanza } from "./lib/overlay.js";
import { later } from "./views/parts.js";

const facts = ["context_window", "max_output", "price", "status", "release_date", "deprecated_on", "retires_on", "replaced_by", "knowledge_cutoff", "reasoning_efforts"];
const listed = new Set([...facts, ...capabilities.map(({ id }) => id), "claims"]);
const words = { support: [["native", "yes"], ["unsupported", "no"], ["emulated", "emulated"], ["unknown", "nobody knows"]], flag: [["true", "yes"], ["false", "no"]] };
const hints = { number: "200000", list: "low, medium, high", price: "1.25 / 10" };
const hintOf = (field, kind) => (/_(?:on|date|cutoff)$/.test(field) ? "2026-12-31" : { status: "active, preview, deprecated, retired", replaced_by: "the id of its successor" }[field] ?? hints[kind] ?? "");
const labels = { price: "In / out, $ per million", list: "Words, by commas" };

const priceText = (price, sign) => [price?.input_tokens, price?.output_tokens].filter(Boolean).map((v) => `${sign}${v}`).join(" / ");

// A value as one would type it.
function typed(kind, value) {
  if (value === null || value === undefined) return "";
  if (kind === "price") return priceText(value, "");
  return Array.isArray(value) ? value.join(", ") : typeof value === "object" ? "" : String(value);
}

// What a correction most likely says: the contrary.
const contrary = { support: (now) => (now === "native" ? "unsupported" : "native"), flag: (now) => String(!now) };

/**
 * The form. show({ target, answer, field, value, source }) fills it: `answer` is that of resolve, or nothing as long as there is none. `onchange` hears
 * { field, value, source } as they are typed.
 */
export function correction(ctx, onchange = () => {}) {
  let [target, answer, given, box] = ["", undefined, undefined, undefined];
  const field = h("select", { onchange: () => { given = undefined; choose(); tell(); } });
  const place = h("label", { class: "field" });
  const source = h("input", { type: "text", inputmode: "url", placeholder: "https://", spellcheck: "false", autocomplete: "off", oninput: later(120, tell) });
  const now = h("p", { class: "now", role: "status" });
  const text = h("pre", { class: "stanza", tabindex: "0", role: "region", "aria-label": "The correction" });
  const problems = h("ul", { class: "problems" });
  const node = h("div", { class: "correct" },
    h("div", { class: "form" }, h("label", { class: "field" }, h("span", {}, "What"), field), place, h("label", { class: "field wide" }, h("span", {}, "Who says so"), source)),
    now, text, h("div", { role: "status" }, problems),
    h("p", { class: "row" }, h("button", { type: "button", class: "primary", onclick: () => copy(text.textContent) }, "Copy"),
      h("button", { type: "button", onclick: () => save("cando.toml", text.textContent, "application/toml") }, "Save as cando.toml"),
      h("span", { class: "soft" }, "In your project's folder it counts there; in ~/.config/cando for you.")));

  const kind = () => kindOf(field.value, answer?.fields[field.value]);

  function tell() {
    given = box.value;
    onchange({ field: field.value, value: given, source: source.value.trim() });
    write();
  }

  function options(wanted) {
    const more = Object.keys(answer?.fields ?? {}).filter((id) => !listed.has(id)).sort((a, b) => (labelOf(a) < labelOf(b) ? -1 : 1));
    const group = (label, ids) => ids.length > 0 && h("optgroup", { label }, ids.map((id) => h("option", { value: id }, labelOf(id))));
    fill(field, group("Facts", facts), capabilityGroups.map(({ name, fields }) => group(name, fields.map(({ id }) => id))), group("More", more));
    field.value = wanted;
    if (!field.value) field.value = facts[0];
  }

  // The box for the value; one in which somebody types stays.
  function choose() {
    const which = kind();
    const value = answer?.fields[field.value];
    const as = words[which] ? which : "text";
    if (box?.dataset.as !== as) {
      box = as === "text" ? h("input", { type: "text", "data-as": as, spellcheck: "false", autocomplete: "off", oninput: later(120, tell) })
        : h("select", { "data-as": as, onchange: tell }, words[which].map(([word, label]) => h("option", { value: word }, label)));
    }
    if (as === "text") box.placeholder = hintOf(field.value, which);
    if (document.activeElement !== box) box.value = given ?? contrary[which]?.(value) ?? typed(which, value);
    if (box.value === "" && as !== "text") box.value = words[which][0][0];
    if (box.parentNode !== place || place.firstChild.textContent !== (labels[which] ?? "Right is")) fill(place, h("span", {}, labels[which] ?? "Right is"), box);
    drawNow(value);
    write();
  }

  function drawNow(value) {
    const why = answer?.why?.[field.value];
    if (!answer) return fill(now);
    fill(now, "Now: ", codeOf(value) ? [glyph(codeWithDoubt(answer, field.value)), " "] : "", h("strong", {}, field.value === "price" ? priceText(value, "$") || "unknown" : valueText(value)),
      h("span", { class: "soft" }, " (", why ? [evidenceWords(why.evidence), why.source && [", ", sourceLink(why.source)], why.checked && `, ${why.checked}`] : "nobody has said", ")"));
  }

  // Numbers may be typed as people write them: 200k.
  function said() {
    const value = box.value.trim() || box.placeholder?.split(",")[0] || "";
    const n = kind() === "number" ? numberOf(value) : NaN;
    return Number.isFinite(n) ? String(Math.round(n)) : value;
  }

  async function write() {
    const at = target.indexOf("/");
    const made = stanza({ provider: target.slice(0, Math.max(at, 0)), model: target.slice(at + 1), field: field.value, kind: kind(), value: said(), source: source.value.trim(), day: ctx.today });
    fill(text, made);
    const { findings } = await ctx.ask("lint", { text: made, dialect: "cando" }).catch((error) => ({ findings: [{ message: error.message, hint: error.hint }] }));
    if (text.textContent === made) fill(problems, findings.map((f) => h("li", {}, `✕ ${f.message}`, f.hint && `: ${f.hint}`)));
  }

  return {
    node,
    /** Another field of the same model. */
    pick(id) {
      given = undefined;
      options(id);
      choose();
    },
    show(next) {
      ({ target, answer, value: given } = next);
      options(next.field ?? field.value);
      if (document.activeElement !== source) source.value = next.source ?? source.value;
      choose();
    },
  };
}
