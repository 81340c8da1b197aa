"""Restarts with the tasks, of instances on several workers (KIP-745): each stopped and started once, RESTARTING from the answer
on and nothing in between, whoever dies or moves meanwhile."""

from collections.abc import Iterator

import orjson
import pytest

from tests.fakes import Herding, until
from tests.unit.workers.herder.group import Hold, Workers, all_of, tasks_of, workers
from workers.herder.states import State, TargetState
from workers.herder.values import Status, TaskId
from workers.storage.records import status_record

SIX = tasks_of("a", 6)
RESTARTED: list[str | None] = ["RUNNING", "RESTARTING", "RUNNING"]


@pytest.fixture
def trio() -> Iterator[Workers]:
    """Workers x, y and z, of which x leads; connector `a` has two tasks on each."""
    with workers("x", "y", "z") as group:
        group.create(tasks=6)
        yield group


def elsewhere(group: Workers) -> tuple[Herding, TaskId]:
    """A worker that does not lead and, if that can be, does not run the connector; and a task on it."""
    owner = next(group[name] for name in ("z", "y") if group.owner("a") is not group[name])
    return owner, min(owner.runner.running)


def test_each_is_stopped_and_started_once_and_restarting_in_between(trio: Workers) -> None:
    trio.restart()
    assert [(trio.starts(task), trio.stops(task)) for task in SIX] == [(2, 1)] * 6
    assert [(w.plugins.count("start"), w.plugins.count("stop")) for w in [trio.owner("a")]] == [(2, 1)]
    assert [trio.seen(instance) for instance in all_of("a", 6)] == [RESTARTED] * 7
    assert trio.leader.config_keys().count("restart-connector-a") == 1
    trio.check()


def test_only_what_has_failed_wherever_it_is(trio: Workers) -> None:
    failed = [min(trio[name].runner.running) for name in "yz"]
    for name, task in zip("yz", failed, strict=True):
        trio[name].runner.fail(task, OSError("gone"))
    trio.restart(only_failed=True)
    for task in SIX:
        mended = task in failed
        assert trio.starts(task) == (2 if mended else 1)
        assert trio.seen(task) == (["RUNNING", "FAILED", "RESTARTING", "RUNNING"] if mended else ["RUNNING"])
    assert trio.seen("a") == ["RUNNING"]
    trio.check()


def test_everything_planned_is_restarting_from_the_answer_on_in_one_write(trio: Workers) -> None:
    """Also while no worker but the leader has had time to look."""
    gates = [Hold(), Hold()]
    for worker, gate in zip((trio["y"], trio["z"]), gates, strict=True):
        worker.ask(gate)
        assert gate.entered.wait(5)
    trio.restart(settle=False)
    for worker in trio.present.values():
        held_elsewhere = [i for i in all_of("a", 6) if trio.owner(i) is not trio["x"]]
        assert [worker.state(instance) for instance in held_elsewhere] == ["RESTARTING"] * len(held_elsewhere)
    promised = [r for r in trio.cluster.config_topic.records if r.key == b"restart-connector-a"]
    assert len(promised) == 1
    assert sorted(orjson.loads(promised[0].headers["drover-promised"]), key=str) == sorted([None, *range(6)], key=str)
    for gate in gates:
        gate.release.set()
    trio.settle()
    assert [trio.seen(instance) for instance in all_of("a", 6)] == [RESTARTED] * 7
    trio.check()


def test_requests_that_a_worker_finds_together_become_one_restart_there(trio: Workers) -> None:
    worker, task = elsewhere(trio)
    gate = Hold()
    worker.ask(gate)
    assert gate.entered.wait(5)
    for _ in range(5):
        trio.restart(settle=False)
    gate.release.set()
    trio.settle()
    assert (trio.starts(task), trio.stops(task)) == (2, 1)
    assert trio.leader.state(task) == "RUNNING"
    trio.check()


def test_ten_restarts_one_after_another_end_well_and_lose_none(trio: Workers) -> None:
    for _ in range(10):
        trio.restart()
    assert [trio.seen(task) for task in SIX] == [["RUNNING", *["RESTARTING", "RUNNING"] * 10]] * 6
    trio.check()


def test_ten_restarts_at_once_end_well(trio: Workers) -> None:
    for _ in range(10):
        trio.restart(settle=False)
    trio.settle()
    for instance in all_of("a", 6):
        assert trio.shown(instance) == f"RUNNING on {trio.owner(instance).worker_id}"
    assert all(trio.starts(task) - trio.stops(task) == 1 for task in SIX)
    trio.check()


@pytest.mark.parametrize("state", [TargetState.PAUSED, TargetState.STOPPED])
def test_what_is_paused_or_stopped_stays_so(trio: Workers, state: TargetState) -> None:
    trio.leader.call(lambda: trio.leader.herder.actions.set_target_state("a", state))
    trio.settle()
    trio.restart()
    assert trio.leader.state("a") == state
    shown = {trio.leader.state(task) for task in SIX}
    assert shown == ({"PAUSED"} if state is TargetState.PAUSED else {None})


# --- words of the past ------------------------------------------------------------------------------------------------


def test_a_running_that_was_on_its_way_when_the_restart_was_promised_does_not_count(trio: Workers) -> None:
    worker, task = elsewhere(trio)
    starting, gate = Hold(), Hold()
    worker.runner.on["start", task] = starting
    worker.ask(lambda: worker.herder.actions.restart_here(task))
    assert starting.entered.wait(5)
    worker.ask(gate)
    assert gate.entered.wait(5)
    trio.restart(settle=False)
    starting.release.set()
    until(lambda: worker.states(task) == ["RUNNING", "RESTARTING", "RESTARTING", "RUNNING"], "It has said RUNNING")
    assert [w.state(task) for w in trio.present.values()] == ["RESTARTING"] * 3
    gate.release.set()
    trio.settle()
    assert trio.shown(task) == f"RUNNING on {worker.worker_id}"
    assert trio.starts(task) == 3
    trio.check()


def test_a_failure_from_before_the_promise_does_not_count_either(trio: Workers) -> None:
    worker, task = elsewhere(trio)
    gate = Hold()
    worker.ask(gate)
    assert gate.entered.wait(5)
    trio.restart(settle=False)
    worker.runner.fail(task, OSError("just before"))
    assert trio.leader.state(task) == "RESTARTING"
    gate.release.set()
    trio.settle()
    assert trio.shown(task) == f"RUNNING on {worker.worker_id}"


def test_a_restart_that_was_promised_is_done_though_the_task_has_recovered_meanwhile(trio: Workers) -> None:
    worker, task = elsewhere(trio)
    worker.runner.fail(task, OSError("gone"))
    gate = Hold()
    worker.ask(gate)
    assert gate.entered.wait(5)
    recovering = worker.ask(lambda: worker.herder.actions.restart_here(task))
    trio.restart(only_failed=True, settle=False)
    assert trio.leader.state(task) == "RESTARTING"
    gate.release.set()
    recovering.result(5)
    trio.settle()
    assert trio.shown(task) == f"RUNNING on {worker.worker_id}"
    trio.check()


def test_a_restart_that_fails_ends_in_failed(trio: Workers) -> None:
    worker, task = elsewhere(trio)

    def boom() -> None:
        raise RuntimeError("still broken")

    worker.runner.on["start", task] = boom
    trio.restart()
    assert trio.seen(task) == ["RUNNING", "RESTARTING", "FAILED"]


# --- while workers come and go ----------------------------------------------------------------------------------------


def test_an_owner_that_dies_before_it_could_keep_the_promise(trio: Workers) -> None:
    worker, task = elsewhere(trio)
    dead = trio.deafen(worker.worker_id)
    trio.restart()
    assert trio.leader.state(task) == "RESTARTING"
    trio.miss(dead)
    for of_it in dead.runner.running:
        assert trio.seen(of_it) == RESTARTED
    trio.check()


def test_a_leader_that_dies_after_the_promise(trio: Workers) -> None:
    gates = [Hold(), Hold()]
    for worker, gate in zip((trio["y"], trio["z"]), gates, strict=True):
        worker.ask(gate)
        assert gate.entered.wait(5)
    trio.restart(settle=False)
    dead = trio.deafen("x")
    for gate in gates:
        gate.release.set()
    trio.miss(dead)
    for instance in all_of("a", 6):
        assert trio.seen(instance)[:2] == ["RUNNING", "RESTARTING"]
        assert trio.seen(instance)[-1] == "RUNNING"
        assert set(trio.seen(instance)[2:]) == {"RUNNING"}
    trio.check()


@pytest.mark.parametrize("how", ["cut_off", "stop"])
def test_a_task_that_moves_while_it_is_restarting_is_restarting_until_it_runs_again(trio: Workers, how: str) -> None:
    worker, task = elsewhere(trio)
    gate, stopping = Hold(), Hold()
    worker.runner.on["stop", task] = stopping
    worker.ask(gate)
    assert gate.entered.wait(5)
    trio.restart(settle=False)
    gate.release.set()
    assert stopping.entered.wait(5)
    stopping.release.set()
    getattr(trio, how)(worker.worker_id)
    assert trio.seen(task)[:2] == ["RUNNING", "RESTARTING"]
    assert trio.shown(task).startswith("RUNNING on ")
    trio.check()


def test_a_task_that_is_being_moved_when_the_restart_is_promised(trio: Workers) -> None:
    holds: dict[TaskId, Hold] = {}
    for worker in trio.present.values():
        for task in worker.runner.running:
            holds[task] = worker.runner.on["stop", task] = Hold()
    newcomer = trio.prepared("w")
    newcomer.herder.start()
    (moving,) = until(lambda: [task for task, hold in holds.items() if hold.entered.is_set()])
    assert trio.leader.assignments.owner(moving) is None
    trio.restart(settle=False)
    assert newcomer.state(moving) == "RESTARTING"
    for hold in holds.values():
        hold.release.set()
    trio.present["w"] = newcomer
    trio.settle()
    assert trio.seen(moving) == RESTARTED
    assert trio.shown(moving) == "RUNNING on w"
    assert (trio.starts(moving), trio.stops(moving)) == (2, 1)
    trio.check()


def test_a_newcomer_does_not_repeat_the_restarts_of_the_past(trio: Workers) -> None:
    trio.restart()
    trio.start("w")
    mine = set(trio["w"].runner.running)
    assert mine
    for task in mine:
        assert trio["w"].runner.count("start", task) == 1
        assert trio.seen(task) == [*RESTARTED, "UNASSIGNED", "RUNNING"]
    trio.check()


def test_a_connector_that_is_deleted_while_it_is_restarting_leaves_nothing(trio: Workers) -> None:
    gates = [Hold(), Hold()]
    for worker, gate in zip((trio["y"], trio["z"]), gates, strict=True):
        worker.ask(gate)
        assert gate.entered.wait(5)
    trio.restart(settle=False)
    trio.leader.call(lambda: trio.leader.herder.actions.delete_connector("a"))
    for gate in gates:
        gate.release.set()
    trio.settle()
    assert [trio.leader.state(instance) for instance in all_of("a", 6)] == [None] * 7
    assert trio.counts() == [0, 0, 0]


def test_nothing_is_promised_that_nobody_will_keep(trio: Workers) -> None:
    """A status may outlive its task for a moment, or for good."""
    ghost = TaskId("a", 17)
    trio.cluster.status_topic.append([status_record(ghost, Status(State.RUNNING, "somebody"))])
    trio.restart()
    assert trio.leader.state(ghost) != "RESTARTING"
    trio.check()
