"""WSGI on an ASGI server: the application runs in threads, the sockets belong to one event loop.

WSGI knows a path only decoded, where `%2F` and `/` are one; REQUEST_URI has it as it came. Who is served by which of several
listeners is in `LISTENER`.
"""

import asyncio
import io
import logging
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import unquote_to_bytes

from web.remembered import Remembered, assembled
from workers.elastic_pool import ElasticPool

logger = logging.getLogger(__name__)

LISTENER = "drover.listener"

Environ = dict[str, Any]
Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Environ, Any], Iterable[bytes]]


class Pool(Protocol):
    def submit(self, work: Callable[[], object]) -> None: ...

    def stop(self) -> None: ...


#: Seconds. Longer than any request takes and any event stream lasts: whoever is at it still will never come back.
_FOR_EVER = 3 * 3600.0


def pool(threads: int) -> Pool:
    """Of daemons: none of them keeps the process from ending."""
    return ElasticPool(threads, "web", _FOR_EVER)


def _nothing() -> None:
    pass


@dataclass(slots=True)
class Answer:
    """`pieces` come as they are made, where `body` is not all of it already."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes = b""
    pieces: Iterator[bytes] | None = None
    close: Callable[[], object] = _nothing


#: To whoever has waited until the end.
_OVER = Answer(503, [(b"content-length", b"0"), (b"connection", b"close")])


class Bridge:
    """An ASGI application. Bodies longer than `longest` bytes are not read: the application gets the length and nothing else."""

    def __init__(
        self, application: Application, pool: Pool, longest: int, listener: str = "", remembered: Remembered | None = None
    ) -> None:
        self.remembered = remembered or Remembered()
        self._application = application
        self._pool = pool
        self._longest = longest
        self._listener = listener
        self._over = asyncio.Event()

    def end(self) -> None:
        """Streams end where they are. To be called in the event loop."""
        self._over.set()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        target, headers = _target(scope), tuple(scope["headers"])
        made_of = self.remembered.made_of(scope["method"], target, headers)
        environ = environ_of(scope, self._listener)
        body, length, gone = await self._body(environ, receive)
        if gone:
            return
        environ["wsgi.input"] = io.BytesIO(body)
        if length:
            environ["CONTENT_LENGTH"] = str(length)
        try:
            answer = await self._in_thread(lambda: self._answer(environ))
        except asyncio.CancelledError:
            answer = _OVER
        if length > len(body):
            # Whoever still sends is not listened to any more.
            answer.headers = [*answer.headers, (b"connection", b"close")]
        if made_of is not None and answer.status == 200 and answer.pieces is None:
            self.remembered.keep(target, headers, made_of, assembled(answer.headers, answer.body))
        await send({"type": "http.response.start", "status": answer.status, "headers": answer.headers})
        if answer.pieces is None:
            await send({"type": "http.response.body", "body": answer.body})
        else:
            await self._stream(answer.pieces, answer.close, receive, send)

    async def _body(self, environ: Environ, receive: Receive) -> tuple[bytes, int, bool]:
        """What there is of it, how long it is as far as is known, and whether its sender is gone."""
        declared = environ.get("CONTENT_LENGTH", "")
        if declared.isdecimal() and int(declared) > self._longest:
            return b"", int(declared), False
        parts, length = [], 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return b"", 0, True
            parts.append(message.get("body", b""))
            length += len(parts[-1])
            if length > self._longest:
                return b"", length, False
            if not message.get("more_body"):
                return b"".join(parts), length, False

    async def _in_thread(self, work: Callable[[], Any]) -> Any:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Any] = loop.create_future()

        def tell(result: Any, error: BaseException | None) -> None:
            if done.cancelled():
                return
            if error is None:
                done.set_result(result)
            else:
                done.set_exception(error)

        def run() -> None:
            result, failure = None, None
            try:
                result = work()
            except BaseException as error:
                failure = error
            try:
                loop.call_soon_threadsafe(tell, result, failure)
            except RuntimeError:
                # The server is over: nobody waits any more.
                logger.debug("An answer came after the end")

        self._pool.submit(run)
        return await done

    def _answer(self, environ: Environ) -> Answer:
        started: list[tuple[str, list[tuple[str, str]]]] = []
        result = self._application(environ, lambda status, headers, _info=None: started.append((status, headers)))
        status, given = started[-1]
        headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in given]
        has_length = any(name == b"content-length" for name, _ in headers)
        close = getattr(result, "close", _nothing)
        if getattr(result, "streaming", False) and not has_length:
            return Answer(int(status[:3]), headers, pieces=iter(result), close=close)
        try:
            body = b"".join(result)
        finally:
            close()
        if not has_length and status[:3] not in ("204", "304"):
            headers.append((b"content-length", str(len(body)).encode()))
        return Answer(int(status[:3]), headers, body)

    async def _stream(self, pieces: Iterator[bytes], close: Callable[[], object], receive: Receive, send: Send) -> None:
        gone = asyncio.ensure_future(_gone(receive))
        over = asyncio.ensure_future(self._over.wait())
        try:
            while True:
                piece = asyncio.ensure_future(self._in_thread(lambda: next(pieces, None)))
                await asyncio.wait({piece, gone, over}, return_when=asyncio.FIRST_COMPLETED)
                if not piece.done():
                    piece.cancel()
                    break
                if (found := piece.result()) is None:
                    break
                await send({"type": "http.response.body", "body": found, "more_body": True})
            if not gone.done():
                await send({"type": "http.response.body", "body": b""})
        finally:
            gone.cancel()
            over.cancel()
            # In a thread: it may wait for something.
            await self._in_thread(close)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _target(scope: Message) -> bytes:
    query: bytes = scope["query_string"]
    return scope["raw_path"] + b"?" + query if query else scope["raw_path"]  # type: ignore[no-any-return]


def environ_of(scope: Message, listener: str = "") -> Environ:
    raw, query = scope["raw_path"].decode("latin-1"), scope["query_string"].decode("latin-1")
    server, client = scope["server"] or ("", 0), scope["client"] or ("", 0)
    environ: Environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "REQUEST_URI": f"{raw}?{query}" if query else raw,
        "QUERY_STRING": query,
        "SERVER_NAME": server[0],
        "SERVER_PORT": str(server[1]),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": client[0],
        "REMOTE_PORT": str(client[1]),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        LISTENER: listener,
    }
    for name, value in scope["headers"]:
        # `X_Forwarded-For` would be taken for `X-Forwarded-For`.
        if b"_" not in name:
            _put(environ, name.decode("latin-1").upper().replace("-", "_"), value.decode("latin-1"))
    return environ


def _put(environ: Environ, name: str, value: str) -> None:
    key = name if name in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{name}"
    if key in environ:
        value = f"{environ[key]}{'; ' if name == 'COOKIE' else ','}{value}"
    environ[key] = value
