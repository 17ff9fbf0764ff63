"""A guard for requests: an adapter that knows what providers of language models take.

    import cando.requests, requests

    session = requests.Session()
    session.mount("https://", cando.requests.Guard(mode="reject"))
"""
import io
from http.client import responses
from typing import Any, Callable, Optional

import requests
from requests.adapters import BaseAdapter, HTTPAdapter
from requests.structures import CaseInsensitiveDict

from . import Engine
from ._guard import REPLY_KEPT, Guarded
from .events import Event, Mode

__all__ = ["Guard"]


class _Seen:
    """What a reply is read from, urllib3's response: the same, but for what it gives is seen."""

    def __init__(self, raw, reader):
        self._raw, self._reader = raw, reader

    def __getattr__(self, name):
        return getattr(self._raw, name)

    def _see(self, chunk, decode, wanted):
        if decode or (decode is None and getattr(self._raw, "decode_content", False)):
            self._reader.unpacked()
        if chunk:
            self._reader.see(chunk)
        elif wanted != 0:
            self._reader.end(False)
        return chunk

    def read(self, amt=None, decode_content=None, *rest, **named):
        chunk = self._see(self._raw.read(amt, decode_content, *rest, **named), decode_content, amt)
        if amt is None:
            self._reader.end(False)
        return chunk

    def stream(self, amt=2**16, decode_content=None):
        for chunk in self._raw.stream(amt, decode_content):
            yield self._see(chunk, decode_content, 0)
        self._reader.end(False)

    def __iter__(self):
        for chunk in self._raw:
            yield self._see(chunk, True, 0)
        self._reader.end(False)

    def close(self):
        self._reader.end(True)
        self._raw.close()

    def release_conn(self):
        self._reader.end(True)
        self._raw.release_conn()


class Guard(BaseAdapter):
    """An adapter for requests.Session that judges requests to providers before they are sent.

    mode: "report" only tells; "repair" sends the safe rewrite; "reject" answers in the provider's own
    form, without a call, what it would refuse. on(event) sees what happens. provider: whose API it is,
    at a base URL of one's own. adapter: the one below; without it an HTTPAdapter, with the other options.
    engine, overlay: an engine with rules of one's own. Anything that is no request to a model passes.
    """

    def __init__(
        self,
        mode: Mode = "report",
        *,
        on: Optional[Callable[[Event], Any]] = None,
        provider: Optional[str] = None,
        adapter: Optional[BaseAdapter] = None,
        engine: Optional[Engine] = None,
        overlay: Any = (),
        strict: bool = False,
        limit: int = REPLY_KEPT,
        **options: Any,
    ) -> None:
        super().__init__()
        self._guarded = Guarded(mode, on, provider, engine, overlay, strict, limit)
        self._adapter = adapter or HTTPAdapter(**options)

    def send(self, request, **options):  # type: ignore[no-untyped-def]
        body = request.body.encode() if isinstance(request.body, str) else request.body
        call = self._guarded.before(request.method, request.url, _texts(request.headers), body)
        call = call and call.settled()
        if not call:
            return self._adapter.send(request, **options)
        request, reply = self._next(call, request)
        if reply is not None:  # a refusal is false
            return reply
        return self._after(call, self._adapter.send(request, **options))

    def close(self) -> None:
        self._adapter.close()

    def _next(self, call, request):
        """The request as it is sent, or the reply to it."""
        try:
            if call.refusal:
                return None, self._reply(request, *call.refusal)
            if call.body is None:
                return request, None
            made = request.copy()
            made.body = call.body
            made.headers["Content-Length"] = str(len(call.body))
            made.headers.pop("Transfer-Encoding", None)
            return made, None
        except Exception as error:
            self._guarded.fault("request", error, call.about)
            return request, None

    def _reply(self, request, status, headers, body):
        reply = requests.Response()
        reply.status_code = status
        reply.reason = responses.get(status, "")
        reply.headers = CaseInsensitiveDict(headers)
        reply.encoding = "utf-8"
        reply.raw = io.BytesIO(body)
        reply.url = request.url
        reply.request = request
        reply.connection = self  # type: ignore[attr-defined]
        return reply

    def _after(self, call, response):
        reader = call.reader(response.status_code, response.headers.items())
        if reader:
            response.raw = _Seen(response.raw, reader)
        return response


def _texts(headers):
    """Headers may be bytes."""
    for name, value in headers.items():
        name = name.decode("latin-1") if isinstance(name, bytes) else name
        yield name, value.decode("latin-1") if isinstance(value, bytes) else value
