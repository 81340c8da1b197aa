"""`GET /api/v1/workers` asked again: nothing is sent while nothing has changed."""

from collections.abc import Iterator

import pytest
from django.test import Client

from connect_api import herder as holder
from connect_client.shapes import Group, Worker
from workers.herder.interface import GroupInfo, WorkerView
from workers.herder.values import FailedPlugin, TaskId


class GroupOnly:
    """As much of a herder as is asked here."""

    def __init__(self) -> None:
        self.info = GroupInfo(1, "w:1", [WorkerView("w:1", True, "w", 7, 5, ["a"], [TaskId("a", 0)])], [TaskId("a", 1)])

    def group(self) -> GroupInfo:
        return self.info


@pytest.fixture
def group() -> Iterator[GroupOnly]:
    made = GroupOnly()
    holder.use(made)  # type: ignore[arg-type]
    yield made
    holder.use(None)


def test_plugins_that_cannot_be_loaded_are_told_with_their_reason(group: GroupOnly) -> None:
    failed = FailedPlugin("Acme", "acme:Source", "ModuleNotFoundError: No module named 'acme'")
    group.info = GroupInfo(1, None, [WorkerView("w:1", False, "w", 7, 5, [], [], [failed])], [])
    body = Client().get("/api/v1/workers").json()
    assert body["workers"][0]["failed_plugins"] == [{"name": "Acme", "value": "acme:Source", "reason": failed.reason}]
    (worker,) = Group.from_json(body).workers
    assert [plugin.reason for plugin in worker.failed_plugins] == [failed.reason]
    assert Worker.from_json(worker.to_json()) == worker


def test_the_same_answer_is_304_and_another_is_not(group: GroupOnly) -> None:
    first = Client().get("/api/v1/workers")
    assert first.json()["workers"][0]["tasks"] == [{"connector": "a", "task": 0}]
    again = Client().get("/api/v1/workers", headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    group.info = GroupInfo(2, None, [], [])
    changed = Client().get("/api/v1/workers", headers={"If-None-Match": first["ETag"]})
    assert changed.status_code == 200
    assert changed["ETag"] != first["ETag"]
