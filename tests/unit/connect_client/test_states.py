"""The overall state of a connector, and what a restart of everything failed would restart."""

import pytest

from connect_client import ConnectorStatus
from connect_client.states import State, failures, overall_state


def status(connector: str, *tasks: str) -> ConnectorStatus:
    entries = [{"id": number, "state": state, "worker_id": "w"} for number, state in enumerate(tasks)]
    return ConnectorStatus.from_json({"name": "a", "connector": {"state": connector, "worker_id": "w"}, "tasks": entries})


@pytest.mark.parametrize(
    ("connector", "tasks", "overall", "failed"),
    [
        ("RUNNING", ["RUNNING", "RUNNING"], State.RUNNING, 0),
        ("RUNNING", [], State.RUNNING, 0),
        ("RUNNING", ["RUNNING", "FAILED"], State.DEGRADED, 1),
        ("RUNNING", ["FAILED", "FAILED"], State.FAILED, 2),
        ("FAILED", [], State.FAILED, 1),
        ("FAILED", ["RUNNING"], State.FAILED, 1),
        ("FAILED", ["FAILED"], State.FAILED, 2),
        ("RUNNING", ["FAILED", "RESTARTING"], State.RESTARTING, 1),
        ("RESTARTING", ["RUNNING"], State.RESTARTING, 0),
        ("FAILED", ["RESTARTING"], State.RESTARTING, 1),
        ("PAUSED", ["PAUSED"], State.PAUSED, 0),
        ("PAUSED", ["PAUSED", "FAILED"], State.DEGRADED, 1),
        ("STOPPED", [], State.STOPPED, 0),
        ("UNASSIGNED", ["RUNNING"], State.UNASSIGNED, 0),
        ("RUNNING", ["RUNNING", "UNASSIGNED"], State.UNASSIGNED, 0),
        ("RUNNING", ["UNASSIGNED", "FAILED"], State.DEGRADED, 1),
        ("DREAMING", ["RUNNING"], State.UNASSIGNED, 0),
    ],
)
def test_overall(connector: str, tasks: list[str], overall: State, failed: int) -> None:
    assert (overall_state(status(connector, *tasks)), failures(status(connector, *tasks))) == (overall, failed)


def test_no_status_yet() -> None:
    assert (overall_state(None), failures(None)) == (State.UNASSIGNED, 0)


def test_failed_first_healthy_last() -> None:
    assert sorted(State, key=lambda state: state.rank)[0] is State.FAILED
    assert sorted(State, key=lambda state: state.rank)[-1] is State.RUNNING
