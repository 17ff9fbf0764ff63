#!/usr/bin/env python3
"""gen_docs.py [FOLDER] - writes docs/vocabulary.md, docs/codes.md and docs/request-uses.md (into FOLDER instead of docs/).

The pages come from the tables that the program is compiled from: src/catalog/vocab.def, src/catalog/derive.def,
src/base/codes.def, and the rules about requests. They are committed; `make test` writes them again and compares.
"""
import os
import re
import sys

import uses

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
TOKEN = re.compile(r'\s*(?:/\*.*?\*/|("(?:\\.|[^"\\])*")|([A-Za-z_]\w*)|([(),]))', re.DOTALL)
TYPES = {"SUPPORT": "support", "FLAG": "flag", "NUMBER": "number", "WORD": "word", "TEXT": "text", "LIST": "list",
         "MAP": "map"}


def rows(path):
    """The macro calls of a .def file: (heading or None, macro name, [arguments])."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        text = f.read()
    text = text[text.index("*/") + 2:]          # the opening comment may show examples
    heading = re.compile(r"\s*/\* -- (.*?) -+ \*/", re.DOTALL)
    at = 0
    while text[at:].strip():
        m = heading.match(text, at)
        if m:
            yield m.group(1), None, None
            at = m.end()
            continue
        name, args, at = read_call(text, at)
        if name:
            yield None, name, args


def read_call(text, at):
    name, args, word, depth = None, [], None, 0
    while True:
        m = TOKEN.match(text, at)
        if not m:
            raise SystemExit("not a row: " + text[at:at + 60].strip())
        at = m.end()
        literal, ident, mark = m.groups()
        if literal:
            word = (word or "") + literal[1:-1].replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")
        elif ident and depth:
            word = ident
        elif ident:
            name = ident
        elif mark == "(":
            depth += 1
        elif mark:
            args.append(word or "")
            word = None
            if mark == ")":
                return name, args, at
        elif depth == 0:
            return None, None, at               # a comment between rows


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def derivations():
    """target field -> lines that say from what it is derived"""
    out = {}
    for _, macro, args in rows("src/catalog/derive.def"):
        if macro == "DERIVE":
            target, source, word, level = args
            said = "`%s` has any item" % source if word == "*" else "`%s` is or has `%s`" % (source, word)
            out.setdefault(target, []).append((said, level.lower()))
        elif macro == "DERIVE_ELSE":
            target, source, level = args
            out.setdefault(target, []).append(("`%s` is known and says none of these" % source, level.lower()))
        elif macro == "DERIVE_WORD":
            target, source, word, value = args
            out.setdefault(target, []).append(("`%s` is or has `%s`" % (source, word), value))
    for _, macro, args in rows("src/catalog/without.def"):
        if macro == "WITHOUT":
            source, target = args
            out.setdefault(target, []).append(("`%s` is unsupported" % source, "unsupported"))
    return out


def vocabulary():
    yield "# The vocabulary"
    yield ""
    yield "Every field that a profile can have. This page is generated from `src/catalog/vocab.def`,"
    yield "`src/catalog/derive.def` and `src/catalog/without.def` by `make docs`; `cando help fields` prints the same names."
    yield ""
    yield "Types: *support* is `native`, `emulated`, `restricted` (with a reason), `unsupported` or unknown; *flag* is true, false"
    yield "or unknown; *number* a whole number; *word* one of a closed list; *text* any text; *list* words or texts in order; *map*"
    yield "word = word. Every one of them may be unknown, which is never read as no. A star marks fields that are always shown."
    derived, shown, table = derivations(), [], None
    for heading, macro, args in rows("src/catalog/vocab.def"):
        if heading:
            yield ""
            yield "## " + heading[0].upper() + heading[1:]
            table = None
            continue
        if macro != "FIELD":
            continue
        if table is None:
            yield ""
            yield "| field | type | what it says | words | elsewhere |"
            yield "|---|---|---|---|---|"
            table = True
        name, type_, group, words, doc, names = args
        elsewhere = ", ".join("%s `%s`" % tuple(n.split(":", 1)) for n in names.split())
        shown_words = words + " is better" if type_ == "NUMBER" and words else \
            " ".join("`%s`" % w for w in words.split())
        yield "| `%s`%s | %s | %s | %s | %s |" % (name, " *" if group == "MAIN" else "", TYPES[type_], cell(doc),
                                                 shown_words, elsewhere)
        if name in derived:
            shown.append(name)
    yield ""
    yield "## What follows from what"
    yield ""
    yield "A field that no rule sets, or that an earlier rule set than its source, follows from another one:"
    yield ""
    yield "| field | is | if |"
    yield "|---|---|---|"
    for name in shown:
        for said, value in derived[name]:
            yield "| `%s` | %s | %s |" % (name, value, said)


def codes():
    yield "# Codes of findings and errors"
    yield ""
    yield "A code is stable and never re-used for another meaning. `cando explain CODE` prints the same texts; this page is"
    yield "generated from `src/base/codes.def` by `make docs`."
    for heading, macro, args in rows("src/base/codes.def"):
        if heading:
            yield ""
            yield "## " + heading[0].upper() + heading[1:]
        elif macro == "CODE":
            _, code, severity, text, explanation = args
            yield ""
            yield "### `%s`" % code
            yield "*%s*: %s" % (severity.lower(), text)
            yield ""
            yield explanation


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "docs")
    os.makedirs(folder, exist_ok=True)
    for name, page in (("vocabulary.md", vocabulary()), ("codes.md", codes()), ("request-uses.md", uses.page())):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write("\n".join(page) + "\n")


if __name__ == "__main__":
    main()
