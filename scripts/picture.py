#!/usr/bin/env python3
"""picture.py CANDO [--write] - docs/terminal.svg, the picture of a terminal in README.md, from what the program prints.

Without --write it says whether the picture is as the program is today.
"""
import html
import os
import re
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
PATH = os.path.join(ROOT, "docs", "terminal.svg")
COMMANDS = ["cat hello.json", "cando check hello.json", "cando fix hello.json"]
COLUMNS, CHAR, LINE, PAD = 104, 8.4, 18, 16
STYLE = re.compile(r"\x1b\[([0-9]*)m")
COLOURS = {"1": "font-weight='bold'", "2": "fill='#8b949e'", "31": "fill='#ff7b72'", "32": "fill='#7ee787'",
           "33": "fill='#e3b341'", "36": "fill='#79c0ff'"}


def run(cando, command):
    words = command.split()
    if words[0] == "cando":
        words = [cando] + words[1:] + ["--color", "always", "--no-config"]
    env = dict(os.environ, CANDO_TODAY="2026-11-16")
    p = subprocess.run(words, cwd=os.path.join(ROOT, "examples"), env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       timeout=60, check=False)
    return p.stdout.decode().splitlines()


def spans(line):
    """A line with its colours as tspans, broken where a terminal would break it."""
    lines, out, width, style = [], "", 0, ""
    for i, part in enumerate(STYLE.split(line)):
        if i % 2:
            style = COLOURS.get(part, "")
            continue
        while part:
            piece, part = part[:COLUMNS - width], part[COLUMNS - width:]
            text = html.escape(piece, quote=False)
            out += "<tspan %s>%s</tspan>" % (style, text) if style else text
            width += len(piece)
            if part:
                lines.append(out)
                out, width = "", 0
    return lines + [out]


def picture(cando):
    lines = []
    for command in COMMANDS:
        lines.append("<tspan fill='#7ee787'>$</tspan> <tspan font-weight='bold'>%s</tspan>" % command)
        for line in run(cando, command):
            lines += spans(line)
        lines.append("")
    lines.pop()
    width, height = COLUMNS * CHAR + 2 * PAD, len(lines) * LINE + 2 * PAD
    out = ["<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d'>" % (width, height, width, height),
           "<title>a request that would get a 400, and its repair</title>",
           "<rect width='100%' height='100%' rx='8' fill='#0d1117'/>",
           "<g font-family='ui-monospace,SFMono-Regular,Menlo,Consolas,monospace' font-size='14' fill='#e6edf3' "
           "style='white-space:pre'>"]
    for i, line in enumerate(lines):
        if line:
            out.append("<text x='%d' y='%d' xml:space='preserve'>%s</text>" % (PAD, PAD + (i + 1) * LINE - 5, line))
    return "\n".join(out + ["</g>", "</svg>", ""])


def main():
    if len(sys.argv) < 2:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    fresh = picture(os.path.realpath(sys.argv[1]))
    if "--write" in sys.argv:
        with open(PATH, "w", encoding="utf-8") as f:
            f.write(fresh)
        return 0
    with open(PATH, encoding="utf-8") as f:
        if f.read() == fresh:
            return 0
    print("docs/terminal.svg shows something else than the program prints: make docs")
    return 1


if __name__ == "__main__":
    sys.exit(main())
