// clients.test.mjs - the official clients, of the old line and of the new, over pipes and over HTTP.
//
// CANDO is the program, MCP_URL the daemon's /mcp. The clients hold each structured result against the schema that the
// tool has in the list, and each message against the protocol.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client as Old } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Client as New, StreamableHTTPClientTransport as NewHttp } from "@modelcontextprotocol/client";
import { StdioClientTransport as NewStdio } from "@modelcontextprotocol/client/stdio";

const { CANDO, MCP_URL } = process.env;
const me = { name: "test", version: "1" };
const request = { model: "gpt-5.6-sol", max_tokens: 500, messages: [{ role: "user", content: "Say hello." }] };
const model = { type: "ref/resource", uri: "cando://model/{provider}/{+model}" };

const stdio = (Transport) => new Transport({ command: CANDO, args: ["mcp"] });
const http = (Transport) => new Transport(new URL(MCP_URL));
const old = () => new Old(me);
const fresh = (mode) => new New(me, { versionNegotiation: { mode } });
const ways = [
    ["old line, stdio", old, () => stdio(OldStdio), "2025-11-25"],
    ["old line, HTTP", old, () => http(OldHttp), "2025-11-25"],
    ["new line, stdio, of its own accord", () => fresh("auto"), () => stdio(NewStdio), "2026-07-28"],
    ["new line, HTTP, of its own accord", () => fresh("auto"), () => http(NewHttp), "2026-07-28"],
    ["new line, stdio, pinned", () => fresh({ pin: "2026-07-28" }), () => stdio(NewStdio), "2026-07-28"],
    ["new line, HTTP, pinned", () => fresh({ pin: "2026-07-28" }), () => http(NewHttp), "2026-07-28"],
    ["new line, stdio, with a handshake", () => fresh("legacy"), () => stdio(NewStdio), "2025-11-25"],
    ["new line, HTTP, with a handshake", () => fresh("legacy"), () => http(NewHttp), "2025-11-25"],
];
const calls = [
    ["can_it", { target: "openai/gpt-4o", capabilities: ["tools"] }, (r) => assert.equal(r.fields.tool_calling, "native")],
    ["check_request", { request }, (r) => assert.equal(r.findings[0].path, "/max_tokens")],
    ["fix_request", { request }, (r) => assert.equal(r.request.max_completion_tokens, 500)],
    ["which_model", { require: ["tool_calling"], limit: 2 }, (r) => assert.equal(r.models.length, 2)],
    ["what_cost", { target: "openai/gpt-4o", usage: { input_tokens: 2000000, output_tokens: 0 } }, (r) => assert.equal(r.total_cost, "5")],
    ["what_breaks", { from: "openai/gpt-4o", to: "anthropic/claude-opus-4-5", need: ["input_audio"] }, (r) => assert.equal(r.verdict, "rejected")],
    ["what_retires", { models: ["claude-3-opus-20240229"] }, (r) => assert.equal(r.retiring[0].ending, "stopped")],
];

for (const [name, make, connect, version] of ways)
    test(name, async () => {
        const client = make(), transport = connect();
        const wrong = [];
        client.onerror = (e) => wrong.push(e);
        await client.connect(transport);
        const spoken = client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion;
        if (spoken !== undefined) assert.equal(spoken, version);
        assert.equal(client.getServerVersion()?.name, "cando");
        assert.match(client.getInstructions(), /provider\/model/);
        const { tools } = await client.listTools();
        assert.deepEqual(tools.map((t) => t.name).sort(), calls.map((c) => c[0]).sort());
        for (const [tool, args, check] of calls) {
            const r = await client.callTool({ name: tool, arguments: args });
            assert.ok(!r.isError, JSON.stringify(r));
            assert.ok(r.content[0].text.length > 10);
            check(r.structuredContent);
        }
        const bad = await client.callTool({ name: "can_it", arguments: { target: "gpt-4o" } });
        assert.equal(bad.isError, true);
        assert.match(bad.content[0].text, /openai\/gpt-4o/);
        await assert.rejects(client.callTool({ name: "no_such" }), { code: -32602 });
        assert.equal((await client.listResources()).resources[0].uri, "cando://catalog");
        assert.equal((await client.listResourceTemplates()).resourceTemplates[0].uriTemplate, model.uri);
        const read = await client.readResource({ uri: "cando://model/openai/gpt-4o" });
        assert.equal(JSON.parse(read.contents[0].text).provider, "openai");
        await assert.rejects(client.readResource({ uri: "cando://model/nobody/nothing" }), (e) => [-32002, -32602].includes(e.code));
        const done = await client.complete({ ref: model, argument: { name: "provider", value: "anth" } });
        assert.deepEqual(done.completion.values, ["anthropic"]);
        if (version !== "2026-07-28") await client.ping();
        await client.close();
        assert.deepEqual(wrong.filter((e) => !/abort|405/i.test(String(e))), []);
    });
