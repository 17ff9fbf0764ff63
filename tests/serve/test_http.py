"""Statuses, forms of questions, connections, packing, the page, the token, sockets: the daemon as its clients see it."""
import gzip
import hashlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import threading

from daemon import PATIENCE, Daemon, exchange, folder, wait_until

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
QUESTION = {"target": "openai/gpt-4o", "request": {"model": "gpt-4o", "messages": [{"role": "user", "content": "hi"}]}}


def same(have, want):
    assert have == want, "%r, and not %r" % (have, want)


def test_statuses(serve, check):
    with Daemon(serve, "--max-body", "1000") as d:
        def status(want, code, *ask, **more):
            r = d.ask(*ask, **more)
            same(r.status, want)
            if code:
                same(r.code, code)
            return r
        rows = [
            (200, None, "POST", "/op/preflight", QUESTION),
            (200, None, "POST", "/op", {"op": "explain", "code": "io"}),
            (400, "missing-argument", "POST", "/op/explain", {}),
            (400, "unknown-argument", "POST", "/op/explain", {"code": "io", "x": 1}),
            (400, "json-syntax", "POST", "/op/explain", b"{"),
            (400, "json-syntax", "POST", "/op/explain", b""),
            (400, "bad-argument", "POST", "/op/explain", {"op": "lint", "code": "io"}),
            (404, "unknown-op", "POST", "/op/explane", {"code": "io"}),
            (404, "unknown-op", "POST", "/op/", {"code": "io"}),
            (404, "unknown-op", "POST", "/op/explain/x", {"code": "io"}),
            (404, "http-path", "GET", "/nothing"),
            (404, "http-path", "GET", "/%00"),
            (404, "http-path", "GET", "/..%2f..%2fetc/passwd"),
            (404, "http-path", "POST", "/nothing", {}),
            (405, "http-method", "GET", "/op/explain"),
            (405, "http-method", "PUT", "/op/explain", {}),
            (405, "http-method", "POST", "/healthz", {}),
            (413, "http-size", "POST", "/op/explain", {"code": "x" * 2000}),
            (404, "audit-store", "POST", "/audit", {}),
            (404, "audit-store", "POST", "/learn", {}),
        ]
        for row in rows:
            check("%d %s %s" % (row[0], row[2], row[3]), status, *row)
        check("415", lambda: status(415, "http-type", "POST", "/op/explain", {"code": "io"}, type="text/plain"))
        check("415 form", lambda: status(415, "http-type", "POST", "/op/explain", b"a=b", type="application/x-www-form-urlencoded"))
        check("415 packed", lambda: status(415, "http-type", "POST", "/op/explain", b"x", headers={"Content-Encoding": "gzip"}))
        check("no type is JSON", lambda: status(200, None, "POST", "/op/explain", {"code": "io"}, type=None))
        check("a type of its own", lambda: status(200, None, "POST", "/op/explain", {"code": "io"}, type="application/json; charset=utf-8"))
        check("Allow", lambda: same(d.ask("GET", "/op/explain").headers["Allow"], "POST"))
        check("Allow of GET", lambda: same(d.ask("DELETE", "/healthz").headers["Allow"], "GET, HEAD"))
        check("OPTIONS", lambda: same(d.ask("OPTIONS", "/op").status, 204))
        check("no CORS", lambda: same(d.ask("GET", "/healthz").headers["Access-Control-Allow-Origin"], None))

        def head():
            r = d.ask("HEAD", "/healthz")
            same((r.status, r.body), (200, b""))
            assert int(r.headers["Content-Length"]) > 0
        check("HEAD", head)

        def large_in_chunks():
            c = d.http()
            c.request("POST", "/op/explain", iter([b"x" * 600, b"x" * 600]), {"Content-Type": "application/json"}, encode_chunked=True)
            same(c.getresponse().status, 413)
        check("413 in chunks", large_in_chunks)

        def errors_keep_the_connection():
            c = d.http()
            same([c.ask("POST", "/nothing", {"a": 1}).status, c.ask("POST", "/op/explain", {}).status,
                  c.ask("POST", "/op/explain", {"code": "io"}).status], [404, 400, 200])
        check("errors keep the connection", errors_keep_the_connection)


def test_hosts(serve, check):
    with Daemon(serve, "--allow-host", "cando.example") as d:
        def status(want, **headers):
            r = d.ask("GET", "/healthz", headers={k.replace("_", "-"): v for k, v in headers.items()})
            same(r.status, want)
        for host in ("localhost", "LOCALHOST:80", "127.0.0.1:1", "127.1.2.3", "[::1]:5", "cando.example:443"):
            check("taken: " + host, lambda host=host: status(200, Host=host))
        for host in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "127.evil", "[::2]"):
            check("refused: " + host, lambda host=host: status(421, Host=host))
        check("a page of its own", lambda: status(200, Host="localhost:80", Origin="http://localhost:80"))
        for origin in ("http://evil.example", "null", "http://localhost:81", "https://localhost:80.evil.example"):
            check("a page of " + origin, lambda origin=origin: status(403, Host="localhost:80", Origin=origin))


def test_token(serve, check):
    token = "0123456789abcdef0123"
    with folder() as f:
        path = os.path.join(f, "token")
        with open(path, "w") as out:
            out.write(token + "\n")
        with Daemon(serve, "--token-file", path, listen="0.0.0.0:0") as d:
            d.host = "127.0.0.1"
            def status(want, path="/op/explain", **headers):
                same(d.ask("POST", path, {"code": "io"}, headers={k.replace("_", "-"): v for k, v in headers.items()}).status, want)
            check("none", status, 401)
            check("another", lambda: status(401, Authorization="Bearer 0123456789abcdef0124"))
            check("half of it", lambda: status(401, Authorization="Bearer 0123456789"))
            check("empty", lambda: status(401, Authorization="Bearer "))
            check("another scheme", lambda: status(401, Authorization="Basic " + token))
            check("the token", lambda: status(200, Authorization="Bearer " + token))
            check("small letters", lambda: status(200, Authorization="bearer " + token))
            check("as x-api-key", lambda: status(200, x_api_key=token))
            check("as x-goog-api-key", lambda: status(200, x_goog_api_key=token))
            check("WWW-Authenticate", lambda: same(d.ask("POST", "/op", {}).headers["WWW-Authenticate"], "Bearer"))
            check("healthz is open", lambda: same(d.ask("GET", "/healthz").status, 200))
            check("metrics are not", lambda: same(d.ask("GET", "/metrics").status, 401))
            check("any Host, with the token", lambda: status(200, Authorization="Bearer " + token, Host="cando.example"))

    def refused(*options, env=None):
        p = subprocess.run([serve, "--no-config", *options], capture_output=True, text=True, timeout=PATIENCE,
                           env={**os.environ, **(env or {})}, check=False)
        same(p.returncode, 2)
        return p.stderr
    check("not without a token", lambda: "--token-file" in refused("--listen", "0.0.0.0:0") or 1 / 0)
    check("not with a short one", lambda: refused("--listen", "0.0.0.0:0", env={"CANDO_TOKEN": "short"}))
    check("no such address", lambda: refused("--listen", "here"))

    def by_environment():
        with Daemon(serve, listen="0.0.0.0:0", env={"CANDO_TOKEN": token}) as d:
            d.host = "127.0.0.1"
            same(d.ask("GET", "/metrics", headers={"Authorization": "Bearer " + token}).status, 200)
    check("of the environment", by_environment)


def test_unix_socket(serve, check):
    with folder() as f:
        path = os.path.join(f, "s")
        with Daemon(serve, listen="unix:" + path) as d:
            check("asked", lambda: same(d.ask("POST", "/op/preflight", QUESTION).json["result"]["verdict"], "ok"))
            check("any Host", lambda: same(d.ask("GET", "/healthz", headers={"Host": "whatever"}).status, 200))
            check("its owner's alone", lambda: same(os.stat(path).st_mode & 0o777, 0o600))
            check("malformed", lambda: d.raw(b"GET / HTTP/1.1\n\n").startswith(b"HTTP/1.1 400 ") or 1 / 0)
        check("gone", lambda: same(os.path.exists(path), False))
        with Daemon(serve, listen="unix:" + path) as d:
            d.kill()
        check("left behind", lambda: same(os.path.exists(path), True))
        with Daemon(serve, listen="unix:" + path) as d:
            check("taken over", lambda: same(d.ask("GET", "/healthz").status, 200))


def test_connections(serve, check):
    with Daemon(serve) as d:
        one = b"POST /op/model_id HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"

        def pipelined():
            bodies = [json.dumps({"id": i, "model": "gpt-%d" % i}).encode() for i in range(200)]
            data = b"".join(one % (len(b), b) for b in bodies) + b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            answer = d.raw(data)
            same([int(n) for n in re.findall(rb'\{"id":(\d+),"ok":true', answer)], list(range(200)))
        check("pipelined, in order", pipelined)

        def one_connection():
            c = d.http()
            c.connect()
            port = c.sock.getsockname()
            for _ in range(50):
                same(c.ask("POST", "/op/preflight", QUESTION).status, 200)
            same(c.sock.getsockname(), port)
        check("kept alive", one_connection)

        def continued():
            with d.connect() as s:
                body = json.dumps(QUESTION).encode()
                s.sendall(b"POST /op/preflight HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n"
                          b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body))
                assert s.recv(100).startswith(b"HTTP/1.1 100 "), "no 100"
                assert exchange(s, body).startswith(b"HTTP/1.1 200 ")
        check("100-continue", continued)

        def halves():
            """Clients that go away in the middle leave nothing behind."""
            before = d.descriptors()
            for cut in range(0, 200, 3):
                body = json.dumps(QUESTION).encode()
                with d.connect() as s:
                    s.sendall((one % (len(body), body))[:cut])
            wait_until(lambda: d.descriptors() <= before, "descriptors are closed")
        check("half requests", halves)

    with Daemon(serve, "--max-connections", "40") as d:
        def crowd():
            many = [d.connect() for _ in range(48)]
            for s in many:
                s.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            firsts = [s.recv(12) for s in many]
            assert b"HTTP/1.1 503" in firsts, firsts
            for s in many:
                s.close()
            wait_until(lambda: d.ask("GET", "/healthz").status == 200, "it answers again")
        check("too many", crowd)

    with Daemon(serve, "--idle", "1") as d:
        def silent():
            with d.connect() as s:
                same(exchange(s, b""), b"")
        check("who says nothing is dropped", silent)


def ask_in_a_wave(d, sockets, wave):
    """While the daemon sleeps all of them ask: questions of all sizes, lines, and some who do not wait for an answer."""
    d.signal(signal.SIGSTOP)
    for i, s in enumerate(sockets):
        question = json.dumps({"id": [wave, i], "model": "gpt-%d" % i, **({"provider": " " * 20000} if i % 7 == 3 else {})}).encode()
        lines = i % 5 == 2
        s.sendall(b"POST /op/model_id HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/%s\r\nContent-Length: %d\r\n\r\n%s"
                  % (b"x-ndjson" if lines else b"json", len(question), question))
    gone = [d.connect() for _ in range(10)]
    for s in gone:
        s.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        s.close()
    d.signal(signal.SIGCONT)
    for i, s in enumerate(sockets):
        r = http.client.HTTPResponse(s)
        r.begin()
        got = r.read()
        assert b'"id":[%d,%d]' % (wave, i) in got, (i, got[:300])


def test_waves(serve, check):
    """Many who ask at once: each gets its own answer, over TCP and over a socket that knows no waves."""
    with folder() as f:
        for where in ("127.0.0.1:0", "unix:" + os.path.join(f, "s")):
            with Daemon(serve, "--threads", "1", listen=where) as d:
                sockets = [d.connect() for _ in range(50)]
                for wave in range(4):
                    check("wave %d, %s" % (wave, where.split(":")[0]), ask_in_a_wave, d, sockets, wave)
                for s in sockets:
                    s.close()


def test_lines(serve, check):
    questions = [{"id": i, "op": "model_id", "model": "gpt-%d" % i} for i in range(3000)]
    text = "\n".join(json.dumps(q) for q in questions) + "\n"
    with Daemon(serve) as d:
        def in_order():
            r = d.ask("POST", "/op", text, type="application/x-ndjson")
            same((r.status, r.headers["Content-Type"]), (200, "application/x-ndjson"))
            same([json.loads(line)["id"] for line in r.text.splitlines()], list(range(3000)))
        check("in order", in_order)

        def as_a_stream():
            c = d.http()
            c.request("POST", "/op/model_id", iter([b'{"id":1,"model":"a"}\n{"i', b'd":2,"model":"b"}\r\n\r\n{', b'"id":3}']),
                      {"Content-Type": "application/jsonl"}, encode_chunked=True)
            replies = [json.loads(line) for line in c.getresponse().read().splitlines()]
            same([(r["id"], r["ok"]) for r in replies], [(1, True), (2, True), (3, False)])
        check("in pieces, without an end, with an empty line", as_a_stream)
        check("a broken line", lambda: same([json.loads(line)["ok"] for line in d.ask(
            "POST", "/op/model_id", '{"model":"a"}\n{\n[]\n{"model":"b"}\n', type="application/x-ndjson").text.splitlines()],
            [True, False, False, True]))
        check("no operation", lambda: same(d.ask("POST", "/op/nope", "{}\n", type="application/x-ndjson").status, 404))

        def slow_reader():
            """Who does not fetch the answers is not computed for: memory stays."""
            before = d.resident()
            with d.connect() as s:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                line = b'{"op":"models","limit":200}\n' * 4000
                s.sendall(b"POST /op HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\nContent-Length: %d\r\n\r\n" % len(line) + line)
                s.recv(1000)
                grown = d.resident() - before
                assert grown < 20000, "%d KB more" % grown
        check("a slow reader", slow_reader)


def test_packing(serve, check):
    with Daemon(serve) as d:
        plain = d.ask("GET", "/openapi.json")
        packed = d.ask("GET", "/openapi.json", headers={"Accept-Encoding": "br, gzip;q=0.8"})
        check("gzip", lambda: same((packed.headers["Content-Encoding"], gzip.decompress(packed.body)), ("gzip", plain.body)))
        check("Vary", lambda: same((packed.headers["Vary"], plain.headers["Vary"]), ("Accept-Encoding", "Accept-Encoding")))
        for none in ("identity", "gzip;q=0", "gzip;q=0.000, br", ""):
            check("not for " + none, lambda none=none: same(d.ask("GET", "/openapi.json", headers={"Accept-Encoding": none}).headers["Content-Encoding"], None))
        check("small ones are not", lambda: same(d.ask("GET", "/healthz", headers={"Accept-Encoding": "gzip"}).headers["Content-Encoding"], None))
        tag = plain.headers["ETag"]
        for have in (tag, tag[2:], '"x", ' + tag, "*"):
            check("304 for " + have, lambda have=have: same(d.ask("GET", "/openapi.json", headers={"If-None-Match": have}).status, 304))
        check("200 for another", lambda: same(d.ask("GET", "/openapi.json", headers={"If-None-Match": '"x"'}).status, 200))

        def answers_too():
            r = d.ask("POST", "/op/models", {"limit": 50}, headers={"Accept-Encoding": "gzip"})
            same(r.headers["Content-Encoding"], "gzip")
            same(json.loads(gzip.decompress(r.body))["ok"], True)
        check("answers too", answers_too)


def test_page(serve, check):
    sums = os.path.join(ROOT, "build", "page.sums")  # of what was packed; build/site may be newer
    if not os.path.exists(os.path.join(ROOT, "build", "page.bin")) or not os.path.getsize(os.path.join(ROOT, "build", "page.bin")):
        with Daemon(serve) as d:
            check("without the page", lambda: same(d.ask("GET", "/").code, "http-path"))
        return
    with open(sums, encoding="utf-8") as f:
        files = {path[1:]: digest for digest, path in (line.rstrip("\n").split("  ", 1) for line in f)}
    with Daemon(serve) as d:
        types = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".wasm": "application/wasm",
                 ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}

        def every_file():
            for n, (url, want) in enumerate(files.items()):
                if url.startswith(("/badge/", "/embed/")) and n % 50:  # there are thousands of them
                    continue
                r = d.ask("GET", url)
                same(hashlib.sha256(r.body).hexdigest(), want)
                p = d.ask("GET", url, headers={"Accept-Encoding": "gzip"})
                have = gzip.decompress(p.body) if p.headers["Content-Encoding"] == "gzip" else p.body
                assert have == r.body, url + " packed"
                end = os.path.splitext(url)[1]
                same(r.headers["Content-Type"], types.get(end, r.headers["Content-Type"]))
                same(d.ask("GET", url, headers={"If-None-Match": r.headers["ETag"]}).status, 304)
            assert len(files) > 5
        check("every file", every_file)
        check("/", lambda: same(hashlib.sha256(d.ask("GET", "/").body).hexdigest(), files["/index.html"]))
        check("nothing else", lambda: same(d.ask("GET", "/site.mk").status, 404))


def validator():
    """The folder of a validator of OpenAPI from the npm registry, at this version; it stays in build/."""
    version, place = "@seriousme/openapi-schema-validator@2.11.0", os.path.join(ROOT, "build", "openapi")
    mark = os.path.join(place, "version")
    if os.path.exists(mark) and open(mark).read() == version:
        return place
    os.makedirs(place, exist_ok=True)
    with open(os.path.join(place, "package.json"), "w") as f:
        f.write('{"private":true}')
    subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--no-progress", version], cwd=place, capture_output=True, check=True)
    with open(mark, "w") as f:
        f.write(version)
    return place


def test_openapi(serve, check):
    cando = os.path.join(os.path.dirname(serve), "cando")
    with Daemon(serve) as d:
        doc = d.ask("GET", "/openapi.json").json
        schemas = json.loads(subprocess.run([cando, "schema"], capture_output=True, check=True).stdout)
        check("version", lambda: same(doc["openapi"], "3.1.0"))

        def operations():
            for op, s in schemas.items():
                post = doc["paths"]["/op/" + op]["post"]
                same(post["requestBody"]["content"]["application/json"]["schema"], s["question"])
                ok = post["responses"]["200"]["content"]["application/json"]["schema"]
                same(ok["properties"]["result"], s["answer"])
        check("each operation, by its own schemas", operations)

        def routes():
            for path, methods in doc["paths"].items():
                for method in methods:
                    if "{" in path or path in ("/events", "/mcp"):      # MCP says itself which methods it has
                        continue
                    r = d.ask(method.upper(), path, {} if method == "post" else None)
                    assert r.status not in (405, 404) or r.code in ("audit-store", "http-path"), (path, r.status)
        check("each route is there", routes)

        def validated():
            with folder() as f:
                path = os.path.join(f, "openapi.json")
                with open(path, "w") as out:
                    json.dump(doc, out)
                p = subprocess.run(["node", os.path.join(HERE, "openapi.mjs"), validator(), path], capture_output=True, text=True, check=False)
                same((p.returncode, p.stdout.split()[:2]), (0, ["3.1", "true"]))
        check("valid", validated)


def test_log_and_metrics(serve, check):
    with folder() as f:
        log = os.path.join(f, "log")
        with Daemon(serve, "--log", log) as d:
            secret = "PROMPT-THAT-NOBODY-KEEPS"
            q = {"target": "openai/gpt-4o", "request": {"model": "gpt-4o", "messages": [{"role": "user", "content": secret}]}}
            for _ in range(3):
                d.ask("POST", "/op/preflight?key=" + secret, q, headers={"X-Secret": secret})
            d.ask("POST", "/op/preflight", {"target": "made-up/x", **{k: v for k, v in q.items() if k != "target"}})
            text = d.ask("GET", "/metrics").text
            line = 'cando_requests_total{op="preflight",http_response_status_code="200",verdict="ok",gen_ai_provider_name="openai"} 3'
            check("counted", lambda: line in text or 1 / 0)
            check("made up providers are no series", lambda: "made-up" not in text or 1 / 0)
            check("histogram", lambda: re.search(r'http_server_request_duration_seconds_bucket\{le="\+Inf"\} 4', text) or 1 / 0)
            for name in ("cando_catalog_info", "cando_catalog_age_seconds", "cando_reloads_total", "cando_connections"):
                check(name, lambda name=name: re.search("^%s" % name, text, re.M) or 1 / 0)
            os.rename(log, log + ".1")
            d.signal(signal.SIGHUP)
            wait_until(lambda: os.path.exists(log), "the log is opened again")
            d.ask("POST", "/op/explain", {"code": "io"})
            said = list(d.said)
        with open(log + ".1") as a, open(log) as b:
            lines = [json.loads(line) for line in a.read().splitlines() + b.read().splitlines()]
        check("a line each", lambda: same(len(lines), 6))
        check("names", lambda: same({k: lines[0][k] for k in ("http.request.method", "url.path", "http.response.status_code",
              "cando.op", "cando.verdict", "gen_ai.provider.name", "gen_ai.request.model")},
              {"http.request.method": "POST", "url.path": "/op/preflight", "http.response.status_code": 200, "cando.op": "preflight",
               "cando.verdict": "ok", "gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-4o"}))
        check("no prompt anywhere", lambda: secret not in json.dumps(lines) + text + repr(said) or 1 / 0)


def read_events(s, n):
    """The first n events of a stream, as (id, event, data)."""
    text = b""
    while text.count(b"data: ") < n or not text.endswith(b"\n\n\r\n"):
        piece = s.recv(65536)
        assert piece, text
        text += piece
    lines = re.sub(rb"\r\n[0-9a-f]+\r\n", b"", text).decode()
    return re.findall(r"(?:id: (\S+)\n)?event: (\S+)\ndata: (.*)\n", lines)


def test_events(serve, check):
    ask = b"GET /events HTTP/1.1\r\nHost: localhost\r\n%s\r\n"
    need = {"requirements": [{"name": "toolCalling", "level": "hard"}]}
    with Daemon(serve) as d:
        with d.connect() as s:
            s.sendall(ask % b"")
            assert b"text/event-stream" in s.recv(65536)
            d.ask("POST", "/op/negotiate", {**need, "target": "openai/gpt-4o"})
            d.ask("POST", "/op/negotiate", {"requirements": [{"name": "output_video", "level": "hard"}], "profile": {"tool_calling": "native"}})
            d.signal(signal.SIGHUP)
            got = read_events(s, 3)
        check("told", lambda: same([e[1] for e in got][::2], ["switch", "catalog"]))
        check("texts", lambda: same(json.loads(got[0][2])["target"], "openai/gpt-4o"))
        with d.connect() as s:
            s.sendall(ask % (b"Last-Event-ID: %s\r\n" % got[0][0].encode()))
            again = read_events(s, 2)
        check("resumed", lambda: same(again, got[1:]))
        with d.connect() as s:
            s.sendall(ask % b"Last-Event-ID: 123-9\r\n")
            other = read_events(s, 4)
        check("of another run", lambda: same([e[1] for e in other], ["missed"] + [e[1] for e in got]))
        streams = [d.connect() for _ in range(5)]
        for s in streams:
            s.sendall(ask % b"")
            s.recv(100)
        threading.Thread(target=lambda: [s.recv(10) for s in streams], daemon=True).start()
    check("streams do not hold it back", lambda: same(d.process.returncode, 0))


def test_pace(serve, check):
    """Events of the stand-in with pauses: the same ones, one at a time; the end of the daemon ends the pauses."""
    body = json.dumps({"model": "gpt-4o", "stream": True, "messages": [{"role": "user", "content": "hi"}]})

    def stream(d, **headers):
        r = d.ask("POST", "/v1/chat/completions", body, headers=headers)
        same(r.status, 200)
        return r.text

    with Daemon(serve) as d:
        whole = stream(d)
        assert whole.count("data: ") > 4 and whole.endswith("data: [DONE]\n\n"), whole
        check("the same events", lambda: same(stream(d, **{"x-cando-pace": "1"}), whole))
        check("none", lambda: same(stream(d, **{"x-cando-pace": "0"}), whole))
        for bad in ("", "x", "-1", "1s", "60001", "99999999999999999999"):
            check("a pace of '%s'" % bad, lambda bad=bad: same(
                d.ask("POST", "/v1/chat/completions", body, headers={"x-cando-pace": bad}).status, 400))
        ask = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nx-cando-pace: 60000\r\nContent-Length: %d\r\n\r\n%s"
        waiting = [d.connect() for _ in range(3)]
        for s in waiting:
            s.sendall(ask % (len(body), body.encode()))
        had = []
        for s in waiting:
            had.append(b"")
            while b"data: " not in had[-1]:
                had[-1] += s.recv(65536)
        d.ask("GET", "/healthz")
        waiting.pop().close()  # who goes while it waits

        def one():
            for s, text in zip(waiting, had):
                s.setblocking(False)
                try:
                    text += s.recv(65536)
                except BlockingIOError:
                    pass
                s.setblocking(True)
                same(text.count(b"data: "), 1)
        check("one event, then a pause", one)
        d.signal(signal.SIGTERM)
        for i, s in enumerate(waiting):
            while not had[i].endswith(b"0\r\n\r\n"):
                piece = s.recv(65536)
                assert piece, had[i]
                had[i] += piece
        check("the rest comes at its end", lambda: same([t.count(b"data: ") for t in had[:2]], [whole.count("data: ")] * 2))
    check("it ends", lambda: same(d.process.returncode, 0))
    with Daemon(serve, "--pace", "1") as d:
        check("as an option", lambda: same(stream(d), whole))


def test_drain(serve, check):
    """After SIGTERM what runs comes to its end, and nothing new is taken."""
    def run():
        d = Daemon(serve)
        body = json.dumps(QUESTION).encode()
        with d.connect() as s:
            s.sendall(b"POST /op/preflight HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body[:50])
            wait_until(lambda: d.number("http_server_active_requests") >= 2, "it has begun")
            d.signal(signal.SIGTERM)

            def refused():
                try:
                    d.connect(1).close()
                    return False
                except OSError:
                    return True
            wait_until(refused, "no more connections")
            assert d.process.poll() is None
            answer = exchange(s, body[50:])
            assert answer.startswith(b"HTTP/1.1 200 "), answer
            assert b"Connection: close" in answer
        same(d.stop() if d.process.poll() is None else d.process.wait(PATIENCE), 0)
    check("what runs ends well", run)

    def bounded():
        d = Daemon(serve, "--drain", "1")
        with d.connect() as s:
            s.sendall(b"POST /op/preflight HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{")
            wait_until(lambda: d.number("http_server_active_requests") >= 2, "it has begun")
            same(d.stop(), 0)
    check("but not forever", bounded)


def test_systemd(serve, check):
    with folder() as f:
        def notified():
            path = os.path.join(f, "notify")
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
                s.bind(path)
                s.settimeout(PATIENCE)
                with Daemon(serve, env={"NOTIFY_SOCKET": path}):
                    same(s.recv(100), b"READY=1")
                said = [b""]
                while said[-1] != b"STOPPING=1":
                    said.append(s.recv(100))
        check("READY and STOPPING", notified)

        def activated():
            with socket.socket() as s:
                s.bind(("127.0.0.1", 0))
                s.listen(10)
                os.set_inheritable(s.fileno(), True)
                start = "import os,sys; os.dup2(int(sys.argv[1]), 3); os.environ.update(LISTEN_FDS='1', LISTEN_PID=str(os.getpid())); os.execv(sys.argv[2], sys.argv[2:])"
                p = subprocess.Popen(["python3", "-c", start, str(s.fileno()), serve, "--no-config"], close_fds=False, stderr=subprocess.PIPE)
                assert str(s.getsockname()[1]).encode() in p.stderr.readline()
                with socket.create_connection(s.getsockname(), timeout=PATIENCE) as c:
                    assert exchange(c, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").startswith(b"HTTP/1.1 200 ")
                p.terminate()
                same(p.wait(PATIENCE), 0)
                p.stderr.close()
        check("a socket that was given", activated)
