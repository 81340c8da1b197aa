"""`PUT /connectors/{c}/pause`, `/resume` and `/stop` (KIP-52; facts §3.7)."""

from pathlib import Path

import pytest

from tests.conformance.cluster import CONNECTOR, Cluster, collapsed, expect_empty, expect_error
from tests.conformance.conftest import Connectors
from tests.topics import values
from tests.waiting import eventually

ANSWERS = {"pause": 202, "resume": 202, "stop": 204}
RECORDS = {
    "pause": {"state": "PAUSED", "state.v2": "PAUSED"},
    "resume": {"state": "STARTED", "state.v2": "STARTED"},
    "stop": {"state": "PAUSED", "state.v2": "STOPPED"},
}


def put(cluster: Cluster, name: str, verb: str, *states: str) -> None:
    """With the answer that it has to have; waits until the states are these."""
    expect_empty(cluster.request("PUT", f"/connectors/{name}/{verb}"), ANSWERS[verb])
    cluster.wait_for(name, *states)


@pytest.mark.parametrize("verb", ANSWERS)
def test_unknown_connector(cluster: Cluster, connectors: Connectors, verb: str) -> None:
    """404, without the colon that restarts have; nothing is recorded."""
    name = connectors.name()
    watch = cluster.watch(name)
    expect_error(cluster.request("PUT", f"/connectors/{name}/{verb}"), 404, f"Unknown connector {name}")
    assert watch.configs("target-state") == []


def test_deleted_connector(cluster: Cluster, connectors: Connectors) -> None:
    name = connectors.sink(tasks=1)
    expect_empty(cluster.request("DELETE", f"/connectors/{name}"), 204)
    for verb in ANSWERS:
        expect_error(cluster.request("PUT", f"/connectors/{name}/{verb}"), 404, f"Unknown connector {name}")


def test_pause_and_resume(cluster: Cluster, connectors: Connectors) -> None:
    """KIP-52: asynchronous; the connector and each of its tasks follow, once; the target state is a record in the config topic,
    which is what makes it last. The tasks stay and keep their configs."""
    name = connectors.sink()
    info, tasks = (cluster.request("GET", f"/connectors/{name}{path}").json() for path in ("", "/tasks"))
    for verb, state in (("pause", "PAUSED"), ("resume", "RUNNING")):
        watch = cluster.watch(name)
        put(cluster, name, verb, *[state] * 4)
        assert watch.configs("target-state") == [RECORDS[verb]]
        cluster.barrier()
        assert [watch.states(instance) for instance in (CONNECTOR, 0, 1, 2)] == [[state]] * 4
        assert cluster.request("GET", f"/connectors/{name}").json() == info
        assert cluster.request("GET", f"/connectors/{name}/tasks").json() == tasks
        for kind in ("connector", "task", "commit"):
            assert watch.configs(kind) == []


@pytest.mark.parametrize(("verb", "states"), [("pause", ["PAUSED"] * 2), ("resume", ["RUNNING"] * 2), ("stop", ["STOPPED"])])
def test_again(cluster: Cluster, connectors: Connectors, verb: str, states: list[str]) -> None:
    """KIP-52: a no-op, with the same answer. Its record is written again."""
    name = connectors.sink(tasks=1)
    put(cluster, name, verb, *states)
    watch = cluster.watch(name)
    for _ in range(2):
        put(cluster, name, verb, *states)
    cluster.barrier()
    assert watch.configs("target-state") == [RECORDS[verb]] * 2
    watch.expect_untouched(CONNECTOR, 0)


def test_stop(cluster: Cluster, connectors: Connectors) -> None:
    """A stopped connector has no tasks: it commits to none, and their statuses are deleted."""
    name = connectors.sink(tasks=2)
    watch = cluster.watch(name)
    put(cluster, name, "stop", "STOPPED")
    assert (watch.configs("commit"), watch.configs("target-state")) == ([{"tasks": 0}], [RECORDS["stop"]])
    eventually(lambda: [watch.states(task)[-1:] for task in (0, 1)] == [[None], [None]])
    assert cluster.request("GET", f"/connectors/{name}/tasks").json() == []
    assert cluster.request("GET", f"/connectors/{name}").json()["tasks"] == []
    expect_error(cluster.request("GET", f"/connectors/{name}/tasks/0/status"), 404, f"No status found for task {name}-0")


def test_resume_of_a_stopped_connector(cluster: Cluster, connectors: Connectors) -> None:
    """Its tasks are asked for anew."""
    name = connectors.sink(tasks=2)
    tasks = cluster.request("GET", f"/connectors/{name}/tasks").json()
    put(cluster, name, "stop", "STOPPED")
    watch = cluster.watch(name)
    put(cluster, name, "resume", "RUNNING", "RUNNING", "RUNNING")
    assert cluster.request("GET", f"/connectors/{name}/tasks").json() == tasks
    assert (watch.configs("target-state"), watch.configs("commit")) == ([RECORDS["resume"]], [{"tasks": 2}])


def test_pause_of_a_stopped_connector(cluster: Cluster, connectors: Connectors) -> None:
    """PAUSED, without tasks; they come when it is resumed."""
    name = connectors.sink(tasks=1)
    put(cluster, name, "stop", "STOPPED")
    put(cluster, name, "pause", "PAUSED")
    cluster.barrier()
    assert cluster.states(name) == {CONNECTOR: "PAUSED"}
    assert cluster.request("GET", f"/connectors/{name}/tasks").json() == []
    put(cluster, name, "resume", "RUNNING", "RUNNING")


def test_stop_of_a_paused_connector(cluster: Cluster, connectors: Connectors) -> None:
    name = connectors.sink(tasks=1)
    put(cluster, name, "pause", "PAUSED", "PAUSED")
    put(cluster, name, "stop", "STOPPED")


def test_config_of_a_paused_connector(cluster: Cluster, connectors: Connectors) -> None:
    """KIP-52: paused persists. The new config is there at once, its tasks get it with the resume."""
    name = connectors.sink(tasks=1)
    put(cluster, name, "pause", "PAUSED", "PAUSED")
    old, new = str(connectors.output(name) / "out.txt"), str(connectors.output(name) / "other.txt")
    watch = cluster.watch(name)

    cluster.put_config(name, {**connectors.sink_config(name, 1), "file": new})

    cluster.barrier()
    cluster.wait_for(name, "PAUSED", "PAUSED")
    assert "RUNNING" not in watch.states(CONNECTOR) + watch.states(0)
    assert watch.configs("target-state") == []
    assert cluster.request("GET", f"/connectors/{name}/config").json()["file"] == new
    assert task_file(cluster, name) == old
    put(cluster, name, "resume", "RUNNING", "RUNNING")
    eventually(lambda: task_file(cluster, name) == new, what="The task's new config")


def task_file(cluster: Cluster, name: str) -> str:
    (task,) = cluster.request("GET", f"/connectors/{name}/tasks").json()
    return str(task["config"]["file"])


def test_config_of_a_stopped_connector(cluster: Cluster, connectors: Connectors) -> None:
    """KIP-875: stopped persists too."""
    name = connectors.sink(tasks=1)
    put(cluster, name, "stop", "STOPPED")
    new = str(connectors.output(name) / "other.txt")
    cluster.put_config(name, {**connectors.sink_config(name, 1), "file": new})
    cluster.barrier()
    cluster.wait_for(name, "STOPPED")
    assert cluster.request("GET", f"/connectors/{name}/tasks").json() == []
    put(cluster, name, "resume", "RUNNING", "RUNNING")
    assert task_file(cluster, name) == new


def test_failed_tasks(cluster: Cluster, connectors: Connectors) -> None:
    """A task that failed stays FAILED over pause and resume, trace and all; only a restart brings it back."""
    name = connectors.sink(failed=2)
    connectors.mend(name)
    watch = cluster.watch(name)
    put(cluster, name, "pause", "PAUSED", "PAUSED", "FAILED", "FAILED")
    put(cluster, name, "resume", "RUNNING", "RUNNING", "FAILED", "FAILED")
    cluster.barrier()
    watch.expect_untouched(1, 2)
    assert "out.txt" in cluster.status(name)["tasks"][1]["trace"]
    expect_empty(cluster.request("POST", f"/connectors/{name}/tasks/1/restart"), 204)
    cluster.wait_for(name, "RUNNING", "RUNNING", "RUNNING", "FAILED")


def test_stop_and_resume_of_failed_tasks(cluster: Cluster, connectors: Connectors) -> None:
    """A stop takes the tasks away; those that a resume brings are new ones."""
    name = connectors.sink(failed=1)
    connectors.mend(name)
    put(cluster, name, "stop", "STOPPED")
    put(cluster, name, "resume", *["RUNNING"] * 4)


def test_pause_of_a_failed_connector_instance(cluster: Cluster, connectors: Connectors) -> None:
    """It stays FAILED though it is to be paused; its task follows."""
    name = connectors.failed_source()
    watch = cluster.watch(name)
    put(cluster, name, "pause", "FAILED", "PAUSED")
    cluster.barrier()
    assert watch.configs("target-state") == [RECORDS["pause"]]
    assert collapsed(watch.states(CONNECTOR)) in ([], ["FAILED"])
    put(cluster, name, "resume", "FAILED", "RUNNING")


def test_stop_of_a_failed_connector_instance(cluster: Cluster, connectors: Connectors) -> None:
    """STOPPED: a clean slate (KIP-875). A resume tries the start again."""
    name = connectors.failed_source()
    put(cluster, name, "stop", "STOPPED")
    assert "trace" not in cluster.status(name)["connector"]
    put(cluster, name, "resume", "FAILED")
    assert '"topic"' in cluster.status(name)["connector"]["trace"]


def test_a_paused_source_reads_nothing(cluster: Cluster, connectors: Connectors, kafka: str) -> None:
    """KIP-52: processing is suspended. Another source on the same file shows that there was something to read."""
    paused, running = connectors.name(), connectors.name()
    file = Path(connectors.source_config(paused)["file"])
    file.write_text("one\n")
    for name in (paused, running):
        cluster.put_config(name, {**connectors.source_config(name), "file": str(file)})
    eventually(lambda: values(kafka, paused) == [b"one"] == values(kafka, running)[:1], what="The first line")
    put(cluster, paused, "pause", "PAUSED", "PAUSED")
    with file.open("a") as lines:
        lines.write("two\n")
    eventually(lambda: values(kafka, running) == [b"one", b"two"], what="The second line")
    assert values(kafka, paused) == [b"one"]
    put(cluster, paused, "resume", "RUNNING", "RUNNING")
    eventually(lambda: values(kafka, paused) == [b"one", b"two"], what="The second line, once resumed")


@pytest.mark.parametrize("verb", ANSWERS)
def test_wrong_method(cluster: Cluster, healthy: str, verb: str) -> None:
    """§1.2."""
    for method in ("GET", "POST"):
        assert cluster.request(method, f"/connectors/{healthy}/{verb}").status_code == 405
