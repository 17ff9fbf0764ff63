#!/usr/bin/env python3
"""bench_python.py OUTPUT - the package for Python beside the standard library.

    python.preflight.1k   a request of 1 KB, as bytes, judged for a known model, dict out: how many times as long as
                          json.loads takes for the request; 2 are allowed. With .finding the request has one
    python.preflight.1k.ns, python.preflight.1k.finding.ns
    python.first          the first answer, from before the import on: 10 ms are allowed

Both sides run by turns in this process, and the best round of each counts.
"""
import json
import subprocess
import sys
import time

import cando

WORDS = [
    "You answer with a list of values that fit into one table, because every row has its own source and a date when "
    "it was checked last by somebody who knew how to read it.\nQuote \"the source\" where there is one \u2014 and say "
    "so where there is none.",
    "Which of these models take images, and since when?\nThe list is from last week: the first one was checked by "
    "hand, all others come from a catalog that is made once a day. It has a row for each model and a column for each "
    "thing that it may be asked to do, and where nobody knows, the field is empty. Please say for each of them who "
    "says so.",
    "The first one does, since June. Of the others I know of two.",
    "Then list these two, with their sources and the days on which they were checked, the newest first.",
]
ROLES = ["system", "user", "assistant", "user"]
FIRST = """
import time
start = time.perf_counter()
import cando
cando.preflight(target="openai/o3", request=b'{"model":"o3","messages":[{"role":"user","content":"hi"}]}')
print(time.perf_counter() - start)
"""


def report(bench, value, unit, against=None):
    print(f"{bench:32} {value:8.2f} {unit:7} {'against ' + against if against else ''}".rstrip())
    if len(sys.argv) > 1:
        row = {"bench": bench, "value": float(f"{value:.4g}"), "unit": unit}
        if against:
            row["against"] = against
        with open(sys.argv[1], "a", encoding="utf-8") as f:
            f.write(json.dumps(row, separators=(",", ":")) + "\n")


def one(ask, n):
    start = time.perf_counter_ns()
    for _ in range(n):
        ask()
    return (time.perf_counter_ns() - start) / n


def compare(a, b, rounds=40, n=500):
    best = [float("inf"), float("inf")]
    for _ in range(rounds):
        best = [min(best[0], one(a, n)), min(best[1], one(b, n))]
    return best


def preflight(name, temperature, findings):
    messages = [{"role": r, "content": w} for r, w in zip(ROLES, WORDS)]
    request = {"model": "mistral-large-latest", "messages": messages, "temperature": temperature, "max_tokens": 500,
               "stream": True}
    body = json.dumps(request, ensure_ascii=False, separators=(",", ":")).encode()
    target = "mistral/mistral-large-latest"
    assert len(cando.preflight(target=target, request=body)["findings"]) == findings, name
    ours, theirs = compare(lambda: cando.preflight(target=target, request=body), lambda: json.loads(body))
    report(name, ours / theirs, "times", "json.loads of the body")
    report(name + ".ns", ours, "ns")


preflight("python.preflight.1k", 0.7, 0)
preflight("python.preflight.1k.finding", 2.7, 1)
first = [float(subprocess.run([sys.executable, "-c", FIRST], check=True, capture_output=True).stdout) for _ in range(10)]
report("python.first", min(first) * 1000, "ms")
