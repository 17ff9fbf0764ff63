// fetch.test.mjs - the guard around fetch: every form of a call, the three modes, replies, faults.
// CANDO_PACKAGE: the folder of the package. CANDO_ENGINE: "addon" or "wasm", the one that is used.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { provider } from "./provider.mjs";

const folder = resolve(process.env.CANDO_PACKAGE ?? "build/npm/package");
const { load } = await import(pathToFileURL(join(folder, "cando.js")));
const { guard } = await import(pathToFileURL(join(folder, "fetch.js")));
const today = "2026-11-16";
const engine = process.env.CANDO_ENGINE;
const cando = await load({ today, engine });
const server = await provider();
after(() => server.close());

const chatUrl = "https://api.openai.com/v1/chat/completions";
const messagesUrl = "https://api.anthropic.com/v1/messages";
const turn = [{ role: "user", content: "hi" }];
const fine = { model: "gpt-5.6-sol", messages: turn };
const mendable = { model: "gpt-5.6-sol", max_tokens: 500, messages: turn };
const refused = { model: "o3", temperature: 0.2, messages: turn };
const post = (body, more = {}) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: typeof body === "string" ? body : JSON.stringify(body),
  ...more,
});

// A guard before the local server, and the events it told.
function guarded(options = {}) {
  const events = [];
  const fetch = guard({ cando, fetch: server.fetch, on: (e) => events.push(e), ...options });
  const of = (type) => events.filter((e) => e.type === type);
  return { fetch, events, of };
}
const lastSeen = () => server.seen.at(-1);

test("report tells, and sends what it was given", async () => {
  const g = guarded();
  const body = JSON.stringify(refused);
  const reply = await g.fetch(chatUrl, post(body));
  assert.equal(reply.status, 200);
  assert.equal((await reply.json()).choices[0].message.content, "One two three");
  assert.equal(lastSeen().text, body);
  const [verdict] = g.of("verdict");
  assert.deepEqual(
    [
      verdict.known,
      verdict.action,
      verdict.verdict,
      verdict.provider,
      verdict.dialect,
      verdict.model,
    ],
    [true, "pass", "reject", "openai", "openai-chat", "o3"],
  );
  assert.ok(verdict.findings.some((f) => f.path === "/temperature" && f.severity === "error"));
  assert.equal(verdict.url, chatUrl);
});

test("repair sends the safe rewrite, and nothing else changes", async () => {
  const g = guarded({ mode: "repair" });
  const body =
    '{"model": "gpt-5.6-sol", "max_tokens":500, "seed":12345678901234567890, "metadata":{"10":"b\\u00fc","9":"\\"}]"}, "messages":[{"role":"user","content":"hi"}]}';
  await (await g.fetch(chatUrl, post(body))).text();
  assert.equal(lastSeen().text, body.replace("max_tokens", "max_completion_tokens"));
  assert.equal(g.of("verdict")[0].action, "send");
});

test("repair sends what it cannot mend as it came, and tells", async () => {
  const g = guarded({ mode: "repair" });
  const body = JSON.stringify(refused);
  assert.equal((await g.fetch(chatUrl, post(body))).status, 200);
  assert.equal(lastSeen().text, body);
  assert.deepEqual([g.of("verdict")[0].action, g.of("verdict")[0].verdict], ["pass", "reject"]);
});

test("reject answers in the provider's own form, without a call", async () => {
  const g = guarded({ mode: "reject" });
  const before = server.seen.length;
  const reply = await g.fetch(chatUrl, post(refused));
  assert.equal(server.seen.length, before);
  assert.equal(reply.status, 400);
  assert.equal(reply.url, chatUrl);
  assert.equal(reply.headers.get("x-cando"), "refused");
  assert.match(reply.headers.get("content-type"), /^application\/json/);
  const { error } = await reply.json();
  assert.equal(error.param, "temperature");
  assert.equal(error.type, "invalid_request_error");
  assert.ok(error.code);
  assert.match(error.message, /temperature/);
  const other = await (
    await g.fetch(
      messagesUrl,
      post({ model: "claude-opus-4-5", max_tokens: 9, temperature: 1.5, messages: turn }),
    )
  ).json();
  assert.deepEqual([other.type, other.error.type], ["error", "invalid_request_error"]);
  assert.equal((await g.fetch(chatUrl, post(fine))).status, 200);
});

const bytes = (body) => new TextEncoder().encode(JSON.stringify(body));
const streamOf = (body) =>
  new ReadableStream({ start: (c) => (c.enqueue(bytes(body)), c.close()) });
const forms = {
  "a string and init": (body) => [chatUrl, post(body)],
  "a URL and init": (body) => [new URL(chatUrl), post(body)],
  bytes: (body) => [chatUrl, post(body, { body: bytes(body) })],
  "a part of a buffer": (body) => {
    const all = new Uint8Array(bytes(body).length + 20).fill(7);
    all.set(bytes(body), 10);
    return [chatUrl, post(body, { body: all.subarray(10, all.length - 10) })];
  },
  "a DataView": (body) => [chatUrl, post(body, { body: new DataView(bytes(body).buffer) })],
  "an ArrayBuffer": (body) => [chatUrl, post(body, { body: bytes(body).buffer })],
  "a Blob": (body) => [
    chatUrl,
    { method: "post", body: new Blob([JSON.stringify(body)], { type: "application/json" }) },
  ],
  "a Request": (body) => [new Request(chatUrl, post(body))],
  "a Request of bytes": (body) => [new Request(chatUrl, post(body, { body: bytes(body) }))],
  "a Request of a stream": (body) => [
    new Request(chatUrl, post(body, { body: streamOf(body), duplex: "half" })),
  ],
  "a Request and a body of init": (body) => [
    new Request(chatUrl, { method: "POST", headers: { "content-type": "application/json" } }),
    { body: JSON.stringify(body) },
  ],
  "a Request and headers of init": (body) => [
    new Request(chatUrl, post(body)),
    { headers: { "content-type": "application/json", "x-mine": "1" } },
  ],
  Headers: (body) => [
    chatUrl,
    post(body, { headers: new Headers({ "Content-Type": "application/json; charset=utf-8" }) }),
  ],
  "pairs of headers": (body) => [
    chatUrl,
    post(body, { headers: [["content-type", "application/json"]] }),
  ],
  "a length": (body) => [
    chatUrl,
    post(body, {
      headers: {
        "content-type": "application/json",
        "content-length": String(bytes(body).length),
      },
    }),
  ],
  "a Request with a length": (body) => [
    new Request(
      chatUrl,
      post(body, {
        headers: {
          "content-type": "application/json",
          "content-length": String(bytes(body).length),
        },
      }),
    ),
  ],
  "no content-type": (body) => [chatUrl, { method: "POST", body: JSON.stringify(body) }],
};
for (const [name, form] of Object.entries(forms)) {
  test(`a call with ${name}: passed on, repaired, refused`, async () => {
    const body = { ...mendable, messages: [{ role: "user", content: "grüße \u{1F600}" }] };
    const pass = guarded();
    assert.equal((await pass.fetch(...form(body))).status, 200);
    assert.deepEqual(JSON.parse(lastSeen().text), body);
    assert.equal(pass.of("verdict")[0]?.verdict, "rewrite");
    const unchanged = lastSeen().headers;
    const mend = guarded({ mode: "repair" });
    assert.equal((await mend.fetch(...form(body))).status, 200);
    const { max_tokens, ...rest } = body;
    assert.deepEqual(JSON.parse(lastSeen().text), {
      ...rest,
      max_completion_tokens: max_tokens,
    });
    assert.equal(lastSeen().headers["content-length"], String(Buffer.byteLength(lastSeen().text)));
    const kept = ({ "content-length": _, "transfer-encoding": __, ...others }) => others;
    assert.deepEqual(kept(lastSeen().headers), kept(unchanged));
    const before = server.seen.length;
    assert.equal((await guarded({ mode: "reject" }).fetch(...form(refused))).status, 400);
    assert.equal(server.seen.length, before);
    assert.deepEqual([...pass.of("fault"), ...mend.of("fault")], []);
  });
}

test("what is no request to a model passes untouched, with no engine at all", async () => {
  const broken = { raw: () => assert.fail("it was asked") };
  const g = guarded({ mode: "reject", cando: broken });
  const form = new FormData();
  form.set("a", "b");
  const calls = [
    ["https://api.openai.com/v1/models"],
    [chatUrl, { method: "GET" }],
    [chatUrl, { method: "PUT", body: JSON.stringify(refused) }],
    ["https://api.openai.com/v1/files", { method: "POST", body: form }],
    [chatUrl, { method: "POST", body: new URLSearchParams({ a: "b" }) }],
    [chatUrl, { method: "POST", body: streamOf(refused), duplex: "half" }],
    [
      chatUrl,
      post(refused, {
        headers: { "content-type": "application/json", "content-encoding": "gzip" },
      }),
    ],
    [chatUrl, post("[1,2]")],
    [chatUrl, { method: "POST" }],
  ];
  for (const call of calls) assert.ok((await g.fetch(...call)).status);
  assert.deepEqual(g.events, []);
});

test("an address that nobody has passes, and the event says why", async () => {
  const g = guarded({ mode: "reject" });
  assert.equal(
    (await g.fetch("https://example.com/v1/chat/completions?key=secret", post(refused))).status,
    200,
  );
  assert.equal(
    (await g.fetch("https://api.openai.com/v1/embeddings", post({ model: "x", input: "y" })))
      .status,
    200,
  );
  assert.equal((await g.fetch(chatUrl, post('{"model":'))).status, 400);
  for (const e of g.of("verdict"))
    assert.deepEqual([e.known, e.action, typeof e.reason], [false, "pass", "string"]);
  assert.equal(g.of("verdict")[0].url, "https://example.com/v1/chat/completions");
  assert.equal(g.of("fault").length + g.of("cost").length, 0);
});

test("an address with steps up and down is the one that it leads to", async () => {
  const g = guarded({ mode: "reject" });
  for (const path of ["/v1/../v1/./chat/completions", "/x/%2e%2E/v1/chat/completions"])
    assert.equal((await g.fetch(`https://api.openai.com${path}`, post(refused))).status, 400);
  const away = "https://api.openai.com/v1/chat/completions/../../files";
  assert.equal((await g.fetch(away, post(refused))).status, 200);
  assert.deepEqual(
    g.of("verdict").map((e) => e.known),
    [true, true, false],
  );
});

test("what is no address is fetch's to say", async () => {
  const g = guarded({ fetch: globalThis.fetch });
  await assert.rejects(g.fetch("/v1/chat/completions", post(fine)), TypeError);
  await assert.rejects(g.fetch(undefined, post(fine)), TypeError);
  assert.deepEqual(g.events, []);
});

test("an address of one's own is named", async () => {
  const g = guarded({ mode: "reject", provider: "openai", fetch: globalThis.fetch });
  assert.equal((await g.fetch(`${server.origin}/v1/chat/completions`, post(refused))).status, 400);
  assert.equal((await g.fetch(`${server.origin}/v1/chat/completions`, post(fine))).status, 200);
});

test("a model that nobody knows is an error if that is wanted", async () => {
  const body = { model: "gpt-nobody-knows", messages: turn };
  assert.equal((await guarded({ mode: "reject" }).fetch(chatUrl, post(body))).status, 200);
  const reply = await guarded({ mode: "reject", strict: true }).fetch(chatUrl, post(body));
  assert.deepEqual([reply.status, (await reply.json()).error.code], [404, "model_not_found"]);
});

test("a signed request is never changed", async () => {
  const g = guarded({ mode: "repair" });
  for (const signed of [
    { authorization: "AWS4-HMAC-SHA256 Credential=x" },
    { "content-digest": "sha-256=:x:" },
  ]) {
    await g.fetch(
      chatUrl,
      post(mendable, { headers: { "content-type": "application/json", ...signed } }),
    );
    assert.equal(lastSeen().text, JSON.stringify(mendable));
  }
  for (const e of g.of("verdict"))
    assert.deepEqual([e.action, /signed/.test(e.reason)], ["pass", true]);
});

test("signals: before the call, while the engine loads, in the middle of a stream", async () => {
  const aborted = AbortSignal.abort(new Error("enough"));
  for (const mode of ["report", "repair", "reject"])
    await assert.rejects(
      guarded({ mode }).fetch(chatUrl, post(refused, { signal: aborted })),
      /enough/,
    );
  await assert.rejects(
    guarded({ mode: "reject" }).fetch(new Request(chatUrl, post(refused, { signal: aborted }))),
  );
  const later = new AbortController();
  const call = guarded({
    mode: "reject",
    cando: new Promise((done) => setImmediate(() => (later.abort(), done(cando)))),
  }).fetch(chatUrl, post(refused, { signal: later.signal }));
  await assert.rejects(call, { name: "AbortError" });
  const middle = new AbortController();
  const stuck = await provider({ between: (i) => (i ? new Promise(() => {}) : undefined) });
  const g = guarded({ fetch: stuck.fetch });
  const reply = await g.fetch(chatUrl, post({ ...fine, stream: true }, { signal: middle.signal }));
  const reader = reply.body.getReader();
  await reader.read();
  middle.abort();
  await assert.rejects(
    async () => {
      while (!(await reader.read()).done);
    },
    { name: "AbortError" },
  );
  assert.deepEqual(
    [g.of("cost").length, g.of("cost")[0].partial, g.of("fault").length],
    [1, true, 0],
  );
  await stuck.close();
});

test("a reply is as it came, with what is known of it", async () => {
  const g = guarded();
  const reply = await g.fetch(chatUrl, post(fine));
  assert.equal(reply.headers.get("x-request-id"), "req_1");
  assert.equal(reply.url, `${server.origin}/v1/chat/completions`);
  assert.deepEqual([reply.ok, reply.redirected, reply.type], [true, false, "basic"]);
  const copy = reply.clone();
  assert.deepEqual([copy.url, copy.clone().type], [reply.url, "basic"]);
  assert.deepEqual(await copy.json(), await reply.json());
  assert.equal(g.of("cost").length, 1);
});

const urls = {
  chat: [chatUrl, fine],
  responses: ["https://api.openai.com/v1/responses", { model: "gpt-5.6-sol", input: "hi" }],
  messages: [messagesUrl, { model: "claude-opus-4-5", max_tokens: 100, messages: turn }],
  gemini: [
    "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent",
    { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
  ],
  converse: [
    "https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude-opus-4-5-20251101-v1%3A0/converse",
    { messages: [{ role: "user", content: [{ text: "hi" }] }] },
  ],
  ollama: ["https://ollama.com/api/chat", { model: "gpt-oss:120b", messages: turn, stream: false }],
};
for (const [name, [url, body]] of Object.entries(urls)) {
  test(`what a reply cost, and a stream: ${name}`, async () => {
    const g = guarded();
    const stream = url
      .replace(":generateContent", ":streamGenerateContent?alt=sse")
      .replace(/converse$/, "converse-stream");
    const asked = stream === url ? { ...body, stream: true } : body;
    const plain = await (await server.fetch(stream, post(asked))).arrayBuffer();
    assert.ok((await g.fetch(url, post(body))).ok);
    await (await g.fetch(url, post(body))).arrayBuffer();
    assert.deepEqual(await (await g.fetch(stream, post(asked))).arrayBuffer(), plain);
    const [whole, streamed] = g.of("cost");
    for (const cost of [whole, streamed]) {
      assert.deepEqual(
        [cost.known, cost.usage?.input_tokens, cost.usage?.output_tokens, cost.partial],
        [true, 1000, 200, false],
        JSON.stringify(cost),
      );
      assert.equal(cost.currency, "USD");
    }
    if (name !== "ollama") assert.match(whole.total_cost, /^0\.\d+$/);
    assert.equal(streamed.total_cost, whole.total_cost);
    assert.deepEqual([whole.stream, streamed.stream], [false, true]);
    assert.deepEqual(g.of("fault"), []);
    const byCall = g.of("verdict").map((e) => e.call);
    assert.deepEqual([whole.call, streamed.call], byCall.slice(1));
  });
}

test("each event is there before the next is sent, and only then", async () => {
  let arrived;
  const slow = await provider({
    between: (i) => (i ? new Promise((done) => (arrived = done)) : undefined),
  });
  const g = guarded({ fetch: slow.fetch });
  const reply = await g.fetch(chatUrl, post({ ...fine, stream: true }));
  let events = 0;
  for await (const chunk of reply.body) {
    const text = Buffer.from(chunk).toString();
    assert.equal(text.match(/data: /g).length, 1);
    events++;
    if (!text.includes("[DONE]")) {
      while (!arrived) await new Promise((done) => setImmediate(done));
      const go = arrived;
      arrived = undefined;
      go();
    }
  }
  assert.equal(events, 6);
  assert.equal(g.of("cost")[0].usage.output_tokens, 200);
  await slow.close();
});

test("nothing is read before the client reads", async () => {
  let pulled = 0;
  const body = new ReadableStream(
    { pull: (c) => (pulled++, c.enqueue(new TextEncoder().encode("data: {}\n\n"))) },
    { highWaterMark: 0 },
  );
  const g = guarded({
    fetch: async () => new Response(body, { headers: { "content-type": "text/event-stream" } }),
  });
  const reply = await g.fetch(chatUrl, post(fine));
  await new Promise((done) => setImmediate(done));
  assert.equal(pulled, 0);
  const reader = reply.body.getReader();
  await reader.read();
  await reader.read();
  assert.equal(pulled, 2);
  await reader.cancel();
  assert.equal(g.of("cost")[0].partial, true);
});

test("a stream of bytes can be read into a buffer of one's own", async () => {
  const reply = await guarded().fetch(chatUrl, post(fine));
  const reader = reply.body.getReader({ mode: "byob" });
  let text = "";
  for (;;) {
    const { done, value } = await reader.read(new Uint8Array(7));
    if (done) break;
    text += Buffer.from(value).toString();
  }
  assert.equal(JSON.parse(text).usage.total_tokens, 1200);
});

test("a client that stops reading ends the call below", async () => {
  let cancelled;
  const body = new ReadableStream({
    pull: (c) => c.enqueue(new TextEncoder().encode("data: {}\n\n")),
    cancel: (why) => (cancelled = why),
  });
  const g = guarded({
    fetch: async () => new Response(body, { headers: { "content-type": "text/event-stream" } }),
  });
  const reply = await g.fetch(chatUrl, post({ ...fine, stream: true }));
  for await (const _ of reply.body) break;
  await new Promise((done) => setImmediate(done));
  assert.ok(cancelled === undefined || cancelled);
  assert.equal(g.of("cost").length, 1);
});

test("a reply that is too long is passed on whole, and its cost is not computed", async () => {
  const long = JSON.stringify({
    text: "x".repeat(100_000),
    usage: { prompt_tokens: 1, completion_tokens: 1 },
  });
  for (const [type, text] of [
    ["application/json", long],
    ["text/event-stream", `data: ${long}\n\n`.repeat(3)],
    ["application/x-ndjson", `${long}\n`],
    ["text/event-stream", `data: ${"x".repeat(200_000)}`],
    ["application/vnd.amazon.eventstream", "\x7f".repeat(99_999)],
  ]) {
    const g = guarded({
      limit: 50_000,
      fetch: async () => new Response(text, { headers: { "content-type": type } }),
    });
    assert.equal(await (await g.fetch(chatUrl, post(fine))).text(), text);
    assert.deepEqual(
      [g.of("cost").length, g.of("cost")[0].known, g.of("fault").length],
      [1, false, 0],
      type,
    );
    assert.match(g.of("cost")[0].reason, /more than 50000 bytes/);
  }
});

test("a long stream of short events is no trouble: what has no counts is not kept", async () => {
  const chunk = (more) =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model: "gpt-5.6-sol", choices: [{ index: 0, delta: { content: 'the usage":{' }, finish_reason: null }], usage: null, ...more })}\r\n\r\n`;
  const last = chunk({
    choices: [],
    usage: { prompt_tokens: 1000, completion_tokens: 200, total_tokens: 1200 },
  });
  const text = chunk().repeat(5_000) + last + "data: [DONE]\r\n\r\n";
  const g = guarded({
    limit: 10_000,
    fetch: async () =>
      new Response(text, { headers: { "content-type": "text/event-stream; charset=utf-8" } }),
  });
  assert.equal(await (await g.fetch(chatUrl, post({ ...fine, stream: true }))).text(), text);
  assert.deepEqual([g.of("cost")[0].known, g.of("cost")[0].usage.output_tokens], [true, 200]);
});

test("chunks may be cut anywhere", async () => {
  for (const name of ["chat", "messages", "converse", "ollama"]) {
    const [url, body] = urls[name];
    const stream = url.replace(/converse$/, "converse-stream");
    const whole = await server.fetch(stream, post({ ...body, stream: true }));
    const bytes = new Uint8Array(await whole.arrayBuffer());
    for (const size of [1, 7, 4096]) {
      const parts = new ReadableStream({
        start(c) {
          for (let at = 0; at < bytes.length; at += size) c.enqueue(bytes.slice(at, at + size));
          c.close();
        },
      });
      const g = guarded({
        fetch: async () => new Response(parts, { headers: whole.headers }),
      });
      assert.deepEqual(
        new Uint8Array(
          await (await g.fetch(stream, post({ ...body, stream: true }))).arrayBuffer(),
        ),
        bytes,
      );
      assert.equal(g.of("cost")[0].usage?.output_tokens, 200, `${name} in parts of ${size}`);
    }
  }
});

test("a long line or frame in small parts takes no longer than its bytes", async () => {
  const long = JSON.stringify({
    id: "c",
    model: "gpt-5.6-sol",
    text: "x".repeat(1_000_000),
    usage: { prompt_tokens: 1000, completion_tokens: 200 },
  });
  const framed = Buffer.alloc(1_000_016);
  framed.writeUInt32BE(framed.length, 0);
  for (const [type, bytes] of [
    ["text/event-stream", Buffer.from(`data: ${long}\n\n`)],
    ["application/x-ndjson", Buffer.from(long)],
    ["application/vnd.amazon.eventstream", framed],
  ]) {
    let at = 0;
    const parts = new ReadableStream({
      pull(c) {
        if (at >= bytes.length) return c.close();
        return c.enqueue(new Uint8Array(bytes.subarray(at, (at += 500))));
      },
    });
    const g = guarded({
      fetch: async () => new Response(parts, { headers: { "content-type": type } }),
    });
    assert.equal(
      (await (await g.fetch(chatUrl, post({ ...fine, stream: true }))).arrayBuffer()).byteLength,
      bytes.length,
    );
    assert.equal(g.of("cost")[0].known, bytes !== framed);
  }
});

test("hostile replies are passed on, and cost nothing", async () => {
  const frame = (size, headers) => {
    const b = Buffer.alloc(64, 255);
    b.writeUInt32BE(size, 0);
    b.writeUInt32BE(headers, 4);
    return b;
  };
  const texts = [
    "",
    "{",
    "data: {\n\n",
    "data: {}\n\ndata: {]\n\n",
    ": only a comment\n\n",
    "\u0000\ufffd",
    "data: " + "[".repeat(9_999),
    frame(64, 2 ** 31),
    frame(64, 64),
    frame(16, 0),
    frame(3, 0),
    frame(2 ** 32 - 1, 0),
  ];
  for (const type of [
    "application/json",
    "text/event-stream",
    "application/x-ndjson",
    "application/vnd.amazon.eventstream",
  ]) {
    for (const text of texts) {
      const g = guarded({
        fetch: async () => new Response(text, { headers: { "content-type": type } }),
      });
      assert.deepEqual(
        Buffer.from(await (await g.fetch(chatUrl, post({ ...fine, stream: true }))).arrayBuffer()),
        Buffer.from(text),
      );
      assert.deepEqual(
        [g.of("cost").length, g.of("cost")[0].total_cost ?? null, g.of("fault")],
        [1, null, []],
        `${type}: ${text}`,
      );
    }
  }
});

test("of every stream in the cases, what is kept says the same as the whole", async () => {
  const file = new URL("../cases/usage.jsonl", import.meta.url);
  let streams = 0;
  for (const line of readFileSync(file, "utf8").split("\n").filter(Boolean)) {
    const { id, in: question } = JSON.parse(line);
    if (!Array.isArray(question?.response) || question.dialect || question.provider) continue;
    const text = question.response.map((e) => `data: ${JSON.stringify(e)}\n\n`).join("");
    const kept = [];
    const spy = {
      raw: (q) => cando.raw(q),
      operation: (op, q) => (op === "cost" && kept.push(q.response), cando.operation(op, q)),
    };
    const g = guarded({
      cando: spy,
      fetch: async () => new Response(text, { headers: { "content-type": "text/event-stream" } }),
    });
    await (await g.fetch(chatUrl, post({ ...fine, stream: true }))).text();
    if (!kept.length) continue;
    assert.deepEqual(
      cando.usage({ response: kept[0] }),
      cando.usage({ response: question.response }),
      id,
    );
    streams++;
  }
  assert.ok(streams > 10, `${streams} streams`);
});

test("a refusal is learnt, and the next such request is judged with it", async () => {
  const mine = await load({ today, engine });
  const body = { model: "gpt-strict-9", temperature: 0.2, messages: turn };
  const g = guarded({ mode: "reject", cando: mine });
  const first = await g.fetch(chatUrl, post(body));
  assert.equal(first.status, 400);
  assert.equal((await first.json()).error.param, "temperature");
  const [learnt] = g.of("learnt");
  assert.deepEqual(
    [learnt.provider, learnt.model, learnt.observations[0].field, learnt.observations[0].value],
    ["openai", "gpt-strict-9", "temperature", "unsupported"],
  );
  const before = server.seen.length;
  const second = await g.fetch(chatUrl, post(body));
  assert.equal(second.status, 400);
  assert.equal(second.headers.get("x-cando"), "refused");
  assert.equal((await second.json()).error.param, "temperature");
  assert.equal(server.seen.length, before);
  const { temperature, ...without } = body;
  assert.equal((await g.fetch(chatUrl, post(without))).status, 200);
  assert.equal(
    (await guarded({ mode: "reject", cando: mine }).fetch(chatUrl, post(body))).status,
    400,
  );
  assert.equal(server.seen.length, before + 1);
  assert.deepEqual([g.of("learnt").length, g.of("fault").length], [1, 0]);
  assert.equal(
    (await guarded({ mode: "reject" }).fetch(chatUrl, post(body))).headers.get("x-cando"),
    null,
  );
});

test("what is told again in other words is learnt once", async () => {
  let overlays = 0;
  const mine = await load({ today, engine });
  const spy = {
    raw: (q) => mine.raw(q),
    operation: (op, q) => mine.operation(op, q),
    addOverlay: (text) => (overlays++, mine.addOverlay(text)),
  };
  let n = 0;
  const below = async () => {
    const message = `Unsupported parameter: 'temperature' is not supported with this model. (${n++})`;
    return Response.json({ error: { message } }, { status: 400 });
  };
  const g = guarded({ cando: spy, fetch: below });
  const body = { model: "gpt-strict-7", temperature: 0.2, messages: turn };
  for (let i = 0; i < 5; i++) await (await g.fetch(chatUrl, post(body))).text();
  assert.deepEqual([n, g.of("learnt").length, overlays], [5, 1, 1]);
  assert.deepEqual(
    g.of("verdict").map((e) => e.verdict),
    ["ok", "reject", "reject", "reject", "reject"],
  );
});

test("what teaches nothing is passed on alone", async () => {
  for (const [status, text, type] of [
    [400, "no JSON", "text/plain"],
    [400, "", "application/json"],
    [400, "x".repeat(100_000), "text/plain"],
    [429, '{"error":{"message":"slow down"}}', "application/json"],
    [500, "oops", "text/plain"],
  ]) {
    const g = guarded({
      fetch: async () => new Response(text, { status, headers: { "content-type": type } }),
    });
    const reply = await g.fetch(chatUrl, post(fine));
    assert.deepEqual([reply.status, await reply.text()], [status, text]);
    assert.deepEqual(
      g.events.map((e) => e.type),
      ["verdict"],
    );
  }
});

test("a fault in here breaks no call", async () => {
  const faults = {
    load: { cando: Promise.reject(new Error("no engine")) },
    verdict: {
      cando: {
        raw: () => {
          throw new Error("broken");
        },
      },
    },
    reply: {
      fetch: async () => ({
        ok: true,
        status: 200,
        headers: new Headers(),
        body: "a node stream",
        json: async () => ({}),
      }),
    },
    cost: {
      cando: {
        raw: (q) => cando.raw(q),
        operation: () => {
          throw new Error("broken");
        },
      },
    },
  };
  for (const [where, options] of Object.entries(faults)) {
    const g = guarded({ mode: "reject", ...options });
    const reply = await g.fetch(chatUrl, post(fine));
    assert.equal(reply.status, 200);
    await reply.json();
    assert.deepEqual(
      g.of("fault").map((e) => e.where),
      [where],
    );
    assert.ok(g.of("fault")[0].error instanceof Error);
  }
  const g = guarded({
    cando: { raw: () => '{"ok":true,"result":{"known":true,"action":"send","findings":[]}}' },
  });
  assert.equal((await g.fetch(chatUrl, post(fine))).status, 200);
  assert.deepEqual(
    g.of("fault").map((e) => e.where),
    ["verdict"],
  );
});

test("a handler that throws breaks nothing, at once or later", async () => {
  for (const on of [
    () => {
      throw new Error("mine");
    },
    async () => {
      throw new Error("mine");
    },
  ]) {
    const reply = await guarded({ mode: "reject", on }).fetch(
      chatUrl,
      post({ ...fine, stream: true }),
    );
    assert.match(await reply.text(), /\[DONE\]/);
  }
});

test("errors of the call below are the caller's", async () => {
  const g = guarded({
    fetch: async () => {
      throw new TypeError("fetch failed");
    },
  });
  await assert.rejects(g.fetch(chatUrl, post(fine)), /fetch failed/);
  assert.equal(g.of("fault").length, 0);
  const half = (c) => c.enqueue(new TextEncoder().encode('{"id":'));
  const pull = (c) => c.error(new TypeError("terminated"));
  const broken = guarded({
    fetch: async () => new Response(new ReadableStream({ start: half, pull }, { highWaterMark: 0 })),
  });
  await assert.rejects((await broken.fetch(chatUrl, post(fine))).text(), /terminated/);
  assert.equal(broken.of("cost")[0].reason, "the reply was not read to its end");
  const torn = guarded({ fetch: async () => new Response('{"id":') });
  await (await torn.fetch(chatUrl, post(fine))).text();
  assert.equal(torn.of("cost")[0].reason, "the reply is no JSON");
  const cut = new ReadableStream({ pull });
  const h = guarded({
    fetch: async () => new Response(cut, { headers: { "content-type": "text/event-stream" } }),
  });
  await assert.rejects((await h.fetch(chatUrl, post(fine))).text(), /terminated/);
  assert.equal(h.of("cost")[0].partial, true);
});

test("options: one engine for all, rules of one's own, and mistakes are said at once", async () => {
  assert.throws(() => guard({ mode: "rejct" }), /report, repair, reject/);
  const events = [];
  const both = [1, 2].map(() =>
    guard({ fetch: server.fetch, mode: "reject", on: (e) => events.push(e) }),
  );
  const statuses = await Promise.all(both.map(async (f) => (await f(chatUrl, post(fine))).status));
  assert.deepEqual(statuses, [200, 200]);
  const overlay =
    'schema = "cando/rules@1"\n[[rules]]\nproviders = ["openai"]\nmatch = { exact = "gpt-mine" }\nset = { temperature = "unsupported" }\n';
  const body = { model: "gpt-mine", temperature: 0.2, messages: turn };
  assert.equal(
    (await guard({ fetch: server.fetch, mode: "reject", overlay, on() {} })(chatUrl, post(body)))
      .status,
    400,
  );
  assert.equal((await both[0](chatUrl, post(body))).status, 200);
  assert.ok(events.every((e) => e.type !== "fault"));
});

test("without a handler, report says what would be refused", async (t) => {
  const said = t.mock.method(console, "warn", () => {});
  await guard({ cando, fetch: server.fetch })(chatUrl, post(refused));
  await guard({ cando, fetch: server.fetch })(chatUrl, post(refused));
  await guard({ cando, fetch: server.fetch })(chatUrl, post(fine));
  await guard({ cando, fetch: server.fetch, mode: "repair" })(chatUrl, post(refused));
  assert.equal(said.mock.callCount(), 1);
  assert.match(
    said.mock.calls[0].arguments[0],
    /^cando: openai\/o3: .*temperature.*\(at \/temperature\)/,
  );
});

test("a provider that nobody knows is told in every mode", async (t) => {
  const said = t.mock.method(console, "warn", () => {});
  const lines = () => said.mock.calls.map((c) => c.arguments[0]);
  for (const [provider, mode] of [["opnai", "reject"], ["antropic", "report"], ["mistrall", "repair"]]) {
    const fetch = guard({ cando, fetch: server.fetch, mode, provider });
    for (let i = 0; i < 2; i++) await (await fetch("https://gate.test/v1/chat/completions", post(fine))).text();
    const one = lines().filter((line) => line.includes(`no provider is called '${provider}'`));
    assert.equal(one.length, 1, mode);
    assert.match(one[0], /did you mean '(openai|anthropic|mistral)'/);
  }
  const known = guard({ cando, fetch: server.fetch, mode: "reject", provider: "openai" });
  await (await known("https://gate.test/v1/chat/completions", post(mendable))).text();
  assert.equal(lines().length, 3);
});

test("in place of the global fetch", async () => {
  const real = globalThis.fetch;
  globalThis.fetch = server.fetch;
  try {
    globalThis.fetch = guard({ cando, mode: "reject", on() {} });
    assert.equal((await fetch(chatUrl, post(refused))).status, 400);
  } finally {
    globalThis.fetch = real;
  }
});

test("10,000 calls do not grow memory", async () => {
  const whole = JSON.stringify({
    id: "c",
    object: "chat.completion",
    model: "gpt-5.6-sol",
    choices: [],
    usage: { prompt_tokens: 1000, completion_tokens: 200 },
  });
  const below = async (_url, init) =>
    new Response(init.body.includes("stream") ? `data: ${whole}\n\n`.repeat(3) : whole, {
      headers: {
        "content-type": init.body.includes("stream") ? "text/event-stream" : "application/json",
      },
    });
  let costs = 0;
  const f = guard({
    cando,
    fetch: below,
    mode: "repair",
    on: (e) => (costs += e.type === "cost" && e.known),
  });
  const calls = async (n) => {
    for (let i = 0; i < n; i++)
      await (await f(chatUrl, post(i % 2 ? mendable : { ...mendable, stream: true }))).text();
    globalThis.gc?.();
    const { heapUsed, arrayBuffers, external } = process.memoryUsage();
    return heapUsed + arrayBuffers + external;
  };
  const before = await calls(1_000);
  const grown = (await calls(10_000)) - before;
  assert.equal(costs, 11_000);
  assert.ok(grown < 4_000_000, `${grown} bytes`);
});
