// decimal.js - money as the engine writes it, "0.0515": sums and order without a rounding error.

const DECIMAL = /^(-?)([0-9]+)(?:\.([0-9]+))?$/;
const PLACES = 24;

/** The number as an integer of 10^-24, or undefined for what is no number (null: not known). */
export function units(text) {
  const m = typeof text === "string" ? DECIMAL.exec(text) : undefined;
  if (!m || (m[3]?.length ?? 0) > PLACES) return undefined;
  const n = BigInt(m[2] + (m[3] ?? "").padEnd(PLACES, "0"));
  return m[1] ? -n : n;
}

/** The integer as text again. */
export function decimal(n) {
  const sign = n < 0n ? "-" : "";
  const digits = (n < 0n ? -n : n).toString().padStart(PLACES + 1, "0");
  const part = digits.slice(-PLACES).replace(/0+$/, "");
  return sign + digits.slice(0, -PLACES) + (part && "." + part);
}

/** Order of two costs, the smaller first and what is not known last. */
export function cheaper(a, b) {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? 1 : -1;
  return a < b ? -1 : a > b ? 1 : 0;
}
