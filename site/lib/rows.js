// rows.js - which rows of the table fit, in which order. Pure: a table of jobs/table.js in, numbers
// of rows out.
import { numberOf } from "./number.js";

const squash = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, "");

/** What is searched: ids, names, labs and families, as they are written and without punctuation. */
export function indexOf(table) {
  const written = new Array(table.n);
  const squashed = new Array(table.n);
  for (let i = 0; i < table.n; i++) {
    const parts = [`${table.provider[i]}/${table.model[i]}`, table.name[i], table.family[i], table.canonical[i]];
    written[i] = parts.join("\n").toLowerCase();
    squashed[i] = parts.map(squash).join("\n");
  }
  return { written, squashed };
}

const words = (text) => text.toLowerCase().split(/\s+/).filter((word) => word);
const listOf = (text) => (text ? text.split(",").filter((word) => word) : []);

/** "200k..1m" -> [200000, 1000000]; an open end is without bound. */
export function rangeOf(text, read = numberOf) {
  const at = text.indexOf("..");
  const [from, to] = at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 2)];
  return [from.trim() ? read(from) : null, to.trim() ? read(to) : null];
}

export const numberColumns = ["context", "output", "inputPrice", "outputPrice"];
export const dayColumns = ["released", "retires"];

// Names of columns come from links: what the table has not got is nobody's.
const capability = (table, id) => (Object.hasOwn(table.can, id) ? table.can[id] : undefined);
const has = (code) => (code & 7) >= 2;
const hasNot = (code) => (code & 7) === 1;

// One test for each part of the state that asks for something.
function testsOf(table, index, state) {
  const tests = [];
  for (const word of words(state.get("q") ?? "")) {
    const bare = squash(word);
    tests.push((i) => index.written[i].includes(word) || (bare && index.squashed[i].includes(bare)));
  }
  for (const [name, column] of [["provider", table.provider], ["status", table.status], ["kind", table.kind], ["family", table.family]]) {
    const wanted = new Set(listOf(state.get(name)));
    if (wanted.size) tests.push((i) => wanted.has(column[i] || "unknown"));
  }
  if (!state.get("retired") && !listOf(state.get("status")).includes("retired")) tests.push((i) => table.status[i] !== "retired");
  for (const name of numberColumns) {
    const [from, to] = rangeOf(state.get(name) ?? "");
    if (from !== null && !Number.isNaN(from)) tests.push((i) => table[name][i] >= from);
    if (to !== null && !Number.isNaN(to)) tests.push((i) => table[name][i] <= to);
  }
  for (const name of dayColumns) {
    const [from, to] = rangeOf(state.get(name) ?? "", (text) => text.trim());
    if (from) tests.push((i) => table[name][i] !== "" && table[name][i] >= from);
    if (to) tests.push((i) => table[name][i] !== "" && table[name][i] <= `${to}~`);
  }
  const able = [
    ...listOf(state.get("can")).filter((id) => capability(table, id)).map((id) => (i) => has(table.can[id][i])),
    ...listOf(state.get("cannot")).filter((id) => capability(table, id)).map((id) => (i) => hasNot(table.can[id][i])),
  ];
  if (state.get("any") && able.length) tests.push((i) => able.some((test) => test(i)));
  else tests.push(...able);
  return tests;
}

/** Numbers of the rows that fit. */
export function filter(table, index, state) {
  const tests = testsOf(table, index, state);
  const found = [];
  rows: for (let i = 0; i < table.n; i++) {
    for (const test of tests) if (!test(i)) continue rows;
    found.push(i);
  }
  return found;
}

/** Is the offering its lab's own? */
export const isOwn = (table, i) => table.canonical[i].startsWith(`${table.provider[i]}/`);

// The order of rows that a column does not tell apart: the lab's own first, then by name. Made once a table.
const ties = new WeakMap();
function tiesOf(table) {
  if (ties.has(table)) return ties.get(table);
  const own = Uint8Array.from(table.model, (_, i) => isOwn(table, i));
  const byName = (a, b) => (table.model[a] < table.model[b] ? -1 : table.model[a] > table.model[b] ? 1 : table.provider[a] < table.provider[b] ? -1 : 1);
  const place = new Int32Array(table.n);
  Array.from(place.keys()).sort((a, b) => own[b] - own[a] || byName(a, b)).forEach((i, at) => { place[i] = at; });
  ties.set(table, place);
  return place;
}

// What is better: yes before half before no; unknown last either way.
const rank = [0, 1, 2, 4, 3];

/** A comparison by one column; unknown last, then the lab's own, then the name. */
export function comparison(table, key, down) {
  const way = down ? -1 : 1;
  const caps = capability(table, key);
  const known = Object.hasOwn(table, key) && (Array.isArray(table[key]) || table[key] instanceof Float64Array);
  const column = known ? table[key] : table.model;
  const place = tiesOf(table);
  const rest = (a, b) => place[a] - place[b];
  if (caps) return (a, b) => (!(caps[a] & 7) - !(caps[b] & 7)) || way * (rank[caps[a] & 7] - rank[caps[b] & 7]) || rest(a, b);
  if (column instanceof Float64Array) {
    return (a, b) => {
      const [x, y] = [column[a], column[b]];
      return (Number.isNaN(x) - Number.isNaN(y)) || (x === y || Number.isNaN(x) ? 0 : way * (x - y)) || rest(a, b);
    };
  }
  return (a, b) => {
    const [x, y] = [column[a], column[b]];
    return ((x === "") - (y === "")) || (x === y ? 0 : way * (x < y ? -1 : 1)) || rest(a, b);
  };
}

/** Rows under their models: the first of each model stands for it (with `ownFirst` its lab's own offering), the others are its hosts. */
export function group(table, sorted, open, ownFirst) {
  const hosts = new Map();
  const keyOf = (i) => table.canonical[i] || `${table.provider[i]}/${table.model[i]}`;
  for (const i of ownFirst ? sorted : []) if (isOwn(table, i) && !hosts.has(keyOf(i))) hosts.set(keyOf(i), [i]);
  const own = new Set([...hosts.values()].map(([i]) => i));
  for (const i of sorted) {
    if (own.has(i)) continue;
    const key = keyOf(i);
    const list = hosts.get(key);
    if (list) list.push(i);
    else hosts.set(key, [i]);
  }
  let groups = [...hosts];
  if (ownFirst) { // a model stands where its own offering does
    const at = new Map(sorted.map((row, k) => [row, k]));
    groups = groups.sort((a, b) => at.get(a[1][0]) - at.get(b[1][0]));
  }
  const entries = [];
  for (const [key, list] of groups) {
    entries.push({ i: list[0], key, hosts: list.length, host: false });
    if (list.length > 1 && open.has(key)) for (const i of list.slice(1)) entries.push({ i, key, hosts: 0, host: true });
  }
  return { entries, models: hosts.size };
}

export const flat = (sorted) => sorted.map((i) => ({ i, key: "", hosts: 0, host: false }));
