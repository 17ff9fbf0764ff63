#!/usr/bin/env python3
"""repairs.py CANDO - a repair does what it promises, over all requests of tests/cases.

Each request is repaired without a loss, with every loss, and with the losses of one code at a time. Whatever comes
back is judged again, as anybody would: what is still said of it is what the reply listed as left, and nothing of
that is what was to be repaired. A request that is not rewritten has nothing that was to be. Half of a repair (`partial`)
is one as well, though the request is rejected all the same.
"""
import glob
import json
import os
import subprocess
import sys

os.environ["CANDO_TODAY"] = "2026-11-16"
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from run_cases import arguments, expand  # noqa: E402

SEEN = ("code", "path", "severity", "message")


def ask(cando, questions):
    text = "".join(json.dumps(q) + "\n" for q in questions)
    done = subprocess.run([cando, "batch"], input=text.encode(), stdout=subprocess.PIPE, check=False)
    return [json.loads(line) for line in done.stdout.splitlines()]


def requests():
    for path in sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases", "*.jsonl"))):
        with open(path, encoding="utf-8") as f:
            for case in map(json.loads, f):
                if case["op"] == "preflight" and "expect_error" not in case and "rules_file" not in case["in"]:
                    yield case["id"], expand(arguments(case, os.path.dirname(path)))


def modes(question, findings):
    """The repairs that can be asked for: [(members of the question, is this finding promised?)]."""
    plain = {k: v for k, v in question.items() if k not in ("fix", "allow", "only", "partial")}
    codes = {f["code"] for f in findings if f.get("fix_kind") == "lossy"}
    safe = lambda f: f.get("fix_kind") == "safe" and f["severity"] != "note"  # noqa: E731
    yield plain, safe
    yield dict(plain, fix=True), lambda f: f.get("fix_kind") in ("safe", "lossy")
    yield dict(plain, partial=True), safe
    yield dict(plain, partial=True, fix=True), lambda f: f.get("fix_kind") in ("safe", "lossy")
    for code in sorted(codes):
        yield dict(plain, allow=[code]), lambda f, c=code: safe(f) or (
            f["code"] == c and f.get("fix_kind") in ("safe", "lossy"))


def seen(findings):
    return sorted(tuple(f.get(k) for k in SEEN) for f in findings)


def main(cando):
    cases = list(requests())
    first = ask(cando, [{"op": "preflight", **q, "fix": False} for _, q in cases])
    jobs = []
    for (name, q), reply in zip(cases, first):
        if reply["ok"]:
            jobs += [(name, m, promised) for m, promised in modes(q, reply["result"].get("findings", []))]
    replies = ask(cando, [{"op": "preflight", **m} for _, m, _ in jobs])
    again, bad = [], 0
    for (name, m, promised), reply in zip(jobs, replies):
        result = reply["result"]
        if "request" in result:
            again.append((name, m, promised, result))
        elif result["verdict"] == "ok" and any(map(promised, result["findings"])):
            bad += 1
            print("%s: was not repaired: %s" % (name, json.dumps(result["findings"])[:300]))
    second = ask(cando, [{"op": "preflight", **m, "request": r["request"], "dialect": r["dialect"], "fix": False,
                          "allow": []} for _, m, _, r in again])
    for (name, m, promised, result), reply in zip(again, second):
        found = reply["result"].get("findings", [])
        if any(map(promised, found)):
            bad += 1
            print("%s: still there: %s" % (name, json.dumps([f for f in found if promised(f)])[:400]))
        elif seen(found) != seen(result.get("left", [])):
            bad += 1
            print("%s: is not what was said to be left: %s" % (name, json.dumps(found)[:400]))
    print("%d requests, %d repairs asked for, %d made, %d broke their promise" % (
        len(cases), len(jobs), len(again), bad))
    return bad != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
