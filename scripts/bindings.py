#!/usr/bin/env python3
"""bindings.py CANDO js|python|readme FOLDER - what the packages of other languages say of the operations.

All of it comes from the operations' own description (`cando schema`): the list of methods, which
members are JSON of any kind (they may be given as bytes), and the types of questions and answers.

    js      operations.js, cando.d.ts
    python  operations.py, _types.py
    readme  README.md of the package for JavaScript: the table of its methods
"""
import json
import keyword
import os
import re
import subprocess
import sys

# Any JSON, but a text is a text there and never JSON of its own.
TEXT_AS_IT_IS = {("redact", "value"), ("learn", "error")}
# Members of an answer that are left out only if a question says which it wants, with `only`.
WITHOUT_ONLY = {"preflight": "findings"}
# Members of every question that the methods set by themselves, or that nobody needs with them.
ENVELOPE = ("op", "id")


def main_member(schema):
    """The member that a question of one text is: the first that must be there, if it can be one."""
    required = schema["question"].get("required") or []
    if len(required) != 1:
        return None
    member = schema["question"]["properties"][required[0]]
    kinds = [member] + member.get("anyOf", [])
    texts = any("string" in (k.get("type") or []) for k in kinds)
    return required[0] if texts else None


def is_any(member):
    return not any(k in member for k in ("type", "enum", "anyOf", "oneOf", "const"))


def members(schema):
    return [(k, v) for k, v in schema["properties"].items() if k not in ENVELOPE]


def json_members(op, schema):
    return [k for k, v in members(schema["question"]) if is_any(v) and (op, k) not in TEXT_AS_IT_IS]


def camel(name):
    return re.sub(r"_([a-z])", lambda m: m[1].upper(), name)


def pascal(name):
    return camel("_" + name)


# -- TypeScript ----------------------------------------------------------------------------------

SCALARS = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def ts_type(s, pad):
    if "enum" in s:
        return " | ".join(dict.fromkeys(json.dumps(v) for v in s["enum"]))
    for key in ("anyOf", "oneOf"):
        if key in s:
            return " | ".join(dict.fromkeys(ts_type(t, pad) for t in s[key]))
    kinds = s.get("type")
    if kinds is None:
        return "Json"
    kinds = kinds if isinstance(kinds, list) else [kinds]
    return " | ".join(dict.fromkeys(ts_kind(s, k, pad) for k in kinds))


def ts_kind(s, kind, pad):
    if kind in SCALARS:
        return SCALARS[kind]
    if kind == "array":
        item = ts_type(s["items"], pad) if "items" in s else "Json"
        return f"Array<{item}>"
    if s.get("properties"):
        return "{\n" + ts_members(s, pad + "  ") + pad + "}"
    more = s.get("additionalProperties")
    return f"Record<string, {ts_type(more, pad)}>" if isinstance(more, dict) else "Record<string, Json>"


def ts_members(s, pad, leave_out=(), ready=()):
    out = ""
    for name, member in s["properties"].items():
        if name in leave_out:
            continue
        if member.get("description"):
            out += f"{pad}/** {member['description']} */\n"
        optional = "" if name in (s.get("required") or []) else "?"
        kind = ts_type(member, pad)
        if name in ready:
            kind = "Body"
        key = name if re.fullmatch(r"[A-Za-z_]\w*", name) else json.dumps(name)
        out += f"{pad}{key}{optional}: {kind};\n"
    return out


TS_HEAD = """// Generated from the operations' description: do not edit.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json | undefined };

/** JSON of any kind: an object of whatever type, JSON text, or the bytes of it, which are not parsed here. */
export type Body = Json | object;

/** A file that load() can fetch or read, or what is in it. */
export type Source = string | URL | Response | Uint8Array | ArrayBuffer;

export interface LoadOptions {
  /**
   * "addon": the library for Node, an error where there is none. "wasm": WebAssembly, from the file
   * beside the module. Anything else is that file. Without it the addon where it loads, else "wasm".
   */
  engine?: "addon" | "wasm" | Source | WebAssembly.Module;
  /** The catalog: cando.snap. Without it the file beside the module. */
  catalog?: Source;
  /** Rule files of one's own, as texts, on top of the catalog. */
  overlay?: string | Uint8Array | Array<string | Uint8Array>;
  /** The day that counts as today, "2026-11-15"; else the clock's. */
  today?: string;
}

export declare function load(options?: LoadOptions): Promise<Cando>;

export declare class CandoError extends Error {
  /** Stable; `cando explain CODE` has its long text. */
  code: string;
  /** A JSON Pointer into the question, or a file. */
  at?: string;
  hint?: string;
}
"""


def write_js(schemas, folder):
    ops = {
        "operations": list(schemas),
        "jsonMembers": {op: json_members(op, s) for op, s in schemas.items()},
        "mainMembers": {op: main_member(s) for op, s in schemas.items() if main_member(s)},
    }
    text = "// Generated from the operations' description: do not edit.\n"
    for name, value in ops.items():
        text += f"export const {name} = {json.dumps(value, indent=2)};\n"
    put(folder, "operations.js", text)
    out = TS_HEAD
    for op, s in schemas.items():
        ready = json_members(op, s)
        out += f"\nexport interface {pascal(op)}Question {{\n"
        out += ts_members(s["question"], "  ", ENVELOPE, ready) + "}\n"
        if s["answer"].get("properties"):
            out += f"export interface {pascal(op)}Answer {{\n" + ts_members(s["answer"], "  ") + "}\n"
        else:
            out += f"export type {pascal(op)}Answer = {ts_type(s['answer'], '')};\n"
    out += "\nexport interface Operations {\n"
    for op in schemas:
        out += f"  {op}: {{ question: {pascal(op)}Question; answer: {pascal(op)}Answer }};\n"
    out += "}\n\nexport declare class Cando {\n"
    out += '  /** Which engine runs. */\n  readonly engine: "addon" | "wasm";\n'
    for op, s in schemas.items():
        title = s["question"].get("description", op)
        out += f"  /** {title[0].upper() + title[1:]}. */\n"
        main = main_member(s)
        if main:
            out += (f"  {camel(op)}({main}: string, more?: Omit<{pascal(op)}Question, \"{main}\">)"
                    f": {pascal(op)}Answer;\n")
        always = WITHOUT_ONLY.get(op)
        if always:
            out += (f"  {camel(op)}(question: {pascal(op)}Question & {{ only?: undefined }})"
                    f": {pascal(op)}Answer & Required<Pick<{pascal(op)}Answer, \"{always}\">>;\n")
        optional = "" if s["question"].get("required") else "?"
        out += f"  {camel(op)}(question{optional}: {pascal(op)}Question): {pascal(op)}Answer;\n"
    out += """  /** Any operation: `call({ op: "resolve", target: "openai/gpt-5" })`. */
  call<Op extends keyof Operations>(question: { op: Op } & Operations[Op]["question"]): Operations[Op]["answer"];
  call(question: string | Uint8Array): Json;
  /** The operation `op` with these arguments; what call() and the methods do. */
  operation<Op extends keyof Operations>(op: Op, question: Operations[Op]["question"]): Operations[Op]["answer"];
  /** A question as JSON; its answer as JSON text, envelope and all. */
  raw(question: string | Uint8Array): string;
  /** From now on this day ("2026-11-15") counts as today; null: the clock's day again. */
  setToday(day: string | null): void;
  /** Puts the text of a rule file on top of what the catalog says. */
  addOverlay(text: string | Uint8Array): void;
  /** Gives the engine's memory back. Nothing can be asked afterwards. */
  close(): void;
}
"""
    put(folder, "cando.d.ts", out)


def write_readme(schemas, folder):
    """Fills in what stands between the marks."""
    rows = "| method | |\n|---|---|\n"
    for op, s in schemas.items():
        main, required = main_member(s), s["question"].get("required") or []
        args = f"{main}, {{ ... }}" if main else "{ " + ", ".join(required + ["..."]) + " }"
        rows += f"| `{camel(op)}({args})` | {s['question'].get('description', op)} |\n"
    with open(os.path.join(folder, "README.md"), encoding="utf-8") as f:
        text = f.read()
    put(folder, "README.md", re.sub(r"(?s)(<!-- methods -->\n).*(<!-- end -->)", lambda m: m[1] + rows + m[2], text))


# -- Python -----------------------------------------------------------------------------------

PY_SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


class PyTypes:
    """TypedDicts need names: each object gets one, after the way that leads to it."""

    def __init__(self):
        self.text = ""

    def of(self, s, name):
        if "enum" in s:
            return "Literal[" + ", ".join(dict.fromkeys(repr(v) for v in s["enum"])) + "]"
        for key in ("anyOf", "oneOf"):
            if key in s:
                parts = [self.of(t, f"{name}{i or ''}") for i, t in enumerate(s[key])]
                return self.union(parts)
        kinds = s.get("type")
        if kinds is None:
            return "Any"
        kinds = kinds if isinstance(kinds, list) else [kinds]
        return self.union([self.kind(s, k, name) for k in kinds])

    @staticmethod
    def union(parts):
        parts = list(dict.fromkeys(parts))
        return parts[0] if len(parts) == 1 else "Union[" + ", ".join(parts) + "]"

    def kind(self, s, kind, name):
        if kind in PY_SCALARS:
            return PY_SCALARS[kind]
        if kind == "array":
            return f"List[{self.of(s['items'], name + 'Item')}]" if "items" in s else "List[Any]"
        if s.get("properties"):
            self.struct(s, name)
            return f'"{name}"'
        more = s.get("additionalProperties")
        return f"Dict[str, {self.of(more, name + 'Value')}]" if isinstance(more, dict) else "Dict[str, Any]"

    def struct(self, s, name, leave_out=()):
        items = [(k, self.of(m, name + pascal(k)), m.get("description"))
                 for k, m in s["properties"].items() if k not in leave_out]
        required = set(s.get("required") or [])
        parts = ""
        base = "TypedDict"
        for wanted, suffix, total in ((True, "Required", ""), (False, "", ", total=False")):
            chosen = [i for i in items if (i[0] in required) == wanted]
            if wanted and not chosen:
                continue
            own = name + (suffix if wanted and len(chosen) < len(items) else "")
            if not wanted and not chosen and base != "TypedDict":
                continue
            parts += py_struct(own, base, total, chosen)
            base = own
        self.text += parts


def py_struct(name, base, total, items):
    if any(keyword.iskeyword(k) or not k.isidentifier() for k, _, _ in items):
        body = ", ".join(f"{k!r}: {t}" for k, t, _ in items)
        own = f"_{name}" if base != "TypedDict" else name
        text = f'\n{own} = TypedDict("{own}", {{{body}}}{total})\n'
        return text + (f"class {name}({base}, {own}): pass\n" if own != name else "")
    text = f"\nclass {name}({base}{total}):\n"
    for key, kind, doc in items:
        text += f"    {key}: {kind}\n"
        if doc:
            text += f"    {doc!r}\n"
    return text + ("" if items else "    pass\n")


def write_python(schemas, folder):
    text = '"""Generated from the operations\' description: do not edit."""\n'
    text += f"OPERATIONS = {list(schemas)!r}\n"
    text += f"JSON_MEMBERS = {({op: json_members(op, s) for op, s in schemas.items()})!r}\n"
    text += f"MAIN_MEMBERS = {({op: main_member(s) for op, s in schemas.items() if main_member(s)})!r}\n"
    text += f"DOCS = {({op: py_doc(op, s) for op, s in schemas.items()})!r}\n"
    put(folder, "operations.py", text)
    types = PyTypes()
    methods = ""
    for op, s in schemas.items():
        types.struct(s["question"], pascal(op) + "Question", ENVELOPE)
        if s["answer"].get("properties"):
            types.struct(s["answer"], pascal(op) + "Answer")
        else:
            types.text += f"\n{pascal(op)}Answer = {types.of(s['answer'], pascal(op) + 'Answer')}\n"
        methods += py_method(op, s)
    head = ('"""Generated from the operations\' description: do not edit."""\n'
            "from typing import Any, Dict, List, Literal, TypedDict, Union\n")
    put(folder, "_types.py", head + types.text)
    functions = "".join(line[4:] + "\n" for line in methods.splitlines()).replace("(self, ", "(")
    put(folder, "__init__.pyi", PY_TYPES.replace("@METHODS@", methods).replace("@FUNCTIONS@", functions))


def py_doc(op, s):
    """What help() says: the operation, its arguments and where its result is described."""
    required = s["question"].get("required") or []
    title = s["question"].get("description", op)
    text = f"{title[0].upper() + title[1:]}.\n\n"
    for name, member in members(s["question"]):
        needed = " (needed)" if name in required else ""
        text += f"    {name}{needed}: {member.get('description', '')}".rstrip(": ") + "\n"
    return text + f"\nThe result is a cando._types.{pascal(op)}Answer.\n"


def py_name(op):
    return op + "_" if keyword.iskeyword(op) else op


def py_method(op, s):
    required = s["question"].get("required") or []
    main = main_member(s)
    args = []
    types = PyTypes()
    for name, member in members(s["question"]):
        if keyword.iskeyword(name):
            continue
        kind = types.of(member, "Any")
        kind = "Any" if '"' in kind else kind
        args.append((name, kind, name in required))
    first = [f"{n}: {k}" for n, k, _ in args if n == main]
    rest = [f"{n}: {k}" + ("" if must else " = ...") for n, k, must in args if n != main]
    title = s["question"].get("description", op)
    return (f"    def {py_name(op)}(self, {', '.join(first + ['*'] * bool(rest) + rest + ['**more: Any'])}) -> "
            f"types.{pascal(op)}Answer:\n        {(title[0].upper() + title[1:] + '.')!r}\n        ...\n")


PY_TYPES = '''"""Generated from the operations' description: do not edit."""
from typing import Any, Iterable, Optional, Union

from . import _types as types

Text = Union[str, bytes]

class CandoError(Exception):
    code: str
    message: str
    at: Optional[str]
    hint: Optional[str]

class Engine:
    def __init__(self, *, overlay: Union[Text, Iterable[Text], None] = ..., catalog: Optional[bytes] = ...) -> None: ...
    def call(self, question: Union[dict, Text]) -> Any: ...
    def raw(self, question: Text) -> bytes: ...
@METHODS@

def set_today(day: Optional[str]) -> None: ...
def call(question: Union[dict, Text]) -> Any: ...
def raw(question: Text) -> bytes: ...
@FUNCTIONS@
__version__: str
'''


def put(folder, name, text):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
        f.write(text)


def main():
    program, language, folder = sys.argv[1:]
    schemas = json.loads(subprocess.run([program, "schema"], check=True, capture_output=True).stdout)
    {"js": write_js, "python": write_python, "readme": write_readme}[language](schemas, folder)


main()
