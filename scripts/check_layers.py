#!/usr/bin/env python3
"""check_layers.py [ROOT] - holds every #include against the order of the pipeline.

    include/cando.h   src/base  text  catalog  rules  facts  request  record  decide  op   stores/   cli/ serve/ mcp/

A file includes its own folder or one further left. The doors (cli, serve, mcp) see only cando.h, src/base,
stores/ and themselves; the daemon also cli/, whose options and files in force are its own; and cli and the daemon
mcp/, which has no way in of its own. The library has no threads and no setjmp, and touches files in src/base/file.c only, so the
system headers for these are refused too. Prints file:line of what breaks a rule, and ends with 1 if anything did.
"""
import os
import re
import sys

PIPELINE = ["base", "text", "catalog", "rules", "facts", "request", "record", "decide", "op"]
DOORS = ["cli", "serve", "mcp", "nginx"]
DOORS_OF_DOORS = {("serve", "cli"), ("serve", "mcp"), ("cli", "mcp")}
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^">]+)[">]')
NEVER = {"setjmp.h", "pthread.h", "threads.h", "signal.h", "sys/socket.h", "netdb.h", "getopt.h"}
FILES_ONLY = {"fcntl.h", "unistd.h", "dirent.h", "sys/stat.h", "sys/mman.h", "sys/types.h"}
SOURCES = (".c", ".h", ".def", ".S")
MADE = "api_words.h"            # of catalog/apis, by scripts/gen_apis.c: names and nothing else, for everybody


def sources(root, folder):
    for at, folders, names in os.walk(os.path.join(root, folder)):
        folders.sort()
        for name in sorted(names):
            if name.endswith(SOURCES):
                yield os.path.relpath(os.path.join(at, name), root)


def home_of(root, path, name):
    """The folder that an #include "name" of `path` leads to: base, ..., op, stores, cli; "" for cando.h; None if nowhere."""
    if name == MADE:
        return ""
    beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
    for place in (beside, os.path.join("src", name), os.path.join("include", name), name):
        place = os.path.normpath(place)
        if os.path.isfile(os.path.join(root, place)):
            parts = place.split(os.sep)
            return "" if parts[0] == "include" else parts[1] if parts[0] == "src" else parts[0]
    return None


def allowed(own, home):
    if home in ("", own):
        return True
    if own in DOORS:
        return home in ("base", "stores") or (own, home) in DOORS_OF_DOORS
    if own == "stores":
        return home in PIPELINE
    return home in PIPELINE and PIPELINE.index(home) < PIPELINE.index(own)


def judge_system(path, own, name):
    if own in DOORS or own == "stores":
        return None
    if name in NEVER:
        return "<%s> has no place in the library" % name
    if name in FILES_ONLY and path != os.path.join("src", "base", "file.c"):
        return "<%s>: files are touched in src/base/file.c only" % name
    return None


def judge(root, path, own, quote, name):
    if quote == "<":
        return judge_system(path, own, name)
    home = home_of(root, path, name)
    if home is None:
        return '"%s" is not a file of the project' % name
    if name.startswith("."):
        return '"%s": write the folder, not the way to it' % name
    if not allowed(own, home):
        return '"%s": %s may not include %s' % (name, own, home)
    return None


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    bad = files = 0
    for top in ["src", "stores"] + DOORS:
        for path in sources(root, top):
            files += 1
            own = path.split(os.sep)[1] if top == "src" else top
            if top == "src" and own not in PIPELINE:
                print("%s:1: src/%s is not a folder of the pipeline" % (path, own))
                bad += 1
                continue
            with open(os.path.join(root, path), encoding="utf-8") as f:
                for no, line in enumerate(f, 1):
                    m = INCLUDE.match(line)
                    wrong = m and judge(root, path, own, m.group(1), m.group(2))
                    if wrong:
                        print("%s:%d: %s" % (path, no, wrong))
                        bad += 1
    print("%d files, %d includes against the order" % (files, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
