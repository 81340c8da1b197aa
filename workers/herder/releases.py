"""How far this worker has stopped what was taken from it."""

from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Any


class Releases:
    """Counts, epoch by epoch, what still has to stop. For one thread; `done` is called on whatever thread a stop ends."""

    def __init__(self, done: Callable[[int], None]) -> None:
        self._done = done
        self._pending: dict[int, int] = {}
        self._complete = -1
        #: The epochs that took something and have not been told of.
        self._owed: set[int] = set()

    @property
    def reached(self) -> int:
        """The epoch up to which everything that was taken has stopped."""
        return min(self._complete, min(self._pending, default=self._complete + 1) - 1)

    def await_all(self, epoch: int, stops: Iterable[Future[Any]]) -> None:
        """What the assignment of `epoch` took. `finish` has to be called with that epoch for each `done`."""
        self._owed.add(epoch)
        for stop in list(stops):
            self._pending[epoch] = self._pending.get(epoch, 0) + 1
            stop.add_done_callback(lambda _: self._done(epoch))

    def finish(self, epoch: int) -> bool:
        """One stop more is over. Whether the leader has to hear how far that is now."""
        self._pending[epoch] -= 1
        if self._pending[epoch] == 0:
            del self._pending[epoch]
        return self._is_news()

    def complete(self, epoch: int) -> bool:
        """All of that assignment's records have been seen: what it takes is known. Whether the leader has to hear of it."""
        self._complete = max(self._complete, epoch)
        return self._is_news()

    def _is_news(self) -> bool:
        # Nobody waits for a word on assignments that took nothing.
        told = {epoch for epoch in self._owed if epoch <= self.reached}
        self._owed -= told
        return bool(told)
