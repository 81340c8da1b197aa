"""What is different between two statuses."""

import pytest

from connect_client import ConnectorStatus
from dashboard.history.changes import Change, changes


def status(connector: str, *tasks: str) -> ConnectorStatus:
    """States in words; `FAILED:why` has a trace."""

    def told(word: str) -> dict[str, str]:
        state, _, trace = word.partition(":")
        return {"state": state, "worker_id": "w1:8083"} | ({"trace": trace} if trace else {})

    of_tasks = [{"id": number, **told(word)} for number, word in enumerate(tasks)]
    return ConnectorStatus.from_json({"name": "orders", "connector": told(connector), "tasks": of_tasks})


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (None, None, []),
        (status("RUNNING", "RUNNING"), status("RUNNING", "RUNNING"), []),
        (None, status("RUNNING", "UNASSIGNED"), [(None, "", "RUNNING", ""), (0, "", "UNASSIGNED", "")]),
        (status("RUNNING", "RUNNING"), None, [(None, "RUNNING", "", ""), (0, "RUNNING", "", "")]),
        (status("RUNNING", "RUNNING"), status("RUNNING", "FAILED:why"), [(0, "RUNNING", "FAILED", "why")]),
        (status("RUNNING", "FAILED:why"), status("RUNNING", "FAILED:why"), []),
        (status("RUNNING", "FAILED:why"), status("RUNNING", "FAILED:else"), [(0, "FAILED", "FAILED", "else")]),
        (status("RUNNING", "FAILED:why"), status("RUNNING", "RESTARTING:why"), [(0, "FAILED", "RESTARTING", "")]),
        (status("RUNNING", "FAILED"), status("RUNNING", "FAILED:why"), [(0, "FAILED", "FAILED", "why")]),
        (
            status("RUNNING", "RUNNING"),
            status("PAUSED", "PAUSED"),
            [(None, "RUNNING", "PAUSED", ""), (0, "RUNNING", "PAUSED", "")],
        ),
        (status("RUNNING", "RUNNING", "RUNNING"), status("RUNNING", "RUNNING"), [(1, "RUNNING", "", "")]),
    ],
)
def test_changes(before: ConnectorStatus | None, after: ConnectorStatus | None, expected: list[tuple[object, ...]]) -> None:
    assert changes(before, after) == tuple(Change(task, was, state, "w1:8083", trace) for task, was, state, trace in expected)  # type: ignore[arg-type]


def test_a_task_that_moves_in_its_state_is_no_change() -> None:
    there = ConnectorStatus.from_json({"name": "o", "connector": {"state": "RUNNING", "worker_id": "w2:8083"}})
    assert changes(status("RUNNING"), there) == ()
