// sheet.js - rows as CSV for spreadsheets (RFC 4180).

// Spreadsheets run cells that begin like a formula: those are written as texts. Numbers are none, negative ones neither.
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

function cell(v) {
  const text = v === null || v === undefined || Number.isNaN(v) ? "" : String(v);
  const safe = FORMULA.test(text) && !/^-?[0-9]+(?:\.[0-9]+)?$/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Lists of cells, the head first, as one text. */
export const sheet = (rows) => rows.map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
