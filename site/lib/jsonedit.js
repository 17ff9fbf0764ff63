// jsonedit.js - changes of a JSON Patch made in the text itself: what a change does not touch stays as it was.
import { skip, spanOf, steps } from "./jsonplace.js";

const parentOf = (pointer) => pointer.slice(0, pointer.lastIndexOf("/"));
const nameOf = (pointer) => steps(pointer).at(-1);

/** The text after one change ({ op, path, from, value }); undefined where it cannot be made. */
export function applyChange(text, change) {
  if (change.op === "remove") return removed(text, change.path);
  if (change.op === "replace") return replaced(text, change.path, JSON.stringify(change.value));
  if (change.op === "add") return added(text, change.path, change.value === undefined ? "null" : JSON.stringify(change.value));
  if (change.op === "move") return moved(text, change.from, change.path);
  return undefined;
}

/** The text after all of them, in their order; undefined if one cannot be made. */
export function applyChanges(text, changes) {
  for (const change of changes) {
    if (text === undefined) return undefined;
    text = applyChange(text, change);
  }
  return text;
}

function replaced(text, path, json) {
  const at = spanOf(text, path);
  return at && text.slice(0, at.start) + json + text.slice(at.end);
}

// A member goes with the comma behind it, the last one with the comma before it.
function removed(text, path) {
  const at = spanOf(text, path);
  if (!at?.parent) return undefined;
  const start = at.keyStart ?? at.start;
  const behind = skip(text, at.end);
  if (text[behind] === ",") return text.slice(0, start) + text.slice(skip(text, behind + 1));
  let before = start - 1;
  while (before >= 0 && " \t\r\n".includes(text[before])) before--;
  if (text[before] === ",") return text.slice(0, before) + text.slice(at.end);
  return text.slice(0, before + 1) + text.slice(behind);
}

function added(text, path, json) {
  const present = spanOf(text, path);
  const parent = spanOf(text, parentOf(path));
  if (!parent) return undefined;
  const isObject = text[parent.start] === "{";
  if (present && isObject) return replaced(text, path, json);
  const member = isObject ? JSON.stringify(nameOf(path)) + ": " + json : json;
  if (present) return text.slice(0, present.start) + member + ", " + text.slice(present.start);
  const first = skip(text, parent.start + 1);
  if (text[first] === "}" || text[first] === "]") return text.slice(0, first) + member + text.slice(first);
  let last = parent.end - 2;
  while (" \t\r\n".includes(text[last])) last--;
  // as the first member is set off from its bracket, so is the new one from the comma
  const gap = text.slice(parent.start + 1, first) || " ";
  return text.slice(0, last + 1) + "," + gap + member + text.slice(last + 1);
}

// Within one object a move is another name in the same place.
function moved(text, from, path) {
  const at = spanOf(text, from);
  if (!at?.parent) return undefined;
  if (at.key !== undefined && parentOf(from) === parentOf(path) && !spanOf(text, path)) {
    return text.slice(0, at.keyStart) + JSON.stringify(nameOf(path)) + text.slice(at.keyStart + at.key.length);
  }
  const json = text.slice(at.start, at.end);
  const without = removed(text, from);
  return without && added(without, path, json);
}

// -- pieces ---------------------------------------------------------------------------------------

const within = (a, b) => b === a || b.startsWith(a + "/");
const places = (change) => [change.path, change.from].filter((p) => p !== undefined);

// Does one of them move what the other points at? Items of one list shift each other.
function depend(a, b) {
  for (const p of places(a)) {
    for (const q of places(b)) {
      if (within(p, q) || within(q, p)) return true;
      const [pp, qp] = [parentOf(p), parentOf(q)];
      const shifts = (parent, name, other, op) => /^[0-9]+$|^-$/.test(name) && op !== "replace" && within(parent, other);
      if (shifts(pp, p.slice(pp.length + 1), q, a.op) || shifts(qp, q.slice(qp.length + 1), p, b.op)) return true;
    }
  }
  return false;
}

/** Changes in groups that do not hang on each other: each can be taken alone. The order of the changes is kept. */
export function pieces(changes) {
  const groups = [];
  for (const change of changes) {
    const mine = groups.filter((g) => g.some((c) => depend(c, change)));
    if (!mine.length) {
      groups.push([change]);
      continue;
    }
    const [first, ...rest] = mine;
    for (const other of rest) {
      first.push(...other);
      groups.splice(groups.indexOf(other), 1);
    }
    first.push(change);
    first.sort((a, b) => changes.indexOf(a) - changes.indexOf(b));
  }
  return groups;
}
