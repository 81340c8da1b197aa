"""Restarts, pauses and stops of a worker that is alone (KIP-745, "Standalone Runtime"; facts §17.1): the answers and what came
of them.

Statuses are in the worker's memory, so that there is no topic to look into. Whoever is restarted is told by a sink whose folder
has been taken away: a task that is started anew fails, and one that runs does not notice.
"""

import uuid
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.alone import drover_standalone
from tests.conformance.cluster import CONNECTOR, Connect, Instance, expect_empty, expect_error, expect_plan
from tests.conformance.conftest import FileConnectors
from tests.peer import connect_standalone

ALONE, FAILED_ALONE, ALL, ALL_FAILED = "", "?onlyFailed=true", "?includeTasks=true", "?includeTasks=true&onlyFailed=true"


@pytest.fixture(scope="module")
def drover_alone(kafka: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connect]:
    with drover_standalone(kafka, tmp_path_factory.mktemp("drover-alone")) as client, http(client.url) as asking:
        yield Connect("drover", asking)


@pytest.fixture(scope="module")
def apache_alone(kafka: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connect]:
    with connect_standalone(kafka, tmp_path_factory.mktemp("apache-alone")) as client, http(client.url) as asking:
        yield Connect("apache", asking)


def http(url: str) -> httpx.Client:
    return httpx.Client(base_url=url, timeout=60, trust_env=False)


@pytest.fixture(params=["drover", "apache"])
def worker(request: pytest.FixtureRequest) -> Connect:
    found: Connect = request.getfixturevalue(f"{request.param}_alone")
    return found


@pytest.fixture
def connectors(worker: Connect, tmp_path: Path) -> Iterator[FileConnectors]:
    connectors = FileConnectors(worker, tmp_path)
    yield connectors
    connectors.delete_all()


@pytest.mark.parametrize(
    ("query", "planned", "end"),
    [
        (ALONE, None, ["RUNNING", "RUNNING", "FAILED"]),
        (FAILED_ALONE, [], ["RUNNING", "RUNNING", "FAILED"]),
        (ALL, [CONNECTOR, 0, 1, 2], ["FAILED", "FAILED", "FAILED"]),
        (ALL_FAILED, [2], ["RUNNING", "RUNNING", "FAILED"]),
    ],
)
def test_who_is_restarted(
    worker: Connect, connectors: FileConnectors, query: str, planned: list[Instance] | None, end: list[str]
) -> None:
    name = connectors.sink(tasks=3, failed=1)
    before = worker.status(name)
    response = worker.request("POST", f"/connectors/{name}/restart{query}")
    if planned is None:
        expect_empty(response, 204)
    else:
        expect_plan(response, before, planned)
    worker.wait_for(name, "RUNNING", *end)


@pytest.mark.parametrize("query", [ALL, ALL_FAILED])
def test_what_failed_runs_again(worker: Connect, connectors: FileConnectors, query: str) -> None:
    name = connectors.sink(tasks=2, failed=2)
    connectors.mend(name)
    assert worker.request("POST", f"/connectors/{name}/restart{query}").status_code == 202
    status = worker.wait_for(name, "RUNNING", "RUNNING", "RUNNING")
    assert all("trace" not in task for task in status["tasks"])


def test_one_task(worker: Connect, connectors: FileConnectors) -> None:
    name = connectors.sink(tasks=2, failed=1)
    connectors.mend(name)
    expect_empty(worker.request("POST", f"/connectors/{name}/tasks/1/restart"), 204)
    worker.wait_for(name, "RUNNING", "RUNNING", "RUNNING")
    expect_error(worker.request("POST", f"/connectors/{name}/tasks/9/restart"), 404, f"Task {name}-9 not found")


@pytest.mark.parametrize("query", [FAILED_ALONE, ALL, ALL_FAILED])
def test_unknown_connector(worker: Connect, connectors: FileConnectors, query: str) -> None:
    name = connectors.name()
    expect_error(worker.request("POST", f"/connectors/{name}/restart{query}"), 404, f"Unknown connector: {name}")


@pytest.mark.parametrize(
    ("verb", "status", "states"), [("pause", 202, ["PAUSED", "PAUSED", "PAUSED"]), ("stop", 204, ["STOPPED"])]
)
@pytest.mark.parametrize("query", [ALONE, FAILED_ALONE, ALL, ALL_FAILED])
def test_what_is_paused_or_stopped_stays_so(
    worker: Connect, connectors: FileConnectors, verb: str, status: int, states: list[str], query: str
) -> None:
    name = connectors.sink(tasks=2)
    expect_empty(worker.request("PUT", f"/connectors/{name}/{verb}"), status)
    before = worker.wait_for(name, *states)
    response = worker.request("POST", f"/connectors/{name}/restart{query}")
    if query == ALONE:
        expect_empty(response, 204)
    else:
        expect_plan(response, before, list(worker.states(name)) if query == ALL else [])
    worker.wait_for(name, *states)
    expect_empty(worker.request("PUT", f"/connectors/{name}/resume"), 202)
    worker.wait_for(name, "RUNNING", "RUNNING", "RUNNING")


# --- initial_state (KIP-980) ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("initial_state", ["PAUSED", "STOPPED", "stopped"])
def test_created_without_tasks(worker: Connect, connectors: FileConnectors, initial_state: str) -> None:
    """They come with the resume."""
    name, state = connectors.name(), initial_state.upper()
    config = connectors.source_config(name)
    response = worker.request("POST", "/connectors", {"name": name, "config": config, "initial_state": initial_state})
    assert (response.status_code, response.json()) == (201, {"name": name, "config": config, "tasks": [], "type": "source"})
    assert worker.wait_for(name, state)["tasks"] == []
    assert worker.request("GET", f"/connectors/{name}/tasks").json() == []
    expect_empty(worker.request("PUT", f"/connectors/{name}/resume"), 202)
    worker.wait_for(name, "RUNNING", "RUNNING")


@pytest.mark.parametrize("initial_state", ["PAUSED", "STOPPED"])
def test_created_without_tasks_and_deleted(worker: Connect, connectors: FileConnectors, initial_state: str) -> None:
    """The state goes with its connector: the next one of that name runs."""
    name = connectors.name()
    body = {"name": name, "config": connectors.source_config(name)}
    assert worker.request("POST", "/connectors", {**body, "initial_state": initial_state}).status_code == 201
    worker.wait_for(name, initial_state)
    expect_empty(worker.request("DELETE", f"/connectors/{name}"), 204)
    assert worker.request("POST", "/connectors", body).status_code == 201
    worker.wait_for(name, "RUNNING", "RUNNING")


@pytest.mark.parametrize("more", [{}, {"initial_state": None}, {"initial_state": "Running"}], ids=str)
def test_created_running(worker: Connect, connectors: FileConnectors, more: dict[str, object]) -> None:
    name = connectors.name()
    body = {"name": name, "config": connectors.source_config(name), **more}
    response = worker.request("POST", "/connectors", body)
    assert (response.status_code, response.json()["tasks"]) == (201, [{"connector": name, "task": 0}])
    worker.wait_for(name, "RUNNING", "RUNNING")


def test_what_is_no_initial_state(worker: Connect, connectors: FileConnectors) -> None:
    """KIP-980 says 400, and Kafka Connect 500 (docs/compatibility.md)."""
    name = connectors.name()
    body = {"name": name, "config": connectors.source_config(name), "initial_state": "BOGUS"}
    response = worker.request("POST", "/connectors", body)
    assert response.status_code == (500 if worker.id == "apache" else 400)
    assert "InitialState`, problem: No enum constant " in response.json()["message"]
    assert worker.request("GET", f"/connectors/{name}").status_code == 404


@pytest.mark.parametrize(("query", "status", "body"), [("", 200, '["{}"]'), ("?scope=cluster", 204, "")])
def test_levels_of_loggers(worker: Connect, query: str, status: int, body: str) -> None:
    """For the cluster, which is this worker, it answers another way (KIP-976)."""
    name = f"org.example.{uuid.uuid4().hex[:8]}"
    answer = worker.request("PUT", f"/admin/loggers/{name}{query}", {"level": "debug"})
    assert (answer.status_code, answer.text) == (status, body.format(name))
    assert worker.request("GET", f"/admin/loggers/{name}").json()["level"] == "DEBUG"
    assert name in worker.request("GET", "/admin/loggers").json()
