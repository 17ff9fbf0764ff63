#!/usr/bin/env python3
"""uses.py - which member of a request uses which capability, read from the rules.

A cell of the table is an API and a capability of the vocabulary. It is filled by rules that fire where a profile says no:
by `uses`, `needs`, or `profile = { capability = "unsupported" }`. A cell without any has its reason in scripts/unasked.toml.
scripts/gen_docs.py writes the table, tests/uses.py asks the program about every cell.
"""
import glob
import os
import re
import sys
import tomllib

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
APIS = ["openai-chat", "openai-responses", "anthropic-messages", "gemini", "bedrock-converse", "mistral-chat", "ollama-chat"]
BACKEND = re.compile(r"tool_(read|write|edit|bash|glob|grep|web_search|web_fetch|ask_user)$|hooks_|session_|checkpointing$|mcp_")


def load(path):
    with open(os.path.join(ROOT, path), "rb") as f:
        return tomllib.load(f)


def capabilities():
    """Those of models, in the order of the vocabulary; what agent backends do is asked for by work orders."""
    with open(os.path.join(ROOT, "src/catalog/vocab.def"), encoding="utf-8") as f:
        names = re.findall(r"^FIELD\((\w+), SUPPORT", f.read(), re.M)
    return [n for n in names if not BACKEND.match(n)]


def conditions(value):
    """One condition or a list, each as a table."""
    for c in value if isinstance(value, list) else [value]:
        yield {"path": c} if isinstance(c, str) else c


def demands(rule):
    """(capability, conditions of which each uses it, conditions that hold besides)"""
    when = [c for c in conditions(rule.get("when", [])) if c["path"]]  # one without a path says where the finding points
    for name, value in rule.get("uses", {}).items():
        yield name, list(conditions(value)), when
    asked = [rule["needs"]] if "needs" in rule else []
    asked += [k for k, v in rule.get("profile", {}).items() if v == "unsupported"]
    for name in asked:
        each = list(conditions(rule.get("each", rule.get("any", []))))
        yield name, each or when[:1], when if each else when[1:]


def cells():
    """(api, capability) -> [(rule, condition, conditions besides)]"""
    out = {}
    for path in sorted(glob.glob(os.path.join(ROOT, "catalog/requests/*.toml"))):
        table = load(path)
        for rule in table.get("rules", []):
            for name, each, besides in demands(rule):
                for c in each:
                    out.setdefault((table["dialect"], name), []).append((rule, c, besides))
    return out


def place(rule, condition):
    """The member that a person would look for: "messages[-1].role"."""
    path = condition["path"]
    if path.startswith("/"):
        return path[1:]
    return ".".join(p for p in (rule.get("at", ""), path) if p)


def text_of(rule, condition):
    path = place(rule, condition)
    word = condition.get("is", condition.get("prefix"))
    if word is True:
        return "`%s: true`" % path
    if isinstance(word, (str, list)):
        return "`%s: %s`" % (path, word if isinstance(word, str) else " / ".join(map(str, word)))
    return "`%s`" % path


def reason(reasons, api, name):
    return reasons["cells"].get("%s/%s" % (name, api)) or reasons["capabilities"].get(name)


# The reasons that are a loss for a request which comes from another API.
LOSS = re.compile(r"the API (has no such (member|mode|tool)|has no place for it|has no budget|knows no named contexts)$")


def faults():
    """What is wrong with the table, as lines."""
    filled, reasons, used = cells(), load("scripts/unasked.toml"), set()
    for api in APIS:
        lacks = [n for n in capabilities() if (api, n) not in filled and LOSS.match(reason(reasons, api, n) or "")]
        if lacks != load("catalog/apis/%s.toml" % api).get("lacks"):
            yield "catalog/apis/%s.toml: lacks = %s" % (api, str(lacks).replace("'", '"'))
    for name in capabilities():
        for api in APIS:
            exact = "%s/%s" % (name, api)
            if (api, name) in filled:
                if exact in reasons["cells"]:
                    yield "%s has a rule and a reason why not" % exact
                continue
            used.add(exact if exact in reasons["cells"] else name)
            if not reason(reasons, api, name):
                yield "%s has neither a rule that uses it nor a reason in scripts/unasked.toml" % exact
    for key in [*reasons["cells"], *reasons["capabilities"]]:
        if key not in used:
            yield "the reason for %s is not needed" % key


def page():
    wrong = list(faults())
    if wrong:
        sys.exit("\n".join(wrong))
    filled, reasons = cells(), load("scripts/unasked.toml")
    yield "# Which member uses what"
    yield ""
    yield "Where a profile says no to a capability, a request that uses it is a finding: by the members below, of each API. This page is"
    yield "generated from `catalog/requests/` and `scripts/unasked.toml` by `make docs`; `tests/uses.py` asks the program about every cell."
    yield "`cando needs` lists what a request uses. How loud a finding is, evidence decides ([requests.md](requests.md))."
    yield "A number is a reason below why no member uses it."
    yield ""
    yield "| | %s |" % " | ".join(APIS)
    yield "|---" * (len(APIS) + 1) + "|"
    notes = {}
    for name in capabilities():
        row = []
        for api in APIS:
            rules = filled.get((api, name))
            if rules:
                row.append(", ".join(dict.fromkeys(text_of(r, c) for r, c, _ in rules)))
            else:
                row.append(str(notes.setdefault(reason(reasons, api, name), len(notes) + 1)))
        yield "| `%s` | %s |" % (name, " | ".join(row))
    yield ""
    for why, number in notes.items():
        yield "%d. %s" % (number, why)


if __name__ == "__main__":
    for line in page():
        print(line)
