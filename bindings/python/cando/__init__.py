"""Can it do this? What an LLM at a provider can do, whether a request will run on it, what it costs.

    >>> import cando
    >>> cando.resolve("openai/gpt-5")["fields"]["context_window"]
    400000

Every operation is a function here and a method of Engine. They take the operation's arguments by
name and give back its result; a question that cannot be answered raises CandoError. A request or
reply may be an object, or JSON as str or bytes, which is handed on as it is.
"""
from . import _cando
from ._text import encode as _encode
from ._text import scan as _scan
from .operations import DOCS, JSON_MEMBERS, MAIN_MEMBERS, OPERATIONS

__version__ = _cando.version


class CandoError(Exception):
    """A question that cannot be answered: code, message, at (a JSON Pointer) and hint."""

    def __init__(self, code, message, at=None, hint=None):
        super().__init__(message)
        self.code = code
        self.message = message
        self.at = at or None
        self.hint = hint or None

    def __reduce__(self):
        return type(self), (self.code, self.message, self.at, self.hint)


_cando.set_error(CandoError)
set_today = _cando.set_today


def _utf8(json):
    """Half of a surrogate pair is no UTF-8, but JSON can spell it: the engine says what is wrong."""
    return json.encode("utf-8", "backslashreplace")


def _to_bytes(text):
    if type(text) is bytes:
        return text
    return _utf8(text) if isinstance(text, str) else bytes(memoryview(text))


def _is_bytes(value):
    return isinstance(value, (bytes, bytearray, memoryview))


def _is_ready(value):
    """JSON that need not be written any more?"""
    return type(value) is bytes or _is_bytes(value) or (isinstance(value, str) and value.lstrip()[:1] in ("{", "["))


_names, _heads = {}, {}  # as they stand in questions; each is written once
_NAMES_KEPT = 1000
_RESULT = '{"id":null,"ok":true,"result":'


def _name_of(name):
    text = b"," + _utf8(_encode(name)) + b":"
    if len(_names) < _NAMES_KEPT:
        _names[name] = text
    return text


def _head_of(op):
    text = b'{"op":' + _utf8(_encode(op))
    if op in OPERATIONS:
        _heads[op] = text
    return text


def _question(op, arguments):
    ready = JSON_MEMBERS.get(op, ())
    parts = [_heads.get(op) or _head_of(op)]
    for name, value in arguments.items():
        parts.append(_names.get(name) or _name_of(name))
        if name in ready and _is_ready(value):
            parts.append(_to_bytes(value))
        else:
            parts.append(_utf8(_encode(value)))
    parts.append(b"}")
    return b"".join(parts)


class Engine:
    """An engine with a catalog of its own: the built-in one, or `catalog` (the bytes of a snapshot),
    with the texts of rule files in `overlay` on top. Any number of threads may ask it."""

    def __init__(self, *, overlay=(), catalog=None):
        self._engine = _cando.Engine(catalog)
        for text in [overlay] if isinstance(overlay, str) or _is_bytes(overlay) else overlay or ():
            self._engine.overlay("overlay", _to_bytes(text))

    def raw(self, question):
        """A question as JSON; its answer as JSON in bytes, envelope and all."""
        return self._engine.ask(_to_bytes(question))

    def call(self, question):
        """Any operation: call({"op": "resolve", "target": "openai/gpt-5"})."""
        if isinstance(question, dict):
            rest = dict(question)
            return self._ask(_question(rest.pop("op", None), rest))
        return self._ask(_to_bytes(question))

    def _ask(self, question):
        text = self._engine.ask(question).decode()
        if text.startswith(_RESULT):
            return _scan(text, len(_RESULT))[0]
        answer = _scan(text, 0)[0]
        if answer["ok"]:
            return answer["result"]
        error = answer["error"]
        raise CandoError(error["code"], error["message"], error.get("at"), error.get("hint"))


def _method(op):
    main = MAIN_MEMBERS.get(op)

    def ask(self, *values, **arguments):
        if values:
            if not main or len(values) > 1 or main in arguments:
                raise TypeError("%s() takes %s" % (op, "one value besides names" if main else "names only"))
            arguments[main] = values[0]
        return self._ask(_question(op, arguments))

    ask.__name__ = ask.__qualname__ = op
    ask.__doc__ = DOCS[op]
    return ask


# `import` cannot be written as a name: there it is import_.
_named = {"import_" if _op == "import" else _op: _op for _op in OPERATIONS}
for _name, _op in _named.items():
    setattr(Engine, _name, _method(_op))

# The functions are the methods of one engine, which has the built-in catalog.
_engine = Engine()
for _name in [*_named, "call", "raw"]:
    globals()[_name] = getattr(_engine, _name)


def __getattr__(name):
    """Guards are loaded when they are used: they need httpx or requests."""
    if name in ("httpx", "requests"):
        import importlib

        return importlib.import_module("." + name, __name__)
    raise AttributeError("module %r has no attribute %r" % (__name__, name))
