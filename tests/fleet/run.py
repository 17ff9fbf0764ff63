#!/usr/bin/env python3
"""run.py SERVE [SECONDS [SEED]] - a fleet on a real cluster of three servers, on this machine.

First what it is for (test_fleet.py), then for so many seconds (15) faults under load (chaos.py): servers and nodes that are
killed or stopped, while records are written, overlays pushed and questions asked. Prints "N passed, M failed".
"""
import inspect
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import chaos  # noqa: E402
import test_fleet  # noqa: E402
from checks import Checks  # noqa: E402


def main():
    serve = os.path.abspath(sys.argv[1])
    word = sys.argv[2] if len(sys.argv) > 2 else "15"
    seconds = int(word) if word.isdigit() else 15
    check = Checks()
    tests = [(n, t) for n, t in vars(test_fleet).items() if n.startswith("test_") and inspect.isfunction(t)]
    tests.append(("test_chaos", lambda s, c: chaos.run(s, c, seconds, int(sys.argv[3]) if len(sys.argv) > 3 else None)))
    for name, test in tests:
        if not word.isdigit() and word not in name:
            continue
        start = time.monotonic()
        check(name, test, serve, check)
        print("%5.1f s  %s" % (time.monotonic() - start, name), flush=True)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
