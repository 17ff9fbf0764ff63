"""Records and observations: acknowledged is stored, and what one client learnt answers the next."""
import json
import os
import subprocess
import threading

from daemon import Daemon, folder

REFUSAL = {"error": {"message": "Unsupported parameter: 'temperature' is not supported with this model.", "type": "invalid_request_error",
                     "param": "temperature", "code": "unsupported_parameter"}}
EVENT = {"time": "2026-11-15T16:30:05.250Z", "kind": "switch", "session": "s-1", "change": "switch", "target": "openai/gpt-4o", "verdict": "accepted"}


def cando(serve, *words):
    p = subprocess.run([os.path.join(os.path.dirname(serve), "cando"), *words], capture_output=True, text=True, check=False)
    return p.returncode, p.stdout


def exported(serve, trail):
    code, text = cando(serve, "audit", "export", "--store", trail)
    assert code == 0
    return [json.loads(line) for line in text.splitlines()]


def lines(n, session):
    return "".join(json.dumps({**EVENT, "session": "%s-%d" % (session, i)}) + "\n" for i in range(n))


def test_audit(serve, check):
    with folder() as f:
        trail = os.path.join(f, "trail.db")
        with Daemon(serve, "--store", trail) as d:
            def post(body, want, **more):
                r = d.ask("POST", more.get("path", "/audit"), body, type=more.get("type", "application/x-ndjson"))
                assert r.status == want, (r.status, r.text)
                return r.json
            check("an event", lambda: post(json.dumps(EVENT), 200)["result"]["stored"] == 1 or 1 / 0)
            reply = d.ask("POST", "/op/negotiate", {"requirements": [{"name": "toolCalling", "level": "hard"}], "target": "openai/gpt-4o"})
            check("the reply of a negotiation", lambda: post(reply.text, 200, path="/audit?session=s%2D9")["result"]["stored"] == 1 or 1 / 0)
            check("many", lambda: post(lines(500, "a"), 200)["result"]["stored"] == 500 or 1 / 0)
            check("none", lambda: post("", 200)["result"]["stored"] == 0 or 1 / 0)
            check("no event", lambda: post('{"kind":"switch"}', 400))
            check("no JSON", lambda: post("{", 400))
            check("what a store says itself", lambda: post(json.dumps({**EVENT, "kind": "lost"}), 400))
            check("one bad one, and nothing is stored", lambda: post(lines(3, "b") + "{\n", 400))
            check("a prompt has no place", lambda: post(json.dumps({**EVENT, "prompt": "hello"}), 200))
        records = exported(serve, trail)
        check("stored", lambda: (len(records) == 503 and "hello" not in json.dumps(records)) or 1 / 0)
        check("of that session", lambda: [r for r in records if r.get("session") == "s-9"] or 1 / 0)
        check("whole", lambda: cando(serve, "audit", "verify", "--store", trail)[0] == 0 or 1 / 0)


def test_acknowledged_is_stored(serve, check):
    """Several clients; the daemon is killed in the middle; what was acknowledged is in the trail."""
    with folder() as f:
        trail = os.path.join(f, "trail.db")
        d = Daemon(serve, "--store", trail)
        known, lock, enough = set(), threading.Lock(), threading.Event()

        def client(name):
            try:
                c = d.http()
                for i in range(100000):
                    if c.ask("POST", "/audit", lines(3, "%s-%d" % (name, i)), type="application/x-ndjson").status == 200:
                        with lock:
                            known.update("%s-%d-%d" % (name, i, k) for k in range(3))
                            if len(known) >= 600:
                                enough.set()
            except Exception:
                pass
        clients = [threading.Thread(target=client, args=("c%d" % i,)) for i in range(6)]
        for c in clients:
            c.start()
        check("they are acknowledged", lambda: enough.wait(60) or 1 / 0)
        d.kill()
        for c in clients:
            c.join()
        stored = {r.get("session") for r in exported(serve, trail)}
        check("nothing that was acknowledged is lost", lambda: not known - stored or 1 / 0)
        check("whole", lambda: cando(serve, "audit", "verify", "--store", trail)[0] == 0 or 1 / 0)


def test_learn(serve, check):
    request = {"model": "some-new-model", "messages": [{"role": "user", "content": "hi"}], "temperature": 0.5}
    ask = {"target": "openai/some-new-model", "request": request}
    with folder() as f:
        trail = os.path.join(f, "trail.db")

        def verdict(d):
            return d.ask("POST", "/op/preflight", ask).json["result"]["verdict"]

        def temperature(d):
            return d.ask("POST", "/op/resolve", {"target": "openai/some-new-model"}).json["result"]["fields"]["temperature"]
        with Daemon(serve, "--store", trail) as d:
            check("not known before", lambda: temperature(d) != "unsupported" or 1 / 0)
            before = d.ask("POST", "/op/learn", {"target": "openai/some-new-model", "error": json.dumps(REFUSAL)}).json
            check("the operation alone stores nothing", lambda: temperature(d) != "unsupported" or 1 / 0)
            r = d.ask("POST", "/learn", {"id": "x", "target": "openai/some-new-model", "error": json.dumps(REFUSAL)})
            check("learnt", lambda: (r.status == 200 and r.json["id"] == "x" and r.json["result"]["observations"]) or 1 / 0)
            check("the same as the operation says", lambda: [o["field"] for o in r.json["result"]["observations"]] == [
                o["field"] for o in before["result"]["observations"]] or 1 / 0)
            check("the next client is answered with it", lambda: temperature(d) == "unsupported" or 1 / 0)
            check("and warned", lambda: verdict(d) != "ok" or 1 / 0)
            check("a bad question", lambda: d.ask("POST", "/learn", {"target": 5}).status == 400 or 1 / 0)
            nothing = d.ask("POST", "/learn", {"target": "openai/some-new-model", "error": "busy"})
            check("nothing to learn", lambda: (nothing.status == 200 and not nothing.json["result"]["observations"]) or 1 / 0)
        with Daemon(serve, "--store", trail) as d:
            check("known after a restart", lambda: temperature(d) == "unsupported" or 1 / 0)
        check("in the trail", lambda: [r for r in exported(serve, trail) if r["kind"] == "observation"] or 1 / 0)
