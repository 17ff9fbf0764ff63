#!/usr/bin/env python3
"""spellings.py CANDO FILE... - a request means the same however its texts are spelt.

Each request of the preflight cases is asked twice: as it is, and with characters of its keys
and strings (ids of tool calls among them) written as \\u escapes, here and there. Verdict and
findings must be the same, but for those about the size of the text, which counts bytes.
"""
import json
import os
import random
import subprocess
import sys

from run_cases import arguments, expand  # noqa: E402


def spell(text, chance):
    """A JSON string with some of its characters escaped."""
    out = []
    for c in text:
        if chance.random() < 0.3 and ord(c) < 0x10000:
            out.append("\\u%04x" % ord(c))
        else:
            out.append(json.dumps(c, ensure_ascii=False)[1:-1])
    return '"' + "".join(out) + '"'


def write(value, chance):
    if isinstance(value, str):
        return spell(value, chance)
    if isinstance(value, list):
        return "[" + ",".join(write(v, chance) for v in value) + "]"
    if isinstance(value, dict):
        pairs = (spell(k, chance) + ":" + write(v, chance) for k, v in value.items())
        return "{" + ",".join(pairs) + "}"
    return json.dumps(value)


def questions(path, chance):
    """Pairs of lines: the question, and the same with another spelling of its request."""
    for line in open(path, encoding="utf-8"):
        case = json.loads(line)
        if case.get("op") != "preflight" or "rules_file" in case["in"] or "expect" not in case:
            continue
        args = arguments(case, os.path.dirname(path))
        rest = {k: v for k, v in expand(args).items() if k != "request"}
        request = expand(case["in"].get("request"))
        if not isinstance(request, dict) or len(json.dumps(request)) > 100000:
            continue
        head = json.dumps(dict(rest, op="preflight", id=case["id"]))[:-1]
        yield head + ',"request":' + json.dumps(request) + "}"
        yield head + ',"request":' + write(request, chance) + "}"


def judged(reply):
    """What must not depend on the spelling."""
    reply = json.loads(reply)
    if not reply["ok"]:
        return reply["error"]["code"], []
    findings = [tuple(f.get(k) for k in ("code", "path", "severity", "rule"))
                for f in reply["result"]["findings"]]
    rest = [f for f in findings if not f[0].startswith("context-")]
    return reply["result"]["verdict"] if rest == findings else None, rest


def main(cando, *paths):
    chance = random.Random(10)
    lines = [q for path in paths for q in questions(path, chance)]
    done = subprocess.run([cando, "batch"], input="\n".join(lines) + "\n", capture_output=True,
                          text=True, check=True)
    replies = done.stdout.splitlines()
    wrong = 0
    for i in range(0, len(lines), 2):
        have, want = judged(replies[i + 1]), judged(replies[i])
        if have != want and (None not in (have[0], want[0]) or have[1] != want[1]):
            wrong += 1
            name = json.loads(lines[i])["id"]
            print("%s\n  %s\n  is %s\n  not %s" % (name, lines[i + 1][-300:], have, want))
    print("%d requests, %d differ" % (len(lines) // 2, wrong))
    return 1 if wrong or not lines else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
