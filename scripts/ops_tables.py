#!/usr/bin/env python3
"""ops_tables.py CANDO [--write] - the tables of docs/ops.md, from what `cando schema` says.

A table stands between "<!-- question NAME -->" or "<!-- answer NAME -->" and "<!-- end -->". Without --write it is
compared, and every operation must have both. Prints "N passed, M failed".
"""
import json
import os
import re
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
PAGE = os.path.join(ROOT, "docs", "ops.md")
BLOCK = re.compile(r"<!-- (question|answer) (\w+) -->\n(.*?)<!-- end -->", re.DOTALL)
NAMES = {"integer": "number", "array": "list"}


def kind(s):
    """What a value may be, in a word or two."""
    if "enum" in s:
        return ", ".join("`%s`" % json.dumps(v) for v in s["enum"])
    if "anyOf" in s:
        return " or ".join(dict.fromkeys(kind(x) for x in s["anyOf"]))
    types = s.get("type", [])
    types = [types] if isinstance(types, str) else types
    if "array" in types:
        inner = s.get("items", {})
        word = "list of " + (plural(kind(inner)) if "properties" not in inner else "objects")
        return word + (" or null" if "null" in types else "")
    return " or ".join(NAMES.get(t, t) for t in types) or "any"


def plural(word):
    return word + "s" if word.isalpha() else word


def object_of(s):
    """The object inside: of a list, of a map, of a choice."""
    for x in [s] + s.get("anyOf", []):
        if "properties" in x:
            return x, ""
        items = x.get("items", {})
        for y in [items] + items.get("anyOf", []):
            if "properties" in y:
                return y, "[]"
        more = x.get("additionalProperties")
        if isinstance(more, dict) and "properties" in more:
            return more, ".*"
    return None, ""


def rows(schema, question, before="", seen=()):
    required = schema.get("required", [])
    for name, s in schema["properties"].items():
        if not before and name in ("op", "id", "rules", "overlay"):
            continue
        must = ", required" if question and name in required else ""
        may = "" if question or name in required else ", if there is one"
        yield "`%s%s`" % (before, name), kind(s) + must + may, s.get("description", "")
        inner, mark = object_of(s)
        if inner and inner["properties"].keys() != {"model", "provider"} and len(seen) < 3:
            yield from rows(inner, question, before + name + mark + ".", seen + (name,))


def table(schema, side):
    lines = ["| %s | | |" % ("argument" if side == "question" else "member"), "|---|---|---|"]
    for name, what, doc in rows(schema, side == "question"):
        lines.append("| %s | %s | %s |" % (name, what.replace("|", "\\|"), doc.replace("|", "\\|")))
    return "\n".join(lines) + "\n" if len(lines) > 2 else ""


def main():
    cando, write = sys.argv[1], "--write" in sys.argv
    ops = json.loads(subprocess.run([cando, "schema"], capture_output=True, check=True).stdout)
    with open(PAGE, encoding="utf-8") as f:
        text = f.read()
    missing = {(side, op) for op in ops for side in ("question", "answer")}
    stale = []

    def fill(m):
        side, op, have = m.groups()
        if op not in ops:
            return m.group(0)
        want = table(ops[op][side], side)
        missing.discard((side, op))
        if have != want:
            stale.append("%s %s" % (side, op))
        return "<!-- %s %s -->\n%s<!-- end -->" % (side, op, want)

    fresh = BLOCK.sub(fill, text)
    if write:
        with open(PAGE, "w", encoding="utf-8") as f:
            f.write(fresh)
    for side, op in sorted(missing):
        print("docs/ops.md has no table of the %s of %s" % (side, op))
    for name in [] if write else stale:
        print("docs/ops.md: the table of the %s is stale; run 'make docs'" % name)
    bad = len(missing) + (0 if write else len(stale))
    print("%d passed, %d failed" % (2 * len(ops) - bad, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
