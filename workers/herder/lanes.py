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

    def __init__(self, threads: int, name: str, patience: float = 5.0) -> None:
        self._pool = ElasticPool(threads, name, patience)
        self._patience = patience
        self._lock = threading.Lock()
        self._empty = threading.Condition(self._lock)
        self._crowding = threading.Condition(self._lock)
        self._lanes: dict[Hashable, _Lane] = {}
        #: Those in which something runs and something waits.
        self._crowded: dict[Hashable, _Lane] = {}
        self._watcher: threading.Thread | None = None
        self._name = name
        self._stopped = False

    def run(self, key: Hashable, work: Callable[[], Any]) -> Future[Any]:
        item = _Item(work, time.monotonic())
        with self._lock:
            lane = self._lanes.get(key)
            idle = lane is None
            if lane is None:
                lane = self._lanes[key] = _Lane()
            lane.waiting.append(item)
            self._note_crowding(key, lane)
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

    def stop(self, timeout: float) -> bool:
        """Waits for what is queued, `timeout` seconds at most; whether all of it was done."""
        with self._empty:
            done = self._empty.wait_for(lambda: not self._lanes, timeout)
            self._stopped = True
            self._crowding.notify()
        self._pool.stop()
        return done

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
                self._crowded.pop(key, None)
            _resolve(item.future, result, error)

    def _next(self, key: Hashable, lane: _Lane) -> _Item | None:
        with self._lock:
            if not lane.waiting:
                del self._lanes[key]
                self._empty.notify_all()
                return None
            lane.running = lane.waiting.popleft()
            lane.running.started = time.monotonic()
            self._note_crowding(key, lane)
            return lane.running

    # --- giving up on those who hang ------------------------------------------------------------------------------------

    def _note_crowding(self, key: Hashable, lane: _Lane) -> None:
        if lane.running is None or not lane.waiting or key in self._crowded:
            return
        self._crowded[key] = lane
        if self._watcher is None:
            self._watcher = threading.Thread(target=self._watch, name=f"{self._name}-patience", daemon=True)
            self._watcher.start()
        self._crowding.notify()

    def _watch(self) -> None:
        with self._lock:
            while not self._stopped:
                now = time.monotonic()
                for key, lane in [(key, lane) for key, lane in self._crowded.items() if self._patient_until(lane) <= now]:
                    self._abandon(key, lane)
                until = min((self._patient_until(lane) for lane in self._crowded.values()), default=None)
                self._crowding.wait(None if until is None else max(0.0, until - now))

    def _patient_until(self, lane: _Lane) -> float:
        assert lane.running is not None, "it is crowded"
        return max(lane.running.started, lane.waiting[0].queued) + self._patience

    def _abandon(self, key: Hashable, lane: _Lane) -> None:
        stuck, lane.running = lane.running, None
        assert stuck is not None, "it is crowded"
        stuck.abandoned = True
        del self._crowded[key]

        def go_on() -> None:
            _resolve(stuck.future, None, Abandoned("It did not come back in time"))
            self._drain(key, lane)

        self._pool.submit(go_on)


def _resolve(future: Future[Any], result: Any, error: BaseException | None) -> None:
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)
