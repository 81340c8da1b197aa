"""How far a worker has stopped what was taken from it: told in time, never too early, and only to who waits for it."""

from concurrent.futures import Future
from typing import Any

import pytest

from workers.herder.releases import Releases


class Counting:
    """`stop` begins a stop in an epoch, `end` ends it; `told` is what the leader heard."""

    def __init__(self) -> None:
        self.releases = Releases(self._done)
        self.told: list[int] = []

    def _done(self, epoch: int) -> None:
        self._note(self.releases.finish(epoch))

    def _note(self, news: bool) -> None:
        if news:
            self.told.append(self.releases.reached)

    def complete(self, epoch: int) -> None:
        self._note(self.releases.complete(epoch))

    def stop(self, epoch: int, count: int = 1) -> list[Future[Any]]:
        stops: list[Future[Any]] = [Future() for _ in range(count)]
        self.releases.await_all(epoch, stops)
        return stops


@pytest.fixture
def counting() -> Counting:
    return Counting()


def test_assignments_that_take_nothing_are_nobody_s_business(counting: Counting) -> None:
    for epoch in range(1, 6):
        counting.complete(epoch)
    assert (counting.told, counting.releases.reached) == ([], 5)


def test_what_was_taken_is_told_of_when_the_last_of_it_has_stopped(counting: Counting) -> None:
    first, second = counting.stop(5, 2)
    counting.complete(5)
    first.set_result(None)
    assert counting.told == []
    second.set_result(None)
    assert counting.told == [5]


def test_it_is_not_told_before_all_of_the_assignment_is_known(counting: Counting) -> None:
    """Its records come one by one: what the next one takes still runs."""
    (stop,) = counting.stop(5)
    stop.set_result(None)
    assert (counting.told, counting.releases.reached) == ([], -1)
    counting.complete(5)
    assert counting.told == [5]


def test_one_that_ends_in_an_error_has_stopped(counting: Counting) -> None:
    (stop,) = counting.stop(5)
    counting.complete(5)
    stop.set_exception(RuntimeError("it did not come back"))
    assert counting.told == [5]


def test_what_still_stops_holds_back_what_came_later(counting: Counting) -> None:
    (early,) = counting.stop(5)
    (late,) = counting.stop(8)
    for epoch in range(5, 9):
        counting.complete(epoch)
    late.set_result(None)
    assert (counting.told, counting.releases.reached) == ([], 4)
    early.set_result(None)
    assert counting.told == [8]


def test_it_is_told_once(counting: Counting) -> None:
    (stop,) = counting.stop(5)
    counting.complete(5)
    stop.set_result(None)
    counting.complete(5)
    counting.complete(6)
    assert counting.told == [5]


def test_an_earlier_assignment_met_late_takes_nothing_back(counting: Counting) -> None:
    counting.complete(9)
    (stop,) = counting.stop(3)
    stop.set_result(None)
    assert (counting.told, counting.releases.reached) == ([9], 9)
