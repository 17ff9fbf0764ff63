#!/usr/bin/python3
"""wire.py CANDO SERVE [SCHEMAS] - the Model Context Protocol over pipes and over HTTP, in every version.

Each reply is held against the shapes of shapes.py and, where SCHEMAS is a folder with the official <version>.schema.json,
against these too; each structured result against the schema that its tool has in the list. Prints "N passed, M failed".
"""
import json
import os
import signal
import subprocess
import sys
import tempfile

import jsonschema

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import shapes  # noqa: E402
import talk  # noqa: E402
from talk import NEW, VERSIONS, hello, request  # noqa: E402

HELLO = {"model": "gpt-5.6-sol", "max_tokens": 500, "messages": [{"role": "user", "content": "Say hello."}]}
OPUS = "anthropic/claude-opus-4-5"
CHAT = {"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]}
CALLS = [
    ("can_it", {"target": OPUS}), ("can_it", {"target": OPUS, "capabilities": ["tools", "vision", "price", "max_tools"]}),
    ("can_it", {"target": "openai/gpt-99"}), ("can_it", {"target": "nobody/nothing", "capabilities": ["tools"]}),
    ("check_request", {"request": HELLO}), ("check_request", {"request": HELLO, "target": OPUS, "limit": 1}),
    ("check_request", {"request": {"model": "x", "messages": []}, "target": "groq/llama-3.3-70b-versatile"}),
    ("fix_request", {"request": HELLO}), ("fix_request", {"request": {**HELLO, "temperature": 0.3}, "fix": True}),
    ("fix_request", {"request": {**HELLO, "temperature": 0.3}, "full": True}),
    ("which_model", {}), ("which_model", {"require": ["tool_calling"], "providers": ["openai"], "limit": 3, "offset": 2}),
    ("which_model", {"require": ["tool_calling", "embeddings"]}), ("which_model", {"request": HELLO, "sort": "context"}),
    ("which_model", {"minimum": {"context_window": 1000000}, "maximum": {"input_price": "1"}, "prefer": ["google"]}),
    ("what_cost", {"target": OPUS, "usage": {"input_tokens": 1000, "output_tokens": 10, "cache_read_tokens": 500}}),
    ("what_cost", {"request": HELLO, "output_tokens": 40}), ("what_cost", {"target": "nobody/nothing", "request": HELLO}),
    ("what_cost", {"response": {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-4-5",
                                "content": [], "usage": {"input_tokens": 9, "output_tokens": 3}}}),
    ("what_breaks", {"from": "openai/gpt-4o", "to": OPUS, "need": ["tools", "input_audio"]}),
    ("what_breaks", {"from": "openai/gpt-4o", "to": "groq/llama-3.3-70b-versatile", "history": CHAT, "limit": 3}),
    ("what_breaks", {"from": "openai/gpt-4o", "to": "openai/gpt-5.6-sol", "request": HELLO}),
    ("what_retires", {}), ("what_retires", {"models": ["gpt-4o", "claude-3-opus-20240229"]}),
    ("what_retires", {"providers": ["anthropic"], "within": 300, "limit": 2, "offset": 1}),
    ("what_retires", {"texts": [{"name": "a.py", "text": "x\nmodel = \"gpt-4-turbo\"\n"}]}),
]
WRONG = [("can_it", {}), ("can_it", {"target": "gpt-4o"}), ("can_it", {"target": 7}), ("can_it", {"target": OPUS, "x": 1}),
         ("check_request", {"request": None}), ("check_request", {"request": HELLO, "target": "x"}),
         ("which_model", {"require": ["nothing_like_it"]}), ("what_cost", {}), ("what_breaks", {"from": OPUS, "to": "y"})]
READS = ["cando://catalog", "cando://fields", "cando://model/openai/gpt-4o", "cando://model/openrouter/openai/gpt-4o"]
NO_READS = ["cando://nothing", "cando://model/nobody/nothing", "file:///etc/passwd", ""]
COMPLETE = {"ref": {"type": "ref/resource", "uri": "cando://model/{provider}/{+model}"},
            "argument": {"name": "model", "value": "gpt-4"}, "context": {"arguments": {"provider": "openai"}}}
OFFICIAL = {"initialize": "InitializeResult", "server/discover": "DiscoverResult", "tools/list": "ListToolsResult",
            "tools/call": "CallToolResult", "resources/list": "ListResourcesResult", "ping": "EmptyResult",
            "resources/templates/list": "ListResourceTemplatesResult", "resources/read": "ReadResourceResult",
            "completion/complete": "CompleteResult"}


class Checks:
    def __init__(self, schemas):
        self.passed = self.failed = 0
        self.schemas, self.made = schemas, {}

    def that(self, what, true):
        self.passed += bool(true)
        if not true:
            self.failed += 1
            print("FAIL %s" % what)

    def valid(self, what, value, schema):
        error = next(jsonschema.Draft202012Validator(schema).iter_errors(value), None)
        where = error and "/" + "/".join(str(p) for p in error.absolute_path)
        self.that("%s: %s: %s" % (what, where, error and error.message[:300]), error is None)

    def official(self, version, name):
        if (version, name) not in self.made:
            with open(os.path.join(self.schemas, version + ".schema.json"), encoding="utf-8") as f:
                whole = json.load(f)
            where = "$defs" if "$defs" in whole else "definitions"
            self.made[version, name] = {**whole, "$ref": "#/%s/%s" % (where, name)}
        return self.made[version, name]

    def reply(self, what, version, method, reply):
        what = "%s %s %s" % (version, method, what)
        self.valid(what, reply, shapes.reply(version, method))
        if not self.schemas:
            return
        if "error" in reply:
            self.valid(what, reply, self.official(version, "JSONRPCError" if version == VERSIONS[0] else "JSONRPCErrorResponse"))
        else:
            self.valid(what, reply["result"], self.official(version, OFFICIAL[method]))


def conversation(c, way, version, ask):
    """All that a client may ask, in one version, over one way."""
    def call(method, params=None, ident=1):
        reply = ask(request(version, method, params, ident))
        c.reply(way, version, method, reply)
        c.that("%s %s: the id comes back" % (way, method), reply.get("id") == ident)
        return reply

    if version == NEW:
        found = call("server/discover")["result"]
        c.that("discovered", found["supportedVersions"] == ["2026-07-28", "2025-11-25", "2025-06-18"])
    else:
        call("ping", ident="p")
    whole = call("tools/list", ident="a\u00e4\"")
    c.that("the list of tools is short", len(json.dumps(whole)) < 24 * 1024)
    tools = {t["name"]: t for t in whole["result"]["tools"]}
    for t in tools.values():
        jsonschema.Draft202012Validator.check_schema(t["inputSchema"])
        jsonschema.Draft202012Validator.check_schema(t["outputSchema"])
    c.that("every tool is called here", {n for n, _ in CALLS} == set(tools))
    for i, (name, args) in enumerate(CALLS):
        what = "%s %s" % (name, json.dumps(args)[:80])
        c.valid(what + " arguments", args, tools[name]["inputSchema"])
        r = call("tools/call", {"name": name, "arguments": args}, i)["result"]
        c.that(what + ": is no error", not r["isError"])
        c.valid(what, r.get("structuredContent"), tools[name]["outputSchema"])
        c.that(what + ": is short", len(json.dumps(r)) < 12000)
    for name, args in WRONG:
        r = call("tools/call", {"name": name, "arguments": args})["result"]
        c.that("%s %s: is an error" % (name, args), r["isError"] and "structuredContent" not in r)
        c.that("%s %s: says how to go on" % (name, args), len(r["content"][0]["text"]) > 20)
    missing = call("tools/call", {"name": "chek_request"})
    c.that("a tool that is not there", missing["error"]["code"] == -32602 and "check_request" in missing["error"]["message"])
    call("resources/list")
    call("resources/templates/list")
    for uri in READS:
        c.that(uri, call("resources/read", {"uri": uri})["result"]["contents"][0]["uri"] == uri)
    for uri in NO_READS:
        error = call("resources/read", {"uri": uri})["error"]
        c.that(uri, error["code"] == (-32602 if version == NEW else -32002) and error["data"]["uri"] == uri)
    names = call("completion/complete", COMPLETE)["result"]["completion"]["values"]
    c.that("completed", "gpt-4o" in names and all(n.startswith("gpt-4") for n in names))
    c.that("no such method", call("prompts/list")["error"]["code"] == -32601)
    c.that("no such page", call("tools/list", {"cursor": "2"})["error"]["code"] == -32602)


def over_pipes(c, cando):
    for version in VERSIONS:
        s = talk.Stdio(cando)
        if version != NEW:
            reply = s.ask(hello(version))
            c.reply("stdio", version, "initialize", reply)
            c.that("agreed on " + version, reply["result"]["protocolVersion"] == version)
            s.tell({"jsonrpc": "2.0", "method": "notifications/initialized"})
        conversation(c, "stdio", version, s.ask)
        c.that("ends with its input", s.end() == (b"", b"", 0))


def hostile_pipes(c, cando):
    s = talk.Stdio(cando)
    c.that("before the handshake", s.ask(request(None, "tools/list"))["error"]["code"] == -32602)
    s.ask(hello("2025-11-25"))
    for line, code in ((b"{", -32700), (b"\xff\xfe", -32700), (b"{\"a\":1,\"a\":1}", -32700), (b"[]", -32600), (b"null", -32600),
                       (b"[" * 100000, -32700), (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\0ng\"}", -32700),
                       (b"x" * (65 << 20), -32600)):
        reply = s.ask(line)
        c.that("%s: %s" % (line[:20], reply), reply["error"]["code"] == code and "id" not in reply)
    for line in (b"", b"   ", b"\r", b"{\"jsonrpc\":\"2.0\",\"method\":\"nothing\"}", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"):
        s.tell(line)
    c.that("what needs no answer got none", s.ask(request(None, "ping", ident="next"))["id"] == "next")
    many = b"".join(json.dumps(request(None, "ping", ident=i)).encode() + b"\r\n" for i in range(2000))
    out = subprocess.run([cando, "mcp"], input=many, capture_output=True, check=False).stdout
    c.that("in order", [json.loads(x)["id"] for x in out.splitlines()] == list(range(2000)))
    last = json.dumps(request(None, "ping")).encode()
    out = subprocess.run([cando, "mcp"], input=last, capture_output=True, check=False).stdout
    c.that("a last line without its end", json.loads(out)["id"] == 1)
    c.that("and then the end", s.end() == (b"", b"", 0))
    s = talk.Stdio(cando)
    s.p.stdout.close()
    for _ in range(100):
        try:
            s.tell(request(None, "ping"))
        except BrokenPipeError:
            break
    s.p.stdin.close()
    c.that("a reader that goes away ends it", s.p.wait(timeout=60) == -signal.SIGPIPE)
    s.p.stderr.close()


def own_files(c, cando):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "mine.toml"), "w", encoding="utf-8") as f:
            f.write('schema = "cando/rules@1"\n[[rules]]\nmatch = "gpt-4o"\nproviders = ["openai"]\n'
                    'set = { tool_calling = "unsupported" }\n')
        s = talk.Stdio(cando, "--overlay", os.path.join(folder, "mine.toml"))
        s.ask(hello("2025-11-25"))
        args = {"target": "openai/gpt-4o", "capabilities": ["tools"]}
        r = s.ask(request(None, "tools/call", {"name": "can_it", "arguments": args}))["result"]
        c.that("an overlay counts", r["structuredContent"]["fields"] == {"tool_calling": "unsupported"})
        c.that("and is named", r["structuredContent"]["why"]["tool_calling"]["file"].endswith("mine.toml"))
        s.end()


def over_http(c, h):
    for version in VERSIONS:
        if version != NEW:
            c.reply("http", version, "initialize", h.ask(hello(version)))
        more = None if version == NEW else {"MCP-Protocol-Version": version}
        conversation(c, "http", version, lambda m, more=more: h.ask(m, more))


def rules_of_http(c, h):
    ping, new = request(None, "ping"), request(NEW, "tools/list")
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}

    def status(want, method, body=None, headers=None, code=None, empty=False):
        have, _, text = h.send(method, body, headers)
        ok = have == want and (code is None or json.loads(text)["error"]["code"] == code) and not (empty and text)
        c.that("%s %s %s: want %s %s, have %s %s" % (method, str(body)[:60], headers, want, code, have, text[:200]), ok)

    status(200, "POST", ping)
    status(202, "POST", note, empty=True)
    status(202, "POST", {"jsonrpc": "2.0", "id": 1, "result": {}}, empty=True)
    status(405, "GET", headers={"Accept": "text/event-stream", "Content-Type": None})
    status(405, "DELETE", headers={"Mcp-Session-Id": "x", "Content-Type": None})
    status(405, "PUT", "{}")
    status(415, "POST", json.dumps(ping), {"Content-Type": "text/plain"})
    status(415, "POST", json.dumps(ping), {"Content-Type": None})
    status(406, "POST", ping, {"Accept": "text/html"})
    status(200, "POST", ping, {"Accept": None})
    status(200, "POST", ping, {"Accept": "*/*"})
    status(200, "POST", ping, {"Content-Type": "application/json; charset=utf-8"})
    status(403, "POST", ping, {"Origin": "http://evil.example"})
    status(200, "POST", ping, {"Origin": "http://" + h.host})
    status(403, "POST", ping, {"Origin": "null"})
    status(200, "POST", ping, {"Mcp-Session-Id": "anything"})
    status(400, "POST", "{", code=-32700)
    status(400, "POST", "", code=-32700)
    status(400, "POST", "[]", code=-32600)
    status(400, "POST", json.dumps([ping, ping]), code=-32600)
    status(400, "POST", ping, {"MCP-Protocol-Version": "1900-01-01"}, code=-32022)
    status(400, "POST", ping, {"MCP-Protocol-Version": "not-a-version"}, code=-32022)
    status(400, "POST", ping, {"MCP-Protocol-Version": NEW, "Mcp-Method": "ping"}, code=-32602)
    status(200, "POST", new)
    status(400, "POST", new, {"MCP-Protocol-Version": None}, code=-32020)
    status(400, "POST", new, {"MCP-Protocol-Version": "2025-11-25"}, code=-32020)
    status(400, "POST", new, {"Mcp-Method": None}, code=-32020)
    status(400, "POST", new, {"Mcp-Method": "tools/call"}, code=-32020)
    read = request(NEW, "resources/read", {"uri": "cando://fields"})
    status(200, "POST", read)
    status(200, "POST", read, {"Mcp-Name": "=?base64?Y2FuZG86Ly9maWVsZHM=?="})
    status(400, "POST", read, {"Mcp-Name": "=?base64?Y2FuZG86Ly9maWVsZHM?="}, code=-32020)
    status(400, "POST", read, {"Mcp-Name": "cando://catalog"}, code=-32020)
    status(404, "POST", request(NEW, "no/such"), code=-32601)
    status(404, "POST", request(NEW, "ping"), code=-32601)
    status(200, "POST", request(None, "no/such"), code=-32601)
    big = json.dumps(request(None, "tools/call", {"name": "fix_request", "arguments": {
        "request": {**HELLO, "messages": [{"role": "user", "content": "x" * 300000}]}}}))
    status(200, "POST", big)


def main():
    if len(sys.argv) < 3:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as home:     # nobody's files count but the test's
        os.environ["HOME"] = home
        for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "CANDO_STORE", "CANDO_TOKEN"):
            os.environ.pop(name, None)
        return check(Checks(sys.argv[3] if len(sys.argv) > 3 else None), *map(os.path.realpath, sys.argv[1:3]))


def check(c, cando, serve):
    over_pipes(c, cando)
    hostile_pipes(c, cando)
    own_files(c, cando)
    h = talk.Http(serve)
    over_http(c, h)
    rules_of_http(c, h)
    c.that("the daemon ends well", h.end() == 0)
    print("%d passed, %d failed" % (c.passed, c.failed))
    return 1 if c.failed else 0


if __name__ == "__main__":
    sys.exit(main())
