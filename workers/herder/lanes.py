"""Work for many instances side by side, for each one in order."""

import threading
import time
from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from workers.elastic_pool import ElasticPool


class Abandoned(Exception):
    """What ran did not come back in time, and somebody waited behind it. It may still be running."""


@dataclass(slots=True, eq=False)
class _Item:
    work: Callable[[], Any]
    queued: float
    future: Future[Any] = field(default_factory=Future)
    started: float = 0.0
    abandoned: bool = False


@dataclass(slots=True, eq=False)
class _Lane:
    waiting: deque[_Item] = field(default_factory=deque)
    running: _Item | None = None


class Lanes:
    """A bounded pool in which everything queued under one key runs one after another, in the order of the calls.

    What runs while something else is queued behind it has `patience` seconds from then on; after that it is abandoned, and the
    next begins.
    """

    def __init__(self, threads: int, name: str, patience: float = 5.0):
        self._pool = ElasticPool(threads, name, patience)
        self._patience = patience
        self._lock = threading.Lock()
        self._empty = threading.Condition(self._lock)
        self._lanes: dict[Hashable, _Lane] = {}

    def run(self, key: Hashable, work: Callable[[], Any]) -> Future[Any]:
        item = _Item(work, time.monotonic())
        with self._lock:
            lane = self._lanes.get(key)
            idle = lane is None
            if lane is None:
                lane = self._lanes[key] = _Lane()
            lane.waiting.append(item)
            if not idle:
                self._look_again(key, lane, self._patience)
        if idle:
            self._pool.submit(lambda: self._drain(key, lane))
        return item.future

    def settled(self, key: Hashable) -> Future[Any]:
        """Done when everything queued for the key before this call is."""
        with self._lock:
            if key not in self._lanes:
                nothing: Future[Any] = Future()
                nothing.set_result(None)
                return nothing
        return self.run(key, lambda: None)

    def idle(self, which: Callable[[Hashable], bool] = lambda key: True) -> bool:
        """Whether nothing is queued or running under the keys that `which` is true of: all, unless told otherwise."""
        with self._lock:
            return not any(map(which, self._lanes))

    def wait_until_idle(self, timeout: float, which: Callable[[Hashable], bool] = lambda key: True) -> bool:
        with self._empty:
            return self._empty.wait_for(lambda: not any(map(which, self._lanes)), timeout)

    def _drain(self, key: Hashable, lane: _Lane) -> None:
        while (item := self._next(key, lane)) is not None:
            try:
                result, error = item.work(), None
            except BaseException as caught:
                # Also of a connector that means to end the process: it ends its own work only, and its lane goes on.
                result, error = None, caught
            with self._lock:
                if item.abandoned:
                    return
                lane.running = None
            _resolve(item.future, result, error)

    def _next(self, key: Hashable, lane: _Lane) -> _Item | None:
        with self._lock:
            if not lane.waiting:
                del self._lanes[key]
                self._empty.notify_all()
                return None
            lane.running = lane.waiting.popleft()
            lane.running.started = time.monotonic()
            return lane.running

    def _look_again(self, key: Hashable, lane: _Lane, seconds: float) -> None:
        timer = threading.Timer(seconds, self._check, (key, lane))
        timer.daemon = True
        timer.start()

    def _check(self, key: Hashable, lane: _Lane) -> None:
        with self._lock:
            stuck = lane.running
            if stuck is None or not lane.waiting:
                return
            left = max(stuck.started, lane.waiting[0].queued) + self._patience - time.monotonic()
            if left > 0:
                self._look_again(key, lane, left)
                return
            stuck.abandoned = True
            lane.running = None
        _resolve(stuck.future, None, Abandoned("It did not come back in time"))
        self._pool.submit(lambda: self._drain(key, lane))

    def stop(self, timeout: float) -> bool:
        """Waits for what is queued, `timeout` seconds at most; whether all of it was done."""
        done = self.wait_until_idle(timeout)
        self._pool.stop()
        return done


def _resolve(future: Future[Any], result: Any, error: BaseException | None) -> None:
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)
