// load.test.mjs - what load() of the package for JavaScript takes. CANDO_PACKAGE: its folder.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join, relative, resolve } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";

const folder = resolve(process.env.CANDO_PACKAGE ?? "build/npm/package");
const { load, CandoError } = await import(pathToFileURL(join(folder, "cando.js")));
const wasm = readFileSync(join(folder, "cando.wasm"));
const snap = readFileSync(join(folder, "cando.snap"));
const server = createServer({ keepAliveTimeout: 0 }, (request, reply) => {
  const bytes = { "/cando.wasm": wasm, "/cando.snap": snap }[request.url];
  reply.writeHead(bytes ? 200 : 404).end(bytes ?? "nothing here");
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
after(() => server.close());
const origin = `http://127.0.0.1:${server.address().port}`;

const shared = (bytes) => {
  const out = new SharedArrayBuffer(bytes.length);
  new Uint8Array(out).set(bytes);
  return out;
};
const inside = (bytes) => {
  const out = new Uint8Array(bytes.length + 30);
  out.set(bytes, 11);
  return [out, 11, bytes.length];
};
const view = (bytes) => {
  const [out, at, n] = inside(bytes);
  return new DataView(out.buffer, at, n);
};
const forms = {
  "a path": (name) => join(folder, name),
  "a path from here": (name) => relative(process.cwd(), join(folder, name)),
  "a file's URL": (name) => pathToFileURL(join(folder, name)),
  "a file's URL as text": (name) => pathToFileURL(join(folder, name)).href,
  "a URL": (name) => new URL(`${origin}/${name}`),
  "a URL as text": (name) => `${origin}/${name}`,
  "a Response": (name) => fetch(`${origin}/${name}`),
  bytes: (_, bytes) => new Uint8Array(bytes),
  "a Buffer": (_, bytes) => bytes,
  "a part of a buffer": (_, bytes) => {
    const [out, at, n] = inside(bytes);
    return out.subarray(at, at + n);
  },
  "an ArrayBuffer": (_, bytes) => new Uint8Array(bytes).buffer,
  "a DataView": (_, bytes) => view(bytes),
};
for (const [name, form] of Object.entries(forms)) {
  test(`engine and catalog as ${name}`, async () => {
    const cando = await load({
      engine: await form("cando.wasm", wasm),
      catalog: await form("cando.snap", snap),
    });
    assert.equal(cando.resolve("openai/gpt-5").identity, "exact");
    assert.match(cando.engine, /^wasm/);
    cando.close();
  });
}

test("a module that is compiled, and a catalog in shared memory", async () => {
  const cando = await load({ engine: await WebAssembly.compile(wasm), catalog: shared(snap) });
  assert.equal(cando.resolve("openai/gpt-5").identity, "exact");
});

test("what is no engine and no catalog is said", async () => {
  await assert.rejects(
    load({ engine: `${origin}/other.wasm` }),
    /other\.wasm could not be fetched: 404/,
  );
  await assert.rejects(load({ catalog: 7 }), TypeError);
  await assert.rejects(load({ engine: snap }), WebAssembly.CompileError);
  await assert.rejects(load({ engine: wasm, catalog: snap.subarray(0, 1000) }), CandoError);
  await assert.rejects(load({ engine: wasm, catalog: wasm }), CandoError);
  await assert.rejects(load({ engine: join(folder, "nothing.wasm") }), { code: "ENOENT" });
});

const rules = (n) =>
  `schema = "cando/rules@1"\n[[models]]\nprovider = "acme"\nid = "acme-1"\nset = { context_window = ${n} }\n`;
const windowOf = (cando) => cando.resolve("acme/acme-1").fields.context_window;

test("overlays: a text, bytes, a list in which the later one says", async () => {
  assert.equal(windowOf(await load({ overlay: rules(1000) })), 1000);
  assert.equal(windowOf(await load({ overlay: new TextEncoder().encode(rules(2000)) })), 2000);
  const cando = await load({ overlay: [rules(3000), new TextEncoder().encode(rules(4000))] });
  assert.equal(windowOf(cando), 4000);
  cando.addOverlay(rules(5000));
  assert.equal(windowOf(cando), 5000);
  assert.throws(() => cando.addOverlay("[[models]"), CandoError);
  assert.equal(windowOf(cando), 5000);
  assert.equal(cando.resolve("openai/gpt-5").identity, "exact");
  assert.equal(windowOf(await load({ overlay: [] })), null);
});

test("the test of the types uses every method", async () => {
  const { operations } = await import(pathToFileURL(join(folder, "operations.js")));
  const used = readFileSync(new URL("types.ts", import.meta.url), "utf8");
  const methods = operations.map((op) => op.replace(/_([a-z])/g, (_, c) => c.toUpperCase()));
  assert.deepEqual(
    methods.filter((name) => !used.includes(`cando.${name}(`)),
    [],
  );
});

test("bundlers for browsers find the files, and no module of Node", () => {
  const text = ["cando.js", "engine.js", "mould.js", "fetch.js", "reply.js"].map((name) => readFileSync(join(folder, name), "utf8")).join("");
  for (const name of ["cando.wasm", "cando-plain.wasm", "cando.snap"]) assert.ok(text.includes(`new URL("./${name}", import.meta.url)`), name);
  assert.doesNotMatch(text, /\b(import|from|require)\b\s*\(?["']node:/);
  const others = text.replaceAll(/new URL\("[^"]*", import\.meta\.url\)/g, "");
  assert.doesNotMatch(others, /new URL\([^;]*, import\.meta\.url\)/);
});

test("in CommonJS it is required, where Node can", { skip: !process.features.require_module }, () => {
  const program = `require(${JSON.stringify(join(folder, "cando.js"))}).load().then((cando) => console.log(cando.resolve("openai/gpt-5").identity))`;
  assert.equal(execFileSync(process.execPath, ["-e", program], { encoding: "utf8" }), "exact\n");
});
