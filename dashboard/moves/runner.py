"""The moves of all who ask, a thread each, in every control process: each takes up what no other carries out."""

import logging
import os
import socket
import threading
import uuid
from datetime import UTC, datetime

from django.db import DatabaseError, close_old_connections, connections

from dashboard.moves import claims
from dashboard.moves.run import Run

logger = logging.getLogger(__name__)

# What else waits its turn: each has connections of its own to the database and to clusters.
MOST_AT_ONCE = 8
_LOOK_EVERY = 1.0


class Runner:
    """`step` takes up what waits, and renews the leases of what is under way: a move may wait long for a cluster. One whose
    thread ends before its time is taken up again when its lease is over."""

    def __init__(self) -> None:
        self._by = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self._stop = threading.Event()
        self._running: dict[int, threading.Thread] = {}
        self._thread = threading.Thread(target=self._loop, name="moves", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Moves are left as they are, for this process's next life or for another process."""
        self._stop.set()
        for thread in list(self._running.values()):
            thread.join(timeout=2)
        try:
            claims.release(self._by, datetime.now(UTC))
        except DatabaseError as error:
            logger.warning("moves are taken up again when their leases are over: %s", error)

    def step(self) -> None:
        self._running = {move: thread for move, thread in self._running.items() if thread.is_alive()}
        now = datetime.now(UTC)
        claims.renew(list(self._running), self._by, now)
        for move in claims.claimable(now):
            if len(self._running) >= MOST_AT_ONCE:
                return
            if move not in self._running and claims.claim(move, self._by, now):
                self._running[move] = threading.Thread(target=self._run, args=(move,), name=f"move-{move}", daemon=True)
                self._running[move].start()

    def _loop(self) -> None:
        while True:
            close_old_connections()
            try:
                self.step()
            except DatabaseError as error:
                logger.error("moves cannot be read: %s", error)
                connections.close_all()
            if self._stop.wait(_LOOK_EVERY):
                break
        connections.close_all()

    def _run(self, move: int) -> None:
        try:
            Run(move, self._by).work(self._stop)
        except claims.LostClaim:
            logger.warning("move %s is another process's by now", move)
        except DatabaseError as error:
            logger.error("move %s cannot be written down, and is taken up again in a while: %s", move, error)
        except Exception:
            logger.exception("move %s failed, and is taken up again in a while", move)
        finally:
            connections.close_all()
