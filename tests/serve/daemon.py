"""daemon.py - a daemon for tests, and requests to it, byte by byte or by http.client."""
import http.client
import json
import os
import select
import signal
import socket
import subprocess
import tempfile
import threading
import time

PATIENCE = float(os.environ.get("SERVE_PATIENCE") or 30)   # seconds until something is said to be missing


class Daemon:
    """cando-serve on a free port (or with what --listen says); the first line of its stderr tells where."""

    def __init__(self, program, *options, listen="127.0.0.1:0", env=None, config=False, wrap=()):
        command = [*wrap, program, "--listen", listen, *([] if config else ["--no-config"]), *options]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **(env or {})})
        self.said = []
        self.heard = threading.Condition()
        threading.Thread(target=self._listen, daemon=True).start()
        first = self.wait_said("listening on ")
        self.address = first.split("listening on ", 1)[1].strip()
        self.path = self.address[5:] if self.address.startswith("unix:") else None
        if not self.path:
            host, port = self.address[len("http://"):].rsplit(":", 1)
            self.host, self.port = host.strip("[]"), int(port)

    def _listen(self):
        for line in self.process.stderr:
            with self.heard:
                self.said.append(line.decode(errors="replace").rstrip("\n"))
                self.heard.notify_all()
        with self.heard:
            self.said.append(None)
            self.heard.notify_all()

    def wait_said(self, word, times=1):
        """The line of stderr that has this word; dies if it does not come."""
        deadline = time.monotonic() + PATIENCE
        with self.heard:
            while True:
                found = [s for s in self.said if s and word in s]
                if len(found) >= times:
                    return found[-1]
                if None in self.said or not self.heard.wait(max(0, deadline - time.monotonic())):
                    raise AssertionError("the daemon does not say %r: %r" % (word, self.said))

    def connect(self, timeout=PATIENCE):
        if self.path:
            s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            s.settimeout(timeout)
            s.connect(self.path)
            return s
        return socket.create_connection((self.host, self.port), timeout=timeout)

    def raw(self, data, timeout=PATIENCE, then_close=False):
        """Sends bytes; gives all that comes back until the daemon closes, or (None) nothing does in time."""
        with self.connect(timeout) as s:
            return exchange(s, data, then_close)

    def http(self):
        c = Client(self.host if not self.path else "localhost", self.port if not self.path else 80, timeout=PATIENCE)
        c.unix = self.path
        return c

    def ask(self, method, path, body=None, headers=None, type="application/json"):
        c = self.http()
        try:
            return c.ask(method, path, body, headers, type)
        finally:
            c.close()

    def number(self, name):
        """The value of a metric without labels."""
        for line in self.ask("GET", "/metrics").text.splitlines():
            if line.startswith(name + " "):
                return float(line.split()[1])
        raise AssertionError("no metric " + name)

    def descriptors(self):
        return len(os.listdir("/proc/%d/fd" % self.process.pid))

    def resident(self):
        """Kilobytes of memory."""
        with open("/proc/%d/status" % self.process.pid) as f:
            return int(next(line for line in f if line.startswith("VmRSS")).split()[1])

    def signal(self, number):
        self.process.send_signal(number)

    def stop(self):
        """Ends it; gives its exit code, and dies if a sanitizer has complained."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(PATIENCE)
        self.process.stdout.close()
        complaint = [s for s in self.said if s and ("Sanitizer" in s or "runtime error" in s)]
        assert not complaint, "\n".join(s for s in self.said if s)
        return code

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if self.process.poll() is None:
            code = self.stop()
            assert kind or code == 0, "exit code %d: %r" % (code, self.said)


class Reply:
    def __init__(self, response):
        self.status, self.headers, self.body = response.status, response.headers, response.read()

    @property
    def text(self):
        return self.body.decode()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        return self.json["error"]["code"]


class Client(http.client.HTTPConnection):
    unix = None

    def connect(self):
        if not self.unix:
            super().connect()
            self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.unix)

    def ask(self, method, path, body=None, headers=None, type="application/json"):
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        if isinstance(body, str):
            body = body.encode()
        self.request(method, path, body, {**({"Content-Type": type} if body is not None and type else {}), **(headers or {})})
        return Reply(self.getresponse())


def exchange(s, data, then_close=False):
    """Sends and reads until the other side closes. A reset is a close; silence is None."""
    got = b""
    try:
        s.sendall(data)
        if then_close:
            s.shutdown(socket.SHUT_WR)
    except (BrokenPipeError, ConnectionResetError):
        pass
    try:
        while True:
            piece = s.recv(65536)
            if not piece:
                return got
            got += piece
    except ConnectionResetError:
        return got
    except socket.timeout:
        return None


def wait_until(condition, what, patience=None):
    """Looks again and again; dies if it never becomes true."""
    deadline = time.monotonic() + (patience or PATIENCE)
    while not condition():
        assert time.monotonic() < deadline, "never: " + what
        select.select([], [], [], 0.02)


def freed_at_once():
    """An environment in which what a program with ASan has freed is seen to be gone."""
    return {"ASAN_OPTIONS": ":".join(filter(None, [os.environ.get("ASAN_OPTIONS"), "quarantine_size_mb=1"]))}


def folder():
    return tempfile.TemporaryDirectory(prefix="cando-serve-")
