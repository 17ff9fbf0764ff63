#!/usr/bin/env python3
"""run_cases.py CANDO PATH... - puts case files through `cando batch`.

A case is a line of JSON: {"id", "op", "in", and one of "expect", "expect_error", "expect_lint"}.
All cases of a file go through one process, the built-in catalog on; JOBS files are asked at a time. A case passes if

- "expect": the reply is ok and its result contains it: objects as subsets at every depth, lists whole
  and in order, two decimal strings as numbers, null only where null stands;
- "expect_error": the reply is not ok and has that error code; what "error" says beside it (message, at,
  hint) holds as well, null for what there is none of;
- "expect_lint": result.errors equals "errors", or is at least "errors_min"; the codes in "codes" occur.

"in.rules_file" (one name or a list, beside the case file) with "in.rules_dialect" is sent as "rules", and so is
"in.overlay_file" as "overlay": an overlay on the catalog that many questions share is compiled once.
{"repeat": [WHAT, N]} stands for N times the text WHAT, or for a list of N times any other value; it may stand
wherever a value may, in the question and in what is expected.
"""
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

os.environ.setdefault("CANDO_TODAY", "2026-11-16")
DECIMAL = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?\Z", re.ASCII)
NO_ERROR = {"at": None, "hint": None}
TIMEOUT = int(os.environ.get("CASES_TIMEOUT") or 120)


def read_json(text):
    return json.loads(text, parse_float=Decimal)


def expand(value):
    """The value with each {"repeat": [WHAT, N]} in it written out."""
    if isinstance(value, list):
        return [expand(v) for v in value]
    if not isinstance(value, dict):
        return value
    if list(value) == ["repeat"]:
        what, n = value["repeat"]
        what = expand(what)
        return what * n if isinstance(what, str) else [what] * n
    return {k: expand(v) for k, v in value.items()}


def to_json(value):
    return json.dumps(value, ensure_ascii=False, default=float)


def brief(value):
    text = to_json(value)
    return text if len(text) < 200 else text[:200] + "..."


def kind(value):
    if isinstance(value, bool):
        return "bool"
    return "number" if isinstance(value, (int, Decimal)) else type(value).__name__


def mismatch(want, have, at=""):
    """What is wrong with `have`, or None."""
    wrong = "%s: want %s, have %s" % (at or "/", brief(want), brief(have))
    if kind(want) != kind(have):
        return wrong
    if isinstance(want, dict):
        for key, value in want.items():
            if key not in have:
                return "%s/%s: missing, want %s" % (at, key, brief(value))
            found = mismatch(value, have[key], at + "/" + key)
            if found:
                return found
        return None
    if isinstance(want, list):
        if len(want) != len(have):
            return wrong
        pairs = enumerate(zip(want, have))
        return next((m for m in (mismatch(w, h, "%s/%d" % (at, i)) for i, (w, h) in pairs) if m), None)
    if isinstance(want, str) and DECIMAL.match(want) and DECIMAL.match(have):
        return None if Decimal(want) == Decimal(have) else wrong
    return None if want == have else wrong


def judge_lint(want, result):
    errors = result.get("errors")
    listed = [f["code"] for f in result.get("findings", []) if f.get("severity") == "error"]
    if kind(errors) != "number" or errors != len(listed):
        return "result.errors is %s, %d are listed" % (brief(errors), len(listed))
    if errors != want.get("errors", errors):
        return "want %d errors, have %d: %s" % (want["errors"], errors, brief(listed))
    if errors < want.get("errors_min", 0):
        return "want %d errors or more, have %d" % (want["errors_min"], errors)
    codes = {f["code"] for f in result["findings"]}
    lacking = [c for c in want.get("codes", []) if c not in codes]
    return "no finding %s among %s" % (lacking, sorted(codes)) if lacking else None


def judge(case, reply):
    if not isinstance(reply, dict) or kind(reply.get("ok")) != "bool":
        return "no reply: %s" % brief(reply)
    if "expect_error" in case:
        if reply["ok"]:
            return "want an error, have %s" % brief(reply.get("result"))
        code = case["expect_error"]
        have = reply.get("error", {}).get("code")
        if code != have:
            return "want error %s, have %s" % (code, have)
        return mismatch(case["error"], {**NO_ERROR, **reply["error"]}) if "error" in case else None
    if not reply["ok"]:
        return "not ok: %s" % brief(reply.get("error"))
    if "expect_lint" in case:
        return judge_lint(case["expect_lint"], reply.get("result", {}))
    return mismatch(case["expect"], reply.get("result"))


def arguments(case, folder):
    """The question of a case, with the files that it names written out."""
    args = dict(case["in"])
    for what in ("rules", "overlay"):
        if what + "_file" not in args:
            continue
        names, dialect = args.pop(what + "_file"), args.pop(what + "_dialect")
        texts = []
        for name in [names] if isinstance(names, str) else names:
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                texts.append({"dialect": dialect, "text": f.read()})
        args[what] = texts[0] if isinstance(names, str) else texts
    return args


def request(case, number, folder):
    return to_json({"op": case["op"], "id": number, **arguments(case, folder)})


def questions(path):
    """The cases of a file, and the text that asks them."""
    with open(path, encoding="utf-8") as f:
        cases = [expand(read_json(line)) for line in f if line.strip()]
    lines = [request(c, i, os.path.dirname(path)) for i, c in enumerate(cases)]
    return cases, "".join(l + "\n" for l in lines).encode()


def ask(cando, text):
    return subprocess.run([cando, "batch"], input=text, capture_output=True, timeout=TIMEOUT, check=False)


def judge_all(path, cases, p):
    """Pairs of case id and what went wrong (None if nothing did)."""
    replies = p.stdout.decode().splitlines()
    trouble = "" if p.returncode == 0 else "exit %d %s" % (p.returncode, p.stderr.decode(errors="replace")[-1000:])
    for i, case in enumerate(cases):
        if i >= len(replies):
            yield case["id"], "no reply " + trouble
            continue
        reply = read_json(replies[i])
        yield case["id"], "reply has id %s, want %d" % (brief(reply.get("id")), i) if reply.get("id") != i else judge(case, reply)
    if len(replies) > len(cases) or trouble:
        yield os.path.basename(path), "%d replies to %d questions %s" % (len(replies), len(cases), trouble)


def run_file(cando, path):
    cases, text = questions(path)
    return judge_all(path, cases, ask(cando, text))


def case_files(paths):
    for path in paths:
        if os.path.isfile(path):
            yield path
        for root, folders, names in os.walk(path):
            folders.sort()
            yield from (os.path.join(root, n) for n in sorted(names) if n.endswith(".jsonl"))


def main():
    if len(sys.argv) < 3:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    passed = failed = 0
    cando, files = os.path.abspath(sys.argv[1]), list(case_files(sys.argv[2:]))
    with ThreadPoolExecutor(int(os.environ.get("JOBS") or os.cpu_count() or 1)) as pool:
        results = list(pool.map(lambda path: list(run_file(cando, path)), files))
    for path, result in zip(files, results):
        for name, wrong in result:
            if wrong:
                failed += 1
                print("%s: %s: %s" % (path, name, wrong))
            else:
                passed += 1
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
