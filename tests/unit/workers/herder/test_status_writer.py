"""What one run says of its instance, and what it does not say any more."""

from collections.abc import Callable
from operator import methodcaller

import pytest

from tests.fakes import VERSION, WORKER, FakePlugins
from workers.herder.states import State
from workers.herder.status_writer import Author, StatusWriter
from workers.herder.values import InstanceId, Status, TaskId
from workers.storage.memory_log import MemoryLog, MemoryTopic
from workers.storage.records import status_of
from workers.storage.status_store import StatusStore

T0 = TaskId("a", 0)
CONFIG = {"connector.class": "fake.Source"}


class Said:
    """A topic, and the writer of one run's statuses in it."""

    def __init__(self, instance: InstanceId = "a") -> None:
        self.instance = instance
        self.author = Author(WORKER)
        self._topic = MemoryTopic()
        self.store = StatusStore(MemoryLog(self._topic))
        self.store.start()
        self.writer = StatusWriter(instance, CONFIG, 3, self.author, self.store, FakePlugins())

    def all(self) -> list[Status]:
        found = [status_of(record.value, record.headers) for record in self._topic.records]
        return [status for status in found if status is not None]

    def states(self) -> list[str]:
        return [status.state for status in self.all()]


def report(state: State) -> Callable[[StatusWriter], object]:
    return methodcaller("report", state)


RUNNING, PAUSED, STOPPED = report(State.RUNNING), report(State.PAUSED), report(State.STOPPED)
FAILS = methodcaller("fail", OSError("gone"))
SILENCE, FORGET, REPEAT = methodcaller("silence"), methodcaller("forget_failure"), methodcaller("repeat")
RESTARTING, UNASSIGNED = methodcaller("restarting"), methodcaller("unassigned")


@pytest.mark.parametrize(
    ("instance", "calls", "said"),
    [
        ("a", [RUNNING, PAUSED, RUNNING], ["RUNNING", "PAUSED", "RUNNING"]),
        # A failure is told once.
        ("a", [RUNNING, FAILS, FAILS], ["RUNNING", "FAILED"]),
        ("a", [FAILS, FORGET, FAILS], ["FAILED", "FAILED"]),
        # A task's failure is newer than what is reported of its start or pause; a connector is started anew.
        (T0, [FAILS, RUNNING, PAUSED], ["FAILED"]),
        ("a", [FAILS, STOPPED], ["FAILED", "STOPPED"]),
        # Whoever was silenced says nothing, but for what the worker says of it at its end.
        ("a", [SILENCE, RUNNING, FAILS], []),
        ("a", [RUNNING, SILENCE, RESTARTING, RUNNING], ["RUNNING", "RESTARTING"]),
        ("a", [RUNNING, SILENCE, UNASSIGNED, RUNNING], ["RUNNING", "UNASSIGNED"]),
        (T0, [FAILS, SILENCE, UNASSIGNED], ["FAILED", "UNASSIGNED"]),
        # A restart that was promised shows until the instance runs again.
        ("a", [RUNNING, RESTARTING, RESTARTING], ["RUNNING", "RESTARTING"]),
        ("a", [RUNNING, SILENCE, RESTARTING, UNASSIGNED], ["RUNNING", "RESTARTING"]),
        # What shows is repeated if it is what came true last.
        ("a", [RUNNING, REPEAT], ["RUNNING", "RUNNING"]),
        ("a", [REPEAT], []),
        ("a", [RUNNING, SILENCE, REPEAT], ["RUNNING"]),
        ("a", [RUNNING, RESTARTING, REPEAT], ["RUNNING", "RESTARTING"]),
    ],
)
def test_what_is_said(instance: InstanceId, calls: list[Callable[[StatusWriter], object]], said: list[str]) -> None:
    seen = Said(instance)
    for call in calls:
        call(seen.writer)
    assert seen.states() == said


def test_only_the_first_failure_counts() -> None:
    seen = Said()
    assert [seen.writer.fail(OSError("first")), seen.writer.fail(OSError("second"))] == [True, False]
    assert (seen.all()[0].trace or "").startswith("OSError: first")


def test_a_failure_after_its_end_does_not_count() -> None:
    seen = Said()
    seen.writer.silence()
    assert not seen.writer.fail(OSError("late"))


def test_a_status_bears_who_wrote_it_and_what_was_known_by_then() -> None:
    seen = Said()
    RUNNING(seen.writer)
    seen.author.acted_on, seen.writer.generation = 12, 4
    PAUSED(seen.writer)
    assert seen.all() == [Status(State.RUNNING, WORKER, 3, None, VERSION), Status(State.PAUSED, WORKER, 4, None, VERSION)]
    assert [status.acted_on for status in seen.all()] == [None, 12]


def test_what_is_repeated_bears_the_epoch_of_now() -> None:
    seen = Said()
    RUNNING(seen.writer)
    seen.writer.generation = 4
    REPEAT(seen.writer)
    assert [status.generation for status in seen.all()] == [3, 4]


def test_another_workers_word_is_not_repeated() -> None:
    seen = Said()
    RUNNING(seen.writer)
    seen.store.put(seen.instance, Status(State.RUNNING, "another:8083", 5))
    REPEAT(seen.writer)
    assert len(seen.all()) == 2
