// js.test.mjs - the package for JavaScript as its users meet it. CANDO_PACKAGE: the folder of the package;
// CANDO_ENGINE: "addon" or "wasm", the engine that is tested.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";

const folder = resolve(process.env.CANDO_PACKAGE ?? "build/npm/package");
const { load, CandoError, Cando } = await import(pathToFileURL(join(folder, "cando.js")));
const engine = process.env.CANDO_ENGINE;
const cando = await load({ engine, today: "2026-10-01" });
const request = { model: "o3", temperature: 0.1, messages: [{ role: "user", content: "grüße \u{1F600}" }] };
const text = JSON.stringify(request);

test("the engine says which it is, and one that is not asked for is the fastest there is", async () => {
  const builds = readdirSync(join(folder, "prebuilds"));
  assert.ok(builds.includes(`${process.platform}-${process.arch}`));
  assert.equal((await load()).engine, "addon");
  assert.equal(cando.engine, engine ?? "addon");
  const said = `const { load } = await import(${JSON.stringify(pathToFileURL(join(folder, "cando.js")))}); console.log((await load()).engine);`;
  assert.equal(execFileSync(process.execPath, ["--no-addons", "--input-type=module", "-e", said], { encoding: "utf8" }), "wasm\n");
});

test("a method an operation, by name or by its main member", () => {
  assert.equal(cando.resolve("openai/gpt-5").identity, "exact");
  assert.deepEqual(cando.resolve("openai/gpt-5"), cando.resolve({ target: { provider: "openai", model: "gpt-5" } }));
  assert.ok(cando.resolve("openai/gpt-5", { why: true }).why);
  assert.equal(cando.modelId("us.anthropic.claude-opus-4-6-v1:0").vendor, "anthropic");
  assert.deepEqual(cando.call({ op: "explain", code: "io" }), cando.explain("io"));
  assert.ok(cando.models({ providers: "anthropic", limit: 3 }).models.length === 3);
});

test("a request as object, text, bytes and buffer is the same", () => {
  const ask = (r) => cando.preflight({ target: "openai/o3", request: r });
  const bytes = new TextEncoder().encode(text);
  const wider = new Uint8Array(bytes.length + 10).fill(32);
  wider.set(bytes, 5);
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  const want = ask(request);
  assert.equal(want.verdict, "reject");
  assert.ok(want.findings.some((f) => f.path === "/temperature"));
  for (const form of [text, "  " + text, bytes, bytes.buffer, wider.subarray(5, 5 + bytes.length), new DataView(bytes.buffer), shared]) {
    assert.deepEqual(ask(form).findings.map((f) => f.path), want.findings.map((f) => f.path));
  }
});

test("a text that is no JSON stays a text", () => {
  assert.equal(cando.redact({ value: "{not json" }).value, "{not json");
  assert.ok(cando.learn({ target: "openai/o3", error: "Unsupported parameter: 'temperature' is not supported with this model." }).observations.length);
});

test("what is made of an answer is what its text says, whichever values it has", () => {
  const spoil = (value) => {
    for (const name of Object.keys(value ?? {})) {
      if (typeof value[name] === "object") spoil(value[name]);
      value[name] = "changed";
    }
  };
  const same = (value) => {
    const question = `{"op":"redact","value":${value}}`;
    const want = JSON.parse(cando.raw(question)).result;
    const have = cando.call(question);
    assert.deepEqual(have, want);
    assert.equal(JSON.stringify(have), JSON.stringify(want));
    if (typeof have === "object") spoil(have); // it is the asker's own
  };
  const values = ['"x"', '"xy"', '"y"', '""', '"a text of some length, and more"', '"\u007f"', '"gr\u00fc\u00dfe"', '"\u{1F600}"', '"\\""', '"\\n"', '"\\u0041"', "0", "7",
    "123456789", "1234567890", "4294967296", "12345678901234567890", "-1", "-0", "1.5", "1e3", "1E3", "10e-1", "true", "null", "[]", "{}"];
  const forms = [(v) => v, (v) => `{"a":${v},"b":[${v},{"c":"d","e":${v}}],"f":false}`, (v) => `{"b":${v},"2":"two","1":${v}}`,
    (v) => `{"__proto__":${v},"a":${v}}`, (v) => `{ "a" : ${v} , "b":1}`, (v) => `[[],${v},{},[${v},null],true]`, (v) => `{"a\\"b":${v},"gr\u00fc\u00dfe":${v}}`];
  for (let round = 0; round < 12; round++) for (const form of forms) for (const value of values) same(form(value));
  for (let round = 0; round < 12; round++) for (let n = 1; n < 150; n += 7) same(`{${Array.from({ length: n }, (_, i) => `"member${i}":${round + i}`)}}`);
  for (const n of [900, 70000]) for (let round = 0; round < 12; round++) same(`{"a":"${"x".repeat(n)}","b":${round}}`);
});

test("a bad question throws with code, place and hint", () => {
  assert.throws(() => cando.resolve({}), (e) => e instanceof CandoError && e.code === "missing-argument" && e.at === "/target");
  assert.throws(() => cando.call({ op: "reslove" }), (e) => e.code === "unknown-op" && /resolve/.test(e.hint));
  for (const op of ["constructor", "__proto__"]) assert.throws(() => cando.call({ op, target: "x" }), (e) => e.code === "unknown-op");
  assert.throws(() => cando.preflight({ target: "openai/o3", request: new TextEncoder().encode("{") }), CandoError);
  assert.throws(() => cando.call("{"), CandoError);
  for (const nothing of ["", new Uint8Array(0)]) assert.throws(() => cando.call(nothing), CandoError);
  for (const bad of [7, null, undefined]) assert.throws(() => cando.raw(bad), TypeError);
  assert.throws(() => cando.lint({ path: "/etc/passwd" }), (e) => /no files/.test(e.message));
});

test("what JSON leaves out of objects is left out of questions", () => {
  for (const nothing of [undefined, () => 1, Symbol("x"), { toJSON() {} }]) {
    assert.equal(cando.resolve("openai/gpt-5", { why: nothing }).identity, "exact");
    assert.throws(() => cando.preflight({ target: "openai/o3", request: nothing }), (e) => e.code === "missing-argument" && e.at === "/request");
  }
});

test("raw gives the envelope", () => {
  assert.deepEqual(Object.keys(JSON.parse(cando.raw('{"op":"explain","id":7,"code":"io"}'))), ["id", "ok", "result"]);
});

test("the day of asking is one's own", async () => {
  const other = await load({ engine, today: "2020-01-01" });
  const status = (c) => c.retiring({ texts: { name: "a", text: "gpt-4-0314" } }).day;
  assert.equal(status(other), "2020-01-01");
  other.setToday("2026-11-16");
  assert.equal(status(other), "2026-11-16");
  assert.throws(() => other.setToday("tomorrow"), CandoError);
  assert.equal(status(cando), "2026-10-01");
  other.close();
  other.close();
  const overlay = 'schema = "cando/rules@1"\n[[models]]\nprovider = "acme"\nid = "acme-1"\n';
  for (const ask of [() => other.resolve("openai/gpt-5"), () => other.raw("{}"), () => other.addOverlay(overlay), () => other.setToday(null)])
    assert.throws(ask, /closed/);
});

test("rules of one's own on top", async () => {
  const overlay = 'schema = "cando/rules@1"\n[[models]]\nprovider = "acme"\nid = "acme-1"\nset = { context_window = 4242 }\n';
  const mine = await load({ engine, overlay });
  assert.equal(mine.resolve("acme/acme-1").fields.context_window, 4242);
  assert.equal(mine.resolve("openai/gpt-5").identity, "exact");
  await assert.rejects(load({ engine, overlay: "no toml" }), (e) => e instanceof CandoError && e.code === "toml-syntax");
});

test("what was asked before is answered anew after a rule, on another day, and for each asker", async (t) => {
  const rule = (n) => `schema = "cando/rules@1"\n[[models]]\nprovider = "acme"\nid = "acme-1"\nset = { context_window = ${n} }\n`;
  const mine = await load({ engine, overlay: rule(1000) });
  const ask = () => mine.resolve("acme/acme-1").fields.context_window;
  assert.deepEqual([ask(), ask()], [1000, 1000]);
  mine.addOverlay(rule(2000));
  assert.deepEqual([ask(), ask()], [2000, 2000]);

  const [one, other] = [mine.resolve("openai/gpt-4.1"), mine.resolve("openai/gpt-4.1")];
  assert.deepEqual(one, other);
  one.fields.input_modalities.push("smell");
  one.fields.price.input_tokens = "0";
  one.identity = "changed";
  assert.deepEqual(mine.resolve("openai/gpt-4.1"), other);

  const status = () => mine.resolve("openai/gpt-4.1").fields.status;
  mine.setToday("2026-01-01");
  assert.equal(status(), undefined); // nobody says that it ends
  mine.setToday("2030-01-01");
  assert.equal(status(), "retired");
  mine.setToday(null);
  t.mock.timers.enable({ apis: ["Date"], now: Date.parse("2026-01-01") });
  const seen = [mine.resolve("openai/gpt-4.1"), mine.resolve("openai/gpt-4.1", { why: true })];
  assert.notDeepEqual(seen[0], seen[1]);
  if (mine.engine === "wasm") { // the addon has the clock of the machine
    assert.equal(status(), undefined);
    t.mock.timers.setTime(Date.parse("2030-01-01"));
    assert.equal(status(), "retired");
  }
  for (let i = 0; i < 1000; i++) assert.equal(mine.resolve(`acme/acme-${i}`).model, `acme-${i}`);
  assert.throws(() => mine.resolve("openai"), CandoError);
  assert.throws(() => mine.resolve("openai"), CandoError);
});

test("a question may be asked while another is written", () => {
  const toJSON = () => (cando.resolve("openai/gpt-4o-mini"), JSON.parse(text));
  const ask = (request) => cando.preflight({ target: "openai/o3", request });
  assert.deepEqual(ask({ toJSON }), ask(text));
});

test("engine and catalog as bytes, and the one without vectors", async () => {
  const bytes = (name) => readFileSync(join(folder, name));
  const plain = await load({ engine: bytes("cando-plain.wasm"), catalog: bytes("cando.snap"), today: "2026-10-01" });
  assert.deepEqual(plain.resolve("openai/gpt-5"), cando.resolve("openai/gpt-5"));
  const compiled = await WebAssembly.compile(bytes("cando.wasm"));
  const ready = await load({ engine: compiled, catalog: new Uint8Array(bytes("cando.snap")).buffer, today: "2026-10-01" });
  assert.deepEqual(ready.resolve("openai/gpt-5"), cando.resolve("openai/gpt-5"));
  for (const catalog of [new Uint8Array(0), new Uint8Array(100), bytes("cando.snap").subarray(0, 100_000)]) {
    await assert.rejects(load({ engine, catalog }), CandoError);
  }
  const own = await load({ engine, catalog: bytes("cando.snap"), today: "2026-10-01" });
  assert.deepEqual(own.resolve("openai/gpt-5"), cando.resolve("openai/gpt-5"));
});

// What they take of memory is counted by many.mjs, which can ask for a collection first.
test("long questions among many short ones", () => {
  const long = { model: "gpt-4o", messages: [{ role: "user", content: "x".repeat(3_000_000) }] };
  const ask = () => cando.preflight({ target: "openai/gpt-4o", request: long });
  const first = ask();
  const short = cando.preflight({ target: "openai/o3", request: text });
  for (let i = 0; i < 2_000; i++) cando.preflight({ target: "openai/o3", request: text });
  assert.deepEqual(ask(), first);
  assert.ok(first.tokens.low > 100_000);
  assert.deepEqual(cando.preflight({ target: "openai/o3", request: text }), short);
});

test("texts of every kind and length arrive whole", () => {
  const kinds = ["x", "ü", "\u20ac", "\u{1F600}", "\0", '"\\'];
  for (const n of [0, 1, 2, 60, 61, 62, 63, 64, 65, 4090, 4095, 4096, 4097, 70_000]) {
    for (const kind of kinds) {
      const value = kind.repeat(n);
      assert.equal(cando.redact({ value }).value, value);
    }
  }
  assert.match(cando.raw('{"op":"redact","value":"\ud800"}'), /"\ufffd"/);
});

test("every thread has engines of its own", async () => {
  const source = `
    import { workerData, parentPort } from "node:worker_threads";
    const { load } = await import(workerData.module);
    const cando = await load({ engine: workerData.engine, today: workerData.today });
    const days = new Set();
    for (let i = 0; i < 300; i++) days.add(cando.retiring({ texts: { name: "a", text: "gpt-4-0314" } }).day);
    if (workerData.close) cando.close();
    parentPort.postMessage([...days]);`;
  const module = pathToFileURL(join(folder, "cando.js")).href;
  const ask = (today, close) =>
    new Promise((done, failed) => {
      const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`), { workerData: { module, engine, today, close } });
      worker.once("message", done).once("error", failed);
    });
  const days = Array.from({ length: 6 }, (_, i) => `2026-0${i + 1}-01`);
  assert.deepEqual(await Promise.all(days.map((day, i) => ask(day, i % 2 === 0))), days.map((day) => [day]));
  assert.equal(cando.retiring({ texts: { name: "a", text: "gpt-4-0314" } }).day, "2026-10-01");
});

test("every operation has its method, and every method its type", async () => {
  const { operations } = await import(pathToFileURL(join(folder, "operations.js")));
  const types = readFileSync(join(folder, "cando.d.ts"), "utf8");
  const methods = Object.getOwnPropertyNames(Cando.prototype).filter((name) => name !== "constructor");
  assert.ok(operations.length > 15);
  for (const op of operations) assert.ok(methods.includes(op.replace(/_([a-z])/g, (_, c) => c.toUpperCase())), op);
  for (const name of methods) assert.match(types, new RegExp(`\\n  ${name}[<(]`), name);
});

test("what two questions begin with alike is not mixed up", async () => {
  const mine = await load({ engine, today: "2026-10-01" });
  const ask = (c, target, request) => c.preflight({ target, request });
  const targets = ["openai/o3", "openai/o3", "openai/gpt-4o", "openai/gpt-4o-mini", `openai/${"x".repeat(200)}`, "openai/o3", "openai/grüße"];
  const wanted = (target, body) => JSON.parse(cando.raw(JSON.stringify({ op: "preflight", target, request: body }))).result;
  for (const target of targets) {
    for (const body of [request, { ...request, messages: [{ role: "user", content: "y".repeat(5_000) }] }, { ...request, temperature: 1 }]) {
      for (const form of [body, JSON.stringify(body), new TextEncoder().encode(JSON.stringify(body))])
        assert.deepEqual(ask(mine, target, form), wanted(target, body));
    }
  }
  mine.setToday("2026-10-01");
  assert.deepEqual(ask(mine, "openai/o3", text), wanted("openai/o3", request));
  const bytes = new TextEncoder().encode(text);
  const before = ask(mine, "openai/o3", bytes);
  bytes.fill(32, text.indexOf('"temperature"'), text.indexOf('"messages"')); // the same bytes, changed
  assert.notDeepEqual(ask(mine, "openai/o3", bytes), before);
  assert.throws(() => mine.call({ target: "openai/o3" }), (e) => e.code === "missing-argument" || e.code === "bad-argument");
});
