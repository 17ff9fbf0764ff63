// number.js - numbers as people type them.

/** 200k, 1.5M, $3, 128,000 -> a number; NaN if it is none. */
export function numberOf(text) {
  const found = /^\s*\$?\s*(\d+\.?\d*|\.\d+)\s*([km]?)\s*$/i.exec(String(text).replaceAll(",", ""));
  if (!found) return NaN;
  return Number(found[1]) * { "": 1, k: 1e3, m: 1e6 }[found[2].toLowerCase()];
}
