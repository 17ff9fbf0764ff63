// logs.js - pasted replies: one, a captured stream, or a log of them; what they cost, by model and by day.
//
//     text ──► replies (JSON texts) ──► engine, one at a time ──► sums
//
// Sums are exact. The rows that are kept are bounded, the text is walked through once.
import { cheaper, decimal, units } from "./decimal.js";

const GROUPS = 2000; // rows of a table; what comes later shares one
const isObject = (v) => v !== null && typeof v === "object" && !Array.isArray(v);

const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

// The items of a list are replies of their own if they say so; else they are the events of one stream.
function isLog(list) {
  if (!list.every(isObject)) return false;
  if (list.every((v) => isObject(v.response))) return true;
  const ids = new Set(list.map((v) => v.id ?? v.responseId));
  return list.every((v) => isObject(v.usage) || isObject(v.usageMetadata)) && ids.size === list.length && !ids.has(undefined);
}

const BEGINS = /"type"\s*:\s*"(?:message_start|response\.created)"/;

// Events of captured streams, as the lists of each.
function* ofEvents(lines) {
  let events = [];
  const flush = function* () {
    if (events.length) yield `[${events.join(",")}]`;
    events = [];
  };
  for (const line of lines) {
    if (!line.startsWith("data:")) continue;
    const data = line.slice(5).trim();
    if (data === "[DONE]") yield* flush();
    else if (data) {
      if (BEGINS.test(data)) yield* flush();
      events.push(data);
    }
  }
  yield* flush();
}

// Lines of JSON. Those of a stream without events say in each whether it is done.
function* ofLines(lines) {
  let parts = [];
  for (const line of lines) {
    const text = line.trim();
    if (!text) continue;
    if (/"done"\s*:\s*false/.test(text)) parts.push(text);
    else if (parts.length) {
      yield `[${[...parts, text].join(",")}]`;
      parts = [];
    } else yield text;
  }
  if (parts.length) yield `[${parts.join(",")}]`;
}

function* linesOf(text) {
  for (let from = 0; from < text.length; ) {
    let to = text.indexOf("\n", from);
    if (to < 0) to = text.length;
    yield text.slice(from, text[to - 1] === "\r" ? to - 1 : to);
    from = to + 1;
  }
}

/** What a text is: "stream", "log", "reply", or "request" (it has no usage, but messages), or undefined. */
export function kindOf(text) {
  const start = text.slice(0, 4000).trimStart();
  if (/^(?:data|event|id|retry|:)\s*:?/.test(start) && /^data:/m.test(text.slice(0, 100000))) return "stream";
  if (!/^[{[]/.test(start)) return undefined;
  const from = text.search(/\S/);
  const newline = text.indexOf("\n", from);
  if (newline > 0 && isObject(parsed(text.slice(from, newline)))) return "log";
  const value = parsed(text);
  if (Array.isArray(value)) return isLog(value) ? "log" : "stream";
  if (!isObject(value)) return undefined;
  const reply = isObject(value.response) ? value.response : value;
  const asks = Array.isArray(reply.messages) || Array.isArray(reply.contents) || "input" in reply;
  return asks && !reply.usage && !reply.usageMetadata ? "request" : "reply";
}

/** The replies of a text, each as JSON text. */
export function* replies(text) {
  const kind = kindOf(text);
  if (kind === "stream" && /^\s*\[/.test(text)) yield text.trim();
  else if (kind === "stream") yield* ofEvents(linesOf(text));
  else if (kind === "log" && /^\s*\[/.test(text)) for (const v of JSON.parse(text)) yield JSON.stringify(v);
  else if (kind === "log") yield* ofLines(linesOf(text));
  else if (kind) yield text.trim();
}

// -- sums -----------------------------------------------------------------------------------------

const fresh = (name) => ({ name, replies: 0, unknown: 0, input: 0, output: 0, cached: 0, units: 0n });

function add(rows, name, one, more) {
  if (!rows.has(name) && rows.size >= GROUPS) [name, more] = ["others", { day: "others", model: "others" }];
  const row = rows.get(name) ?? { ...fresh(name), ...more };
  rows.set(name, row);
  row.replies++;
  row.input += one.usage?.input_tokens ?? 0;
  row.output += one.usage?.output_tokens ?? 0;
  row.cached += one.usage?.cache_read_tokens ?? 0;
  const cost = units(one.total_cost);
  if (cost === undefined) row.unknown++;
  else row.units += cost;
}

const finished = (row) => ({ ...row, units: undefined, cost: decimal(row.units) });
const byCost = (rows) => [...rows.values()].sort((a, b) => cheaper(b.units, a.units) || (a.name < b.name ? -1 : 1)).map(finished);
const byName = (rows) => [...rows.values()].sort((a, b) => (a.name < b.name ? -1 : 1)).map(finished);

// Who serves a model if the reply does not say: the lab itself, where it has the model under this very name.
function ownerOf(cando, model, known) {
  if (!known.has(model)) {
    let owner;
    try {
      const { models } = cando.operation("models", { match: [model.replace(/[*?[{\\]/g, "")], kinds: ["first-party"], limit: 3 });
      const exact = models.filter((m) => m.model === model);
      if (exact.length === 1) owner = exact[0].provider;
    } catch {
      owner = undefined;
    }
    if (known.size > 1000) known.clear();
    known.set(model, owner);
  }
  return known.get(model);
}

function pricedOne(cando, reply, about, guessed) {
  const answer = cando.operation("cost", { response: reply, logged: true, ...about });
  if (answer.target || !answer.model || about.provider || about.target) return answer;
  const provider = ownerOf(cando, answer.model, guessed);
  return provider ? { ...cando.operation("cost", { response: reply, logged: true, ...about, provider }), guessed: provider } : answer;
}

/**
 * What the replies of a text cost. Yields undefined between slices and { done, at, total } now and then; in the end { done: true, kind, all, models,
 * days, cells, one, broken, partial, guessed }: `cells` are sums of one day and one model, `one` is the whole answer if there was one reply.
 */
export function* priceLog(cando, { text, provider, target, tier }) {
  const about = { provider: provider || undefined, target: target || undefined, service_tier: tier || undefined };
  const kind = kindOf(text);
  const [models, days, cells, all] = [new Map(), new Map(), new Map(), new Map()];
  const known = new Map();
  const guessed = new Set();
  const broken = [];
  let [n, bad, partial, at] = [0, 0, 0, 0];
  let one;
  for (const reply of kind === "request" ? [] : replies(text)) {
    n++;
    at += reply.length + 1;
    try {
      const answer = pricedOne(cando, reply, about, known);
      one = answer;
      if (answer.guessed) guessed.add(answer.guessed);
      if (answer.partial) partial++;
      const model = answer.target ?? answer.model ?? "unknown";
      const day = (answer.at ?? answer.created ?? "").slice(0, 10) || "no day";
      add(models, model, answer);
      add(days, day, answer);
      add(cells, `${day} ${model}`, answer, { day, model });
      add(all, "all", answer);
    } catch (error) {
      bad++;
      if (broken.length < 5) broken.push({ n, message: String(error.message) });
    }
    if (n % 200 === 0) yield { done: false, at: Math.min(at, text.length), total: text.length };
    else if (n % 20 === 0) yield undefined;
  }
  const sum = all.get("all") ?? fresh("all");
  yield { done: true, kind, all: finished(sum), models: byCost(models), days: byName(days), cells: byName(cells), one: n === 1 ? one : undefined, bad, broken, partial, guessed: [...guessed] };
}

/**
 * What a usage costs at each of the targets, the cheapest first: [{ target, cost, batch }]. `batch`: a batch price is known; `at`: the time whose
 * prices count. Yields undefined between slices.
 */
export function* compare(cando, { usage, tier, targets, times = 1, at }) {
  const rows = [];
  const n = BigInt(Math.max(1, Math.round(times)));
  for (let i = 0; i < targets.length; i++) {
    const { total_cost, items } = cando.operation("cost", { usage, target: targets[i], service_tier: tier || undefined, at });
    const one = units(total_cost);
    rows.push({ target: targets[i], at: one === undefined ? undefined : one * n, tiered: !!tier && items.some((x) => x.why.includes("tier " + tier)) });
    if (i % 100 === 99) yield undefined;
  }
  rows.sort((a, b) => cheaper(a.at, b.at) || (a.target < b.target ? -1 : 1));
  yield rows.map(({ target, at, tiered }) => ({ target, cost: at === undefined ? null : decimal(at), tiered }));
}
