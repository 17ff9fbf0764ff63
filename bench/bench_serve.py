#!/usr/bin/env python3
"""bench_serve.py OUTPUT - the daemon beside nginx, asked by wrk over loopback; each has one core.

    serve.preflight        POST /op/preflight of 1 KB: requests a second, as a part of what nginx makes that returns the
                           same bytes without a thought; 0.6 are wanted
    serve.preflight.cpu    the same for a second of the processor's time that each got: steadier where the core is not
                           its own
    serve.preflight.p99    the slowest hundredth: how many times as long as nginx's; 3 are allowed
    serve.resident         memory with 1000 connections that have all been asked: 50 MB are allowed

Both sides run by turns, in short rounds. Each round is held against those of nginx before and behind it, and the median
counts: what else the machine does comes and goes more slowly than that.
"""
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "serve"))
from daemon import Daemon  # noqa: E402

ROUNDS, SECONDS, CONNECTIONS = int(os.environ.get("SERVE_ROUNDS") or 12), 1, 32
WORDS = "The list is from last week: the first one was checked by hand, all others come from a catalog that is made once a day. "
QUESTION = json.dumps({"target": "openai/gpt-5.6-sol", "request": {"model": "gpt-5.6-sol", "messages": [
    {"role": "system", "content": "You are a careful assistant."}, {"role": "user", "content": WORDS * 7}]}}, separators=(",", ":"))
NGINX = """
worker_processes 1; daemon off; master_process off; pid %(folder)s/pid; error_log %(folder)s/error;
events { worker_connections 4096; }
http {
    access_log off; keepalive_requests 1000000000;
    client_body_temp_path %(folder)s/a; proxy_temp_path %(folder)s/b; fastcgi_temp_path %(folder)s/c;
    uwsgi_temp_path %(folder)s/d; scgi_temp_path %(folder)s/e;
    server { listen 127.0.0.1:%(port)d; location / { default_type application/json; return 200 '%(reply)s'; } }
}
"""


def report(bench, value, unit, against=None):
    print(f"{bench:32} {value:8.2f} {unit:7} {'against ' + against if against else ''}".rstrip())
    if len(sys.argv) > 1:
        row = {"bench": bench, "value": float(f"{value:.4g}"), "unit": unit, **({"against": against} if against else {})}
        with open(sys.argv[1], "a", encoding="utf-8") as f:
            f.write(json.dumps(row, separators=(",", ":")) + "\n")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(port):
    """Until somebody listens there."""
    end = time.monotonic() + 30
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except ConnectionRefusedError:
            assert time.monotonic() < end, "nobody listens at %d" % port
            time.sleep(0.05)


def used(pid):
    """Seconds that all threads of a process had a core."""
    tasks = "/proc/%d/task" % pid
    return sum(int(open(os.path.join(tasks, t, "schedstat")).read().split()[0]) for t in os.listdir(tasks)) / 1e9


def wrk(core, script, url):
    """Requests a second, and the slowest hundredth in microseconds."""
    return run_wrk(core, script, url)[:2]


def run_wrk(core, script, url):
    """The same, and how many requests there were."""
    out = subprocess.run(["taskset", "-c", core, "wrk", "-t1", "-c%d" % CONNECTIONS, "-d%ds" % SECONDS, "--latency", "-s", script, url],
                         capture_output=True, text=True, check=True).stdout
    assert "Non-2xx" not in out, out
    number, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", out).groups()
    return (float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1)), float(number) * {"us": 1, "ms": 1e3, "s": 1e6}[unit],
            int(re.search(r"(\d+) requests in", out).group(1)))


def measure(core, script, url, pid):
    """One round: requests a second, the slowest hundredth, requests for a second of its time."""
    before = used(pid)
    rate, p99, n = run_wrk(core, script, url)
    return rate, p99, n / (used(pid) - before)


def beside_it(own, other, column):
    """The median of our rounds, each as a part of those before and behind it; there is one more of the other."""
    return statistics.median(2 * mine[column] / (other[i][column] + other[i + 1][column]) for i, mine in enumerate(own))


def resident(daemon):
    body = QUESTION.encode()
    ask = b"POST /op/preflight HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    many = [daemon.connect() for _ in range(1000)]
    for s in many:
        s.sendall(ask)
    for s in many:
        assert s.recv(4096).startswith(b"HTTP/1.1 200 ")
    kb = daemon.resident()
    for s in many:
        s.close()
    return kb / 1024


def main():
    cores = sorted(os.sched_getaffinity(0))
    nginx = shutil.which("nginx") or "/usr/sbin/nginx"
    if len(cores) < 2 or not shutil.which("wrk") or not os.path.exists(nginx):
        print("serve.preflight: two cores, wrk and nginx are needed")
        return
    own, other = str(cores[0]), str(cores[1])
    with tempfile.TemporaryDirectory() as folder, Daemon(os.path.join(ROOT, "build", "cando-serve"), wrap=["taskset", "-c", own]) as daemon:
        reply = daemon.ask("POST", "/op/preflight", QUESTION).text
        assert '"verdict":"ok"' in reply and "'" not in reply, reply
        script, conf, port = os.path.join(folder, "ask.lua"), os.path.join(folder, "conf"), free_port()
        with open(script, "w") as f:
            f.write('wrk.method="POST"\nwrk.headers["Content-Type"]="application/json"\nwrk.body=[[%s]]\n' % QUESTION)
        with open(conf, "w") as f:
            f.write(NGINX % {"folder": folder, "port": port, "reply": reply})
        beside = subprocess.Popen(["taskset", "-c", own, nginx, "-c", conf], stderr=subprocess.DEVNULL)
        try:
            wait_for(port)
            ours, theirs = [], [measure(other, script, "http://127.0.0.1:%d/" % port, beside.pid)]
            for _ in range(ROUNDS):
                ours.append(measure(other, script, "http://127.0.0.1:%d/op/preflight" % daemon.port, daemon.process.pid))
                theirs.append(measure(other, script, "http://127.0.0.1:%d/" % port, beside.pid))
        finally:
            beside.terminate()
            beside.wait()
        print("# %d and %d requests a second, p99 %.0f and %.0f us, a question of %d bytes" % (
            *[statistics.median(g[i] for g in got) for i in (0, 1) for got in (ours, theirs)], len(QUESTION)))
        report("serve.preflight", beside_it(ours, theirs, 0), "x", "nginx with a fixed body")
        report("serve.preflight.cpu", beside_it(ours, theirs, 2), "x", "nginx with a fixed body")
        report("serve.preflight.p99", beside_it(ours, theirs, 1), "times", "nginx with a fixed body")
        report("serve.resident", resident(daemon), "MB")


if __name__ == "__main__":
    main()
