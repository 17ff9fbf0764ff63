// cando.js - the engine for JavaScript: load() brings it, after that every call is synchronous.
//
//     question (object) ──► JSON in parts ──► engine (engine.js) ──► JSON ──► result
//
// Bodies that come as bytes or as JSON text are put into the question as they are, and not parsed
// here.
import { CandoError, openEngine } from "./engine.js";
import { jsonMembers, mainMembers, operations } from "./operations.js";

export { CandoError };

/** Loads engine and catalog. In Node both lie beside this module; elsewhere say where they are. */
export async function load(options = {}) {
  const cando = new Cando(await openEngine(options));
  if (options.today !== undefined) cando.setToday(options.today);
  for (const text of [options.overlay ?? []].flat()) cando.addOverlay(text);
  return cando;
}

const ofBytes = (v) => v instanceof Uint8Array || v instanceof ArrayBuffer || ArrayBuffer.isView(v);
const viewOf = (v) => (v instanceof Uint8Array ? v : v instanceof ArrayBuffer ? new Uint8Array(v) : new Uint8Array(v.buffer, v.byteOffset, v.byteLength));
const looksLikeJson = (v) => typeof v === "string" && /^\s*[[{]/.test(v);

function partOf(v) {
  if (typeof v === "string") return v;
  if (ofBytes(v)) return viewOf(v);
  throw new TypeError("cando: expected text or bytes");
}

// Short texts as they stand in a question: names of members and models come again and again.
function remembered(most, write) {
  const known = new Map();
  return (text) => {
    let found = known.get(text);
    if (found !== undefined) return found;
    found = write(text);
    if (text.length <= 80 && known.size < most) known.set(text, found);
    return found;
  };
}
const quoted = remembered(1000, (text) => JSON.stringify(text));
const keyed = remembered(100, (name) => `,${JSON.stringify(name)}:`);

// What JSON.stringify gives: of an object of counts, such as a usage, in half the time.
function textOf(value) {
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype || "toJSON" in value) return JSON.stringify(value);
  let text = "";
  for (const name in value) {
    const count = value[name];
    if (!Number.isSafeInteger(count)) return JSON.stringify(value);
    text += keyed(name) + count;
  }
  return text ? `{${text.slice(1)}}` : "{}";
}

// How the questions of an operation begin, and its members by their names: what stands before the value, and whether
// text and bytes are JSON already.
const formOf = remembered(100, (op) => {
  const ready = operations.includes(op) ? jsonMembers[op] : [];
  const member = remembered(100, (name) => ({ key: keyed(name), ready: ready.includes(name) }));
  return { head: `{"op":${quoted(op)}`, member };
});

// Operations that say the same until rules are added or the day is another; what they said is kept.
const steady = new Set(["resolve"]);
const KEPT = 200; // answers: the first ones, since to replace them would be work for nothing where many more are asked for
const KEPT_KEY = 300; // characters of a question
const DAY = 24 * 60 * 60 * 1000;

function copyOf(value) {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  const copy = { ...value };
  for (const name in copy) {
    if (typeof copy[name] === "object") copy[name] = copyOf(copy[name]);
  }
  return copy;
}

export class Cando {
  #engine;
  #kept = new Map(); // a question's text -> its result, of which each asker gets a copy
  #keptOn; // the day of them, since 1970

  /** Which engine runs: "addon" or "wasm". */
  engine;

  /** Use load(). */
  constructor(engine) {
    this.#engine = engine;
    this.engine = engine.name;
  }

  /** One question as JSON text or bytes; its answer, envelope and all, as JSON text. */
  raw(question) {
    return this.#engine.ask([partOf(question)]);
  }

  /** Any operation: `call({ op: "resolve", target: "openai/gpt-5" })`. */
  call(question) {
    if (typeof question === "string" || ofBytes(question)) return this.#engine.result([partOf(question)]);
    const { op, ...rest } = question;
    return this.operation(op, rest);
  }

  /** The operation `op` with these arguments; what call() and the methods do. */
  operation(op, question) {
    const { head, member } = formOf(typeof op === "string" ? op : "");
    const parts = [typeof op === "string" ? head : `{"op":${JSON.stringify(op) ?? null}`];
    for (const name in question) {
      const value = question[name];
      if (value === undefined || name === "op") continue;
      const { key, ready } = member(name);
      let part;
      if (typeof value === "string") part = ready && looksLikeJson(value) ? value : quoted(value);
      else part = ready && ofBytes(value) ? viewOf(value) : textOf(value);
      if (part !== undefined) parts.push(key, part); // functions are no JSON
    }
    parts.push("}");
    return steady.has(op) ? this.#steady(parts) : this.#engine.result(parts);
  }

  #steady(parts) {
    const key = parts.join("");
    if (key.length > KEPT_KEY) return this.#engine.result(parts);
    const day = Math.floor(Date.now() / DAY);
    if (day !== this.#keptOn) this.#kept.clear();
    this.#keptOn = day;
    const known = this.#kept.get(key);
    if (known !== undefined) return copyOf(known);
    const result = this.#engine.result(parts);
    if (this.#kept.size === KEPT) return result;
    this.#kept.set(key, result);
    return copyOf(result);
  }

  /** From now on this day ("2026-11-15") counts as today; null: the clock's day again. */
  setToday(day) {
    this.#kept.clear();
    this.#engine.today(String(day ?? ""));
  }

  /** Puts the text of a rule file on top of what the catalog says. */
  addOverlay(text) {
    this.#kept.clear();
    this.#engine.overlay(partOf(text));
  }

  /** Gives the engine's memory back. Nothing can be asked afterwards. */
  close() {
    this.#kept.clear();
    this.#engine.close();
  }
}

// One method an operation. A text alone is its main member: resolve("openai/gpt-5").
for (const op of operations) {
  const main = mainMembers[op];
  const name = op.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
  Object.defineProperty(Cando.prototype, name, {
    configurable: true,
    writable: true,
    value(question, more) {
      if (typeof question === "string" && main) question = { ...more, [main]: question };
      return this.operation(op, question);
    },
  });
}
