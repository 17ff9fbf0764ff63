#!/usr/bin/env python3
"""hostile.py CANDO - questions and rule files in which one value is not what it should be.

Of the cases of each operation some are asked again and again, each time with another value in one
place: of another kind, empty, huge, of another word; or with the same text, cut off, quoted, with a
number that is too large, or, if it is JSON itself, changed inside. Each is answered: with a result, or with an
error that has a code, a message and the place, which leads to what was changed or to what holds it.

Of the rules of the catalog, by syntax and by what they say, some are linted with another value for
one key. Each key must complain of something that it is given; and a finding has a code and a line.

The sample is the same each time. Prints "N passed, M failed" at the end.
"""
import json
import os
import random
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import run_cases  # noqa: E402

os.environ.setdefault("CANDO_TODAY", "2026-11-16")
VALUES = [None, True, -1, 7, 1.5, 10**30, "", "zz", "a/b", "x" * 600, "\u202e\u0000", [], [7], ["zz", "zz"], [[]], {},
          {"zz": 1}, {"name": 5}]
TOML = ["7", "-1", "true", "1.5", '""', '"zz"', '"a[0]..b"', "[]", "[7]", '["zz"]', '["a", "a"]', "[[]]", "{}",
        "{ zz = 1 }", '[{ zz = 1 }]', "[1, 2, 3]", "2026-01-01", '"' + "x" * 600 + '"']
MARKS = ["'", '"', "`", "\u2019", "\u201c", ".", ",", ":", "/", "-", "_", "\n", "\\", "@", "%2f", "=", " ", "n't", "\u00e9", "{"]
EACH_OP = 24       # cases of an operation
EACH_CASE = 40     # changes of one
EACH_RULE = 2      # rules that say the same keys
FREE = {"id"}      # these take anything, and so do names and sentences


def places(value, at=()):
    """All places of a value, with their way."""
    yield at
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*at, key))


def changed(value, at, new):
    if not at:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[at[0]] = changed(value[at[0]], at[1:], new)
    return copy


def edited(text, chance):
    """The text, and something has happened to it."""
    try:
        inner = json.loads(text)
    except ValueError:
        inner = None
    if isinstance(inner, (dict, list)) and chance.random() < 0.8:
        at = chance.choice(list(places(inner)))
        return json.dumps(changed(inner, at, chance.choice(VALUES)))
    k, mark = chance.randrange(len(text) + 1), chance.choice(MARKS)
    number = re.sub(r"\d+", lambda m: chance.choice(["0", "99999999999999999999", "1.5", "", "1e9"]), text, count=1)
    return chance.choice([text[:k], text[k:], text[:k] + mark + text[k:], text[:k] + mark + text[k + 1:], number,
                          text.upper(), text + mark, mark + text, text.replace(" ", mark), text.replace("'", mark)])


def value_at(value, at):
    for key in at:
        value = value[key]
    return value


def ask(cando, questions):
    text = "".join(run_cases.to_json(q) + "\n" for q in questions).encode("utf-8", "surrogatepass")
    p = subprocess.run([cando, "batch"], input=text, capture_output=True, check=False,
                       timeout=int(os.environ.get("CASES_TIMEOUT") or 600))
    replies = p.stdout.decode().split("\n")[:-1]
    # 3: a line could not be read
    if p.returncode not in (0, 3) or len(replies) != len(questions):
        return None, "exit %d, %d replies to %d questions; the next: %.300s\n%s" % (
            p.returncode, len(replies), len(questions), questions[min(len(replies), len(questions) - 1)],
            p.stderr.decode(errors="replace")[-1500:])
    return [json.loads(r) for r in replies], None


def wrong_reply(reply):
    if reply.get("ok") is True:
        return None if "result" in reply else "no result"
    error = reply.get("error") or {}
    if not error.get("code") or not error.get("message"):
        return "an error without a code or words: %s" % reply
    return None


def op_questions(folder):
    """By operation: questions as cases have them, not large ones."""
    by_op = {}
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text().splitlines():
            case = run_cases.read_json(line)
            if len(line) > 4000 or "rules_file" in case["in"] or "repeat" in line:
                continue
            by_op.setdefault(case["op"], []).append({"op": case["op"], **run_cases.arguments(case, folder)})
    return by_op


def check_op(cando, op, questions):
    chance = random.Random(op)
    asked = []
    for q in chance.sample(questions, min(EACH_OP, len(questions))):
        inner = [at for at in places(q) if at and at != ("op",)]
        every = [(at, v) for at in inner for v in VALUES]
        asked += [changed(q, at, v) for at, v in chance.sample(every, min(EACH_CASE, len(every)))]
        texts = [at for at in inner if isinstance(value_at(q, at), str) and len(value_at(q, at)) > 3]
        weights = [min(len(value_at(q, at)), 400) for at in texts]
        for at in chance.choices(texts, weights, k=EACH_CASE) if texts else ():
            asked.append(changed(q, at, edited(value_at(q, at), chance)))
        asked += [{**q, "zz": 1}] + [{k: v for k, v in q.items() if k != gone} for gone in q if gone != "op"]
    replies, broken = ask(cando, asked)
    if broken:
        return len(asked), ["%s: %s" % (op, broken)]
    return len(asked), ["%s: %s\n    %.300s" % (op, w, q) for q, w in zip(asked, map(wrong_reply, replies)) if w]


LINE = re.compile(r"^([A-Za-z_]+) = (.+)$")


def rule_samples(folder):
    """(text, line) of small rule files made of one part of the catalog's."""
    for kind in ("requests", "family", "curated"):
        seen = {}
        for path in sorted((folder / kind).glob("*.toml")):
            parts = re.split(r"\n(?=\[)", path.read_text())
            head = "\n".join(l for l in parts[0].split("\n") if LINE.match(l))
            for part in parts[1:]:
                keys = (part.split("]")[0], *sorted(m.group(1) for m in map(LINE.match, part.split("\n")) if m))
                seen[keys] = seen.get(keys, 0) + 1
                if seen[keys] <= EACH_RULE and len(part) < 3000 and part.count('"""') == 0:
                    yield kind, head + "\n" + part


def check_rules(cando, folder):
    samples = list(rule_samples(folder))
    random.Random(7).shuffle(samples)
    asked, key_of, seen = [], [], {}
    for kind, text in samples:
        lines = text.split("\n")
        for i, line in enumerate(lines):
            m = LINE.match(line)
            if not m or m.group(2).count("[") != m.group(2).count("]"):
                continue
            key = (kind, m.group(1))
            seen[key] = seen.get(key, 0) + 1
            if seen[key] > 4:
                continue
            for value in TOML:
                asked.append({"op": "lint", "text": "\n".join([*lines[:i], "%s = %s" % (m.group(1), value), *lines[i + 1:]])})
                key_of.append(key)
    replies, broken = ask(cando, asked)
    if broken:
        return len(asked), ["rules: " + broken]
    told = {key for key, r in zip(key_of, replies) if r.get("ok") and r["result"]["errors"]}
    bad = ["rules: nothing is wrong for '%s' in %s" % (key, kind) for kind, key in sorted(set(key_of) - told)]
    for q, r in zip(asked, replies):
        for f in (r.get("result") or {}).get("findings", []):
            if not f.get("code") or not f.get("message") or not f.get("line"):
                bad.append("rules: a finding without a place: %s\n%s" % (f, q["text"]))
    return len(asked), bad


def main(cando):
    root = Path(__file__).resolve().parent.parent
    cando = os.path.abspath(cando)
    jobs = [lambda op=op, q=q: check_op(cando, op, q) for op, q in op_questions(root / "tests/cases").items()]
    jobs.append(lambda: check_rules(cando, root / "catalog"))
    with ThreadPoolExecutor(int(os.environ.get("JOBS") or os.cpu_count() or 1)) as pool:
        results = list(pool.map(lambda job: job(), jobs))
    bad = [b for _, all_bad in results for b in all_bad]
    for b in bad[:30]:
        print(b)
    print("%d passed, %d failed" % (sum(n for n, _ in results) - len(bad), len(bad)))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
