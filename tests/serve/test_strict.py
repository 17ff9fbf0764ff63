"""What is no good HTTP/1.1, or what two readers could take for different things: refused or cut off, each time.

After each of them a good request on a new connection is answered, and what was smuggled never is.
"""
import re

from daemon import PATIENCE, Daemon, exchange, wait_until

GOOD = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
BODY = b'{"code":"io"}'
SECRET = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"     # what a smuggler would slip through


def post(*headers, body=b"", line=b"POST /op/explain HTTP/1.1", host=b"Host: localhost"):
    lines = [line] + ([host] if host else []) + [b"Content-Type: application/json", *headers]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


LENGTH = b"Content-Length: %d" % len(BODY)
CHUNKED = b"Transfer-Encoding: chunked"
CHUNKS = b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)

MALFORMED = {
    "length and chunked": post(LENGTH, CHUNKED, body=CHUNKS + SECRET),
    "chunked and length": post(CHUNKED, b"Content-Length: 4", body=CHUNKS + SECRET),
    "two lengths that differ": post(b"Content-Length: 2", LENGTH, body=BODY),
    "two lengths that agree": post(LENGTH, LENGTH, body=BODY),
    "a list of lengths": post(b"Content-Length: 13, 13", body=BODY),
    "a length with a sign": post(b"Content-Length: +13", body=BODY),
    "a negative length": post(b"Content-Length: -1", body=BODY),
    "a length in hexadecimal": post(b"Content-Length: 0xd", body=BODY),
    "an empty length": post(b"Content-Length:", body=BODY),
    "a length beyond all numbers": post(b"Content-Length: 99999999999999999999999", body=BODY),
    "a length with a space in it": post(b"Content-Length: 1 3", body=BODY),
    "two codings": post(b"Transfer-Encoding: gzip, chunked", body=CHUNKS),
    "chunked twice": post(CHUNKED, CHUNKED, body=CHUNKS),
    "another coding": post(b"Transfer-Encoding: identity", body=BODY),
    "a coding with a tab in it": post(b"Transfer-Encoding: chun\tked", body=CHUNKS),
    "a coding with a form feed": post(b"Transfer-Encoding: \x0cchunked", body=CHUNKS),
    "space before the colon": post(b"Transfer-Encoding : chunked", LENGTH, body=CHUNKS),
    "a header without a colon": post(b"Transfer-Encoding", LENGTH, body=BODY),
    "a header without a name": post(b": value", LENGTH, body=BODY),
    "a folded header": post(b"X-A: b\r\n c", LENGTH, body=BODY),
    "a folded length": post(b"Content-Length:\r\n 13", body=BODY),
    "a header that begins with a space": b"GET /healthz HTTP/1.1\r\n Host: localhost\r\n\r\n",
    "no Host": post(LENGTH, host=None, body=BODY),
    "no Host in HTTP/1.0": b"GET /healthz HTTP/1.0\r\n\r\n",
    "two Hosts": post(b"Host: localhost", LENGTH, body=BODY),
    "two Hosts that differ": post(b"Host: example.com", LENGTH, body=BODY),
    "an empty Host": post(LENGTH, host=b"Host:", body=BODY),
    "two types": post(b"Content-Type: application/x-ndjson", LENGTH, body=BODY),
    "two tokens": post(b"Authorization: Bearer a", b"Authorization: Bearer b", LENGTH, body=BODY),
    "bare line feeds": post(LENGTH, body=BODY).replace(b"\r\n", b"\n"),
    "one bare line feed": GOOD.replace(b"localhost\r\n", b"localhost\n"),
    "a bare line feed at the end": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\n",
    "a bare carriage return": b"GET /healthz HTTP/1.1\r\nHost: localhost\rX: y\r\n\r\n",
    "a carriage return too many": b"GET /healthz HTTP/1.1\r\r\nHost: localhost\r\n\r\n",
    "NUL in a header": b"GET /healthz HTTP/1.1\r\nHost: local\0host\r\n\r\n",
    "NUL in the address": b"GET /health\0z HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "NUL first": b"\0" + GOOD,
    "DEL in a header": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\x7fb\r\n\r\n",
    "an empty line first": b"\r\n" + GOOD,
    "no version": b"GET /healthz\r\nHost: localhost\r\n\r\n",
    "two spaces": b"GET  /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a space at the end of the line": b"GET /healthz HTTP/1.1 \r\nHost: localhost\r\n\r\n",
    "a tab in the line": b"GET\t/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a space in the address": b"GET /health z HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a version in small letters": b"GET /healthz http/1.1\r\nHost: localhost\r\n\r\n",
    "HTTP/2.0": b"GET /healthz HTTP/2.0\r\nHost: localhost\r\n\r\n",
    "HTTP/1.10": b"GET /healthz HTTP/1.10\r\nHost: localhost\r\n\r\n",
    "the preface of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),
    "an absolute address": b"GET http://localhost/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "CONNECT": b"CONNECT example.com:443 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a star": b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a fragment": b"GET /healthz#x HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a method that is none": b"G{T /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a method without end": b"A" * 4000 + b" /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "an address without end": b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a header without end": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 100000 + b"\r\n\r\n",
    "a name without end": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + b"a" * 100000 + b": x\r\n\r\n",
    "headers without end": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 5000 + b"\r\n",
    "chunks: no number": post(CHUNKED, body=b"xyz\r\n" + BODY + b"\r\n0\r\n\r\n"),
    "chunks: a sign": post(CHUNKED, body=b"+d\r\n" + BODY + b"\r\n0\r\n\r\n"),
    "chunks: 0x": post(CHUNKED, body=b"0xd\r\n" + BODY + b"\r\n0\r\n\r\n"),
    "chunks: a space": post(CHUNKED, body=b"d \r\n" + BODY + b"\r\n0\r\n\r\n"),
    "chunks: an extension": post(CHUNKED, body=b"d;a=b\r\n" + BODY + b"\r\n0\r\n\r\n"),
    "chunks: bare line feeds": post(CHUNKED, body=CHUNKS.replace(b"\r\n", b"\n")),
    "chunks: longer than said": post(CHUNKED, body=b"5\r\n" + BODY + b"\r\n0\r\n\r\n"),
    "chunks: beyond all numbers": post(CHUNKED, body=b"fffffffffffffffff\r\n" + BODY + b"\r\n0\r\n\r\n"),
    "chunks: an empty size": post(CHUNKED, body=b"\r\n" + BODY + b"\r\n0\r\n\r\n"),
    "chunks: a trailer": post(CHUNKED, body=b"d\r\n" + BODY + b"\r\n0\r\nHost: example.com\r\n\r\n"),
    "chunked in HTTP/1.0": post(CHUNKED, line=b"POST /op/explain HTTP/1.0", body=CHUNKS),
    "a body to GET": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(SECRET) + SECRET,
}


def first_status(answer):
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.") else None


def test_list_is_long_enough(serve):
    assert len(MALFORMED) >= 30


def refuse(name):
    def test(daemon):
        answer = daemon.raw(MALFORMED[name])
        assert answer is not None, "nothing happened"
        status = first_status(answer) if answer else 400
        assert status in (400, 405, 413, 414, 431, 501, 505), answer[:300]
        assert b"cando_requests_total" not in answer, "what was smuggled was answered"
        assert len(re.findall(rb"HTTP/1\.1 \d{3} ", answer)) <= 1, answer
        good = daemon.raw(GOOD)
        assert good.startswith(b"HTTP/1.1 200 "), good
    return test


def test_malformed(serve, check):
    """Each of them whole, and each byte by byte."""
    with Daemon(serve) as daemon:
        for name in MALFORMED:
            check("refused: " + name, refuse(name), daemon)
        check("they are counted", lambda: daemon.number("cando_refused_total") >= 30 or 1 / 0)


def test_malformed_in_drops(serve, check):
    with Daemon(serve) as daemon:
        for name, data in MALFORMED.items():
            if len(data) > 2000:
                continue

            def drop(data=data):
                with daemon.connect() as s:
                    s.setsockopt(6, 1, 1)
                    try:
                        for at in range(0, len(data), 7):
                            s.sendall(data[at:at + 7])
                    except OSError:
                        pass
                    answer = exchange(s, b"")
                assert answer is not None and first_status(answer or b"HTTP/1.1 400 ") >= 400, answer
                assert b"cando_requests_total" not in answer
            check("refused in drops: " + name, drop)


def test_behind_good_ones(serve, check):
    """What comes first on the connection is answered, what is malformed behind it is not, in one send or in two."""
    with Daemon(serve) as daemon:
        keep = GOOD.replace(b"Connection: close\r\n", b"")
        for name in ("length and chunked", "bare line feeds", "a folded header", "no Host", "NUL first"):
            def both(name=name):
                answer = daemon.raw(keep + keep + MALFORMED[name])
                assert answer and answer.startswith(b"HTTP/1.1 200 "), answer
                assert answer.count(b"HTTP/1.1 200 ") == 2, answer
                assert answer.count(b"HTTP/1.1 4") == 1, answer
            check("two good ones, then: " + name, both)


def test_good_ones(serve, check):
    """The other way round: what clients really send is taken."""
    good = {
        "chunked": post(CHUNKED, b"Connection: close", body=CHUNKS),
        "chunks in capitals": post(CHUNKED, b"Connection: close", body=CHUNKS.replace(b"d\r\n", b"D\r\n", 1)),
        "HTTP/1.0": b"GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n",
        "a header without a value": GOOD.replace(b"\r\n\r\n", b"\r\nX-Empty:\r\n\r\n"),
        "blanks around a value": GOOD.replace(b"Host: localhost", b"Host: \t localhost \t"),
        "letters beyond ASCII": GOOD.replace(b"\r\n\r\n", b"\r\nX-Name: J\xc3\xb6rg\r\n\r\n"),
        "lists in two headers": GOOD.replace(b"\r\n\r\n", b"\r\nAccept: a/b\r\nAccept: c/d\r\n\r\n"),
        "a query": GOOD.replace(b"/healthz", b"/healthz?a=b&c=%20"),
    }
    with Daemon(serve) as daemon:
        for name, data in good.items():
            check("taken: " + name, lambda data=data: daemon.raw(data).startswith(b"HTTP/1.1 200 ") or 1 / 0)
        check("taken in drops", lambda: daemon.raw(GOOD).startswith(b"HTTP/1.1 200 ") or 1 / 0)


def test_slow_clients(serve, check):
    """Heads and bodies that never end are ended; others are served meanwhile."""
    with Daemon(serve, "--time", "1") as daemon:
        slow = [daemon.connect() for _ in range(20)]
        for i, s in enumerate(slow):
            s.sendall(GOOD[:20] if i % 2 else post(b"Content-Length: 100", body=b'{"'))

        def ended():
            for s in slow:
                answer = exchange(s, b"")
                assert answer is not None, "a slow client is still there after %d s" % PATIENCE
                assert first_status(answer) == 408, answer
                s.close()
        check("others are served", lambda: daemon.raw(GOOD).startswith(b"HTTP/1.1 200 ") or 1 / 0)
        check("they get 408", ended)
        check("they are counted", lambda: daemon.number("cando_slow_total") >= 20 or 1 / 0)
        before = daemon.descriptors()
        check("nothing stays", lambda: wait_until(lambda: daemon.descriptors() <= before, "descriptors are closed"))
