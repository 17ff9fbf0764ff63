"""chaos.py - faults under load: servers and nodes are killed (kill -9) or stopped for a while, the majority too, while
clients record, overlays are pushed and questions are asked.

At the end: every record that was acknowledged is in the stream once, every chain is whole, in the stream and on each
node, every node answers by the last overlay, and no answer on the way was mixed or older than one before it.
"""
import os
import random
import select
import threading
import time

from cluster import Cluster, Node, cando
from daemon import folder, wait_until
from test_fleet import once, post, push, window


class Place:
    """Where a node of cando lives, from one life to the next."""

    def __init__(self, serve, url, trail):
        self.serve, self.url, self.trail = serve, url, trail
        self.lock, self.d, self.lives, self.frozen = threading.Lock(), None, 0, False
        self.start()

    def start(self):
        self.d = Node(self.serve, self.url, self.trail)
        self.lives += 1


class Chaos:
    def __init__(self, serve, c, f, seed):
        self.serve, self.cluster, self.folder = serve, c, f
        self.places = [Place(serve, c.url, "%s/node%d.db" % (f, i)) for i in range(3)]
        self.random, self.stop, self.lock = random.Random(seed), threading.Event(), threading.Lock()
        self.known, self.wrong, self.asked, self.pushed, self.tried = set(), [], 0, 0, 0
        self.faults = {"server killed": 0, "leader killed": 0, "server stopped": 0, "node killed": 0, "node stopped": 0, "majority lost": 0}

    def complain(self, what):
        with self.lock:
            if len(self.wrong) < 10:
                self.wrong.append(what)

    def writer(self, place, name):
        n = 0
        while not self.stop.is_set():
            n += 1
            life, d = place.lives, place.d
            sessions = ["%s-%d-%d" % (name, n, k) for k in range(1 + n % 5)]
            try:
                got = post(d, sessions)
            except OSError:
                select.select([], [], [], 0.05)         # it is being killed
                continue
            except Exception as e:
                if place.lives == life and place.d.process.poll() is None:
                    self.complain("a record: %r" % e)
                continue
            with self.lock:
                self.known.update(got)
            select.select([], [], [], 0.01)

    def asker(self, place):
        life, before = 0, 0
        while not self.stop.is_set():
            if place.lives != life:
                life, before = place.lives, 0
            try:
                fields = place.d.ask("POST", "/op/resolve", {"target": "nobody/m1"}).json["result"]["fields"]
            except Exception:
                select.select([], [], [], 0.05)
                continue
            a, b = fields.get("context_window") or 0, fields.get("max_output") or 0
            if place.lives == life and (a != b or a < before):
                self.complain("asked: %d and %d, after %d" % (a, b, before))
            if place.lives == life:
                before = a
            with self.lock:
                self.asked += 1
            select.select([], [], [], 0.01)

    def pusher(self):
        while not self.stop.is_set():
            self.tried += 1
            try:
                push(self.serve, self.cluster.url, self.folder, "mine", self.tried)
                self.pushed = self.tried
            except AssertionError:
                pass                                    # the majority is away
            select.select([], [], [], 0.5)

    # -- faults ------------------------------------------------------------------------------------

    def pause(self, most):
        select.select([], [], [], self.random.uniform(0.1, most))

    def kill_server(self, s, name):
        self.faults[name] += 1
        s.kill()
        self.pause(1.0)
        s.start()

    def freeze_server(self, s):
        self.faults["server stopped"] += 1
        s.freeze()
        self.pause(5.0)
        s.thaw()

    def kill_node(self, p):
        self.faults["node killed"] += 1
        p.d.kill()
        p.start()

    def freeze_node(self, p):
        self.faults["node stopped"] += 1
        p.d.signal(19)
        self.pause(3.0)
        p.d.signal(18)

    def lose_majority(self):
        self.faults["majority lost"] += 1
        two = self.random.sample(self.cluster.server, 2)
        for s in two:
            s.freeze() if self.random.random() < 0.5 else s.kill()
        self.pause(3.0)
        self.cluster.heal()

    def server_fault(self):
        dice, r = self.random.random(), self.random
        if dice < 0.4:
            self.kill_server(r.choice(self.cluster.server), "server killed")
        elif dice < 0.75:
            self.kill_server(self.cluster.leader() or r.choice(self.cluster.server), "leader killed")
        elif dice < 0.9:
            self.freeze_server(r.choice(self.cluster.server))
        else:
            self.lose_majority()

    def node_faults(self, until, seed):
        r = random.Random(seed)
        try:
            while time.monotonic() < until:
                p = r.choice(self.places)
                self.kill_node(p) if r.random() < 0.9 else self.freeze_node(p)
                select.select([], [], [], r.uniform(0.1, 1.2))
        except Exception as e:
            self.complain("a node does not start: %r" % e)

    def load(self, seconds):
        work = [threading.Thread(target=self.writer, args=(p, "w%d%d" % (i, k))) for i, p in enumerate(self.places) for k in range(2)]
        work += [threading.Thread(target=self.asker, args=(p,)) for p in self.places] + [threading.Thread(target=self.pusher)]
        for t in work:
            t.start()
        until = time.monotonic() + seconds
        killer = threading.Thread(target=self.node_faults, args=(until, self.random.random()))
        killer.start()
        try:
            while time.monotonic() < until:
                self.server_fault()
                self.cluster.heal()
                self.pause(0.5)
        finally:
            self.cluster.heal()
            killer.join()
            self.stop.set()
            for t in work:
                t.join()


def run(serve, check, seconds, seed=None):
    seed = seed if seed is not None else int.from_bytes(os.urandom(4), "big")
    print("        seed %d" % seed)
    with folder() as f, Cluster(f) as c:
        x = Chaos(serve, c, f, seed)
        try:
            for p in x.places:
                p.d.wait_connected()
            x.load(seconds)
            check("the last overlay can be pushed", lambda: wait_until(lambda: try_push(x, f), "the fleet takes an overlay", 90))
            for p in x.places:
                check("all is sent", lambda p=p: p.d.wait_sent(120))
                check("the last overlay is in force", lambda p=p: wait_until(lambda: window(p.d) == 1000000, "it is in force", 60))
            check("no wrong answer", lambda: x.wrong == [] or 1 / 0)
            if x.wrong:
                print(x.wrong)
            check("acknowledged is kept, once", lambda: once(serve, c.url, x.known))
            check("there was something to keep", lambda: x.known and x.asked and x.pushed or 1 / 0)
            for p in x.places:
                check("a node ends well", lambda p=p: p.d.stop() == 0 or 1 / 0)
                check("its trail is whole", lambda p=p: cando(serve, "audit", "verify", "--store", p.trail))
        finally:
            for p in x.places:
                if p.d.process.poll() is None:
                    p.d.kill()
        print("        %d records acknowledged, %d questions, %d overlays; %s" % (
            len(x.known), x.asked, x.pushed, ", ".join("%d %s" % (n, k) for k, n in x.faults.items() if n)))


def try_push(x, f):
    try:
        push(x.serve, x.cluster.url, f, "mine", 1000000)
        return True
    except AssertionError:
        return False
