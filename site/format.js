// format.js - numbers, days and values as people read them.
import { h } from "./dom.js";

export { numberOf } from "./lib/number.js";

const whole = new Intl.NumberFormat("en-US");

/** 128000 -> "128k", 1048576 -> "1M"; exact numbers are in titles. */
export function tokens(n) {
  if (n === null || n === undefined || Number.isNaN(n)) return "";
  if (n >= 1e6) return `${+(n / 1e6).toFixed(n < 1e7 ? 2 : 0)}M`.replace(/(\.\d)0M/, "$1M");
  if (n >= 10000) return `${Math.round(n / 1000)}k`;
  if (n >= 1000) return `${+(n / 1000).toFixed(1)}k`;
  return String(n);
}

export const count = (n) => (n === null || n === undefined || Number.isNaN(n) ? "" : whole.format(n));

/** Dollars from a decimal text or a number: "$1.25", "$0.000045". */
export function money(value) {
  if (value === null || value === undefined || value === "" || Number.isNaN(value)) return "";
  const n = Number(value);
  if (!Number.isFinite(n)) return "";
  if (n === 0) return "$0";
  if (n >= 1000) return `$${whole.format(Math.round(n))}`;
  if (n >= 0.1) return `$${n.toFixed(2).replace(/(\.\d\d)\d+$/, "$1")}`.replace(/\.00$/, n >= 100 ? "" : ".00");
  return `$${Number(n.toPrecision(3)).toFixed(12).replace(/0+$/, "")}`;
}

/** Money with every digit that there is: rates. */
export const rate = (value) => (value === null || value === undefined || value === "" ? "" : /\.\d{3,}$/.test(value) ? `$${value}` : `$${Number(value).toFixed(2)}`);

/** Days from a to b, both "2026-11-16". */
export const daysBetween = (a, b) => Math.round((Date.parse(b) - Date.parse(a)) / 86400000);

/** "in 25 days", "3 months ago" */
export function relativeDay(day, today) {
  const n = daysBetween(today, day);
  if (Number.isNaN(n)) return "";
  if (n === 0) return "today";
  const far = Math.abs(n);
  const [size, word] = far < 60 ? [far, "day"] : far < 700 ? [Math.round(far / 30.4), "month"] : [Math.round(far / 365), "year"];
  const text = `${size} ${word}${size === 1 ? "" : "s"}`;
  return n > 0 ? `in ${text}` : `${text} ago`;
}

// -- what a capability's value is ------------------------------------------------------------------

/** Codes of values in tables: the low bits say what, the high ones how sure. */
export const levels = ["unknown", "no", "emulated", "native", "restricted"];
export const INFERRED = 8;
export const CONTESTED = 16;

const glyphs = { unknown: "·", no: "✕", emulated: "◐", native: "●", restricted: "◑" };
export const levelWords = { unknown: "nobody says", no: "no", emulated: "emulated", native: "yes", restricted: "with conditions" };

/** The code of an engine's value: "native", null, {restricted: {reason}}. */
export function codeOf(value) {
  if (value === null || value === undefined) return 0;
  if (typeof value === "object") return 4;
  return Math.max(0, ["unknown", "unsupported", "emulated", "native"].indexOf(value));
}

/** "yes, inferred" */
export function codeWords(code) {
  const word = levelWords[levels[code & 7]];
  return word + (code & CONTESTED ? ", sources disagree" : code & INFERRED ? ", inferred" : "");
}

export const glyphClass = (code) => `glyph ${levels[code & 7]}${code & CONTESTED ? " contested" : ""}${code & INFERRED ? " inferred" : ""}`;
export const glyphChar = (code) => glyphs[levels[code & 7]] + (code & CONTESTED ? "!" : code & INFERRED ? "~" : "");

/** A glyph that is told by its shape, with its words for those who do not see it. */
export function glyph(code, label = "") {
  return h("span", { class: glyphClass(code), role: "img", "aria-label": `${label ? `${label}: ` : ""}${codeWords(code)}`, title: codeWords(code) }, glyphChar(code));
}

/** Any value of a field as text. */
export function valueText(value) {
  if (value === null || value === undefined) return "unknown";
  if (value === true || value === "native") return "yes";
  if (value === false || value === "unsupported") return "no";
  if (typeof value === "number") return count(value);
  if (Array.isArray(value)) return value.length ? value.join(", ") : "none";
  if (typeof value === "object") {
    if (value.restricted) return `with conditions${value.restricted.reason ? `: ${value.restricted.reason}` : ""}`;
    return Object.entries(value).map(([k, v]) => `${k} ${valueText(v)}`).join("; ");
  }
  return String(value);
}
