// engine.test.mjs - the modules of site/lib that ask the engine, with the engine itself: CANDO_PACKAGE is the folder of the package.
import assert from "node:assert/strict";
import { test } from "node:test";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { badge, badgesOf, embed, modelTable, pathOf } from "../../site/lib/badge.js";
import { check, repair, switched, takers } from "../../site/lib/check.js";
import { idsIn, indexOf } from "../../site/lib/ids.js";
import { compare, kindOf, priceLog, replies } from "../../site/lib/logs.js";
import { stanza } from "../../site/lib/overlay.js";

const folder = resolve(process.env.CANDO_PACKAGE ?? "build/npm/package");
const { load } = await import(pathToFileURL(folder + "/cando.js"));
const cando = await load({ engine: "wasm", today: "2026-11-16" });
const last = (steps) => [...steps].filter((s) => s !== undefined).at(-1);

const REQUEST = `{
  "model": "gpt-5",
  "max_tokens": 500,
  "temperature": 0.2,
  "messages": [{"role": "user", "content": "Grüße 😀"}],
  "tools": [{"type": "function", "function": {"name": "a b", "parameters": {"type": "object", "properties": {}}}}]
}`;

test("findings stand at their lines", () => {
  const { verdict, target, findings, cost } = check(cando, { text: "\n\n " + REQUEST });
  assert.equal(verdict, "reject");
  assert.equal(target, "openai/gpt-5");
  const renamed = findings.find((f) => f.code === "parameter-renamed");
  assert.deepEqual([renamed.line, renamed.column], [5, 17]);
  const tool = findings.find((f) => f.path === "/tools/0/function/name");
  assert.equal(tool.line, 8);
  assert.equal(tool.excerpt.text.slice(tool.excerpt.from, tool.excerpt.to), '"a b"');
  assert.ok(cost.expected.total_cost);
  assert.equal(check(cando, { text: '{"a":1,\n"b" 2}' }).broken.line, 2);
  assert.ok(check(cando, { text: "[1]" }).broken);
});

test("what can be repaired is, beside what cannot", () => {
  const { pieces, all, left } = repair(cando, { text: REQUEST });
  assert.deepEqual(pieces.map((p) => [p.title, p.kind]), [["rename max_tokens to max_completion_tokens", "safe"], ["leave out temperature", "lossy"]]);
  assert.equal(pieces[0].text, REQUEST.replace('"max_tokens"', '"max_completion_tokens"'));
  assert.equal(all, REQUEST.replace('"max_tokens"', '"max_completion_tokens"').replace('"temperature": 0.2,\n  ', ""));
  assert.deepEqual(left.map((f) => f.path), ["/tools/0/function/name"]);
});

test("a repair is the engine's own, byte for byte", () => {
  const text = '{"model":"gpt-5","max_tokens":5.00e2,"messages":[{"role":"user","content":"hi"}]}';
  const { pieces, all } = repair(cando, { text });
  assert.equal(all, text.replace('"max_tokens"', '"max_completion_tokens"'));
  assert.equal(pieces.length, 1);
  assert.equal(repair(cando, { text: all }).pieces.length, 0);
  assert.deepEqual(repair(cando, { text: "{" }).pieces, []);
});

test("who takes it as it is", () => {
  const text = '{"model":"x","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://example.com/a.png"}}]}]}';
  const { takers: rows, done, considered, refused } = last(takers(cando, { text }));
  assert.ok(done && rows.length > 100 && considered > 4000 && Array.isArray(refused));
  const costs = rows.map((r) => r.cost).filter((c) => c !== null).map(Number);
  assert.deepEqual(costs, [...costs].sort((a, b) => a - b));
  for (const { target } of rows.filter((_, i) => i % 50 === 0)) assert.equal(cando.preflight({ request: text, target }).verdict, "ok", target);
});

test("what dies on a switch", () => {
  const text = '\n{"messages":[{"role":"user","content":"weather?"},\n{"role":"assistant","content":null,"tool_calls":[{"id":"functions.weather:0","type":"function","function":{"name":"weather","arguments":"{}"}}]},\n{"role":"tool","tool_call_id":"functions.weather:0","content":"rain"}]}';
  const { verdict, findings } = switched(cando, { text, from: "moonshotai/kimi-k2.5", to: "anthropic/claude-opus-4-6" });
  assert.equal(verdict, "rejected");
  assert.deepEqual(findings.map((f) => f.line), [3, 4]);
});

test("replies, streams and logs are told apart", () => {
  assert.equal(kindOf('{"id":"a","usage":{}}'), "reply");
  assert.equal(kindOf('{"model":"x","messages":[]}'), "request");
  assert.equal(kindOf('{"id":"a","usage":{}}\n{"id":"b","usage":{}}\n'), "log");
  assert.equal(kindOf(`{"id":"a","text":"${"long ".repeat(2000)}","usage":{}}\n{"id":"b","usage":{}}\n`), "log");
  assert.equal(kindOf('event: x\ndata: {"type":"x"}\n'), "stream");
  assert.equal(kindOf('[{"id":"a","usage":{}},{"id":"b","usage":{}}]'), "log");
  assert.equal(kindOf('[{"type":"message_start"},{"type":"message_stop"}]'), "stream");
  assert.equal(kindOf("hello"), undefined);
  const sse = 'data: {"id":"a"}\n\ndata: [DONE]\n\ndata: {"id":"b"}\r\n\r\ndata: [DONE]\n';
  assert.deepEqual([...replies(sse)], ['[{"id":"a"}]', '[{"id":"b"}]']);
  assert.deepEqual([...replies('{"done":false}\n{"done":true}\n{"done":true}')], ['[{"done":false},{"done":true}]', '{"done":true}']);
});

test("a log by model and by day, as the engine prices each reply", () => {
  const log = [
    '{"id":"a","model":"gpt-5.6-sol","created":1793491200,"usage":{"prompt_tokens":1200,"completion_tokens":300}}',
    '{"id":"b","model":"gpt-4o-mini","created":1793491200,"usage":{"prompt_tokens":9000,"completion_tokens":150}}',
    "not json",
    '{"id":"c","model":"gpt-5.6-sol","created":1793577600,"usage":{"prompt_tokens":2500,"completion_tokens":800}}',
  ].join("\n");
  const [a, b, , c] = log.split("\n").map((line) => (line.startsWith("{") ? Number(cando.cost({ response: line, provider: "openai" }).total_cost) : 0));
  const sum = (...costs) => String(Number(costs.reduce((x, y) => x + y).toFixed(9)));
  const told = last(priceLog(cando, { text: log, provider: "openai" }));
  assert.equal(told.all.cost, sum(a, b, c));
  assert.deepEqual(told.models.map((m) => [m.name, m.replies, m.cost]), [["openai/gpt-5.6-sol", 2, sum(a, c)], ["openai/gpt-4o-mini", 1, sum(b)]]);
  assert.deepEqual(told.days.map((d) => [d.name, d.cost]), [["2026-11-01", sum(a, b)], ["2026-11-02", sum(c)]]);
  assert.equal(told.bad, 1);
  const guess = last(priceLog(cando, { text: log }));
  assert.deepEqual([guess.all.cost, guess.guessed], [sum(a, b, c), ["openai"]]);
});

test("the cheapest first, unknown last", () => {
  const rows = last(compare(cando, { usage: { input_tokens: 1000, output_tokens: 100 }, targets: ["openai/gpt-5", "nobody/x", "openai/gpt-5-nano"], times: 1000 }));
  assert.deepEqual(rows.map((r) => [r.target, r.cost]), [["openai/gpt-5-nano", "0.09"], ["openai/gpt-5", "2.25"], ["nobody/x", null]]);
});

test("ids in any text", () => {
  const index = indexOf(cando.models({ marks: true }).models);
  const found = (text) => last(idsIn(text, index));
  assert.deepEqual(found("openai/gpt-5\nclaude-opus-4-5\nno-such-model-1"), { targets: ["openai/gpt-5", "anthropic/claude-opus-4-5"], unknown: ["no-such-model-1"] });
  assert.deepEqual(found('{"model":"gpt-4o","n":1}\n{"model": "my-own"}'), { targets: ["openai/gpt-4o"], unknown: ["my-own"] });
  assert.deepEqual(found("client.chat(model='gpt-5'); // command and sonar are words").targets, ["openai/gpt-5"]);
});

test("a stanza is a rule file that says so", () => {
  const base = { provider: "openai", model: "gpt-5", source: 'https://x.example/"a"\n', day: "2026-11-16" };
  const said = (more) => {
    const text = stanza({ ...base, ...more });
    assert.deepEqual(cando.lint({ text }).errors, 0, text);
    return cando.resolve({ target: "openai/gpt-5", overlay: { dialect: "cando", text } }).fields;
  };
  const f = said({ field: "tool_calling", kind: "support", value: "unsupported" });
  assert.equal(f.tool_calling, "unsupported");
  assert.equal(f.input_image, "native");
  assert.equal(said({ field: "context_window", kind: "number", value: "12345" }).context_window, 12345);
  assert.deepEqual(said({ field: "price", kind: "price", value: "$1.1 / 8" }).price, { input_tokens: "1.1", output_tokens: "8" });
  assert.deepEqual(said({ field: "reasoning_efforts", kind: "list", value: "low, high" }).reasoning_efforts, ["low", "high"]);
});

test("badges and tables hold what they are given, and nothing more", () => {
  const svg = badge({ label: '</title><script>alert(1)</script>"', value: "<&\u0000>", tone: "x" });
  assert.ok(!svg.includes("<script") && !svg.includes("\u0000"));
  const [model] = cando.models({ match: ["openai/gpt-5"], fields: "all" }).models;
  const all = badgesOf(model);
  assert.equal(all.model.value, "400k · $1.25 in · $10 out");
  assert.equal(all.status.value, "stops 2026-12-11");
  assert.equal(all.tool_calling.value, "✓ yes");
  const page = embed({ title: "<b>", rows: modelTable(model), day: "2026-11-16", css: "../x.css", home: "../index.html" });
  assert.ok(page.includes("&#60;b&#62;") && !page.includes("<b>"));
  assert.equal(pathOf("openai", "a:b/../.c"), "openai/a~3ab/~2e./~2ec");
  const paths = cando.models({}).models.map((m) => pathOf(m.provider, m.model));
  assert.equal(new Set(paths).size, paths.length);
});
