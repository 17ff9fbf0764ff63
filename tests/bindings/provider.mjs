// provider.mjs - a server that answers as providers of language models do: replies, streams of
// single events, tool calls, refusals in each provider's own form. What it was sent is in `seen`.
import { createServer } from "node:http";

const words = ["One", " two", " three"];
const tool = { name: "weather", arguments: { city: "Oslo" } };
const sse = (events, named) =>
  events.map(
    (e) =>
      `${named ? `event: ${e.type}\n` : ""}data: ${typeof e === "string" ? e : JSON.stringify(e)}\n\n`,
  );

// -- what each API says: a whole reply, and a stream as a list of what is sent one by one

function chat(q) {
  const usage = { prompt_tokens: 1000, completion_tokens: 200, total_tokens: 1200 };
  const base = { id: "chatcmpl-1", created: 1760000000, model: q.model };
  const calls = q.tools && [
    {
      index: 0,
      id: "call_1",
      type: "function",
      function: { name: tool.name, arguments: JSON.stringify(tool.arguments) },
    },
  ];
  const chunk = (delta, finish_reason = null, more = {}) => ({
    ...base,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason }],
    usage: null,
    ...more,
  });
  const said = calls
    ? [chunk({ role: "assistant", tool_calls: calls })]
    : words.map((content) => chunk({ role: "assistant", content }));
  return {
    reply: {
      ...base,
      object: "chat.completion",
      choices: [
        {
          index: 0,
          message: calls
            ? { role: "assistant", content: null, tool_calls: calls }
            : { role: "assistant", content: words.join("") },
          finish_reason: calls ? "tool_calls" : "stop",
        },
      ],
      usage,
    },
    stream: sse([
      ...said,
      chunk({}, calls ? "tool_calls" : "stop"),
      { ...base, object: "chat.completion.chunk", choices: [], usage },
      "[DONE]",
    ]),
  };
}

function responses(q) {
  const text = { type: "output_text", text: words.join(""), annotations: [] };
  const item = {
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    content: [text],
  };
  const response = {
    id: "resp_1",
    object: "response",
    created_at: 1760000000,
    status: "completed",
    model: q.model,
    output: [item],
    parallel_tool_calls: true,
    tools: [],
    tool_choice: "auto",
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    usage: {
      input_tokens: 1000,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 200,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 1200,
    },
  };
  const place = { item_id: "msg_1", output_index: 0, content_index: 0 };
  const events = [
    {
      type: "response.created",
      response: { ...response, status: "in_progress", output: [], usage: null },
    },
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { ...item, status: "in_progress", content: [] },
    },
    { type: "response.content_part.added", ...place, part: { ...text, text: "" } },
    ...words.map((delta) => ({
      type: "response.output_text.delta",
      ...place,
      delta,
      logprobs: [],
    })),
    { type: "response.output_text.done", ...place, text: text.text, logprobs: [] },
    { type: "response.content_part.done", ...place, part: text },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response },
  ];
  return {
    reply: response,
    stream: sse(
      events.map((e, i) => ({ ...e, sequence_number: i })),
      true,
    ),
  };
}

function messages(q) {
  const usage = {
    input_tokens: 1000,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 200,
  };
  const base = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: q.model,
    stop_sequence: null,
  };
  const block = q.tools
    ? { type: "tool_use", id: "toolu_1", name: tool.name, input: tool.arguments }
    : { type: "text", text: words.join("") };
  const stop_reason = q.tools ? "tool_use" : "end_turn";
  const deltas = q.tools
    ? [{ type: "input_json_delta", partial_json: JSON.stringify(tool.arguments) }]
    : words.map((text) => ({ type: "text_delta", text }));
  return {
    reply: { ...base, content: [block], stop_reason, usage },
    stream: sse(
      [
        {
          type: "message_start",
          message: {
            ...base,
            content: [],
            stop_reason: null,
            usage: { ...usage, output_tokens: 1 },
          },
        },
        {
          type: "content_block_start",
          index: 0,
          content_block: q.tools ? { ...block, input: {} } : { ...block, text: "" },
        },
        ...deltas.map((delta) => ({ type: "content_block_delta", index: 0, delta })),
        { type: "content_block_stop", index: 0 },
        {
          type: "message_delta",
          delta: { stop_reason, stop_sequence: null },
          usage: { output_tokens: 200 },
        },
        { type: "message_stop" },
      ],
      true,
    ),
  };
}

function gemini(q, path) {
  const model = /models\/([^:]+):/.exec(path)[1];
  const usageMetadata = {
    promptTokenCount: 1000,
    candidatesTokenCount: 200,
    totalTokenCount: 1200,
  };
  const part = (text) =>
    q.tools ? { functionCall: { name: tool.name, args: tool.arguments } } : { text };
  const chunk = (text, more = {}) => ({
    candidates: [{ content: { role: "model", parts: [part(text)] }, index: 0, ...more }],
    usageMetadata,
    modelVersion: model,
    responseId: "r1",
  });
  const last = { finishReason: "STOP" };
  const said = q.tools ? [""] : words;
  return {
    reply: chunk(words.join(""), last),
    stream: sse(said.map((w, i) => chunk(w, i === said.length - 1 ? last : {}))),
  };
}

const frame = (type, payload) => {
  const header = (name, value) =>
    Buffer.concat([
      Buffer.of(name.length),
      Buffer.from(name),
      Buffer.of(7, 0, value.length),
      Buffer.from(value),
    ]);
  const headers = Buffer.concat([
    header(":event-type", type),
    header(":content-type", "application/json"),
    header(":message-type", "event"),
  ]);
  const body = Buffer.from(JSON.stringify(payload));
  const out = Buffer.alloc(16 + headers.length + body.length);
  out.writeUInt32BE(out.length, 0);
  out.writeUInt32BE(headers.length, 4);
  headers.copy(out, 12);
  body.copy(out, 12 + headers.length);
  return out;
};

function converse() {
  const usage = { inputTokens: 1000, outputTokens: 200, totalTokens: 1200 };
  return {
    reply: {
      output: { message: { role: "assistant", content: [{ text: words.join("") }] } },
      stopReason: "end_turn",
      usage,
      metrics: { latencyMs: 5 },
    },
    type: "application/vnd.amazon.eventstream",
    stream: [
      frame("messageStart", { role: "assistant" }),
      ...words.map((text) => frame("contentBlockDelta", { contentBlockIndex: 0, delta: { text } })),
      frame("contentBlockStop", { contentBlockIndex: 0 }),
      frame("messageStop", { stopReason: "end_turn" }),
      frame("metadata", { usage, metrics: { latencyMs: 5 } }),
    ],
  };
}

function ollama(q) {
  const base = { model: q.model, created_at: "2026-11-16T00:00:00Z" };
  const counts = { done: true, done_reason: "stop", prompt_eval_count: 1000, eval_count: 200 };
  return {
    reply: { ...base, message: { role: "assistant", content: words.join("") }, ...counts },
    type: "application/x-ndjson",
    stream: [
      ...words.map((content) => ({
        ...base,
        message: { role: "assistant", content },
        done: false,
      })),
      { ...base, message: { role: "assistant", content: "" }, ...counts },
    ].map((e) => `${JSON.stringify(e)}\n`),
  };
}

const apis = [
  [/\/chat\/completions$/, chat],
  [/\/responses$/, responses],
  [/\/v1\/messages$/, messages],
  [/:(generate|streamGenerate)Content$/, gemini],
  [/\/converse(-stream)?$/, converse],
  [/\/api\/chat$/, ollama],
];

// What a provider says of a request that it does not take. A model whose name has "strict" takes no
// temperature.
const refusals = new Map([
  [
    messages,
    (message) => ({
      type: "error",
      error: { type: "invalid_request_error", message },
      request_id: "req_1",
    }),
  ],
  [gemini, (message) => ({ error: { code: 400, message, status: "INVALID_ARGUMENT" } })],
]);
const refusal = (api, message, param) =>
  refusals.get(api)?.(message) ?? {
    error: { message, type: "invalid_request_error", param, code: "unsupported_parameter" },
  };

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Starts the server, which drops no idle connection: on a slow machine that could be one that is just being used.
 *  `between(i, path)` is awaited before the event i of a stream is sent. */
export async function provider({ between } = {}) {
  const seen = [];
  const server = createServer({ keepAliveTimeout: 0 }, async (request, reply) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const path = request.url.split("?")[0];
    seen.push({ path, text, headers: request.headers, method: request.method });
    const [, api] = apis.find(([pattern]) => pattern.test(path)) ?? [];
    if (!api) return reply.writeHead(200, { "content-type": "text/plain" }).end(text || "nothing");
    const q = parsed(text);
    if (!q)
      return reply
        .writeHead(400, { "content-type": "application/json" })
        .end(JSON.stringify(refusal(api, "could not parse the body")));
    if (
      /strict/.test(path + q.model) &&
      (q.temperature ?? q.generationConfig?.temperature) !== undefined
    ) {
      const message = "Unsupported parameter: 'temperature' is not supported with this model.";
      return reply
        .writeHead(400, { "content-type": "application/json" })
        .end(JSON.stringify(refusal(api, message, "temperature")));
    }
    const { reply: whole, stream, type = "text/event-stream" } = api(q, path);
    if (!(q.stream || /stream/i.test(path) || (api === ollama && q.stream !== false))) {
      return reply
        .writeHead(200, { "content-type": "application/json", "x-request-id": "req_1" })
        .end(JSON.stringify(whole));
    }
    reply.writeHead(200, { "content-type": type, "x-request-id": "req_1" });
    for (const [i, event] of stream.entries()) {
      await between?.(i, path);
      if (reply.destroyed) return undefined;
      reply.write(event);
    }
    return reply.end();
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const origin = `http://127.0.0.1:${server.address().port}`;
  // A fetch that takes every address for this server's.
  const local = (input, init) => {
    const url = new URL(input.url ?? input);
    const here = `${origin}${url.pathname}${url.search}`;
    return fetch(input.url ? new Request(here, input) : here, init);
  };
  return {
    origin,
    seen,
    fetch: local,
    events: (name) => apis.find(([, api]) => api.name === name)[1],
    close: () => new Promise((done) => (server.closeAllConnections(), server.close(done))),
  };
}
