"""wire.py - NATS byte by byte: what a stranger could put into the stream and the buckets."""
import json
import socket


class Wire:
    def __init__(self, port):
        self.s = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.f = self.s.makefile("rb")
        assert self.f.readline().startswith(b"INFO ")
        self.s.sendall(b'CONNECT {"verbose":false,"headers":true,"no_responders":true}\r\nSUB answer 1\r\nPING\r\n')
        while self.f.readline() != b"PONG\r\n":
            pass

    def ask(self, subject, data=b"", headers=None):
        """Publishes, and gives what comes back as JSON; None: there is nobody."""
        if isinstance(data, str):
            data = data.encode()
        if headers:
            head = b"NATS/1.0\r\n" + b"".join(b"%s: %s\r\n" % (k.encode(), v.encode()) for k, v in headers.items()) + b"\r\n"
            self.s.sendall(b"HPUB %s answer %d %d\r\n%s%s\r\n" % (subject.encode(), len(head), len(head) + len(data), head, data))
        else:
            self.s.sendall(b"PUB %s answer %d\r\n%s\r\n" % (subject.encode(), len(data), data))
        while True:
            line = self.f.readline().split()
            if line and line[0] == b"PING":
                self.s.sendall(b"PONG\r\n")
            elif line and line[0] in (b"MSG", b"HMSG"):
                body = self.f.read(int(line[-1]) + 2)[:-2]
                return json.loads(body) if line[0] == b"MSG" else None
            elif not line or line[0] == b"-ERR":
                raise AssertionError("the server says %r" % line)

    def put(self, subject, data=b"", headers=None):
        """The same into a stream, which has to take it."""
        reply = self.ask(subject, data, headers)
        assert reply and "seq" in reply, reply
        return reply["seq"]

    def close(self):
        self.f.close()
        self.s.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
