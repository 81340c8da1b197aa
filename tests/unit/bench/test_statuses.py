"""When a connector counts as started or restarted, by what its side says of it."""

import threading

import pytest

from bench.statuses import RESTARTED, STARTED, Statuses, reached, with_tasks
from bench.waiting import Stuck
from workers.herder.states import State
from workers.herder.values import TaskId

RUNNING, RESTARTING, FAILED, PAUSED = State.RUNNING, State.RESTARTING, State.FAILED, State.PAUSED


@pytest.mark.parametrize(
    ("seen", "started", "restarted"),
    [
        ((), None, None),
        ((RUNNING,), 0, None),
        ((RESTARTING,), None, None),
        ((RESTARTING, RUNNING), 1, 1),
        ((RUNNING, RESTARTING), 0, None),
        ((RUNNING, RESTARTING, RUNNING), 0, 2),
        ((RESTARTING, PAUSED, RESTARTING, RUNNING, RUNNING), 3, 3),
    ],
)
def test_a_restart_is_a_running_after_a_restarting(
    seen: tuple[State, ...], started: float | None, restarted: float | None
) -> None:
    history = [(float(moment), state) for moment, state in enumerate(seen)]
    assert (reached(history, STARTED), reached(history, RESTARTED)) == (started, restarted)


def test_the_last_one_counts() -> None:
    statuses, instances = Statuses(), with_tasks(["a", "b"])
    assert instances == ["a", "b", TaskId("a", 0), TaskId("b", 0)]
    found: list[float] = []
    waiting = threading.Thread(target=lambda: found.append(statuses.wait(instances, RESTARTED, 10)))
    waiting.start()
    for instance in instances:
        statuses.note(instance, RESTARTING)
        assert not found
        statuses.note(instance, RUNNING)
    waiting.join(10)
    assert found == [statuses._seen[instances[-1]][-1][0]]


def test_what_was_before_counts_no_more() -> None:
    statuses = Statuses()
    for state in (RESTARTING, RUNNING):
        statuses.note("a", state)
    statuses.forget()
    statuses.note("a", RUNNING)
    with pytest.raises(Stuck, match="RUNNING of 1 connectors and tasks did not happen within 0 s"):
        statuses.wait(["a"], RESTARTED, 0)


def test_nobody_waits_for_what_has_failed() -> None:
    statuses = Statuses()
    for state in (RESTARTING, FAILED):
        statuses.note("a", state)
    with pytest.raises(Stuck, match="a failed"):
        statuses.wait(["a"], RESTARTED, 10)
