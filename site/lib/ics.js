// ics.js - what stops when, as a calendar (RFC 5545) to subscribe to: one event a provider and day.

const MOST = 75; // bytes a line
const encoder = new TextEncoder();

const escaped = (text) => String(text).replace(/[\\;,]/g, "\\$&").replace(/\r\n|\r|\n/g, "\\n").replace(/[\x00-\x09\x0b-\x1f\x7f]/g, "");

// A long line goes on in the next, which begins with a blank; no character is cut in two.
export function folded(line) {
  const out = [];
  let part = "";
  let bytes = 0;
  for (const c of line) {
    const n = encoder.encode(c).length;
    if (bytes + n > MOST) {
      out.push(part);
      part = " ";
      bytes = 1;
    }
    part += c;
    bytes += n;
  }
  out.push(part);
  return out.join("\r\n");
}

const basic = (day) => day.replaceAll("-", "");
const nextDay = (day) => new Date(Date.parse(day + "T00:00:00Z") + 86400000).toISOString().slice(0, 10);
const isDay = (day) => typeof day === "string" && /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(Date.parse(day + "T00:00:00Z"));

/** Models of one provider that stop on one day, together: [{ day, provider, models }], in the order of days. */
export function byDay(retiring) {
  const groups = new Map();
  for (const r of retiring) {
    if (!isDay(r.retires_on)) continue;
    const key = r.retires_on + " " + r.provider;
    const group = groups.get(key) ?? { day: r.retires_on, provider: r.provider, models: [] };
    group.models.push(r);
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : a.provider < b.provider ? -1 : 1));
}

/** The calendar of rows of the operation `retiring`. `stamp`: the day of the catalog, so that the same data gives the same bytes. */
export function calendar(retiring, { stamp, name = "Models that stop" }) {
  const lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//cando//retiring//EN", "CALSCALE:GREGORIAN", "METHOD:PUBLISH", `X-WR-CALNAME:${escaped(name)}`, "REFRESH-INTERVAL;VALUE=DURATION:P1D"];
  for (const { day, provider, models } of byDay(retiring)) {
    const title = models.length === 1 ? `${provider}/${models[0].model} stops` : `${provider}: ${models.length} models stop`;
    const text = models.map((m) => `${m.model}${m.use ? ` → ${m.use}` : ""}`);
    const sources = [...new Set(models.map((m) => m.source).filter(Boolean))];
    lines.push(
      "BEGIN:VEVENT",
      `UID:${escaped(provider.replace(/[^A-Za-z0-9.-]/g, "_"))}-${basic(day)}@cando`,
      `DTSTAMP:${basic(stamp)}T000000Z`,
      `DTSTART;VALUE=DATE:${basic(day)}`,
      `DTEND;VALUE=DATE:${basic(nextDay(day))}`,
      `SUMMARY:${escaped(title)}`,
      `DESCRIPTION:${escaped([...text, ...sources].join("\n"))}`,
      "TRANSP:TRANSPARENT",
      "END:VEVENT",
    );
  }
  lines.push("END:VCALENDAR");
  return lines.map(folded).join("\r\n") + "\r\n";
}
