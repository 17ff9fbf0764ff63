#!/usr/bin/env python3
"""mutants.py N [SEED] - how much of what the code means do the fast tests notice?

Takes N random lines of src, changes the meaning of one operator or constant in each, builds, and
runs the unit tests and the cases. What survives is printed with its place: a test is missing, or
the change means nothing. The tree is a copy; the seed is printed, and gives the same sample again.
"""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CHANGES = [
    (r" == ", " != "), (r" != ", " == "), (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "),
    (r" >= ", " > "), (r" && ", " || "), (r" \|\| ", " && "), (r" \+ 1\b", ""), (r" - 1\b", ""),
    (r"\breturn true;", "return false;"), (r"\breturn false;", "return true;"),
    (r"\bif \(!", "if ("), (r"\bif \((?!!)", "if (!"), (r"\bbreak;", ";"), (r"\+\+;", ";"),
]


def code_lines(path):
    """(number, text) of lines that are code: no comment, no declaration of a table."""
    inside = False
    for i, line in enumerate(path.read_text().split("\n")):
        text = line.strip()
        if text.startswith("/*"):
            inside = "*/" not in text
            continue
        if inside:
            inside = "*/" not in text
            continue
        if text and not text.startswith(("#", "*", "//", "invariant(")):
            yield i, line


def sample(root, n, chance):
    places = []
    for path in sorted(root.glob("src/*/*.c")):
        for i, line in code_lines(path):
            code = re.sub(r'"(\\.|[^"\\])*"|/\*.*?\*/', lambda m: "\0" * len(m.group()), line)
            for k, (old, _) in enumerate(CHANGES):
                if re.search(old, code):
                    places.append((path, i, k))
    return chance.sample(places, min(n, len(places)))


def run(root, *command, limit=900):
    try:
        return subprocess.run(command, cwd=root, stdout=subprocess.DEVNULL, timeout=limit,
                              stderr=subprocess.DEVNULL).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def main(n, seed):
    print("seed %d" % seed, flush=True)
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "cando"
        shutil.copytree(".", root, symlinks=True, ignore=shutil.ignore_patterns(
            ".git", "asan", "debug", "fuzz", "tsan", "coverage", "clang"))
        jobs = "-j%d" % (os.cpu_count() or 2)
        if not run(root, "make", jobs, "-s", "build/cando", "unit-programs"):
            sys.exit("it does not build as it is")
        killed = survived = 0
        for path, i, k in sample(root, n, chance):
            old = path.read_text()
            lines = old.split("\n")
            lines[i] = re.sub(CHANGES[k][0], CHANGES[k][1], lines[i], count=1)
            path.write_text("\n".join(lines))
            lives = run(root, "make", jobs, "-s", "build/cando", "unit-programs") and \
                run(root, "tests/run_cases.py", "build/cando", "tests/cases") and \
                run(root, "tests/run_units.sh", "build")
            killed += not lives
            survived += lives
            if lives:
                print("%s:%d: survived: %s" % (path.relative_to(root), i + 1, lines[i].strip()),
                      flush=True)
            path.write_text(old)
        print("%d killed, %d survived" % (killed, survived))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(10**9))
