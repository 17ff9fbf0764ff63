"""Files that change while it runs: put in force without a dropped or mixed request, unless they are broken."""
import json
import os
import shutil
import signal
import threading

from daemon import Daemon, folder, freed_at_once, wait_until

RULE = 'schema = "cando/rules@1"\n[[rules]]\nproviders = ["nobody"]\nmatch = "m*"\nset = { context_window = %d, max_output = %d }\n'


def write(path, text):
    with open(path + ".new", "w") as f:
        f.write(text)
    os.rename(path + ".new", path)


def window(d):
    fields = d.ask("POST", "/op/resolve", {"target": "nobody/m1"}).json["result"]["fields"]
    return fields.get("context_window")


def test_overlay(serve, check):
    with folder() as f:
        path = os.path.join(f, "mine.toml")
        write(path, RULE % (1000, 1000))
        with Daemon(serve, "--overlay", path, env=freed_at_once()) as d:
            check("at first", lambda: window(d) == 1000 or 1 / 0)
            calm = d.resident()
            write(path, RULE % (2000, 2000))
            check("a file has changed", lambda: wait_until(lambda: window(d) == 2000, "the new file is in force"))
            with open(path, "w") as out:                    # in place, as some editors do
                out.write(RULE % (3000, 3000))
            check("a file was written over", lambda: wait_until(lambda: window(d) == 3000, "the new file is in force"))
            write(path, "schema = [broken")
            check("a broken file is told", lambda: d.wait_said("stays as it was"))
            ready = d.ask("GET", "/readyz").json
            check("readyz says so", lambda: (ready["status"] == "stale" and ready["problem"] and ready["failures"] >= 1) or 1 / 0)
            check("the old one stays", lambda: window(d) == 3000 or 1 / 0)
            check("and what it took to find out is given back", lambda: wait_until(
                lambda: d.resident() <= calm * 1.2 + 12000, "memory is as it was"))
            os.unlink(path)
            check("a file is gone", lambda: (d.signal(signal.SIGHUP), d.wait_said("stays as it was", 2)))
            write(path, RULE % (4000, 4000))
            check("mended", lambda: wait_until(lambda: window(d) == 4000, "the new file is in force"))
            check("readyz is well", lambda: d.ask("GET", "/readyz").json["status"] == "ok" or 1 / 0)
            before = d.number("cando_reloads_total")
            d.signal(signal.SIGHUP)
            check("SIGHUP", lambda: wait_until(lambda: d.number("cando_reloads_total") == before + 1, "it was read again"))


def test_config(serve, check):
    """The user's own files and the catalog of an update are watched, too."""
    with folder() as f:
        env = {"HOME": f, "XDG_CONFIG_HOME": f + "/config", "XDG_DATA_HOME": f + "/data", "XDG_CACHE_HOME": f + "/cache"}
        os.makedirs(f + "/config/cando")
        os.makedirs(f + "/data/cando")
        write(f + "/config/cando/a.toml", RULE % (10, 10))
        small = os.path.join(f, "small.toml")
        write(small, RULE % (77, 77))
        with Daemon(serve, config=True, env=env) as d:
            check("at first", lambda: window(d) == 10 or 1 / 0)
            write(f + "/config/cando/b.toml", RULE % (20, 20))
            check("a new file", lambda: wait_until(lambda: window(d) == 20, "the new file is in force"))
            hash_before = d.ask("GET", "/readyz").json["catalog"]["hash"]
            snap = os.path.join(f, "catalog.snap")
            os.system("%s build --quiet -o %s %s >/dev/null 2>&1" % (os.path.join(os.path.dirname(serve), "cando"), snap, small))
            shutil.move(snap, f + "/data/cando/catalog.snap")
            check("an update", lambda: wait_until(
                lambda: d.ask("GET", "/readyz").json["catalog"]["hash"] != hash_before, "the catalog of the update is in force"))


def test_not_mixed(serve, check):
    """While files change all the time each answer is of one file, and of JSON lines all answers are."""
    with folder() as f:
        path = os.path.join(f, "mine.toml")
        write(path, RULE % (1, 1))
        with Daemon(serve, "--overlay", path) as d:
            stop, wrong, seen = threading.Event(), [], set()
            line = json.dumps({"op": "resolve", "target": "nobody/m1"})

            def pair(text):
                fields = json.loads(text)["result"]["fields"]
                return fields["context_window"], fields["max_output"]

            def client():
                c = d.http()
                try:
                    while not stop.is_set():
                        one = pair(c.ask("POST", "/op", line).text)
                        many = {pair(t) for t in c.ask("POST", "/op", (line + "\n") * 50, type="application/x-ndjson").text.splitlines()}
                        seen.add(one[0])
                        if one[0] != one[1] or len(many) != 1 or any(a != b for a, b in many):
                            wrong.append((one, many))
                except Exception as e:
                    wrong.append(e)
                c.close()
            clients = [threading.Thread(target=client) for _ in range(4)]
            for c in clients:
                c.start()
            for n in range(2, 8):
                write(path, RULE % (n, n))
                wait_until(lambda n=n: window(d) == n, "file %d is in force" % n)
            stop.set()
            for c in clients:
                c.join()
            check("no request was dropped or mixed", lambda: not wrong or 1 / 0)
            check("many files were seen", lambda: len(seen) > 2 or 1 / 0)


def test_old_catalogs_are_let_go(serve, check):
    """Threads that nobody asks any more keep nothing of the catalogs that they answered by."""
    with folder() as f:
        path = os.path.join(f, "mine.toml")
        write(path, RULE % (1, 1))
        with Daemon(serve, "--overlay", path, "--threads", "8", env=freed_at_once()) as d:
            asks = json.dumps({"op": "resolve", "target": "nobody/m1"})
            clients = [d.http() for _ in range(16)]
            for c in clients:
                c.ask("POST", "/op", asks)
            start, looks = d.resident(), d.http()         # by one connection, and so by one thread
            for n, c in enumerate(clients):
                c.ask("POST", "/op", asks)
                d.signal(signal.SIGHUP)
                wait_until(lambda n=n: looks.ask("GET", "/readyz").json["catalog"]["epoch"] > n + 1, "reload %d" % n)
            check("memory is what it was", lambda: wait_until(lambda: d.resident() < start + 15000, "%d KB at first, %d now" % (start, d.resident())))
            for c in [*clients, looks]:
                c.close()
