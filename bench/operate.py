#!/usr/bin/env python3
"""operate.py SERVE - the figures of docs/operate.md: what one daemon does on this machine.

    requests a second     POST /op/preflight of 1 KB over loopback by wrk, the daemon on one core and wrk on another
    with --store          the same while a client writes records
    records a second      POST /audit, one record a request by 32 clients, and 1000 a request by one; each is synced
    start                 until the first answer; memory then, and after the load
    bytes a record        of the trail
"""
import http.client
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "tests", "serve"), os.path.join(ROOT, "bench")]
from bench_serve import QUESTION, wrk  # noqa: E402
from daemon import Daemon  # noqa: E402
from test_record import EVENT, lines  # noqa: E402

LUA = 'wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\nwrk.body = %s\n'


def start(serve, *options):
    from_ = time.monotonic()
    d = Daemon(serve, *options, wrap=("taskset", "-c", "0"))
    d.ask("POST", "/op/model_id", '{"model":"gpt-4o"}')
    return d, (time.monotonic() - from_) * 1000


def records(d, clients, each, seconds):
    """Records that were acknowledged in a second."""
    count, end = [0] * clients, time.monotonic() + seconds

    def write(i):
        c = http.client.HTTPConnection(d.host, d.port, timeout=60)
        body = json.dumps(EVENT) if each == 1 else lines(each, "s")
        while time.monotonic() < end:
            c.request("POST", "/audit", body, {"Content-Type": "application/x-ndjson"})
            r = c.getresponse()
            r.read()
            assert r.status == 200, r.status
            count[i] += each
        c.close()
    threads = [threading.Thread(target=write, args=(i,)) for i in range(clients)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return sum(count) / seconds


def main():
    serve = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as f:
        script, trail = os.path.join(f, "post.lua"), os.path.join(f, "trail.db")
        with open(script, "w", encoding="utf-8") as out:
            out.write(LUA % json.dumps(QUESTION))
        starts = []
        for _ in range(5):
            d, ms = start(serve)
            starts.append(ms)
            idle = d.resident()
            d.stop()
        print("start                 %8.0f ms, then %d KB of memory" % (min(starts), idle))
        d, _ = start(serve)
        rate, slow = max(wrk("1", script, "http://127.0.0.1:%d/op/preflight" % d.port) for _ in range(3))
        print("requests a second     %8.0f, the slowest hundredth %.2f ms, then %d KB" % (rate, slow / 1000, d.resident()))
        d.stop()
        d, _ = start(serve, "--store", trail)
        one, many = records(d, 32, 1, 4), records(d, 1, 1000, 4)
        print("records a second      %8.0f one a request by 32 clients, %.0f a thousand a request" % (one, many))
        print("memory with a trail   %8d KB" % d.resident())
        d.stop()
        n = int(subprocess.run([os.path.join(os.path.dirname(serve), "cando"), "audit", "verify", "--json", "--store", trail], capture_output=True,
                               text=True, check=True).stdout.split('"records":')[1].split(",")[0])
        print("bytes a record        %8.0f" % (os.path.getsize(trail) / n))


if __name__ == "__main__":
    main()
