"""All questions of tests/cases through the daemon as lines, and a quarter one by one: the same bytes as from cando batch."""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def test_cases(serve):
    cando = os.path.join(os.path.dirname(serve), "cando")
    door = "%s %s %s" % (sys.executable, os.path.join(HERE, "lines.py"), serve)
    p = subprocess.run([os.path.join(HERE, "..", "bindings", "same.py"), cando, "http/4=" + door, "lines=%s --lines" % door],
                       capture_output=True, text=True, check=False)
    passed, failed = re.search(r"(\d+) passed, (\d+) failed", p.stdout).groups()
    assert p.returncode == 0 and int(failed) == 0 and int(passed) > 2000, p.stdout[-3000:] + p.stderr[-2000:]
