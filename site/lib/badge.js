// badge.js - badges (SVG) and small tables (HTML) of a model or a capability, for other people's pages.
//
// The same code writes the static files when the site is built, and makes those of the view. Every text is escaped here;
// nothing in a badge or table runs, and nothing is loaded from elsewhere.

// What XML does not allow, halves of characters, and signs that turn the direction of what follows are left out.
const ODD = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const plain = (v) => String(v).replace(ODD, "");
const escaped = (v) => plain(v).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

// Widths of characters at 11 px, in tenths of a pixel, for sans-serif fonts of the usual width.
const NARROW = new Map([..."ijl.,:;|!'"].map((c) => [c, 32]).concat([..."frt()[]- "].map((c) => [c, 44]), [..."mwMW@%"].map((c) => [c, 100])));
const widthOf = (text) => [...text].reduce((n, c) => n + (NARROW.get(c) ?? (c >= "A" && c <= "Z" ? 78 : c.charCodeAt(0) > 0x2000 ? 100 : 68)), 0) / 10;

// Told apart by their signs, not by colours alone. White on each of them reads well.
const TONES = { yes: "#1a7f37", part: "#8a5a00", no: "#a4262c", unknown: "#5c6670", plain: "#2457a6" };

const LONGEST = 80; // characters of a part
const cut = (text) => (text.length > LONGEST ? `${[...text].slice(0, LONGEST - 1).join("")}…` : text);

/** A badge: a label and what there is to say. `tone`: yes, part, no, unknown, plain. */
export function badge({ label, value, tone = "plain" }) {
  [label, value] = [cut(plain(label)), cut(plain(value))];
  const [a, b] = [Math.ceil(widthOf(label)) + 12, Math.ceil(widthOf(value)) + 12];
  const both = escaped(`${label}: ${value}`);
  const text = (x, w, t) => `<text x="${x + w / 2}" y="14" textLength="${w - 12}" lengthAdjust="spacingAndGlyphs">${escaped(t)}</text>`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${a + b}" height="20" role="img" aria-label="${both}"><title>${both}</title>` +
    `<rect width="${a + b}" height="20" rx="3" fill="#3d444d"/><path d="M${a} 0h${b - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-${b - 3}z" fill="${TONES[tone] ?? TONES.plain}"/>` +
    `<g fill="#fff" font-family="system-ui,-apple-system,Segoe UI,Helvetica,Arial,sans-serif" font-size="11" text-anchor="middle">${text(0, a, label)}${text(a, b, value)}</g></svg>\n`
  );
}

const tokens = (n) => (n >= 1000000 ? `${Math.round(n / 10000) / 100}M` : n >= 1000 ? `${Math.round(n / 1000)}k` : String(n));
const money = (v) => (v === "0" ? "free" : `$${/\.\d$/.test(v) ? `${v}0` : v}`);

const SAID = { native: ["✓ yes", "yes"], emulated: ["◐ emulated", "part"], unsupported: ["✗ no", "no"] };

/** What is said of one value of a capability: { value, tone }. `doubt`: "inferred", "disputed", or none. */
export function supportOf(v, doubt) {
  const said = v && typeof v === "object" && v.restricted ? ["◑ with conditions", "part"] : typeof v === "string" && Object.hasOwn(SAID, v) ? SAID[v] : undefined;
  if (!said) return { value: "? unknown", tone: "unknown" };
  return doubt ? { value: `${said[0]} (${doubt})`, tone: said[1] === "no" ? "no" : "part" } : { value: said[0], tone: said[1] };
}

// A row of the operation models with marks says which of its fields are in doubt.
const ofRow = (row, field) => supportOf(row.fields?.[field], row.contested?.includes(field) ? "disputed" : row.inferred?.includes(field) ? "inferred" : undefined);

/** Names that people know, of what most ask for. */
export const CAPABILITIES = [
  ["tool_calling", "tools"],
  ["structured_output", "JSON schema"],
  ["reasoning", "reasoning"],
  ["input_image", "images in"],
  ["input_pdf", "PDF in"],
  ["input_audio", "audio in"],
  ["prompt_caching", "caching"],
  ["web_search", "web search"],
];
/** The fields that badges and tables are made of. */
export const FIELDS = [...CAPABILITIES.map(([field]) => field), "retires_on", "model_kind"];

/** Has a first party's offering files of its own? Chat models have, and a year longer than they are served. `day`: of the catalog. */
export function hasFiles({ status, fields }, day) {
  const yearAgo = `${Number(day.slice(0, 4)) - 1}${day.slice(4)}`;
  return fields.model_kind === "chat" && (status !== "retired" || (fields.retires_on ?? "") > yearAgo);
}

/** The badges that a model has, by their names in files. `row` is one of the operation models, with fields. */
export function badgesOf(row) {
  const f = row.fields ?? {};
  const short = row.model.split("/").at(-1);
  const window = row.context_window;
  const price = row.input_price === null ? undefined : row.input_price === row.output_price ? money(row.input_price) : `${money(row.input_price)} in · ${row.output_price === null ? "?" : money(row.output_price)} out`;
  const life = f.retires_on ? (row.status === "retired" ? { value: `stopped ${f.retires_on}`, tone: "no" } : { value: `stops ${f.retires_on}`, tone: "part" }) : row.status === "retired" ? { value: "stopped", tone: "no" } : row.status === "deprecated" ? { value: "deprecated", tone: "part" } : { value: "✓ served", tone: "yes" };
  const all = {
    model: { label: short, value: [window && tokens(window), price].filter(Boolean).join(" · ") || "? unknown", tone: window || price ? "plain" : "unknown" },
    status: { label: short, ...life },
    window: { label: `${short} window`, ...(window ? { value: tokens(window), tone: "plain" } : supportOf(null)) },
    price: { label: `${short} per 1M tokens`, ...(price ? { value: price, tone: "plain" } : supportOf(null)) },
  };
  for (const [field, name] of CAPABILITIES) all[field] = { label: `${short} ${name}`, ...ofRow(row, field) };
  return all;
}

/**
 * The path of an offering's files. Ids keep letters, digits, dots, dashes and slashes; all else is written as ~ and its number, and a part never begins
 * with a dot. What differs in case alone differs here, too.
 */
export function pathOf(provider, model) {
  const part = (s) => s.replace(/[^A-Za-z0-9._-]/g, (c) => "~" + c.codePointAt(0).toString(16)).replace(/^\./, "~2e") || "~";
  return [provider, ...(model?.split("/") ?? [])].map(part).join("/");
}

const line = (cells, tag = "td") => `<tr>${cells.map((c, i) => (i === 0 ? `<th scope="${tag === "th" ? "col" : "row"}">${c}</th>` : `<${tag}>${c}</${tag}>`)).join("")}</tr>`;
const cell = (c) => (c && typeof c === "object" ? `<span class="${escaped(c.tone)}">${escaped(c.value)}</span>` : escaped(c ?? "?"));

/** A table as HTML that may stand in any page. */
export function tableHtml({ title, head, rows }) {
  return `<table><caption>${escaped(title)}</caption>${head ? `<thead>${line(head.map(escaped), "th")}</thead>` : ""}<tbody>\n${rows.map((r) => line(r.map(cell))).join("\n")}\n</tbody></table>`;
}

/** A page of one small table, for an iframe. `css` is the way to embed.css, `home` to the page that says more. */
export function embed({ title, head, rows, day, css, home, note }) {
  return (
    `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'">` +
    `<title>${escaped(title)}</title><link rel="stylesheet" href="${escaped(css)}"></head>\n<body>${tableHtml({ title, head, rows })}` +
    `<p>${note ? escaped(note) + " · " : ""}${escaped(day)} · <a href="${escaped(home)}" target="_blank" rel="noopener">more</a></p></body></html>\n`
  );
}

/** The rows of the table of one model. */
export function modelTable(r) {
  const b = badgesOf(r);
  return [
    ["window", r.context_window ? tokens(r.context_window) : null],
    ["longest answer", r.max_output ? tokens(r.max_output) : null],
    ["per 1M tokens", b.price.tone === "unknown" ? null : b.price.value],
    ["life", { value: b.status.value, tone: b.status.tone }],
    ...CAPABILITIES.map(([field, name]) => [name, ofRow(r, field)]),
  ];
}

// -- a capability ---------------------------------------------------------------------------------

const LISTED = 25; // models of a capability's table
const able = (row, field) => ["yes", "part"].includes(ofRow(row, field).tone);
const served = (models) => models.filter((m) => m.status !== "retired");
const nameOf = (field) => CAPABILITIES.find(([id]) => id === field)?.[1] ?? field;

/** How many of these models have it, as a badge. */
export function capabilityBadge(models, field) {
  const all = served(models);
  return { label: nameOf(field), value: `${all.filter((m) => able(m, field)).length} of ${all.length} models`, tone: "plain" };
}

/** The newest of these models that have it, as a table. */
export function capabilityTable(models, field) {
  const all = served(models).filter((m) => able(m, field));
  const day = (m) => m.release_date ?? "";
  all.sort((a, b) => (day(a) < day(b) ? 1 : day(a) > day(b) ? -1 : a.model < b.model ? -1 : 1));
  const rows = all.slice(0, LISTED).map((m) => [`${m.provider}/${m.model}`, ofRow(m, field), m.context_window ? tokens(m.context_window) : null, badgesOf(m).price.value.replace(/^\? unknown$/, "?"), day(m) || null]);
  return { title: `Models with ${nameOf(field)}`, head: ["model", nameOf(field), "window", "per 1M tokens", "released"], rows, note: all.length > LISTED ? `the newest ${LISTED} of ${all.length}` : "" };
}
