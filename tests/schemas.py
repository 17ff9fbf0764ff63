#!/usr/bin/python3
"""schemas.py CANDO CASES... - holds every question and answer of the case files against `cando schema`.

Cases that expect an error are left out: their questions are wrong on purpose. The validator is Debian's
python3-jsonschema, and so is the interpreter. Prints "N passed, M failed" at the end.
"""
import json
import os
import subprocess
import sys

import jsonschema

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run_cases  # noqa: E402

SHOWN = 20


def validators(cando):
    text = subprocess.run([cando, "schema"], capture_output=True, check=True).stdout
    out = {}
    for op, schema in json.loads(text).items():
        for side in ("question", "answer"):
            jsonschema.Draft202012Validator.check_schema(schema[side])
            out[op, side] = jsonschema.Draft202012Validator(schema[side])
        for example in schema["question"]["examples"]:
            out[op, "question"].validate(example)
    return out


def complain(where, error):
    at = "/" + "/".join(str(p) for p in error.absolute_path)
    print("%s: %s: %s" % (where, at, error.message[:200]))


def check_file(cando, path, known):
    with open(path, encoding="utf-8") as f:
        cases = [json.loads(line) for line in f if line.strip()]
    cases = [c for c in cases if "expect_error" not in c]
    lines = [run_cases.request(c, i, os.path.dirname(path)) for i, c in enumerate(cases)]
    p = subprocess.run([cando, "batch"], input="".join(l + "\n" for l in lines).encode(), capture_output=True,
                       check=False)
    replies = [json.loads(l) for l in p.stdout.decode().splitlines()]
    bad = 0
    for case, line, reply in zip(cases, lines, replies):
        op = case["op"]
        where = "%s: %s" % (os.path.basename(path), case["id"])
        if not reply["ok"]:
            continue                            # run_cases.py tells
        for side, value in (("question", json.loads(line)), ("answer", reply["result"])):
            error = next(known[op, side].iter_errors(value), None)
            if error:
                bad += 1
                if bad <= SHOWN:
                    complain(where + " " + side, error)
    return len(cases) * 2 - bad, bad


def main():
    cando = sys.argv[1]
    known = validators(cando)
    passed = failed = 0
    for root in sys.argv[2:]:
        for at, _, names in sorted(os.walk(root)):
            for name in sorted(n for n in names if n.endswith(".jsonl")):
                good, bad = check_file(cando, os.path.join(at, name), known)
                passed += good
                failed += bad
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
