// fresh.js - how old what is known is: the days of the catalog's sources (made.js).

const isDay = (day) => typeof day === "string" && /^\d{4}-\d\d-\d\d$/.test(day);

/** The newest day of all sources, or "". */
export const newest = (sources) => sources.map(({ day }) => day).filter(isDay).sort().at(-1) ?? "";

/** Sources, the newest first; those without a day last. */
export const byAge = (sources) => [...sources].sort((a, b) => (isDay(b.day) - isDay(a.day)) || (a.day < b.day ? 1 : a.day > b.day ? -1 : b.models - a.models));
