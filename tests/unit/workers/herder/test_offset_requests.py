"""Changes of offsets where workers come, go and hang: nothing of a task of the past counts, and whoever leads no more writes
nothing."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.fakes import Cluster, Herding, until
from tests.unit.workers.herder.group import Hold, Workers, workers
from workers.herder.actions import MOVED, NO_LEADER, STALE
from workers.herder.errors import HerderError
from workers.herder.states import TargetState
from workers.herder.values import PartitionOffset, TaskId
from workers.storage.memory_log import MemoryLog
from workers.storage.offset_store import OffsetStore

T0 = TaskId("a", 0)
FILE = {"file": "x"}
AT_7 = [PartitionOffset(FILE, {"position": 7})]
CONFIG = {"name": "a", "connector.class": "fake.Source", "tasks": "1"}


@pytest.fixture
def group() -> Iterator[Workers]:
    with workers("x", "y") as made:
        yield made


def soon(seconds: float = 5.0) -> float:
    return time.monotonic() + seconds


def target(group: Workers, state: TargetState) -> None:
    leader = group.leader
    leader.call(lambda: leader.herder.actions.set_target_state("a", state))
    group.settle()


def alter(worker: Herding, seconds: float = 5.0) -> str:
    return worker.herder.offsets.alter("a", AT_7, soon(seconds))


def refusal(ask: Callable[[], Any]) -> tuple[int, str]:
    with pytest.raises(HerderError) as raised:
        ask()
    return raised.value.status, raised.value.message


def position(cluster: Cluster) -> object:
    """To one who reads the topic from its beginning."""
    store = OffsetStore(MemoryLog(cluster.offset_topic))
    store.start()
    found = store.offset("a", FILE)
    return found and found["position"]


def last_record(cluster: Cluster) -> bytes | None:
    return cluster.offset_topic.records[-1].value


def test_what_a_task_of_the_past_commits_does_not_count_and_is_put_right(group: Workers) -> None:
    group.create(tasks=1)
    runner = group.owner(T0)
    zombie = runner.runner.specs[T0].epoch
    runner.offsets.commit("a", FILE, {"position": 1}, zombie)
    target(group, TargetState.STOPPED)
    alter(group.leader)
    runner.offsets.commit("a", FILE, {"position": 2}, zombie)
    until(lambda: last_record(group.cluster) == b'{"position":7}', "The leader has stated it again")
    assert position(group.cluster) == 7

    target(group, TargetState.STARTED)
    task = group.owner(T0).runner.specs[T0].epoch
    assert task > zombie
    group.owner(T0).offsets.commit("a", FILE, {"position": 8}, task)
    runner.offsets.commit("a", FILE, {"position": 3}, zombie)
    until(lambda: last_record(group.cluster) == b'{"position":8}', "The leader has stated it again")
    assert position(group.cluster) == 8


def test_a_new_leader_puts_right_what_the_one_before_did_not_get_to(group: Workers) -> None:
    group.create(tasks=1)
    zombie = group.owner(T0).runner.specs[T0].epoch
    target(group, TargetState.STOPPED)
    alter(group.leader)
    dead = group.deafen(group.leader.worker_id)
    dead.offsets.stop()
    dead.writer.kill()
    group.cluster.right.holder = None
    group.leader.offsets.commit("a", FILE, {"position": 2}, zombie)
    assert last_record(group.cluster) == b'{"position":2}'
    group.miss(dead)
    until(lambda: last_record(group.cluster) == b'{"position":7}', "The new leader has stated it again")


def test_assignments_that_begin_anew_are_newer_than_what_was_altered() -> None:
    """The membership topic may be another one, or gone: what tasks commit has to count all the same."""
    cluster = Cluster()
    old = OffsetStore(MemoryLog(cluster.offset_topic))
    old.start()
    old.log.write(old.alteration("a", AT_7, epoch=50))
    with Herding(cluster=cluster).started() as herding:
        herding.call(lambda: herding.herder.actions.create_connector("a", CONFIG, None))
        herding.settle()
        herding.offsets.commit("a", FILE, {"position": 8}, herding.runner.specs[T0].epoch)
        assert position(cluster) == 8


def test_who_leads_no_more_changes_nothing(group: Workers) -> None:
    """He had begun; meanwhile another leads, and the connector runs again."""
    group.create(tasks=1)
    target(group, TargetState.STOPPED)
    old, hold = group.leader, Hold()
    old.plugins.on["alter_offsets", "a"] = hold
    outcome: list[tuple[int, str]] = []
    asking = threading.Thread(target=lambda: outcome.append(refusal(lambda: alter(old))))
    asking.start()
    assert hold.entered.wait(5)
    group.cut_off(old.worker_id)
    target(group, TargetState.STARTED)
    hold.release.set()
    asking.join(5)
    assert outcome == [(409, NO_LEADER)]
    assert group.cluster.offset_topic.records == []


def test_only_the_leader_changes_and_anybody_reads(group: Workers) -> None:
    group.create(tasks=1)
    target(group, TargetState.STOPPED)
    other = group["y" if group.leader.worker_id == "x" else "x"]
    assert refusal(lambda: alter(other)) == (409, NO_LEADER)
    alter(group.leader)
    assert other.herder.offsets.read("a") == AT_7


def test_not_while_members_come_and_go(group: Workers) -> None:
    group.create(tasks=1)
    target(group, TargetState.STOPPED)
    leader = group.leader
    group.cluster.group.tell_of(leader.me, leads=True, settled=False)
    leader.settle()
    assert refusal(lambda: alter(leader)) == (409, STALE)


def test_a_task_that_does_not_stop_is_waited_for_as_long_as_the_caller_waits(group: Workers) -> None:
    group.create(tasks=1)
    owner, hold = group.owner(T0), Hold()
    owner.runner.on["stop", T0] = hold
    leader = group.leader
    leader.call(lambda: leader.herder.actions.set_target_state("a", TargetState.STOPPED))
    assert hold.entered.wait(5)
    status, _ = refusal(lambda: alter(leader, seconds=0.2))
    assert (status, leader.plugins.offsets) == (409, [])
    hold.release.set()
    group.settle()
    assert "successfully" in alter(leader)


def test_whoever_gives_up_holds_nothing(herding: Herding) -> None:
    """The herder's thread comes to it when nobody waits any more."""
    herding.call(lambda: herding.herder.actions.create_connector("a", CONFIG, TargetState.STOPPED))
    herding.settle()
    hold = Hold()
    herding.ask(hold)
    assert hold.entered.wait(5)
    assert refusal(lambda: alter(herding, seconds=0.1))[1].startswith("Request timed out")
    hold.release.set()
    herding.settle()
    assert "successfully" in alter(herding)


def test_a_name_is_held_for_whoever_is_creating_it(herding: Herding) -> None:
    hold = Hold()
    herding.plugins.on["alter_offsets", "a"] = hold
    creating = threading.Thread(
        target=lambda: herding.herder.offsets.create(None, "a", CONFIG, TargetState.STOPPED, AT_7, soon())
    )
    creating.start()
    assert hold.entered.wait(5)
    actions = herding.herder.actions
    for ask in (
        lambda: actions.create_connector("a", CONFIG, None),
        lambda: actions.put_connector_config("a", CONFIG),
        lambda: actions.begin_creation("a", object()),
    ):
        assert refusal(lambda ask=ask: herding.call(ask)) == (409, MOVED)  # type: ignore[misc]
    hold.release.set()
    creating.join(5)
    assert herding.herder.offsets.read("a") == AT_7
    assert herding.state() == "STOPPED" or until(lambda: herding.state() == "STOPPED")
