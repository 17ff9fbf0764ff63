"""Guards for httpx: transports that know what providers of language models take.

    import cando.httpx, httpx, openai

    client = openai.OpenAI(http_client=httpx.Client(transport=cando.httpx.Guard(mode="reject")))
"""
from typing import Any, Callable, Optional

import httpx

from . import Engine
from ._guard import REPLY_KEPT, Guarded
from .events import Event, Mode

__all__ = ["AsyncGuard", "Guard"]


class _Seen:
    """The chunks of a reply, each handed on as it comes."""

    def __init__(self, stream, reader):
        self._stream, self._reader = stream, reader


class _SeenSync(_Seen, httpx.SyncByteStream):
    def __iter__(self):
        for chunk in self._stream:
            self._reader.see(chunk)
            yield chunk
        self._reader.end(False)

    def close(self):
        self._reader.end(True)
        self._stream.close()


class _SeenAsync(_Seen, httpx.AsyncByteStream):
    async def __aiter__(self):
        async for chunk in self._stream:
            self._reader.see(chunk)
            yield chunk
        self._reader.end(False)

    async def aclose(self):
        self._reader.end(True)
        await self._stream.aclose()


class _Both:
    def __init__(
        self,
        mode: Mode = "report",
        *,
        on: Optional[Callable[[Event], Any]] = None,
        provider: Optional[str] = None,
        transport: Any = None,
        engine: Optional[Engine] = None,
        overlay: Any = (),
        strict: bool = False,
        limit: int = REPLY_KEPT,
        **options: Any,
    ) -> None:
        self._guarded = Guarded(mode, on, provider, engine, overlay, strict, limit)
        self._transport = transport or self._plain(**options)

    def _before(self, request):
        try:
            content = request.content
        except httpx.RequestNotRead:  # a stream is left alone, but for the body of one that is sent again, redirected
            if not isinstance(request.stream, httpx.ByteStream):
                return None
            content = request.read()
        return self._guarded.before(request.method, str(request.url), request.headers.items(), content)

    def _next(self, call, request):
        """The request as it is sent, or the reply to it."""
        try:
            if call.refusal:
                status, headers, body = call.refusal
                # as a stream, so that the client reads and closes it as any other
                return None, httpx.Response(status, headers=headers, stream=httpx.ByteStream(body), request=request)
            if call.body is None:
                return request, None
            headers = request.headers.copy()
            headers["content-length"] = str(len(call.body))
            headers.pop("transfer-encoding", None)
            made = httpx.Request(
                request.method, request.url, headers=headers, content=call.body, extensions=request.extensions
            )
            return made, None
        except Exception as error:
            self._guarded.fault("request", error, call.about)
            return request, None

    def _after(self, call, response, seen):
        reader = call.reader(response.status_code, response.headers.items())
        if reader and response.is_closed:  # the transport has read it already
            reader.unpacked()
            reader.see(response.content)
            reader.end(False)
        elif reader:
            response.stream = seen(response.stream, reader)
        return response


class Guard(_Both, httpx.BaseTransport):
    """A transport for httpx.Client that judges requests to providers before they are sent.

    mode: "report" only tells; "repair" sends the safe rewrite; "reject" answers in the provider's own
    form, without a call, what it would refuse. on(event) sees what happens. provider: whose API it is,
    at a base URL of one's own. transport: the one below; without it httpx's own, with the other options.
    engine, overlay: an engine with rules of one's own. Anything that is no request to a model passes.
    """

    _plain = staticmethod(httpx.HTTPTransport)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        call = self._before(request)
        call = call and call.settled()
        if not call:
            return self._transport.handle_request(request)
        request, reply = self._next(call, request)
        return reply or self._after(call, self._transport.handle_request(request), _SeenSync)

    def close(self) -> None:
        self._transport.close()


class AsyncGuard(_Both, httpx.AsyncBaseTransport):
    """The same for httpx.AsyncClient."""

    _plain = staticmethod(httpx.AsyncHTTPTransport)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        call = self._before(request)
        call = call and await call.settled_async()
        if not call:
            return await self._transport.handle_async_request(request)
        request, reply = self._next(call, request)
        return reply or self._after(call, await self._transport.handle_async_request(request), _SeenAsync)

    async def aclose(self) -> None:
        await self._transport.aclose()
