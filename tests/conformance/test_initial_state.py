"""`POST /connectors` with `initial_state` (KIP-980; facts §3.2, §10.2)."""

from typing import Any

import httpx
import pytest

from tests.conformance.cluster import CONNECTOR, Cluster, expect_empty, expect_error
from tests.conformance.conftest import Connectors
from tests.topics import values
from tests.waiting import eventually

RECORDS = {
    "RUNNING": {"state": "STARTED", "state.v2": "STARTED"},
    "PAUSED": {"state": "PAUSED", "state.v2": "PAUSED"},
    "STOPPED": {"state": "PAUSED", "state.v2": "STOPPED"},
}


def create(cluster: Cluster, name: str, config: dict[str, str], **more: object) -> httpx.Response:
    return cluster.request("POST", "/connectors", {"name": name, "config": config, **more})


def created(cluster: Cluster, connectors: Connectors, initial_state: str) -> str:
    """A source that has come to be in that state."""
    name = connectors.name()
    assert create(cluster, name, connectors.source_config(name), initial_state=initial_state).status_code == 201
    cluster.wait_for(name, initial_state.upper())
    return name


@pytest.mark.parametrize("initial_state", ["PAUSED", "STOPPED", "paused", "sToPPed"])
def test_without_tasks(cluster: Cluster, connectors: Connectors, initial_state: str) -> None:
    """The state is a record before the config, in whatever case it was written, and no part of the answer. The connector is
    there, in that state and in no other; it has no tasks, and nobody has asked it for any."""
    name, state = connectors.name(), initial_state.upper()
    config, watch = connectors.source_config(name), cluster.watch(name)

    response = create(cluster, name, config, initial_state=initial_state)

    assert response.status_code == 201
    assert response.json() == {"name": name, "config": config, "tasks": [], "type": "source"}
    cluster.wait_for(name, state)
    cluster.barrier()
    assert cluster.states(name) == {CONNECTOR: state}
    assert watch.states(CONNECTOR) == [state]
    assert watch.written() == ["target-state", "connector"]
    assert watch.configs("target-state") == [RECORDS[state]]
    assert cluster.request("GET", f"/connectors/{name}/tasks").json() == []
    expect_error(cluster.request("GET", f"/connectors/{name}/tasks/0/status"), 404, f"No status found for task {name}-0")


@pytest.mark.parametrize(
    ("more", "records"),
    [({}, []), ({"initial_state": None}, []), ({"initial_state": "Running"}, [RECORDS["RUNNING"]])],
    ids=["not given", "null", "running"],
)
def test_running(cluster: Cluster, connectors: Connectors, more: dict[str, Any], records: list[object]) -> None:
    """Which is what a connector is that nobody has said anything of."""
    name = connectors.name()
    watch = cluster.watch(name)
    assert create(cluster, name, connectors.source_config(name), **more).status_code == 201
    cluster.wait_for(name, "RUNNING", "RUNNING")
    assert watch.configs("target-state") == records
    assert watch.written()[: len(records) + 1] == [*["target-state"] * len(records), "connector"]


@pytest.mark.parametrize("initial_state", ["PAUSED", "STOPPED"])
def test_resume(cluster: Cluster, connectors: Connectors, kafka: str, initial_state: str) -> None:
    """The tasks come with the resume, and with them the first record. A source that has run all the time on the same file shows
    that there was something to read."""
    running, waiting = connectors.name(), connectors.name()
    config = connectors.source_config(running)
    (connectors.folder / f"{running}.txt").write_text("one\n")
    more = {"file": config["file"]}
    create(cluster, waiting, {**connectors.source_config(waiting), **more}, initial_state=initial_state)
    create(cluster, running, config)
    eventually(lambda: values(kafka, running) == [b"one"], what="The line")
    cluster.wait_for(waiting, initial_state)
    cluster.barrier()
    assert values(kafka, waiting) == []

    watch = cluster.watch(waiting)
    expect_empty(cluster.request("PUT", f"/connectors/{waiting}/resume"), 202)

    cluster.wait_for(waiting, "RUNNING", "RUNNING")
    assert (watch.configs("target-state"), watch.configs("commit")) == ([RECORDS["RUNNING"]], [{"tasks": 1}])
    eventually(lambda: values(kafka, waiting) == [b"one"], what="The line, once resumed")


@pytest.mark.parametrize("initial_state", ["PAUSED", "STOPPED"])
def test_deletion(cluster: Cluster, connectors: Connectors, initial_state: str) -> None:
    """The state goes with its connector: the next one of that name runs."""
    name = created(cluster, connectors, initial_state)
    watch = cluster.watch(name)
    expect_empty(cluster.request("DELETE", f"/connectors/{name}"), 204)
    assert sorted(watch.written()) == ["connector", "target-state"]
    assert watch.configs("connector") == watch.configs("target-state") == [None]
    cluster.wait_until_gone(name)
    cluster.put_config(name, connectors.source_config(name))
    cluster.wait_for(name, "RUNNING", "RUNNING")


@pytest.mark.parametrize(("initial_state", "verb", "state"), [("PAUSED", "stop", "STOPPED"), ("STOPPED", "pause", "PAUSED")])
def test_the_other_state(cluster: Cluster, connectors: Connectors, initial_state: str, verb: str, state: str) -> None:
    name = created(cluster, connectors, initial_state)
    assert cluster.request("PUT", f"/connectors/{name}/{verb}").is_success
    cluster.wait_for(name, state)


@pytest.mark.parametrize("initial_state", ["PAUSED", "STOPPED"])
def test_a_new_config(cluster: Cluster, connectors: Connectors, initial_state: str) -> None:
    """Changes the config and nothing else: still there is nobody to ask it for tasks."""
    name = created(cluster, connectors, initial_state)
    watch = cluster.watch(name)
    cluster.put_config(name, {**connectors.source_config(name), "batch.size": "7"})
    cluster.barrier()
    assert cluster.states(name) == {CONNECTOR: initial_state}
    assert watch.written() == ["connector"]


@pytest.mark.parametrize("initial_state", ["BOGUS", "STARTED", "", " RUNNING", 1])
def test_what_is_no_state(cluster: Cluster, connectors: Connectors, initial_state: object) -> None:
    """KIP-980 says 400, and Kafka Connect 500 (docs/compatibility.md). Nothing is recorded."""
    name = connectors.name()
    watch = cluster.watch(name)
    response = create(cluster, name, connectors.source_config(name), initial_state=initial_state)
    assert response.status_code == (500 if cluster.id == "apache" else 400)
    assert response.json()["error_code"] == response.status_code
    message = response.json()["message"]
    assert message.startswith("Cannot construct instance of `"), message
    assert "InitialState`, problem: No enum constant " in message
    assert f"InitialState.{initial_state}" in message
    assert watch.written() == []
    assert cluster.request("GET", f"/connectors/{name}").status_code == 404


def test_what_cannot_be_created_leaves_no_state(cluster: Cluster, connectors: Connectors) -> None:
    name = connectors.name()
    watch = cluster.watch(name)
    config = connectors.source_config(name)
    del config["topic"]
    assert create(cluster, name, config, initial_state="PAUSED").status_code == 400
    assert watch.written() == []


def test_a_name_that_is_taken(cluster: Cluster, connectors: Connectors, healthy: str) -> None:
    """409, and what has the name stays as it is."""
    watch = cluster.watch(healthy)
    config = cluster.request("GET", f"/connectors/{healthy}/config").json()
    expect_error(create(cluster, healthy, config, initial_state="STOPPED"), 409, f"Connector {healthy} already exists")
    assert watch.written() == []
    assert cluster.states(healthy) == {CONNECTOR: "RUNNING", 0: "RUNNING"}
