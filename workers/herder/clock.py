"""Work at its time: one thread, however much there is to wait for."""

import heapq
import itertools
import threading
import time
from collections.abc import Callable
from typing import Any


class Clock:
    """What it starts must come back at once, and not raise."""

    def __init__(self, name: str) -> None:
        self._due: list[tuple[float, int, Callable[[], Any]]] = []
        self._turns = itertools.count()
        self._changed = threading.Condition()
        self._stopped = False
        self._name = name
        self._thread: threading.Thread | None = None

    def after(self, seconds: float, work: Callable[[], Any]) -> None:
        """From any thread. After `stop` nothing is begun."""
        with self._changed:
            heapq.heappush(self._due, (time.monotonic() + seconds, next(self._turns), work))
            if self._thread is None and not self._stopped:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
            self._changed.notify()

    def stop(self) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify()

    def _run(self) -> None:
        while (work := self._next()) is not None:
            work()

    def _next(self) -> Callable[[], Any] | None:
        with self._changed:
            while not self._stopped:
                wait = self._due[0][0] - time.monotonic() if self._due else None
                if wait is not None and wait <= 0:
                    return heapq.heappop(self._due)[2]
                self._changed.wait(wait)
            return None
