// life.js - a model's life as marks on a line. Pure: fields of resolve in, places from 0 to 1 out.

const marks = [["knowledge_cutoff", "Knows until"], ["release_date", "Released"], ["deprecated_on", "Deprecated"], ["retires_not_before", "Served at least until"], ["retires_on", "Retires"]];

// A year or a month alone stands for its middle.
const at = (day) => Date.parse(/^\d{4}$/.test(day) ? `${day}-07-01` : /^\d{4}-\d\d$/.test(day) ? `${day}-15` : day);

/** { marks: [{ field, label, day, at }], today, from, to }, or undefined if no day is known. at and today are places from 0 to 1; from and to what is served. */
export function lifeOf(fields, today) {
  const known = marks.map(([field, label]) => ({ field, label, day: String(fields[field] ?? ""), ms: at(String(fields[field] ?? "")) })).filter((m) => !Number.isNaN(m.ms));
  if (!known.length) return undefined;
  const now = at(today);
  const [first, last] = [Math.min(now, ...known.map((m) => m.ms)), Math.max(now, ...known.map((m) => m.ms))];
  const scale = (ms) => (last === first ? 0.5 : (ms - first) / (last - first));
  const ms = (field) => known.find((m) => m.field === field)?.ms;
  const [released, retires] = [ms("release_date"), ms("retires_on")];
  return {
    marks: known.sort((a, b) => a.ms - b.ms).map(({ field, label, day, ms: when }) => ({ field, label: field === "retires_on" && when <= now ? "Retired" : label, day, at: scale(when) })),
    today: scale(now),
    served: released === undefined ? undefined : { from: scale(released), to: scale(retires ?? now) },
  };
}

/** Rows for labels of marks such that none covers another: the number of the row for each, from places and widths on a line of `width`. */
export function labelRows(places, widths, width) {
  const ends = [];
  return places.map((place, i) => {
    const left = Math.max(0, Math.min(place * width - widths[i] / 2, width - widths[i]));
    let row = ends.findIndex((end) => end <= left);
    if (row < 0) row = ends.length;
    ends[row] = left + widths[i] + 8;
    return { row, left };
  });
}
