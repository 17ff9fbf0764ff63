#!/usr/bin/env python3
"""examples.py CANDO [--write] - runs every example of README.md and docs/*.md and compares what it prints.

An example is a ```console block: a line "$ command", then its output. The command runs in an empty folder beside a link to
examples/, with CANDO as `cando`. With --write the blocks get the output of today. Sizes in bytes are not compared.

A row of a table may be one, too: "| claim | `$ command` | `text` |", where the output must have the text in it; a | inside of
either is written \\|.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
BLOCK = re.compile(r"^```console\n\$ (.*)\n((?:.*\n)*?)```$", re.MULTILINE)
ROW = re.compile(r"^\|.*\| `\$ (.*)` \| `(.*)` \|$", re.MULTILINE)
SIZE = re.compile(r"[0-9,]+ bytes")


def run(command, folder):
    env = dict(os.environ, PATH=os.path.join(folder, "bin") + ":" + os.environ["PATH"], NO_COLOR="1", HOME=folder,
               CANDO_TODAY="2026-11-16")
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        env.pop(name, None)
    p = subprocess.run(command, shell=True, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60,
                       check=False)
    return p.stdout.decode()


def main():
    if len(sys.argv) < 2:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    cando, write = os.path.realpath(sys.argv[1]), "--write" in sys.argv
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "bin"))
        os.mkdir(os.path.join(folder, "build"))
        os.symlink(cando, os.path.join(folder, "bin", "cando"))
        os.symlink(os.path.join(ROOT, "examples"), os.path.join(folder, "examples"))
        for path in [os.path.join(ROOT, "README.md")] + sorted(glob.glob(os.path.join(ROOT, "docs", "*.md"))):
            with open(path, encoding="utf-8") as f:
                text = f.read()
            fresh = text
            for m in BLOCK.finditer(text):
                command, want = m.groups()
                have = run(command, folder)
                if SIZE.sub("", have) == SIZE.sub("", want):
                    passed += 1
                    continue
                failed += 1
                fresh = fresh.replace(m.group(0), "```console\n$ %s\n%s```" % (command, have))
                if not write:
                    print("%s: $ %s\n-- it says\n%s-- the program prints\n%s" % (os.path.relpath(path, ROOT), command, want, have))
            for command, want in ROW.findall(text):
                have = run(command.replace("\\|", "|"), folder)
                if want.replace("\\|", "|") in have:
                    passed += 1
                    continue
                failed += 1
                print("%s: $ %s\n-- wanted in it\n%s\n-- the program prints\n%s" % (os.path.relpath(path, ROOT), command, want, have))
            if write and fresh != text:
                with open(path, "w", encoding="utf-8") as f:
                    f.write(fresh)
    print("%d same, %d written" % (passed, failed) if write else "%d passed, %d failed" % (passed, failed))
    return 1 if failed and not write else 0


if __name__ == "__main__":
    sys.exit(main())
