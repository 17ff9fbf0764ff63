// bench_js.mjs OUTPUT - the package for JavaScript beside what its users have otherwise.
//
//   js.preflight.1k.*          a request of 1 KB, as bytes, judged for a known model, answer object out: how many
//                              times as long as JSON.parse takes for the request; 5 are allowed for WebAssembly, 2
//                              for the addon. It is nearly all text; with .tools it has a tool, with .finding a
//                              wrong value
//   js.cost.*                  what replies of 1 KB cost, from their bytes on: at least 3 times as fast as
//                              @pydantic/genai-prices; with .usage the counts are there already
//   js.lookup.*                all that is known of a model, beside what tokenlens and llm-info know of it; the same one
//                              again and again, which the package remembers. With .many another one each time, none of
//                              those that it remembers
//   js.*.ns                    the question alone
//   js.first.*                 the first answer, from before the import on: 60 ms are allowed
//
// Each row is there for both engines, .wasm and .addon. Both sides of a ratio run by turns in this process, and the
// best round of each counts. The packages beside it are those of bench/packages.sh; a row without its package is
// left out.
import { execFileSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const output = process.argv[2];
const module = pathToFileURL(resolve("build/npm/package/cando.js")).href;
const { load } = await import(module);

function report(bench, value, unit, against) {
  console.log(`${bench.padEnd(32)} ${(value < 1 ? value.toPrecision(2) : value.toFixed(2)).padStart(8)} ${unit.padEnd(7)} ${against ? `against ${against}` : ""}`.trimEnd());
  if (output) appendFileSync(output, JSON.stringify({ bench, value: Number(value.toPrecision(4)), unit, against }) + "\n");
}

let kept = 0;
function one(ask, n) {
  const start = process.hrtime.bigint();
  for (let i = 0; i < n; i++) kept += ask() === undefined ? 1 : 0;
  return Number(process.hrtime.bigint() - start) / n;
}

/** The best round of each side, in nanoseconds a call. */
function compare(...sides) {
  const times = sides.map((ask) => Math.max(1, Math.min(1e6, Math.round(4e6 / (one(ask, 2000) || 1)))));
  const best = sides.map(() => Infinity);
  for (let round = 0; round < 40; round++) {
    sides.forEach((ask, i) => (best[i] = Math.min(best[i], one(ask, times[i]))));
  }
  return best;
}

const bytes = (value) => new TextEncoder().encode(JSON.stringify(value));
const words = [
  "You answer with a list of values that fit into one table, because every row has its own source and a date when it was checked last by " +
    'somebody who knew how to read it.\nQuote "the source" where there is one \u2014 and say so where there is none.',
  "Which of these models take images, and since when?\nThe list is from last week: the first one was checked by hand, all others come from " +
    "a catalog that is made once a day. It has a row for each model and a column for each thing that it may be asked to do, and where " +
    "nobody knows, the field is empty. Please say for each of them who says so.",
  "The first one does, since June. Of the others I know of two.",
  "Then list these two, with their sources and the days on which they were checked, the newest first.",
];
const messages = words.map((content, i) => ({ role: ["system", "user", "assistant", "user"][i], content }));
const plain = { model: "mistral-large-latest", messages, temperature: 0.7, max_tokens: 500, stream: true };
const text = (description) => ({ type: "string", description });
const trains = {
  name: "find_trains",
  description: "Trains between two cities on a day, with prices and how many changes there are.",
  parameters: {
    type: "object",
    properties: {
      from: text("the city where it begins"),
      to: text("the city where it ends"),
      day: text("as 2026-05-03"),
      travellers: { type: "integer", minimum: 1, maximum: 9 },
      class: { type: "string", enum: ["first", "second"] },
    },
    required: ["from", "to", "day"],
  },
};
const requests = {
  "preflight.1k": plain,
  "preflight.1k.tools": { ...plain, messages: [messages[0], messages[3]], tools: [{ type: "function", function: trains }], tool_choice: "auto" },
  "preflight.1k.finding": { ...plain, temperature: 2.7 },
};

const engines = { addon: await load({ engine: "addon" }), wasm: await load({ engine: "wasm" }) };

/** A question through both engines beside `other`; `times`: how many times as long, else how many times as fast. */
function measure(name, ask, other, against, times) {
  const [theirs, ...ours] = compare(other, ...Object.values(engines).map((cando) => () => ask(cando)));
  Object.keys(engines).forEach((engine, i) => {
    report(`js.${name}.${engine}`, times ? ours[i] / theirs : theirs / ours[i], times ? "times" : "x", against);
    report(`js.${name}.${engine}.ns`, ours[i], "ns");
  });
}

for (const [name, body] of Object.entries(requests)) {
  const json = JSON.stringify(body);
  const request = bytes(body);
  const target = `mistral/${body.model}`;
  const found = engines.wasm.preflight({ target, request }).findings.length;
  if (found !== (name.endsWith("finding") ? 1 : 0)) throw new Error(`bench: ${name} has ${found} findings`);
  measure(name, (cando) => cando.preflight({ target, request }), () => JSON.parse(json), "JSON.parse of the body", true);
}

const beside = createRequire(resolve("build/bench/npm/package.json"));
async function other(name) {
  try {
    return await import(pathToFileURL(beside.resolve(name)).href);
  } catch {
    console.log(`${name} is not there: its rows are left out`);
    return undefined;
  }
}

// A reply of OpenAI and one of Anthropic in turn, as bytes; and counts for models of several labs and hosts in turn. Both
// sides give each the same cost.
const content =
  "Here is the plan:\n\n1. Read the table once and keep the rows that match.\n2. Sort them by the day they were checked; the newest " +
  'wins.\n3. Write "unknown" where nobody said anything \u2014 never a zero.';
const chat = {
  id: "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
  object: "chat.completion",
  created: 1741569952,
  model: "gpt-4.1-2025-04-14",
  choices: [{ index: 0, message: { role: "assistant", content, refusal: null, annotations: [] }, logprobs: null, finish_reason: "stop" }],
  usage: {
    prompt_tokens: 1117,
    completion_tokens: 346,
    total_tokens: 1463,
    prompt_tokens_details: { cached_tokens: 1024, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
  },
  service_tier: "default",
};
const message = {
  id: "msg_013Zva2CMHLNnXjNJJKqJ2EF",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-20250514",
  content: [{ type: "text", text: content }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 93, cache_creation_input_tokens: 0, cache_read_input_tokens: 1024, output_tokens: 346 },
};
const replies = [
  ["openai", bytes(chat), "chat"],
  ["anthropic", bytes(message), "default"],
];
const usage = { input_tokens: 4740, cache_read_tokens: 400, output_tokens: 255 };
const priced = [
  ["openai", "gpt-4.1"],
  ["openai", "gpt-5"],
  ["openai", "gpt-5-mini-2025-08-07"],
  ["anthropic", "claude-opus-4-5"],
  ["anthropic", "claude-sonnet-4-20250514"],
  ["google", "gemini-2.5-pro"],
  ["groq", "llama-3.3-70b-versatile"],
  ["openrouter", "anthropic/claude-sonnet-4"],
];

/** One item after the other through both; `ours` gives a total_cost, `theirs` a total_price. */
function measureCosts(name, items, ours, theirs) {
  for (const item of items) {
    const [mine, wanted] = [ours(engines.wasm, item).total_cost, theirs(item).total_price];
    if (Math.abs(Number(mine) - wanted) > 1e-9) throw new Error(`bench: the costs of ${item} differ, ${mine} and ${wanted}`);
  }
  let turn = 0;
  const next = () => items[turn++ % items.length];
  measure(name, (cando) => ours(cando, next()), () => theirs(next()), "@pydantic/genai-prices");
}

const prices = await other("@pydantic/genai-prices");
if (prices) {
  const decoder = new TextDecoder();
  const bill = ([providerId, reply, flavor]) => {
    const found = prices.extractUsage(prices.findProvider({ providerId }), JSON.parse(decoder.decode(reply)), flavor);
    return prices.calcPrice(found.usage, found.model, { providerId });
  };
  measureCosts("cost", replies, (cando, [provider, response]) => cando.cost({ provider, response }), bill);
  const price = ([providerId, model]) => prices.calcPrice(usage, model, { providerId });
  measureCosts("cost.usage", priced, (cando, [provider, model]) => cando.cost({ target: `${provider}/${model}`, usage }), price);
}

const tokenlens = await other("tokenlens");
if (tokenlens) measure("lookup.tokenlens", (cando) => cando.resolve("openai/gpt-4.1"), () => tokenlens.modelMeta("openai:gpt-4.1"), "tokenlens");
{
  const models = engines.wasm.models({ limit: 450 }).models.map((m) => `${m.provider}/${m.model}`);
  if (models.length < 450) throw new Error("bench: there are too few models");
  for (const cando of Object.values(engines)) models.slice(250).forEach((model) => cando.resolve(model));
  let turn = 0;
  const ask = (cando) => () => cando.resolve(models[turn++ % 250]);
  compare(...Object.values(engines).map(ask)).forEach((ns, i) => report(`js.lookup.many.${Object.keys(engines)[i]}.ns`, ns, "ns"));
}
const info = await other("llm-info");
if (info) measure("lookup.llm-info", (cando) => cando.resolve("openai/gpt-4.1"), () => info.ModelInfoMap["gpt-4.1"], "llm-info");

for (const engine of Object.keys(engines)) {
  const program = `
    const start = performance.now();
    const { load } = await import(${JSON.stringify(module)});
    (await load({ engine: "${engine}" })).preflight({ target: "openai/o3", request: '{"model":"o3","messages":[{"role":"user","content":"hi"}]}' });
    console.log(performance.now() - start);`;
  const once = () => Number(execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" }));
  report(`js.first.${engine}`, Math.min(...Array.from({ length: 10 }, once)), "ms");
}
if (kept) throw new Error("bench: something did not answer");
