"""What a fleet is for, and what happens when a part of it is missing, wrong or full."""
import hashlib
import json
import os
import subprocess
import threading
import time
import zlib

from cluster import Cluster, Node, Server, cando, free_ports, records
from daemon import folder, wait_until
from nsc import ACCOUNT as ACCOUNT_KEY, Key, Operator
from test_record import EVENT, REFUSAL
from test_reload import RULE, window, write
from wire import Wire

NEW_MODEL = "openai/some-new-model"


def post(d, sessions, patience=None):
    """Records events; gives those that were acknowledged."""
    lines = "".join(json.dumps({**EVENT, "session": s}) + "\n" for s in sessions)
    return list(sessions) if d.ask("POST", "/audit", lines, type="application/x-ndjson").status == 200 else []


def temperature(d):
    return d.ask("POST", "/op/resolve", {"target": NEW_MODEL}).json["result"]["fields"]["temperature"]


def true(condition, *what):
    assert condition, what


def once(serve, url, known):
    """Every record that was acknowledged is in the stream once, and every chain is whole."""
    sessions = [r["session"] for r in records(serve, url) if "session" in r]
    assert len(sessions) == len(set(sessions)), "%d records are doubled" % (len(sessions) - len(set(sessions)))
    missing = set(known) - set(sessions)
    assert not missing, "%d of %d are lost: %r" % (len(missing), len(known), sorted(missing)[:3])
    assert "whole" in cando(serve, "audit", "verify", "--nats", url)


def push(serve, url, f, name, n):
    path = os.path.join(f, name + ".toml")
    write(path, RULE % (n, n))
    return cando(serve, "update", "--nats", url, "--push", path)


class Asking(threading.Thread):
    """Asks all the time; every answer is of one file, whole."""

    def __init__(self, d):
        super().__init__(daemon=True)
        self.d, self.stop, self.wrong, self.asked = d, threading.Event(), [], 0
        self.start()

    def run(self):
        c = self.d.http()
        try:
            while not self.stop.is_set():
                fields = c.ask("POST", "/op/resolve", {"target": "nobody/m1"}).json["result"]["fields"]
                if fields.get("context_window") != fields.get("max_output"):
                    self.wrong.append(fields)
                self.asked += 1
        except Exception as e:
            self.wrong.append(e)
        c.close()

    def end(self):
        self.stop.set()
        self.join()
        assert not self.wrong and self.asked, self.wrong[:2]


def test_shared(serve, check):
    with folder() as f, Cluster(f) as c:
        nodes = [Node(serve, c.url, f + "/t%d.db" % i) for i in range(3)]
        for d in nodes:
            d.wait_connected()
        known = []
        for i in range(30):
            known += post(nodes[i % 3], ["s%d" % i])
        for d in nodes:
            d.wait_sent()
        check("acknowledged", lambda: true(len(known) == 30))
        check("each record once", lambda: once(serve, c.url, known))
        check("of one session", lambda: true(len(cando(serve, "audit", "export", "--nats", c.url, "--session", "s7").splitlines()) == 1))
        check("by model", lambda: true(len(cando(serve, "audit", "export", "--nats", c.url, "--model", "gpt-4o").splitlines()) == 30))
        check("the newest", lambda: true(len(cando(serve, "audit", "list", "--json", "-n", "4", "--nats", c.url).splitlines()) == 4))
        check("batches, not messages", lambda: true(c.messages("cando_audit") <= 30))

        asking = [Asking(d) for d in nodes]
        push(serve, c.url, f, "mine", 1000)
        check("an overlay, pushed once, is in force everywhere",
              lambda: wait_until(lambda: all(window(d) == 1000 for d in nodes), "the overlay is in force"))
        push(serve, c.url, f, "mine", 2000)
        check("and a newer one", lambda: wait_until(lambda: all(window(d) == 2000 for d in nodes), "the overlay is in force"))
        snap = os.path.join(os.path.dirname(serve), "builtin.snap")
        if not os.path.exists(snap):
            snap = os.path.join(os.path.dirname(serve), "..", "builtin.snap")
        before = nodes[0].ask("GET", "/readyz").json["catalog"]["epoch"]
        cando(serve, "update", "--nats", c.url, "--push", snap)
        digest = hashlib.sha256(open(snap, "rb").read()).hexdigest()
        check("a catalog, too", lambda: wait_until(lambda: all(d.fleet()["catalog"] == digest for d in nodes), "the catalog is in force"))
        check("by another epoch", lambda: true(nodes[0].ask("GET", "/readyz").json["catalog"]["epoch"] > before))
        check("with the overlay on top", lambda: true(all(window(d) == 2000 for d in nodes)))
        for a in asking:
            check("while it was asked, no answer was mixed", a.end)

        check("not known before", lambda: true(all(temperature(d) != "unsupported" for d in nodes)))
        r = nodes[0].ask("POST", "/learn", {"target": NEW_MODEL, "error": json.dumps(REFUSAL)})
        check("learnt at one", lambda: true(r.status == 200 and temperature(nodes[0]) == "unsupported"))
        check("answered by all", lambda: wait_until(lambda: all(temperature(d) == "unsupported" for d in nodes), "all have learnt it"))
        check("and recorded once", lambda: wait_until(
            lambda: len([r for r in records(serve, c.url) if r["kind"] == "observation"]) == 1, "there is one observation"))
        check("as a rule file", lambda: true(NEW_MODEL.split("/")[1] in cando(serve, "learn", "--observed", "--nats", c.url)))

        hostile(serve, check, c, nodes, f)

        cando(serve, "update", "--nats", c.url, "--withdraw", "mine")
        check("taken back", lambda: wait_until(lambda: all(window(d) is None for d in nodes), "the overlay is gone"))
        check("what is not there", lambda: true("no overlay.mine" in cando(serve, "update", "--nats", c.url, "--withdraw", "mine", code=2)))
        updated(serve, check, c, nodes, f)
        for d in nodes:
            check("ends well", lambda d=d: true(d.stop() == 0))
        command_line(serve, check, c, f)
        damaged(serve, check, c)


def hostile(serve, check, c, nodes, f):
    """A catalog that is half there, or not what its manifest says, never comes into force."""
    path = os.path.join(f, "broken.toml")
    write(path, "schema = [broken")
    check("a broken file is not pushed", lambda: cando(serve, "update", "--nats", c.url, "--push", path, code=3))
    catalog = nodes[0].fleet()["catalog"]
    text = (RULE % (666, 666)).encode()
    packed, digest = zlib.compress(text), hashlib.sha256(text).hexdigest()
    manifest = "cando-gift-1 %s %d %d %d"
    with Wire(c.server[0].port) as w:
        def piece(key, data, h=digest, i=0):
            w.put("$KV.cando_catalog.piece.%s.%s.%d" % (key, h[:32], i), data)
        w.put("$KV.cando_catalog.set.overlay.zhalf", manifest % (digest, len(text), len(packed), 2))
        piece("overlay.zhalf", packed[:10])
        w.put("$KV.cando_catalog.set.overlay.zlate", manifest % (digest, len(text), len(packed), 1))
        other = zlib.compress(text.replace(b"666", b"667"))
        piece("overlay.zwrong", other)
        w.put("$KV.cando_catalog.set.overlay.zwrong", manifest % (digest, len(text), len(other), 1))
        piece("overlay.bomb", zlib.compress(b"x" * 10000000))
        w.put("$KV.cando_catalog.set.overlay.bomb", manifest % (digest, len(text), len(zlib.compress(b"x" * 10000000)), 1))
        w.put("$KV.cando_catalog.set.overlay.no", "cando-gift-1 nonsense")
        w.put("$KV.cando_catalog.set.overlay.bad.name", manifest % (digest, len(text), len(packed), 1))
        junk = hashlib.sha256(b"junk").hexdigest()
        piece("catalog", zlib.compress(b"junk"), junk)
        w.put("$KV.cando_catalog.set.catalog", manifest % (junk, 4, len(zlib.compress(b"junk")), 1))
        w.put("$KV.cando_observed.nonsense", b"\0\xff{")
        w.put("$KV.cando_observed.other", json.dumps({**EVENT, "kind": "switch"}))
        for d in nodes:
            check("what is not all there waits", lambda d=d: wait_until(lambda: d.fleet()["problem"], "the node says that pieces are missing"))
        check("nothing of it is in force", lambda: true(all(window(d) == 2000 and d.fleet()["catalog"] == catalog for d in nodes)))
        piece("overlay.zhalf", packed[10:], i=1)
        piece("overlay.zlate", packed)
        for d in nodes:
            check("what is damaged is told", lambda d=d: d.wait_said("overlay.zwrong of the fleet is damaged"))
            check("what is no catalog is told", lambda d=d: d.wait_said("the fleet's catalog is not taken"))
        check("whole, it comes into force", lambda: wait_until(lambda: all(window(d) == 666 for d in nodes), "the late overlay is in force"))
        check("the old catalog stays", lambda: true(all(d.fleet()["catalog"] == catalog for d in nodes)))
        for name in ("zhalf", "zlate", "zwrong", "bomb", "no"):
            w.put("$KV.cando_catalog.set.overlay." + name, headers={"KV-Operation": "DEL"})
        check("and goes", lambda: wait_until(lambda: all(window(d) == 2000 for d in nodes), "the overlay of before is in force"))


def updated(serve, check, c, nodes, f):
    """An update from the sources reaches all nodes, and can be taken back."""
    source = {"openai": {"id": "openai", "name": "OpenAI", "models": {
        "gpt-zz-test": {"id": "gpt-zz-test", "name": "GPT Test", "tool_call": True, "reasoning": True, "temperature": True,
                        "release_date": "2026-09-01", "limit": {"context": 123456, "output": 4096},
                        "modalities": {"input": ["text"], "output": ["text"]}}}}}
    path = os.path.join(f, "api.json")
    write(path, json.dumps(source))

    def new(d):
        return d.ask("POST", "/op/resolve", {"target": "openai/gpt-zz-test"}).json["result"]["fields"].get("context_window")
    check("nobody knows it", lambda: true(all(new(d) != 123456 for d in nodes)))
    env = dict(os.environ, XDG_DATA_HOME=f + "/data")
    p = subprocess.run([os.path.join(os.path.dirname(serve), "cando"), "update", "--force", "--source", "models.dev@2026-11-15=" + path,
                        "--nats", c.url], env=env, capture_output=True, text=True, check=False)
    check("an update", lambda: true(p.returncode == 0, p.stdout, p.stderr))
    check("is everywhere", lambda: wait_until(lambda: all(new(d) == 123456 for d in nodes), "the update is in force"))
    cando(serve, "update", "--nats", c.url, "--withdraw", "catalog")
    check("and is taken back", lambda: wait_until(lambda: all(new(d) != 123456 for d in nodes), "the built-in catalog is in force"))


def command_line(serve, check, c, f):
    """The verbs by themselves, without a daemon."""
    trail = os.path.join(f, "mine.db")
    error = os.path.join(f, "error.json")
    write(error, json.dumps(REFUSAL))
    n = len(records(serve, c.url))
    check("learn", lambda: cando(serve, "learn", "--nats", c.url, "--store", trail, "--target", "openai/other", "--from-error", error))
    check("is in the stream", lambda: true(len(records(serve, c.url)) == n + 1))
    check("records need a place of their own", lambda: true("--store" in cando(
        serve, "audit", "add", "--nats", c.url, code=2)))
    check("a fleet that is not there", lambda: true("cannot use the fleet" in cando(
        serve, "audit", "verify", "--nats", "nats://127.0.0.1:%d" % free_ports(1)[0], code=3)))
    check("no URL", lambda: true("nats://HOST:PORT" in cando(serve, "audit", "verify", "--nats", "http://x", code=2)))
    check("no such file", lambda: true("--nats-creds" in cando(
        serve, "audit", "verify", "--nats", c.url, "--nats-creds", f + "/none", code=3)))
    check("heads are of one trail", lambda: true("one node" in cando(serve, "audit", "verify", "--expect", "1:00", "--nats", c.url, code=2)))
    check("a stream has limits of its own", lambda: true("limits" in cando(
        serve, "audit", "retain", "--keep", "1", "--nats", c.url, code=3)))


def damaged(serve, check, c):
    """Whoever can write to the stream cannot change what is in it unseen."""
    check("whole", lambda: cando(serve, "audit", "verify", "--nats", c.url))
    node = records(serve, c.url)[0]["node"]
    first = cando(serve, "audit", "export", "--nats", c.url).splitlines()[0]
    line = first[:first.index(',"node":')] + "}"
    with Wire(c.server[0].port) as w:
        w.put("cando.audit." + node, line + "\n")
    check("what is there twice counts once", lambda: true("; 1 came twice" in cando(serve, "audit", "verify", "--nats", c.url)))
    check("and is not given twice", lambda: true(cando(serve, "audit", "export", "--nats", c.url).count(line[:-1]) == 1))
    with Wire(c.server[0].port) as w:
        w.put("cando.audit." + node, line.replace('"session":"', '"session":"x') + "\n")
    check("the same number with another text is found", lambda: true(
        "not the same" in cando(serve, "audit", "verify", "--nats", c.url, code=1)))


def test_cut_off(serve, check):
    """Nobody waits for the network: a node that reaches nobody answers, records, and catches up."""
    with folder() as f:
        trail = f + "/t.db"
        ports = free_ports(3)
        with Node(serve, "nats://127.0.0.1:%d" % ports[0], trail) as d:
            d.wait_said("what there is to send waits")
            check("it answers", lambda: true(window(d) is None))
            known = post(d, ["a%d" % i for i in range(50)])
            check("it acknowledges", lambda: true(len(known) == 50))
            check("it records", lambda: wait_until(lambda: d.fleet()["unsent"] == 50, "all wait to be sent"))
            check("it is cut off", lambda: true(not d.fleet()["connected"]))
            server = Server(f, "alone", ports, [])
            server.start()
            try:
                check("it catches up", lambda: d.wait_sent())
                url = "nats://127.0.0.1:%d" % ports[0]
                check("each once", lambda: once(serve, url, known))
                push(serve, url, f, "mine", 5000)
                check("an overlay", lambda: wait_until(lambda: window(d) == 5000, "the overlay is in force"))
                d.ask("POST", "/learn", {"target": NEW_MODEL, "error": json.dumps(REFUSAL)})
                d.wait_sent()
                with Node(serve, url, f + "/other.db") as other:
                    check("another learns", lambda: wait_until(lambda: temperature(other) == "unsupported", "it was learnt"))
                server.kill()
                with Node(serve, url, f + "/other.db") as other:
                    check("started without the fleet, it has the last overlay", lambda: true(window(other) == 5000))
                    check("and what was observed", lambda: true(temperature(other) == "unsupported"))
                    known += post(other, ["b1", "b2"])
                check("records wait on the disk", lambda: true(len(known) == 52))
                server.start()
                with Node(serve, url, f + "/other.db") as other:
                    other.wait_sent()
                d.wait_connected()
                check("all once, in the end", lambda: once(serve, url, known))
                check("two have not the same trail at once", lambda: true(
                    "another process" in cando(serve, "learn", "--nats", url, "--store", trail, "--target", "openai/x", "--probe",
                                               "input_image=unsupported")))
            finally:
                if server.process:
                    server.kill()


def test_made_anew(serve, check):
    """A bucket that counts from one again while nodes are connected: they read it again, and go on."""
    with folder() as f, Cluster(f, 1) as c:
        with Node(serve, c.url, f + "/t.db") as d:
            d.wait_connected()
            for n in (1000, 2000, 3000):
                push(serve, c.url, f, "mine", n)
                check("in force", lambda n=n: wait_until(lambda: window(d) == n, "the overlay is in force"))
            with Wire(c.server[0].port) as w:
                check("taken away", lambda: true(w.ask("$JS.API.STREAM.DELETE.KV_cando_catalog").get("success")))
            for n in (4000, 5000):
                push(serve, c.url, f, "mine", n)
                check("made anew, it is read from its beginning", lambda n=n: wait_until(lambda: window(d) == n, "the overlay is in force"))
            check("by the same connection", lambda: true(len([s for s in d.said if s and "is connected" in s]) == 1))


def test_another_trail(serve, check):
    """A trail that was thrown away, and one that was put back from a copy: never mixed with what was sent."""
    with folder() as f, Cluster(f, 1) as c:
        trail = f + "/t.db"
        with Node(serve, c.url, trail) as d:
            post(d, ["a", "b", "c"])
            d.wait_sent()
        subprocess.run("mkdir {0}/copy && cp {0}/t.db* {0}/copy".format(f), shell=True, check=True)
        with Node(serve, c.url, trail) as d:
            post(d, ["d", "e"])
            d.wait_sent()
            first = d.fleet()["node"]
        os.unlink(trail)
        os.unlink(trail + "-head")
        with Node(serve, c.url, trail) as d:
            d.wait_said("a new node begins")
            post(d, ["f"])
            d.wait_sent()
            check("a new node", lambda: true(d.fleet()["node"] != first))
        subprocess.run("rm {0}/t.db* && cp {0}/copy/t.db* {0}".format(f), shell=True, check=True)
        with Node(serve, c.url, trail) as d:
            d.wait_said("a new node begins")
            post(d, ["g"])
            d.wait_sent()
        check("every chain is whole", lambda: true("3 nodes" in cando(serve, "audit", "verify", "--nats", c.url)))
        check("nothing is lost", lambda: true({r["session"] for r in records(serve, c.url)} == set("abcdefg")))


FULL_DISK = """
set -e
mkdir -p "$1"
mount -t tmpfs -o size=1m none "$1"
exec "${@:2}"
"""


def test_full_disk(serve, check):
    """The disk of a node is full: what cannot be kept is not acknowledged, and all else is sent once."""
    with folder() as f, Cluster(f, 1) as c:
        small = os.path.join(f, "small")
        wrap = ["unshare", "-rm", "bash", "-c", FULL_DISK, "bash", small]
        d = Node(serve, c.url, small + "/t.db", wrap=wrap)
        known, refused = [], 0
        try:
            d.wait_connected()
            for i in range(400):
                got = post(d, ["s%d-%d" % (i, k) for k in range(20)])
                known += got
                refused += not got
                if refused > 3:
                    break
            check("it became full", lambda: true(refused > 3 and known, refused, len(known)))
            check("it answers", lambda: true(window(d) is None))
            check("what was acknowledged is sent", lambda: d.wait_sent())
            check("and nothing twice", lambda: once(serve, c.url, known))
            check("it ends well", lambda: true(d.stop() == 0))
        finally:
            if d.process.poll() is None:
                d.kill()


ACCOUNT = """accounts { A { jetstream { max_file: %s, max_streams: 3 }, users: [ { user: a, password: secret } ] } }"""


def test_accounts(serve, check):
    """Who we are, and how much we may keep, is the cluster's to say; the node says what it was told."""
    with folder() as f, Cluster(f, 1, ACCOUNT % "40000") as c:
        plain = c.url
        good = plain.replace("nats://", "nats://a:secret@")
        with Node(serve, plain.replace("nats://", "nats://a:wrong@"), f + "/bad.db") as d:
            check("a wrong password is told", lambda: wait_until(
                lambda: "Authorization" in (d.fleet()["problem"] or ""), "the problem is told"))
        with Node(serve, good, f + "/t.db") as d:
            d.wait_connected()
            known = []
            for i in range(12):
                known += post(d, ["s%d-%d" % (i, k) for k in range(40)])
            check("recorded", lambda: true(len(known) == 480))
            check("a limit of the account is told", lambda: wait_until(lambda: d.fleet()["problem"], "the problem is told"))
            check("and records wait", lambda: true(d.fleet()["unsent"] > 0))
            s = c.server[0]
            text = open(s.config).read()
            write(s.config, text.replace("max_file: 40000", "max_file: 40000000"))
            s.kill()
            s.start()
            check("with more room it goes on", lambda: d.wait_sent(60))
            check("each once", lambda: once(serve, good, known))


def certificates(f):
    def run(*words):
        subprocess.run(["openssl", *words], cwd=f, check=True, capture_output=True)
    for ca in ("ca", "other"):
        run("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=" + ca,
            "-keyout", ca + ".key", "-out", ca + ".pem")
    for who in ("server", "client"):
        run("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=" + who, "-keyout", who + ".key",
            "-out", who + ".csr")
        with open(os.path.join(f, who + ".ext"), "w") as out:
            out.write("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
        run("x509", "-req", "-in", who + ".csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile",
            who + ".ext", "-out", who + ".pem")


def test_tls(serve, check):
    with folder() as f:
        certificates(f)
        tls = 'tls { cert_file: "%s/server.pem", key_file: "%s/server.key", ca_file: "%s/ca.pem", verify: true }' % (f, f, f)
        with Cluster(f, 1, tls) as c:
            url = c.url.replace("nats://127.0.0.1", "tls://localhost")
            mine = ("--nats-cert", f + "/client.pem", "--nats-key", f + "/client.key")
            with Node(serve, url, f + "/t.db", "--nats-ca", f + "/ca.pem", *mine) as d:
                d.wait_connected()
                known = post(d, ["a"])
                d.wait_sent()
            out = cando(serve, "audit", "export", "--nats", url, "--nats-ca", f + "/ca.pem", *mine)
            check("by TLS, both ways", lambda: true(known == ["a"] and '"session":"a"' in out))
            for name, options in {"servers that nobody vouches for": ("--nats-ca", f + "/other.pem", *mine),
                                  "no certificate of our own": ("--nats-ca", f + "/ca.pem")}.items():
                check(name, lambda o=options: true("cannot use the fleet" in cando(serve, "audit", "verify", "--nats", url, *o, code=3)))
            check("no PEM", lambda: true("--nats-ca" in cando(serve, "audit", "verify", "--nats", url, "--nats-ca", f + "/n1.conf", code=2)))
            check("half a pair", lambda: true("go together" in cando(
                serve, "audit", "verify", "--nats", url, "--nats-cert", f + "/client.pem", code=2)))


# What docs/fleet.md says that a node needs: it is enough, and pushing is not in it.
NODE = {"pub": {"allow": ["cando.audit.*", "$KV.cando_observed.>", "$JS.API.>", "_INBOX.>"]},
        "sub": {"allow": ["$KV.cando_catalog.set.>", "$KV.cando_observed.>", "_INBOX.>"]}}


def test_creds(serve, check):
    """A user's JWT and seed in a file, against servers that know no passwords; with a node's rights, and with more."""
    with folder() as f:
        o = Operator(f)
        node, boss = o.creds("node", permissions=NODE), o.creds("boss")
        stranger = o.creds("stranger", issuer=Key(f, "elsewhere", ACCOUNT_KEY))
        with Cluster(f, 1, o.config) as c:
            as_boss = ("--nats", c.url, "--nats-creds", boss)
            rule = os.path.join(f, "house.toml")
            write(rule, RULE % (7, 7))
            with Node(serve, c.url, f + "/t.db", "--nats-creds", node) as d:
                d.wait_connected()
                known = post(d, ["a", "b"])
                check("sent by a user with a node's rights", d.wait_sent)
                check("who may push pushes", lambda: cando(serve, "update", *as_boss, "--push", rule))
                check("and the node has it", lambda: wait_until(lambda: window(d) == 7, "the overlay is in force"))
                check("a node may not push", lambda: true("may this user use it" in cando(
                    serve, "update", "--nats", c.url, "--nats-creds", node, "--push", rule, code=4)))
            out = cando(serve, "audit", "export", *as_boss)
            check("and is in the stream", lambda: true(known == ["a", "b"] and '"session":"a"' in out and '"session":"b"' in out))
            check("whole", lambda: true("whole" in cando(serve, "audit", "verify", *as_boss)))
            for name, options in {"nobody": (), "another account's user": ("--nats-creds", stranger)}.items():
                check(name, lambda x=options: true("cannot use the fleet" in cando(
                    serve, "audit", "verify", "--nats", c.url, *x, code=3)))
            with Node(serve, c.url, f + "/s.db", "--nats-creds", stranger) as d:
                check("a node says why", lambda: wait_until(
                    lambda: "Authorization" in (d.fleet()["problem"] or ""), "the problem is told"))
            check("no such file", lambda: true("--nats-creds" in cando(
                serve, "audit", "verify", "--nats", c.url, "--nats-creds", f + "/none", code=3)))
            check("a file that is none", lambda: true("cannot use the fleet" in cando(
                serve, "audit", "verify", "--nats", c.url, "--nats-creds", rule, code=None)))
