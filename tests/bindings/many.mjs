// many.mjs PACKAGE addon|wasm COUNT - so many calls of every kind, through one engine: its memory does not grow.
//
// What V8 holds is collected first; what is left is the memory of the process, the module's included. The first third
// of the calls is for getting warm. To be run with --max-semi-space-size=1: else V8 lets the space for new objects grow
// by tens of megabytes over some million calls, whatever they do.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, engine, count] = process.argv.slice(2);
const { load, CandoError } = await import(pathToFileURL(resolve(folder, "cando.js")));
const cando = await load({ engine, today: "2026-11-16" });
const body = (n) => JSON.stringify({ model: "o3", temperature: 0.1, messages: [{ role: "user", content: "grüße ".repeat(n) }] });
const bodies = [1, 20, 160, 700].map((n) => new TextEncoder().encode(body(n)));
const usage = { input_tokens: 4740, cache_read_tokens: 400, output_tokens: 255 };
const kinds = [
  (i) => cando.preflight({ target: "openai/o3", request: bodies[i % bodies.length] }),
  (i) => cando.preflight({ target: "openai/o3", request: body(i % 50) }),
  (i) => cando.cost({ target: "anthropic/claude-opus-4-5", usage: { ...usage, output_tokens: i } }),
  (i) => cando.resolve(`acme/model-${i % 1000}`),
  () => cando.resolve("openai/gpt-5"),
  (i) => cando.explain(i % 2 ? "io" : "json-syntax"),
  (i) => cando.negotiate({ target: "openai/gpt-4.1", requirements: [{ name: i % 2 ? "tool_calling" : "input_audio", level: "hard" }] }),
  () => cando.call({ op: "reslove" }),
  () => cando.call("{"),
];

function run(from, to) {
  let failed = 0;
  for (let i = from; i < to; i++) {
    try {
      kinds[i % kinds.length](i);
    } catch (e) {
      if (!(e instanceof CandoError)) throw e;
      failed++;
    }
  }
  if (failed > 2 * Math.ceil((to - from) / kinds.length)) throw new Error(`${failed} questions were not answered`);
}

function held() {
  for (let i = 0; i < 4; i++) globalThis.gc();
  const { rss, arrayBuffers, heapUsed } = process.memoryUsage();
  return { rss, arrayBuffers, heapUsed };
}

const all = Number(count);
const warm = Math.round(all / 3);
run(0, warm);
const before = held();
run(warm, all);
const after = held();
const grown = Object.fromEntries(Object.keys(after).map((k) => [k, after[k] - before[k]]));
const mib = (n) => (n / 2 ** 20).toFixed(2);
console.log(`${engine}: ${all} calls: ${Object.keys(grown).map((k) => `${k} ${mib(before[k])} + ${mib(grown[k])} MiB`).join(", ")}`);
if (grown.arrayBuffers > 2 ** 16 || grown.heapUsed > 2 ** 20 || grown.rss > 8 * 2 ** 20) process.exit(1);
