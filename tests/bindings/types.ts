// types.ts - the types of the package for JavaScript: every method as it is meant to be used, and
// what must not compile. Checked by tsc --strict beside the clients (clients.sh), never run.
import Anthropic from "@anthropic-ai/sdk";
import { createOpenAI } from "@ai-sdk/openai";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { Cando, CandoError, load } from "cando";
import type { Json, LoadOptions, PreflightAnswer, ResolveAnswer, Source } from "cando";
import { guard } from "cando/fetch";
import type {
  CostEvent,
  FaultEvent,
  GuardEvent,
  GuardOptions,
  LearntEvent,
  VerdictEvent,
} from "cando/fetch";

// -- load
const bytes = new Uint8Array();
const options: LoadOptions = {
  engine: new URL("https://example.com/cando.wasm"),
  catalog: bytes.buffer,
  overlay: ["", bytes],
  today: "2026-11-16",
};
const cando: Cando = await load(options);
await load();
await load({ engine: "addon" });
await load({ engine: await WebAssembly.compile(bytes), catalog: await fetch("/cando.snap") });
const source: Source = "./cando.snap";
await load({ catalog: source, overlay: bytes });
// @ts-expect-error: a number is no file
await load({ catalog: 7 });
// @ts-expect-error: no such option
await load({ wasm: bytes });
// @ts-expect-error: a day is a text
await load({ today: new Date() });
// @ts-expect-error: engines come from load()
cando.engine = "wasm";

// -- every operation
const resolved: ResolveAnswer = cando.resolve("openai/gpt-5");
cando.resolve("openai/gpt-5", { why: true, view: "manifest" });
cando.resolve({ target: { provider: "openai", model: "gpt-5" } });
// @ts-expect-error: the model must be said
cando.resolve({});
// @ts-expect-error: no such view
cando.resolve("openai/gpt-5", { view: "mine" });
// @ts-expect-error: said twice
cando.resolve("openai/gpt-5", { target: "openai/gpt-5" });
const identity: string = resolved.identity;
// @ts-expect-error: it may be that nobody knows
const window: number = resolved.fields.context_window;

const linted: number = cando.lint({ text: "schema = 1", dialect: "auto" }).errors;
const vendor: string | null = cando.modelId("gpt-5", { provider: "openai" }).vendor;
const severity: "note" | "warning" | "error" = cando.explain("io").severity;
const partial: boolean = cando.usage({ response: { usage: {} } }).partial;
// @ts-expect-error: of which reply?
cando.usage({ dialect: "openai-chat" });
const total: string | null = cando.cost({
  target: "openai/gpt-5",
  usage: { input_tokens: 1 },
}).total_cost;
// @ts-expect-error: money is a text, never a number
const money: number = cando.cost({ target: "openai/gpt-5", response: bytes }).total_cost ?? 0;
cando.import({ sources: [{ source: "litellm", day: "2026-08-08", text: "{}" }] });
// @ts-expect-error: a source has a day
cando.import({ sources: [{ source: "litellm", text: "{}" }] });
cando.conflicts({ target: "openai/gpt-5", field: "max_output" });
cando.needs({ requirements: [{ name: "tool_calling", level: "hard" }] });
// @ts-expect-error: no such level
cando.needs({ requirements: [{ name: "tool_calling", level: "soft" }] });
const accepted: "accepted" | "degraded" | "rejected" = cando.negotiate({
  target: "openai/gpt-5",
}).verdict;
const satisfied: boolean | undefined = cando.match({
  target: "openai/gpt-5",
  required: [{ capability: "streaming", min_support: "native" }],
}).satisfied;
cando.select({ require: ["tool_calling"], sort: "price", limit: 3 }).matches.map((m) => m.target);
const clean: Json = cando.redact({ value: "sk-abc" }).value;
cando.diff({ a: "openai/gpt-5", b: { provider: "openai", model: "gpt-4o" } });
// @ts-expect-error: with what?
cando.diff({ a: "openai/gpt-5" });
cando.models({ providers: "azure", limit: 1 }).models.length;
const rule: string | null = cando.learn("openai/o3", { error: { message: "no" } }).rule;
const judged: PreflightAnswer = cando.preflight({ target: "openai/gpt-5", request: bytes });
cando.preflight({ request: '{"model":"gpt-5"}', provider: "openai", only: ["findings"] });
cando.preflight({ request: {} as OpenAI.ChatCompletionCreateParams, headers: { "x-beta": "1" } });
cando.preflight({ request: {} as Anthropic.MessageCreateParams, target: null });
judged.findings?.map((f) => f.fix_kind === "safe");
cando.preflight({ target: "openai/gpt-5", request: bytes }).findings.map((f) => f.message);
// @ts-expect-error: they were not asked for
cando.preflight({ target: "openai/gpt-5", request: bytes, only: ["tokens"] }).findings.map((f) => f.message);
// @ts-expect-error: without a request
cando.preflight({ target: "openai/gpt-5" });
// @ts-expect-error: no such verdict
if (judged.verdict === "maybe") throw judged;
const day: string = cando.retiring({ texts: { text: "gpt-4" } }).day;
cando.fields("openai-chat", { path: "messages" }).fields.map((f) => f.name);
const guarded = cando.guard({
  url: "https://api.openai.com/v1/chat/completions",
  request: bytes,
  mode: "repair",
});
const action: "pass" | "send" | "refuse" = guarded.action;
// @ts-expect-error: no such mode
cando.guard({ url: "https://api.openai.com/v1/chat/completions", request: bytes, mode: "stop" });

const stood: number | undefined = cando.standIn("/v1/chat/completions", { request: bytes }).reply?.status;
// @ts-expect-error: where it is sent must be said
cando.standIn({ request: bytes });

// -- any operation, by its name
const same: ResolveAnswer = cando.call({ op: "resolve", target: "openai/gpt-5" });
const also: PreflightAnswer = cando.operation("preflight", { request: bytes });
const any: Json = cando.call('{"op":"resolve"}');
const text: string = cando.raw(bytes);
// @ts-expect-error: no such operation
cando.call({ op: "reslove", target: "openai/gpt-5" });
// @ts-expect-error: an argument of another operation
cando.call({ op: "explain", code: "io", target: "openai/gpt-5" });
cando.setToday("2026-11-16");
cando.setToday(null);
cando.addOverlay(bytes);
cando.close();

try {
  cando.resolve("x");
} catch (e) {
  if (e instanceof CandoError)
    [e.code, e.message, e.at, e.hint] satisfies Array<string | undefined>;
}

// -- the guard, in each client
const told = (event: GuardEvent): void => {
  if (event.type === "verdict") event satisfies VerdictEvent;
  if (event.type === "cost")
    (event satisfies CostEvent).total_cost satisfies string | null | undefined;
  if (event.type === "learnt") (event satisfies LearntEvent).rule.length;
  if (event.type === "fault") (event satisfies FaultEvent).error;
  // @ts-expect-error: no such event
  if (event.type === "done") return;
};
const all: GuardOptions = {
  mode: "repair",
  provider: "openai",
  strict: true,
  on: told,
  fetch,
  cando: load(),
  overlay: "",
  limit: 1,
};
new OpenAI({ fetch: guard(all) });
new Anthropic({ fetch: guard({ cando }) });
new GoogleGenAI({ apiKey: "", httpOptions: { fetch: guard() } });
createOpenAI({ fetch: guard({ on: async (e) => e.type }) });
globalThis.fetch = guard({ mode: "reject" });
const reply: Response = await guard()(new Request("https://example.com"), {
  signal: AbortSignal.timeout(1),
});
// @ts-expect-error: no such mode
guard({ mode: "rejct" });
// @ts-expect-error: no such option
guard({ modes: "reject" });
// @ts-expect-error: a handler is a function
guard({ on: "verdict" });

export {
  accepted,
  action,
  also,
  any,
  clean,
  day,
  identity,
  linted,
  money,
  partial,
  reply,
  rule,
  same,
  satisfied,
  severity,
  text,
  total,
  vendor,
  window,
};
