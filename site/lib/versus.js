// versus.js - several models side by side: which values differ. Pure: answers of resolve in, rows out.
import { capabilityGroups, labelOf } from "../fields.js";
import { inForce, perOf, unitName } from "./prices.js";

const facts = ["context_window", "max_input", "max_output", "embedding_dimensions", "release_date", "knowledge_cutoff", "status", "deprecated_on", "retires_on", "replaced_by", "model_kind", "open_weights"];
const settings = ["reasoning_efforts", "thinking_modes", "max_thinking_budget", "max_tools", "token_limit_param", "tokenizer", "cache_min_tokens", "tool_search"];
const units = ["input_tokens", "cache_read_tokens", "cache_write_tokens", "cache_write_1h_tokens", "output_tokens", "output_reasoning_tokens", "input_audio_tokens", "output_audio_tokens", "web_searches"];

const known = (value) => value !== null && value !== undefined && value !== "";
const keyOf = (value) => (Array.isArray(value) ? JSON.stringify([...value].sort()) : known(value) ? JSON.stringify(value) : "");

// Of these silence says something, too: nobody has announced an end.
const telling = new Set(["status", "deprecated_on", "retires_on", "replaced_by"]);

function rowOf(group, field, label, values, more) {
  const keys = values.map(keyOf);
  const apart = keys.some((key) => key !== keys[0]);
  const differs = new Set(keys.filter(Boolean)).size > 1 || (apart && telling.has(field));
  return { group, field, label, values, differs, partly: apart && !differs, ...more };
}

// The best of the numbers, if they are not all the same: its places.
function best(values, way) {
  const numbers = values.map((v) => (known(v) && Number.isFinite(Number(v)) ? Number(v) : undefined));
  const all = numbers.filter((n) => n !== undefined);
  if (all.length < 2 || new Set(all).size < 2) return [];
  const top = way(...all);
  return numbers.map((n) => n === top);
}

/**
 * [{ group, field, label, kind, values, best, differs, partly }]: kind is "can", "price", "tokens" or "text"; partly: it is known of some only. What
 * nobody says of any of them is left out.
 */
export function versus(answers, today) {
  const of = (field) => answers.map(({ fields }) => fields[field]);
  const rows = [];
  for (const field of facts) rows.push(rowOf("Facts", field, labelOf(field), of(field), /^(?:context|max_)/.test(field) ? { kind: "tokens", best: best(of(field), Math.max) } : { kind: "text" }));
  const rates = answers.map(({ fields }) => inForce(fields.price, today).filter((r) => !r.above && !r.time));
  const priced = (unit, tier) => rates.map((list) => list.find((r) => r.unit === unit && r.tier === tier)?.rate);
  for (const unit of units) rows.push(rowOf("Price, $ per million", "price", perOf(unit) === "a million" ? unitName(unit) : `${unitName(unit)}, ${perOf(unit)}`, priced(unit, ""), { kind: "price", best: best(priced(unit, ""), Math.min) }));
  for (const unit of ["input_tokens", "output_tokens"]) rows.push(rowOf("Price, $ per million", "price", `${unitName(unit)}, batch`, priced(unit, "batch"), { kind: "price", best: best(priced(unit, "batch"), Math.min) }));
  for (const { name, fields } of capabilityGroups) for (const { id, label } of fields) rows.push(rowOf(name, id, label, of(id), { kind: "can" }));
  for (const field of settings) rows.push(rowOf("Settings", field, labelOf(field), of(field), { kind: /^max_|_tokens$/.test(field) ? "tokens" : "text" }));
  return rows.filter((row) => row.values.some(known));
}
