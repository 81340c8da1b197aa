"""Callers of a REST API that cost next to nothing themselves: on few cores a client library would be most of what is measured."""

import selectors
import socket
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from bench.waiting import Stuck

_PIECE = 1 << 18
_PATIENCE = 90.0


def get(url: str, paths: Sequence[str], callers: int) -> list[float]:
    """Milliseconds for each path, from the request until the last byte of the answer. Each caller keeps its connection and asks
    for the next path when it was answered. Raises Stuck for anything but a 200."""
    host = urlsplit(url).netloc
    name, _, port = host.partition(":")
    waiting = iter(paths)
    milliseconds: list[float] = []
    with selectors.DefaultSelector() as selector:
        for _ in range(min(callers, len(paths))):
            connection = socket.create_connection((name, int(port)))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            caller = _Caller(connection, host)
            selector.register(connection, selectors.EVENT_READ, caller)
            caller.ask(next(waiting))
        while selector.get_map():
            ready = selector.select(_PATIENCE)
            if not ready:
                raise Stuck(f"{url}: no answer")
            for key, _ in ready:
                if (took := key.data.read()) is not None:
                    milliseconds.append(took)
                    _next(selector, key.data, waiting)
    return milliseconds


def _next(selector: selectors.BaseSelector, caller: "_Caller", waiting: Iterator[str]) -> None:
    path = next(waiting, None)
    if path is not None:
        caller.ask(path)
    else:
        selector.unregister(caller.connection)
        caller.connection.close()


@dataclass
class _Caller:
    connection: socket.socket
    host: str
    _began: float = 0.0
    _answer: bytearray = field(default_factory=bytearray)

    def ask(self, path: str) -> None:
        self._answer.clear()
        self._began = time.monotonic()
        self.connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {self.host}\r\nAccept: application/json\r\n\r\n".encode())

    def read(self) -> float | None:
        """What there is to be read. Milliseconds, once that was all. Raises Stuck."""
        piece = self.connection.recv(_PIECE)
        self._answer += piece
        if not piece or not b"HTTP/1.1 200 ".startswith(self._answer[:13]):
            raise Stuck(f"{self.host}: {bytes(self._answer[:200])!r}")
        return (time.monotonic() - self._began) * 1000 if complete(self._answer) else None


def complete(answer: bytes | bytearray) -> bool:
    """Whether all of an answer is there. Its body is JSON, so the end of the last chunk is nothing that could be in it."""
    head, separator, body = answer.partition(b"\r\n\r\n")
    if not separator:
        return False
    fields = dict(line.lower().split(b": ", 1) for line in bytes(head).split(b"\r\n")[1:])
    length = fields.get(b"content-length")
    return len(body) >= int(length) if length is not None else body.endswith(b"0\r\n\r\n")
