// overlay.js - a correction as a stanza of a rule file (docs/overlays.md), ready to be copied.

// A string of TOML: what JSON escapes, TOML reads; DEL must be escaped there, too.
const text = (v) => JSON.stringify(String(v)).replace(/[\u007f-\u009f]/g, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
const items = (v) => String(v).split(",").map((w) => w.trim()).filter(Boolean);

function valueOf(kind, value) {
  if (kind === "number") return /^[0-9]+$/.test(value) ? value : text(value);
  if (kind === "list") return `[${items(value).map(text).join(", ")}]`;
  if (kind === "flag") return value === "true" ? "true" : "false";
  if (kind !== "price") return text(value);
  const [input, output] = String(value).split("/").map((v) => v.trim().replace(/^\$/, ""));
  return `{ input_tokens = ${text(input)}${output ? `, output_tokens = ${text(output)}` : ""} }`;
}

/** The stanza: what `provider`'s `model` has in `field`, who says so, and when that was looked at. `value` is what was typed. */
export function stanza({ provider, model, field, kind, value, source, day }) {
  return [
    'schema = "cando/rules@1"',
    "",
    "[[models]]",
    `provider = ${text(provider)}`,
    `id = ${text(model)}`,
    `set = { ${field} = ${valueOf(kind, value)} }`,
    `source = ${text(source || "https://")}`,
    `checked = ${day}`,
    "",
  ].join("\n");
}

/** How a field is written, by its value: "number", "list", "flag", "price", or "support" and "text" as they are. */
export function kindOf(field, value) {
  if (field === "price") return "price";
  if (typeof value === "number" || /^(?:context_window|max_)/.test(field)) return "number";
  if (Array.isArray(value) || /_(?:efforts|modes|modalities)$/.test(field)) return "list";
  if (typeof value === "boolean") return "flag";
  return /(?:_on|_date|_cutoff|_by|_name|_kind|_family|_param|status|tokenizer)$/.test(field) ? "text" : "support";
}
