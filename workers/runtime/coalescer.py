"""Small batches of many tasks done by one Spark job: a job costs 60 to 80 ms of driver and core time however little it moves.

Nothing is waited for. A batch that comes while no other of its kind is at work begins at once; those that come meanwhile are the
next job. So one alone loses no time, and the more there are the more of them one job does (docs/decisions/0020-coalescing.md).
"""

import itertools
import logging
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from workers.runtime.life import Life

logger = logging.getLogger(__name__)

#: So many batches one job does at most.
MOST = 200
#: Seconds after which a common job is given up, and each of its batches done alone: one that hangs is to keep only itself.
PATIENCE = 15.0

#: From and to.
Span = tuple[int, int]
#: How long a span may get that several read, each a part of it.
LONGEST = 2_000

#: Runs a piece of work on a thread, soon.
Submit = Callable[[Callable[[], object]], object]
#: Hears of what a batch failed with, or of None.
Done = Callable[[BaseException | None], object]


class Batch(Protocol):
    """What one task found to be read and written, by a Spark job."""

    @property
    def life(self) -> Life: ...

    @property
    def key(self) -> Hashable:
        """Batches of one key may be done by one job; None: alone."""
        ...

    @property
    def spans(self) -> Mapping[Hashable, Span]:
        """What it reads, where others may read the same: one job reads it once, for all who do."""
        ...

    def run(self) -> None:
        """Alone."""
        ...

    def run_all(self, batches: Sequence[Any]) -> None:
        """All these, itself among them; all have its key. If it fails, those whose life may still write are run alone, without
        those that PartlyDone says are done."""
        ...


class PartlyDone(Exception):
    """Of the batches of a common job that failed these are done all the same."""

    def __init__(self, batches: Sequence[Batch]) -> None:
        self.batches = batches


@dataclass(slots=True, eq=False)
class Ticket:
    """A batch that was taken."""

    batch: Batch
    done: Done
    begun: bool = False
    withdrawn: bool = False


def chosen(waiting: Sequence[Ticket], most: int = MOST, longest: int = LONGEST) -> list[Ticket]:
    """Those of the next job, the longest waiting first: of one thing no more is read than they have to. Pure."""
    found: list[Ticket] = []
    spans: dict[Hashable, Span] = {}
    for ticket in waiting[:most]:
        more = {what: _joined(span, spans.get(what, span)) for what, span in ticket.batch.spans.items()}
        if not found or all(end - start <= longest for start, end in more.values()):
            found.append(ticket)
            spans |= more
    return found


def _joined(one: Span, other: Span) -> Span:
    return min(one[0], other[0]), max(one[1], other[1])


class Coalescer:
    """One common job of a key at a time runs by `submit`, whoever is alone by `submit_alone`: a backlog keeps no thread from the
    common jobs. `done` is called once for each batch, without a lock, unless it is withdrawn."""

    def __init__(self, submit: Submit, submit_alone: Submit, *, patience: float = PATIENCE) -> None:
        self._submit = submit
        self._submit_alone = submit_alone
        self._patience = patience
        self._lock = threading.Lock()
        #: Of each key that has a job, what waits for the next one.
        self._waiting: dict[Hashable, list[Ticket]] = {}
        self._jobs = itertools.count(1)

    def take(self, batch: Batch, key: Hashable, done: Done) -> Ticket:
        """`key` is the batch's own, or one that keeps it from some of those that it could go with."""
        ticket = Ticket(batch, done)
        if key is None:
            self._submit_alone(partial(self._alone, ticket))
            return ticket
        with self._lock:
            if key in self._waiting:
                self._waiting[key].append(ticket)
                return ticket
            self._waiting[key] = [ticket]
        self._submit(partial(self._next, key))
        return ticket

    def withdraw(self, ticket: Ticket) -> bool:
        """Whether it had not begun, and now never will."""
        with self._lock:
            ticket.withdrawn = not ticket.begun
            return ticket.withdrawn

    def _begin(self, tickets: Sequence[Ticket]) -> list[Ticket]:
        """Without those that were withdrawn. The lock is the caller's."""
        begun = [ticket for ticket in tickets if not ticket.withdrawn]
        for ticket in begun:
            ticket.begun = True
        return begun

    def _alone(self, ticket: Ticket) -> None:
        with self._lock:
            if not self._begin([ticket]):
                return
        self._run_alone(ticket)

    def _run_alone(self, ticket: Ticket) -> None:
        ticket.batch.life.joins(None)
        ticket.done(_failure(ticket.batch.life.check) or _failure(ticket.batch.run))

    # --- common jobs --------------------------------------------------------------------------------------------------

    def _next(self, key: Hashable) -> None:
        with self._lock:
            waiting = [ticket for ticket in self._waiting[key] if not ticket.withdrawn]
            tickets = self._begin(chosen(waiting))
            self._waiting[key] = [ticket for ticket in waiting if not ticket.begun]
            if not tickets:
                del self._waiting[key]
                return
        # Said once: by who comes back from the job, or by who does not wait for that any longer.
        go_on = _Once(partial(self._submit, partial(self._next, key)))
        self._together(tickets, go_on)
        go_on()

    def _together(self, tickets: Sequence[Ticket], go_on: Callable[[], object]) -> None:
        alive = []
        for ticket in tickets:
            if (error := _failure(ticket.batch.life.check)) is None:
                alive.append(ticket)
            else:
                ticket.done(error)
        if not alive:
            return
        first, name = alive[0].batch, f"common job {next(self._jobs)}"
        for ticket in alive:
            ticket.batch.life.joins(name)

        def lose_patience() -> None:
            logger.warning("The %s of %d tasks takes too long: each is done alone", name, len(alive))
            try:
                first.life.cancel()
            finally:
                go_on()

        watch = threading.Timer(self._patience, lose_patience)
        watch.daemon = True
        watch.start()
        error = _failure(partial(first.run_all, [ticket.batch for ticket in alive]))
        watch.cancel()
        done = alive if error is None else [t for t in alive if isinstance(error, PartlyDone) and t.batch in error.batches]
        for ticket in done:
            ticket.done(None)
        left = [ticket for ticket in alive if ticket not in done]
        if left:
            logger.info("The %s of %d tasks failed: %d are done alone", name, len(alive), len(left), exc_info=error)
        for ticket in left:
            self._submit_alone(partial(self._run_alone, ticket))


class _Once:
    def __init__(self, work: Callable[[], object]) -> None:
        self._work = work
        self._lock = threading.Lock()
        self._called = False

    def __call__(self) -> None:
        with self._lock:
            if self._called:
                return
            self._called = True
        self._work()


def _failure(work: Callable[[], object]) -> BaseException | None:
    try:
        work()
    except BaseException as error:
        return error
    return None
