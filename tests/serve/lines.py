"""lines.py SERVE [--lines] - questions as lines of JSON in, answers out, through a daemon of our own.

Each question is a POST /op/<its operation> on one connection, and its status must go with its reply; with --lines all are
the lines of one POST /op.
"""
import json
import sys

from daemon import Daemon


def one_by_one(daemon, lines):
    client = daemon.http()
    wrong = 0
    for line in lines:
        op = json.loads(line).get("op")
        path = "/op/" + op if isinstance(op, str) and op.replace("_", "").isalnum() else "/op"
        reply = client.ask("POST", path, line)
        sys.stdout.buffer.write(reply.body + b"\n")
        fits = reply.status == 200 if reply.json["ok"] else reply.status in (400, 404, 413)
        if not fits or reply.headers["Content-Type"] != "application/json":
            print("status %d: %s" % (reply.status, reply.body[:200]), file=sys.stderr)
            wrong += 1
    client.close()
    return wrong


def main():
    lines = [line for line in sys.stdin.buffer.read().split(b"\n") if line.strip()]
    with Daemon(sys.argv[1], "--max-body", "200m") as daemon:
        if "--lines" not in sys.argv:
            return 1 if one_by_one(daemon, lines) else 0
        reply = daemon.ask("POST", "/op", b"\n".join(lines) + b"\n", type="application/x-ndjson")
        sys.stdout.buffer.write(reply.body)
        return 0 if reply.status == 200 else 1


sys.exit(main())
