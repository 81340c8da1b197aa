"""What is read from the wire: today's shapes, those of older versions, and fields that nobody knows yet."""

import pytest

from connect_client import Connector, ConnectorInfo, ConnectorStatus, Group, Instance, Plugin, ServerInfo, Worker

STATUS = {
    "name": "orders",
    "connector": {"state": "RUNNING", "worker_id": "a:8083", "version": "4.3.0"},
    "tasks": [
        {"id": 1, "state": "FAILED", "worker_id": "b:8083", "version": None, "trace": "boom"},
        {"id": 0, "state": "RUNNING", "worker_id": "a:8083", "version": "4.3.0"},
    ],
    "type": "sink",
}


def test_status_sorts_its_tasks() -> None:
    status = ConnectorStatus.from_json(STATUS)
    assert [(task.id, task.state, task.worker_id, task.version, task.trace) for task in status.tasks] == [
        (0, "RUNNING", "a:8083", "4.3.0", None),
        (1, "FAILED", "b:8083", None, "boom"),
    ]
    assert (status.connector.state, status.connector.version, status.type) == ("RUNNING", "4.3.0", "sink")


def test_status_survives_being_kept() -> None:
    status = ConnectorStatus.from_json(STATUS)
    assert ConnectorStatus.from_json(status.to_json()) == status


GROUP = {
    "epoch": 7,
    "leader": "a:8083",
    "workers": [
        {
            "worker_id": "a:8083",
            "leader": True,
            "host": "a",
            "pid": 12,
            "started": 1_790_000_000_000,
            "connectors": ["orders"],
            "tasks": [{"connector": "orders", "task": 1}],
        }
    ],
    "moving": [{"connector": "orders", "task": 0}, {"connector": "lake", "task": None}],
}


def test_group() -> None:
    group = Group.from_json(GROUP)
    worker = Worker("a:8083", True, "a", 12, 1_790_000_000_000, ("orders",), (Instance("orders", 1),))
    assert group == Group(7, "a:8083", (worker,), (Instance("orders", 0), Instance("lake", None)))
    assert Worker.from_json(worker.to_json()) == worker


def test_status_of_an_old_connect_has_no_version_and_no_type() -> None:
    status = ConnectorStatus.from_json({"name": "a", "connector": {"state": "PAUSED", "worker_id": "a:1"}, "tasks": []})
    assert (status.connector.version, status.connector.trace, status.type, status.tasks) == (None, None, None, ())


def test_unknown_fields_are_ignored() -> None:
    status = ConnectorStatus.from_json({**STATUS, "mood": "fine", "connector": {**STATUS["connector"], "mood": "fine"}})  # type: ignore[dict-item]
    assert status == ConnectorStatus.from_json(STATUS)


def test_info() -> None:
    body = {
        "name": "a",
        "config": {"name": "a", "x": None},
        "tasks": [{"connector": "a", "task": 1}, {"connector": "a", "task": 0}],
    }
    assert ConnectorInfo.from_json(body) == ConnectorInfo("a", {"name": "a", "x": None}, (0, 1), None)


@pytest.mark.parametrize("body", [{}, {"info": None, "status": None}])
def test_entry_that_tells_nothing_yet(body: dict[str, None]) -> None:
    assert Connector.from_json("new", body) == Connector("new", None, None)


def test_server_and_plugin() -> None:
    assert ServerInfo.from_json({"version": "2.8.0", "commit": "c", "kafka_cluster_id": "k"}).version == "2.8.0"
    assert Plugin.from_json({"class": "a.B", "type": "sink", "version": None}) == Plugin("a.B", "sink", None)
