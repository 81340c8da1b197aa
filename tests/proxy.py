"""A proxy in front of a Connect cluster that is real: it keeps what was asked for, and fails where a test tells it to. Not a test
module."""

import http.client
import json
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

# Of one connection, and so not to be passed on.
_OWN = {"connection", "content-length", "transfer-encoding", "keep-alive", "host", "date", "server", "accept-encoding"}
_ALWAYS = 1_000_000


@dataclass
class Asked:
    """A request, and what the cluster answered to it, or the proxy in its place; a `status` of 0: nothing. Bodies are JSON."""

    method: str
    target: str
    body: Any
    status: int = 0
    answer: Any = None

    @property
    def call(self) -> str:
        return f"{self.method} {self.target.partition('?')[0]}"


@dataclass
class _Fault:
    """`left`: how many requests it is for, `after` so many that get through. With a `status` they do not get to the cluster.
    Without one nobody is answered: `over` ends the waiting of those that do not get there."""

    pattern: str
    left: int = _ALWAYS
    status: int = 0
    message: str = ""
    after: int = 0
    over: threading.Event | None = None


@dataclass
class Proxy:
    """`authorization`: who has no such header is answered 401. `tls`: what is spoken, in place of what `url` says. Patterns are a
    shell's, of method and path: `PUT */pause`."""

    upstream: str
    url: str = ""
    authorization: str = ""
    tls: ssl.SSLContext | None = None
    asked: list[Asked] = field(default_factory=list)
    _faults: list[_Fault] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def sent(self, pattern: str = "*") -> list[str]:
        """What was no look, with its query, in its order."""
        return self._sent(pattern, 599)

    def taken(self, pattern: str = "*") -> list[str]:
        """Of that what the cluster took on: one that rebalances may have said no at first."""
        return self._sent(pattern, 399)

    def looks(self, pattern: str) -> int:
        return sum(fnmatchcase(one.call, f"GET {pattern}") for one in self.asked)

    def _sent(self, pattern: str, worst: int) -> list[str]:
        found = [one for one in self.asked if one.method != "GET" and one.status <= worst and fnmatchcase(one.call, pattern)]
        return [f"{one.method} {one.target}" for one in found]

    @contextmanager
    def refusing(self, pattern: str, status: int, message: str = "No", times: int = _ALWAYS) -> Iterator[None]:
        """The cluster hears nothing of it."""
        with self._failing(_Fault(pattern, times, status, message)):
            yield

    @contextmanager
    def hanging(self, pattern: str = "*", after: int = 0) -> Iterator[None]:
        """Whoever asks waits until this is over, and is not answered then; the cluster hears nothing of it. But for so many who
        ask first."""
        over = threading.Event()
        with self._failing(_Fault(pattern, after=after, over=over)):
            try:
                yield
            finally:
                over.set()

    @contextmanager
    def losing(self, pattern: str) -> Iterator[None]:
        """The cluster does it, and its answer gets nowhere."""
        with self._failing(_Fault(pattern)):
            yield

    @contextmanager
    def _failing(self, fault: _Fault) -> Iterator[None]:
        self._faults.append(fault)
        try:
            yield
        finally:
            self._faults.remove(fault)

    def _fault(self, call: str) -> _Fault | None:
        with self._lock:
            for fault in self._faults:
                if fault.left and fnmatchcase(call, fault.pattern):
                    if fault.after:
                        fault.after -= 1
                        return None
                    fault.left -= 1
                    return fault
        return None

    def _take(self, asked: Asked, headers: dict[str, str], content: bytes) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body; a status of 0 is no answer."""
        self.asked.append(asked)
        if self.authorization and headers.get("Authorization") != self.authorization:
            return _refusal(401, "HTTP 401 Unauthorized")
        fault = self._fault(asked.call)
        if fault and fault.status:
            return _refusal(fault.status, fault.message)
        if fault and fault.over:
            fault.over.wait()
            return 0, {}, b""
        answer = self._forward(asked, headers, content)
        return (0, {}, b"") if fault else answer

    def _forward(self, asked: Asked, headers: dict[str, str], content: bytes) -> tuple[int, dict[str, str], bytes]:
        at = urlsplit(self.upstream)
        connection = http.client.HTTPConnection(at.hostname or "", at.port, timeout=90)
        passed_on = {name: value for name, value in headers.items() if name.lower() not in _OWN}
        try:
            connection.request(asked.method, asked.target, content or None, passed_on)
            told = connection.getresponse()
            kept = {name: value for name, value in told.getheaders() if name.lower() not in _OWN}
            return told.status, kept, told.read()
        finally:
            connection.close()


def _refusal(status: int, message: str) -> tuple[int, dict[str, str], bytes]:
    body = json.dumps({"error_code": status, "message": message}).encode()
    return status, {"Content-Type": "application/json"}, body


@contextmanager
def proxying(upstream: str) -> Iterator[Proxy]:
    proxy = Proxy(upstream)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            asked = Asked(self.command, self.path, json.loads(content) if content else None)
            status, headers, body = proxy._take(asked, dict(self.headers), content)
            # Whoever sees that it was answered looks at the answer.
            asked.answer = _json(body)
            asked.status = status
            if not status:
                return
            try:
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except OSError:
                """Whoever asked has gone."""

        do_POST = do_PUT = do_PATCH = do_DELETE = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        # Five, as a server of this kind has it, would make the sixth of those who come at once wait for a second.
        request_queue_size = 128

        def get_request(self) -> tuple[socket.socket, Any]:
            connection, address = super().get_request()
            if proxy.tls:
                # The handshake is the connection's own thread's.
                connection = proxy.tls.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
            return connection, address

        def handle_error(self, *_: object) -> None:
            """Whoever asked was not let in, or has gone."""

    with Server(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        proxy.url = f"http://127.0.0.1:{server.server_port}"
        try:
            yield proxy
        finally:
            server.shutdown()
            thread.join()


def _json(body: bytes) -> Any:
    try:
        return json.loads(body) if body else None
    except ValueError:
        return body.decode(errors="replace")
