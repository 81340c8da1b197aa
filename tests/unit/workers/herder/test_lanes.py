"""Work in order for each key, side by side across keys."""

import threading
from collections.abc import Iterator
from functools import partial

import pytest

from tests.fakes import until
from workers.herder.lanes import Lanes


@pytest.fixture
def lanes() -> Iterator[Lanes]:
    made = Lanes(4, "test")
    yield made
    made.stop(5)


def test_one_key_in_the_order_of_the_calls_and_never_twice_at_once(lanes: Lanes) -> None:
    done: list[int] = []
    busy = threading.Lock()

    def work(number: int) -> None:
        assert busy.acquire(blocking=False), "two at once"
        done.append(number)
        busy.release()

    futures = [lanes.run("a", lambda n=number: work(n)) for number in range(200)]  # type: ignore[misc]
    for future in futures:
        future.result(5)
    assert done == list(range(200))


def test_other_keys_go_on_while_one_is_held_up(lanes: Lanes) -> None:
    release = threading.Event()
    held = lanes.run("slow", release.wait)
    behind = lanes.run("slow", lambda: "behind")
    assert lanes.run("quick", lambda: "done").result(5) == "done"
    assert (held.done(), behind.done()) == (False, False)
    release.set()
    assert behind.result(5) == "behind"


def test_keys_really_run_side_by_side(lanes: Lanes) -> None:
    together = threading.Barrier(4)
    futures = [lanes.run(key, lambda: together.wait(5)) for key in "abcd"]
    assert sorted(future.result(5) for future in futures) == [0, 1, 2, 3]


@pytest.mark.parametrize("error", [ValueError("bad"), SystemExit(3)], ids=["an error", "a connector that exits"])
def test_what_is_raised_reaches_its_own_future_only(lanes: Lanes, error: BaseException) -> None:
    def fail() -> None:
        raise error

    failing, next_one = lanes.run("a", fail), lanes.run("a", lambda: "next")
    assert failing.exception(5) is error
    assert next_one.result(5) == "next"


def test_stop_waits_for_what_is_queued() -> None:
    lanes, done = Lanes(1, "test"), list[int]()
    started = threading.Event()
    lanes.run("a", started.set)
    for number in range(5):
        lanes.run("a", lambda n=number: done.append(n))  # type: ignore[misc]
    assert lanes.stop(5)
    assert done == [0, 1, 2, 3, 4]


def test_a_lane_leaves_nothing_behind(lanes: Lanes) -> None:
    lanes.run("a", lambda: None).result(5)
    until(lanes.idle)


def test_what_comes_while_an_idle_thread_wakes_does_not_wait_behind_what_that_thread_takes() -> None:
    """One thread is idle and two pieces come at once: the second must not hang with the first."""
    for _ in range(50):
        lanes, gate = Lanes(4, "test", patience=60), threading.Event()
        lanes.run("first", lambda: None).result(5)
        lanes.run("hangs", partial(gate.wait, 5))
        lanes.run("next", gate.set).result(2)
        assert lanes.stop(5)
