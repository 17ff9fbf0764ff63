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
const written = new Map();
function quoted(text) {
  const known = written.get(text);
  if (known !== undefined) return known;
  const json = JSON.stringify(text);
  if (text.length <= 80 && written.size < 1000) written.set(text, json);
  return json;
}

export class Cando {
  #engine;

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
    const json = jsonMembers[op];
    const parts = [];
    let text = `{"op":${typeof op === "string" ? quoted(op) : JSON.stringify(op) ?? null}`;
    for (const name in question) {
      const value = question[name];
      if (value === undefined || name === "op") continue;
      const ready = Array.isArray(json) && json.includes(name);
      if (ready && ofBytes(value)) {
        parts.push(text + "," + quoted(name) + ":", viewOf(value));
        text = "";
        continue;
      }
      const asJson = typeof value !== "string" ? JSON.stringify(value) : ready && looksLikeJson(value) ? value : quoted(value);
      if (asJson !== undefined) text += "," + quoted(name) + ":" + asJson; // functions are no JSON
    }
    parts.push(text + "}");
    return this.#engine.result(parts);
  }

  /** From now on this day ("2026-11-15") counts as today; null: the clock's day again. */
  setToday(day) {
    this.#engine.today(String(day ?? ""));
  }

  /** Puts the text of a rule file on top of what the catalog says. */
  addOverlay(text) {
    this.#engine.overlay(partOf(text));
  }

  /** Gives the engine's memory back. Nothing can be asked afterwards. */
  close() {
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
