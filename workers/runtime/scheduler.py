"""Loops in a bounded pool: each key has a step that runs again and again, never twice at once. An idle one costs a heap entry."""

import heapq
import itertools
import logging
import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import partial

from workers.elastic_pool import ElasticPool
from workers.runtime.backoff import delay
from workers.runtime.faults import is_retriable

logger = logging.getLogger(__name__)

_PATIENCE = 30.0

#: Does one piece of work and says whether there may be more at once. What it raises ends the loop or, if it will pass, delays it.
Step = Callable[[], bool]


@dataclass(slots=True, eq=False)
class _Loop:
    key: Hashable
    step: Step
    failed: Callable[[BaseException], None]
    paused: bool = False
    removed: bool = False
    #: Handed to the pool, where it may have to wait for a thread.
    queued: bool = False
    running: bool = False
    failures: int = 0
    #: Which of the heap's entries for this loop counts; the others are leftovers.
    turn: int = field(default=-1)


class Scheduler:
    """`threads` steps run at once; a step with nothing to do is asked again after `interval` seconds. A step that goes on for
    longer than `patience` seconds, because it is long or because it hangs, no longer keeps others from running."""

    def __init__(
        self, threads: int, interval: float, clock: Callable[[], float] = time.monotonic, *, patience: float = _PATIENCE
    ):
        self._pool = ElasticPool(threads, "job", patience)
        self._interval = interval
        self._clock = clock
        self._loops: dict[Hashable, _Loop] = {}
        self._due: list[tuple[float, int, _Loop]] = []
        self._turns = itertools.count()
        self._changed = threading.Condition()
        self._stopping = False
        self._thread = threading.Thread(target=self._dispatch, name="scheduler", daemon=True)
        self._thread.start()

    def add(self, key: Hashable, step: Step, failed: Callable[[BaseException], None], *, paused: bool = False) -> None:
        with self._changed:
            assert key not in self._loops, f"{key} runs already"
            loop = self._loops[key] = _Loop(key, step, failed, paused)
            self._queue(loop, 0.0)

    def pause(self, key: Hashable, timeout: float) -> None:
        """No further step begins; one that is running is waited for, `timeout` seconds at most."""
        with self._changed:
            if loop := self._loops.get(key):
                loop.paused = True
                self._changed.wait_for(lambda: not loop.running, timeout)

    def resume(self, key: Hashable) -> None:
        with self._changed:
            loop = self._loops.get(key)
            if loop is not None and loop.paused:
                loop.paused = False
                self._queue(loop, 0.0)

    def remove(self, key: Hashable, timeout: float) -> bool:
        """Ends the loop. Whether its running step, if any, was over within `timeout` seconds; else it is on its own."""
        with self._changed:
            loop = self._loops.pop(key, None)
            if loop is None:
                return True
            loop.removed = True
            return self._changed.wait_for(lambda: not loop.running, timeout)

    def stop(self) -> None:
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        self._thread.join()
        self._pool.stop()

    def _queue(self, loop: _Loop, seconds: float) -> None:
        loop.turn = next(self._turns)
        heapq.heappush(self._due, (self._clock() + seconds, loop.turn, loop))
        self._changed.notify_all()

    def _dispatch(self) -> None:
        with self._changed:
            while not self._stopping:
                wait = self._due[0][0] - self._clock() if self._due else None
                if wait is not None and wait <= 0:
                    _, turn, loop = heapq.heappop(self._due)
                    if turn == loop.turn and not (loop.paused or loop.removed or loop.running or loop.queued):
                        loop.queued = True
                        self._pool.submit(partial(self._run, loop))
                else:
                    self._changed.wait(wait)

    def _run(self, loop: _Loop) -> None:
        with self._changed:
            loop.queued = False
            if loop.paused or loop.removed:
                return
            loop.running = True
        error: BaseException | None = None
        more = False
        try:
            more = loop.step()
        except BaseException as caught:
            error = caught
        with self._changed:
            loop.running = False
            self._after(loop, more, error)
            self._changed.notify_all()
        if error is not None and not loop.removed and not is_retriable(error):
            loop.failed(error)

    def _after(self, loop: _Loop, more: bool, error: BaseException | None) -> None:
        if loop.removed:
            return
        if error is None:
            loop.failures = 0
            self._queue(loop, 0.0 if more else self._interval)
        elif is_retriable(error):
            loop.failures += 1
            seconds = delay(loop.failures)
            logger.warning("%s: trying again in %.1f s: %s", loop.key, seconds, error)
            self._queue(loop, seconds)
        else:
            # It stays paused where it is: to be removed or, by a restart, replaced.
            loop.paused = True
