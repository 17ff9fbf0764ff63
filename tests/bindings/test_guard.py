"""test_guard.py - the guards for httpx and requests, against a server that behaves as providers do.

The server sends single events and waits until the client has seen each before it sends the next, so
a guard that holds a stream up does not pass.
"""
import asyncio
import base64
import contextlib
import gzip
import io
import json
import os
import re
import resource
import signal
import struct
import sys
import threading
import unittest
import uuid
import warnings
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import requests

import cando
import cando.httpx
import cando.requests
from cando import _guard

cando.set_today("2026-11-16")
MESSAGES = [{"role": "user", "content": "hi"}]
GOOD = {"model": "gpt-5.6-sol", "messages": MESSAGES}
BAD = dict(GOOD, max_tokens=5)
REPLY = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "model": "gpt-5.6-sol",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100},
}
COST = cando.cost(response=REPLY, provider="openai")["total_cost"]
EVENTS = [
    {"id": "c", "object": "chat.completion.chunk", "model": "gpt-5.6-sol", "choices": [{"index": 0, "delta": {"content": t}}]}
    for t in ("He", "llo", "\u00e9")
] + [{"id": "c", "object": "chat.completion.chunk", "model": "gpt-5.6-sol", "choices": [], "usage": REPLY["usage"]}]
SSE = [b"data: " + json.dumps(e).encode() + b"\n\n" for e in EVENTS] + [b"data: [DONE]\n\n"]
CLAUDE = [
    {"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-4-5", "content": [], "usage": {"input_tokens": 1000, "output_tokens": 1}}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "hi"}},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 100}},
    {"type": "message_stop"},
]
REFUSED = {"error": {"message": "Unsupported parameter: 'temperature' is not supported with this model.", "type": "invalid_request_error", "param": "temperature", "code": "unsupported_parameter"}}


class Broken:
    """An engine that fails."""

    def raw(self, question):
        raise ZeroDivisionError

    cost = learn = raw


def frame(kind, payload):
    """An event of Amazon's streams."""
    name, value = b":event-type", kind.encode()
    head = bytes([len(name)]) + name + b"\x07" + struct.pack(">H", len(value)) + value
    begin = struct.pack(">II", 16 + len(head) + len(payload), len(head))
    begin += struct.pack(">I", zlib.crc32(begin))
    whole = begin + head + payload
    return whole + struct.pack(">I", zlib.crc32(whole))


class Provider(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    seen = threading.Semaphore(0)  # one for each event that the client has had

    def log_message(self, *_):
        pass

    def reply(self, status, body, headers):
        self.send_response(status)
        for name, value in dict(headers, **{"Content-Length": str(len(body))}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def chunks(self, kind, parts, wait=False):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for part in parts:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            self.wfile.flush()
            if wait and not self.seen.acquire(timeout=10):
                return
        self.wfile.write(b"0\r\n\r\n")

    def do_POST(self):
        size = self.headers.get("Content-Length")
        body = self.rfile.read(int(size)) if size else self.read_chunked()
        self.server.bodies.append((self.path, body, self.headers))
        kind = {"Content-Type": "application/json"}
        if self.path.endswith("/converse-stream"):
            events = [("messageStart", {"role": "assistant"}), ("metadata", {"usage": {"inputTokens": 1000, "outputTokens": 100, "totalTokens": 1100}})]
            parts = [frame(k, json.dumps(v).encode()) for k, v in events]
            return self.chunks("application/vnd.amazon.eventstream", [b"".join(parts)[i : i + 7] for i in range(0, sum(map(len, parts)), 7)])
        if self.path.endswith("/invoke-with-response-stream"):
            inner = [json.dumps({"bytes": base64.b64encode(json.dumps(e).encode()).decode()}).encode() for e in CLAUDE]
            return self.chunks("application/vnd.amazon.eventstream", [frame("chunk", p) for p in inner])
        if self.path.endswith("/api/chat"):
            lines = [{"model": "llama3.2", "message": {"content": "hi"}, "done": False}, {"model": "llama3.2", "message": {"content": ""}, "done": True, "prompt_eval_count": 10, "eval_count": 5}]
            return self.chunks("application/x-ndjson", [json.dumps(x).encode() + b"\n" for x in lines])
        if self.path == "/moved":
            return self.reply(307, b"", {"Location": "/v1/chat/completions"})
        if not self.path.endswith("/chat/completions"):
            return self.reply(200, b'{"ok":true}', kind)
        asked = json.loads(body) if body[:1] == b"{" and body[-1:] == b"}" else {}
        if asked.get("user") == "numbered":
            error = dict(REFUSED["error"], message="%s (request id: %s)" % (REFUSED["error"]["message"], uuid.uuid4()))
            return self.reply(400, json.dumps({"error": error}).encode(), kind)
        if "temperature" in asked:
            return self.reply(400, json.dumps(REFUSED).encode(), kind)
        if asked.get("stream"):
            return self.chunks("text/event-stream", SSE, wait="pause" in asked.get("user", ""))
        text = json.dumps(REPLY).encode()
        if asked.get("user") == "packed":
            return self.reply(200, gzip.compress(text), dict(kind, **{"Content-Encoding": "gzip"}))
        if asked.get("user") == "long":
            text = json.dumps(dict(REPLY, pad="x" * 20000)).encode()
        if asked.get("user") == "cut":
            self.close_connection = True
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(text[:6])
            return None
        if asked.get("user") == "bytes":
            return self.reply(200, b"\x00\xff{", kind)
        return self.reply(200, text, kind)

    def read_chunked(self):
        body = b""
        while True:
            n = int(self.rfile.readline(), 16)
            body += self.rfile.read(n)
            self.rfile.readline()
            if n == 0:
                return body


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
        cls.server.daemon_threads = True
        cls.server.bodies = []
        cls.base = "http://127.0.0.1:%d" % cls.server.server_port
        cls.url = cls.base + "/v1/chat/completions"
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()

    def setUp(self):
        self.events = []
        self.server.bodies.clear()

    def of(self, kind):
        return [e for e in self.events if e["type"] == kind]

    def options(self, mode, **more):
        return dict(dict(mode=mode, on=self.events.append, provider="openai", engine=cando.Engine()), **more)


class Sync:
    """What holds for httpx and for requests."""

    def test_report(self):
        with self.client("report") as c:
            reply = self.post(c, BAD)
        self.assertEqual((reply.status_code, reply.json()), (200, REPLY))
        self.assertEqual(json.loads(self.server.bodies[0][1]), BAD)
        (verdict,) = self.of("verdict")
        self.assertEqual((verdict["action"], verdict["verdict"], verdict["model"]), ("pass", "rewrite", "gpt-5.6-sol"))
        self.assertEqual(verdict["findings"][0]["code"], "parameter-renamed")
        (cost,) = self.of("cost")
        self.assertTrue(cost["known"] and not cost["partial"])
        self.assertEqual(cost["total_cost"], COST)
        self.assertEqual(cost["usage"]["output_tokens"], 100)
        self.assertEqual(cost["call"], verdict["call"])

    def test_repair(self):
        text = b'{ "model":"gpt-5.6-sol",  "seed": 1.0e1, "max_tokens":5, "messages":[{"role":"user","content":"\\u00e9"}] }'
        with self.client("repair") as c:
            reply = self.post(c, text)
        self.assertEqual(reply.status_code, 200)
        path, body, headers = self.server.bodies[0]
        self.assertEqual(body, text.replace(b"max_tokens", b"max_completion_tokens"))
        self.assertEqual(headers["Content-Length"], str(len(body)))
        self.assertEqual(headers["X-Mine"], "kept")
        self.assertEqual(self.of("verdict")[0]["action"], "send")

    def test_repair_signed(self):
        with self.client("repair") as c:
            self.post(c, BAD, {"Authorization": "AWS4-HMAC-SHA256 Credential=x"})
        self.assertEqual(json.loads(self.server.bodies[0][1]), BAD)
        self.assertIn("signed", self.of("verdict")[0]["reason"])

    def test_reject(self):
        with self.client("reject") as c:
            reply = self.post(c, BAD)
            self.assertEqual(self.server.bodies, [])
            self.assertEqual(self.post(c, GOOD).status_code, 200)
        self.assertEqual(reply.status_code, 400)
        self.assertEqual(reply.headers["content-type"], "application/json")
        error = reply.json()["error"]
        self.assertEqual((error["param"], error["code"]), ("max_tokens", "unsupported_parameter"))
        self.assertEqual([e["action"] for e in self.of("verdict")], ["refuse", "pass"])

    def test_steps_up_and_down(self):
        with self.client("reject") as c:
            for path in ("/v1/./x/../chat/completions", "/x/%2e%2E/v1/chat/completions"):
                self.assertEqual(self.post(c, BAD, path=path).status_code, 400)
            self.assertEqual(self.server.bodies, [])
            self.post(c, BAD, path="/v1/chat/completions/../../files")
        self.assertEqual(len(self.server.bodies), 1)

    def test_other_requests_pass(self):
        with self.client("reject") as c:
            self.post(c, b"\xff\xfe no JSON")
            self.post(c, b'{"model":')
            self.post(c, gzip.compress(json.dumps(BAD).encode()), {"Content-Encoding": "gzip"})
            self.post(c, BAD, path="/v1/embeddings")
            self.post(c, self.pieces(json.dumps(BAD).encode()))
            self.post(c, {"model": "gpt-5.6-sol", "input": "hi"}, path="/v1/files")
        self.assertEqual(len(self.server.bodies), 6)
        self.assertEqual(self.of("fault"), [])

    def test_packed(self):
        with self.client("report") as c:
            reply = self.post(c, dict(GOOD, user="packed"))
        self.assertEqual(reply.json(), REPLY)
        self.assertEqual(self.of("cost")[0]["total_cost"], COST)

    def test_too_long_or_no_reply(self):
        with self.client("report", limit=10000) as c:
            self.assertEqual(len(self.post(c, dict(GOOD, user="long")).json()["pad"]), 20000)
            self.assertEqual(self.post(c, dict(GOOD, user="bytes")).content, b"\x00\xff{")
        self.assertEqual([e["known"] for e in self.of("cost")], [False, False])
        self.assertEqual(self.of("cost")[1]["reason"], "this is neither an object nor a list of events")
        self.assertEqual(self.of("cost")[0]["reason"], "the reply is too long")
        self.assertEqual(self.of("fault"), [])

    def test_learns(self):
        asked = dict(GOOD, model="gpt-4.1", temperature=0.5)
        with self.client("reject") as c:
            self.assertEqual(self.post(c, asked).json(), REFUSED)
            self.assertEqual(self.of("learnt")[0]["observations"][0]["field"], "temperature")
            reply = self.post(c, asked)
            self.assertEqual(len(self.server.bodies), 1)  # the second was not sent
        self.assertEqual(reply.status_code, 400)
        self.assertEqual(reply.json()["error"]["param"], "temperature")
        self.assertEqual(self.of("fault"), [])

    def test_cut(self):
        with self.client("report") as c, contextlib.suppress(httpx.RemoteProtocolError):
            self.post(c, dict(GOOD, user="cut"))
        said = ("the reply was not read to its end", "the reply is no JSON")  # requests does not notice
        self.assertIn(self.of("cost")[0]["reason"], said)

    def test_redirected(self):
        with self.client("repair") as c:
            reply = self.post(c, BAD, path="/moved")
            self.assertEqual(reply.json(), REPLY)
        self.assertEqual([b"max_completion_tokens" in body for _, body, _ in self.server.bodies], [False, True])
        self.assertEqual([e["total_cost"] for e in self.of("cost")], [COST])

    def test_refusal_is_a_reply(self):
        with self.client("reject") as c:
            reply = self.post(c, BAD)
        self.assertGreaterEqual(reply.elapsed.total_seconds(), 0)
        self.assertEqual(str(reply.url), self.url)

    def test_learns_a_fact_once(self):
        asked, engine = dict(GOOD, model="gpt-4.1", temperature=0.5, user="numbered"), cando.Engine()
        for _ in range(2):  # two guards of one engine
            with self.client("report", engine=engine) as c:
                self.assertIn("request id", self.post(c, asked).json()["error"]["message"])
                self.assertEqual(self.post(c, asked).status_code, 400)
        self.assertEqual(len(self.of("learnt")), 1)
        self.assertEqual(self.of("fault"), [])

    def test_half_of_a_pair(self):
        asked = json.dumps(dict(BAD, messages=[{"role": "user", "content": "\ud800"}])).encode()
        with self.client("repair") as c:
            self.assertEqual(self.post(c, asked).json(), REPLY)
        self.assertEqual((self.server.bodies[0][1], self.of("fault")), (asked, []))
        self.assertIn("lone surrogate", self.of("verdict")[0]["reason"])

    def test_no_secret_in_events(self):
        url = self.url.replace("://", "://me:s3cret@") + "?key=s3cret#s3cret"
        with self.client("report") as c:
            self.assertEqual(c.post(url, json=GOOD).status_code, 200)
        self.assertEqual([e["url"] for e in self.events], [self.url] * 2)

    def test_async_handler_without_a_loop(self):
        async def handler(event):
            self.events.append(event)

        with warnings.catch_warnings(), self.assertLogs("cando", "WARNING"):
            warnings.simplefilter("error")
            with self.client("report", on=handler) as c:
                self.assertEqual(self.post(c, GOOD).json(), REPLY)

    def test_a_provider_that_nobody_knows_is_told(self):
        for mode in ("report", "repair", "reject"):
            with self.assertLogs("cando", "WARNING") as log, self.client(mode, on=None, provider="opnai") as c:
                self.assertEqual(self.post(c, GOOD).json(), REPLY)
            self.assertIn("no provider is called 'opnai': did you mean 'openai'?", log.output[0], mode)
        with self.assertRaises(AssertionError):  # none
            with self.assertLogs("cando", "WARNING"), self.client("reject", on=None) as c:
                self.post(c, BAD)

    def test_faults_break_nothing(self):
        def handler(event):
            self.events.append(event)
            raise ValueError("the handler's own")

        with self.client("reject", engine=Broken(), on=handler) as c:
            self.assertEqual(self.post(c, BAD).json(), REPLY)
        (fault,) = self.of("fault")
        self.assertIsInstance(fault["error"], ZeroDivisionError)
        with self.client("report", on=handler) as c:
            self.assertEqual(self.post(c, BAD).json(), REPLY)
        self.assertEqual(len(self.events), 3)

    def test_stream_is_not_held_up(self):
        with self.client("report") as c:
            got = list(self.streamed(c, dict(GOOD, stream=True, user="pause")))
        self.assertEqual(b"".join(got), b"".join(SSE))
        (cost,) = self.of("cost")
        self.assertEqual((cost["total_cost"], cost["stream"], cost["partial"]), (COST, True, False))

    def test_stream_given_up(self):
        with self.client("report") as c:
            for _ in self.streamed(c, dict(GOOD, stream=True)):
                break
        self.assertEqual(len(self.of("cost")), 1)

    def test_event_streams(self):
        with self.client("report", provider="amazon-bedrock") as c:
            model = "/model/anthropic.claude-opus-4-5-20251101-v1%3A0"
            self.post(c, {"messages": [{"role": "user", "content": [{"text": "hi"}]}]}, path=model + "/converse-stream")
            body = {"anthropic_version": "bedrock-2023-05-31", "max_tokens": 5, "messages": MESSAGES}
            self.post(c, body, path=model + "/invoke-with-response-stream")
        self.assertEqual([e["verdict"] for e in self.of("verdict")], ["ok", "ok"])
        for cost in self.of("cost"):
            self.assertEqual((cost["total_cost"], cost["usage"]["output_tokens"]), ("0.0075", 100), cost)

    def test_lines(self):
        with self.client("report", provider="ollama") as c:
            self.post(c, {"model": "llama3.2", "messages": MESSAGES}, path="/api/chat")
        self.assertEqual(self.of("cost")[0]["usage"]["output_tokens"], 5)

    def test_bad_mode(self):
        with self.assertRaises(ValueError):
            self.client("fix")


class Httpx(Sync, Case):
    def client(self, mode, **more):
        return httpx.Client(transport=cando.httpx.Guard(**self.options(mode, **more)), follow_redirects=True)

    def post(self, c, body, headers=None, path="/v1/chat/completions"):
        headers = dict({"Content-Type": "application/json", "X-Mine": "kept"}, **headers or {})
        content = json.dumps(body).encode() if isinstance(body, dict) else body
        return c.post(self.base + path, content=content, headers=headers)

    def pieces(self, body):
        yield body

    def streamed(self, c, body):
        with c.stream("POST", self.url, json=body) as reply:
            for part in reply.iter_raw():
                yield part
                Provider.seen.release()

    def test_wraps(self):
        calls = []

        def answer(request):
            calls.append(request)
            return httpx.Response(200, json=REPLY)

        guard = cando.httpx.Guard("repair", on=self.events.append, transport=httpx.MockTransport(answer))
        with httpx.Client(transport=guard) as c:
            c.post("https://api.openai.com/v1/chat/completions", json=BAD)
        self.assertEqual(json.loads(calls[0].content), dict(GOOD, max_completion_tokens=5))
        self.assertEqual(self.of("cost")[0]["total_cost"], COST)


class Requests(Sync, Case):
    def client(self, mode, **more):
        session = requests.Session()
        session.mount("http://", cando.requests.Guard(**self.options(mode, **more)))
        return session

    def post(self, c, body, headers=None, path="/v1/chat/completions"):
        headers = dict({"Content-Type": "application/json", "X-Mine": "kept"}, **headers or {})
        data = json.dumps(body).encode() if isinstance(body, dict) else body
        return c.post(self.base + path, data=data, headers=headers)

    def pieces(self, body):
        yield body

    def streamed(self, c, body):
        with c.post(self.url, json=body, stream=True) as reply:
            for part in reply.iter_content(None):
                yield part
                Provider.seen.release()

    def test_raw(self):
        with self.client("report") as c:
            reply = c.post(self.url, json=dict(GOOD, user="packed"), stream=True)
            self.assertEqual(json.loads(gzip.decompress(reply.raw.read())), REPLY)
        self.assertEqual(self.of("cost")[0]["total_cost"], COST)


class Async(Case):
    def client(self, mode, **more):
        return httpx.AsyncClient(transport=cando.httpx.AsyncGuard(**self.options(mode, **more)))

    def test_modes(self):
        async def run():
            async with self.client("reject") as c:
                refused = await c.post(self.url, json=BAD)
                good = await c.post(self.url, json=GOOD)
            async with self.client("repair") as c:
                await c.post(self.url, json=BAD)
            return refused, good

        refused, good = asyncio.run(run())
        self.assertEqual(refused.json()["error"]["code"], "unsupported_parameter")
        self.assertEqual(good.json(), REPLY)
        self.assertEqual(json.loads(self.server.bodies[-1][1]), dict(GOOD, max_completion_tokens=5))
        self.assertEqual([e["total_cost"] for e in self.of("cost")], [COST, COST])

    def test_learns(self):
        async def run():
            async with self.client("reject") as c:
                await c.post(self.url, json=dict(GOOD, model="gpt-4.1", temperature=0.5))
                return await c.post(self.url, json=dict(GOOD, model="gpt-4.1", temperature=0.5))

        self.assertEqual(asyncio.run(run()).json()["error"]["param"], "temperature")
        self.assertEqual(len(self.server.bodies), 1)

    def test_stream_is_not_held_up(self):
        async def run():
            parts = []
            async with self.client("report") as c:
                async with c.stream("POST", self.url, json=dict(GOOD, stream=True, user="pause")) as reply:
                    async for part in reply.aiter_raw():
                        parts.append(part)
                        Provider.seen.release()
            return parts

        self.assertEqual(b"".join(asyncio.run(run())), b"".join(SSE))
        self.assertEqual(self.of("cost")[0]["total_cost"], COST)

    def test_async_handler(self):
        async def run():
            told = asyncio.Queue()

            async def handler(event):
                await told.put(event)
                raise ValueError("the handler's own")

            async with self.client("report", on=handler) as c:
                reply = await c.post(self.url, json=GOOD)
            self.events = [await told.get(), await told.get()]
            return reply

        self.assertEqual(asyncio.run(run()).json(), REPLY)
        self.assertEqual([e["type"] for e in self.events], ["verdict", "cost"])

    def test_streamed_request_passes(self):
        async def pieces():
            yield json.dumps(BAD).encode()

        async def run():
            async with self.client("reject") as c:
                return await c.post(self.url, content=pieces())

        self.assertEqual(asyncio.run(run()).json(), REPLY)


class Forms(unittest.TestCase):
    def test_any_cut(self):
        """However a stream is cut into chunks, the same events come out."""
        text = b": hello\r\n\r\ndata: {\"a\":1}\r\n\r\nevent: x\ndata:{\"b\":\"\xc3\xa9\"}\n\ndata: [DONE]\n\n"
        for n in range(1, 12):
            form = _guard.ServerEvents()
            for i in range(0, len(text), n):
                form.see(text[i : i + n])
            self.assertEqual(form.json(), b'[{"a":1},{"b":"\xc3\xa9"}]')

    def test_fork_while_learning(self):
        learnt = _guard.Learnt(cando.Engine())
        rule = '[[models]]\nprovider = "acme"\nid = "m"\nset = { context_window = 1 }\n'

        def learn(model):
            learnt.add(("acme", model), rule, [{"target": model}], print)
            return learnt.waiting(("acme", model))

        learnt.turn.acquire()  # as by a thread that is at it
        held = learn("a")
        child = os.fork()
        if child == 0:
            with contextlib.suppress(Exception):
                signal.alarm(10)
                for model in "ab":
                    thread = learn(model)
                    if thread:
                        thread.join()
                os._exit(0 if learnt.engine.resolve("acme/m")["identity"] == "exact" else 1)
            os._exit(2)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        learnt.turn.release()
        held.join()

    def test_many_calls(self):
        """Memory does not grow."""
        guarded = _guard.Guarded("repair", None, None, cando.Engine(), (), False, 1 << 20)
        body, reply = json.dumps(BAD).encode(), json.dumps(REPLY).encode()

        def call():
            made = guarded.before("POST", "https://api.openai.com/v1/chat/completions", [], body)
            self.assertTrue(made.settled() and made.body)
            reader = made.reader(200, [("content-type", "application/json")])
            reader.see(reply)
            reader.end(False)

        for _ in range(200):
            call()
        blocks, pages = sys.getallocatedblocks(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(5000):
            call()
        self.assertLess(sys.getallocatedblocks() - blocks, 500)
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - pages, 2000)

    def test_bomb(self):
        """What is packed small does not become large in memory."""
        reader = _guard.Reader(None, _guard.Whole(), {"content-encoding": "gzip"}, 1000, lambda *_: None)
        reader.see(gzip.compress(b"x" * 10_000_000))
        self.assertEqual(reader.why, "the reply is too long")


class Readme(unittest.TestCase):
    def test_example(self):
        path = os.path.join(os.path.dirname(__file__), "../../bindings/python/README.md")
        with open(path, encoding="utf-8") as f:
            (block,) = [b for b in re.findall(r"```python\n(.*?)```", f.read(), re.S) if "cando.httpx" in b]
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(block, {})
        self.assertEqual(said.getvalue(), "verdict rewrite\n400 max_tokens\n")


if __name__ == "__main__":
    unittest.main()
