// switch.js - what a switch from one model to another gains, loses and breaks: operations diff and negotiate, and the parameters of both (params.js).
import { parametersOf, spoken } from "./params.js";

const plain = new Set(["native", "emulated"]);

// All that the first one can do is asked of the second.
function asked(fields) {
  const needs = [];
  for (const [name, value] of Object.entries(fields)) if (plain.has(value) || value?.restricted) needs.push({ name, level: "hard" });
  for (const name of ["context_window", "max_output"]) if (fields[name]) needs.push({ name, level: "hard", minimum: fields[name] });
  return needs;
}

// Requests of the API that both speak: parameters that run before the switch and not after it.
function broken(cando, from, to, api) {
  const before = new Map(parametersOf(cando, from, api).map((row) => [row.name, row]));
  const found = [];
  for (const row of parametersOf(cando, to, api)) {
    const old = before.get(row.name);
    if (!old || old.refused) continue;
    if (row.refused) found.push({ name: row.name, ...row.refused });
    else for (const { value, ...why } of row.without ?? []) if (old.values?.includes(value)) found.push({ name: row.name, value, ...why });
  }
  return found;
}

/**
 * { to, gains, losses, unsure, breaks, api, apis: { from, to } }: gains and losses are [{ field, a, b }], unsure the fields that the first has and of which
 * nobody knows whether the second has them, breaks parameters of the API `api` that both speak. Without one in common `api` is undefined.
 */
export function switchTo(cando, from, to, labs = {}) {
  const { changes } = cando.operation("diff", { a: from, b: to });
  const of = (change) => changes.filter((c) => c.change === change).map(({ field, a, b }) => ({ field, a, b }));
  const { fields } = cando.operation("resolve", { target: from });
  const { missing, warnings } = cando.operation("negotiate", { previous: from, target: to, requirements: asked(fields) });
  const losses = of("loss");
  for (const { capability, have } of missing) if (!losses.some((loss) => loss.field === capability)) losses.push({ field: capability, a: fields[capability], b: have });
  const [here, there] = [spoken(cando, from, labs[from]), spoken(cando, to, labs[to])];
  const api = here.apis.find((id) => there.apis.includes(id));
  return {
    to, gains: of("gain"), losses, changes: of("change"),
    unsure: warnings.filter((w) => w.reason === "probe-pending").map((w) => w.capability),
    apis: { from: here.apis, to: there.apis }, api, breaks: api ? broken(cando, from, to, api) : [],
  };
}

/** The switch from the first to each of the others. */
export const switches = (cando, { targets, labs }) => targets.slice(1).map((to) => switchTo(cando, targets[0], to, labs));
