#!/usr/bin/env python3
"""run.py SERVE [WORD [WITHOUT]] - tests of the daemon: all test_* of the test_*.py beside this file, or those whose name
has the word; those whose name has the other word are left out.

A test is a function of the daemon's path. One that also takes `check` counts parts of its own: check(name, function,
*arguments). Prints what failed, and "N passed, M failed" at the end.
"""
import glob
import importlib
import inspect
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
os.environ.setdefault("CANDO_TODAY", "2026-11-16")
for name in ("CANDO_TOKEN", "CANDO_STORE", "NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID"):
    os.environ.pop(name, None)

from checks import Checks  # noqa: E402


def main():
    serve, word, without = (sys.argv[1:] + ["", ""])[:3]
    serve = os.path.abspath(serve)
    check = Checks()

    for path in sorted(glob.glob(os.path.join(HERE, "test_*.py"))):
        module = importlib.import_module(os.path.basename(path)[:-3])
        for name, test in list(vars(module).items()):
            full = "%s.%s" % (module.__name__, name)
            if not name.startswith("test_") or word not in full or (without and without in full) or not inspect.isfunction(test):
                continue
            wants = len(inspect.signature(test).parameters)
            start = time.monotonic()
            check(full, test, serve, *([check] if wants > 1 else []))
            print("%5.1f s  %s" % (time.monotonic() - start, full), flush=True)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
