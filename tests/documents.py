#!/usr/bin/env python3
"""documents.py [CC] - holds what the documents say about C against the code.

Every ```c block of README.md and docs/*.md is compiled; a comment on the line before it says as what:

    <!-- c: body(cando *c, cando_room *room) -->   statements that use these names (without a comment: none)
    <!-- c: file cli/cmd_can.c -->                 a whole file that would stand there
    <!-- c: same examples/c/first.c -->            the text of that file
    <!-- c: row src/catalog/vocab.def -->          a row of that table, or of the kinds defined there: as many parts as these

So is what stands indented by four in the comments of include/cando.h. And every function or type of cando.h that a document
names must be there, and every file of the project that it names.
"""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
BLOCK = re.compile(r"^(?:<!-- c: (.*) -->\n)?```c\n((?:.*\n)*?)```$", re.MULTILINE)
HEADER_BLOCK = re.compile(r"(?:^ \*     .*\n(?:^ \*\n(?= \*     ))?)+", re.MULTILINE)
HEADER_NAMES = ("(cando *c, cando_room *room, cando_sources *s, cando_observations *o, uint64_t now, const char *text, size_t len, "
                "cando_error err)")
WARN = ["-std=c17", "-Wall", "-Wextra", "-Werror", "-Wshadow", "-Wstrict-prototypes"]
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
NAME = re.compile(r"\b(?:cando|CANDO)_\w+\b(?!<)")
PATH = re.compile(r"`([\w./<>*-]+)`")
FOLDERS = "bench catalog cli docs examples fuzz include mcp nginx scripts serve src stores tests".split()


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def compile_c(cc, text, *flags):
    p = subprocess.run([cc, *WARN, "-Iinclude", "-Isrc", "-Ibuild/gen", "-I.", *flags, "-fsyntax-only", "-x", "c", "-"], cwd=ROOT,
                       input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return p.stdout.decode() if p.returncode else None


def compile_body(cc, body, names):
    text = "#include <cando.h>\n#include <stdio.h>\n#include <string.h>\nvoid block%s\n{\n#line 1\n%s}\n" % (names, body)
    return compile_c(cc, text, "-Wno-unused", "-Wno-unused-parameter")


def rows(text):
    """The macro rows of a text, as (macro, how many parts): FIELD(a, "b, c", d) is ("FIELD", 3)."""
    found = set()
    text = re.sub(r'"(?:\\.|[^"\\])*"', '""', COMMENT.sub("", text))
    for m in re.finditer(r"^(?: *|#define )([A-Z_]+)\(", text, re.MULTILINE):
        depth, parts, at = 1, 1, m.end()
        while depth and at < len(text):
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            parts += text[at] == "," and depth == 1
            at += 1
        found.add((m.group(1), parts))
    return found


def judge(cc, kind, block):
    """What is wrong with a block, or None."""
    word, _, rest = (kind or "body(void)").partition(" ")
    if word.startswith("body("):
        return compile_body(cc, block, (kind or word)[4:])
    if word == "file":
        return compile_c(cc, block, "-iquote", os.path.dirname(rest))
    if word == "same":
        return None if read(rest) == block else "it is not the text of %s\n" % rest
    if word == "row":
        return None if rows(block) and rows(block) <= rows(read(rest)) else "%s has no row of this form\n" % rest
    return "'%s' is none of body, file, same, row\n" % word


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def names_missing(text, known):
    for m in NAME.finditer(text):
        if m.group(0) not in known:
            yield line_of(text, m.start()), "there is no %s" % m.group(0)


def paths_missing(text, basenames, made):
    for m in PATH.finditer(text):
        path = re.sub(r"<\w+>", "*", m.group(1))
        if "/" in path and path.split("/")[0] in FOLDERS:
            there = path in made or glob.glob(os.path.join(ROOT, path))
        else:
            there = "/" in path or "*" in path or not re.search(r"\.(c|h|def|py|sh)$", path) or path in basenames
        if not there:
            yield line_of(text, m.start()), "there is no %s" % m.group(1)


def doors_names():
    """Directives and variables of nginx, metrics of the daemon, streams of a fleet: they begin as the functions do."""
    texts = {p: read(os.path.relpath(p, ROOT)) for top in ("nginx", "serve", "stores/fleet") for p in glob.glob(os.path.join(ROOT, top, "*"))}
    found = set(NAME.findall("".join(re.findall(r'"[^"\n]*"', "".join(texts.values())))))
    found |= set(NAME.findall(texts[os.path.join(ROOT, "nginx", "config")]))
    return found | {"cando_" + name for name in re.findall(r'TEXT\("(\w+)"', texts[os.path.join(ROOT, "nginx", "variables.c")])}


def main():
    cc = sys.argv[1] if len(sys.argv) > 1 else "gcc"
    passed, wrong = 0, []
    header = read("include/cando.h")
    program = "".join(read(os.path.relpath(p, ROOT)) for p in glob.glob(os.path.join(ROOT, "cli", "*.c"))) + read("Makefile")
    known = set(NAME.findall(COMMENT.sub("", header + read("include/cando_store.h")))) | set(re.findall(r"\bCANDO_[A-Z_]+\b", program)) | doors_names()
    basenames = {n for top in FOLDERS for _, _, names in os.walk(os.path.join(ROOT, top)) for n in names}

    for path in ["README.md"] + sorted(os.path.relpath(p, ROOT) for p in glob.glob(os.path.join(ROOT, "docs", "*.md"))):
        text = read(path)
        made = set(re.findall(r"^<!-- c: file (.*) -->$", text, re.MULTILINE))
        for m in BLOCK.finditer(text):
            said = judge(cc, *m.groups())
            passed += said is None
            wrong += [(path, line_of(text, m.start(2)), said)] if said else []
        for line, what in [*names_missing(text, known), *paths_missing(text, basenames, made)]:
            wrong.append((path, line, what + "\n"))

    for m in HEADER_BLOCK.finditer(header):
        said = compile_body(cc, re.sub(r"^ \*", "", m.group(0), flags=re.MULTILINE), HEADER_NAMES)
        passed += said is None
        wrong += [("include/cando.h", line_of(header, m.start()), said)] if said else []
    for m in COMMENT.finditer(header):
        for line, what in names_missing(m.group(0), known):
            wrong.append(("include/cando.h", line_of(header, m.start()) + line - 1, what + "\n"))

    for path, line, said in wrong:
        sys.stdout.write("%s:%d: %s" % (path, line, said))
    print("%d passed, %d failed" % (passed, len(wrong)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
