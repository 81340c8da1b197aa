"""kafka-connect-py (PyPI): its command line `kc`, command by command, and what only its library has."""

import json
from pathlib import Path

import pytest

from tests.conformance.clients.conftest import Command
from tests.conformance.cluster import Cluster
from tests.conformance.conftest import SOURCE, Connectors
from tests.waiting import eventually

LIBRARY = """
import json, sys
from kafka_connect import KafkaConnect
connect, arguments = KafkaConnect(sys.argv[1]), sys.argv[2:]
"""


def test_info(cluster: Cluster, kc: Command) -> None:
    assert kc("info").json == cluster.request("GET", "/").json()


def test_create_from_data(cluster: Cluster, connectors: Connectors, kc: Command) -> None:
    name = connectors.name()
    config = connectors.source_config(name)
    created = kc("create", "--config-data", json.dumps({"name": name, "config": config})).json
    assert created == {"name": name, "config": config, "tasks": created["tasks"], "type": "source"}
    cluster.wait_for(name, "RUNNING", "RUNNING")


def test_create_from_a_file(cluster: Cluster, connectors: Connectors, kc: Command, tmp_path: Path) -> None:
    name = connectors.name()
    file = tmp_path / "connector.json"
    file.write_text(json.dumps({"name": name, "config": connectors.source_config(name)}))
    assert kc("create", "--config-file", str(file)).json["name"] == name
    cluster.wait_for(name, "RUNNING", "RUNNING")


def test_create_of_what_exists_is_told_as_a_conflict(connectors: Connectors, kc: Command) -> None:
    name = connectors.source()
    body = {"name": name, "config": connectors.source_config(name)}
    assert kc("create", "--config-data", json.dumps(body)).out.startswith("409 Client Error")


def test_update_of_one_and_creation_by_update(cluster: Cluster, connectors: Connectors, kc: Command) -> None:
    name = connectors.name()
    for size in ("10", "20"):
        config = {**connectors.source_config(name), "batch.size": size}
        assert kc("update", name, "--config-data", json.dumps(config)).json["config"] == config
        assert cluster.request("GET", f"/connectors/{name}/config").json() == config


def test_list(cluster: Cluster, connectors: Connectors, kc: Command) -> None:
    paused, running = connectors.source(), connectors.source()
    cluster.request("PUT", f"/connectors/{paused}/pause")
    cluster.wait_for(paused, "PAUSED", "PAUSED")
    assert {paused, running} <= set(kc("list").json)
    assert kc("list", "--pattern", f"{running}$").json == [running]
    assert paused in kc("list", "--state", "paused").json
    assert running not in kc("list", "--state", "paused").json


@pytest.mark.parametrize("expand", ["info", "status"])
def test_list_expanded(cluster: Cluster, connectors: Connectors, kc: Command, expand: str) -> None:
    name = connectors.source()
    path = f"/connectors/{name}" + ("/status" if expand == "status" else "")
    assert kc("list", "--expand", expand).json[name] == {expand: cluster.request("GET", path).json()}


@pytest.mark.parametrize(
    ("command", "path"), [("get", ""), ("config", "/config"), ("status", "/status"), ("list-tasks", "/tasks")]
)
def test_what_is_read_of_a_connector(cluster: Cluster, connectors: Connectors, kc: Command, command: str, path: str) -> None:
    name = connectors.source()
    assert kc(command, name).json == cluster.request("GET", f"/connectors/{name}{path}").json()


def test_what_is_read_of_no_connector_is_told_as_not_found(kc: Command) -> None:
    assert kc("status", "no-such-connector").out.startswith("404 Client Error")


def test_task_status(cluster: Cluster, connectors: Connectors, kc: Command) -> None:
    name = connectors.source()
    assert kc("task-status", name, "0").json == cluster.request("GET", f"/connectors/{name}/tasks/0/status").json()


def test_pause_and_resume(cluster: Cluster, connectors: Connectors, kc: Command) -> None:
    name = connectors.source()
    assert kc("pause", name).out == ""
    cluster.wait_for(name, "PAUSED", "PAUSED")
    assert kc("resume", name).out == ""
    cluster.wait_for(name, "RUNNING", "RUNNING")


def test_pause_and_resume_of_all_that_match(cluster: Cluster, connectors: Connectors, kc: Command) -> None:
    names = connectors.source(), connectors.source()
    pattern = f"({'|'.join(names)})$"
    kc("pause", "--all", "--pattern", pattern)
    for name in names:
        cluster.wait_for(name, "PAUSED", "PAUSED")
    kc("resume", "--all", "--pattern", pattern)
    for name in names:
        cluster.wait_for(name, "RUNNING", "RUNNING")


@pytest.mark.parametrize("flags", [[], ["--include-tasks"], ["--include-tasks", "--only-failed"]])
def test_restart(cluster: Cluster, connectors: Connectors, kc: Command, flags: list[str]) -> None:
    name = connectors.source()
    watch = cluster.watch(name)
    assert kc("restart", name, *flags).json["name"] == name
    if "--only-failed" in flags:
        cluster.barrier()
        watch.expect_untouched("connector", 0)
        return
    watch.expect_end("connector", "RUNNING")
    if flags:
        watch.expect_restarted(0, "RUNNING")


def test_restart_of_the_failed_tasks_of_all_that_match(cluster: Cluster, connectors: Connectors, kc: Command) -> None:
    name = connectors.sink(tasks=2, failed=1)
    connectors.mend(name)
    kc("restart", "--all", "--pattern", f"{name}$", "--include-tasks", "--only-failed")
    cluster.wait_for(name, "RUNNING", "RUNNING", "RUNNING")


def test_restart_of_a_task(cluster: Cluster, connectors: Connectors, kc: Command) -> None:
    name = connectors.sink(tasks=1, failed=1)
    connectors.mend(name)
    assert kc("restart-task", name, "0").json is None
    cluster.wait_for(name, "RUNNING", "RUNNING")


def test_topics_and_their_reset(connectors: Connectors, kc: Command) -> None:
    name = connectors.source()
    Path(connectors.source_config(name)["file"]).write_text("a line\n")
    eventually(lambda: kc("list-topics", name).json == {name: {"topics": [name]}}, what="The source's topic")
    assert kc("reset-topics", name).json is None
    eventually(lambda: kc("list-topics", name).json == {name: {"topics": []}}, what="No topic")


def test_plugins(cluster: Cluster, kc: Command) -> None:
    assert kc("list-plugins").json == cluster.request("GET", "/connector-plugins").json()


def test_delete(cluster: Cluster, connectors: Connectors, kc: Command) -> None:
    name = connectors.source()
    assert kc("delete", name).out == ""
    eventually(lambda: cluster.request("GET", f"/connectors/{name}").status_code == 404)


def test_stop_by_the_library(cluster: Cluster, connectors: Connectors, python_client: Command) -> None:
    name = connectors.source()
    assert python_client(LIBRARY + "connect.stop_connector(arguments[0])", name).exit_code == 0
    cluster.wait_for(name, "STOPPED")


def test_validation_by_the_library(connectors: Connectors, python_client: Command) -> None:
    name = connectors.name()
    config = {**connectors.source_config(name), "tasks.max": "many"}
    code = LIBRARY + "print(json.dumps(connect.validate_connector_config(arguments[0], json.loads(arguments[1]))))"
    answer = python_client(code, "FileStreamSource", json.dumps(config)).json
    assert (answer["name"], answer["error_count"]) == (SOURCE, 2)
    wrong = {each["value"]["name"]: each["value"]["errors"] for each in answer["configs"] if each["value"]["errors"]}
    assert list(wrong) == ["tasks.max"]
    assert wrong["tasks.max"][0] == "Invalid value many for configuration tasks.max: Not a number of type INT"
