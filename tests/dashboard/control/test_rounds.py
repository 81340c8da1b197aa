"""A step again and again."""

import logging
import queue
from typing import Any

import pytest
from django.db import OperationalError

from dashboard.control.parts import step_of
from dashboard.control.rounds import Rounds

HOURS = 3600.0
SOON = 10.0


class Steps:
    """Each tells that it was done, and raises what it is told to."""

    def __init__(self, *troubles: Exception) -> None:
        self.done: queue.Queue[str] = queue.Queue()
        self._troubles = list(troubles)

    def step(self) -> None:
        self.done.put("step")
        if self._troubles:
            raise self._troubles.pop(0)

    def leave(self) -> None:
        self.done.put("leave")


def test_whatever_goes_wrong_the_next_round_comes(caplog: pytest.LogCaptureFixture) -> None:
    steps = Steps(OperationalError("it is away"), ZeroDivisionError("nobody foresaw it"))
    rounds = Rounds("t", steps.step, HOURS, purpose="counting sheep", leave=steps.leave)
    rounds.start()
    for _ in range(3):
        assert steps.done.get(timeout=SOON) == "step"
        rounds.wake()
    rounds.stop(SOON)
    assert steps.done.queue[-1] == "leave"
    told = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert told == ["counting sheep has to wait for the database: it is away", "counting sheep went wrong"]


def test_it_comes_by_itself_too() -> None:
    steps = Steps()
    rounds = Rounds("t", steps.step, 0.01, purpose="counting sheep")
    rounds.start()
    for _ in range(3):
        assert steps.done.get(timeout=SOON) == "step"
    rounds.stop(SOON)


def test_it_may_be_stopped_before_it_was_started() -> None:
    steps = Steps()
    rounds = Rounds("t", steps.step, HOURS, purpose="counting sheep")
    rounds.stop(SOON)
    rounds.start()
    rounds.stop(SOON)
    assert steps.done.empty()


def test_a_part_of_the_control_process() -> None:
    class Part:
        def start(self) -> None: ...

        def stop(self) -> None: ...

    made: Any = step_of(Part)
    assert made.__name__ == "Part"
    assert isinstance(made(None).create(None), Part)
