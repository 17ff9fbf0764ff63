"""cluster.py - a real cluster of nats-server on this machine for tests, and nodes of cando that belong to it."""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "serve"))
os.environ.setdefault("CANDO_TODAY", "2026-11-16")
for name in ("CANDO_TOKEN", "CANDO_STORE", "NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID"):
    os.environ.pop(name, None)

from daemon import Daemon, wait_until  # noqa: E402


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Server:
    """One nats-server. Its files stay where they are when it is killed."""

    def __init__(self, folder, name, ports, routes, more=""):
        self.folder, self.name = folder, name
        self.port, self.route, self.monitor = ports
        self.config = os.path.join(folder, name + ".conf")
        self.process, self.stopped = None, False
        cluster = 'cluster { name: cando-test, listen: "127.0.0.1:%d", routes: [%s] }' % (
            self.route, ", ".join('"nats-route://127.0.0.1:%d"' % r for r in routes)) if routes else ""
        with open(self.config, "w") as f:
            f.write('server_name: %s\nlisten: "127.0.0.1:%d"\nhttp: "127.0.0.1:%d"\n'
                    'jetstream { store_dir: "%s/%s", max_mem: 64MB, max_file: 1GB }\n%s\n%s\n'
                    % (name, self.port, self.monitor, folder, name, cluster, more))

    def start(self):
        log = open(os.path.join(self.folder, self.name + ".log"), "ab")
        self.process = subprocess.Popen(["nats-server", "-c", self.config], stdout=log, stderr=log)
        log.close()
        self.stopped = False

    def signal(self, number):
        self.process.send_signal(number)

    def freeze(self):
        self.signal(signal.SIGSTOP)
        self.stopped = True

    def thaw(self):
        self.signal(signal.SIGCONT)
        self.stopped = False

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process = None

    def is_up(self):
        return self.process is not None and not self.stopped

    def get(self, what):
        with urllib.request.urlopen("http://127.0.0.1:%d/%s" % (self.monitor, what), timeout=2) as r:
            return json.load(r)

    def is_ready(self):
        try:
            return self.get("healthz").get("status") == "ok"
        except OSError:
            return False


class Cluster:
    def __init__(self, folder, n=3, more=""):
        for _ in range(3):          # somebody else may take a port between our asking and the servers' binding
            ports = free_ports(3 * n)
            routes = ports[1::3] if n > 1 else []
            self.server = [Server(folder, "n%d" % (i + 1), ports[3 * i:3 * i + 3], routes, more) for i in range(n)]
            for s in self.server:
                s.start()
            try:
                wait_until(lambda: all(s.is_ready() for s in self.server), "the servers are ready")
                return
            except AssertionError:
                self.stop()
        raise AssertionError("the cluster does not start; see the logs in " + folder)

    @property
    def url(self):
        return ",".join("nats://127.0.0.1:%d" % s.port for s in self.server)

    def leader(self, stream="cando_audit"):
        """The server that leads a stream, or None."""
        for s in self.server:
            try:
                if s.is_up():
                    for account in s.get("jsz?accounts=true&streams=true").get("account_details", []):
                        for t in account.get("stream_detail", []):
                            if t["name"] == stream:
                                name = t.get("cluster", {}).get("leader")
                                return next((x for x in self.server if x.name == name), None)
            except OSError:
                pass
        return None

    def messages(self, stream):
        """How many messages a stream holds, by the highest of the servers; None if nobody says."""
        counts = []
        for s in self.server:
            try:
                if s.is_up():
                    for account in s.get("jsz?accounts=true&streams=true").get("account_details", []):
                        counts += [t["state"]["messages"] for t in account.get("stream_detail", []) if t["name"] == stream]
            except OSError:
                pass
        return max(counts, default=None)

    def heal(self):
        """All servers run, and know each other."""
        for s in self.server:
            if s.process is None:
                s.start()
            elif s.stopped:
                s.thaw()
        wait_until(lambda: all(s.is_ready() for s in self.server), "the servers are ready again", 60)

    def stop(self):
        for s in self.server:
            if s.process is not None:
                s.process.kill()
        for s in self.server:
            if s.process is not None:
                s.process.wait()
                s.process = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class Node(Daemon):
    """A daemon that is a node of the fleet."""

    def __init__(self, serve, url, trail, *options, **more):
        self.trail = trail
        super().__init__(serve, "--nats", url, "--store", trail, "--drain", "2", *options, **more)

    def fleet(self):
        return self.ask("GET", "/readyz").json["fleet"]

    def wait_connected(self, patience=None):
        wait_until(lambda: self.fleet()["connected"], "the node is connected", patience)

    def wait_sent(self, patience=None):
        wait_until(lambda: self.fleet()["connected"] and self.fleet()["unsent"] == 0, "all records are sent", patience)


leaks_of_nats = []


def without_a_leak(stderr):
    """What is printed before the report of a leak that is libnats's alone. It loses a message that comes while its
    connection is being closed, once in hundreds of commands; what we do not free is lost each time."""
    before, mark, report = stderr.partition("\n=====")
    frames = re.findall(r"^ +#[1-9]\d* .*", report, re.M)
    if not mark or not frames or any("libnats.so" not in f for f in frames) or leaks_of_nats:
        return None
    leaks_of_nats.append(report)
    return before


def cando(serve, *words, code=0):
    """Runs the command line; gives what it printed."""
    p = subprocess.run([os.path.join(os.path.dirname(serve), "cando"), *words], capture_output=True, text=True, check=False)
    known = without_a_leak(p.stderr) if code == 0 and p.returncode else None
    assert code is None or p.returncode == code or known is not None, (words, p.returncode, p.stdout, p.stderr)
    return p.stdout + (p.stderr if known is None else known)


def records(serve, url):
    """All records of the fleet's stream."""
    return [json.loads(line) for line in cando(serve, "audit", "export", "--nats", url).splitlines()]
