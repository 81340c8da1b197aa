"""github.com/go-kafka/connect (Go): its command line `kafka-connect`, command by command."""

import json
from pathlib import Path

import pytest

from tests.conformance.clients.conftest import Command
from tests.conformance.cluster import Cluster
from tests.conformance.conftest import Connectors
from tests.waiting import eventually


def test_create_from_a_request(cluster: Cluster, connectors: Connectors, go_client: Command, tmp_path: Path) -> None:
    name = connectors.name()
    config = connectors.source_config(name)
    file = tmp_path / "request.json"
    file.write_text(json.dumps({"name": name, "config": config}))
    printed = go_client("create", "--from-file", str(file)).json
    assert (printed["name"], printed["config"]) == (name, config)
    cluster.wait_for(name, "RUNNING", "RUNNING")


def test_create_from_a_config(cluster: Cluster, connectors: Connectors, go_client: Command, tmp_path: Path) -> None:
    name = connectors.name()
    file = tmp_path / "config.json"
    file.write_text(json.dumps(connectors.source_config(name)))
    assert go_client("create", "--config", str(file), name).json["name"] == name
    cluster.wait_for(name, "RUNNING", "RUNNING")


def test_create_from_a_pipe(cluster: Cluster, connectors: Connectors, go_client: Command) -> None:
    name = connectors.name()
    request = {"name": name, "config": connectors.source_config(name)}
    assert go_client("create", given=json.dumps(request)).json["name"] == name
    cluster.wait_for(name, "RUNNING", "RUNNING")


def test_create_of_what_exists(connectors: Connectors, go_client: Command) -> None:
    name = connectors.source()
    ended = go_client("create", given=json.dumps({"name": name, "config": connectors.source_config(name)}))
    assert (ended.exit_code, ended.err) == (1, f"kafka-connect: error: Connector {name} already exists (HTTP 409)\n")


def test_update(cluster: Cluster, connectors: Connectors, go_client: Command) -> None:
    name = connectors.source()
    config = {**connectors.source_config(name), "batch.size": "20"}
    assert go_client("update", name, given=json.dumps(config)).json["config"] == config
    assert cluster.request("GET", f"/connectors/{name}/config").json() == config


@pytest.mark.parametrize("command", ["list", "ls"])
def test_list(connectors: Connectors, go_client: Command, command: str) -> None:
    assert connectors.source() in go_client(command).json


def test_show(cluster: Cluster, connectors: Connectors, go_client: Command) -> None:
    name = connectors.source()
    shown = cluster.request("GET", f"/connectors/{name}").json()
    assert go_client("show", name).json == {key: shown[key] for key in ("name", "config", "tasks")}


@pytest.mark.parametrize("command", ["config", "tasks"])
def test_config_and_tasks(cluster: Cluster, connectors: Connectors, go_client: Command, command: str) -> None:
    name = connectors.source()
    assert go_client(command, name).json == cluster.request("GET", f"/connectors/{name}/{command}").json()


def test_status(cluster: Cluster, connectors: Connectors, go_client: Command) -> None:
    """The trace of a failed task included; of Kafka Connect's later versions this client knows neither `version` nor `type`."""
    name = connectors.sink(tasks=1, failed=1)
    there = cluster.status(name)
    known = ("id", "state", "worker_id", "trace")
    assert go_client("status", name).json == {
        "name": name,
        "connector": {key: value for key, value in there["connector"].items() if key in known},
        "tasks": [{key: value for key, value in task.items() if key in known} for task in there["tasks"]],
    }
    assert there["tasks"][0]["trace"]


def test_status_of_what_is_not_there(go_client: Command) -> None:
    ended = go_client("status", "no-such-connector")
    told = "kafka-connect: error: No status found for connector no-such-connector (HTTP 404)\n"
    assert (ended.exit_code, ended.err) == (1, told)


def test_pause_and_resume(cluster: Cluster, connectors: Connectors, go_client: Command) -> None:
    name = connectors.source()
    assert go_client("pause", name).out == f"Paused connector {name}.\n"
    cluster.wait_for(name, "PAUSED", "PAUSED")
    assert go_client("resume", name).out == f"Resumed connector {name}.\n"
    cluster.wait_for(name, "RUNNING", "RUNNING")


def test_restart(cluster: Cluster, connectors: Connectors, go_client: Command) -> None:
    name = connectors.source()
    watch = cluster.watch(name)
    assert go_client("restart", name).out == f"Restarted connector {name}.\n"
    watch.expect_started_anew("connector", "RUNNING")


@pytest.mark.parametrize("command", ["delete", "rm"])
def test_delete(cluster: Cluster, connectors: Connectors, go_client: Command, command: str) -> None:
    name = connectors.source()
    assert go_client(command, name).out == f"Deleted connector {name}.\n"
    eventually(lambda: cluster.request("GET", f"/connectors/{name}").status_code == 404)
