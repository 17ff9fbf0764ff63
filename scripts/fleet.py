#!/usr/bin/env python3
"""fleet.py BUILD [--stay] - three nodes of cando on a cluster of three NATS servers, on this machine.

Pushes a rule file once and asks every node, lets one node learn from a refusal and asks another, kills a server, and shows
the audit trail of all. With --stay the fleet runs until it is interrupted.
"""
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, os.path.join(ROOT, "tests", "fleet"))

from cluster import Cluster, Node, wait_until  # noqa: E402

RULE = """schema = "cando/rules@1"
[[rules]]
name = "the-house-model"
providers = ["openai"]
match = "house-*"
set = { context_window = 64000, input_image = "unsupported" }
"""
REFUSAL = {"error": {"message": "Unsupported parameter: 'temperature' is not supported with this model.", "type": "invalid_request_error",
                     "param": "temperature", "code": "unsupported_parameter"}}
RECORD = {"time": "2026-11-15T16:30:05.250Z", "kind": "switch", "session": "s-1", "change": "switch", "target": "openai/gpt-4o",
          "verdict": "accepted"}
MODEL = "openai/house-1"


def field(d, name):
    return d.ask("POST", "/op/resolve", {"target": MODEL}).json["result"]["fields"].get(name)


def ask_all(nodes, name, want):
    wait_until(lambda: all(field(d, name) == want for d in nodes), "all nodes say %s = %s" % (name, want))
    for i, d in enumerate(nodes):
        print("    node %d: %s of %s is %s" % (i + 1, name, MODEL, field(d, name)))


def show(build, *words):
    print("  $ cando " + " ".join(shlex.quote(w) for w in words))
    p = subprocess.run([os.path.join(build, "cando"), *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True)
    print("".join("    %s\n" % line for line in p.stdout.splitlines()), end="")


def demonstrate(build, folder, cluster, nodes):
    url = cluster.url
    print("servers  " + url)
    for i, d in enumerate(nodes):
        d.wait_connected()
        print("node %d   %s, %s" % (i + 1, d.address, d.fleet()["node"]))
    path = os.path.join(folder, "house.toml")
    with open(path, "w") as f:
        f.write(RULE)
    print("\na rule file, pushed once, is in force everywhere:")
    show(build, "update", "--nats", url, "--push", path)
    ask_all(nodes, "context_window", 64000)
    print("\na provider has refused node 1 something; the others know it, too:")
    nodes[0].ask("POST", "/learn", {"target": MODEL, "error": json.dumps(REFUSAL)})
    ask_all(nodes, "temperature", "unsupported")
    print("\nrecords of all nodes, one server being killed in the middle, come to one trail:")
    for i in range(30):
        if i == 10:
            cluster.server[0].kill()
        r = nodes[i % 3].ask("POST", "/audit", json.dumps({**RECORD, "session": "s-%d" % i}), type="application/x-ndjson")
        assert r.status == 200, r.text
    for d in nodes:
        d.wait_sent()
    show(build, "audit", "verify", "--nats", url)
    show(build, "audit", "list", "--nats", url, "-n", "3")
    cluster.heal()


def main():
    build, stay = os.path.abspath(sys.argv[1]), "--stay" in sys.argv[2:]
    with tempfile.TemporaryDirectory(prefix="cando-fleet-") as folder, Cluster(folder) as cluster:
        nodes = []
        try:
            nodes += [Node(os.path.join(build, "cando-serve"), cluster.url, "%s/trail%d.db" % (folder, i + 1)) for i in range(3)]
            demonstrate(build, folder, cluster, nodes)
            if stay:
                print("\nit runs until you press ctrl-c", flush=True)
                try:
                    signal.pause()
                except KeyboardInterrupt:
                    pass
            codes = [d.stop() for d in nodes]
            assert codes == [0, 0, 0], codes
        finally:
            for d in nodes:
                if d.process.poll() is None:
                    d.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main())
