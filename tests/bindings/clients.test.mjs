// clients.test.mjs - the guard in the hands of the official clients, before a server that answers
// as the providers do. Runs where the clients are installed: clients.sh.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { ApiError, GoogleGenAI } from "@google/genai";
import { APICallError, generateText, jsonSchema, streamText, tool } from "ai";
import OpenAI, { AzureOpenAI } from "openai";
import { load } from "cando";
import { guard } from "cando/fetch";
import { provider } from "./provider.mjs";

globalThis.AI_SDK_LOG_WARNINGS = false;
const today = "2026-11-16";
const cando = await load({ today });

// How far a client has come: the server sends no event before the client has the one before it.
let got = 0;
let wanted = 0;
let silent = 0;
let wake = () => {};
const came = () => (got++, wake());
const server = await provider({
  async between(i) {
    while (i <= wanted + silent && got < i - silent) await new Promise((done) => (wake = done));
  },
});
after(() => server.close());

const schema = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const said = "One two three";
const city = { city: "Oslo" };
const turn = [{ role: "user", content: "hi" }];

// What one does with a client, in its own words. `ask` and `stream` take members of a request and
// give the text; `stream` says of each thing that comes that it came. `steps` is how many of them
// come one for one, after some that the client says nothing of.
const kinds = {
  "openai, chat": {
    client: (fetch) => new OpenAI({ apiKey: "x", fetch }),
    ask: async (c, more) =>
      (await c.chat.completions.create({ model: "gpt-5.6-sol", messages: turn, ...more }))
        .choices[0].message.content,
    tools: async (c) =>
      JSON.parse(
        (
          await c.chat.completions.create({
            model: "gpt-5.6-sol",
            messages: turn,
            tools: [{ type: "function", function: { name: "weather", parameters: schema } }],
          })
        ).choices[0].message.tool_calls[0].function.arguments,
      ),
    steps: 5,
    async stream(c, more) {
      let text = "";
      for await (const chunk of await c.chat.completions.create({
        model: "gpt-5.6-sol",
        messages: turn,
        stream: true,
        ...more,
      })) {
        came();
        text += chunk.choices[0]?.delta.content ?? "";
      }
      return text;
    },
    mendable: [
      { max_tokens: 500 },
      (sent) => sent.max_completion_tokens === 500 && !("max_tokens" in sent),
    ],
    refused: { model: "o3", temperature: 0.2 },
    strict: { model: "gpt-strict-9", temperature: 0.2 },
    error: (e) =>
      e instanceof OpenAI.BadRequestError &&
      e.status === 400 &&
      e.param === "temperature" &&
      e.code &&
      e.type === "invalid_request_error",
  },
  "openai, responses": {
    client: (fetch) => new OpenAI({ apiKey: "x", fetch }),
    ask: async (c, more) =>
      (await c.responses.create({ model: "gpt-5.6-sol", input: "hi", ...more })).output_text,
    steps: 10,
    async stream(c, more) {
      let text = "";
      for await (const event of await c.responses.create({
        model: "gpt-5.6-sol",
        input: "hi",
        stream: true,
        ...more,
      })) {
        came();
        if (event.type === "response.output_text.delta") text += event.delta;
      }
      return text;
    },
    mendable: [
      { max_tokens: 100 },
      (sent) => sent.max_output_tokens === 100 && !("max_tokens" in sent),
    ],
    refused: { temperature: 0.2 },
    strict: { model: "gpt-strict-8", temperature: 0.2 },
    error: (e) =>
      e instanceof OpenAI.BadRequestError &&
      e.status === 400 &&
      e.param === "temperature" &&
      e.code,
  },
  anthropic: {
    // The version before the one that has no sampling parameters: one is to be learnt.
    client: (fetch) =>
      new Anthropic({ apiKey: "x", defaultHeaders: { "anthropic-version": "2023-06-01" }, fetch }),
    ask: async (c, more) =>
      (
        await c.messages.create({
          model: "claude-opus-4-5",
          max_tokens: 100,
          messages: turn,
          ...more,
        })
      ).content[0].text,
    tools: async (c) =>
      (
        await c.messages.create({
          model: "claude-opus-4-5",
          max_tokens: 100,
          messages: turn,
          tools: [{ name: "weather", input_schema: schema }],
        })
      ).content[0].input,
    steps: 8,
    async stream(c, more) {
      let text = "";
      for await (const event of c.messages.stream({
        model: "claude-opus-4-5",
        max_tokens: 100,
        messages: turn,
        ...more,
      })) {
        came();
        if (event.type === "content_block_delta") text += event.delta.text;
      }
      return text;
    },
    mendable: [{ stop: ["a"] }, (sent) => sent.stop_sequences?.[0] === "a" && !("stop" in sent)],
    refused: { temperature: 1.5 },
    strict: { model: "claude-strict-9", temperature: 0.2 },
    error: (e) =>
      e instanceof Anthropic.BadRequestError &&
      e.status === 400 &&
      e.type === "invalid_request_error" &&
      /temperature/.test(e.message),
  },
  "google genai": {
    client: (fetch) => new GoogleGenAI({ apiKey: "x", httpOptions: { fetch } }),
    ask: async (c, more) =>
      (
        await c.models.generateContent({
          model: "gemini-3.1-flash-lite",
          contents: "hi",
          ...more,
        })
      ).text,
    tools: async (c) =>
      (
        await c.models.generateContent({
          model: "gemini-3.1-flash-lite",
          contents: "hi",
          config: {
            tools: [
              {
                functionDeclarations: [{ name: "weather", parametersJsonSchema: schema }],
              },
            ],
          },
        })
      ).functionCalls[0].args,
    steps: 3,
    async stream(c, more) {
      let text = "";
      for await (const chunk of await c.models.generateContentStream({
        model: "gemini-3.1-flash-lite",
        contents: "hi",
        ...more,
      })) {
        came();
        text += chunk.text;
      }
      return text;
    },
    mendable: [
      {
        contents: [
          { role: "user", parts: [{ text: "a" }] },
          { role: "assistant", parts: [{ text: "b" }] },
          { role: "user", parts: [{ text: "c" }] },
        ],
      },
      (sent) => sent.contents[1].role === "model",
    ],
    refused: { config: { temperature: 3 } },
    strict: { model: "gemini-strict-9", config: { temperature: 0.2 } },
    error: (e) => e instanceof ApiError && e.status === 400 && /temperature/.test(e.message),
  },
  "ai with openai": {
    client: (fetch) => createOpenAI({ apiKey: "x", fetch }),
    ask: async (c, { model = "gpt-5.6-sol", ...more } = {}) =>
      (await generateText({ model: c.chat(model), prompt: "hi", ...more })).text,
    tools: async (c) =>
      (
        await generateText({
          model: c.chat("gpt-5.6-sol"),
          prompt: "hi",
          tools: { weather: tool({ inputSchema: jsonSchema(schema) }) },
        })
      ).toolCalls[0].input,
    steps: 3,
    async stream(c, { model = "gpt-5.6-sol", ...more } = {}) {
      let text = "";
      for await (const part of streamText({ model: c.chat(model), prompt: "hi", ...more })
        .textStream) {
        came();
        text += part;
      }
      return text;
    },
    refused: { maxOutputTokens: 10_000_000 },
    strict: { model: "strict-9", temperature: 0.2 },
    error: (e) =>
      APICallError.isInstance(e) && e.statusCode === 400 && e.data.error.param && !e.isRetryable,
  },
  "ai with anthropic": {
    client: (fetch) => createAnthropic({ apiKey: "x", fetch }),
    ask: async (c, { model = "claude-opus-4-5", ...more } = {}) =>
      (await generateText({ model: c(model), prompt: "hi", ...more })).text,
    tools: async (c) =>
      (
        await generateText({
          model: c("claude-opus-4-5"),
          prompt: "hi",
          tools: { weather: tool({ inputSchema: jsonSchema(schema) }) },
        })
      ).toolCalls[0].input,
    steps: 3,
    silent: 2,
    async stream(c, { model = "claude-opus-4-5", ...more } = {}) {
      let text = "";
      for await (const part of streamText({ model: c(model), prompt: "hi", ...more }).textStream) {
        came();
        text += part;
      }
      return text;
    },
    refused: { stopSequences: ["  "] },
    strict: { model: "claude-3-haiku-strict", temperature: 0.2 },
    error: (e) =>
      APICallError.isInstance(e) &&
      e.statusCode === 400 &&
      e.data.error.type === "invalid_request_error" &&
      !e.isRetryable,
  },
};

for (const [name, kind] of Object.entries(kinds)) {
  const made = (options = {}) => {
    const events = [];
    const client = kind.client(
      guard({ cando, fetch: server.fetch, on: (e) => events.push(e), ...options }),
    );
    return { client, events, of: (type) => events.filter((e) => e.type === type) };
  };
  const sent = () => JSON.parse(server.seen.at(-1).text);
  const faultless = (...all) =>
    assert.deepEqual(
      all.flatMap((m) => m.of("fault")),
      [],
    );

  test(`${name}: report tells, and what it cost`, async () => {
    const m = made();
    assert.equal(await kind.ask(m.client, {}), said);
    const [verdict] = m.of("verdict");
    assert.deepEqual(
      [verdict.known, verdict.action, verdict.verdict],
      [true, "pass", "ok"],
      JSON.stringify(verdict),
    );
    const [cost] = m.of("cost");
    assert.deepEqual(
      [cost.known, cost.usage.input_tokens, cost.usage.output_tokens, cost.stream],
      [true, 1000, 200, false],
    );
    assert.match(cost.total_cost, /^0\.\d+$/);
    assert.equal(await kind.ask(m.client, kind.refused), said);
    assert.deepEqual([m.of("verdict")[1].action, m.of("verdict")[1].verdict], ["pass", "reject"]);
    if (kind.tools) assert.deepEqual(await kind.tools(m.client), city);
    faultless(m);
  });

  test(`${name}: each event of a stream comes before the next is sent`, async () => {
    const m = made({ mode: "reject" });
    [got, wanted, silent] = [0, kind.steps, kind.silent ?? 0];
    assert.equal(await kind.stream(m.client), said);
    wanted = 0;
    assert.ok(got >= kind.steps, `${got} came`);
    const [cost] = m.of("cost");
    assert.deepEqual(
      [cost.known, cost.usage.output_tokens, cost.stream, cost.partial],
      [true, 200, true, false],
    );
    faultless(m);
  });

  test(`${name}: reject raises the client's own error, without a call`, async () => {
    const m = made({ mode: "reject" });
    const before = server.seen.length;
    const raises = (e) => (
      assert.ok(kind.error(e), `${e.name}: ${e.message} ${JSON.stringify(e)}`),
      true
    );
    await assert.rejects(kind.ask(m.client, kind.refused), raises);
    if (!name.startsWith("ai ")) await assert.rejects(kind.stream(m.client, kind.refused), raises);
    assert.equal(server.seen.length, before);
    assert.equal(await kind.ask(m.client, {}), said);
    faultless(m);
  });

  if (kind.mendable) {
    test(`${name}: repair sends the safe rewrite`, async () => {
      const m = made({ mode: "repair" });
      const [more, isMended] = kind.mendable;
      assert.equal(await kind.ask(m.client, more), said);
      assert.ok(isMended(sent()), server.seen.at(-1).text);
      assert.equal(
        server.seen.at(-1).headers["content-length"],
        String(Buffer.byteLength(server.seen.at(-1).text)),
      );
      assert.equal(await kind.stream(m.client, more), said);
      assert.ok(isMended(sent()), server.seen.at(-1).text);
      assert.deepEqual(
        m.of("verdict").map((e) => e.action),
        ["send", "send"],
      );
      faultless(m);
    });
  }

  test(`${name}: a refusal of the provider is learnt`, async () => {
    const m = made({ mode: "reject", cando: await load({ today }) });
    const raises = (e) => (assert.ok(kind.error(e), `${e.name}: ${e.message}`), true);
    const before = server.seen.length;
    await assert.rejects(kind.ask(m.client, kind.strict), raises);
    assert.equal(server.seen.length, before + 1);
    assert.equal(m.of("learnt")[0]?.observations[0].field, "temperature");
    await assert.rejects(kind.ask(m.client, kind.strict), raises);
    assert.equal(server.seen.length, before + 1);
    faultless(m);
  });
}

// The same client at other addresses: who is asked, and what it cost there.
const places = {
  azure: (fetch) =>
    new AzureOpenAI({
      endpoint: "https://mine.openai.azure.com",
      apiKey: "x",
      apiVersion: "2025-04-01-preview",
      deployment: "gpt-5.4",
      fetch,
    }),
  openrouter: (fetch) =>
    new OpenAI({ baseURL: "https://openrouter.ai/api/v1", apiKey: "x", fetch }),
  groq: (fetch) => new OpenAI({ baseURL: "https://api.groq.com/openai/v1", apiKey: "x", fetch }),
};
const served = { azure: "gpt-5.4", openrouter: "openai/gpt-4o", groq: "openai/gpt-oss-120b" };
for (const [name, client] of Object.entries(places)) {
  test(`openai's client at ${name}`, async () => {
    const events = [];
    const f = guard({ cando, fetch: server.fetch, on: (e) => events.push(e) });
    const reply = await client(f).chat.completions.create({ model: served[name], messages: turn });
    assert.equal(reply.choices[0].message.content, said);
    const [verdict, cost] = events;
    assert.deepEqual(
      [verdict.known, verdict.provider, verdict.model, verdict.verdict],
      [true, name, served[name], "ok"],
      JSON.stringify(verdict),
    );
    assert.match(cost.total_cost, /^0\.\d+$/);
  });
}
