#!/usr/bin/env python3
"""instances.py CANDO CASES... - values that are made for JSON Schemas, held against python3-jsonschema.

Every schema of the case files, and those below, is given to `stand_in` as the form of an answer. What comes back without a
doubt must fit its schema; what has a doubt is counted, and for the schemas below must be one that is expected. Schemas that
are made to take for ever, or to need more memory than there is, are answered, too. Prints "N passed, M failed" at the end.
"""
import json
import subprocess
import sys
import warnings
from pathlib import Path

import jsonschema

sys.dont_write_bytecode = True
warnings.simplefilter("ignore")
UNDER = {"parameters", "input_schema", "schema", "json", "parametersJsonSchema", "responseJsonSchema", "responseSchema", "format"}
KINDS = {"object", "array", "string", "integer", "number", "boolean", "null"}

LEAF = {"type": "string"}
SURE = [
    {"type": "object"}, {"type": "array", "items": {"type": "integer"}}, {"type": ["null", "string"]}, {"enum": [1, "a", None]}, {"const": {"a": [1]}},
    {"type": "integer", "minimum": 5}, {"type": "integer", "maximum": -5}, {"type": "integer", "exclusiveMinimum": 5, "multipleOf": 7},
    {"type": "number", "minimum": 0.25, "maximum": 0.75}, {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
    {"type": "number", "multipleOf": 0.01, "minimum": 3.005}, {"type": "number", "minimum": 1e300}, {"type": "integer", "multipleOf": 2.5},
    {"type": "string", "minLength": 40}, {"type": "string", "maxLength": 2}, {"type": "string", "minLength": 3, "maxLength": 3}, {"maxLength": 0},
    *({"type": "string", "format": f} for f in ("date-time", "date", "time", "email", "uri", "uuid", "ipv4", "ipv6", "hostname", "duration", "zz")),
    *({"type": "string", "pattern": p} for p in (
        "^[A-Z]{2}-\\d{4,6}$", "^(red|green|blue)$", "^#[0-9a-fA-F]{6}$", "^\\+?[1-9]\\d{1,14}$", "^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$", "\\bword\\b",
        "^(?!b)[ab]$", "^(?=.*\\d)\\w{4,}$", "^\\$\\{[\\w.-]+\\}$", "^a{3}$", "^(ab){2,3}c?$", "^[\\u00e4\\u00f6]+$", "x|y", "", "^$", "^.{10,}$",
        "^(?:[0-9]{1,3}\\.){3}[0-9]{1,3}$", "^[a-z]+(?:-[a-z]+)*$", "^(?<year>\\d{4})$", "^[\\]\\-]+$", "^\\S+\\s\\S+$")),
    {"type": "string", "pattern": "^[a-z]+$", "minLength": 12}, {"type": "string", "pattern": "^z", "default": "zebra"},
    {"type": "array", "minItems": 3, "uniqueItems": True, "items": LEAF}, {"type": "array", "minItems": 2, "uniqueItems": True, "items": {"enum": ["a", "b"]}},
    {"type": "array", "minItems": 4, "uniqueItems": True, "items": {"type": "number", "minimum": 0, "maximum": 1}},
    {"type": "array", "prefixItems": [LEAF, {"type": "integer"}], "items": False, "minItems": 2}, {"type": "array", "maxItems": 0},
    {"type": "array", "contains": {"const": 7}, "minItems": 2}, {"type": "array", "items": {"type": "boolean"}, "contains": {"const": False}},
    {"type": "object", "properties": {"a": LEAF, "b": {"$ref": "#/$defs/n"}}, "required": ["a", "b"], "$defs": {"n": {"type": "integer", "minimum": 2}}},
    {"type": "object", "required": ["x"], "additionalProperties": {"type": "integer"}}, {"type": "object", "minProperties": 3},
    {"type": "object", "required": ["id_1"], "patternProperties": {"^id_": {"type": "boolean"}}, "additionalProperties": False},
    {"type": "object", "properties": {"a": LEAF}, "required": ["a"], "dependentRequired": {"a": ["b"]}},
    {"type": "object", "properties": {"a": LEAF}, "minProperties": 1, "propertyNames": {"maxLength": 1}},
    {"allOf": [{"type": "object", "required": ["a"]}, {"properties": {"a": {"type": "integer", "minimum": 4}}}, {"required": ["b"]}]},
    {"anyOf": [{"type": "string", "minLength": 9, "maxLength": 3}, {"type": "integer"}]}, {"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 2}]},
    {"anyOf": [{"type": "null"}, {"type": "object", "properties": {"a": {"anyOf": [LEAF, {"type": "null"}]}}, "required": ["a"]}]},
    {"type": "object", "properties": {"kind": {"const": "b"}, "v": LEAF}, "required": ["kind"], "oneOf": [
        {"properties": {"kind": {"const": "a"}}, "required": ["x"]}, {"properties": {"kind": {"const": "b"}}, "required": ["v"]}]},
    {"$ref": "#/definitions/node", "definitions": {"node": {"type": "object", "required": ["value", "next"], "properties": {
        "value": LEAF, "next": {"anyOf": [{"$ref": "#/definitions/node"}, {"type": "null"}]}}}}},
    {"$ref": "#/$defs/tree", "$defs": {"tree": {"type": "object", "required": ["kids"], "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}}},
    {"not": {"type": "object"}}, {"type": "integer", "not": {"const": 1}, "enum": [1, 2]}, {"type": "string", "enum": ["a"], "nullable": True}, {},
    {"type": "object", "properties": {"a/b": LEAF, "~": LEAF, "\u00fc": LEAF}, "required": ["a/b", "~", "\u00fc"]}, {"type": "object", "unevaluatedProperties": False},
]

deep = {"type": "string"}
wide = {"type": "string"}
for _ in range(60):
    deep = {"type": "object", "properties": {"a": deep}, "required": ["a"]}
for _ in range(12):
    wide = {"type": "object", "properties": {k: wide for k in "abcd"}, "required": list("abcd")} if len(json.dumps(wide)) < 200000 else wide
doubling = {f"d{i}": {"type": "object", "required": ["a", "b"], "properties": {k: {"$ref": f"#/$defs/d{i + 1}"} for k in "ab"}} for i in range(40)}
branches = {"type": "integer"}
for _ in range(14):
    branches = {"anyOf": [{"allOf": [branches, {"type": "string"}]}, {"allOf": [branches, {"type": "null"}]}]}
# No value, or none that can be found: answered all the same, and soon.
HARD = [
    {"$ref": "#"}, {"$ref": "#/a", "a": {"$ref": "#"}}, {"allOf": [{"$ref": "#"}]}, {"anyOf": [{"$ref": "#"}]}, {"$ref": "https://example.com/x"}, {"$ref": "#/none"},
    {"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#"}}}, {"type": "array", "minItems": 1, "items": {"$ref": "#"}},
    {"type": "array", "minItems": 10**9, "items": LEAF}, {"type": "string", "minLength": 10**12}, {"type": "object", "minProperties": 10**6},
    {"type": "array", "minItems": 50000, "uniqueItems": True}, {"type": "string", "minLength": 3, "maxLength": 2}, {"type": "integer", "minimum": 3, "maximum": 2},
    {"type": "string", "pattern": "^(a+)+$", "minLength": 30}, {"type": "string", "pattern": "(" * 100 + "a" + ")" * 100}, {"type": "string", "pattern": "a{1000}{1000}{1000}"},
    {"type": "string", "pattern": "(a*)*b"}, {"type": "string", "pattern": "[z-a]"}, {"type": "string", "pattern": "\\"}, {"type": "string", "pattern": "(?<=a)b"},
    {"type": "string", "pattern": "[" + "ab" * 5000 + "]"}, {"type": "string", "pattern": "|".join("x" * 9 for _ in range(500))}, {"type": "string", "pattern": "\\1"},
    {"$ref": "#/$defs/d0", "$defs": {**doubling, "d40": LEAF}}, branches, deep, wide, {"enum": []}, {"enum": list(range(20000)), "minimum": 30000},
    {"type": "no such type"}, {"type": 7}, {"properties": 7, "required": 7, "items": 7, "anyOf": 7, "pattern": 7, "enum": 7, "$ref": 7, "multipleOf": 0},
    {"type": "number", "multipleOf": 1e-300}, {"type": "number", "minimum": 1.7e308, "exclusiveMinimum": 1.7e308}, {"allOf": [{} for _ in range(500)]},
    {"oneOf": [LEAF for _ in range(3000)]}, {"type": "object", "required": [f"k{i}" for i in range(5000)]}, {"not": {}}, {"if": {"not": {"not": {}}}, "then": False},
]


def under(value, found):
    """All that stands where requests have schemas."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in UNDER and isinstance(inner, dict) and str(inner.get("type", "object")).lower() in KINDS:
                found.append(inner)
            under(inner, found)
    elif isinstance(value, list):
        for inner in value:
            under(inner, found)


def lower(value):
    """The dialect of OpenAPI, types in capitals, as jsonschema wants it."""
    if isinstance(value, dict):
        out = {k: v.lower() if k == "type" and isinstance(v, str) else lower(v) for k, v in value.items()}
        if out.pop("nullable", False) and isinstance(out.get("type"), str) and "enum" not in out:
            out["type"] = [out["type"], "null"]
        return out
    return [lower(v) for v in value] if isinstance(value, list) else value


def ask(cando, schemas):
    lines = [json.dumps({"op": "stand_in", "url": "/api/chat", "request": {
        "model": "llama3.2", "stream": False, "messages": [{"role": "user", "content": "x"}], "format": s}}) for s in schemas]
    run = subprocess.run([cando, "batch"], input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=100)
    replies = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(replies) == len(schemas), f"{len(replies)} replies to {len(schemas)} questions, exit code {run.returncode} {run.stderr[:500]}"
    return replies


def main():
    cando, paths = sys.argv[1], sys.argv[2:]
    found, good, bad, doubts = [], 0, 0, 0
    for path in (p for given in paths for p in sorted(Path(given).glob("*.jsonl"))):
        for line in path.read_text().splitlines():
            under(json.loads(line).get("in"), found)
    seen = list({json.dumps(s, sort_keys=True): s for s in found}.values())
    schemas = SURE + HARD + seen
    for i, (schema, reply) in enumerate(zip(schemas, ask(cando, schemas))):
        answer = reply.get("result") or {}
        if answer.get("reply", {}).get("status") != 200:
            if i >= len(SURE) + len(HARD):  # a schema that a request had in it to be refused
                continue
            bad += 1
            print(f"no reply: {json.dumps(schema)[:200]} {json.dumps(reply)[:300]}")
            continue
        text = answer["reply"]["body"]["message"]["content"]
        if "doubt" in answer:
            doubts += 1
            bad += i < len(SURE)
            good += i >= len(SURE)
            if i < len(SURE):
                print(f"doubt: {json.dumps(schema)[:200]}: {answer['doubt']} {text[:100]}")
            continue
        try:
            jsonschema.Draft202012Validator.check_schema(lower(schema))
            fits = jsonschema.Draft202012Validator(lower(schema)).is_valid(json.loads(text))
        except Exception as e:  # what jsonschema cannot read is not held against it
            fits = not isinstance(e, ValueError)
        good += fits
        bad += not fits
        if not fits:
            print(f"does not fit: {json.dumps(schema)[:300]}: {text[:200]}")
    if doubts > len(HARD) + len(seen) // 20:
        print(f"{doubts} doubts are too many, of {len(schemas)} schemas")
        bad += 1
    print(f"{good} passed, {bad} failed")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
