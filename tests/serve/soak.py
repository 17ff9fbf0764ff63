#!/usr/bin/env python3
"""soak.py SERVE SECONDS [RATE] - mixed load: good clients, slow ones, broken ones, reloads, kills of the daemon; for so
long, with at most RATE questions a second of all clients together (without it: as fast as they are answered).

While it runs every answer is compared with what `cando batch` says. The daemon has short lives, which end by a kill, and
long ones, a third of the time each, which end by SIGTERM: then memory and descriptors must be where they were when it had
warmed up (memory where it is given back: a sanitizer keeps what is freed, and looks for leaks itself). Every record that was
acknowledged must be in the trail.
Prints "N passed, M failed".
"""
import json
import os
import random
import select
import signal
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
os.environ.setdefault("CANDO_TODAY", "2026-11-16")

from daemon import Daemon, folder, freed_at_once  # noqa: E402
from test_record import EVENT, exported  # noqa: E402
from test_reload import RULE, write  # noqa: E402
from test_strict import MALFORMED  # noqa: E402

QUESTIONS = [
    {"op": "preflight", "target": "openai/gpt-4o", "request": {"model": "gpt-4o", "messages": [{"role": "user", "content": "hi " * 300}]}},
    {"op": "preflight", "target": "openai/gpt-5", "request": {"model": "gpt-5", "temperature": 0.3, "messages": [{"role": "user", "content": "x"}]}},
    {"op": "preflight", "target": "anthropic/claude-opus-4-5", "request": {"model": "claude-opus-4-5", "max_tokens": 9, "messages": []}},
    {"op": "resolve", "target": "anthropic/claude-opus-4-5"},
    {"op": "model_id", "model": "us.anthropic.claude-sonnet-4-20250514-v1:0"},
    {"op": "models", "provider": "openai", "limit": 40},
    {"op": "explain", "code": "rule-shadowed"},
    {"op": "explain"},
    {"op": "diff", "from": "openai/gpt-4o", "to": "openai/gpt-5"},
    {"op": "nope"},
]


class Soak:
    def __init__(self, serve, seconds, rate, f):
        self.pace = 7 / rate if rate else 0     # seconds between two questions of each of those who do not wait by nature
        self.serve, self.seconds, self.until, self.folder = serve, seconds, time.monotonic() + seconds, f
        self.overlay, self.trail = os.path.join(f, "mine.toml"), os.path.join(f, "trail.db")
        self.wrong, self.known, self.lock = [], set(), threading.Lock()
        self.asked = self.lives = self.reloads = 0
        self.memory = []
        with open(serve, "rb") as program:
            self.sanitized = b"__asan_init" in program.read()
        cando = os.path.join(os.path.dirname(serve), "cando")
        lines = "".join(json.dumps(q) + "\n" for q in QUESTIONS)
        p = subprocess.run([cando, "batch"], input=lines.encode(), capture_output=True, check=False)
        self.want = p.stdout.splitlines()

    def complain(self, what):
        with self.lock:
            if len(self.wrong) < 20:
                self.wrong.append(what)

    def good(self, d, stop, random):
        """Asks one by one and as lines; each answer is known."""
        c = d.http()
        while not stop.is_set():
            if random.random() < 0.2:
                pick = [random.randrange(len(QUESTIONS)) for _ in range(random.randrange(1, 60))]
                r = c.ask("POST", "/op", "".join(json.dumps(QUESTIONS[i]) + "\n" for i in pick), type="application/x-ndjson")
                same = r.body.splitlines() == [self.want[i] for i in pick]
            else:
                i = random.randrange(len(QUESTIONS))
                r = c.ask("POST", "/op", QUESTIONS[i])
                same = r.body == self.want[i]
            if not same:
                self.complain("another answer: %r" % r.body[:300])
            with self.lock:
                self.asked += 1
            stop.wait(self.pace)
        c.close()

    def writer(self, d, stop, random):
        c = d.http()
        while not stop.is_set():
            session = "%016x" % random.getrandbits(64)
            r = c.ask("POST", "/audit", json.dumps({**EVENT, "session": session}), type="application/x-ndjson")
            if r.status == 200:
                with self.lock:
                    self.known.add(session)
            stop.wait(self.pace)
        c.close()

    def broken(self, d, stop, random):
        names = list(MALFORMED)
        while not stop.is_set():
            with d.connect(5) as s:
                data = MALFORMED[random.choice(names)]
                try:
                    s.sendall(data[:random.randrange(1, len(data) + 1)])
                    if random.random() < 0.5:
                        s.setsockopt(1, 13, b"\1\0\0\0\0\0\0\0")     # SO_LINGER: a reset
                    else:
                        s.settimeout(0.05)
                        s.recv(1000)
                except OSError:
                    pass
            stop.wait(self.pace)

    def slow(self, d, stop, random):
        """Sends drop by drop, or does not read."""
        body = b'{"op":"models","limit":500}\n' * 50
        head = b"POST /op HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\nContent-Length: %d\r\n\r\n" % len(body)
        while not stop.is_set():
            with d.connect(5) as s:
                data = head + body
                try:
                    while data and not stop.is_set():
                        n = random.randrange(1, 400)
                        s.sendall(data[:n])
                        data = data[n:]
                        select.select([], [], [], 0.01)
                    s.recv(100)
                    select.select([], [], [], 0.2)
                except OSError:
                    pass

    def listener(self, d, stop, random):
        while not stop.is_set():
            with d.connect(0.5) as s:
                s.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: 1-1\r\n\r\n")
                try:
                    while not stop.is_set() and s.recv(4096) and random.random() < 0.9:
                        pass
                except OSError:
                    pass

    def guarded(self, work, d, stop, seed, may_die):
        try:
            work(d, stop, random.Random(seed))
        except Exception as e:
            if not may_die.is_set():
                self.complain("%s: %r" % (work.__name__, e))

    def life(self, seconds, kill):
        """One life of the daemon, under load; it ends by a kill, or by SIGTERM while clients ask."""
        self.lives += 1
        write(self.overlay, RULE % (1, 1))
        d = Daemon(self.serve, "--store", self.trail, "--overlay", self.overlay, "--time", "3", env=freed_at_once())
        d.ask("POST", "/audit", json.dumps(EVENT), type="application/x-ndjson")
        alone = d.descriptors()
        stop, may_die = threading.Event(), threading.Event()
        work = [self.good] * 4 + [self.writer] * 2 + [self.broken, self.slow, self.listener]
        threads = [threading.Thread(target=self.guarded, args=(w, d, stop, self.lives * 100 + i, may_die)) for i, w in enumerate(work)]
        for t in threads:
            t.start()
        began, n, least = time.monotonic(), 1, {}
        while time.monotonic() < began + seconds:
            n += 1
            write(self.overlay, "schema = [broken" if n % 4 == 0 else RULE % (n, n))
            if n % 3 == 0:
                d.signal(signal.SIGHUP)
            select.select([], [], [], 1)
            part = int((time.monotonic() - began) / seconds * 5)        # a fifth of its life; the first is to warm up
            least[part] = min(least.get(part, d.resident()), d.resident())  # a catalog that is being made is no part of it
        self.reloads += n
        may_die.set()
        if kill:
            d.kill()
        stop.set()
        for t in threads:
            t.join(30)
        if not kill:
            self.settle(d, [least[p] for p in (1, 2, 3, 4) if p in least], alone)
            if d.stop() != 0:
                self.complain("exit code of the daemon")

    def settle(self, d, least, alone):
        """All clients are gone; a connection may still be on its way out, and SQLite has files of its own."""
        deadline, warm = time.monotonic() + 20, (least or [d.resident()])[0]
        long = self.seconds >= 900          # in a short fifth there may be no moment at which no catalog is made
        if long and not self.sanitized and len(least) == 4 and min(least[1:]) > warm * 1.1 + 4000:
            self.complain("memory grows: %s KB" % least)
        most = float("inf") if self.sanitized else warm * 1.2 + 12000
        while (d.descriptors() > alone + 3 or d.resident() > most) and time.monotonic() < deadline:
            select.select([], [], [], 0.1)
        if d.descriptors() > alone + 3:
            self.complain("%d descriptors are open, and nobody asks" % d.descriptors())
        if d.resident() > most:
            self.complain("memory has grown from %d to %d KB" % (warm, d.resident()))
        self.memory.append("%s, then %d" % (" ".join(map(str, least)), d.resident()))

    def run(self):
        while time.monotonic() < self.until:
            left = self.until - time.monotonic()
            kill = self.lives % 2 == 0
            self.life(max(4, min(left, 8 if kill else max(16, self.seconds / 3))), kill)
        lost = self.known - {r.get("session") for r in exported(self.serve, self.trail)}
        if lost:
            self.complain("%d of %d acknowledged records are lost" % (len(lost), len(self.known)))
        if not self.asked or not self.known:
            self.complain("nothing was asked")


def main():
    with folder() as f:
        soak = Soak(os.path.abspath(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]) if len(sys.argv) > 3 else 0, f)
        soak.run()
    for wrong in soak.wrong:
        print(wrong)
    print("%d answers, %d records, %d lives of the daemon, %d writes of its files" % (soak.asked, len(soak.known), soak.lives, soak.reloads))
    print("KB of memory, the least of each fifth once it is warm, and when all have gone: " + "; ".join(soak.memory))
    print("%d passed, %d failed" % (1 if not soak.wrong else 0, len(soak.wrong)))
    return 1 if soak.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
