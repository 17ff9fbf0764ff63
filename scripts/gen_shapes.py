#!/usr/bin/env python3
"""gen_shapes.py SPECS_FOLDER [NAME...] - writes catalog/requests/shapes/*.toml from specifications.

scripts/shapes.toml says which file of the folder becomes which set of shapes (docs/request-shapes.md), and what is
corrected on the way: what a specification says and the service does not enforce, what it forgets, which lists of words
grow. The folder's MANIFEST.json tells where each file comes from and of which day it is. Only facts are taken: names,
kinds, words, bounds. The same input gives the same output, byte by byte.

Every kind of specification is turned into JSON Schema first; one reader then makes shapes of it.
"""
import json
import os
import re
import sys
import tomllib

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, "..", "catalog", "requests", "shapes")
INT32 = (-2 ** 31, 2 ** 31 - 1)
INF = float("inf")


# -- specifications as JSON Schema --------------------------------------------------------

def bare(schema, names=False):
    """The schema without prose. `names`: the keys are names of properties, not keywords."""
    if isinstance(schema, list):
        return [bare(s) for s in schema]
    if not isinstance(schema, dict):
        return schema
    prose = {"description", "title", "example", "examples", "externalDocs", "default", "deprecated"}
    out = {}
    for key, value in schema.items():
        if not names and (key in prose or key.startswith("x-")):
            continue
        out[key] = value if key in ("enum", "const", "required") else bare(value, key == "properties")
    return out


def load_openapi(path):
    with open(path, encoding="utf-8") as f:
        if path.endswith(".json"):
            doc = json.load(f)
        else:
            import yaml  # python3-yaml
            doc = yaml.load(f, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    schemas = doc["components"]["schemas"]
    bodies = {}
    for url, methods in doc.get("paths", {}).items():
        content = methods.get("post", {}).get("requestBody", {}).get("content", {})
        if "application/json" in content:
            bodies[url] = bare(content["application/json"].get("schema", {}))
    return {name: bare(s) for name, s in schemas.items()}, bodies


def load_service_model(path):
    """A service model of botocore. Of a structure with `union`, exactly one member is set."""
    with open(path, encoding="utf-8") as f:
        doc = json.load(f)
    numbers = {"integer": "integer", "long": "integer", "float": "number", "double": "number", "boolean": "boolean"}

    def convert(s):
        kind, out = s["type"], {}
        if s.get("document"):
            return {"type": "object"}
        if kind == "structure":
            members = s["members"]
            out = {"type": "object", "additionalProperties": False, "required": s.get("required", []),
                   "properties": {n: {"$ref": "#/" + m["shape"]} for n, m in members.items()}}
            if s.get("union"):
                out["exactly"] = [sorted(members)] if len(members) > 1 else []
                out["required"] = sorted(members) if len(members) == 1 else []
        elif kind == "list":
            out = {"type": "array", "items": {"$ref": "#/" + s["member"]["shape"]}}
            out.update({b + "Items": s[k] for b, k in (("min", "min"), ("max", "max")) if s.get(k)})
        elif kind == "map":
            out = {"type": "object", "additionalProperties": {"$ref": "#/" + s["value"]["shape"]},
                   "propertyNames": {"$ref": "#/" + s["key"]["shape"]}}
            out.update({b + "Properties": s[k] for b, k in (("min", "min"), ("max", "max")) if s.get(k)})
        elif kind in ("string", "blob"):
            out = {"type": "string"}
            if kind == "blob":
                return {"type": "string", "contentEncoding": "base64", "minLength": s.get("min", 0)}
            out.update({b + "Length": s[k] for b, k in (("min", "min"), ("max", "max")) if s.get(k)})
            out.update({k: s[k] for k in ("enum", "pattern") if k in s})
        elif kind in numbers:
            out = {"type": numbers[kind]}
            out.update({b + "imum": s[k] for b, k in (("min", "min"), ("max", "max")) if k in s})
        return out

    return {name: convert(s) for name, s in doc["shapes"].items()}, {}


def load_facts(path):
    """Our own facts about an API; the file has a legend."""
    with open(path, encoding="utf-8") as f:
        doc = json.load(f)
    renamed = {"min": "minimum", "max": "maximum", "above": "exclusiveMinimum", "below": "exclusiveMaximum",
               "min_length": "minLength", "max_length": "maxLength", "min_items": "minItems",
               "max_items": "maxItems", "pattern": "pattern", "const": "const", "enum": "enum"}

    def convert(f):
        out = {}
        if "kinds" in f and f["kinds"] != ["any"]:
            out["type"] = list(f["kinds"])
        for key in ("all_of", "one_of"):
            if key in f:
                out["allOf" if key == "all_of" else "anyOf"] = [convert(x) for x in f[key]]
        if "type" in f:
            out = {"$ref": "#/" + f["type"]}
        if "one_of_types" in f:
            out = {"oneOf": [{"$ref": "#/" + t} for t in f["one_of_types"]]}
        if f.get("discriminator"):
            out["discriminator"] = {"propertyName": f["discriminator"]}
        out.update({to: f[key] for key, to in renamed.items() if key in f})
        if "items" in f:
            out["items"] = convert(f["items"])
        if "members" in f:
            out["properties"] = {n: convert(m) for n, m in f["members"].items()}
            out["required"] = sorted(n for n, m in f["members"].items() if m.get("required"))
        if f.get("closed"):
            out["additionalProperties"] = False
        if "other_members" in f:
            other = f["other_members"]
            out["additionalProperties"] = convert(other) if isinstance(other, dict) else other
        if f.get("nullable"):
            out = {"anyOf": [out, {"type": "null"}]}
        return out

    return {name: convert(f) for name, f in doc["types"].items()}, {}


LOADERS = {"openapi": load_openapi, "service-model": load_service_model, "facts": load_facts}


# -- schemas without references and combinations ------------------------------------------

class Reader:
    """Alternatives of a schema: dictionaries without $ref, allOf, anyOf and oneOf at their top."""

    def __init__(self, schemas):
        self.schemas = schemas
        self.names = {}  # keys of alternatives: the name that led to them

    def alternatives(self, schema, name=None, depth=0):
        if schema is True or schema == {} or depth > 40:
            return [{}]
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[-1]
            return self.alternatives(self.schemas[name], name, depth + 1)
        base = {k: v for k, v in schema.items() if k not in ("allOf", "anyOf", "oneOf", "nullable", "discriminator")}
        found = [base] if base and set(base) != {"type"} or not self.combined(schema) else [{}]
        for part in schema.get("allOf", []):
            more = self.alternatives(part, None, depth + 1)
            found = [merge_all(a, b) for a in found for b in more]
        choices = schema.get("anyOf") or schema.get("oneOf")
        if choices:
            more = [a for c in choices for a in self.alternatives(c, None, depth + 1)]
            found = [merge_all(a, b) for a in found for b in more]
        out = []
        for alternative in found:
            out += split_kinds(alternative)
        if schema.get("nullable") and {"type": "null"} not in out:
            out.append({"type": "null"})
        return self.call(out, name, "allOf" in schema) if name else out

    def call(self, alternatives, name, anew):
        """Objects are told apart by the names that lead to them, alone or together."""
        objects = [i for i, a in enumerate(alternatives) if a.get("type") == "object"]
        if len(objects) == 1 and (anew or "title" not in alternatives[objects[0]]):
            alternatives[objects[0]] = {**alternatives[objects[0]], "title": name}
        keys = frozenset(key_of(alternatives[i]) for i in objects)
        if keys:
            self.names.setdefault(keys, name)
        return alternatives

    @staticmethod
    def combined(schema):
        return any(k in schema for k in ("allOf", "anyOf", "oneOf"))


def merge_all(a, b):
    """Both hold."""
    if not a or not b:
        return dict(a or b)
    if b.get("type") == "null" or a.get("type") == "null":
        return {"type": "null"}
    out = {**a, **b}
    if "properties" in a and "properties" in b:
        out["properties"] = {**a["properties"], **b["properties"]}
    out["required"] = sorted(set(a.get("required", [])) | set(b.get("required", [])))
    if not out["required"]:
        del out["required"]
    return out


def split_kinds(schema):
    """One alternative for each kind of value."""
    kinds = schema.get("type")
    if "const" in schema:
        schema = {**schema, "enum": [schema["const"]]}
        del schema["const"]
    if kinds is None and "enum" in schema:
        kinds = sorted({kind_of(v) for v in schema["enum"]})
    if kinds is None:
        kinds = "object" if {"properties", "additionalProperties"} & set(schema) else "array" if "items" in schema else None
    if kinds is None:
        return [schema]
    out = []
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        one = {**schema, "type": kind}
        if "enum" in schema:
            one["enum"] = [v for v in schema["enum"] if kind_of(v) == kind or kind == "number" and kind_of(v) == "integer"]
            if None in schema["enum"] and kind != "null" and {"type": "null"} not in out:
                out.append({"type": "null"})
            if not one["enum"]:
                del one["enum"]
        out.append({"type": "null"} if kind == "null" else one)
    return out


def kind_of(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    return {str: "string", int: "integer", float: "number", list: "array", dict: "object"}[type(value)]


def key_of(schema):
    return json.dumps(schema, sort_keys=True)


# -- shapes -------------------------------------------------------------------------------

CLASS = re.compile(r"\^?\(?\[([^\]\\]*(?:\\[-.s/][^\]\\]*)*)\](\+|\*|\{(\d+)(?:,(\d*))?\})\)?\$?\Z")


def pattern_tests(pattern):
    """A pattern as a class of characters and a length, where it is no more than that."""
    found = CLASS.match(pattern or "")
    if not found or found[1].startswith("^"):
        return {}
    chars = found[1].replace("\\s", " ").replace("\\-", "-").replace("\\.", ".").replace("\\/", "/")
    if ",-." in chars or not re.fullmatch(r"[A-Za-z0-9_.:/@ -]*", chars):
        return {}
    chars = re.sub(r"-$", "", chars)
    out = {"chars": chars + ("-" if found[1].endswith("-") else "")}
    if found[3]:
        low, high = int(found[3]), found[4]
        out["length"] = [low, low if high is None else int(high) if high else INF]
    elif found[2] == "+":
        out["length"] = [1, INF]
    return out


def wider(a, b):
    return [min(a[0], b[0]), max(a[1], b[1])]


class Value:
    """What a value may be: the union of alternatives, kind by kind."""

    def __init__(self):
        self.any = self.null = self.whole = self.open = False
        self.true = self.false = False
        self.number = self.string = self.array = None  # tests, or None: no such value
        self.items = []    # schemas of items
        self.objects = []  # alternatives

    def add(self, alternative):
        kind = alternative.get("type")
        if kind is None:
            self.any = True
        elif kind == "null":
            self.null = True
        elif kind == "boolean":
            words = alternative.get("enum", [True, False])
            self.true |= True in words
            self.false |= False in words
        elif kind in ("number", "integer"):
            self.add_number(alternative, kind == "integer")
        elif kind == "string" and alternative.get("format") in ("int64", "uint64"):
            self.add_number({}, True)
            self.add_string({})
        elif kind == "string":
            self.add_string(alternative)
        elif kind == "array":
            self.items.append(alternative.get("items", {}))
            size = [alternative.get("minItems", 0), alternative.get("maxItems", INF)]
            self.array = wider(self.array, size) if self.array else size
        else:
            self.objects.append(alternative)

    def add_number(self, a, whole):
        low, high = INT32 if a.get("format") == "int32" else (-INF, INF)
        low, high = a.get("minimum", low), a.get("maximum", high)
        above, below = a.get("exclusiveMinimum"), a.get("exclusiveMaximum")
        tests = {"range": [low, high]}
        if above is not None and above is not True:
            tests = {"above": above, "range": [above, high]}
        if below is not None and below is not True:
            tests.update({"below": below, "range": [tests["range"][0], below]})
        if "enum" in a:
            tests = {"range": [min(a["enum"]), max(a["enum"])]}
        if self.number is None:
            self.number, self.whole = tests, whole
            return
        self.whole &= whole
        self.number = {"range": wider(self.number["range"], tests["range"])}

    def add_string(self, a):
        tests = {"length": [a.get("minLength", 0), a.get("maxLength", INF)], "words": a.get("enum")}
        more = pattern_tests(a.get("pattern"))
        if "length" in more:
            tests["length"] = [max(tests["length"][0], more["length"][0]), min(tests["length"][1], more["length"][1])]
        tests["chars"] = more.get("chars")
        tests["base64"] = a.get("contentEncoding") == "base64" or a.get("format") == "byte"
        old = self.string
        if old is None:
            self.string = tests
            return
        both = old["words"] is not None and tests["words"] is not None
        self.string = {
            "length": wider(old["length"], tests["length"]),
            "words": old["words"] + [w for w in tests["words"] if w not in old["words"]] if both else None,
            "chars": old["chars"] if old["chars"] == tests["chars"] else None,
            "base64": old["base64"] and tests["base64"],
        }


def snake(name):
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


class Maker:
    """Shapes from schemas. A shape is a dictionary of the keys that are written."""

    def __init__(self, reader, recipe):
        self.reader = reader
        self.recipe = recipe
        self.strip = [re.compile(s) for s in recipe.get("strip", [])]
        self.shapes = {}
        self.known = {}  # keys of alternatives: the shape's name

    def value(self, schemas):
        v = Value()
        for schema in schemas:
            for alternative in self.reader.alternatives(schema):
                v.add(alternative)
        return v

    # names

    def name(self, wanted):
        name = snake(wanted)
        for pattern in self.strip:
            name = pattern.sub("", name) or name
        base, n = name, 2
        while name in self.shapes:
            name, n = "%s_%d" % (base, n), n + 1
        return name

    def reserve(self, wanted):
        name = self.name(wanted)
        self.shapes[name] = {}
        return name

    def scalar_shape(self, tests, hint):
        """A shape for words or tests that cannot stand where the value stands."""
        key = ("scalar", key_of(tests))
        if key not in self.known:
            name = self.reserve(hint)
            self.shapes[name].update(tests)
            self.known[key] = name
        return self.known[key]

    # members

    def member(self, schemas, hint, inner=False):
        """The kind of a member and its tests. `inner`: of an item, where tests have no place."""
        v = self.value(schemas)
        if v.any:
            return {"is": "any"}
        kinds, tests = [], {}
        if v.string is not None:
            kinds.append(self.string_kind(v, tests, hint, inner))
        if v.number is not None:
            kinds.append(self.number_kind(v, tests, hint, inner))
        if v.true or v.false:
            kinds.append("boolean" if v.true and v.false else "true" if v.true else "false")
        if v.array is not None:
            item = self.member(v.items, hint + "_item", True)["is"]
            item = self.only_choice(item)
            if item != "any" and (" " in item or item.endswith("?")):
                item = self.scalar_shape({"is": item}, hint + "_item")
            kinds.append("array" if item == "any" else item + "[]")
            if self.recipe.get("single_items") and item != "any" and not item.endswith("]"):
                kinds.append(item)
            if v.array != [0, INF]:
                tests["items"] = v.array
        if v.objects:
            kinds.append(self.object_kind(v.objects, tests, hint))
        kinds = [k for k in kinds if k]
        if not kinds:
            return {"is": "null" if v.null else "any"}
        if isinstance(kinds[0], list) and len(kinds) == 1 and not v.null and not inner:
            return {"is": kinds[0]}
        kinds = [self.scalar_shape({"is": k}, hint + "_word") if isinstance(k, list) else k for k in kinds]
        if inner and tests:
            return {"is": self.scalar_shape({"is": self.join(kinds, v.null), **tests}, hint)}
        return {"is": self.join(kinds, v.null), **tests}

    @staticmethod
    def join(kinds, null):
        return kinds[0] + "?" if null and len(kinds) == 1 else " | ".join(kinds + (["null"] if null else []))

    def string_kind(self, v, tests, hint, inner):
        words = v.string["words"]
        if words is not None:
            words = [w for w in words if isinstance(w, str)]
            if self.recipe.get("both_cases"):
                words += [w.lower() for w in words if w.lower() not in words]
            return words
        if v.string["length"] != [0, INF]:
            tests["length"] = v.string["length"]
        if v.string["chars"]:
            tests["chars"] = v.string["chars"]
        if v.string["base64"]:
            tests["base64"] = True
        return "string"

    def number_kind(self, v, tests, hint, inner):
        for key in ("above", "below"):
            if key in v.number:
                tests[key] = v.number[key]
        low, high = v.number["range"]
        if "above" in tests or "below" in tests:
            if "above" in tests and high != INF and "below" not in tests:
                tests["range"] = [low, high]
            if "below" in tests and low != -INF and "above" not in tests:
                tests["range"] = [low, high]
        elif [low, high] != [-INF, INF]:
            tests["range"] = [low, high]
        kind = "integer" if v.whole else "number"
        return kind + " | string" if self.recipe.get("numbers_as_text") and v.string is None else kind

    # objects

    def object_kind(self, alternatives, tests, hint):
        unique = {key_of(a): a for a in alternatives}
        alternatives = list(unique.values())
        free = [a for a in alternatives if not a.get("properties")]
        if free:
            if len(alternatives) > 1:
                return "object"
            return self.map_kind(free[0], tests, hint)
        return self.object_shape(alternatives, hint)

    def map_kind(self, a, tests, hint):
        rest = a.get("additionalProperties")
        size = [a.get("minProperties", 0), a.get("maxProperties", INF)]
        if size != [0, INF]:
            tests["members"] = size
        keys = self.value([a["propertyNames"]]) if "propertyNames" in a else None
        if keys and keys.string:
            found = {k: keys.string[k] for k in ("length", "chars") if keys.string[k] not in (None, [0, INF])}
            if found:
                tests["keys"] = found
        if not isinstance(rest, dict) or not rest:
            return "object"
        item = self.member([rest], hint + "_value", True)["is"]
        if item == "any":
            return "object"
        if " " in item or item.endswith("?"):
            item = self.scalar_shape({"is": item}, hint + "_value")
        return item + "{}"

    def object_shape(self, alternatives, hint, plain=False):
        key = (plain,) + tuple(sorted(key_of(a) for a in alternatives))
        if key in self.known:
            return self.known[key]
        names = [self.reader.names.get(frozenset([key_of(a)])) for a in alternatives]
        hint = self.reader.names.get(frozenset(key[1:]), hint)
        by = None if plain or len(alternatives) == 1 else self.discriminator(alternatives)
        if len(alternatives) > 1 and not by and all(names) and frozenset(key[1:]) not in self.reader.names:
            hint = min(names, key=lambda n: (len(n), n))
        name = self.known[key] = self.reserve(hint)
        if by:
            self.choice(name, by, alternatives, hint)
        else:
            self.fields(name, alternatives)
        return name

    def only_choice(self, item):
        """Items of one type only: a word that is another is one thing wrong, not as many as there are members."""
        shape = self.shapes.get(item, {})
        word = shape.get("members", {}).get("type", {}).get("is")
        if "type" not in shape.get("required", []) or not isinstance(word, list) or len(word) != 1:
            return item
        key = ("only", item)
        if key not in self.known:
            self.known[key] = self.reserve(item + "_item")
            self.shapes[self.known[key]].update({"by": "type", "cases": {word[0]: item}})
        return self.known[key]

    def words_of(self, alternative, prop):
        """The words that the property may be, or None: there are no such; and whether it may be left out."""
        schema = alternative["properties"].get(prop)
        if schema is None:
            return None, True
        v = self.value([schema])
        words = v.string["words"] if v.string and not v.any else None
        return words, prop not in alternative.get("required", []) or v.null

    def discriminator(self, alternatives):
        props = {}
        for a in alternatives:
            for p in a["properties"]:
                words, _ = self.words_of(a, p)
                if words:
                    props.setdefault(p, []).append(frozenset(words))
        order = {"type": 0, "role": 1}
        for p in sorted(props, key=lambda p: (order.get(p, 2), p)):
            words = set().union(*props[p])
            if len(props[p]) < max(2, len(alternatives) - 1) or len(words) < 2:
                continue
            if all(sum(w in s for s in props[p]) < len(alternatives) for w in words):
                return p
        return None

    def choice(self, name, by, alternatives, hint):
        cases, missing, other = {}, [], []
        for a in alternatives:
            words, optional = self.words_of(a, by)
            for w in words or []:
                cases.setdefault(w, []).append(a)
            if optional:
                missing.append(a)
            if not words and by in a["properties"]:
                other.append(a)
        shape = self.shapes[name]
        shape["by"] = by
        # Two members that decide, one after the other, cannot be told: those of one word are merged.
        shape["cases"] = {w: self.object_shape(v, hint + "_" + w, len(v) > 1) for w, v in cases.items()}
        if missing:
            shape["missing"] = self.object_shape(missing, hint + "_plain", len(missing) > 1)
        if other:
            shape["other"] = self.object_shape(other, hint + "_other", len(other) > 1)

    def fields(self, name, alternatives):
        shape, props = self.shapes[name], {}
        for a in alternatives:
            for p, schema in a["properties"].items():
                props.setdefault(p, []).append(schema)
        required = set.intersection(*(set(a.get("required", [])) for a in alternatives))
        rests = [a.get("additionalProperties") for a in alternatives]
        policy = self.recipe.get("closed", "spec")
        shape["closed"] = all(r is False or r is None and policy == "all" for r in rests)
        if len(alternatives) == 1 and isinstance(rests[0], dict) and rests[0]:
            shape["rest"] = self.member([rests[0]], name + "_rest", True)["is"]
        shape["required"] = [p for p in props if p in required]
        shape["exactly"] = alternatives[0].get("exactly") if len(alternatives) == 1 else None
        shape["members"] = {}
        for p, schemas in props.items():
            unique = list({key_of(s): s for s in schemas}.values())
            shape["members"][p] = self.member(unique, name + "_" + snake(p))


# -- corrections --------------------------------------------------------------------------

def find_shapes(shapes, pattern):
    test = re.compile("".join(".*" if c == "*" else re.escape(c) for c in pattern) + r"\Z")
    return [n for n in shapes if test.match(n)]


def change_member(shape, member, what):
    if what is False:
        shape["members"].pop(member, None)
        shape["required"] = [r for r in shape["required"] if r != member]
    elif isinstance(what, (str, list)):
        shape["members"][member] = {"is": what}
    else:
        old = {} if "is" in what else dict(shape["members"].get(member, {}))
        old.update(what)
        shape["members"][member] = {k: v for k, v in old.items() if v is not False}


def change(shapes, changes):
    """Each change says "shape" or "shape.member", with `*` in names, and what is said there instead."""
    for place, what in changes.items():
        pattern, _, member = place.partition(".")
        found = find_shapes(shapes, pattern)
        if "*" in pattern and member not in ("", "*"):
            found = [n for n in found if member in shapes[n].get("members", {})]
        if not found and isinstance(what, dict) and not member:
            shapes[pattern] = {"closed": False, "required": [], **what}
            shapes[pattern]["members"] = {n: m if isinstance(m, dict) else {"is": m}
                                          for n, m in what.get("members", {}).items()}
            continue
        if not found:
            sys.exit("shapes.toml: there is no shape '%s'" % pattern)
        for name in found:
            shape = shapes[name]
            if member == "*":
                for m in shape.get("members", {}):
                    change_member(shape, m, what)
            elif member:
                change_member(shape, member, what)
            elif what is False:
                shapes[name] = {"is": "any"}
            else:
                change_shape(shape, what)


def change_shape(shape, what):
    what = dict(what)
    drop, add = what.pop("not_required", []), what.pop("also_required", [])
    for name, member in what.pop("members", {}).items():
        change_member(shape, name, member)
    for word in what.pop("no_cases", []):
        shape["cases"].pop(word)
    shape.setdefault("cases", {}).update(what.pop("cases", {}))
    shape.update(what)
    if drop or add:
        shape["required"] = [r for r in shape.get("required", []) if r not in drop and drop != ["*"]] + add


# -- what many shapes say, once ------------------------------------------------------------

KIND_NAME = re.compile(r"[A-Za-z0-9_.-]+")


def rename_kind(kind, names):
    return KIND_NAME.sub(lambda m: names.get(m[0], m[0]), kind) if isinstance(kind, str) else kind


def rename(shapes, names):
    for s in shapes.values():
        for m in s.get("members", {}).values():
            m["is"] = rename_kind(m["is"], names) if "is" in m else m.get("is")
        for key in ("is", "like", "rest", "missing", "other"):
            if key in s and not (key == "other" and s[key] in ("open", "closed")):
                s[key] = rename_kind(s[key], names)
        if "cases" in s:
            s["cases"] = {w: names.get(n, n) for w, n in s["cases"].items()}


def plain_name(name):
    return re.sub(r"(^beta_|_param$|_resource$|_\d+$)", "", re.sub(r"_\d+$", "", name))


def share(shapes, root, all_names):
    """Shapes that say the same become one; those of one name only, or words, unless `all_names`."""
    while True:
        first, names = {}, {}
        for name in sorted(shapes, key=lambda n: (n != root, len(n), n)):
            shape = shapes[name]
            same = "" if all_names or "members" not in shape else plain_name(name)
            body = same + json.dumps(shape, sort_keys=True)
            if body in first and name != root:
                names[name] = first[body]
            else:
                first.setdefault(body, name)
        if not names:
            return
        for name in names:
            del shapes[name]
        rename(shapes, names)


def reach(shapes, root):
    """Only what a request can reach is written, in the order in which it is met."""
    order, seen = [root], {root}
    for name in order:
        s = shapes[name]
        kinds = [m.get("is") for m in s.get("members", {}).values()]
        kinds += [s.get(k) for k in ("is", "like", "rest", "missing", "other")] + list(s.get("cases", {}).values())
        for kind in kinds:
            for word in KIND_NAME.findall(kind) if isinstance(kind, str) else []:
                if word in shapes and word not in seen:
                    seen.add(word)
                    order.append(word)
    return {n: shapes[n] for n in order}


# -- the file -----------------------------------------------------------------------------

def toml_key(key):
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key)


def toml_value(v):
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, float):
        if v in (INF, -INF):
            return "inf" if v > 0 else "-inf"
        return str(int(v)) if v == int(v) and abs(v) < 1e15 else repr(v)
    if isinstance(v, int):
        return str(v)
    if isinstance(v, str):
        return json.dumps(v, ensure_ascii=False)
    if isinstance(v, list):
        return "[" + ", ".join(toml_value(x) for x in v) + "]"
    return "{ " + ", ".join("%s = %s" % (toml_key(k), toml_value(x)) for k, x in v.items()) + " }"


def member_line(name, m):
    m = {k: v for k, v in m.items() if v is not None and not (k == "is" and v == "any" and len(m) > 1)}
    short = m["is"] if list(m) == ["is"] else m
    return "%s = %s" % (toml_key(name), toml_value(short))


def shape_lines(name, s, closed):
    lines = ["", "[shape.%s]" % toml_key(name)]
    if "members" in s and s.get("closed", False) != closed and not s.get("by"):
        lines.append("closed = " + toml_value(not closed))
    for key in ("is", "like", "by", "other", "missing", "required", "exactly", "some", "one", "rest", "range", "above", "below",
                "length", "chars", "base64", "items", "keys", "unique", "prefix", "severity", "source"):
        if s.get(key) not in (None, [], {}, ""):
            lines.append("%s = %s" % (key, toml_value(s[key])))
    if isinstance(s.get("members"), list):
        lines.append("members = " + toml_value(s["members"]))
    elif s.get("members"):
        one = "members = { " + ", ".join(member_line(n, m) for n, m in s["members"].items()) + " }"
        if len(one) <= 140:
            lines.append(one)
        else:
            lines += ["[shape.%s.members]" % toml_key(name)] + [member_line(n, m) for n, m in s["members"].items()]
    if s.get("cases"):
        lines.append("[shape.%s.cases]" % toml_key(name))
        lines += ["%s = %s" % (toml_key(w), toml_value(n)) for w, n in s["cases"].items()]
    return lines


def file_lines(recipe, source, day, shapes):
    closed = sum(s.get("closed", False) for s in shapes.values()) > len(shapes) / 3
    lines = ["# Written by scripts/gen_shapes.py: corrections belong in scripts/shapes.toml.",
             "# How to read it: docs/request-shapes.md", 'schema = "cando/requests@1"',
             "dialect = " + toml_value(recipe["dialect"])]
    if "providers" in recipe:
        lines.append("providers = " + toml_value(recipe["providers"]))
    lines += ['root = "request"', "source = " + toml_value(source), "checked = " + day,
              "confidence = " + toml_value(recipe.get("confidence", "spec"))]
    lines += ["closed = true"] if closed else []
    lines += [k + " = true" for k in ("nulls", "also_snake") if recipe.get(k)]
    for name, s in shapes.items():
        lines += shape_lines(name, s, closed)
    for a in recipe.get("adjust", []):
        a = {**a, "of": [n for pattern in a["of"] for n in adjusted(shapes, pattern)]}
        if "providers" in recipe:
            a.setdefault("providers", recipe["providers"])
        lines += ["", "[[adjust]]"] + ["%s = %s" % (k, toml_value(v)) for k, v in a.items()]
    return lines


def adjusted(shapes, pattern):
    """The shapes that a name with `*` in it means."""
    name, dot, member = pattern.partition(".")
    return [pattern] if name == "*" or "*" not in name else [n + dot + member for n in find_shapes(shapes, name)]


def make(recipe, folder, manifest):
    entry = next(f for f in manifest["files"] if f["file"] == recipe["spec"])
    schemas, bodies = LOADERS[recipe.get("form", "openapi")](os.path.join(folder, recipe["spec"]))
    reader = Reader(schemas)
    maker = Maker(reader, recipe)
    maker.shapes["request"] = {}
    roots = [bodies[p] for p in recipe.get("paths", [])] + [{"$ref": "#/" + s} for s in recipe.get("schemas", [])]
    alternatives = [a for r in roots for a in reader.alternatives(r)]
    maker.known[(False,) + tuple(sorted({key_of(a) for a in alternatives}))] = "request"
    maker.fields("request", alternatives)
    shapes = maker.shapes
    # The model may be named apart from the request.
    shapes["request"]["required"] = [r for r in shapes["request"]["required"] if r not in ("model", "modelId")]
    change(shapes, recipe.get("change", {}))
    share(shapes, "request", recipe.get("share", False))
    shapes = reach(shapes, "request")
    source = recipe.get("source") or "https://github.com/%s/blob/%s/%s" % (entry["repo"], entry["commit"], entry["path"])
    day = recipe.get("day") or entry["commit_date"][:10]
    lines = file_lines(recipe, source, day, shapes)
    with open(os.path.join(OUT, recipe["name"] + ".toml"), "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")
    members = sum(len(s["members"]) for s in shapes.values() if isinstance(s.get("members"), dict))
    print("%-24s %4d shapes %5d members" % (recipe["name"], len(shapes), members))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder = sys.argv[1]
    with open(os.path.join(folder, "MANIFEST.json"), encoding="utf-8") as f:
        manifest = json.load(f)
    with open(os.path.join(HERE, "shapes.toml"), "rb") as f:
        book = tomllib.load(f)
    os.makedirs(OUT, exist_ok=True)
    for recipe in book["set"]:
        for name in recipe.get("use", []):
            recipe["change"] = {**book["common"][name], **recipe.get("change", {})}
        if not sys.argv[2:] or recipe["name"] in sys.argv[2:]:
            make(recipe, folder, manifest)


if __name__ == "__main__":
    main()
