"""Restarts of one instance (KIP-52): the leader hands them to whoever runs it, who does it here or nowhere."""

from collections.abc import Iterator

import pytest

from tests.unit.workers.herder.group import Hold, Workers, tasks_of, workers
from workers.herder.actions import MOVED, NO_LEADER, Done, Forward
from workers.herder.errors import HerderError
from workers.herder.values import InstanceId, RestartRequest, TaskId

RESTARTED: list[str | None] = ["RUNNING", "RESTARTING", "RUNNING"]


@pytest.fixture
def trio() -> Iterator[Workers]:
    """Workers x, y and z, of which x leads; connectors `a`, `b` and `c` have two tasks each."""
    with workers("x", "y", "z") as group:
        for name in "abc":
            group.create(name, tasks=2)
        yield group


def remote(group: Workers, *instances: InstanceId) -> InstanceId:
    """One that the leader does not run."""
    return next(instance for instance in instances if group.owner(instance) is not group.leader)


def ask(group: Workers, instance: InstanceId) -> object:
    actions = group.leader.herder.actions
    if isinstance(instance, TaskId):
        return group.leader.call(lambda: actions.restart_task(instance))
    return group.leader.call(lambda: actions.restart_connector(RestartRequest(instance)))


@pytest.mark.parametrize("kind", ["connector", "task"])
def test_the_leader_names_who_runs_it_and_does_nothing_itself(trio: Workers, kind: str) -> None:
    instance = remote(trio, *"abc") if kind == "connector" else remote(trio, *tasks_of("a", 2), *tasks_of("b", 2))
    before = len(trio.cluster.status_topic.records), len(trio.cluster.config_topic.records)
    assert ask(trio, instance) == Forward(trio.owner(instance).worker_id)
    trio.settle()
    assert before == (len(trio.cluster.status_topic.records), len(trio.cluster.config_topic.records))


@pytest.mark.parametrize("kind", ["connector", "task"])
def test_what_the_leader_runs_itself_it_restarts_itself(trio: Workers, kind: str) -> None:
    everything: list[InstanceId] = list("abc") if kind == "connector" else [t for n in "abc" for t in tasks_of(n, 2)]
    instance = next(instance for instance in everything if trio.owner(instance) is trio.leader)
    assert isinstance(ask(trio, instance), Done)
    assert trio.leader.states(instance) == RESTARTED


@pytest.mark.parametrize("kind", ["connector", "task"])
def test_its_owner_restarts_it_and_it_is_over_when_that_is_answered(trio: Workers, kind: str) -> None:
    instance = remote(trio, *"abc") if kind == "connector" else remote(trio, *tasks_of("a", 2), *tasks_of("b", 2))
    owner = trio.owner(instance)
    done = owner.call(lambda: owner.herder.actions.restart_here(instance))
    assert isinstance(done, Done)
    assert done.statuses == {0: len(trio.cluster.status_topic.records)}
    assert trio.leader.states(instance) == RESTARTED
    if isinstance(instance, TaskId):
        assert (trio.starts(instance), trio.stops(instance)) == (2, 1)
    trio.check()


@pytest.mark.parametrize("instance", ["a", TaskId("a", 0)])
def test_who_does_not_run_it_refuses_and_hands_it_to_nobody(trio: Workers, instance: InstanceId) -> None:
    other = next(worker for worker in trio.present.values() if trio.owner(instance) is not worker)
    refused = trio.refusal(other, lambda: other.herder.actions.restart_here(instance))
    assert refused == (409, "Cannot complete request because of a conflicting operation (e.g. worker rebalance)")
    assert refused[1] == MOVED
    assert trio.leader.states(instance) == ["RUNNING"]


def test_one_that_has_moved_since_it_was_handed_on_is_refused(trio: Workers) -> None:
    instance = remote(trio, *tasks_of("a", 2), *tasks_of("b", 2))
    owner = trio.owner(instance)
    assert ask(trio, instance) == Forward(owner.worker_id)
    trio.cut_off(owner.worker_id)
    assert trio.refusal(owner, lambda: owner.herder.actions.restart_here(instance)) == (409, MOVED)


def test_one_that_was_deleted_since_it_was_handed_on_is_refused(trio: Workers) -> None:
    instance = remote(trio, *"abc")
    owner = trio.owner(instance)
    assert isinstance(instance, str)
    trio.delete(instance)
    assert trio.refusal(owner, lambda: owner.herder.actions.restart_here(instance)) == (409, MOVED)


def test_one_that_nobody_runs_at_the_moment_is_refused() -> None:
    with workers("x") as group:
        group.create(tasks=2)
        holds: dict[TaskId, Hold] = {}
        for task in tasks_of("a", 2):
            holds[task] = group["x"].runner.on["stop", task] = Hold()
        newcomer = group.prepared("y")
        newcomer.herder.start()
        moving = next(task for task, hold in holds.items() if hold.entered.wait(1))
        assert group.refusal(group["x"], lambda: group["x"].herder.actions.restart_task(moving)) == (409, NO_LEADER)
        for hold in holds.values():
            hold.release.set()
        group.present["y"] = newcomer
        group.settle()


def test_a_start_that_fails_on_its_owner_is_told_as_such(trio: Workers) -> None:
    instance = remote(trio, *tasks_of("a", 2), *tasks_of("b", 2))
    owner = trio.owner(instance)
    assert isinstance(instance, TaskId)

    def boom() -> None:
        raise RuntimeError("no file")

    owner.runner.on["start", instance] = boom
    with pytest.raises(HerderError) as raised:
        owner.call(lambda: owner.herder.actions.restart_here(instance))
    assert (raised.value.status, raised.value.message) == (500, f"Failed to start task: {instance}")
    assert trio.shown(instance) == f"FAILED on {owner.worker_id}"


def test_a_failed_one_is_mended_where_it_is(trio: Workers) -> None:
    instance = remote(trio, *tasks_of("a", 2), *tasks_of("b", 2))
    assert isinstance(instance, TaskId)
    owner = trio.owner(instance)
    owner.runner.fail(instance, OSError("gone"))
    owner.call(lambda: owner.herder.actions.restart_here(instance))
    assert trio.leader.states(instance) == ["RUNNING", "FAILED", "RESTARTING", "RUNNING"]
    trio.check()
