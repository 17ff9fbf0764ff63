#!/usr/bin/env python3
"""mutants.py N [SEED[+FROM]] [PLACE...] - how much of what the code means do the fast tests notice?

Takes N random places of src, changes the meaning of one operator or constant in each, and runs
against it what is fast, one thing after the other until one fails: the unit tests named like the
file, the cases, all other unit and property tests, the failing allocations of the torture, and
what of the command line's tests is about its folder. A test that takes seconds is left out if it
does not include anything of the file's folder. What nothing of this kills is run once more with
invariants and with the sanitizers of address and undefined behaviour, by the tests that take no time:
that a loop reads one item too many is seen by nothing else. FAST=1 leaves out all that takes seconds
but what is named like the file: about half the time, and a few more survive. FAST=2 takes only what takes no
time, and no sanitizers: a first look.
What survives is printed with its place: a test is missing, or the change means nothing. A change
that does not compile, or that the compiler makes the same code of, is no mutant, and another place
is taken.

The tree is a copy, built as VARIANT=mutants and mutasan: the library is shared there, so that a change costs
one compilation and one link. Where it changes the snapshot of the catalog, the tests run with that
snapshot; what the generator of the APIs' tables makes stays. That a test passes as it is, is asked when it
fails for the first time; that, its time and what it has killed are kept in build/mutants/passed.json. The seed is printed, and gives the same sample again; a sample can be taken in portions, the
last line says how to go on. PLACE ("src/a/b.c:12") tries all changes of that line instead.
"""
import hashlib
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, "tests")
import run_cases  # noqa: E402

CHANGES = [
    (r" == ", " != "), (r" != ", " == "), (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "),
    (r" >= ", " > "), (r" && ", " || "), (r" \|\| ", " && "), (r" \+ 1\b", ""), (r" - 1\b", ""),
    (r"\breturn true;", "return false;"), (r"\breturn false;", "return true;"),
    (r"\bif \(!(?=[\w>.()-]+\)$)", "if ("), (r"\bif \((?=[\w>.()-]+\)$)", "if (!"),
    (r"\bbreak;", ";"), (r"\+\+;", ";"),
]
PLAIN, CHECKED = "mutants", "mutasan"
os.environ["ASAN_OPTIONS"] = "detect_leaks=0"
os.environ.setdefault("CANDO_ROUNDS", "300")  # of the property tests: a tenth of what they do else
SLOW, QUICK = 2, 0.5  # seconds
UNKNOWN = 5, 0.2  # seconds that a command takes, and of the processor's time
LIBRARY, SOME_FILE = "libcando_int.so", "src/text/json"
CLI_RUN = "tests/cli/run.sh"
CLI = {"rules": ["lint", "build", "harn", "nika", "matrix"], "facts": ["facts"], "request": ["check", "cost"],
       "record": ["audit", "learn"], "decide": ["decide", "models", "retiring"], "op": ["batch"], "catalog": ["show"]}
MORE = {("tests/toml_cases.sh", "/toml-test"): "text", ("tests/instances.py", "/cando", "tests/cases"): "text",
        ("tests/uses.py", "/cando"): "catalog rules decide request"}


def code_lines(path):
    """(number, text) of lines that are code: no comment, no declaration of a table."""
    inside = False
    for i, line in enumerate(path.read_text().split("\n")):
        text = line.strip()
        if text.startswith("/*"):
            inside = "*/" not in text
            continue
        if inside:
            inside = "*/" not in text
            continue
        if text and not text.startswith(("#", "*", "//", "invariant(")):
            yield i, line


def places_of(root, only):
    """All (path, line, change), in a random order unless some lines are named."""
    found = []
    for path in sorted(root.glob("src/*/*.c")):
        for i, line in code_lines(path):
            code = re.sub(r'"(\\.|[^"\\])*"|/\*.*?\*/', lambda m: "\0" * len(m.group()), line)
            name = "%s:%d" % (path.relative_to(root), i + 1)
            if only and name not in only:
                continue
            found += [(path, i, k) for k, (old, _) in enumerate(CHANGES) if re.search(old, code)]
    return found


def cpu_time():
    use = resource.getrusage(resource.RUSAGE_CHILDREN)
    return use.ru_utime + use.ru_stime


class Tree:
    """The copy, and what is run in it."""

    def __init__(self, root, variant):
        self.root, self.variant, self.build = root, variant, "build/" + variant
        self.took, self.cpu = {}, {}  # seconds of a command, as it is; of the processor's time
        self.asked, self.said = {}, {}  # of a file of cases: its questions; the replies that are right
        self.kills = {}  # folder and command: how many it has killed in this run
        self.library = str(root / self.build / LIBRARY)
        shutil.copy(self.library, self.library + ".good")
        self.jobs = "-j%d" % int(os.environ.get("JOBS") or os.cpu_count() or 1)

    def name(self, command):
        return " ".join([self.variant] + [str(part).replace(str(self.root) + "/", "") for part in command])

    def stamp(self, command):
        """What a command is made of: as long as it is the same, it passes again."""
        files = [self.root / self.build / "cando", self.library + ".good"]
        files += [self.root / part for part in command if (self.root / part).is_file()]
        return hashlib.sha256(b"".join(hashlib.sha256(Path(f).read_bytes()).digest() for f in files)).hexdigest()

    def remember(self, kept):
        """What is known from before: times, and what has killed what."""
        self.kept = kept
        for c in self.all_tests(self.root / "none.c"):
            _, self.took[c], self.cpu[c], killed = kept.get(self.name(c), [None, *UNKNOWN, {}])
            self.kills.update({(folder, c): n for folder, n in killed.items()})

    def is_sound(self, command):
        """Does it pass as it is? Asked when it has failed for the first time."""
        name, stamp = self.name(command), self.stamp(command)
        known = self.kept.setdefault(name, [None, *UNKNOWN, {}])
        if known[0] == stamp:
            return True
        shutil.copy(self.library, self.library + ".bad")
        shutil.copy(self.library + ".good", self.library)
        self.took[command] = 60  # it may take its time
        start, before = time.monotonic(), cpu_time()
        good = self.passes(command)
        self.took[command], self.cpu[command] = time.monotonic() - start, cpu_time() - before
        shutil.copy(self.library + ".bad", self.library)
        if not good:
            sys.exit("this does not pass as it is: %s" % name)
        known[:3] = stamp, self.took[command], self.cpu[command]
        return not self.passes(command)

    def fails(self, command, folder):
        """Does the change make it fail?"""
        start, before = time.monotonic(), cpu_time()
        if self.passes(command):
            known = self.kept.setdefault(self.name(command), [None, *UNKNOWN, {}])
            before_that = known[1] if known[1] != UNKNOWN[0] else 0  # a guess is no measure
            known[1] = self.took[command] = max(before_that, time.monotonic() - start)
            known[2] = self.cpu[command] = cpu_time() - before
            return False
        if not self.is_sound(command):
            return False
        self.kills[folder, command] = self.kills.get((folder, command), 0) + 1
        self.kept[self.name(command)][3][folder] = self.kills[folder, command]
        return True

    def recipes(self):
        """How make compiles a file and links the library: asked once, not for each change."""
        p = subprocess.run(["make", "-n", "-s", "VARIANT=" + self.variant, "-W", SOME_FILE + ".c", self.build + "/" + LIBRARY],
                           cwd=self.root, capture_output=True, text=True, check=True)
        lines = p.stdout.replace("\\\n", " ").split("\n")
        return [next(x for x in lines if sign in x) for sign in (SOME_FILE + ".o ", " -shared ")]

    def compile(self, path):
        name = str(path.relative_to(self.root))[:-2]
        return self.run("sh", "-c", self.recipe[0].replace(SOME_FILE + ".", name + "."))

    def link(self):
        return self.run("sh", "-c", self.recipe[1])

    def run(self, *command):
        limit = 20 + 10 * self.took.get(command, 60)
        p = subprocess.Popen(command, cwd=self.root, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             start_new_session=True, env={**os.environ, "CANDO_TODAY": "2026-11-16"})
        try:
            good = p.wait(timeout=limit) == 0
        except subprocess.TimeoutExpired:
            good = False
            os.killpg(p.pid, signal.SIGKILL)
            p.wait()
        return good

    def cases(self, file):
        """One file of cases."""
        run_cases.TIMEOUT = 20 + 10 * self.took.get(("cases", file), 60)
        if file not in self.asked:
            self.asked[file] = run_cases.questions(file)
        cases, text = self.asked[file]
        try:
            p = run_cases.ask(str(self.root / self.build / "cando"), text)
            reply = (p.returncode, p.stdout)
            good = reply == self.said.get(file)
            if not good:
                good = not any(wrong for _, wrong in run_cases.judge_all(file, cases, p))
            if good:
                self.said.setdefault(file, reply)
        except Exception:  # whatever it printed, or did not
            good = False
        return good

    def passes(self, command):
        return self.cases(command[1]) if command[0] == "cases" else self.run(*command)

    def make(self, *targets):
        return self.run("make", "-s", self.jobs, "VARIANT=" + self.variant,
                        *[self.build + "/" + t for t in targets])

    def more(self, command):
        return (command[0], self.build + command[1], *command[2:])

    def concerns(self, command, folder, near):
        """Is it quick, or about this folder?"""
        for other, folders in MORE.items():
            if folder and command == self.more(other):
                return folder in folders.split()
        if os.environ.get("FAST") == "2":
            return self.cpu.get(command, 0) < (SLOW if command in near else QUICK) and command[0] != CLI_RUN
        if not folder or (self.cpu.get(command, 0) < SLOW and command[0] != CLI_RUN):
            return True
        if os.environ.get("FAST") and self.cpu.get(command, 0) >= SLOW:
            return command in near
        if command[0] == "cases":
            return folder in ("catalog", "rules", "decide")
        if command[0] == CLI_RUN:
            return Path(command[2]).stem in CLI.get(folder, [])
        source = self.root / (command[0][len(self.build) + 1:] + ".c")
        if "audit" in source.name:
            return folder == "record"
        return not source.exists() or '#include "%s/' % folder in self.with_headers(source)

    @staticmethod
    def with_headers(source):
        text = source.read_text()
        near = re.findall(r'#include "(\w+\.h)"', text)
        return text + "".join((source.parent / h).read_text() for h in near if (source.parent / h).exists())

    def tests(self, path):
        """Commands, the most telling ones first."""
        folder = path.parent.name if path.parent != self.root else None
        near = self.named_like(path)
        return [c for c in self.all_tests(path) if self.concerns(c, folder, near)]

    def units(self):
        return [self.build + "/" + str(p.relative_to(self.root))[:-2]
                for p in sorted(self.root.glob("tests/*/*.c")) if p.name.startswith(("test_", "prop_"))]

    def named_like(self, path):
        """Unit tests whose names have the file's name in them, or a word of it."""
        words = [w for w in path.stem.split("_") if len(w) > 2]
        near = [u for u in self.units() if u.endswith("/test_" + path.stem)]
        near += [u for u in self.units() if u not in near and any(w in u.split("/test_")[-1] for w in words)]
        return [(u,) for u in near]

    def all_tests(self, path):
        near = self.named_like(path)
        yield from near
        rest = [(u,) for u in self.units() if (u,) not in near]
        rest += [("cases", f) for f in sorted(self.root.glob("tests/cases/*.jsonl"))]
        rest += [(self.build + "/tests/torture", "--quick")]
        rest += [(CLI_RUN, self.build + "/cando", "tests/cli/%s.sh" % name)
                 for name in sorted({n for names in CLI.values() for n in names})]
        rest += [self.more(c) for c in MORE]
        # what takes little first, and what has killed before as if it took less
        yield from sorted(rest, key=lambda c: self.cpu.get(c, 0) / (1 + 4 * self.kills.get((path.parent.name, c), 0)))

    def fresh_snapshot(self):
        """The built-in catalog as the changed program makes it; false: it makes none."""
        old = self.root / self.build / "builtin.snap"
        new = self.root / "new.snap"
        command = (self.build + "/cando", "build", "-q", "-o", "new.snap", "catalog")
        self.took.setdefault(command, UNKNOWN[0])  # a change that never ends begins here, too
        if not self.run(*command):
            return False
        if new.read_bytes() == old.read_bytes():
            return True
        shutil.copy(new, self.root / "build/builtin.snap")
        return self.make(LIBRARY)

    def killer(self, path):
        """What kills it, or None."""
        snapshot = self.root / "build/builtin.snap"
        saved = snapshot.read_bytes()
        compiles = path.parent.name in ("base", "text", "catalog", "rules")
        try:
            for command in self.tests(path):
                if compiles and command[0] == "cases":
                    compiles = False
                    if not self.fresh_snapshot():
                        return ("build",)
                if self.fails(command, path.parent.name):
                    return command
            return None
        finally:
            if snapshot.read_bytes() != saved:
                snapshot.write_bytes(saved)
                self.make(LIBRARY)

    def quick(self, path, plain):
        """The commands that take no time without the checks."""
        for command in plain.all_tests(path):
            if plain.cpu.get(command, 0) < QUICK and not command[0].startswith("tests/"):
                yield (command[0].replace(plain.build, self.build), *command[1:])

    def killer_of_quick(self, path, plain):
        if not self.compile(path) or not self.link():
            return ("sanitizers",)
        bad = next((c for c in self.quick(path, plain) if self.fails(c, path.parent.name)), None)
        return bad and (*bad[:-1], str(bad[-1]) + ", checked")


def judge(tree, checked, path, i, k):
    """None: it is no mutant; else what killed it, or None, and the line as it was changed."""
    old, times = path.read_text(), path.stat()
    made = [t.root / t.build / "obj" / path.relative_to(t.root).with_suffix(".o") for t in (tree, checked)]
    code = [m.read_bytes() for m in made]
    lines = old.split("\n")
    lines[i] = re.sub(CHANGES[k][0], CHANGES[k][1], lines[i], count=1)
    path.write_text("\n".join(lines))
    try:
        if not tree.compile(path) or made[0].read_bytes() == code[0] or not tree.link():
            return None
        killer = tree.killer(path)
        if not killer and os.environ.get("FAST") != "2":
            killer = checked.killer_of_quick(path, tree)
        return killer, lines[i].strip()
    finally:  # the objects as well: the next change need not compile this one again
        path.write_text(old)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        for m, c in zip(made, code):
            m.write_bytes(c)


def main(n, seed, first, only):
    print("seed %d" % seed, flush=True)
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "cando"
        shutil.copytree(".", root, symlinks=True, ignore=lambda at, names: [
            x for x in names if x == ".git" or
            (at == "./build" and x not in ("gen", "gen_apis", PLAIN, CHECKED, "builtin.snap"))])
        tree, checked = Tree(root, PLAIN), Tree(root, CHECKED)
        # the snapshot and the tables are there already: what makes them need not be made
        makefile = (root / "Makefile").read_text().replace("\nbuild/builtin.snap: FORCE\n", "\nbuild/builtin.snap:\n")
        (root / "Makefile").write_text(re.sub(r"\nbuild/gen_apis: .*", "\nbuild/gen_apis:", makefile))
        tree.recipe, checked.recipe = tree.recipes(), checked.recipes()
        notes = Path("build/%s/passed.json" % PLAIN)
        kept = json.loads(notes.read_text()) if notes.exists() else {}
        tree.remember(kept)
        checked.remember(kept)
        places = places_of(root, only)
        if not only:
            chance.shuffle(places)
        killed = survived = 0
        for path, i, k in places[first:]:
            if not only and killed + survived == n:
                break
            first += 1
            start = time.monotonic()
            result = judge(tree, checked, path, i, k)
            notes.write_text(json.dumps(kept))
            if result is None:
                continue
            killer, line = result
            killed += killer is not None
            survived += killer is None
            if killer is None or only or os.environ.get("V"):
                print("%s:%d: %s: %s (%d s)" % (path.relative_to(root), i + 1,
                      "killed by " + Path(killer[-1]).name if killer else "survived",
                      line, time.monotonic() - start), flush=True)
        print("%d killed, %d survived" % (killed, survived))
        if not only:
            print("to go on: SEED=%d+%d" % (seed, first))


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the copy goes, too
    args = sys.argv[2:]
    given = args.pop(0).split("+") if args and re.fullmatch(r"\d+(\+\d+)?", args[0]) else []
    main(int(sys.argv[1]), int(given[0]) if given else random.SystemRandom().randrange(10**9),
         int(given[1]) if given[1:] else 0, args)
