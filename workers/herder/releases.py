"""How far this worker has stopped what was taken from it."""

from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Any


class Releases:
    """Counts, epoch by epoch, what still has to stop. For one thread; `done` is called on whatever thread a stop ends."""

    def __init__(self, done: Callable[[int], None]):
        self._done = done
        self._pending: dict[int, int] = {}
        self._highest = self._told = -1

    def await_all(self, epoch: int, stops: Iterable[Future[Any]]) -> None:
        """What the assignment of `epoch` took. `finish` has to be called with that epoch for each `done`."""
        for stop in list(stops):
            self._pending[epoch] = self._pending.get(epoch, 0) + 1
            stop.add_done_callback(lambda _: self._done(epoch))

    def finish(self, epoch: int) -> int | None:
        """One stop more is over; the epoch to tell the leader, if that is news: up to it everything has stopped."""
        self._pending[epoch] -= 1
        self._highest = max(self._highest, epoch)
        if self._pending[epoch] == 0:
            del self._pending[epoch]
        reached = min(self._pending) - 1 if self._pending else self._highest
        if reached <= self._told:
            return None
        self._told = reached
        return reached
