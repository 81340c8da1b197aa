"""The herder's one thread."""

import threading
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any

import pytest

from workers.herder.errors import HerderError
from workers.herder.loop import Loop


@pytest.fixture
def loop() -> Iterator[Loop]:
    made = Loop("test-herder")
    made.start()
    yield made
    made.stop()


def fail() -> None:
    raise ValueError("bad")


def test_one_after_another_in_order_on_one_thread(loop: Loop) -> None:
    done: list[tuple[int, str]] = []
    for number in range(100):
        loop.post(lambda n=number: done.append((n, threading.current_thread().name)))  # type: ignore[misc]
    loop.call(lambda: None).result(5)
    assert done == [(number, "test-herder") for number in range(100)]


def test_a_call_gives_its_result_or_its_error(loop: Loop) -> None:
    assert loop.call(lambda: 7).result(5) == 7
    with pytest.raises(ValueError, match="bad"):
        loop.call(fail).result(5)


def test_a_step_that_fails_does_not_end_the_loop(loop: Loop, caplog: pytest.LogCaptureFixture) -> None:
    loop.post(fail)
    assert loop.call(lambda: "alive").result(5) == "alive"
    assert "The herder could not finish a step" in caplog.text


def test_a_call_that_gives_a_future_is_answered_with_that_ones_outcome_and_the_thread_is_free(loop: Loop) -> None:
    good, bad = Future[Any](), Future[Any]()
    first, second = loop.call(lambda: good), loop.call(lambda: bad)
    assert loop.call(lambda: "free").result(5) == "free"
    assert not first.done()
    good.set_result(1)
    bad.set_exception(ValueError("bad"))
    assert first.result(5) == 1
    assert isinstance(second.exception(5), ValueError)


def test_what_is_queued_is_finished_before_the_end() -> None:
    loop = Loop()
    futures = [loop.call(lambda: "done") for _ in range(10)]
    loop.start()
    loop.stop()
    assert [future.result(0) for future in futures] == ["done"] * 10


def test_a_call_after_the_end_is_refused_at_once_and_an_event_is_dropped() -> None:
    """A request that came during the shutdown must not leave its caller waiting for ever."""
    loop = Loop()
    loop.start()
    loop.stop()
    with pytest.raises(HerderError, match=r"^Worker is shutting down$"):
        loop.call(lambda: "never").result(5)
    loop.post(fail)


def test_a_loop_that_was_never_started_can_be_stopped() -> None:
    Loop().stop()
