// prices.js - the rates of an offering as tables: which hold on a day, by tier and threshold (docs/prices.md). Pure.

const names = {
  input_tokens: "Input", output_tokens: "Output", cache_read_tokens: "Cached input", cache_write_tokens: "Cache write", cache_write_1h_tokens: "Cache write, 1 hour",
  output_reasoning_tokens: "Reasoning", input_audio_tokens: "Audio in", output_audio_tokens: "Audio out", cache_audio_read_tokens: "Cached audio", input_image_tokens: "Image in",
  output_image_tokens: "Image out", web_searches: "Web searches", requests: "Requests",
};
const order = Object.keys(names);
const thousand = new Set(["web_searches", "requests", "rerank_searches", "input_document_pages", "input_annotated_document_pages", "messages"]);
const tiers = ["", "batch", "flex", "priority"];

/** "cache_read_tokens" -> "Cached input" */
export function unitName(unit) {
  if (Object.hasOwn(names, unit)) return names[unit];
  const words = unit.replaceAll("_", " ").replace(/ tokens$/, "");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What a rate is for: "a million", "a thousand", .. */
export function perOf(unit) {
  if (/_(?:tokens|characters)$/.test(unit)) return "a million";
  if (thousand.has(unit)) return "a thousand";
  if (unit.endsWith("audio_seconds")) return "an hour";
  if (unit.endsWith("_seconds")) return "a second";
  return unit.endsWith("_pixels") ? "a billion" : "each";
}

/** "input_tokens @batch >200000 from=2026-12-01 time=16:30-00:30 days=mon-fri" as an object. */
export function keyOf(text) {
  const [unit, ...conditions] = text.split(" ");
  const key = { unit, tier: "", above: 0, graduated: false, from: "", time: "", days: "" };
  for (const c of conditions) {
    if (c[0] === "@") key.tier = c.slice(1);
    else if (c[0] === ">" || c[0] === "^") [key.above, key.graduated] = [Number(c.slice(1)), c[0] === "^"];
    else if (/^(?:from|time|days)=/.test(c)) key[c.slice(0, 4)] = c.slice(5);
  }
  return key;
}

const ratesOf = (price) => Object.entries(price ?? {}).map(([text, rate]) => ({ ...keyOf(text), rate: String(rate) }));

/** The rates that hold on a day: of each unit and tier those with the newest day that has begun. */
export function inForce(price, day) {
  const begun = ratesOf(price).filter((r) => r.from <= day);
  const newest = new Map();
  const list = (r) => `${r.unit} ${r.tier}`;
  for (const r of begun) if (r.from >= (newest.get(list(r)) ?? "")) newest.set(list(r), r.from);
  return begun.filter((r) => r.from === newest.get(list(r)));
}

const place = (list, item) => (list.indexOf(item) < 0 ? list.length : list.indexOf(item));
const conditionOf = (r) => `${r.above}${r.graduated ? "^" : ""} ${r.time} ${r.days}`;

/** { tiers: ["", "batch"], rows: [{ unit, above, graduated, time, days, rates: { "": "3", batch: "1.5" } }] } of the rates of a day. */
export function priceTable(rates) {
  const rows = new Map();
  for (const r of rates) {
    const id = `${r.unit} ${conditionOf(r)}`;
    const { unit, above, graduated, time, days } = r;
    const row = rows.get(id) ?? { unit, above, graduated, time, days, rates: {} };
    row.rates[r.tier] = r.rate;
    rows.set(id, row);
  }
  const used = [...new Set(rates.map((r) => r.tier))].sort((a, b) => place(tiers, a) - place(tiers, b) || (a < b ? -1 : 1));
  const sorted = [...rows.values()].sort((a, b) => a.above - b.above || (a.time < b.time ? -1 : a.time > b.time ? 1 : 0) || place(order, a.unit) - place(order, b.unit) || (a.unit < b.unit ? -1 : 1));
  return { tiers: used, rows: sorted };
}

/** The times between which prices changed: [{ from, until, now }], the one of today with `now`; `until` is the last day. */
export function periods(price, today) {
  const begins = ["", ...new Set(ratesOf(price).map((r) => r.from).filter(Boolean))].sort();
  if (begins.length > 1 && !inForce(price, begins[0]).length) begins.shift();
  return begins.map((from, i) => {
    const next = begins[i + 1];
    const until = next ? new Date(Date.parse(next) - 86400000).toISOString().slice(0, 10) : "";
    return { from, until, now: from <= today && (!next || next > today) };
  });
}
