"""The HTTP server of a web process, and of a standalone worker: any number of listeners, one event loop, one pool of threads."""

import asyncio
import logging
import socket
import ssl
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import uvicorn
import uvloop

from web.bridge import Application, Bridge, pool
from web.protocol import Protocol
from web.remembered import MadeOf, Remembered, nothing

logger = logging.getLogger(__name__)

#: One for each open event stream of the control room, and room for REST beside them.
THREADS = 64
# What has been asked by the time of the stop has so long to be answered, in seconds; event streams never end by themselves.
_PATIENCE = 3
# As Jetty's is in Kafka Connect: a connection that is used more often than that is used again.
_KEEP_ALIVE = 30
_BACKLOG = 1024


class CannotListen(Exception):
    """The message is for the user."""


@dataclass(frozen=True)
class Door:
    """An address that is taken and not answered at yet. `listener` is what the application sees of it."""

    socket: socket.socket
    context: ssl.SSLContext | None = None
    listener: str = ""


def bound(host: str, port: int) -> socket.socket:
    """Raises CannotListen."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except socket.gaierror as error:
        raise CannotListen(f"{host} is no address of this machine: choose another with `listeners`, or DROVER_HOST.") from error
    taken = socket.socket(family, kind, protocol)
    try:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(address)
    except OSError as error:
        taken.close()
        reason = f"{host}:{port} cannot be listened on ({error.strerror})"
        raise CannotListen(f"{reason}: end what does, or choose another port with `listeners`, or DROVER_PORT.") from error
    return taken


@contextmanager
def serving(
    application: Application,
    doors: Sequence[Door],
    *,
    longest_body: int,
    threads: int = THREADS,
    made_of: MadeOf = nothing,
) -> Iterator[None]:
    """Answers meanwhile, in a thread of its own. `made_of` says which answers may be given again, and until when."""
    workers = pool(threads)
    servers = [
        _Server(Bridge(application, workers, longest_body, door.listener, Remembered(made_of)), door.context) for door in doors
    ]
    ready = threading.Event()

    async def run() -> None:
        await asyncio.gather(
            _tell(servers, ready), *(server.serve([door.socket]) for server, door in zip(servers, doors, strict=True))
        )

    def live() -> None:
        try:
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                runner.run(run())
        finally:
            ready.set()

    thread = threading.Thread(target=live, name="http", daemon=True)
    thread.start()
    ready.wait()
    if not thread.is_alive():
        raise CannotListen("The HTTP server could not be started; the log tells why.")
    try:
        yield
    finally:
        for server in servers:
            server.should_exit = True
        thread.join(_PATIENCE + 2)
        workers.stop()


async def _tell(servers: Sequence[uvicorn.Server], ready: threading.Event) -> None:
    while not all(server.started for server in servers):
        await asyncio.sleep(0.005)
    ready.set()


class _Server(uvicorn.Server):
    def __init__(self, bridge: Bridge, context: ssl.SSLContext | None) -> None:
        config = uvicorn.Config(
            bridge,
            interface="asgi3",
            http=Protocol,
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            backlog=_BACKLOG,
            timeout_keep_alive=_KEEP_ALIVE,
            timeout_graceful_shutdown=_PATIENCE,
        )
        config.load()
        config.ssl = context
        super().__init__(config)
        self._bridge = bridge

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._bridge.end()
        await super().shutdown(sockets)
