#!/usr/bin/env python3
"""test_nginx.py MODULE - requests through a real nginx with the module, to a provider that keeps what it gets."""
import json
import os
import signal
import subprocess
import sys
import threading
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from gateway import Gateway, look_again, packed, queue  # noqa: E402

MODULE = sys.argv.pop(1) if len(sys.argv) > 1 else "build/nginx/ngx_http_cando_module.so"
PRELOAD = {"LD_PRELOAD": os.environ["CANDO_PRELOAD"]} if os.environ.get("CANDO_PRELOAD") else None
CHAT = "v1/chat/completions"
GOOD = {"model": "gpt-5.6-sol", "messages": [{"role": "user", "content": "hi"}]}
BAD = dict(GOOD, max_tokens=5)
REPLY = {"id": "chatcmpl-1", "object": "chat.completion", "model": "gpt-5.6-sol",
         "choices": [{"index": 0, "message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}],
         "usage": {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}}
JSON = {"content-type": "application/json"}


def event(value):
    return b"data: " + json.dumps(value).encode() + b"\n\n"


EVENTS = [event({"id": "c", "object": "chat.completion.chunk", "model": "gpt-5.6-sol", "choices": [{"index": 0, "delta": {"content": t}}]})
          for t in ("He", "llo")] + [
              event({"id": "c", "object": "chat.completion.chunk", "model": "gpt-5.6-sol", "choices": [], "usage": REPLY["usage"]}),
              b"data: [DONE]\n\n"]


class One(unittest.TestCase):
    """One nginx for all; each test looks at its own line of the log."""

    @classmethod
    def setUpClass(cls):
        cls.g = Gateway(MODULE, http="cando_zone models:256k;", env=PRELOAD)

    @classmethod
    def tearDownClass(cls):
        code, errors = cls.g.close()
        if code or "Sanitizer" in errors or "signal 11" in errors:
            raise AssertionError("nginx ended with %s: %s" % (code, errors[-3000:]))

    def setUp(self):
        self.g.provider.seen.clear()
        self.g.provider.reply = (200, JSON, [json.dumps(REPLY).encode()])
        self.g.provider.go = None

    number = 0

    @classmethod
    def one_more(cls):
        One.number += 1
        return str(One.number)

    def ask(self, place, body=None, path=CHAT, **more):
        n = self.one_more()
        got = self.g.post("/%s/%s?n=%s" % (place, path, n), GOOD if body is None else body, **more)
        return (*got, self.g.logged(n))

    def sent(self):
        (one,) = self.g.provider.seen
        return one[2]

    def test_good_passes_to_the_letter(self):
        text = '{ "model":"gpt-5.6-sol",\n "messages":[{"role":"user","content":"h\\u0069 \u00e9"}] }'
        for place in ("report", "repair", "reject", "unbuffered", "off"):
            self.setUp()
            status, _, body, log = self.ask(place, text.encode())
            self.assertEqual((status, json.loads(body)), (200, REPLY))
            self.assertEqual(self.sent(), text.encode())
            self.assertEqual(log["verdict"], "" if place == "off" else "ok", place)

    def test_reject_answers_as_the_provider(self):
        status, headers, body, log = self.ask("reject", BAD)
        error = json.loads(body)["error"]
        self.assertEqual((status, error["param"], error["code"]), (400, "max_tokens", "unsupported_parameter"))
        self.assertEqual((headers["x-cando"], headers["content-type"]), ("refused", "application/json"))
        self.assertEqual(self.g.provider.seen, [])
        self.assertEqual((log["verdict"], log["action"], log["findings"]), ("rewrite", "refuse", "parameter-renamed"))
        self.assertEqual((log["cost"], log["provider"], log["api"], log["model"]), ("", "openai", "openai-chat", "gpt-5.6-sol"))

    def test_forms_of_other_providers(self):
        status, _, body, _ = self.ask("anthropic", {"model": "claude-opus-4-5", "messages": GOOD["messages"]}, "v1/messages")
        self.assertEqual((status, json.loads(body)["type"], json.loads(body)["error"]["type"]), (400, "error", "invalid_request_error"))
        self.setUp()
        path = "model/anthropic.claude-opus-4-5-20251101-v1%3A0/converse"
        status, headers, _, log = self.ask("bedrock", {"messages": []}, path)
        self.assertEqual((status, headers["x-amzn-errortype"]), (400, "ValidationException"))
        self.assertEqual(log["model"], "anthropic.claude-opus-4-5-20251101-v1:0")

    def test_repair_sends_what_runs(self):
        for place in ("repair", "unbuffered"):
            for how in ({}, {"chunks": 7}):
                self.setUp()
                status, _, _, log = self.ask(place, BAD, **how)
                sent = json.loads(self.sent())
                self.assertEqual((status, log["action"]), (200, "repair"))
                self.assertEqual((sent["max_completion_tokens"], "max_tokens" in sent), (5, False))
                self.assertEqual(int(self.g.provider.seen[0][1]["Content-Length"]), len(self.sent()))

    def test_bodies_in_files(self):
        long = dict(BAD, messages=[{"role": "user", "content": "word " * 20000}])
        status, _, _, _ = self.ask("repair", long)
        sent = json.loads(self.sent())
        self.assertEqual((status, sent["max_completion_tokens"], sent["messages"]), (200, 5, long["messages"]))
        self.setUp()
        status, _, body, _ = self.ask("reject", long, chunks=1000)
        self.assertEqual((status, json.loads(body)["error"]["param"]), (400, "max_tokens"))
        for how in ({}, {"chunks": 1000}):
            self.setUp()
            _, _, _, log = self.ask("report", long, **how)
            self.assertEqual(self.sent(), json.dumps(long).encode())
            self.assertGreater(float(log["estimate"]), 0.05)  # it is put together once more when the log is written

    def test_report_only_tells(self):
        status, _, _, log = self.ask("report", BAD)
        self.assertEqual((status, json.loads(self.sent())), (200, BAD))
        self.assertEqual((log["verdict"], log["action"], log["findings"]), ("rewrite", "pass", "parameter-renamed"))
        self.assertGreater(int(log["tokens"]), 0)
        self.assertRegex(log["estimate"], r"^0\.0*[1-9]")

    def test_what_cannot_be_read_passes(self):
        rows = [("reject", b"not json", CHAT, "no JSON"), ("reject", b"[1]", CHAT, "no JSON"),
                ("reject", b"{}", "v1/files", "endpoint"), ("small", json.dumps(GOOD).encode() + b" " * 3000, CHAT, "cando_body_limit"),
                ("reject", b'{"model":"gpt-5.6-sol","messages":[', CHAT, "end of the text"), ("reject", b"\x1f\x8b\x08\x00", CHAT, "no JSON")]
        for place, body, path, why in rows:
            self.setUp()
            status, _, _, log = self.ask(place, body, path)
            self.assertEqual((status, self.sent(), log["action"]), (200, body, "pass"), (body, log))
            self.assertIn(why, log["reason"])
            self.assertIn("cando: passes unread: " + log["reason"], self.g.text("error.log"))

    def test_signed_requests_stay_as_they_are(self):
        for headers in ({"authorization": "AWS4-HMAC-SHA256 Credential=x"}, {"content-md5": "x"}, {"X-Amz-Content-Sha256": "x"}):
            self.setUp()
            _, _, _, log = self.ask("signed", BAD, headers=headers)
            self.assertEqual(json.loads(self.sent()), BAD)
            self.assertEqual((log["verdict"], log["action"]), ("rewrite", "pass"))
            self.assertIn("signed", log["reason"])

    def test_headers_switch_betas_on(self):
        body = {"model": "claude-sonnet-5", "max_tokens": 100, "messages": GOOD["messages"],
                "mcp_servers": [{"type": "url", "url": "https://x.example/sse", "name": "x"}]}
        status, *_ = self.ask("anthropic", body, "v1/messages")
        self.assertEqual(status, 400)
        self.setUp()
        status, *_ = self.ask("anthropic", body, "v1/messages", headers={"Anthropic-Beta": "mcp-client-2025-04-04", "x-odd": 'a"\\'})
        self.assertEqual(status, 200)

    def test_whose_it_is_by_the_host(self):
        status, *_ = self.ask("v1", BAD, "chat/completions")
        self.assertEqual(status, 400)
        self.setUp()
        status, _, _, log = self.ask("named", BAD, headers={"X-Provider": "openai"})
        self.assertEqual((status, log["provider"]), (400, "openai"))
        self.setUp()
        status, _, _, log = self.ask("named", BAD)
        self.assertEqual((status, log["action"]), (200, "pass"))
        self.assertIn("address", log["reason"])

    def test_unknown_models(self):
        status, *_ = self.ask("reject", dict(GOOD, model="gpt-no-such"))
        self.assertEqual(status, 200)
        self.setUp()
        status, *_ = self.ask("strict", dict(GOOD, model="gpt-no-such"))
        self.assertEqual(status, 404)

    def test_cost_of_replies(self):
        want = None
        for place, headers, pieces in (("report", JSON, [json.dumps(REPLY).encode()]),
                                       ("report", {**JSON, "content-encoding": "gzip"}, [packed(json.dumps(REPLY).encode())]),
                                       ("report", {"content-type": "text/event-stream"}, EVENTS),
                                       ("unbuffered", {"content-type": "text/event-stream; charset=utf-8"}, EVENTS),
                                       ("report", {"content-type": "text/event-stream", "content-encoding": "gzip"}, [packed(b"".join(EVENTS))])):
            self.setUp()
            self.g.provider.reply = (200, headers, pieces)
            _, _, body, log = self.ask(place)
            self.assertEqual(body, b"".join(pieces))
            want = want or log["cost"]
            self.assertRegex(log["cost"], r"^0\.00[0-9]+$")
            self.assertEqual((log["cost"], log["input"], log["output"]), (want, "1000", "100"), (place, headers))

    def test_no_cost_where_none_can_be_known(self):
        for status, headers, pieces in ((500, JSON, [json.dumps(REPLY).encode()]), (200, JSON, [b"oops"]),
                                        (200, {**JSON, "content-encoding": "gzip"}, [b"not packed"]),
                                        (200, {**JSON, "content-encoding": "br"}, [b"x"]),
                                        (200, {"content-type": "text/event-stream"}, [b": nothing\n\n"]),
                                        (200, {"content-type": "application/vnd.amazon.eventstream"}, [b"\0\0\0\1" * 8])):
            self.setUp()
            self.g.provider.reply = (status, headers, pieces)
            got, _, body, log = self.ask("report")
            self.assertEqual((got, body, log["cost"]), (status, b"".join(pieces), ""), headers)

    def test_a_stream_is_not_held_up(self):
        import http.client
        self.g.provider.reply = (200, {"content-type": "text/event-stream"}, EVENTS)
        self.g.provider.go = queue.Queue()
        c = http.client.HTTPConnection("127.0.0.1", self.g.port, timeout=30)
        n = self.one_more()
        c.request("POST", "/unbuffered/%s?n=%s" % (CHAT, n), json.dumps(dict(GOOD, stream=True)), {"content-type": "application/json"})
        self.g.provider.go.put(1)
        r = c.getresponse()
        for i, piece in enumerate(EVENTS):
            if i:
                self.g.provider.go.put(1)
            self.assertEqual(r.read(len(piece)), piece)
        self.assertEqual(r.read(), b"")
        c.close()
        self.assertEqual(self.g.logged(n)["output"], "100")

    def test_a_reply_that_is_cut(self):
        self.g.provider.reply = (200, {"content-type": "text/event-stream"}, [EVENTS[0], None])
        n = self.one_more()
        try:
            self.g.post("/unbuffered/%s?n=%s" % (CHAT, n), GOOD)
        except Exception:  # noqa: BLE001 - the client sees that it is cut
            pass
        self.assertEqual(self.g.logged(n)["cost"], "")

    def test_variables_route(self):
        self.ask("routed")
        headers = self.g.provider.seen[0][1]
        self.assertEqual(headers["X-Room"], "sol")
        self.assertGreater(int(headers["X-Tokens"]), 0)

    def test_a_connection_is_kept(self):
        import http.client
        c = http.client.HTTPConnection("127.0.0.1", self.g.port, timeout=30)
        for body, status in ((BAD, 400), (GOOD, 200), (BAD, 400), (GOOD, 200)):
            c.request("POST", "/reject/" + CHAT, json.dumps(body), {"content-type": "application/json"})
            r = c.getresponse()
            r.read()
            self.assertEqual(r.status, status)
        c.close()

    def test_http2(self):
        for place, body, status in (("reject", BAD, "400"), ("repair", BAD, "200"), ("report", GOOD, "200")):
            p = subprocess.run(["curl", "-sS", "--http2-prior-knowledge", "-o", os.path.join(self.g.dir, "out"), "-w", "%{http_code} %{http_version}",
                                "-H", "content-type: application/json", "-d", json.dumps(body),
                                "http://127.0.0.1:%d/%s/%s" % (self.g.port2, place, CHAT)], stdout=subprocess.PIPE, check=True, timeout=30)
            self.assertEqual(p.stdout.decode(), status + " 2")
        self.assertEqual([("max_tokens" in json.loads(s[2])) for s in self.g.provider.seen], [False, False])

    def test_other_methods_pass(self):
        import http.client
        c = http.client.HTTPConnection("127.0.0.1", self.g.port, timeout=30)
        c.request("GET", "/reject/v1/models")
        self.assertEqual(c.getresponse().status, 501)  # the provider's own word
        c.close()

    def test_z_many_at_once_and_a_reload(self):
        """Requests go on while the configuration is read again; none is lost or answered wrongly."""
        wrong, stop, done = [], threading.Event(), []

        def work(k):
            while not stop.is_set():
                body, want = (BAD, 400) if k % 2 else (GOOD, 200)
                try:
                    got = self.g.post("/reject/" + CHAT, body)[0]
                except (ConnectionError, OSError) as e:
                    got = repr(e)
                done.append(got)
                if got != want:
                    wrong.append(got)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for t in threads:
            t.start()
        for n in range(3):
            self.g.process.send_signal(signal.SIGHUP)
            while self.g.text("error.log").count("models are ready") < n + 2 and self.g.process.poll() is None:
                look_again()
        stop.set()
        for t in threads:
            t.join()
        self.assertEqual((wrong, len(done) > 20), ([], True))
        ready = [line for line in self.g.text("error.log").split("\n") if "models are ready" in line]
        self.assertIn("cando: 0 models are ready", ready[0])
        self.assertRegex(ready[-1], "cando: [1-9][0-9]* models are ready")


class Configuration(unittest.TestCase):
    def check(self, http):
        g = Gateway.__new__(Gateway)
        import tempfile
        g.dir = tempfile.mkdtemp()
        from gateway import CONF
        with open(os.path.join(g.dir, "conf"), "w", encoding="utf-8") as f:
            f.write(CONF.format(module=os.path.realpath(MODULE), dir=g.dir, listen=1, listen2=2, port=3, http=http, workers=1))
        p = subprocess.run(g.command("-t"), stderr=subprocess.PIPE, env=dict(os.environ, **(PRELOAD or {})), timeout=60, check=False)
        return p.returncode, p.stderr.decode()

    def test_mistakes(self):
        import tempfile
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as f:
            f.write('schema = "cando/rules@1"\n[[rules]]\nmatch = \n')
            f.flush()
            code, text = self.check("cando_overlay %s;" % f.name)
            self.assertEqual(code, 1)
            self.assertIn(f.name + ":3:", text)
        for http, want in (("cando_overlay /no/such.toml;", "/no/such.toml"), ("cando_catalog /no/such.snap;", "/no/such.snap"),
                           ("cando_zone x;", "NAME:SIZE"), ("cando_zone x:1k;", "too small"), ("cando sometimes;", "sometimes")):
            code, text = self.check(http)
            self.assertEqual((code, want in text), (1, True), text)

    def test_an_overlay_counts(self):
        import tempfile
        with tempfile.NamedTemporaryFile("w", suffix=".toml", dir="/tmp") as f:
            f.write('schema = "cando/rules@1"\n[[rules]]\nname = "ours"\nproviders = ["openai"]\nmatch = { exact = "gpt-5.6-sol" }\n'
                    'set = { streaming = "unsupported" }\nsource = "our own"\n')
            f.flush()
            g = Gateway(MODULE, http="cando_overlay %s;" % f.name, workers=2, env=PRELOAD)
            try:
                self.assertEqual(g.post("/reject/" + CHAT, dict(GOOD, stream=True))[0], 400)
                self.assertEqual(g.post("/reject/" + CHAT, GOOD)[0], 200)
            finally:
                g.close()


if __name__ == "__main__":
    os.environ["CANDO_TODAY"] = "2026-11-16"
    program = unittest.main(verbosity=1, exit=False)
    bad = len(program.result.failures) + len(program.result.errors)
    print("%d passed, %d failed" % (program.result.testsRun - bad, bad))
    sys.exit(bad > 0)
