"""Restarts as the herder carries them out: what is stopped and started how often, and what is said meanwhile."""

import threading
from typing import Any

import pytest

from tests.fakes import VERSION, WORKER, Herding, another_hand
from workers.herder.states import State, TargetState
from workers.herder.values import ConnectorStatus, InstanceId, RestartRequest, Status, TaskId

T0, T1 = TaskId("a", 0), TaskId("a", 1)
ONCE = ["RUNNING"]
RESTARTED = ["RUNNING", "RESTARTING", "RUNNING"]
CONFIG = {"name": "a", "connector.class": "fake.Source", "tasks.max": "2", "tasks": "2"}


@pytest.fixture
def hosting(herding: Herding) -> Herding:
    """Connector `a` with two tasks, all of them running."""
    herding.call(lambda: herding.herder.actions.create_connector("a", CONFIG, None))
    herding.settle()
    return herding


def restart(herding: Herding, *, only_failed: bool = False, include_tasks: bool = False) -> ConnectorStatus | None:
    request = RestartRequest("a", only_failed, include_tasks)
    result: ConnectorStatus | None = herding.call(lambda: herding.herder.actions.restart_connector(request)).result
    herding.settle()
    return result


def starts(herding: Herding) -> tuple[int, int, int]:
    """How often connector and tasks were started; each has been stopped one time less."""
    runner, plugins = herding.runner, herding.plugins
    counts = plugins.count("start"), runner.count("start", T0), runner.count("start", T1)
    stops = plugins.count("stop"), runner.count("stop", T0), runner.count("stop", T1)
    assert stops == tuple(count - 1 for count in counts)
    return counts


def sequences(herding: Herding) -> list[list[str | None]]:
    return [herding.states(instance) for instance in ("a", T0, T1)]


def restart_records(herding: Herding) -> int:
    return herding.config_keys().count("restart-connector-a")


# --- all healthy ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("only_failed", "include_tasks", "counts", "said", "records"),
    [
        (False, False, (2, 1, 1), [RESTARTED, ONCE, ONCE], 0),
        (False, True, (2, 2, 2), [RESTARTED, RESTARTED, RESTARTED], 1),
        # Nothing has failed: nothing happens, and the request is on record all the same.
        (True, False, (1, 1, 1), [ONCE, ONCE, ONCE], 1),
        (True, True, (1, 1, 1), [ONCE, ONCE, ONCE], 1),
    ],
)
def test_of_a_healthy_connector(
    hosting: Herding,
    only_failed: bool,
    include_tasks: bool,
    counts: tuple[int, int, int],
    said: list[list[str | None]],
    records: int,
) -> None:
    restart(hosting, only_failed=only_failed, include_tasks=include_tasks)
    assert starts(hosting) == counts
    assert sequences(hosting) == said
    assert restart_records(hosting) == records


# --- with failures ----------------------------------------------------------------------------------------------------

FAILED_ONCE = ["RUNNING", "FAILED"]
MENDED = ["RUNNING", "FAILED", "RESTARTING", "RUNNING"]


@pytest.mark.parametrize(
    ("only_failed", "include_tasks", "counts", "said"),
    [
        (False, False, (2, 1, 1), [RESTARTED, FAILED_ONCE, ONCE]),
        (False, True, (2, 2, 2), [RESTARTED, MENDED, RESTARTED]),
        (True, False, (1, 1, 1), [ONCE, FAILED_ONCE, ONCE]),
        (True, True, (1, 2, 1), [ONCE, MENDED, ONCE]),
    ],
)
def test_of_a_connector_with_a_failed_task(
    hosting: Herding, only_failed: bool, include_tasks: bool, counts: tuple[int, int, int], said: list[list[str | None]]
) -> None:
    hosting.runner.fail(T0, OSError("gone"))
    restart(hosting, only_failed=only_failed, include_tasks=include_tasks)
    runner, plugins = hosting.runner, hosting.plugins
    assert (plugins.count("start"), runner.count("start", T0), runner.count("start", T1)) == counts
    assert sequences(hosting) == said


@pytest.mark.parametrize("include_tasks", [False, True])
def test_of_a_failed_connector_with_healthy_tasks(hosting: Herding, include_tasks: bool) -> None:
    def boom() -> None:
        raise RuntimeError("boom")

    hosting.plugins.on["start", "a"] = boom
    hosting.call(lambda: hosting.herder.actions.put_connector_config("a", CONFIG))
    hosting.settle()
    del hosting.plugins.on["start", "a"]
    restart(hosting, only_failed=True, include_tasks=include_tasks)
    assert sequences(hosting) == [["RUNNING", "FAILED", "RESTARTING", "RUNNING"], ONCE, ONCE]
    assert hosting.runner.count("start", T0) == 1


def test_a_restart_that_fails_ends_in_failed(hosting: Herding) -> None:
    def boom() -> None:
        raise RuntimeError("still broken")

    hosting.runner.on["start", T0] = boom
    restart(hosting, include_tasks=True)
    assert hosting.states(T0) == ["RUNNING", "RESTARTING", "FAILED"]
    status = hosting.status(T0)
    assert status is not None
    assert (status.trace or "").startswith("RuntimeError: still broken")


# --- what the caller is told ------------------------------------------------------------------------------------------


def test_the_answer_is_the_plan(hosting: Herding) -> None:
    hosting.runner.fail(T0, OSError("gone"))
    planned = restart(hosting, only_failed=True, include_tasks=True)
    assert planned is not None
    assert planned.connector == Status(State.RUNNING, WORKER, 2, None, VERSION)
    assert (planned.tasks[0].state, planned.tasks[0].worker_id) == (State.RESTARTING, WORKER)
    assert (planned.tasks[0].trace or "").startswith("OSError: gone")
    assert planned.tasks[1].state is State.RUNNING


def test_the_plain_restart_is_over_when_it_is_answered(hosting: Herding) -> None:
    request = RestartRequest("a")
    assert hosting.call(lambda: hosting.herder.actions.restart_connector(request)).result is None
    assert (hosting.states(), hosting.plugins.count("start")) == (RESTARTED, 2)


def test_readers_see_restarting_before_anything_is_touched(hosting: Herding) -> None:
    seen: dict[InstanceId, list[str | None]] = {}
    hosting.plugins.on["stop", "a"] = lambda: seen.setdefault("a", hosting.states("a"))
    for task in (T0, T1):
        hosting.runner.on["stop", task] = lambda task=task: seen.setdefault(task, hosting.states(task))  # type: ignore[misc]
    restart(hosting, include_tasks=True)
    assert seen == {instance: ["RUNNING", "RESTARTING"] for instance in ("a", T0, T1)}


# --- other target states ----------------------------------------------------------------------------------------------


def set_target(herding: Herding, state: TargetState) -> None:
    herding.call(lambda: herding.herder.actions.set_target_state("a", state))
    herding.settle()


@pytest.mark.parametrize("include_tasks", [False, True])
def test_a_paused_connector_is_paused_again(hosting: Herding, include_tasks: bool) -> None:
    set_target(hosting, TargetState.PAUSED)
    restart(hosting, include_tasks=include_tasks)
    assert hosting.states() == ["RUNNING", "PAUSED", "RESTARTING", "PAUSED"]
    assert hosting.plugins.count("start") == 1
    assert hosting.runner.running == {T0: True, T1: True}
    assert hosting.state(T0) == "PAUSED"


def test_a_failed_task_restarted_while_paused_is_paused(hosting: Herding) -> None:
    hosting.runner.fail(T0, OSError("gone"))
    set_target(hosting, TargetState.PAUSED)
    restart(hosting, only_failed=True, include_tasks=True)
    assert hosting.states(T0) == ["RUNNING", "FAILED", "RESTARTING", "PAUSED"]
    set_target(hosting, TargetState.STARTED)
    assert (hosting.state(T0), hosting.runner.running[T0]) == ("RUNNING", False)


@pytest.mark.parametrize("include_tasks", [False, True])
def test_a_stopped_connector_is_stopped_again(hosting: Herding, include_tasks: bool) -> None:
    set_target(hosting, TargetState.STOPPED)
    planned = restart(hosting, include_tasks=include_tasks)
    assert planned is None or planned.tasks == {}
    assert hosting.states() == ["RUNNING", "STOPPED", "RESTARTING", "STOPPED"]
    assert (hosting.plugins.count("start"), hosting.runner.running) == (1, {})


# --- several at once --------------------------------------------------------------------------------------------------


def queued(herding: Herding, *requests: RestartRequest) -> None:
    """Asks for all of them before the herder can carry out the first."""
    gate = threading.Event()
    held = herding.ask(lambda: gate.wait(5))
    asked = [herding.ask(lambda r=request: herding.herder.actions.restart_connector(r)) for request in requests]  # type: ignore[misc]
    gate.set()
    held.result(5)
    for answer in asked:
        answer.result(5)
    herding.settle()


ALL_FOUR = [RestartRequest("a", only_failed, tasks) for only_failed in (True, False) for tasks in (False, True)]


@pytest.mark.parametrize("requests", [[RestartRequest("a", include_tasks=True)] * 5, ALL_FOUR, ALL_FOUR[::-1]])
def test_queued_requests_become_one_restart(hosting: Herding, requests: list[RestartRequest]) -> None:
    with_a_record = [request for request in requests if request.only_failed or request.include_tasks]
    queued(hosting, *with_a_record)
    assert starts(hosting) == (2, 2, 2)
    assert restart_records(hosting) == len(with_a_record)


def test_a_request_of_lower_rank_is_not_forgotten(hosting: Herding) -> None:
    """Kafka Connect drops the second, and with it the failed task whose restart it has promised."""
    hosting.runner.fail(T0, OSError("gone"))
    other = another_hand(hosting.config_topic)
    gate = threading.Event()
    held = hosting.ask(lambda: gate.wait(5))
    other.put_restart(RestartRequest("a"))
    other.put_restart(RestartRequest("a", only_failed=True, include_tasks=True))
    gate.set()
    held.result(5)
    hosting.settle()
    assert (hosting.plugins.count("start"), hosting.runner.count("start", T0), hosting.runner.count("start", T1)) == (2, 2, 1)
    assert sequences(hosting) == [RESTARTED, MENDED, ONCE]


def test_a_restart_while_a_start_is_under_way_has_the_last_word(hosting: Herding) -> None:
    """What the replaced run still says must not make the restart look done."""
    reached, release = threading.Event(), threading.Event()

    def hold() -> None:
        reached.set()
        release.wait(5)

    hosting.plugins.on["start", "a"] = hold
    hosting.call(lambda: hosting.herder.actions.put_connector_config("a", CONFIG))
    assert reached.wait(5)
    hosting.call(lambda: hosting.herder.actions.restart_connector(RestartRequest("a", include_tasks=True)))
    hosting.call(lambda: None)
    hosting.call(lambda: None)
    release.set()
    hosting.settle()
    assert hosting.states() == ["RUNNING", "RESTARTING", "RUNNING"]
    assert hosting.plugins.count("start") == 3


def test_a_change_that_comes_between_a_request_and_its_turn_does_not_lose_it(hosting: Herding) -> None:
    gate = threading.Event()
    held = hosting.ask(lambda: gate.wait(5))
    hosting.configs.put_restart(RestartRequest("a", include_tasks=True))
    hosting.configs.put_target_state("a", TargetState.PAUSED)
    gate.set()
    held.result(5)
    hosting.settle()
    assert (hosting.runner.count("start", T0), hosting.states(T0)[-2:]) == (2, ["RESTARTING", "PAUSED"])


def test_one_after_another_each_has_its_own_restarting(hosting: Herding) -> None:
    for _ in range(3):
        restart(hosting, include_tasks=True)
    assert hosting.states() == hosting.states(T0) == ["RUNNING", *["RESTARTING", "RUNNING"] * 3]
    assert starts(hosting) == (4, 4, 4)


def test_another_connector_is_left_alone(hosting: Herding) -> None:
    hosting.call(lambda: hosting.herder.actions.create_connector("a-0", {**CONFIG, "name": "a-0"}, None))
    hosting.settle()
    restart(hosting, include_tasks=True)
    assert hosting.states("a-0") == hosting.states(TaskId("a-0", 0)) == ONCE


# --- records of the past ----------------------------------------------------------------------------------------------


def test_requests_from_before_the_start_are_not_carried_out(hosting: Herding) -> None:
    hosting.configs.put_restart(RestartRequest("a", include_tasks=True))
    hosting.settle()
    hosting.herder.stop()
    with Herding(cluster=hosting.cluster, life="2").started() as second:
        second.settle()
        assert (second.plugins.count("start"), second.runner.count("start", T0)) == (1, 1)
        assert second.states()[-2:] == ["UNASSIGNED", "RUNNING"]


def test_a_request_for_a_connector_deleted_meanwhile_is_dropped(hosting: Herding) -> None:
    gate = threading.Event()
    held = hosting.ask(lambda: gate.wait(5))
    hosting.configs.put_restart(RestartRequest("a", include_tasks=True))
    hosting.configs.remove_connector("a")
    gate.set()
    held.result(5)
    hosting.settle()
    assert sequences(hosting) == [["RUNNING", None]] * 3
    assert hosting.runner.running == {}


# --- one task ---------------------------------------------------------------------------------------------------------


def restart_task(herding: Herding, task: TaskId) -> Any:
    return herding.call(lambda: herding.herder.actions.restart_task(task))


def test_one_task_is_restarted_and_that_is_over_when_it_is_answered(hosting: Herding) -> None:
    restart_task(hosting, T1)
    assert sequences(hosting) == [ONCE, ONCE, RESTARTED]
    assert starts(hosting) == (1, 1, 2)


def test_a_paused_task_is_paused_again(hosting: Herding) -> None:
    set_target(hosting, TargetState.PAUSED)
    restart_task(hosting, T0)
    assert (hosting.state(T0), hosting.runner.running[T0]) == ("PAUSED", True)
