#!/usr/bin/env python3
"""cli.py CANDO CLI_JS - the command line for Node beside the program itself: the same output, byte for byte.

Both run every example of README.md and docs/*.md, the help of every verb, and commands that ask much of a system: files and
their modes, other programs, the environment, a terminal. Compared are both outputs, the exit code, and the files that are
left. What the one for Node cannot do it says.
"""
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import examples  # noqa: E402

RULES = 'schema = "cando/rules@1"\n[[models]]\nprovider = "acme"\nid = "acme-1"\nset = { context_window = 4242 }\n'
LOG = "cando cost --provider openai"

# What a system is asked for. Each line is a shell's, in a folder of its own with examples/ in it.
COMMANDS = [
    "cando", "cando nosuchverb", "cando check nosuchfile.json", "cando check examples", "cando --version", "cando version",
    "cando show openai/gpt-5 --colour always | cat", "cando show openai/gpt-5 | head -n 1", "cando where",
    "cando check < examples/hello.json", "cando check /dev/stdin < examples/hello.json", "cat examples/hello.json | cando fix -",
    "cat examples/hello.json | cando check /dev/stdin", "cando check <(cat examples/hello.json)", "cd examples && cando check ../examples/hello.json",
    "cp examples/hello.json r.json; chmod 640 r.json; cando fix --write r.json; ls -l r.json | cut -c 1-10; cat r.json",
    "cp examples/hello.json r.json; ln -s r.json l.json; cando fix --write l.json; readlink l.json; cat r.json",
    "gzip -c examples/log.jsonl > log.jsonl.gz; %s log.jsonl.gz" % LOG, "gzip -c examples/log.jsonl | %s -" % LOG,
    "gzip -c examples/log.jsonl | head -c 60 > cut.gz; %s cut.gz" % LOG,
    "(gzip -c examples/log.jsonl; gzip -c examples/log.jsonl) > two.gz; %s two.gz" % LOG,
    "printf '%%s' '%s' > cando.toml; cando show acme/acme-1; cando show acme/acme-1" % RULES,
    "mkdir -p .config/cando; printf '%%s' '%s' > .config/cando/mine.toml; cando show acme/acme-1; cando where" % RULES,
    "mkdir x; printf '%%s' '%s' > x/mine.toml; cando show acme/acme-1 --overlay x; cando lint x" % RULES,
    "printf '%%s' '%s' > a.toml; cando build -o a.snap a.toml; cando show --rules a.toml acme/acme-1" % RULES,
    "git init -q .; echo gpt-4-0314 > seen.py; echo gpt-4-0314 > passed.py; echo passed.py > .gitignore; cando retiring .",
    "mkdir t; echo gpt-4-0314 > t/seen.py; cando retiring t", "cando init --keys openai; cat cando.toml; cando init --keys openai",
    "CANDO_TODAY=tomorrow cando version", "CANDO_TODAY=2020-01-01 cando show openai/gpt-4o", "HOME= cando where",
    "cando learn openai/o3 \"Unsupported parameter: 'temperature'\" --write my.toml; cat my.toml",
    "for i in 1 2 3 4; do cando learn --target acme/m-$i --probe vision=native --write m.toml & done >/dev/null 2>&1; wait; grep -c ^name m.toml; rm m.toml",
    "cando update --source models.dev=nosuchfile", "echo '{\"op\":\"lint\",\"path\":\"examples/mistake.toml\"}' | cando batch",
]
# On a terminal of 60 columns.
ON_TERMINAL = ["cando show openai/gpt-5", "cando check examples/hello.json", "cando models --limit 5", "NO_COLOR=1 cando show openai/gpt-5"]
# What it cannot do, and says: the words, and the exit code.
REFUSED = [
    ("cando audit add --store trail.db < examples/hello.json", "needs SQLite", 3),
    ("touch trail.db; cando show openai/gpt-5 --observed trail.db", "needs SQLite", 3),
    ("cando update", "without libcurl", 4),
    ("cando key new k", "without libcrypto", 4),
]


def environment(folder, **more):
    env = {"PATH": os.path.join(folder, "bin") + ":" + os.environ["PATH"], "HOME": folder, "LC_ALL": "C.UTF-8",
           "TERM": "xterm", "CANDO_TODAY": "2026-11-16"}
    return dict(env, **more)


def make_folder(parent, program):
    folder = tempfile.mkdtemp(dir=parent)
    os.mkdir(os.path.join(folder, "bin"))
    os.mkdir(os.path.join(folder, "build"))
    os.symlink(program, os.path.join(folder, "bin", "cando"))
    os.symlink(os.path.join(ROOT, "examples"), os.path.join(folder, "examples"))
    return folder


def tree(folder):
    """Names, kinds and modes of what was left, and what is in it; of the cache, whose names are made of paths, the modes."""
    found = []
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if f not in (".git", "bin") and not os.path.islink(os.path.join(at, f)))
        for name in folders + sorted(names):
            path = os.path.join(at, name)
            cached = at.endswith("/.cache/cando")
            text = b""
            if os.path.isfile(path) and not cached:
                with open(path, "rb") as f:
                    text = f.read()
            found.append((".cache" if cached else os.path.relpath(path, folder), oct(os.lstat(path).st_mode), text))
    return found


def run(command, folder):
    p = subprocess.run(["bash", "-c", command], cwd=folder, env=environment(folder), capture_output=True, timeout=120, check=False)
    return p.stdout, p.stderr, p.returncode


def run_on_terminal(command, folder):
    import fcntl
    import termios
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    p = subprocess.Popen(["bash", "-c", command], cwd=folder, env=environment(folder, PAGER="cat"), stdin=slave, stdout=slave,
                         stderr=slave, start_new_session=True)
    os.close(slave)
    said = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:
            part = b""
        if not part:
            break
        said += part
    os.close(master)
    return said, b"", p.wait()


def groups(cando):
    """Commands that run one after another in one folder, and how."""
    paths = [os.path.join(ROOT, "README.md")] + sorted(examples.glob.glob(os.path.join(ROOT, "docs", "*.md")))
    for path in paths:
        with open(path, encoding="utf-8") as f:
            text = f.read()
        commands = [m[0] for m in examples.BLOCK.findall(text)] + [c.replace("\\|", "|") for c, _ in examples.ROW.findall(text)]
        commands = [c for c in commands if " --store " not in c] # a trail is refused, as below
        if commands:
            yield commands, run
    overview = subprocess.run([cando, "help"], capture_output=True, check=True, text=True).stdout
    verbs = [v for v in re.findall(r"^  ([a-z_]+)  ", overview, re.MULTILINE)]
    yield ["cando help", "cando help --man", "cando help fields"] + ["cando help " + v for v in verbs], run
    yield from (([command], run) for command in COMMANDS)
    yield from (([command], run_on_terminal) for command in ON_TERMINAL)


def compare(parent, programs, commands, how):
    folders = [make_folder(parent, p) for p in programs]
    found = []
    for command in commands:
        want, have = ((tuple(x.replace(f.encode(), b"HERE") if isinstance(x, bytes) else x for x in how(command, f))) for f in folders)
        found.append((command, None if want == have else "the program says %r\nand for Node %r" % (want, have)))
    want, have = map(tree, folders)
    if want != have:
        found.append((commands[-1], "leaves %.2000r\nand for Node %.2000r" % ([x for x in want if x not in have], [x for x in have if x not in want])))
    return found


def refuse(parent, program, command, words, code):
    out, err, had = run(command, make_folder(parent, program))
    if had == code and words.encode() in err and not out:
        return [(command, None)]
    return [(command, "for Node it says %r, and ends with %d" % (out + err, had))]


def main():
    programs = [os.path.realpath(p) for p in sys.argv[1:3]]
    with tempfile.TemporaryDirectory() as parent, ThreadPoolExecutor(int(os.environ.get("JOBS") or os.cpu_count() or 1)) as pool:
        jobs = [pool.submit(compare, parent, programs, *group) for group in groups(programs[0])]
        jobs += [pool.submit(refuse, parent, programs[1], *row) for row in REFUSED]
        results = [r for job in jobs for r in job.result()]
    failed = [(command, wrong) for command, wrong in results if wrong]
    for command, wrong in failed:
        print("$ %s\n%s" % (command, wrong[:3000]))
    print("%d passed, %d failed" % (len(results) - len(failed), len(failed)))
    return 1 if failed or len(results) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
