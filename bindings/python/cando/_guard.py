"""What the guards of all HTTP clients share: what to do with a request, and what to see in a reply.

    request --> Guarded.before() --> Call.settled() --> the transport below --> Call.reader() --> client
                  | refuse: the provider's own error, without a call
                  | send: the body, repaired
                  | pass: all as it came

The client's call comes first: what goes wrong in here is told as an event of type "fault", and the
call goes on as if there were no guard. A reply is handed on chunk by chunk, as it comes; what is
kept of it to tell its cost is bounded.
"""
import base64
import inspect
import itertools
import json
import logging
import os
import re
import threading
import weakref
import zlib

from . import _RESULT, CandoError, Engine, _question, _scan

MODES = ("report", "repair", "reject")
REPLY_KEPT = 4 << 20  # bytes of a reply; the cost of a longer one is not told
ERROR_KEPT = 64 << 10  # bytes of an error that something is learnt from
LEARNT_KEPT = 256  # facts that one engine learns
LEARNABLE = (400, 413, 422)  # replies that say what is wrong with a request

_SECRET = re.compile(r"^(proxy-)?authorization$|cookie|key|secret|token", re.I)  # not needed to judge
_SIGNS = ("content-digest", "content-md5", "digest", "repr-digest", "signature", "x-amz-content-sha256")
_RULES = 'schema = "cando/rules@1"\n'

_NO_JSON = "the reply is no JSON"
_UNREAD = "the reply was not read to its end"

_log = logging.getLogger("cando")
_numbers = itertools.count(1)


_all = weakref.WeakSet()  # all that learn


class Learnt:
    """An engine, and what it has learnt. A rule goes into its catalog in a thread of its own, since
    that is compiled anew; who asks for the same model meanwhile waits."""

    def __init__(self, engine):
        self.engine = engine
        self.facts = set()
        self.pending = {}  # (provider, model) -> the thread that puts its rules in
        self.new_locks()
        _all.add(self)

    def new_locks(self):
        self.lock = threading.Lock()
        self.turn = threading.Lock()  # one at a time

    def after_fork(self):
        """The threads have stayed behind, with the locks that they held; their rules are learnt again."""
        self.new_locks()
        if self.pending:
            self.pending, self.facts = {}, set()

    def add(self, key, rule, observations, failed):
        """False: it is known, or there are too many."""
        # The same fact may be told in other words each time, with the number of the request.
        fact = json.dumps([[o.get("target"), o.get("field"), o.get("value")] for o in observations])

        def put():
            if before:
                before.join()
            try:
                with self.turn:
                    self.engine._engine.overlay("learnt", (_RULES + rule).encode())
            except Exception as error:  # a rule that cannot be compiled is none
                failed(error)
            with self.lock:
                if self.pending.get(key) is thread:
                    del self.pending[key]

        with self.lock:
            if fact in self.facts or len(self.facts) >= LEARNT_KEPT:
                return False
            self.facts.add(fact)
            before = self.pending.get(key)
            thread = self.pending[key] = threading.Thread(target=put, name="cando-learn", daemon=True)
        thread.start()
        return True

    def waiting(self, key):
        """The thread that has to end first, or None."""
        return self.pending.get(key)


_shared = Learnt(Engine())  # of all guards that have no engine of their own
_making = threading.Lock()


def _after_fork():
    global _making
    _making = threading.Lock()
    for learnt in list(_all):
        learnt.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _learnt_of(engine):
    """What an engine has learnt is the same for all of its guards."""
    with _making:
        if getattr(engine, "_learnt", None) is None:
            engine._learnt = Learnt(engine)
        return engine._learnt


def _is_wrong_name(finding):
    """There is no provider of the name that a guard was given: then next to nothing is judged."""
    return finding["code"] == "provider-unknown"


def _warn(event):
    """Without a handler, `report` says what would be refused."""
    _warn_of(event, lambda finding: finding["severity"] == "error" or _is_wrong_name(finding))


def _warn_of_name(event):
    """Without a handler, that is said in every mode."""
    _warn_of(event, _is_wrong_name)


def _warn_of(event, is_told):
    if event["type"] != "verdict":
        return
    for f in filter(is_told, event["findings"]):
        text = "%s: %s" % (f["message"], f["fix"]) if _is_wrong_name(f) and f["fix"] else f["message"]
        _log.warning("%s/%s: %s (at %s)", event["provider"], event["model"], text, f["path"] or "/")


_running = set()  # a loop itself does not hold its tasks


def _run_later(said):
    """What an async handler does is done beside the call, in the loop that the call is made in."""
    import asyncio

    async def run():
        try:
            await said
        except Exception:
            _log.debug("a handler of events failed", exc_info=True)

    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        getattr(said, "close", lambda: None)()
        _log.warning("a handler of events is async, and there is no loop of asyncio to run it in")
        return
    task = loop.create_task(run())
    _running.add(task)
    task.add_done_callback(_running.discard)


async def _joined(thread):
    import asyncio

    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:  # another library's loop
        thread.join()
        return
    await loop.run_in_executor(None, thread.join)


class Guarded:
    """The settings of a guard, and its judgement."""

    def __init__(self, mode, on, provider, engine, overlay, strict, limit):
        if mode not in MODES:
            raise ValueError("mode is one of %s, and not %r" % (", ".join(MODES), mode))
        if engine is None:
            self.learnt = Learnt(Engine(overlay=overlay)) if overlay else _shared
        else:
            self.learnt = _learnt_of(engine)
        self.mode = mode
        self.on = on or (_warn if mode == "report" else _warn_of_name)
        self.limit = limit
        self.fixed = {}
        if provider:
            self.fixed["provider"] = provider
        if strict:
            self.fixed["strict"] = True

    def tell(self, event):
        """An event for the handler, whose faults are its own."""
        if self.on:
            try:
                said = self.on(event)
                if inspect.isawaitable(said):
                    _run_later(said)
            except Exception:
                _log.debug("a handler of events failed", exc_info=True)

    def fault(self, where, error, about=None):
        self.tell(dict(about or {}, type="fault", where=where, error=error))

    def before(self, method, url, headers, body):
        """A Call that says how it goes on; None: nobody's request to a model."""
        try:
            if method != "POST" or type(body) is not bytes or body[:200].lstrip()[:1] != b"{":
                return None
            named = {}
            for name, value in headers:
                named[name.lower()] = value
            if "content-encoding" in named:
                return None
            return self._judge(url, named, body)
        except Exception as error:
            self.fault("verdict", error)
            return None

    def _judge(self, url, headers, body):
        signed = self.mode == "repair" and _is_signed(headers)
        arguments = dict(self.fixed, url=url, mode="report" if signed else self.mode)
        arguments["headers"] = {n: v for n, v in headers.items() if not _SECRET.search(n)}
        arguments["request"] = body
        question = _question("guard", arguments)
        about = {"call": next(_numbers), "url": _address(url)}
        try:
            answer, request = _answer(self.learnt.engine.raw(question))
        except CandoError as error:  # the body is no JSON
            answer, request = {"known": False, "action": "pass", "reason": error.message}, None
        call = Call(self, about, answer, request, question)
        if signed and answer["known"]:
            answer["reason"] = "the request is signed: it is sent as it came"
        return call


def _address(url):
    """Without what may be secret: a query, and who asks."""
    scheme, mark, rest = re.split(r"[?#]", url, maxsplit=1)[0].partition("://")
    host, slash, path = rest.partition("/")
    return scheme + mark + host.rpartition("@")[2] + slash + path


def _is_signed(headers):
    """One that is signed cannot be changed any more."""
    return headers.get("authorization", "")[:5].upper() == "AWS4-" or any(s in headers for s in _SIGNS)


def _answer(raw):
    """The result, and the text of its request: what was not changed stays as it was, byte for byte."""
    text = raw.decode()
    if not text.startswith(_RESULT):
        error = json.loads(text)["error"]
        raise CandoError(error["code"], error["message"], error.get("at"), error.get("hint"))
    at = len(_RESULT) + 1
    result, request = {}, None
    while text[at] != "}":
        name, at = _scan(text, at)
        begin = at + 1
        result[name], at = _scan(text, begin)
        if name == "request":
            request = text[begin:at].encode()
        if text[at] == ",":
            at += 1
    return result, request


class Call:
    """A request that was judged, and what becomes of it."""

    def __init__(self, guarded, about, answer, request, question):
        self.guarded = guarded
        self.about = about
        self.answer = answer
        self._request = request
        self._question = question

    def settled(self):
        """Itself, when it is clear what it comes to; None: nobody's request. What is being learnt about
        its model is waited for, and then it is judged again."""
        thread = self._learning()
        if thread:
            thread.join()
        return self._settle(bool(thread))

    async def settled_async(self):
        """The same without holding up the loop that it runs in."""
        thread = self._learning()
        if thread:
            await _joined(thread)
        return self._settle(bool(thread))

    def _learning(self):
        return self.guarded.learnt.waiting((self.answer.get("provider"), self.answer.get("model")))

    def _settle(self, waited):
        try:
            if waited:
                self.answer, self._request = _answer(self.guarded.learnt.engine.raw(self._question))
            self._question = None
            event = {k: v for k, v in self.answer.items() if k not in ("request", "reply")}
            event.setdefault("findings", [])
            self.guarded.tell(dict(self.about, type="verdict", mode=self.guarded.mode, **event))
        except Exception as error:
            self.guarded.fault("verdict", error, self.about)
            self.answer = {"known": False, "action": "pass"}
        return self if self.answer["known"] else None

    @property
    def body(self):
        """The repaired one; None: as it came."""
        return self._request if self.answer["action"] == "send" else None

    @property
    def refusal(self):
        """Status, headers and body to answer with; None: it is sent."""
        if self.answer["action"] != "refuse":
            return None
        reply = self.answer["reply"]
        body = json.dumps(reply["body"], ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")
        headers = dict(reply["headers"], **{"content-length": str(len(body)), "x-cando": "refused"})
        return reply["status"], headers, body

    def reader(self, status, headers):
        """Who looks at the reply; None: there is nothing to see."""
        try:
            named = {name.lower(): value for name, value in headers}
            if 200 <= status < 300:
                return Reader(self, _form_of(named), named, self.guarded.limit, self._cost)
            if status in LEARNABLE:
                return Reader(self, Whole(), named, ERROR_KEPT, self._learn)
        except Exception as error:
            self.guarded.fault("reply", error, self.about)
        return None

    def _cost(self, reader, cut):
        known = {k: self.answer.get(k) for k in ("provider", "model", "dialect", "stream")}
        event = dict(self.about, type="cost", **known)
        response = reader.json()
        if not response:
            reason = reader.why or "there was no reply to read"
            self.guarded.tell(dict(event, known=False, partial=cut, reason=reason))
            return
        if response[:1] not in (b"{", b"["):
            response = response.decode("utf-8", "replace")  # no JSON, and told so
        ask = {"response": response, "dialect": known["dialect"], "provider": known["provider"]}
        engine = self.guarded.learnt.engine
        try:
            cost = engine.cost(**ask)
            if cost["total_cost"] is None and known["model"]:
                del ask["provider"]
                target = {"provider": known["provider"], "model": known["model"]}
                other = engine.cost(target=target, **ask)
                cost = cost if other["total_cost"] is None else other
        except CandoError as error:
            reason = _NO_JSON if error.code == "json-syntax" else error.message
            self.guarded.tell(dict(event, known=False, partial=cut, reason=_UNREAD if cut else reason))
            return
        event.update(cost, known=True, dialect=known["dialect"], partial=cost.get("partial", cut))
        event["model"] = event["model"] or known["model"]
        self.guarded.tell(event)

    def _learn(self, reader, cut):
        provider, model = self.answer.get("provider"), self.answer.get("model")
        text = reader.json()
        if cut or not text or not model:
            return
        try:
            error = json.loads(text)
        except ValueError:
            error = text.decode("utf-8", "replace")
        learnt = self.guarded.learnt.engine.learn(target={"provider": provider, "model": model}, error=error)
        rule = learnt.get("rule")

        def failed(error):
            self.guarded.fault("learn", error, self.about)

        observations = learnt.get("observations") or []
        if rule and self.guarded.learnt.add((provider, model), rule, observations, failed):
            told = {"provider": provider, "model": model, "observations": observations, "rule": rule}
            self.guarded.tell(dict(self.about, type="learnt", **told))


# -- replies as they are read: each form sees bytes, and gives JSON in the end ----------------------


def _form_of(headers):
    kind = headers.get("content-type", "").lower()
    if kind.startswith("text/event-stream"):
        return ServerEvents()
    if any(k in kind for k in ("ndjson", "jsonl", "json-seq", "stream+json")):
        return Lines()
    if kind.startswith("application/vnd.amazon.eventstream"):
        return Frames()
    return Whole()


class Reader:
    """Sees the chunks of a reply while the client reads them; never fails."""

    def __init__(self, call, form, headers, limit, end):
        self.why = None  # why there is nothing to read
        self._call, self._form, self._left, self._end = call, form, limit, end
        self._unpack = None
        packed = headers.get("content-encoding", "identity").lower()
        if packed in ("gzip", "x-gzip", "deflate"):
            self._unpack = zlib.decompressobj(zlib.MAX_WBITS | 32)
        elif packed != "identity":
            self.why = "the reply is packed as %s" % packed

    def unpacked(self):
        """The chunks come as they were before they were packed."""
        self._unpack = self.why = None

    def see(self, chunk):
        if self.why or not self._end:
            return
        try:
            # no more comes out of a small chunk than there is room for
            data = self._unpack.decompress(chunk, self._left + 1) if self._unpack else chunk
            self._left -= len(data)
            if self._left < 0:
                self.why = "the reply is too long"
                self._form = None
                return
            self._form.see(data)
        except Exception as error:
            self.why = "the reply cannot be read: %s" % error
            self._form = None

    def end(self, cut):
        """Once, when the reply has been read (or given up: cut)."""
        end, self._end = self._end, None
        if not end:
            return
        try:
            end(self, cut)
        except Exception as error:
            self._call.guarded.fault("reply", error, self._call.about)
        self._form = None

    def json(self):
        return b"" if self.why else self._form.json()


class Whole:
    """One JSON text, or anything else as it is."""

    def __init__(self):
        self._parts = []

    def see(self, data):
        self._parts.append(bytes(data))

    def json(self):
        return b"".join(self._parts).strip()


class Lines:
    """A JSON text a line."""

    def __init__(self):
        self._rest = b""
        self._events = []

    def see(self, data):
        if b"\n" not in data and b"\r" not in data:
            self._rest += data
            return
        lines = (self._rest + data).replace(b"\r", b"\n").split(b"\n")
        self._rest = lines.pop()
        for line in lines:
            self._line(line)

    def _line(self, line):
        line = line.strip(b" \t\x1e")
        if line[:1] == b"{":
            self._events.append(line)

    def json(self):
        self._line(self._rest)
        return b"[" + b",".join(self._events) + b"]" if self._events else b""


class ServerEvents(Lines):
    """Server-sent events: the JSON of their data, which providers write in one line."""

    def _line(self, line):
        if line.startswith(b"data:"):
            super()._line(line[5:])


class Frames:
    """Amazon's event streams: u32 length, u32 length of headers, u32, headers, payload, u32."""

    def __init__(self):
        self._rest = b""
        self._events = []

    def see(self, data):
        self._rest += data
        while len(self._rest) >= 12:
            size = int.from_bytes(self._rest[:4], "big")
            head = int.from_bytes(self._rest[4:8], "big")
            if size < head + 16:
                raise ValueError("a frame is broken")
            if len(self._rest) < size:
                return
            self._frame(self._rest[12 : 12 + head], self._rest[12 + head : size - 4])
            self._rest = self._rest[size:]

    def _frame(self, headers, payload):
        name = _frame_type(headers)
        if name == b"chunk":  # of InvokeModel: the model's own event inside
            self._events.append(base64.b64decode(json.loads(payload)["bytes"]))
        elif name and payload[:1] == b"{":
            self._events.append(b'{"' + name + b'":' + payload + b"}")

    def json(self):
        return b"[" + b",".join(self._events) + b"]" if self._events else b""


def _frame_type(headers):
    """The header ":event-type": u8 length, name, u8 7, u16 length, text."""
    at = headers.find(b"\x0b:event-type\x07")
    if at < 0:
        return b""
    at += 13
    name = headers[at + 2 : at + 2 + int.from_bytes(headers[at : at + 2], "big")]
    return name if name.isalnum() else b""
