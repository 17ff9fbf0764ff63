// tablefile.js - the table of offerings (jobs/table.js) as JSON: what `make site` writes, the page draws while the engine starts.

/** Columns of numbers become lists with null for what is unknown, codes a text with a letter each. */
export function plain(value) {
  if (value instanceof Float64Array) return { numbers: Array.from(value, (n) => (Number.isNaN(n) ? null : n)) };
  if (value instanceof Uint8Array) return { codes: String.fromCharCode(...Array.from(value, (code) => code + 48)) };
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plain(part)]));
}

/** The table again. */
export function restored(value) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  if (value.numbers) return Float64Array.from(value.numbers, (n) => n ?? NaN);
  if (typeof value.codes === "string") return Uint8Array.from(value.codes, (letter) => letter.charCodeAt(0) - 48);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, restored(part)]));
}
