// standin.test.mjs - the stand-in for the providers in the hands of their own clients: a good
// call returns, a stream ends, tools and structured output are what their schemas say, and each
// typical refusal is the exception that users of the client catch. Runs where the clients are
// installed: standin.sh.
import assert from "node:assert/strict";
import { test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
  ValidationException,
} from "@aws-sdk/client-bedrock-runtime";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { ApiError, GoogleGenAI } from "@google/genai";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { Mistral } from "@mistralai/mistralai";
import { APICallError, generateText, jsonSchema, Output, streamText, tool } from "ai";
import { Ollama } from "ollama";
import OpenAI from "openai";
import { zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";

const base = process.env.BASE;
globalThis.AI_SDK_LOG_WARNINGS = false;
const said = /^This is a stand-in/;
const hi = [{ role: "user", content: "hi" }];
const Weather = z.object({
  city: z.string().min(2),
  days: z.number().int().min(1).max(14),
  unit: z.enum(["C", "F"]),
  notes: z.array(z.string()),
});
const schema = z.toJSONSchema(Weather);
const fits = (value) => assert.ok(Weather.safeParse(value).success, JSON.stringify(value));
const rejects = (promise, kind, more) =>
  assert.rejects(promise, (e) => {
    assert.ok(e instanceof kind, `${e.constructor.name}: ${e.message}`);
    for (const [key, value] of Object.entries(more)) assert.equal(e[key], value, key);
    return true;
  });
const all = async (stream) => {
  const list = [];
  for await (const x of stream) list.push(x);
  return list;
};

// -- OpenAI ------------------------------------------------------------------------------------

const openai = new OpenAI({ apiKey: "x", baseURL: `${base}/v1`, maxRetries: 0 });
const chat = (more) => openai.chat.completions.create({ model: "gpt-5.6-sol", messages: hi, ...more });
const tools = [{ type: "function", function: { name: "weather", parameters: schema } }];

test("openai, chat: a reply, its usage and its headers", async () => {
  const { data, response } = await chat({ n: 2 }).withResponse();
  assert.equal(data.choices.length, 2);
  assert.match(data.choices[1].message.content, said);
  assert.equal(data.choices[0].finish_reason, "stop");
  assert.equal(data.usage.total_tokens, data.usage.prompt_tokens + data.usage.completion_tokens);
  assert.match(data._request_id, /^req_/);
  assert.equal(response.headers.get("x-cando-verdict"), "ok");
  assert.match(response.headers.get("x-cando-cost"), /^0\.0\d+$/);
});

test("openai, chat: a stream ends, with its usage", async () => {
  const chunks = await all(await chat({ stream: true, stream_options: { include_usage: true } }));
  assert.match(chunks.map((c) => c.choices[0]?.delta.content ?? "").join(""), said);
  assert.equal(chunks.at(-2).choices[0].finish_reason, "stop");
  assert.ok(chunks.at(-1).usage.completion_tokens > 0);
  const done = await openai.chat.completions
    .stream({ model: "gpt-5.6-sol", messages: hi })
    .finalChatCompletion();
  assert.match(done.choices[0].message.content, said);
});

test("openai, chat: a stream with pauses is the same stream", async () => {
  const request = { model: "gpt-5.6-sol", messages: hi, stream: true };
  const create = async (options) => all(await openai.chat.completions.create(request, options));
  const paced = await create({ headers: { "x-cando-pace": "3" } });
  assert.ok(paced.length > 3);
  assert.deepEqual(paced, await create({}));
});

test("openai, chat: tools that are forced are called", async () => {
  const reasoning_effort = "none";
  for (const tool_choice of ["required", { type: "function", function: { name: "weather" } }]) {
    const { choices } = await chat({ tools, tool_choice, reasoning_effort });
    assert.equal(choices[0].finish_reason, "tool_calls");
    assert.equal(choices[0].message.content, null);
    const [call] = choices[0].message.tool_calls;
    assert.equal(call.function.name, "weather");
    fits(JSON.parse(call.function.arguments));
  }
  assert.equal((await chat({ tools, reasoning_effort })).choices[0].message.tool_calls, undefined);
  const streamed = await openai.chat.completions
    .stream({ model: "gpt-4o", messages: hi, tools, tool_choice: "required" })
    .finalChatCompletion();
  fits(JSON.parse(streamed.choices[0].message.tool_calls[0].function.arguments));
});

test("openai, chat: structured output parses", async () => {
  const done = await openai.chat.completions.parse({
    model: "gpt-5.6-sol",
    messages: hi,
    response_format: zodResponseFormat(Weather, "weather"),
  });
  fits(done.choices[0].message.parsed);
  const object = await chat({
    messages: [{ role: "user", content: "as JSON" }],
    response_format: { type: "json_object" },
  });
  assert.equal(typeof JSON.parse(object.choices[0].message.content), "object");
});

test("openai, chat: refusals", async () => {
  const { BadRequestError, NotFoundError } = OpenAI;
  await rejects(chat({ tools }), BadRequestError, { status: 400, param: "tools" });
  const type = "invalid_request_error";
  await rejects(chat({ max_tokens: 5 }), BadRequestError, {
    status: 400,
    param: "max_tokens",
    code: "unsupported_parameter",
    type,
  });
  await rejects(chat({ stream: true, temperature: 9 }), BadRequestError, { status: 400, type });
  await rejects(chat({ messages: undefined }), BadRequestError, {
    param: "messages",
    code: "missing_required_parameter",
  });
  await rejects(chat({ model: "text-davinci-003" }), NotFoundError, {
    status: 404,
    code: "model_not_found",
  });
});

test("openai, responses: text, stream, calls, structured output, refusals", async () => {
  const ask = (more) => openai.responses.create({ model: "gpt-5.6-sol", input: "hi", ...more });
  const flat = [{ type: "function", name: "weather", parameters: schema, strict: false }];
  const whole = await ask({});
  assert.match(whole.output_text, said);
  assert.equal(whole.status, "completed");
  const events = await all(await ask({ stream: true }));
  assert.equal(events.at(-1).type, "response.completed");
  assert.deepEqual(events.map((e) => e.sequence_number), [...events.keys()]);
  assert.match(events.at(-1).response.output[0].content[0].text, said);
  const called = await ask({ tools: flat, tool_choice: "required" });
  fits(JSON.parse(called.output[0].arguments));
  const streamed = await openai.responses
    .stream({ model: "gpt-5.6-sol", input: "hi", tools: flat, tool_choice: "required" })
    .finalResponse();
  fits(JSON.parse(streamed.output[0].arguments));
  const parsed = await openai.responses.parse({
    model: "gpt-5.6-sol",
    input: "hi",
    text: { format: zodTextFormat(Weather, "weather") },
  });
  fits(parsed.output_parsed);
  const cut = await ask({ max_output_tokens: 16 });
  assert.equal(cut.incomplete_details.reason, "max_output_tokens");
  await rejects(ask({ temperature: 0.2 }), OpenAI.BadRequestError, {
    status: 400,
    param: "temperature",
  });
});

test("openai: models, and another provider's rules by a prefix", async () => {
  const ids = (await all(openai.models.list())).map((m) => m.id);
  assert.ok(ids.includes("gpt-5.6-sol"));
  const one = await openai.models.retrieve("gpt-5.6-sol");
  assert.equal(one.context_length, one.max_model_len);
  assert.ok(one.capabilities.tool_calling);
  assert.match(one.pricing.input, /^\d/);
  await rejects(openai.models.retrieve("gpt-77"), OpenAI.NotFoundError, { status: 404 });
  const groq = new OpenAI({ apiKey: "x", baseURL: `${base}/groq/openai/v1`, maxRetries: 0 });
  const asked = groq.chat.completions.create({ model: "openai/gpt-oss-120b", messages: hi });
  const { data, response } = await asked.withResponse();
  assert.match(data.choices[0].message.content, said);
  assert.equal(response.headers.get("x-cando-provider"), "groq");
  const own = groq.chat.completions.create({ model: "openai/gpt-oss-120b", messages: hi, n: 3 });
  await rejects(own, OpenAI.BadRequestError, { status: 400 });
});

// -- Anthropic ---------------------------------------------------------------------------------

const anthropic = new Anthropic({ apiKey: "x", baseURL: base, maxRetries: 0 });
const claude = { model: "claude-opus-4-5", max_tokens: 300, messages: hi };
const ask = (more) => anthropic.messages.create({ ...claude, ...more });
const claudeTools = [{ name: "weather", input_schema: schema }];

test("anthropic: a reply, a stream, a call, structured output", async () => {
  const whole = await ask({});
  assert.match(whole.content[0].text, said);
  assert.equal(whole.stop_reason, "end_turn");
  assert.match(whole._request_id, /^req_/);
  const streamed = await anthropic.messages.stream(claude).finalMessage();
  assert.deepEqual(streamed.content, whole.content);
  assert.equal(streamed.usage.output_tokens, whole.usage.output_tokens);
  assert.equal((await ask({ max_tokens: 3 })).stop_reason, "max_tokens");
  for (const tool_choice of [{ type: "any" }, { type: "tool", name: "weather" }]) {
    const called = await ask({ tools: claudeTools, tool_choice });
    assert.equal(called.stop_reason, "tool_use");
    fits(called.content[0].input);
    const more = { ...claude, tools: claudeTools, tool_choice };
    fits((await anthropic.messages.stream(more).finalMessage()).content[0].input);
  }
  const parsed = await anthropic.messages.parse({
    ...claude,
    output_config: { format: zodOutputFormat(z.object({ city: z.string() })) },
  });
  assert.equal(typeof parsed.parsed_output.city, "string");
});

test("anthropic: refusals, and models", async () => {
  const { BadRequestError, NotFoundError } = Anthropic;
  await rejects(ask({ temperature: 1.5 }), BadRequestError, {
    status: 400,
    type: "invalid_request_error",
  });
  await rejects(ask({ max_tokens: undefined }), BadRequestError, { status: 400 });
  await rejects(ask({ stream: true, messages: [] }), BadRequestError, { status: 400 });
  await rejects(ask({ model: "claude-2.0" }), NotFoundError, { type: "not_found_error" });
  const ids = (await all(anthropic.models.list())).map((m) => m.id);
  assert.ok(ids.includes("claude-opus-4-5-20251101"), ids.join());
  assert.match((await anthropic.models.retrieve("claude-opus-4-5-20251101")).display_name, /Opus/);
});

// -- Google ------------------------------------------------------------------------------------

test("google: a reply, a stream, a call, structured output, refusals", async () => {
  const client = new GoogleGenAI({ apiKey: "x", httpOptions: { baseUrl: base } });
  const gemini = { model: "gemini-3.1-flash-lite", contents: "hi" };
  const whole = await client.models.generateContent(gemini);
  assert.match(whole.text, said);
  assert.ok(whole.usageMetadata.totalTokenCount > 0);
  const chunks = await all(await client.models.generateContentStream(gemini));
  assert.match(chunks.map((c) => c.text).join(""), said);
  assert.equal(chunks.at(-1).candidates[0].finishReason, "STOP");
  const called = await client.models.generateContent({
    ...gemini,
    config: {
      tools: [{ functionDeclarations: [{ name: "weather", parametersJsonSchema: schema }] }],
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["weather"] } },
    },
  });
  fits(called.functionCalls[0].args);
  const json = { responseMimeType: "application/json", responseJsonSchema: schema };
  fits(JSON.parse((await client.models.generateContent({ ...gemini, config: json })).text));
  await rejects(
    client.models.generateContent({ ...gemini, config: { temperature: 3 } }),
    ApiError,
    { status: 400 },
  );
  await rejects(client.models.generateContent({ ...gemini, model: "gemini-1.5-pro" }), ApiError, {
    status: 404,
  });
  const listed = await all(await client.models.list());
  assert.ok(listed.some((m) => m.name === "models/gemini-3.1-flash-lite"));
});

// -- Vercel ------------------------------------------------------------------------------------

const vercel = {
  "openai, responses": createOpenAI({ apiKey: "x", baseURL: `${base}/v1` })("gpt-5.6-sol"),
  "openai, chat": createOpenAI({ apiKey: "x", baseURL: `${base}/v1` }).chat("gpt-5.6-sol"),
  anthropic: createAnthropic({ apiKey: "x", baseURL: `${base}/v1` })("claude-opus-4-5"),
  google: createGoogleGenerativeAI({ apiKey: "x", baseURL: `${base}/v1beta` })(
    "gemini-3.1-flash-lite",
  ),
};
for (const [name, model] of Object.entries(vercel))
  test(`ai with ${name}: text, stream, calls, structured output, a refusal`, async () => {
    const question = { model, prompt: "hi", maxRetries: 0 };
    const whole = await generateText(question);
    assert.match(whole.text, said);
    assert.ok(whole.usage.outputTokens > 0);
    assert.match(await streamText(question).text, said);
    const called = await generateText({
      ...question,
      tools: { weather: tool({ inputSchema: jsonSchema(schema) }) },
      toolChoice: "required",
    });
    fits(called.toolCalls[0].input);
    fits((await generateText({ ...question, output: Output.object({ schema: Weather }) })).output);
    // that package cuts the number of tokens itself
    const bad = name === "anthropic" ? { stopSequences: ["  "] } : { maxOutputTokens: 10_000_000 };
    await assert.rejects(generateText({ ...question, ...bad }), (e) => {
      assert.ok(APICallError.isInstance(e), `${e.name}: ${e.message}`);
      assert.equal(e.statusCode, 400);
      assert.equal(e.isRetryable, false);
      assert.ok(e.data.error.message);
      return true;
    });
  });

// -- others ------------------------------------------------------------------------------------

test("bedrock: a reply, AWS's event stream, calls, a refusal", async () => {
  const client = new BedrockRuntimeClient({
    region: "us-east-1",
    endpoint: base,
    maxAttempts: 1,
    requestHandler: new NodeHttpHandler(),
    credentials: { accessKeyId: "x", secretAccessKey: "x" },
  });
  const question = {
    modelId: "us.anthropic.claude-opus-4-5-20251101-v1:0",
    messages: [{ role: "user", content: [{ text: "hi" }] }],
  };
  const toolConfig = {
    tools: [{ toolSpec: { name: "weather", inputSchema: { json: schema } } }],
    toolChoice: { tool: { name: "weather" } },
  };
  const whole = await client.send(new ConverseCommand(question));
  assert.match(whole.output.message.content[0].text, said);
  assert.equal(whole.stopReason, "end_turn");
  const events = await all((await client.send(new ConverseStreamCommand(question))).stream);
  assert.match(events.map((e) => e.contentBlockDelta?.delta.text ?? "").join(""), said);
  assert.ok(events.at(-1).metadata.usage.outputTokens > 0);
  const called = await client.send(new ConverseCommand({ ...question, toolConfig }));
  fits(called.output.message.content[0].toolUse.input);
  const parts = await client.send(new ConverseStreamCommand({ ...question, toolConfig }));
  const input = (await all(parts.stream)).map((e) => e.contentBlockDelta?.delta.toolUse?.input ?? "");
  fits(JSON.parse(input.join("")));
  const bad = { ...question, inferenceConfig: { temperature: 5 } };
  await rejects(client.send(new ConverseCommand(bad)), ValidationException, {
    name: "ValidationException",
  });
});

test("ollama: a reply, JSON lines, structured output, a refusal", async () => {
  const client = new Ollama({ host: base });
  const question = { model: "llama3.2", messages: hi };
  assert.match((await client.chat(question)).message.content, said);
  const parts = await all(await client.chat({ ...question, stream: true }));
  assert.match(parts.map((p) => p.message.content).join(""), said);
  assert.ok(parts.at(-1).done);
  fits(JSON.parse((await client.chat({ ...question, format: schema })).message.content));
  await assert.rejects(client.chat({ ...question, think: "enormous" }), (e) => e.status_code === 400);
});

test("mistral: a reply, a stream, calls, a refusal", async () => {
  const client = new Mistral({ apiKey: "x", serverURL: `${base}/mistral` });
  const question = { model: "mistral-large-latest", messages: hi };
  assert.match((await client.chat.complete(question)).choices[0].message.content, said);
  const chunks = await all(await client.chat.stream(question));
  assert.match(chunks.map((c) => c.data.choices[0].delta.content ?? "").join(""), said);
  const called = await client.chat.complete({ ...question, tools, toolChoice: "any" });
  const [call] = called.choices[0].message.toolCalls;
  assert.match(call.id, /^[A-Za-z0-9]{9}$/);
  const args = call.function.arguments;
  fits(typeof args === "string" ? JSON.parse(args) : args);
  await assert.rejects(client.chat.complete({ ...question, temperature: 7 }), (e) =>
    [400, 422].includes(e.statusCode),
  );
});
