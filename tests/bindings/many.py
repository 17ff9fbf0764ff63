"""many.py COUNT - so many calls of every kind, through the package for Python: the memory of the process does not grow.

The first third of the calls is for getting warm."""
import gc
import json
import sys

import cando

cando.set_today("2026-11-16")


def body(n):
    return json.dumps({"model": "o3", "temperature": 0.1, "messages": [{"role": "user", "content": "grüße " * n}]})


BODIES = [body(n).encode() for n in (1, 20, 160, 700)]
KINDS = [
    lambda i: cando.preflight(target="openai/o3", request=BODIES[i % 4]),
    lambda i: cando.preflight(target="openai/o3", request=body(i % 50)),
    lambda i: cando.cost(target="anthropic/claude-opus-4-5", usage={"input_tokens": 4740, "output_tokens": i}),
    lambda i: cando.resolve(f"acme/model-{i % 1000}"),
    lambda i: cando.resolve("openai/gpt-5"),
    lambda i: cando.explain("io" if i % 2 else "json-syntax"),
    lambda i: cando.negotiate(target="openai/gpt-4.1", requirements=[
        {"name": "tool_calling" if i % 2 else "input_audio", "level": "hard"}]),
    lambda i: cando.call({"op": "reslove"}),
    lambda i: cando.call("{"),
]


def run(start, end):
    failed = 0
    for i in range(start, end):
        try:
            KINDS[i % len(KINDS)](i)
        except cando.CandoError:
            failed += 1
    assert failed <= 2 * -(-(end - start) // len(KINDS)), failed


def resident():
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * 4096


total = int(sys.argv[1])
warm = total // 3
run(0, warm)
before = resident()
run(warm, total)
grown = resident() - before
print(f"python: {total} calls: rss {before / 2**20:.2f} + {grown / 2**20:.2f} MiB")
sys.exit(grown > 2 * 2**20)
