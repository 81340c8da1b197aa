"""Which instances a restart means (KIP-745)."""

import pytest

from workers.herder.restart import chosen_instances, restart_plan
from workers.herder.states import State
from workers.herder.values import ConnectorStatus, InstanceId, RestartRequest, Status, TaskId

RUNNING, FAILED, PAUSED, UNASSIGNED, RESTARTING = State.RUNNING, State.FAILED, State.PAUSED, State.UNASSIGNED, State.RESTARTING
T0, T1 = TaskId("a", 0), TaskId("a", 1)


def request(*, only_failed: bool = False, include_tasks: bool = False) -> RestartRequest:
    return RestartRequest("a", only_failed, include_tasks)


PLAIN = request()
WITH_TASKS = request(include_tasks=True)
FAILED_ONLY = request(only_failed=True)
FAILED_WITH_TASKS = request(only_failed=True, include_tasks=True)

HEALTHY: dict[InstanceId, State] = {"a": RUNNING, T0: RUNNING, T1: PAUSED}
TASK_FAILED: dict[InstanceId, State] = {"a": RUNNING, T0: FAILED, T1: UNASSIGNED}
CONNECTOR_FAILED: dict[InstanceId, State] = {"a": FAILED, T0: RUNNING, T1: RUNNING}
ALL_FAILED: dict[InstanceId, State] = {"a": FAILED, T0: FAILED, T1: FAILED}


@pytest.mark.parametrize(
    ("asked", "states", "expected"),
    [
        (PLAIN, HEALTHY, {"a"}),
        (PLAIN, ALL_FAILED, {"a"}),
        (WITH_TASKS, HEALTHY, {"a", T0, T1}),
        (WITH_TASKS, {"a": RESTARTING, T0: State.STOPPED}, {"a", T0}),
        (FAILED_ONLY, HEALTHY, set()),
        (FAILED_ONLY, TASK_FAILED, set()),
        (FAILED_ONLY, CONNECTOR_FAILED, {"a"}),
        (FAILED_ONLY, ALL_FAILED, {"a"}),
        (FAILED_WITH_TASKS, HEALTHY, set()),
        (FAILED_WITH_TASKS, TASK_FAILED, {T0}),
        (FAILED_WITH_TASKS, CONNECTOR_FAILED, {"a"}),
        (FAILED_WITH_TASKS, ALL_FAILED, {"a", T0, T1}),
    ],
)
def test_the_instances_that_one_request_means(
    asked: RestartRequest, states: dict[InstanceId, State], expected: set[InstanceId]
) -> None:
    assert chosen_instances([asked], states) == expected


@pytest.mark.parametrize(
    ("pending", "states", "expected"),
    [
        ([], ALL_FAILED, set()),
        # Kafka Connect would keep the first alone and forget the tasks.
        ([PLAIN, FAILED_WITH_TASKS], TASK_FAILED, {"a", T0}),
        ([FAILED_WITH_TASKS, PLAIN], TASK_FAILED, {"a", T0}),
        ([FAILED_ONLY, FAILED_WITH_TASKS], TASK_FAILED, {T0}),
        ([WITH_TASKS, PLAIN, FAILED_ONLY, FAILED_WITH_TASKS], HEALTHY, {"a", T0, T1}),
        ([WITH_TASKS, WITH_TASKS], HEALTHY, {"a", T0, T1}),
    ],
)
def test_several_pending_requests_mean_all_that_any_of_them_means(
    pending: list[RestartRequest], states: dict[InstanceId, State], expected: set[InstanceId]
) -> None:
    assert chosen_instances(pending, states) == expected


def status(connector: State, *tasks: State) -> ConnectorStatus:
    numbered = {n: Status(state, f"w{n}", 1, "old trace" if state is FAILED else None, "1.0") for n, state in enumerate(tasks)}
    return ConnectorStatus("a", Status(connector, "w", 1, None, "1.0"), numbered, "source")


def test_a_plan_shows_restarting_and_keeps_worker_version_and_old_trace() -> None:
    plan = restart_plan(FAILED_WITH_TASKS, status(RUNNING, FAILED, RUNNING))
    assert plan.instances == {T0}
    assert plan.status.connector == Status(RUNNING, "w", 1, None, "1.0")
    assert plan.status.tasks == {0: Status(RESTARTING, "w0", 1, "old trace", "1.0"), 1: Status(RUNNING, "w1", 1, None, "1.0")}
    assert plan.status.type == "source"


def test_a_plan_leaves_the_status_that_it_was_made_from() -> None:
    seen = status(FAILED, FAILED)
    restart_plan(WITH_TASKS, seen)
    assert (seen.connector.state, seen.tasks[0].state) == (FAILED, FAILED)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (
            WITH_TASKS,
            "plan to restart connector and 2 of 2 tasks for "
            "restart request for {connectorName='a', onlyFailed=false, includeTasks=true}",
        ),
        (
            FAILED_WITH_TASKS,
            "plan to restart 1 of 2 tasks for restart request for {connectorName='a', onlyFailed=true, includeTasks=true}",
        ),
    ],
)
def test_a_plan_says_what_it_is(asked: RestartRequest, expected: str) -> None:
    assert str(restart_plan(asked, status(RUNNING, FAILED, RUNNING))) == expected
