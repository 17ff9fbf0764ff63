// engine.js - the two engines behind one interface: WebAssembly everywhere, and a library in Node.
//
//     ask(parts)      the answer to a question, as JSON text; its parts are texts and bytes
//     result(parts)   its result alone, parsed; or throws what it says instead
//     overlay(part)   puts a rule file on top of the catalog
//     today(day)      the day that counts as today; "": the clock's
//     close()         gives the memory back
//
// Both are made of the same C (bindings/wasm/engine.c, bindings/js/addon.c) and give the same bytes. Both read a
// question where it was written, in memory that C and JavaScript see.

import { Moulds } from "./mould.js";

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

// What both engines say of a failure: four texts, which may be empty.
const errorOf = ([code, message, hint, at]) => new CandoError({ code, message, at: at || undefined, hint: hint || undefined });

const noMemory = () => new Error("cando: no memory for the answer");
const noRoom = () => new Error("cando: no memory for the question");
const closed = () => new Error("cando: this engine is closed");

// The result of an answer with its envelope.
function resultOf(text) {
  const { ok, result, error } = JSON.parse(text);
  if (!ok) throw new CandoError(error);
  return result;
}

const isNode = typeof process === "object" && !!process.versions?.node && !process.versions.bun && typeof Deno === "undefined";

// -- how a question is written --------------------------------------------------------------------

const SHORT = 100; // texts up to here are remembered
const PAGE = 4096;
const SAID = 128; // numbers that the engine says of a result: MOULD_SAID of mould.h
const KEPT = 1 << 20; // a longer question's memory is given back after it

// How many bytes the parts may become.
function mostOf(parts) {
  let most = 1;
  for (const part of parts) most += typeof part === "string" ? part.length * 3 : part.length;
  return most;
}

// Where questions are written: `start` in some memory, with room for `size` bytes. The short texts that the last
// one began with are remembered, since many questions differ in what follows alone.
class Page {
  start = 0;
  size = 0;
  #head = [];
  #ends = []; // where each of them ends
  #known = 0; // how many there are

  /** Does the page have room for this many bytes, and not too much of it? */
  fits(most) {
    return most <= this.size && (this.size <= KEPT || most > KEPT);
  }

  turn(start, size) {
    this.start = start;
    this.size = size;
    this.#known = 0;
  }

  /** Writes parts, for which there is room; how many bytes they are. */
  write(bytes, parts) {
    const head = this.#head;
    const ends = this.#ends;
    const most = Math.min(this.#known, parts.length);
    let at = this.start;
    let i = 0;
    for (; i < most && head[i] === parts[i]; i++) at = ends[i];
    let known = i;
    for (; i < parts.length; i++) {
      const part = parts[i];
      if (typeof part !== "string") {
        bytes.set(part, at);
        at += part.length;
        continue;
      }
      at = writeText(bytes, at, part);
      if (known !== i || part.length > SHORT) continue;
      head[i] = part;
      ends[i] = at;
      known++;
    }
    this.#known = known;
    return at - this.start;
  }
}

// Up to here a loop is faster than a call of what encodes: Buffer's own writer in Node, else the encoder.
const LOOP = isNode ? 24 : 100;

function writeText(bytes, at, text) {
  const n = text.length <= LOOP ? text.length : 0;
  let i = 0;
  for (; i < n; i++) {
    const c = text.charCodeAt(i);
    if (c > 127) break;
    bytes[at + i] = c;
  }
  if (i === text.length) return at + i;
  if (isNode) return at + bytes.write(text, at);
  return at + encoder.encodeInto(text, bytes.subarray(at, at + text.length * 3)).written;
}

// Bundlers for browsers would look for a name that stands here, and fail.
const nodeModule = (name) => import(/* webpackIgnore: true */ /* @vite-ignore */ `node:${name}`);

// -- where files come from ------------------------------------------------------------------------

// Bundlers take files along that are written like this,
const beside = {
  vectors: () => new URL("./cando.wasm", import.meta.url),
  plain: () => new URL("./cando-plain.wasm", import.meta.url),
  catalog: () => new URL("./cando.snap", import.meta.url),
};
// and not what is for Node alone.
const here = import.meta.url;
const addonPath = () => new URL(`./prebuilds/${process.platform}-${process.arch}/cando.node`, here);

// A path where there are paths, else an URL that may be relative to the page.
function toUrl(source) {
  if (source instanceof URL) return source;
  if (/^[a-z][a-z0-9+.-]+:/i.test(source)) return new URL(source);
  if (isNode) return new URL(source, `file://${process.cwd()}/`);
  return new URL(source, globalThis.location?.href ?? import.meta.url);
}

/** Bytes as they are, or the response to a path or an URL. */
async function fetched(source) {
  if (source instanceof Uint8Array) return source;
  if (source instanceof ArrayBuffer || (typeof SharedArrayBuffer === "function" && source instanceof SharedArrayBuffer)) return new Uint8Array(source);
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  if (typeof source === "string" || source instanceof URL) {
    const url = toUrl(source);
    if (isNode && url.protocol === "file:") {
      const { readFile } = await nodeModule("fs/promises");
      return readFile(url);
    }
    source = await fetch(url);
  }
  if (typeof source?.arrayBuffer !== "function") throw new TypeError("cando: expected an URL, a path, a Response or bytes");
  if (source.ok === false) throw new Error(`cando: ${source.url || "the file"} could not be fetched: ${source.status}`);
  return source;
}

async function bytesOf(source) {
  const found = await fetched(source);
  return found instanceof Uint8Array ? found : new Uint8Array(await found.arrayBuffer());
}

async function moduleOf(source) {
  if (source instanceof WebAssembly.Module) return source;
  const found = await fetched(source);
  if (found instanceof Uint8Array) return WebAssembly.compile(found);
  const streams = WebAssembly.compileStreaming && found.headers?.get("content-type") === "application/wasm";
  return streams ? WebAssembly.compileStreaming(found) : WebAssembly.compile(await found.arrayBuffer());
}

// -- WebAssembly ----------------------------------------------------------------------------------

// A module that has one vector instruction: engines that know none refuse it.
const vectorProbe = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11);

// What the C library asks of its host: the time, and an environment, which is empty. All else is refused: nothing is
// ever read or printed.
function importsOf(module, memory) {
  const view = () => new DataView(memory().buffer);
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = () => 8;
  Object.assign(imports.wasi_snapshot_preview1, {
    clock_time_get(_id, _precision, at) {
      view().setBigUint64(at, BigInt(Date.now()) * 1000000n, true);
      return 0;
    },
    environ_sizes_get(count, size) {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return 0;
    },
  });
  return imports;
}

class Wasm {
  name = "wasm";
  #wasm;
  #engine = 0;
  #page = new Page();
  #memory;
  #answer; // where the module says where its answer is,
  #place; // which is seen through this
  #saidAt; // and what is said of a result,
  #said; // which is seen through this
  #moulds = new Moulds();

  constructor(wasm) {
    this.#wasm = wasm;
    this.#answer = wasm.answer();
    this.#saidAt = wasm.said();
    this.#look();
  }

  // Node reads texts from a Buffer faster than any decoder does.
  #look() {
    const { buffer } = this.#wasm.memory;
    this.#memory = isNode ? Buffer.from(buffer) : new Uint8Array(buffer);
    this.#place = new Uint32Array(buffer, this.#answer, 2);
    this.#said = new Uint32Array(buffer, this.#saidAt, SAID);
  }

  // The module's memory. When it has grown the view of it has no length any more, and another one is taken.
  #bytes() {
    if (this.#memory.length === 0) this.#look();
    return this.#memory;
  }

  #text(from, to) {
    const bytes = this.#bytes();
    return isNode ? bytes.toString("utf8", from, to) : decoder.decode(bytes.subarray(from, to));
  }

  /** Opens the catalog of `length` bytes that `put` writes to where it is told. */
  open(length, put, trusted) {
    const at = this.#wasm.keep(length);
    if (!at) throw new Error("cando: no memory for the catalog");
    put(this.#bytes().subarray(at, at + length));
    this.#engine = this.#wasm.open(at, length, trusted);
    if (!this.#engine) throw this.#failure();
  }

  // The error that the module keeps, as four texts that end in 0.
  #failure() {
    return errorOf(
      [0, 1, 2, 3].map((which) => {
        const from = this.#wasm.error(which);
        return this.#text(from, this.#bytes().indexOf(0, from));
      }),
    );
  }

  // Writes parts to where questions are read from; how many bytes they are.
  #write(parts) {
    const most = mostOf(parts);
    if (!this.#page.fits(most)) {
      const size = Math.max(most, PAGE);
      const start = this.#wasm.ask(size);
      this.#page.turn(start, start && size);
      if (!start) throw noRoom();
    }
    return this.#page.write(this.#bytes(), parts);
  }

  // Asks; 2 if the answer is a result alone.
  #call(parts, bare) {
    if (!this.#engine) throw closed();
    const how = this.#wasm.call(this.#engine, this.#write(parts), bare);
    if (!how) throw noMemory();
    return how;
  }

  #answerText() {
    const from = this.#place[0];
    return this.#text(from, from + this.#place[1]);
  }

  ask(parts) {
    this.#call(parts, 0);
    this.#bytes(); // an answer may have taken more memory
    return this.#answerText();
  }

  result(parts) {
    const how = this.#call(parts, 1);
    const bytes = this.#bytes();
    if (how !== 2) return resultOf(this.#answerText());
    const from = this.#place[0];
    const plain = isNode && this.#said[0] !== 0; // ASCII, then
    const text = plain ? bytes.toString("latin1", from, from + this.#place[1]) : this.#answerText();
    return this.#moulds.parse(text, this.#said);
  }

  overlay(part) {
    if (!this.#engine) throw closed();
    if (!this.#wasm.overlay(this.#engine, this.#write([part]))) throw this.#failure();
  }

  today(day) {
    if (!this.#engine) throw closed();
    if (!this.#wasm.today(this.#write([day]))) throw this.#failure();
  }

  close() {
    if (this.#engine) this.#wasm.close(this.#engine);
    this.#engine = 0;
  }
}

// A catalog beside this module goes straight from its file into the module's memory.
async function openOwnCatalog(engine) {
  const { openSync, fstatSync, readSync, closeSync } = await nodeModule("fs");
  const file = openSync(beside.catalog());
  try {
    const { size } = fstatSync(file);
    engine.open(size, (to) => { for (let n = 0; n < size;) n += readSync(file, to, n, size - n) || size; }, 1);
  } finally {
    closeSync(file);
  }
}

async function openWasm({ engine = WebAssembly.validate(vectorProbe) ? beside.vectors() : beside.plain(), catalog }) {
  const own = catalog === undefined;
  const read = own && isNode ? undefined : bytesOf(own ? beside.catalog() : catalog);
  const [compiled, snapshot] = await Promise.all([moduleOf(engine), read]);
  let memory;
  const { exports } = await WebAssembly.instantiate(compiled, importsOf(compiled, () => memory));
  memory = exports.memory;
  exports._initialize?.();
  const made = new Wasm(exports);
  if (snapshot) made.open(snapshot.length, (to) => to.set(snapshot), own ? 1 : 0);
  else await openOwnCatalog(made);
  return made;
}

// -- the addon ------------------------------------------------------------------------------------

class Addon {
  name = "addon";
  #native;
  #engine;
  #page = new Page();
  #bytes; // of the page
  #said; // its begin
  #moulds = new Moulds();

  constructor(native, catalog) {
    this.#native = native;
    this.#engine = native.open(catalog);
    if (Array.isArray(this.#engine)) throw errorOf(this.#engine);
  }

  // Writes parts to where questions are read from; how many bytes they are.
  #write(parts) {
    if (!this.#engine) throw closed();
    const most = mostOf(parts);
    if (!this.#page.fits(most)) {
      const bytes = Buffer.allocUnsafeSlow(4 * SAID + Math.max(most, PAGE));
      if (!this.#native.page(this.#engine, bytes)) throw noRoom();
      this.#bytes = bytes;
      this.#said = new Uint32Array(bytes.buffer, 0, SAID);
      this.#page.turn(4 * SAID, bytes.length - 4 * SAID);
    }
    return this.#page.write(this.#bytes, parts);
  }

  ask(parts) {
    const answer = this.#native.ask(this.#engine, this.#write(parts));
    if (answer === undefined) throw noMemory();
    return answer;
  }

  result(parts) {
    const answer = this.#native.result(this.#engine, this.#write(parts));
    if (typeof answer === "string") return this.#moulds.parse(answer, this.#said);
    if (answer === undefined) throw noMemory();
    return resultOf(answer[0]);
  }

  overlay(part) {
    const failure = this.#native.overlay(this.#engine, this.#write([part]));
    if (failure) throw errorOf(failure);
  }

  today(day) {
    const failure = this.#native.today(this.#engine, this.#write([day]));
    if (failure) throw errorOf(failure);
  }

  close() {
    if (this.#engine) this.#native.close(this.#engine);
    this.#engine = undefined;
    this.#bytes = undefined;
    this.#said = undefined;
  }
}

// The library for this machine; throws where there is none, or none that may be loaded.
async function loadLibrary(pathOf) {
  const library = { exports: {} };
  process.dlopen(library, pathOf(addonPath()));
  return library.exports;
}

async function openAddon(catalog, wanted) {
  if (!isNode) throw new Error("cando: the addon is for Node");
  const { fileURLToPath } = await nodeModule("url");
  const native = await loadLibrary(fileURLToPath).catch((e) => {
    if (wanted) throw e;
  });
  return native && new Addon(native, catalog === undefined ? fileURLToPath(beside.catalog()) : await bytesOf(catalog));
}

/**
 * The engine that is asked for: "addon", "wasm", or where the file of a WebAssembly engine is. If
 * nothing is asked for: in Node the addon where it loads, else WebAssembly.
 */
export async function openEngine({ engine, catalog }) {
  if (engine === "addon") return openAddon(catalog, true);
  const addon = engine === undefined && isNode && (await openAddon(catalog, false));
  return addon || openWasm({ engine: engine === "wasm" ? undefined : engine, catalog });
}
