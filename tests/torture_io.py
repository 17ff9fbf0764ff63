#!/usr/bin/env python3
"""torture_io.py CANDO [--quick] [WORD...] - what happens if the disk fails, everywhere.

Each scenario is run again and again with a disk (tests/io_shim.c) whose n-th call fails, for each n
that there is: an open, a write, a sync, a rename, a read. Once only this call fails (EIO); once all
that need room do from there on (ENOSPC); once a write writes half, and the next one fails. Each time:

- the program ends by itself, and its exit code is 0 only if all was done;
- what it wrote is as it was before, or as it should be, and nothing between;
- nothing else lies there, and the same command, once more, works.

Then the power fails. What a scenario did to the disk is replayed up to each moment. What was not
synced by then is dropped, kept, or kept in part and in another order; names in a folder are no
better off than what is in files. Each time a catalog is the old one or the new one, and a trail is
whole and has each record that was acknowledged.

--quick: of moments and ways some. With WORD only scenarios whose name contains one of them.
"""
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

EIO, ENOSPC = "5", "28"
HERE = Path(__file__).resolve().parent
RULES = """schema = "cando/rules@1"
[[rules]]
name = "%s"
match = "m-*"
set = { tool_calling = "native" }
source = "https://acme.example/docs"
"""
REQUEST = '{"model":"gpt-5","max_tokens":%d,"messages":[{"role":"user","content":"hi"}]}'
DIAGNOSTIC = '{"verdict":"%s","missing":[],"warnings":[],"target":"openai/gpt-5","previous":"a/b"}\n'
API = """{"openai":{"id":"openai","models":{"gpt-zz":{"id":"gpt-zz","name":"Z","tool_call":true,
"release_date":"2026-09-01","modalities":{"input":["text"],"output":["text"]},
"cost":{"input":%s,"output":6},"limit":{"context":400000,"output":1000}}}}}"""


class Box:
    """A folder, and the program in it."""

    def __init__(self, cando, shim, at):
        self.cando, self.shim, self.at = cando, shim, at

    def run(self, args, stdin="", **env):
        if env:
            env = {"LD_PRELOAD": self.shim, "IO_ROOT": str(self.at), **env}
        p = subprocess.run([self.cando, *args], cwd=self.at, input=stdin.encode(), timeout=120,
                           capture_output=True, check=False,
                           env={"HOME": str(self.at), "XDG_DATA_HOME": str(self.at), "LC_ALL": "C.UTF-8",
                                "XDG_CACHE_HOME": str(self.at), "CANDO_TODAY": "2026-11-16", **env})
        return p.returncode, p.stdout.decode(errors="replace"), p.stderr.decode(errors="replace")

    def write(self, name, text):
        (self.at / name).write_text(text)

    def good(self, args, stdin=""):
        rc, out, err = self.run(args, stdin)
        if rc != 0:
            raise AssertionError("%s: exit %d, %s%s" % (" ".join(args), rc, out, err))
        return out

    def read(self, name):
        path = self.at / name
        return path.read_bytes() if path.exists() else None


# -- the scenarios ----------------------------------------------------------------------------

class Scenario:
    stdin = ""
    files = ()       # what is old or new, byte by byte
    beside = ()      # what may lie there as well
    rc = 0           # of the command if nothing fails
    again = True     # a second time gives the same
    between = None   # words of the error that tells of a state that is neither
    small = False    # with the program whose catalog has a few lines

    def setup(self, box):
        pass

    def state(self, box):
        return tuple(box.read(f) for f in self.files)

    def name(self):
        return type(self).__name__.lower()


class BuildNew(Scenario):
    args = ["build", "-q", "-o", "a.snap", "a.toml"]
    files = ("a.snap",)

    def setup(self, box):
        box.write("a.toml", RULES % "one")


class BuildOver(BuildNew):
    def setup(self, box):
        box.write("a.toml", RULES % "old")
        box.good(self.args)
        box.write("a.toml", RULES % "new")


class FixOutput(Scenario):
    args = ["fix", "--no-config", "-o", "out.json", "openai/gpt-5", "in.json"]
    files = ("out.json", "in.json")

    def setup(self, box):
        box.write("in.json", REQUEST % 5)


class FixOver(FixOutput):
    def setup(self, box):
        box.write("in.json", REQUEST % 5)
        box.write("out.json", "old")


class FixInPlace(Scenario):
    args = ["fix", "--no-config", "--in-place", "openai/gpt-5", "in.json"]
    files = ("in.json",)

    def setup(self, box):
        box.write("in.json", REQUEST % 5)


class FixThroughLink(FixInPlace):
    files = ("in.json", "there/real.json")

    def setup(self, box):
        (box.at / "there").mkdir()
        box.write("there/real.json", REQUEST % 5)
        (box.at / "in.json").symlink_to("there/real.json")


class LearnNew(Scenario):
    args = ["learn", "--target", "acme/one", "--probe", "seed=unsupported", "--write", "mine.toml"]
    files = ("mine.toml",)

    def state(self, box):  # the day is in it
        text = box.read("mine.toml")
        return None if text is None else box.good(["lint", "mine.toml"]) and (text.count(b"[[rules]]"), text[:40])


class LearnOver(LearnNew):
    def setup(self, box):
        box.write("mine.toml", RULES % "mine")


class Update(Scenario):
    args = ["update", "--force", "--source", "models.dev@2026-09-02=api.json"]
    files = ("cando/catalog.snap",)
    beside = ("cando/update.lock", "cando/catalog.snap.1")
    small = True

    def setup(self, box):
        box.write("api.json", API % "1.5")


class UpdateAgain(Update):
    """There are three: the one that comes, the one that goes, and the one before that."""
    again = False
    files = ("cando/catalog.snap", "cando/catalog.snap.1")
    beside = ("cando/update.lock", "cando/catalog.snap.before")

    def setup(self, box):
        for price in ("1.5", "1.4"):
            box.write("api.json", API % price)
            box.good(Update.args)
        box.write("api.json", API % "1.25")

    def state(self, box):
        """What stands aside is the one before, until somebody gives it its name."""
        now, before = super().state(box)
        aside = box.read("cando/catalog.snap.before")
        return now, aside if aside and aside != now else before


class UpdateSigned(Scenario):
    """The manifest is remembered before its catalog is in force, so both are old, both new, or the catalog is to come."""
    args = ["update", "--from", "b.snap"]
    files = ("cando/catalog.snap", "cando/trust.jsonl")
    beside = ("cando/update.lock", "cando/catalog.snap.1", "cando/catalog.snap.before")
    small = True

    def setup(self, box):
        for key in ("r", "c"):
            box.good(["key", "new", key])
        box.good(["key", "root", "root", "--root", "r.pub", "--catalog", "c.pub", "--sign", "r"])
        box.good(["key", "trust", "root"])
        for n, name in enumerate(("a", "b")):
            box.write(name + ".toml", RULES % name)
            box.good(["build", "-q", "-o", name + ".snap", "--sign", "c", "--release", str(n + 1), name + ".toml"])
        box.good(["update", "--from", "a.snap"])

    def state(self, box):
        """A manifest that is ahead of its catalog is as good as the old one: the same command puts it in force."""
        catalog, trust = super().state(box)
        return catalog, trust if catalog == box.read("b.snap") else (trust or b"").count(b'"cando":"catalog"')


class Undo(UpdateAgain):
    args = ["update", "--undo"]


class UndoFirst(UpdateAgain):
    args = ["update", "--undo"]

    def setup(self, box):
        box.write("api.json", API % "1.5")
        box.good(Update.args)


class UndoTwice(UndoFirst):
    def setup(self, box):
        super().setup(box)
        box.good(self.args)


TRAIL = ("t.db", "t.db-head", "t.db-wal", "t.db-shm", "t.db-journal")  # and no t.db-head.new


class Add(Scenario):
    """A trail is what it says, however its files look."""
    args = ["audit", "add", "--store", "t.db", "--session", "s-2", "--wait", "1"]
    stdin = DIAGNOSTIC % "accepted" + DIAGNOSTIC % "degraded"
    beside = TRAIL
    again = False
    files = ()
    broken = False  # may verify fail before there is a record of it?

    def state(self, box):
        if not box.read("t.db"):
            return ()
        rc, out, err = box.run(["audit", "verify", "--store", "t.db"])
        records = box.good(["audit", "--store", "t.db"])
        if rc not in (0, 1) or (rc == 1 and not self.broken and "break" not in records):
            raise AssertionError("verify: exit %d, %s%s" % (rc, out, err))
        return (rc, *[line.split(None, 2)[2] for line in records.splitlines()]) if records else ()


class Broken(Add):
    broken = True


class AddMore(Add):
    def setup(self, box):
        box.good(Add.args, DIAGNOSTIC % "rejected")


class Acknowledge(AddMore):
    """The record is a fact when the head that goes with it takes the place of the old one."""
    args = ["audit", "acknowledge", "--store", "t.db", "--by", "somebody"]
    stdin = ""
    between = "its head file cannot be put in place"

    def setup(self, box):
        box.good(Add.args, Add.stdin)
        (box.at / "t.db-head").unlink()
        box.good(Add.args, Add.stdin)


class Retain(AddMore):
    args = ["audit", "retain", "--store", "t.db", "--keep", "1"]
    stdin = ""

    def setup(self, box):
        box.good(Add.args, Add.stdin)


class Export(AddMore):
    args = ["audit", "export", "--store", "t.db"]
    stdin = ""


class LearnRecords(AddMore):
    """A trail that cannot be written is told of, and changes no answer."""
    args = ["learn", "--target", "acme/one", "--probe", "seed=unsupported", "--store", "t.db"]
    stdin = ""


ALL = [BuildNew, BuildOver, FixOutput, FixOver, FixInPlace, FixThroughLink, LearnNew, LearnOver,
       Update, UpdateAgain, UpdateSigned, Undo, UndoFirst, UndoTwice, Add, AddMore, Acknowledge, Retain, Export,
       LearnRecords]


# -- calls that fail --------------------------------------------------------------------------

class Torture:
    def __init__(self, cando, shim, tmp, quick):
        self.cando, self.shim, self.tmp, self.quick = cando, shim, tmp, quick
        self.failed = self.passed = self.boxes = 0
        self.small = False

    def box(self, of=None):
        self.boxes += 1
        at = self.tmp / ("box-%d" % self.boxes)
        if of:
            shutil.copytree(of.at, at, symlinks=True)
        else:
            at.mkdir()
        return Box(self.cando + ("-small" if self.small else ""), self.shim, at)

    def drop(self, box):
        shutil.rmtree(box.at)

    @staticmethod
    def listing(box):
        return {str(p.relative_to(box.at)) for p in box.at.rglob("*") if not p.is_dir()}

    def check_one(self, s, template, old, new, env):
        """What is wrong, or None."""
        box = self.box(template)
        try:
            rc, out, err = box.run(s.args, s.stdin, **{k: v for k, v in env.items() if k != "calls"})
            if rc < 0 or rc > 4:
                return "exit %d\n%s%s" % (rc, out, err)
            extra = self.listing(box) - self.listing(template) - set(s.files) - set(s.beside)
            if extra and env["calls"] != "u":  # what is not to be removed stays
                return "left over: %s\n%s" % (sorted(extra), err)
            state = s.state(box)
            if state not in (old, new) and not (rc and s.between and s.between in err):
                return "neither old nor new: %.300s\nold %.300s\nnew %.300s\nexit %d\n%s%s" % (
                    state, old, new, rc, out, err)
            if rc == s.rc and state != new and not (isinstance(s, LearnRecords) and err):
                return "exit %d, and it is not done\n%s%s" % (rc, out, err)
            if rc != s.rc and not err:
                return "exit %d without a word" % rc
            rc, out, err = box.run(s.args, s.stdin)
            if rc != s.rc:
                return "a second time: exit %d\n%s%s" % (rc, out, err)
            state = s.state(box)
            if s.again and state != new:
                return "a second time: %.300s" % (state,)
        except AssertionError as e:
            return str(e)
        finally:
            self.drop(box)
        return None

    def prepare(self, s, **env):
        """Before and after it, and what it did."""
        self.small = s.small
        template = self.box()
        s.setup(template)
        done = self.box(template)
        rc, out, err = done.run(s.args, s.stdin, IO_COUNT=str(self.tmp / "count"), **env)
        if rc != s.rc:
            raise AssertionError("%s: exit %d\n%s%s" % (s.name(), rc, out, err))
        calls = (self.tmp / "count").read_text()
        (self.tmp / "count").unlink()
        return template, s.state(self.box(template)), s.state(done), calls

    def ways(self, calls):
        for n, what in enumerate(calls, 1):
            yield {"IO_FAIL": str(n), "IO_ERRNO": EIO, "IO_MODE": "once"}
            if what in "cwsntp":
                yield {"IO_FAIL": str(n), "IO_ERRNO": ENOSPC, "IO_MODE": "after"}
            if what == "w" and not (self.quick and n % 4):
                yield {"IO_FAIL": str(n), "IO_ERRNO": ENOSPC, "IO_MODE": "short"}

    def tell(self, s, points, bad, what):
        print("%-16s %4d %s, %d failed" % (s.name(), points, what, len(bad)), flush=True)
        for env, wrong in bad[:5]:
            print("    %s: %s" % (env, wrong.replace("\n", "\n        ")))
        self.failed += len(bad)
        self.passed += points - len(bad)

    def fail_each(self, s):
        template, old, new, calls = self.prepare(s)
        bad, points = [], 0
        for env in self.ways(calls):
            points += 1
            wrong = self.check_one(s, template, old, new, {**env, "calls": calls[int(env["IO_FAIL"]) - 1]})
            if wrong:
                n = int(env["IO_FAIL"])
                bad.append(("%s at %d: %s>%s" % (env["IO_MODE"], n, calls[max(0, n - 6):n - 1], calls[n - 1]), wrong))
        self.tell(s, points, bad, "calls that fail")


# -- the power fails --------------------------------------------------------------------------

class Inode:
    def __init__(self, data=b""):
        self.safe = data   # what is on the disk,
        self.waiting = []  # and what is on its way: (place, bytes), (length, None)

    def changed(self, keep):
        """As the disk has it if `keep` tells of each sector whether it got there."""
        data = bytearray(self.safe)
        for at, piece in self.waiting:
            if piece is None:
                if keep():
                    data = data[:at] + bytes(max(0, at - len(data)))
                continue
            for i in range(0, len(piece), 512):
                if keep():
                    end = at + min(i + 512, len(piece))
                    data += bytes(max(0, end - len(data)))
                    data[at + i:end] = piece[i:i + 512]
        return bytes(data)

    def sync(self):
        self.safe, self.waiting = self.changed(lambda: True), []


class Disk:
    """Files, names, and what of both would outlive a loss of power."""

    def __init__(self, folder):
        self.folder = folder
        self.names = {str(p): Inode(p.read_bytes()) for p in folder.rglob("*") if p.is_file()}
        self.safe = dict(self.names)
        self.waiting = []  # (name, inode or None, name that goes, or None)
        self.open = {}

    def path(self, text):
        return os.path.normpath(os.path.join(str(self.folder), text.decode()))

    def name(self, new, inode, old=None):
        self.waiting.append((new, inode, old))
        self.rename(self.names, new, inode, old)

    @staticmethod
    def rename(names, new, inode, old):
        if old:
            names.pop(old, None)
        if inode:
            names[new] = inode
        else:
            names.pop(new, None)

    def do(self, what, fd, path, offset, data):
        """One line of the log. Does it change anything?"""
        at = self.path(path) if path else None
        if what == "create":
            self.open[fd] = Inode()
            self.name(at, self.open[fd])
        elif what == "open":
            self.open[fd] = self.names.get(at, at)  # a folder is its name
        elif what == "write":
            self.open[fd].waiting.append((offset, data))
        elif what == "trunc":
            self.open[fd].waiting.append((offset, None))
        elif what == "rename":
            self.name(self.path(data), self.names[at], at)
        elif what == "link":
            self.name(self.path(data), self.names[at])
        elif what == "unlink":
            self.name(at, None)
        elif what == "sync":
            self.sync(self.open[fd])
        return what not in ("open", "close", "mkdir")

    def sync(self, it):
        if isinstance(it, Inode):
            it.sync()
            return
        for new, inode, old in self.waiting:
            if os.path.dirname(new) == it.rstrip("/"):
                self.rename(self.safe, new, inode, old)
        self.waiting = [w for w in self.waiting if os.path.dirname(w[0]) != it.rstrip("/")]

    def after(self, keep_name, keep_data):
        """Names and contents of what is there when the power is back."""
        names = dict(self.safe)
        for new, inode, old in self.waiting:
            if keep_name():
                self.rename(names, new, inode, old)
        return {n: i.changed(keep_data) for n, i in names.items() if not n.endswith("-shm")}


def log_of(path):
    data, at, head = path.read_bytes() if path.exists() else b"", 0, struct.Struct("8siiqq")
    while at < len(data):
        what, fd, n, offset, size = head.unpack_from(data, at)
        at += head.size
        yield what.rstrip(b"\0").decode(), fd, data[at:at + n], offset, data[at + n:at + n + size]
        at += n + size


class Outage:
    """Commands one after the other; the power may fail at any moment of any of them. Between the
    record of an acknowledgement and the head that goes with it, it has to be said again."""

    def __init__(self, name, like, setup, *steps):
        self.like, self.setup, self.steps, self.small = like, setup, steps, like.small
        self.name = lambda: name

    def run(self, t):
        t.small = self.small
        box, log = t.box(), t.tmp / "log"
        if self.setup:
            self.setup(box)
        disk, chance = Disk(box.at), random.Random(7)
        before, self.bad, self.seen, self.points = self.state(t, box), [], {}, 0
        for args, stdin in self.steps:
            if args is None:
                stdin(box, disk)
                before = self.state(t, box)
                continue
            rc, out, err = box.run(args, stdin, IO_LOG=str(log))
            if rc != 0:
                raise AssertionError("%s: exit %d %s%s" % (args, rc, out, err))
            after = self.state(t, box)
            lines = list(log_of(log))
            log.unlink(missing_ok=True)
            for i, line in enumerate(lines):
                good = before, after, *([(1, *after[1:])] if args == Acknowledge.args else [])
                if disk.do(*line) and i + 1 < len(lines):
                    self.lose(t, disk, box.at, chance, good, "%s, %d: %s" % (args[1], i, line[0]))
            self.lose(t, disk, box.at, chance, (after,), "after %s" % args[1])
            before = after
        t.tell(self, self.points, self.bad, "losses of power")

    def state(self, t, box):
        copy = t.box(box)
        try:
            return self.like.state(copy)
        finally:
            t.drop(copy)

    def lose(self, t, disk, root, chance, good, where):
        yes, no, maybe = (lambda: True), (lambda: False), (lambda: chance.random() < 0.5)
        ways = [("dropped", no, no), ("kept", yes, yes), ("names kept", yes, no), ("names dropped", no, yes)]
        ways += [("reordered", maybe, maybe)] * (2 if t.quick else 8)
        for how, keep_name, keep_data in ways:
            files = disk.after(keep_name, keep_data)
            key = tuple(sorted((n, hash(d)) for n, d in files.items())), good
            self.points += 1
            if key in self.seen:
                continue
            self.seen[key] = True
            wrong = self.judge(t, files, root, good)
            if wrong:
                self.bad.append(("%s, %s" % (where, how), wrong))

    def judge(self, t, files, root, good):
        box = t.box()
        try:
            for name, data in files.items():
                path = box.at / os.path.relpath(name, root)
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(data)
            state = self.like.state(box)
            if state not in good:
                return "there is %.300s\nand not %s" % (state, "\nor ".join("%.300s" % (g,) for g in good))
            if len(self.seen) % 5 == 0:
                box.good(self.like.args, self.like.stdin)
        except AssertionError as e:
            return str(e)
        finally:
            t.drop(box)
        return None


def lose_head(box, disk):
    (box.at / "t.db-head").unlink()
    for names in (disk.names, disk.safe):
        names.pop(str(box.at / "t.db-head"))


def other_price(price):
    def write(box, disk):
        box.write("api.json", API % price)
        disk.names[str(box.at / "api.json")] = disk.safe[str(box.at / "api.json")] = Inode((API % price).encode())
    return None, write


ADD = (Add.args, Add.stdin)
UNDO = (Undo.args, "")
OUTAGES = [
    Outage("trail", Add(), None, ADD, ADD, (Retain.args, ""), ADD),
    Outage("broken trail", Broken(), None, ADD, (None, lose_head), ADD, (Acknowledge.args, ""), ADD),
    Outage("updates", UpdateAgain(), Update().setup, (Update.args, ""), other_price("1.25"), (Update.args, ""),
           other_price("1.2"), (Update.args, ""), UNDO, UNDO),
    Outage("first update", Update(), Update().setup, (Update.args, ""), UNDO, UNDO, UNDO, (Update.args, "")),
]


# -- others -----------------------------------------------------------------------------------

def locked_for_a_while(t):
    """A lock that is held for longer than one attempt waits, and ends during the next: all is stored."""
    holds = "import sqlite3,sys,signal\ndb=sqlite3.connect('t.db',isolation_level=None)\n" \
            "db.execute('BEGIN EXCLUSIVE')\nprint('held',flush=True)\nsignal.pause()"
    s = Scenario()
    s.name = lambda: "lock"
    t.small, box = False, t.box()
    box.good(Add.args, Add.stdin)
    locker = subprocess.Popen([sys.executable, "-c", holds], cwd=box.at, stdout=subprocess.PIPE)
    locker.stdout.readline()
    threading.Thread(target=locker.wait).start()  # one that nobody waits for is still there
    rc, out, err = box.run(Add.args, DIAGNOSTIC % "accepted" * 5000, IO_FREE=str(locker.pid))
    stored = len(box.good(["audit", "--store", "t.db", "--limit", "10000"]).splitlines())
    bad = [] if rc == 0 and "added 5,000" in out and stored == 5002 else [("", "exit %d, %d\n%s%s" % (rc, stored, out, err))]
    locker.kill()
    t.tell(s, 1, bad, "that is held")


def main(args):
    quick = "--quick" in args
    words = [a for a in args[1:] if not a.startswith("-")]
    with tempfile.TemporaryDirectory() as folder:
        tmp = Path(folder).resolve()
        shim = str(tmp / "io_shim.so")
        subprocess.run([os.environ.get("CC", "gcc"), "-std=gnu17", "-Wall", "-Wextra", "-Werror", "-O1", "-shared",
                        "-fPIC", "-o", shim, str(HERE / "io_shim.c"), "-ldl"], check=True)
        t = Torture(str(Path(args[0]).resolve()), shim, tmp, quick)
        for kind in ALL:
            s = kind()
            if not words or any(w in s.name() for w in words):
                t.fail_each(s)
        for s in OUTAGES:
            if not words or any(w in s.name() for w in words):
                s.run(t)
        if not words or "lock" in words:
            locked_for_a_while(t)
        print("%d passed, %d failed" % (t.passed, t.failed))
        return 1 if t.failed or not t.passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
