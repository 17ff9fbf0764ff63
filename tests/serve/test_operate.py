"""What docs/operate.md promises: upgrades without a gap, backups that can be restored."""
import http.client
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import threading

from daemon import PATIENCE, Daemon, folder
from test_record import EVENT, cando, exported, lines


class Activated:
    """A daemon on a socket that somebody else holds, as systemd starts it. `name` tells one from the other."""

    def __init__(self, serve, listening, trail, **environment):
        def give():
            os.dup2(listening.fileno(), 3)
            os.set_inheritable(3, True)
            os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()), **environment)
            os.execv(serve, [serve, "--no-config", "--store", trail])
        self.process = subprocess.Popen(["true"], preexec_fn=give, stderr=subprocess.PIPE)
        line = self.process.stderr.readline().decode()
        assert "listening on" in line, line

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(PATIENCE) == 0, self.process.stderr.read()
        self.process.stderr.close()


class Client(threading.Thread):
    """Asks all the time, each time by a new connection; some requests are records."""

    def __init__(self, port, name):
        super().__init__(daemon=True)
        self.port, self.name_of, self.done = port, name, threading.Event()
        self.asked, self.kept, self.failed = 0, [], []

    def ask(self, path, body):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            c.request("POST", path, body, {"Content-Type": "application/json"})
            r = c.getresponse()
            r.read()
            return r.status
        finally:
            c.close()

    def run(self):
        while not self.done.is_set():
            self.asked += 1
            session = "%s-%d" % (self.name_of, self.asked)
            record = self.asked % 4 == 0
            try:
                status = self.ask("/audit", json.dumps({**EVENT, "session": session})) if record else \
                    self.ask("/op/model_id", '{"model":"gpt-4o"}')
            except OSError as e:
                self.failed.append(repr(e))
                continue
            except http.client.HTTPException as e:
                self.failed.append(repr(e))
                continue
            if status == 200 and record:
                self.kept.append(session)
            elif status != 200:
                self.failed.append(status)


def upgrades(serve, times, overlap):
    with folder() as f, socket.create_server(("127.0.0.1", 0), backlog=1024) as listening:
        trail = os.path.join(f, "trail.db")
        now = Activated(serve, listening, trail)
        clients = [Client(listening.getsockname()[1], "c%d" % i) for i in range(4)]
        for c in clients:
            c.start()
        for _ in range(times):
            seen = [c.asked for c in clients]
            if overlap:
                now, old = Activated(serve, listening, trail), now
                old.stop()
            else:
                now.stop()
                now = Activated(serve, listening, trail)
            while any(c.asked < n + 8 and c.is_alive() for c, n in zip(clients, seen)):
                threading.Event().wait(0.01)
        for c in clients:
            c.done.set()
        for c in clients:
            c.join()
        now.stop()
        failed = [x for c in clients for x in c.failed]
        asked = sum(c.asked for c in clients)
        assert not failed, "%d of %d failed: %s" % (len(failed), asked, failed[:3])
        kept = sorted(x for c in clients for x in c.kept)
        stored = sorted(r["session"] for r in exported(serve, trail))
        assert kept == stored, "%d acknowledged, %d stored" % (len(kept), len(stored))
        assert cando(serve, "audit", "verify", "--store", trail)[0] == 0
        print("  %d requests and %d records over %d upgrades" % (asked, len(kept), times))


def test_upgrade_by_restart(serve):
    """As systemd restarts it: the socket stays, what comes meanwhile waits."""
    upgrades(serve, 6, False)


def test_upgrade_with_two_at_once(serve):
    upgrades(serve, 6, True)


def test_threads_stop_listening_at_once(serve):
    """Two threads of the HTTP library take the socket out of one set: that is no reason to end at once."""
    with folder() as f, socket.create_server(("127.0.0.1", 0)) as listening:
        shim = os.path.join(f, "taken_out.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", shim, os.path.join(os.path.dirname(__file__), "taken_out.c")], check=True)
        preload = ":".join(p for p in (os.environ.get("CANDO_PRELOAD"), shim) if p)
        Activated(serve, listening, os.path.join(f, "trail.db"), LD_PRELOAD=preload).stop()


def backup(trail, to):
    """The head first: it may be older than the trail, never newer."""
    shutil.copy2(trail + "-head", to + "-head")
    with sqlite3.connect("file:%s?mode=ro" % trail, uri=True) as a, sqlite3.connect(to) as b:
        a.backup(b)
    a.close()
    b.close()
    os.chmod(to, 0o600)


def test_backup_and_restore(serve):
    with folder() as f:
        trail, copy = os.path.join(f, "trail.db"), os.path.join(f, "copy.db")
        done = threading.Event()
        with Daemon(serve, "--store", trail) as d:
            assert d.ask("POST", "/audit", lines(100, "before"), type="application/x-ndjson").status == 200

            def write():
                n = 0
                while not done.is_set():
                    d.ask("POST", "/audit", lines(20, "during-%d" % n), type="application/x-ndjson")
                    n += 1
            writer = threading.Thread(target=write)
            writer.start()
            try:
                for _ in range(5):
                    backup(trail, copy)
                    code, said = cando(serve, "audit", "verify", "--store", copy)
                    assert code == 0, said
            finally:
                done.set()
                writer.join()
        records = exported(serve, copy)
        whole = exported(serve, trail)
        assert len(records) >= 100 and records == whole[:len(records)]
        # the disk is lost; the copy takes its place, and the trail goes on from there
        last = whole[-1]
        for name in os.listdir(f):
            if name.startswith("trail.db"):
                os.remove(os.path.join(f, name))
        for end in ("", "-head"):
            shutil.copy2(copy + end, trail + end)
        with Daemon(serve, "--store", trail) as d:
            assert d.ask("POST", "/audit", lines(3, "after"), type="application/x-ndjson").status == 200
        assert cando(serve, "audit", "verify", "--store", trail)[0] == 0
        assert len(exported(serve, trail)) == len(records) + 3
        # what came after the copy is gone, and whoever kept a later head can tell
        if len(whole) > len(records):
            code, _ = cando(serve, "audit", "verify", "--store", trail, "--expect", "%d:%s" % (last["n"], last["hash"]))
            assert code == 1


def test_restore_in_the_wrong_order(serve):
    """A head that is newer than the trail beside it looks like a trail whose end was cut off."""
    with folder() as f:
        trail, copy = os.path.join(f, "trail.db"), os.path.join(f, "copy.db")
        with Daemon(serve, "--store", trail) as d:
            d.ask("POST", "/audit", lines(5, "a"), type="application/x-ndjson")
            backup(trail, copy)
            d.ask("POST", "/audit", lines(5, "b"), type="application/x-ndjson")
        shutil.copy2(trail + "-head", copy + "-head")
        assert cando(serve, "audit", "verify", "--store", copy)[0] == 1
