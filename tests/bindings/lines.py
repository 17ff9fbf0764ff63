"""lines.py - questions as lines of JSON in, answers out, through the package for Python."""
import os
import sys

import cando

cando.set_today(os.environ.get("CANDO_TODAY"))
for line in sys.stdin.buffer:
    if line.strip():
        sys.stdout.buffer.write(cando.raw(line) + b"\n")
