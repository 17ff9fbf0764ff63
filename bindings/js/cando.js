// cando.js - the engine for JavaScript: load() brings it, after that every call is synchronous.
//
//     question (object) ──► JSON in the module's memory ──► engine ──► JSON ──► result
//
// The engine is WebAssembly (bindings/wasm/engine.c), the catalog a file beside it. Bodies that
// come as bytes or as JSON text are copied into the question as they are, and not parsed here.
import { jsonMembers, mainMembers, operations } from "./operations.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A question that cannot be answered: `code`, `at` (a JSON Pointer) and `hint` say more. */
export class CandoError extends Error {
  constructor({ code, message, at, hint }) {
    super(message);
    this.name = "CandoError";
    this.code = code;
    this.at = at;
    this.hint = hint;
  }
}

// A module that has one vector instruction: engines that know none refuse it.
const vectorProbe = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11);

const isNode = typeof process === "object" && !!process.versions?.node && !process.versions.bun && typeof Deno === "undefined";

/** The bytes of a file, an URL, a response or of bytes themselves. */
async function bytesOf(source) {
  if (source instanceof Uint8Array) return source;
  if (source instanceof ArrayBuffer || (typeof SharedArrayBuffer === "function" && source instanceof SharedArrayBuffer)) return new Uint8Array(source);
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  if (typeof source === "string" || source instanceof URL) {
    const url = source instanceof URL ? source : toUrl(source);
    if (isNode && url.protocol === "file:") {
      const { readFile } = await import("node:fs/promises");
      return readFile(url);
    }
    source = await fetch(url);
  }
  if (typeof source?.arrayBuffer === "function") {
    if (source.ok === false) throw new Error(`cando: ${source.url || "the file"} could not be fetched: ${source.status}`);
    return new Uint8Array(await source.arrayBuffer());
  }
  throw new TypeError("cando: expected an URL, a path, a Response or bytes");
}

// A path where there are paths, else an URL that may be relative to the page.
function toUrl(text) {
  if (/^[a-z][a-z0-9+.-]+:/i.test(text)) return new URL(text);
  if (isNode) return new URL(text, `file://${process.cwd()}/`);
  return new URL(text, globalThis.location?.href ?? import.meta.url);
}

async function moduleOf(source) {
  if (source instanceof WebAssembly.Module) return source;
  return WebAssembly.compile(await bytesOf(source));
}

// What the C library asks of its host: the time, and an environment, which is empty. All else is refused: nothing is
// ever read or printed.
function importsOf(module, memory) {
  const view = () => new DataView(memory().buffer);
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = () => 8;
  return Object.assign(imports, {
    wasi_snapshot_preview1: {
      ...imports.wasi_snapshot_preview1,
      clock_time_get(_id, _precision, at) {
        view().setBigUint64(at, BigInt(Date.now()) * 1000000n, true);
        return 0;
      },
      environ_sizes_get(count, size) {
        view().setUint32(count, 0, true);
        view().setUint32(size, 0, true);
        return 0;
      },
    },
  });
}

/** Loads engine and catalog. In Node both lie beside this module; elsewhere say where they are. */
export async function load(options = {}) {
  const vectors = WebAssembly.validate(vectorProbe);
  const engine = options.engine ?? new URL(vectors ? "./cando.wasm" : "./cando-plain.wasm", import.meta.url);
  const catalog = options.catalog ?? new URL("./cando.snap", import.meta.url);
  const [compiled, snapshot] = await Promise.all([moduleOf(engine), bytesOf(catalog)]);
  let memory;
  const instance = await WebAssembly.instantiate(compiled, importsOf(compiled, () => memory));
  memory = instance.exports.memory;
  instance.exports._initialize?.();
  const cando = new Cando(instance.exports, snapshot, vectors && !options.engine ? "wasm-simd" : "wasm");
  if (options.today !== undefined) cando.setToday(options.today);
  for (const text of [options.overlay ?? []].flat()) cando.addOverlay(text);
  return cando;
}

const ofBytes = (v) => v instanceof Uint8Array || v instanceof ArrayBuffer || ArrayBuffer.isView(v);
const viewOf = (v) => (v instanceof Uint8Array ? v : v instanceof ArrayBuffer ? new Uint8Array(v) : new Uint8Array(v.buffer, v.byteOffset, v.byteLength));
const looksLikeJson = (v) => typeof v === "string" && /^\s*[[{]/.test(v);

export class Cando {
  #wasm;
  #engine;
  #memory;
  #answer; // where the module says where its answer is,
  #place; // which is seen through this

  /** Which engine runs: "wasm-simd" or "wasm". */
  engine;

  /** Use load(). */
  constructor(wasm, snapshot, engine) {
    this.#wasm = wasm;
    this.engine = engine;
    this.#answer = wasm.answer();
    const at = wasm.keep(snapshot.length);
    if (!at) throw new Error("cando: no memory for the catalog");
    this.#bytes().set(snapshot, at);
    this.#engine = wasm.open(at, snapshot.length);
    if (!this.#engine) throw this.#failure();
  }

  // The module's memory, which is another view after it has grown.
  #bytes() {
    const { buffer } = this.#wasm.memory;
    if (this.#memory?.buffer !== buffer) {
      this.#memory = new Uint8Array(buffer);
      this.#place = new Uint32Array(buffer, this.#answer, 2);
    }
    return this.#memory;
  }

  // The error that the module keeps, as four texts that end in 0.
  #failure() {
    const [code, message, hint, at] = [0, 1, 2, 3].map((which) => {
      const from = this.#wasm.error(which);
      const bytes = this.#bytes();
      return decoder.decode(bytes.subarray(from, bytes.indexOf(0, from))) || undefined;
    });
    return new CandoError({ code, message, at, hint });
  }

  // Writes parts (texts and bytes) to where questions are read from; how many bytes they are.
  #write(parts) {
    let most = 1;
    for (const part of parts) most += typeof part === "string" ? part.length * 3 : part.length;
    const start = this.#wasm.ask(most);
    if (!start) throw new Error("cando: no memory for the question");
    const bytes = this.#bytes();
    let at = start;
    for (const part of parts) {
      if (typeof part === "string") {
        at += encoder.encodeInto(part, bytes.subarray(at, start + most)).written;
      } else {
        bytes.set(part, at);
        at += part.length;
      }
    }
    return at - start;
  }

  /** One question as JSON text or bytes; its answer, envelope and all, as JSON text. */
  raw(question) {
    return this.#ask([ofBytes(question) ? viewOf(question) : question]);
  }

  #ask(parts) {
    if (!this.#engine) throw new Error("cando: this engine is closed");
    if (!this.#wasm.call(this.#engine, this.#write(parts))) throw new Error("cando: no memory for the answer");
    const bytes = this.#bytes();
    const [at, length] = this.#place;
    return decoder.decode(bytes.subarray(at, at + length));
  }

  #result(parts) {
    const { ok, result, error } = JSON.parse(this.#ask(parts));
    if (!ok) throw new CandoError(error);
    return result;
  }

  /** Any operation: `call({ op: "resolve", target: "openai/gpt-5" })`. */
  call(question) {
    if (typeof question === "string") return this.#result([question]);
    if (ofBytes(question)) return this.#result([viewOf(question)]);
    const { op, ...rest } = question;
    return this.operation(op, rest);
  }

  /** The operation `op` with these arguments; what call() and the methods do. */
  operation(op, question) {
    const json = jsonMembers[op];
    const parts = [];
    let text = `{"op":${JSON.stringify(op) ?? null}`;
    for (const name in question) {
      const value = question[name];
      if (value === undefined || name === "op") continue;
      text += `,${JSON.stringify(name)}:`;
      if (!json?.includes(name)) {
        text += JSON.stringify(value);
      } else if (ofBytes(value)) {
        parts.push(text, viewOf(value));
        text = "";
      } else {
        text += looksLikeJson(value) ? value : JSON.stringify(value);
      }
    }
    parts.push(text + "}");
    return this.#result(parts);
  }

  /** From now on this day ("2026-11-15") counts as today; null: the clock's day again. */
  setToday(day) {
    if (!this.#wasm.today(this.#write([day ?? ""]))) throw this.#failure();
  }

  /** Puts the text of a rule file on top of what the catalog says. */
  addOverlay(text) {
    if (!this.#wasm.overlay(this.#engine, this.#write([ofBytes(text) ? viewOf(text) : text]))) throw this.#failure();
  }

  /** Gives the engine's memory back. Nothing can be asked afterwards. */
  close() {
    if (this.#engine) this.#wasm.close(this.#engine);
    this.#engine = 0;
  }
}

// One method an operation. A text alone is its main member: resolve("openai/gpt-5").
for (const op of operations) {
  const main = mainMembers[op];
  const name = op.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
  Object.defineProperty(Cando.prototype, name, {
    configurable: true,
    writable: true,
    value(question = {}, more = {}) {
      if (typeof question === "string" && main) question = { ...more, [main]: question };
      return this.operation(op, question);
    },
  });
}
