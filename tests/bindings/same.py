#!/usr/bin/env python3
"""same.py CANDO NAME[/N]=COMMAND... - every question of every case, through each door: the answers are the same bytes.

A door is a command that reads questions as lines of JSON and prints an answer a line, as `cando batch` does;
COMMAND is split at spaces. The cases themselves are judged by run_cases.py; here only the doors are compared.
With /N a door is asked each Nth question: one whose engine is another door's, so that only its way in and out is new.

A question that brings rules of its own on top of the catalog takes as long as hundreds of others, since all of it is
compiled again; a door has no part in that. The doors share these: each is asked some of them, and all are asked.
"""
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TESTS)
import run_cases  # noqa: E402


def questions():
    for path in run_cases.case_files([os.path.join(TESTS, "cases")]):
        with open(path, encoding="utf-8") as f:
            for n, line in enumerate(f):
                if line.strip():
                    case = run_cases.expand(run_cases.read_json(line))
                    yield case["id"], run_cases.request(case, n, os.path.dirname(path)), "overlay" in case["in"] or "overlay_file" in case["in"]


def ask(command, lines):
    p = subprocess.run(command, input=lines, capture_output=True, check=False, timeout=600)
    if p.returncode != 0:
        print("%s: exit %d %s" % (command[0], p.returncode, p.stderr.decode(errors="replace")[-2000:]))
    return p.stdout.split(b"\n")[:-1]


def share(asked, door, doors):
    """The places of the questions that this door is asked."""
    each = int((doors[door][0].split("/") + ["1"])[1])
    slow = [i for i, (_, _, is_slow) in enumerate(asked) if is_slow]
    others = set(slow) - set(slow[door::len(doors)])
    return [i for i in range(door % each, len(asked), each) if i not in others]


def main():
    os.environ.setdefault("CANDO_TODAY", "2026-11-16")
    asked = list(questions())
    doors = [door.split("=", 1) for door in sys.argv[2:]]
    commands = [[os.path.abspath(sys.argv[1]), "batch"]] + [command.split() for _, command in doors]
    places = [range(len(asked))] + [share(asked, i, doors) for i in range(len(doors))]

    def answers(command, of):
        return ask(command, "".join(asked[i][1] + "\n" for i in of).encode())

    with ThreadPoolExecutor(int(os.environ.get("JOBS") or os.cpu_count() or 1)) as pool:
        want, *given = pool.map(answers, commands, places)
    passed = failed = 0
    for (name, _), have, of in zip(doors, given, places[1:]):
        for n, i in enumerate(of):
            answer = have[n] if n < len(have) else b"nothing"
            if answer == want[i]:
                passed += 1
                continue
            failed += 1
            if failed <= 20:
                print("%s: %s: %s, and not %s" % (name, asked[i][0], answer[:300].decode(errors="replace"),
                                                 want[i][:300].decode(errors="replace")))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


sys.exit(main())
