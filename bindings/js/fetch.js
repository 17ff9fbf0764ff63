// fetch.js - a fetch that knows what providers of language models take: for clients that let you
// give them one, `new OpenAI({ fetch: guard({ mode: "reject" }) })`.
//
//     client ──► judge ──► the fetch below ──► tap ──► client
//                  │ refuse: the provider's own error, without a call
//                  │ send: the body, repaired
//                  │ pass: all as it came
//
// The client's call comes first: what goes wrong in here is told as an event of type "fault", and
// the call goes on as if there were no guard. A reply is passed on chunk by chunk, as it is read;
// what a guard keeps of it is bounded.
import { CandoError, load } from "./cando.js";
import { readerOf, Whole } from "./reply.js";

const modes = ["report", "repair", "reject"];
const replyKept = 4 << 20; // bytes of a reply; the cost of a longer one is not computed
const errorKept = 64 << 10; // bytes of an error that something is learnt from
const learntKept = 256; // facts that one engine learns
const saidKept = 256; // lines on the console
const learnable = [400, 413, 422]; // replies that say what is wrong with a request

// A request that is signed cannot be changed any more.
const signs = [
  "content-digest",
  "content-md5",
  "digest",
  "repr-digest",
  "signature",
  "x-amz-content-sha256",
];
const secret = /^(proxy-)?authorization$|cookie|key|secret|token/i; // not needed to judge a request

const encoder = new TextEncoder();
const rulesHead = 'schema = "cando/rules@1"\n';

let shared; // the engine of all guards that are given none
let calls = 0;

function sharedEngine() {
  shared ??= load().catch((error) => {
    shared = undefined; // the next call tries again
    throw error;
  });
  return shared;
}

/** A fetch that judges requests to providers of language models before they are sent. */
export function guard(options = {}) {
  const { mode = "report", provider, strict, overlay, limit = replyKept } = options;
  if (!modes.includes(mode))
    throw new TypeError(`cando: mode is one of ${modes.join(", ")}, and not ${mode}`);
  const below = options.fetch ?? globalThis.fetch;
  const on = options.on ?? (mode === "report" ? warn : warnOfName);
  options.cando?.then?.(undefined, () => {}); // told with each call, and not before
  let own; // the engine, if it is not the shared one
  const engine = () =>
    options.cando ?? (overlay === undefined ? sharedEngine() : (own ??= load({ overlay })));
  const settings = { mode, provider, strict, limit, tell: teller(on) };

  return async function fetch(input, init) {
    const call = await begun(engine, settings, input, init);
    if (call?.reply) {
      call.signal?.throwIfAborted();
      return call.reply;
    }
    const how = call?.init ?? init;
    // Bun loses a Request's own members if an undefined comes with it.
    const reply = await (how === undefined ? below(input) : below(input, how));
    return call ? tapped(call, reply) : reply;
  };
}

// An event for the handler, whose faults are its own.
function teller(on) {
  return (event) => {
    try {
      on?.(event)?.then?.(undefined, () => {});
    } catch {
      // the call goes on
    }
  };
}

// Without a handler, `report` says what would be refused; and every mode that there is no provider of the
// name that it was given, since then next to nothing is judged. Each thing is said once.
const said = new Set();

const isWrongName = ({ code }) => code === "provider-unknown";
const warn = (event) => sayOf(event, (finding) => finding.severity === "error" || isWrongName(finding));
const warnOfName = (event) => sayOf(event, isWrongName);

function sayOf(event, isTold) {
  if (event.type !== "verdict") return;
  for (const finding of event.findings.filter(isTold)) {
    const line = `cando: ${event.provider}/${event.model}: ${finding.message} (at ${finding.path || "/"})`;
    if (said.has(line) || said.size >= saidKept) continue;
    said.add(line);
    console.warn(finding.fix ? `${line}: ${finding.fix}` : line);
  }
}

// ---- before the call -----------------------------------------------------------------------

// The request as it is judged, and what is to be done with it; undefined: nothing at all.
async function begun(engine, settings, input, init) {
  const { tell } = settings;
  let where = "request";
  try {
    const request = await outgoing(input, init);
    if (!request) return undefined;
    where = "load";
    const cando = await engine();
    where = "verdict";
    return judged(cando, settings, request, init);
  } catch (error) {
    tell({ type: "fault", where, error });
    return undefined;
  }
}

// URL, headers and body of a request that may be one to a model. undefined: it is none, or its
// body cannot be read without taking it from the one who sends it.
async function outgoing(input, init) {
  const request = typeof input?.url === "string" ? input : undefined;
  const method = init?.method ?? request?.method ?? "GET";
  if (method.toUpperCase() !== "POST") return undefined;
  const headers = new Headers(init?.headers ?? request?.headers);
  if (
    headers.has("content-encoding") ||
    !/json|^text\/plain|^$/i.test(headers.get("content-type") ?? "")
  )
    return undefined;
  const body = await bodyOf(init?.body ?? undefined, request);
  if (body === undefined || !opensObject(body)) return undefined;
  const url = addressOf(request?.url ?? String(input));
  return url && { url, headers, body, form: init?.body, signal: init?.signal ?? request?.signal };
}

// undefined: fetch itself will say what is wrong with it.
function addressOf(text) {
  try {
    return new URL(text, globalThis.location?.href);
  } catch {
    return undefined;
  }
}

// The body as text or bytes. A stream is left alone, but for the one that a Request has made of
// its body: that can be had twice.
async function bodyOf(body, request) {
  if (typeof body === "string") return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (ArrayBuffer.isView(body))
    return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  if (typeof Blob === "function" && body instanceof Blob)
    return new Uint8Array(await body.arrayBuffer());
  if (body !== undefined || !request?.body || request.bodyUsed) return undefined;
  return new Uint8Array(await request.clone().arrayBuffer());
}

function opensObject(body) {
  if (typeof body === "string") return /^\s*\{/.test(body);
  let at = 0;
  while (body[at] <= 32) at++;
  return body[at] === 123;
}

const isSigned = (headers) =>
  /^AWS4-/i.test(headers.get("authorization") ?? "") || signs.some((name) => headers.has(name));

// Judges the request: a call that says how it goes on; undefined: nobody's request to a model.
function judged(cando, settings, request, init) {
  const { mode, provider, strict, limit, tell } = settings;
  const { url, headers, body, form, signal } = request;
  const signed = mode === "repair" && isSigned(headers);
  const question = {
    op: "guard",
    url: url.href,
    mode: signed ? "report" : mode,
    provider,
    strict,
    headers: Object.fromEntries([...headers].filter(([name]) => !secret.test(name))),
  };
  const about = { call: ++calls, url: url.origin + url.pathname };
  let answer, text;
  try {
    ({ answer, text } = askWithBody(cando, question, body));
    if (takeLearnt(cando, tell, about, answer))
      ({ answer, text } = askWithBody(cando, question, body));
  } catch (error) {
    if (!(error instanceof CandoError)) throw error;
    answer = { known: false, action: "pass", reason: error.message };
  }
  const { request: _, reply, ...verdict } = answer;
  if (signed && verdict.known) verdict.reason = "the request is signed: it is sent as it came";
  tell({ type: "verdict", ...about, mode, findings: [], ...verdict });
  if (!answer.known) return undefined;
  const call = { cando, tell, limit, about, answer, signal, init };
  if (answer.action === "refuse") call.reply = refusal(reply, url);
  if (answer.action === "send")
    call.init = repaired(resultMember(text, "request"), headers, form, init);
  return call;
}

// The question with the body in it as it is, and the answer as object and as text.
function askWithBody(cando, question, body) {
  const head = `${JSON.stringify(question).slice(0, -1)},"request":`;
  const text = cando.raw(typeof body === "string" ? `${head}${body}}` : joined(head, body, "}"));
  const { ok, result, error } = JSON.parse(text);
  if (!ok) throw new CandoError(error);
  return { answer: result, text };
}

function joined(head, body, tail) {
  const [first, last] = [encoder.encode(head), encoder.encode(tail)];
  const out = new Uint8Array(first.length + body.length + last.length);
  out.set(first);
  out.set(body, first.length);
  out.set(last, first.length + body.length);
  return out;
}

// The text of a member of the result, so that what was not changed stays as it was, byte for
// byte: numbers that JavaScript would round, and the order of keys that are numbers.
function resultMember(text, name) {
  const result = memberAt(text, 0, "result");
  const at = memberAt(text, result, name);
  return text.slice(at, valueEnd(text, at));
}

// Where the value of a member begins, of the object that begins at `at`. The engine puts no space
// between members; what is inside of values may have any.
function memberAt(text, at, name) {
  for (let key = at + 1; text[key] === '"';) {
    const end = stringEnd(text, key);
    const value = end + 1;
    if (text.slice(key + 1, end - 1) === name) return value;
    key = valueEnd(text, value) + 1;
  }
  throw new Error(`no ${name} in the answer`);
}

function valueEnd(text, at) {
  for (let depth = 0; at < text.length; at++) {
    const c = text[at];
    if (c === '"') at = stringEnd(text, at) - 1;
    else if (c === "{" || c === "[") depth++;
    else if (c === "}" || c === "]") depth--;
    else if (c === "," && depth === 0) return at;
    if (depth < 0) return at;
  }
  throw new Error("the answer is cut");
}

// Behind the string that begins at `at`.
function stringEnd(text, at) {
  do at = text.indexOf('"', at + 1);
  while (at > 0 && isEscaped(text, at));
  if (at < 0) throw new Error("the answer is cut");
  return at + 1;
}

function isEscaped(text, at) {
  let from = at;
  while (text[from - 1] === "\\") from--;
  return (at - from) % 2 === 1;
}

// How the call is made with another body, in the form that it had.
function repaired(text, headers, form, init) {
  let body = text;
  if (typeof form !== "string") body = encoder.encode(text);
  if (typeof Blob === "function" && form instanceof Blob)
    body = new Blob([text], { type: form.type });
  const next = { ...init, body };
  if (headers.has("content-length")) {
    next.headers = new Headers(headers);
    next.headers.set("content-length", String(encoder.encode(text).length));
  }
  return next;
}

function refusal({ status, headers, body }, url) {
  const reply = new Response(JSON.stringify(body), {
    status,
    headers: { ...headers, "x-cando": "refused" },
  });
  return dressed(reply, { url: url.href });
}

// ---- after the call ------------------------------------------------------------------------

// The reply, whose body is looked at while the client reads it.
function tapped(call, reply) {
  try {
    const form = reply.ok
      ? readerOf(reply, call.limit)
      : learnable.includes(reply.status)
        ? new Whole(errorKept)
        : undefined;
    if (!form || !reply.body) return reply;
    if (typeof reply.body.getReader !== "function")
      throw new TypeError("the body of the reply is no ReadableStream");
    const end = (cut) => (reply.ok ? tellCost(call, form, cut) : tellLearnt(call, form));
    const { status, statusText, headers, url, redirected, type } = reply;
    const next = new Response(watched(reply.body, form, end), { status, statusText, headers });
    return dressed(next, { url, redirected, type });
  } catch (error) {
    call.tell({ type: "fault", ...call.about, where: "reply", error });
    return reply;
  }
}

// A reply says where it came from, and so does each of its clones.
function dressed(reply, members) {
  const clone = () => dressed(Response.prototype.clone.call(reply), members);
  for (const [name, value] of Object.entries({ ...members, clone }))
    Object.defineProperty(reply, name, { value, configurable: true });
  return reply;
}

// The same chunks, each as soon as it is there and only when it is asked for. Clients may stop
// reading at the last event: whether a reply was whole is told by what is in it.
function watched(body, form, end) {
  const type = isOfBytes(body) ? "bytes" : undefined;
  const reader = body.getReader();
  const finish = (cut) => {
    end?.(cut);
    end = undefined;
  };
  const source = {
    async pull(controller) {
      let next;
      try {
        do next = await reader.read();
        while (!next.done && next.value?.byteLength === 0);
      } catch (error) {
        finish(true);
        throw error;
      }
      if (next.done) {
        finish(false);
        controller.close();
        controller.byobRequest?.respond(0);
        return;
      }
      form.see(next.value);
      controller.enqueue(next.value);
    },
    cancel(reason) {
      finish(true);
      return reader.cancel(reason);
    },
  };
  return new ReadableStream({ ...source, type }, { highWaterMark: 0 });
}

// Only the chunks of such a stream belong to its reader alone: it may hand them on for good.
function isOfBytes(body) {
  try {
    body.getReader({ mode: "byob" }).releaseLock();
    return true;
  } catch {
    return false;
  }
}

// Why a reply has no cost. Where its JSON breaks says nothing outside of the question it was put into.
function reasonOf(error, cut) {
  if (cut) return "the reply was not read to its end";
  return error.code === "json-syntax" ? "the reply is no JSON" : error.message;
}

function tellCost({ cando, tell, about, answer }, form, cut) {
  const { provider, model, dialect, stream } = answer;
  const event = { type: "cost", ...about, provider, model, dialect, stream };
  try {
    const response = form.json();
    const unknown =
      form.fault ?? form.over ?? (response ? undefined : "there was no reply to read");
    if (unknown) return tell({ ...event, known: false, partial: cut, reason: unknown });
    let cost = cando.operation("cost", { response, dialect, provider });
    if (cost.total_cost === null && model) {
      const other = cando.operation("cost", {
        response,
        dialect,
        target: { provider, model },
      });
      if (other.total_cost !== null) cost = other;
    }
    tell({
      ...event,
      known: true,
      ...cost,
      model: cost.model ?? model,
      dialect,
      partial: cost.partial ?? cut,
    });
  } catch (error) {
    const told =
      error instanceof CandoError
        ? { ...event, known: false, partial: cut, reason: reasonOf(error, cut) }
        : { ...about, type: "fault", where: "cost", error };
    tell(told);
  }
  return undefined;
}

// ---- what is learnt ------------------------------------------------------------------------
//
// A rule is made as soon as a provider has refused something. It goes into the engine when the
// next request for that model comes, since that takes a while: the catalog is compiled anew.

const learnt = new WeakMap(); // by engine: what it has learnt, and the rules that wait, by model

function learntOf(cando) {
  if (!learnt.has(cando)) learnt.set(cando, { facts: new Set(), waiting: new Map() });
  return learnt.get(cando);
}

const keyOf = ({ provider, model }) => `${provider}/${model}`;

function tellLearnt({ cando, tell, about, answer }, form) {
  try {
    const { facts, waiting } = learntOf(cando);
    const { provider, model } = answer;
    if (!provider || !model || form.over || facts.size >= learntKept) return;
    const error = errorOf(form.json());
    const { rule, observations } = cando.operation("learn", {
      target: { provider, model },
      error,
    });
    // The same fact may be told in other words each time, with the number of the request.
    const fact = observations.map((o) => `${o.target} ${o.field} ${o.value}`).join("\n");
    if (!rule || facts.has(fact)) return;
    facts.add(fact);
    waiting.set(keyOf(answer), (waiting.get(keyOf(answer)) ?? "") + rule);
    tell({ type: "learnt", ...about, provider, model, observations, rule });
  } catch (error) {
    tell({ type: "fault", ...about, where: "learn", error });
  }
}

// An error reply as JSON, or as the text that it is.
function errorOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

// Puts what waits for this model into the engine; true: judge again.
function takeLearnt(cando, tell, about, answer) {
  const { waiting } = learntOf(cando);
  const rules = waiting.get(keyOf(answer));
  if (!rules) return false;
  waiting.delete(keyOf(answer));
  try {
    cando.addOverlay(rulesHead + rules);
    return true;
  } catch (error) {
    tell({ type: "fault", ...about, where: "learn", error });
    return false;
  }
}
