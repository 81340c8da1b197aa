"""Real receivers of alerts: an HTTP server that can be killed, slow or out of order, and a mail server. Not a test module."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import Envelope


class Receiver:
    """`status` and `body` are what it answers, once `go` is set. `got` is what has come, `came` tells that something has."""

    def __init__(self, port: int = 0) -> None:
        self.status, self.body = 200, b"ok"
        self.got: list[Any] = []
        self.headers: list[dict[str, str]] = []
        self.came = threading.Semaphore(0)
        self.go = threading.Event()
        self.go.set()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                receiver.got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                receiver.headers.append(dict(self.headers))
                receiver.came.release()
                receiver.go.wait(60)
                try:
                    self.send_response(receiver.status)
                    self.send_header("Content-Length", str(len(receiver.body)))
                    self.end_headers()
                    self.wfile.write(receiver.body)
                except OSError:
                    """Whoever asked has gone."""

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hooks/T0/secret-path"

    def kill(self) -> None:
        self.go.set()
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def receiver() -> Iterator[Receiver]:
    one = Receiver()
    try:
        yield one
    finally:
        one.kill()


class Mailbox:
    def __init__(self) -> None:
        self.got: list[Envelope] = []
        self.refuse = ""

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Envelope) -> str:  # noqa: N802
        if self.refuse:
            return self.refuse
        self.got.append(envelope)
        return "250 OK"


@contextmanager
def mailbox() -> Iterator[tuple[Mailbox, int]]:
    """And its port."""
    box = Mailbox()
    # A server on port 0 is not known to aiosmtpd's own trial connection.
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as probe:
        port = probe.server_port
    controller = Controller(box, hostname="127.0.0.1", port=port)
    controller.start()
    try:
        yield box, port
    finally:
        controller.stop()
