"""What docs/serve.md shows is so: each command of its sh blocks, and its Python."""
import os
import re
import subprocess
import sys

from daemon import PATIENCE, Daemon

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def blocks(kind):
    with open(os.path.join(ROOT, "docs", "serve.md"), encoding="utf-8") as f:
        return re.findall(r"^```%s\n(.*?)^```" % kind, f.read(), re.M | re.S)


def test_docs(serve, check):
    with Daemon(serve) as d:
        def here(text):
            return text.replace("localhost:22636", "127.0.0.1:%d" % d.port)
        commands = [line for block in blocks("sh") for line in block.splitlines()]
        assert len(commands) > 4
        for line in commands:
            def run(line=line):
                p = subprocess.run(["bash", "-c", here(line)], capture_output=True, timeout=PATIENCE, check=False)
                assert p.returncode == 0 and p.stdout, (line, p.stdout, p.stderr)
            check(line[:60], run)
        for block in blocks("python"):
            def python(block=block):
                p = subprocess.run([sys.executable, "-c", here(block)], capture_output=True, text=True, timeout=PATIENCE, check=False)
                assert p.returncode == 0 and int(p.stdout) > 1000, p.stderr
            check("python", python)
