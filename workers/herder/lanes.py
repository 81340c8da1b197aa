"""Work for many instances side by side, for each one in order."""

import logging
import threading
from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

logger = logging.getLogger(__name__)


class Lanes:
    """A bounded pool in which everything queued under one key runs one after another, in the order of the calls."""

    def __init__(self, threads: int, name: str):
        self._pool = ThreadPoolExecutor(threads, name)
        self._lock = threading.Lock()
        self._waiting: dict[Hashable, deque[tuple[Callable[[], Any], Future[Any]]]] = {}

    def run(self, key: Hashable, work: Callable[[], Any]) -> Future[Any]:
        future: Future[Any] = Future()
        with self._lock:
            lane = self._waiting.get(key)
            if lane is not None:
                lane.append((work, future))
                return future
            self._waiting[key] = deque([(work, future)])
        self._pool.submit(self._drain, key)
        return future

    def _drain(self, key: Hashable) -> None:
        while True:
            with self._lock:
                lane = self._waiting[key]
                if not lane:
                    del self._waiting[key]
                    return
                work, future = lane.popleft()
            try:
                future.set_result(work())
            except BaseException as error:
                # Also of a connector that means to end the process: it ends its own work only, and its lane goes on.
                future.set_exception(error)

    def stop(self) -> None:
        """Waits for what is queued."""
        self._pool.shutdown(wait=True)
