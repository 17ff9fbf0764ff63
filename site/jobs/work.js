// work.js - jobs of the views that work on pasted texts: Check, Cost, My models.
import * as checks from "../lib/check.js";
import { idsIn, indexOf } from "../lib/ids.js";
import * as logs from "../lib/logs.js";

// Goes through the slices of a job; whatever it gives before its end is progress.
async function slices(made, { step, progress }) {
  let last;
  for (const part of made) {
    if (last !== undefined) progress(last);
    last = part;
    await step();
  }
  return last;
}

let index; // of all ids, made once
export const ids = (cando, { text }, how) => slices(idsIn(text, (index ??= indexOf(cando.models({ marks: true }).models))), how);
export const check = async (cando, args) => checks.check(cando, args);
export const repair = async (cando, args) => checks.repair(cando, args);
export const switched = async (cando, args) => checks.switched(cando, args);
export const takers = (cando, args, how) => slices(checks.takers(cando, args), how);
export const log = (cando, args, how) => slices(logs.priceLog(cando, args), how);
export const compare = (cando, args, how) => slices(logs.compare(cando, args), how);
