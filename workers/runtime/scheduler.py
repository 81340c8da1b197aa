"""Loops in a bounded pool: each key has a step that runs again and again, never twice at once. An idle one costs a heap entry.

A step that finds something for Spark to do yields it as a batch and goes on when that is done, perhaps together with others'
(`workers.runtime.coalescer`). Meanwhile it holds no thread.
"""

import heapq
import itertools
import logging
import threading
import time
from collections.abc import Callable, Generator, Hashable
from dataclasses import dataclass, field
from enum import Enum
from functools import partial

from workers.elastic_pool import ElasticPool
from workers.runtime.backoff import delay
from workers.runtime.coalescer import Batch, Coalescer, Ticket
from workers.runtime.faults import is_retriable
from workers.runtime.pace import next_look

logger = logging.getLogger(__name__)

_PATIENCE = 30.0
# What follows a batch waits for disks and for Kafka, not for a core: the more at once, the fewer times each waits for the same.
_FINISHING = 16

#: Yields batches, each of which has been written when it goes on, or raises what it failed with.
Course = Generator[Batch, None, bool]
#: Does one piece of work and says whether there may be more at once. What it raises ends the loop or, if it will pass, delays it.
Step = Callable[[], bool | Course]


class Standing(Enum):
    """With whom a loop's batches may be done. One that nobody has seen succeed does not keep those from it that do: its topic may
    not be there, and whoever is in one job with it would wait for that as well."""

    NEW = "new"
    PROVEN = "proven"
    #: Its last batch failed: alone, until one succeeds.
    SUSPECT = "suspect"


def common_key(batch: Batch, standing: Standing) -> Hashable:
    """What has to be equal for batches to be done by one job; None: alone. Pure."""
    return None if batch.key is None or standing is Standing.SUSPECT else (batch.key, standing)


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
    #: Of a running step that is waiting for its batch.
    course: Course | None = None
    ticket: Ticket | None = None
    standing: Standing = Standing.NEW
    failures: int = 0
    #: Which of the heap's entries for this loop counts; the others are leftovers.
    turn: int = field(default=-1)


class Scheduler:
    """`threads` steps run at once, and as many batches that are done alone; a step with nothing to do is asked again after
    `interval` seconds, or later where there are very many of them (`pace`). What goes on for longer than `patience` seconds,
    because it is long or because it hangs, no longer keeps others from running."""

    def __init__(
        self, threads: int, interval: float, clock: Callable[[], float] = time.monotonic, *, patience: float = _PATIENCE
    ) -> None:
        self._pool = ElasticPool(threads, "task", patience)
        self._finishing = ElasticPool(max(threads, _FINISHING), "finish", patience)
        # Of their own, so that backlogs keep nobody from looking, nor from the common jobs.
        self._alone = ElasticPool(threads, "job", patience)
        self._coalescer = Coalescer(self._pool.submit, self._alone.submit)
        self._interval = interval
        self._clock = clock
        self._loops: dict[Hashable, _Loop] = {}
        #: Those that are not paused.
        self._active: set[_Loop] = set()
        self._due: list[tuple[float, int, _Loop]] = []
        self._turns = itertools.count()
        self._lock = threading.Lock()
        #: For the dispatcher: something is due before all that it knows of.
        self._changed = threading.Condition(self._lock)
        #: For whoever waits for a running step.
        self._over = threading.Condition(self._lock)
        self._stopping = False
        self._thread = threading.Thread(target=self._dispatch, name="scheduler", daemon=True)
        self._thread.start()

    def add(self, key: Hashable, step: Step, failed: Callable[[BaseException], None], *, paused: bool = False) -> None:
        with self._lock:
            assert key not in self._loops, f"{key} runs already"
            loop = self._loops[key] = _Loop(key, step, failed, paused)
            if not paused:
                self._active.add(loop)
            self._queue(loop, self._clock())

    def pause(self, key: Hashable, timeout: float) -> None:
        """No further step begins; one that is running is waited for, `timeout` seconds at most. A batch that has not begun is
        called off."""
        with self._lock:
            if loop := self._loops.get(key):
                self._rest(loop)
                self._call_off(loop)
                self._over.wait_for(lambda: not loop.running, timeout)

    def resume(self, key: Hashable) -> None:
        with self._lock:
            loop = self._loops.get(key)
            if loop is not None and loop.paused:
                loop.paused = False
                self._active.add(loop)
                self._queue(loop, self._clock())

    def remove(self, key: Hashable, timeout: float) -> bool:
        """Ends the loop. Whether its running step, if any, was over within `timeout` seconds; else it is on its own."""
        with self._lock:
            loop = self._loops.pop(key, None)
            if loop is None:
                return True
            loop.removed = True
            self._active.discard(loop)
            self._call_off(loop)
            return self._over.wait_for(lambda: not loop.running, timeout)

    def _call_off(self, loop: _Loop) -> None:
        if loop.course is not None and loop.ticket is not None and self._coalescer.withdraw(loop.ticket):
            loop.course.close()
            self._over_with(loop)

    def _over_with(self, loop: _Loop) -> None:
        loop.running = False
        loop.course = loop.ticket = None

    def _rest(self, loop: _Loop) -> None:
        loop.paused = True
        self._active.discard(loop)

    def stop(self) -> None:
        with self._lock:
            self._stopping = True
            self._changed.notify()
        self._thread.join()
        for pool in (self._pool, self._finishing, self._alone):
            pool.stop()

    def _queue(self, loop: _Loop, due: float) -> None:
        loop.turn = next(self._turns)
        heapq.heappush(self._due, (due, loop.turn, loop))
        if self._due[0][2] is loop:
            self._changed.notify()

    def _dispatch(self) -> None:
        with self._lock:
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
        with self._lock:
            loop.queued = False
            if loop.paused or loop.removed:
                return
            loop.running = True
        try:
            found = loop.step()
        except BaseException as error:
            self._end(loop, False, error)
            return
        if isinstance(found, bool):
            self._end(loop, found)
        else:
            self._go_on(loop, found, None)

    def _go_on(self, loop: _Loop, course: Course, failure: BaseException | None) -> None:
        """From where it yielded a batch, which came to `failure`."""
        try:
            batch = next(course) if failure is None else course.throw(failure)
        except StopIteration as end:
            self._end(loop, end.value)
        except BaseException as error:
            self._end(loop, False, error)
        else:
            self._hand_over(loop, course, batch)

    def _hand_over(self, loop: _Loop, course: Course, batch: Batch) -> None:
        with self._lock:
            if not (loop.paused or loop.removed):
                loop.course = course
                loop.ticket = self._coalescer.take(
                    batch,
                    common_key(batch, loop.standing),
                    lambda failure: self._finishing.submit(partial(self._go_on, loop, course, failure)),
                )
                return
        course.close()
        self._end(loop, False)

    def _end(self, loop: _Loop, more: bool, error: BaseException | None = None) -> None:
        with self._lock:
            had_batch = loop.ticket is not None
            self._over_with(loop)
            if had_batch:
                loop.standing = Standing.PROVEN if error is None else Standing.SUSPECT
            self._after(loop, more, error)
            if loop.paused or loop.removed:
                self._over.notify_all()
        if error is not None and not loop.removed and not is_retriable(error):
            loop.failed(error)

    def _after(self, loop: _Loop, more: bool, error: BaseException | None) -> None:
        if loop.removed:
            return
        if error is None:
            loop.failures = 0
            now = self._clock()
            self._queue(loop, now if more else next_look(now, self._interval, len(self._active)))
        elif is_retriable(error):
            loop.failures += 1
            seconds = delay(loop.failures)
            logger.warning("%s: trying again in %.1f s: %s", loop.key, seconds, error)
            self._queue(loop, self._clock() + seconds)
        else:
            # It stays paused where it is: to be removed or, by a restart, replaced.
            self._rest(loop)
