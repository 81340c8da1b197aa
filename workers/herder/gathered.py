"""Calls of one kind that are carried out together."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Generic, TypeVar

from workers.herder.errors import Conflict
from workers.herder.futures import chain
from workers.herder.loop import TOO_LATE, Loop

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")


class Gathered(Generic[Item, Outcome]):
    """What comes while the herder's thread is at something else is one step of its own, and one write: a transaction takes as
    long for a hundred records as for one. `carry_out` gives what became of each item, in their order."""

    def __init__(self, loop: Loop, carry_out: Callable[[Sequence[Item]], Sequence[Future[Outcome]]]) -> None:
        self._loop = loop
        self._carry_out = carry_out
        self._lock = threading.Lock()
        self._waiting: list[tuple[Item, float, Future[Outcome]]] = []

    def call(self, item: Item, deadline: float) -> Future[Outcome]:
        """Returns at once, from any thread. After `deadline` (monotonic) it is not begun."""
        answer: Future[Outcome] = Future()
        with self._lock:
            self._waiting.append((item, deadline, answer))
            first = len(self._waiting) == 1
        if first:
            self._loop.call(self._step).add_done_callback(self._end)
        return answer

    def _step(self) -> None:
        in_their_time = []
        for item, deadline, answer in self._taken():
            if time.monotonic() > deadline:
                answer.set_exception(Conflict(TOO_LATE))
            else:
                in_their_time.append((item, answer))
        outcomes = self._carry_out([item for item, _ in in_their_time])
        for (_, answer), outcome in zip(in_their_time, outcomes, strict=True):
            chain(outcome, answer)

    def _end(self, step: Future[None]) -> None:
        """Of a step that was refused: the herder is going."""
        if (error := step.exception()) is not None:
            for *_, answer in self._taken():
                answer.set_exception(error)

    def _taken(self) -> list[tuple[Item, float, Future[Outcome]]]:
        with self._lock:
            taken, self._waiting = self._waiting, []
        return taken
