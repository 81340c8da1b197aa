"""A step again and again, in a thread of the control process."""

import logging
import threading
from collections.abc import Callable

from django.db import DatabaseError, close_old_connections, connections

logger = logging.getLogger(__name__)


def nothing() -> None:
    pass


class Rounds:
    """`step` every so many seconds, and at once when woken. A round that fails is logged, and the next comes in its time: what
    nobody foresaw must not end what the control process is there for. `purpose`: what does not work then, as in "looking after
    alerts". `leave` is called on the same thread at the end."""

    def __init__(
        self, name: str, step: Callable[[], object], every: float, *, purpose: str, leave: Callable[[], None] = nothing
    ) -> None:
        self.stopped = threading.Event()
        self.woken = threading.Event()
        self._step, self._leave = step, leave
        self._every = every
        self._purpose = purpose
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        self.woken.set()

    def stop(self, timeout: float = 0) -> None:
        """Waits for the round that is under way, for so many seconds at most."""
        self.stopped.set()
        self.woken.set()
        if timeout and self._thread.is_alive():
            self._thread.join(timeout)

    def _run(self) -> None:
        while True:
            # In this order: whoever stops it wakes it afterwards.
            self.woken.clear()
            if self.stopped.is_set():
                break
            close_old_connections()
            try:
                self._step()
            except DatabaseError as error:
                logger.error("%s has to wait for the database: %s", self._purpose, error)
                connections.close_all()
            except Exception:
                logger.exception("%s went wrong", self._purpose)
            self.woken.wait(self._every)
        self._leave()
        connections.close_all()
