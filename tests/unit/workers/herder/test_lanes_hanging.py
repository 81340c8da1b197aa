"""Lanes in which something does not come back: whatever waits behind it goes on, and its late end changes nothing."""

import threading
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any

import pytest

from tests.fakes import until
from workers.herder.lanes import Abandoned, Lanes

PATIENCE = 0.1


class Held:
    """Work that stays until it is let go, and then says so."""

    def __init__(self, log: list[str], name: str = "held", error: BaseException | None = None) -> None:
        self.entered, self.release = threading.Event(), threading.Event()
        self._log, self._name, self._error = log, name, error

    def __call__(self) -> str:
        self.entered.set()
        self.release.wait(10)
        self._log.append(self._name)
        if self._error is not None:
            raise self._error
        return self._name


@pytest.fixture
def log() -> list[str]:
    return []


@pytest.fixture
def held(log: list[str]) -> Iterator[Held]:
    made = Held(log)
    yield made
    made.release.set()


@pytest.fixture
def lanes() -> Iterator[Lanes]:
    made = Lanes(4, "test", PATIENCE)
    yield made
    made.stop(5)


def note(lanes: Lanes, log: list[str], *names: str, key: str = "a") -> list[Future[Any]]:
    return [lanes.run(key, lambda n=name: log.append(n)) for name in names]  # type: ignore[misc]


def test_with_nothing_behind_it_the_longest_work_is_waited_for(held: Held, log: list[str]) -> None:
    lanes = Lanes(4, "test", 0.01)
    future = lanes.run("a", held)
    assert not held.entered.wait(0) or not future.done()
    with pytest.raises(TimeoutError):
        future.result(0.1)
    held.release.set()
    assert future.result(5) == "held"
    assert lanes.stop(5)


def test_with_something_behind_it_it_is_given_up(lanes: Lanes, held: Held, log: list[str]) -> None:
    hanging = lanes.run("a", held)
    behind = note(lanes, log, "first", "second", "third")
    assert isinstance(hanging.exception(5), Abandoned)
    for future in behind:
        future.result(5)
    assert log == ["first", "second", "third"]


def test_its_patience_begins_when_something_comes_behind_it(held: Held, log: list[str]) -> None:
    lanes = Lanes(4, "test", 0.3)
    hanging = lanes.run("a", held)
    with pytest.raises(TimeoutError):
        hanging.result(0.5)
    (behind,) = note(lanes, log, "behind")
    held.release.set()
    assert hanging.result(5) == "held", "it had its time from then on"
    behind.result(5)
    assert log == ["held", "behind"]
    assert lanes.stop(5)


def test_its_late_end_says_nothing(lanes: Lanes, held: Held, log: list[str]) -> None:
    hanging = lanes.run("a", held)
    note(lanes, log, "behind")[0].result(5)
    held.release.set()
    until(lambda: log == ["behind", "held"])
    assert isinstance(hanging.exception(5), Abandoned)
    note(lanes, log, "later")[0].result(5)
    until(lanes.idle)
    assert log == ["behind", "held", "later"]


def test_its_late_error_says_nothing(lanes: Lanes, log: list[str]) -> None:
    failing = Held(log, error=ValueError("late"))
    hanging = lanes.run("a", failing)
    note(lanes, log, "behind")[0].result(5)
    failing.release.set()
    until(lambda: log == ["behind", "held"])
    assert isinstance(hanging.exception(5), Abandoned)


def test_while_the_late_one_is_away_the_order_of_the_others_is_kept(lanes: Lanes, held: Held, log: list[str]) -> None:
    lanes.run("a", held)
    busy, names = threading.Lock(), [str(number) for number in range(50)]

    def work(name: str) -> None:
        assert busy.acquire(blocking=False), "two at once"
        log.append(name)
        busy.release()

    futures = [lanes.run("a", lambda n=name: work(n)) for name in names]  # type: ignore[misc]
    futures[10].result(5)
    held.release.set()
    for future in futures:
        future.result(5)
    until(lambda: "held" in log)
    assert [name for name in log if name != "held"] == names


def test_several_that_hang_one_after_another_are_given_up_one_after_another(lanes: Lanes, log: list[str]) -> None:
    hanging = [Held(log, f"held-{number}") for number in range(3)]
    futures = [lanes.run("a", work) for work in hanging]
    (behind,) = note(lanes, log, "behind")
    behind.result(5)
    assert all(isinstance(future.exception(5), Abandoned) for future in futures)
    assert all(work.entered.is_set() for work in hanging), "each of them had its turn"
    for work in hanging:
        work.release.set()


def test_settled_waits_for_what_came_before_and_gives_up_on_what_hangs(lanes: Lanes, held: Held, log: list[str]) -> None:
    assert lanes.settled("a").done(), "nothing is under way"
    hanging = lanes.run("a", held)
    settled = lanes.settled("a")
    assert not settled.done()
    settled.result(5)
    assert isinstance(hanging.exception(0), Abandoned)


def test_other_lanes_do_not_notice(held: Held, log: list[str]) -> None:
    lanes = Lanes(4, "test", 60.0)
    lanes.run("a", held)
    lanes.run("a", lambda: None)
    for key in "bcdefgh":
        note(lanes, log, key, key=key)[0].result(5)
    held.release.set()
    assert lanes.stop(5)


def test_lanes_go_on_when_more_of_them_hang_than_there_are_threads(log: list[str]) -> None:
    lanes = Lanes(2, "test", PATIENCE)
    hanging = [Held(log) for _ in range(6)]
    for number, work in enumerate(hanging):
        lanes.run(number, work)
    for work in hanging:
        assert work.entered.wait(5)
    for work in hanging:
        work.release.set()
    assert lanes.stop(5)


def test_one_that_hangs_after_it_waited_for_a_thread_is_given_up_too(log: list[str]) -> None:
    lanes = Lanes(1, "test", PATIENCE)
    before = [Held(log), Held(log)]
    for number, work in enumerate(before):
        lanes.run(number, work)
    held = Held(log)
    hanging = lanes.run("a", held)
    behind = lanes.run("a", lambda: "behind")
    try:
        assert held.entered.wait(5)
        assert behind.result(3) == "behind"
        assert isinstance(hanging.exception(0), Abandoned)
    finally:
        for work in (*before, held):
            work.release.set()
        lanes.stop(5)


def test_what_waits_in_a_lane_costs_no_thread_of_its_own(held: Held) -> None:
    """A lane for each of thousands of instances, and a bounded number of threads."""
    lanes = Lanes(2, "test", 1.0)
    before = threading.active_count()
    lanes.run("a", held)
    for _ in range(200):
        lanes.run("a", lambda: None)
    assert threading.active_count() <= before + 6
    held.release.set()
    assert lanes.stop(5)


def test_the_stop_does_not_wait_for_ever(held: Held) -> None:
    lanes = Lanes(4, "test", 60.0)
    lanes.run("a", held)
    assert not lanes.stop(0.05)


def test_a_lane_that_gave_up_leaves_nothing_behind(lanes: Lanes, held: Held, log: list[str]) -> None:
    lanes.run("a", held)
    note(lanes, log, "behind")[0].result(5)
    until(lanes.idle)
    held.release.set()
    until(lambda: "held" in log)
    assert lanes.idle()
