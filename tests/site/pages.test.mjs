// pages.test.mjs - what a model's page and Compare are made of, with the engine itself: CANDO_PACKAGE is the folder of the package.
import assert from "node:assert/strict";
import { resolve } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { labelRows, lifeOf } from "../../site/lib/life.js";
import { apis, parameters, parametersOf, spoken, takesText } from "../../site/lib/params.js";
import { inForce, keyOf, periods, perOf, priceTable, unitName } from "../../site/lib/prices.js";
import { switches, switchTo } from "../../site/lib/switch.js";
import { versus } from "../../site/lib/versus.js";

const folder = resolve(process.env.CANDO_PACKAGE ?? "build/npm/package");
const { load } = await import(pathToFileURL(folder + "/cando.js"));
const today = "2026-11-16";
const cando = await load({ engine: "wasm", today });

// -- prices ---------------------------------------------------------------------------------------------

test("a price key in its parts", () => {
  assert.deepEqual(keyOf("input_tokens @batch >200000 from=2026-12-01 time=16:30-00:30 days=mon-fri"), { unit: "input_tokens", tier: "batch", above: 200000, graduated: false, from: "2026-12-01", time: "16:30-00:30", days: "mon-fri" });
  assert.equal(keyOf("input_tokens ^100").graduated, true);
  assert.deepEqual([unitName("cache_read_tokens"), unitName("input_video_seconds"), perOf("web_searches"), perOf("output_tokens")], ["Cached input", "Input video seconds", "a thousand", "a million"]);
});

test("the rates of a day are those that a bill takes", () => {
  const days = ["2026-01-01", "2026-08-20", "2026-08-21", today, "2027-06-01"];
  let [dated, looked] = [0, 0];
  for (const { provider, model, fields } of cando.models({ fields: ["price"] }).models) {
    const texts = Object.keys(fields.price ?? {});
    if (!texts.some((text) => /from=|@|>/.test(text))) continue;
    if (texts.some((text) => text.includes("from="))) dated++;
    for (const day of texts.some((text) => text.includes("from=")) ? days : [today]) {
      const rates = inForce(fields.price, day);
      for (const tier of ["", "batch"]) {
        const own = rates.find((r) => r.unit === "output_tokens" && r.tier === tier && !r.above && !r.time);
        if (!own) continue;
        const { items } = cando.operation("cost", { usage: { input_tokens: 0, output_tokens: 1000 }, target: { provider, model }, service_tier: tier || undefined, at: `${day}T12:00:00Z` });
        assert.equal(items.find((item) => item.unit === "output_tokens").rate, own.rate, `${provider}/${model} ${tier} on ${day}`);
        looked++;
      }
    }
  }
  assert.ok(dated > 2 && looked > 200, `${dated} with days, ${looked} rates`);
});

test("prices by tier and threshold, and the times between which they changed", () => {
  const price = { "input_tokens >200000": "6", output_tokens: "15", input_tokens: "3", "input_tokens @batch": "1.5", "input_tokens from=2026-12-01": "2", web_searches: "10" };
  const { tiers, rows } = priceTable(inForce(price, today));
  assert.deepEqual(tiers, ["", "batch"]);
  assert.deepEqual(rows.map((r) => [r.unit, r.above, r.rates]), [["input_tokens", 0, { "": "3", batch: "1.5" }], ["output_tokens", 0, { "": "15" }], ["web_searches", 0, { "": "10" }], ["input_tokens", 200000, { "": "6" }]]);
  assert.deepEqual(periods(price, today), [{ from: "", until: "2026-11-30", now: true }, { from: "2026-12-01", until: "", now: false }]);
  assert.deepEqual(inForce(price, "2026-12-01").filter((r) => r.unit === "input_tokens" && !r.tier).map((r) => r.rate), ["2"]);
  assert.deepEqual(periods(undefined, today), [{ from: "", until: "", now: true }]);
  assert.deepEqual(periods({ "input_tokens from=2027-01-01": "1" }, today), [{ from: "2027-01-01", until: "", now: false }]);
});

// -- life -----------------------------------------------------------------------------------------------

test("a life has its days in order, within the line", () => {
  const life = lifeOf({ release_date: "2024-05-13", knowledge_cutoff: "2023-09", deprecated_on: "2026-10-14", retires_on: "2027-01-14" }, today);
  assert.deepEqual(life.marks.map((m) => m.label), ["Knows until", "Released", "Deprecated", "Retires"]);
  assert.deepEqual([life.marks[0].at, life.marks.at(-1).at], [0, 1]);
  assert.ok(life.today < 1 && life.today > life.marks[2].at);
  assert.deepEqual(life.served, { from: life.marks[1].at, to: 1 });
  assert.equal(lifeOf({ retires_on: "2026-03-26" }, today).marks[0].label, "Retired");
  assert.equal(lifeOf({ release_date: "soon" }, today), undefined);
});

test("labels of a line do not cover each other, nor leave it", () => {
  const [places, widths, width] = [[0, 0.02, 0.5, 0.52, 0.99, 1], [100, 90, 80, 120, 60, 70], 500];
  const made = labelRows(places, widths, width);
  made.forEach(({ left, row }, i) => {
    assert.ok(left >= 0 && left + widths[i] <= width);
    made.forEach((other, k) => assert.ok(k === i || other.row !== row || left + widths[i] <= other.left || other.left + widths[k] <= left, `${i} and ${k}`));
  });
});

// -- parameters -----------------------------------------------------------------------------------------

test("the smallest request of each API is one", () => {
  for (const api of apis) assert.equal(cando.operation("preflight", { dialect: api.id, target: "nobody/nothing", request: { model: "nothing", ...api.body } }).verdict, "ok", api.id);
});

test("a model is served by the APIs of its provider, its lab's own first", () => {
  assert.deepEqual(spoken(cando, "openai/gpt-5.6-sol", "openai").apis, ["openai-responses", "openai-chat"]);
  assert.equal(spoken(cando, "anthropic/claude-opus-4-5", "anthropic").apis[0], "anthropic-messages");
  const cloud = spoken(cando, "amazon-bedrock/anthropic.claude-opus-4-5-20251101-v1:0", "anthropic").apis;
  assert.ok(cloud.includes("bedrock-converse") && cloud.includes("anthropic-messages") && !cloud.includes("mistral-chat"));
  assert.deepEqual(spoken(cando, "openai/text-embedding-3-small", "openai").apis, []);
  assert.deepEqual(spoken(cando, "nobody/nothing"), { unknown: true, apis: [] });
});

test("parameters are those that run: each that is taken passes, each that is refused does not", () => {
  for (const [target, id] of [["openai/gpt-5.6-sol", "openai-chat"], ["anthropic/claude-opus-4-5", "anthropic-messages"], ["google/gemini-2.5-flash", "gemini"]]) {
    const rows = parametersOf(cando, target, id);
    assert.ok(rows.length > 15, target);
    const api = apis.find((one) => one.id === id);
    for (const row of rows.filter((r) => r.values && !r.name.includes("."))) {
      for (const value of row.values) {
        const { findings } = cando.operation("preflight", { target, dialect: id, request: { model: target.slice(target.indexOf("/") + 1), ...api.body, [row.name]: value } });
        const bad = findings.some((f) => f.path === `/${row.name}` && f.severity === "error" && ["parameter-unsupported", "value-unsupported"].includes(f.code));
        assert.equal(bad, !!row.refused, `${target} ${row.name} ${value}`);
      }
    }
  }
  const sol = parametersOf(cando, "openai/gpt-5.6-sol", "openai-chat");
  const row = (name) => sol.find((r) => r.name === name);
  assert.equal(row("max_tokens").refused.code, "parameter-renamed");
  assert.equal(row("max_completion_tokens").most, "128000");
  assert.ok(!row("reasoning_effort").values.includes("minimal") && row("reasoning_effort").without[0].value === "minimal");
  assert.equal(row("seed").refused, undefined);
  assert.deepEqual(parametersOf(cando, "anthropic/claude-opus-4-5", "anthropic-messages").find((r) => r.name === "thinking.type").values, ["enabled", "disabled"]);
});

test("an API that the model does not have is not looked at", () => {
  assert.equal(parameters(cando, { target: "openai/gpt-5.6-sol", lab: "openai", api: "gemini" }).api, "openai-responses");
  assert.equal(parameters(cando, { target: "openai/gpt-5.6-sol", lab: "openai", api: "openai-chat" }).api, "openai-chat");
  assert.deepEqual(parameters(cando, { target: "openai/text-embedding-3-small", lab: "openai" }).rows, []);
  const router = { target: "openrouter/openai/gpt-5", lab: "openai" };
  assert.ok(parameters(cando, router).rows.length > 20);
  assert.equal(parameters(cando, { ...router, api: "openai-responses" }).api, "openai-responses");
});

test("what a parameter takes, in words", () => {
  assert.equal(takesText({ kinds: ["number"], least: "0", most: "2" }), "0 to 2");
  assert.equal(takesText({ kinds: ["string"], longest: "64" }), "text, up to 64 characters");
  assert.equal(takesText({ kinds: ["string", "array"], longest: "4" }), "text or list, up to 4");
  assert.equal(takesText({ kinds: ["string", "number"] }), "number");
  assert.equal(takesText({ kinds: ["string", "object"], values: ["auto", "none"] }), "auto, none or object");
  assert.equal(takesText({ kinds: ["boolean"] }), "true, false");
});

// -- a comparison ---------------------------------------------------------------------------------------

test("a switch: what it gains, loses and breaks", () => {
  const one = switchTo(cando, "openai/gpt-4o", "openai/gpt-5.6-sol", { "openai/gpt-4o": "openai", "openai/gpt-5.6-sol": "openai" });
  assert.ok(one.gains.some((g) => g.field === "reasoning") && one.gains.some((g) => g.field === "context_window"));
  assert.ok(one.losses.some((l) => l.field === "temperature"));
  assert.equal(one.api, "openai-responses");
  assert.ok(one.breaks.some((b) => b.name === "temperature" && b.message));
  const back = switchTo(cando, "openai/gpt-5.6-sol", "openai/gpt-4o");
  assert.ok(back.losses.some((l) => l.field === "reasoning") && !back.breaks.some((b) => b.name === "temperature"));
  const apart = switchTo(cando, "openai/gpt-5.6-sol", "amazon-bedrock/openai.gpt-5.6-sol");
  assert.ok(apart.apis.to.length > 0);
  assert.deepEqual(switches(cando, { targets: ["openai/gpt-4o", "openai/gpt-5.6-sol", "anthropic/claude-opus-4-5"], labs: {} }).map((s) => s.to), ["openai/gpt-5.6-sol", "anthropic/claude-opus-4-5"]);
  assert.deepEqual(switchTo(cando, "openai/gpt-4o", "nobody/nothing").breaks, []);
});

test("a model against itself: no difference, and nothing changes", () => {
  const answer = cando.operation("resolve", { target: "anthropic/claude-opus-4-5" });
  assert.deepEqual(versus([answer, answer], today).filter((row) => row.differs || row.partly), []);
  const self = switchTo(cando, "anthropic/claude-opus-4-5", "anthropic/claude-opus-4-5");
  assert.deepEqual([self.gains, self.losses, self.breaks, self.unsure], [[], [], [], []]);
});

test("rows of a comparison: what differs, what is known of some only, which number is best", () => {
  const rows = versus([{ fields: { context_window: 100, reasoning: "native", seed: "native", reasoning_efforts: ["a", "b"], price: { input_tokens: "3", "input_tokens from=2026-12-01": "1" } } },
    { fields: { context_window: 200, reasoning: "native", seed: null, reasoning_efforts: ["b", "a"], retires_on: "2027-01-01", price: { input_tokens: "2" } } }], today);
  const row = (label) => rows.find((r) => r.label === label);
  assert.deepEqual([row("Context").differs, row("Context").best], [true, [false, true]]);
  assert.deepEqual([row("Seed").differs, row("Seed").partly], [false, true]);
  assert.deepEqual([row("Reasoning").differs, row("Reasoning").partly], [false, false]);
  assert.equal(row("Efforts").differs, false);
  assert.equal(row("Retires").differs, true);
  assert.deepEqual([row("Input").values, row("Input").best], [["3", "2"], [false, true]]);
  assert.equal(row("Tools"), undefined);
});
