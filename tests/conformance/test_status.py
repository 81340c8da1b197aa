"""`GET /connectors/{c}/status` and `/tasks/{t}/status` (facts §4; KIP-745 adds RESTARTING, KIP-891 the version)."""

from tests.conformance.cluster import CONNECTOR, Cluster, expect_error
from tests.conformance.conftest import Connectors

WELL = ["state", "worker_id", "version"]


def test_shape(cluster: Cluster, connectors: Connectors) -> None:
    """The fields and their order; `trace` only where something failed; tasks by number."""
    name = connectors.sink(failed=1)
    status = cluster.status(name)
    assert list(status) == ["name", "connector", "tasks", "type"]
    assert (status["name"], status["type"]) == (name, "sink")
    assert list(status["connector"]) == WELL
    assert [list(task) for task in status["tasks"]] == [["id", *WELL], ["id", *WELL], ["id", *WELL, "trace"]]
    assert [task["id"] for task in status["tasks"]] == [0, 1, 2]
    assert all(isinstance(each["worker_id"], str) and ":" in each["worker_id"] for each in status["tasks"])
    for task in status["tasks"]:
        assert cluster.request("GET", f"/connectors/{name}/tasks/{task['id']}/status").json() == task


def test_not_found(cluster: Cluster, connectors: Connectors, healthy: str) -> None:
    name = connectors.name()
    expect_error(cluster.request("GET", f"/connectors/{name}/status"), 404, f"No status found for connector {name}")
    expect_error(cluster.request("GET", f"/connectors/{name}/tasks/0/status"), 404, f"No status found for task {name}-0")
    expect_error(cluster.request("GET", f"/connectors/{healthy}/tasks/1/status"), 404, f"No status found for task {healthy}-1")


def test_records(cluster: Cluster, connectors: Connectors) -> None:
    """§11: what is answered is what lies in the status topic, nulls included."""
    name = connectors.name()
    watch = cluster.watch(name)
    cluster.put_config(name, connectors.source_config(name))
    status = cluster.wait_for(name, "RUNNING", "RUNNING")
    for instance, shown in ((CONNECTOR, status["connector"]), (0, status["tasks"][0])):
        record = watch.statuses(instance)[-1]
        assert list(record) == ["state", "trace", "worker_id", "generation", "version"]
        assert record["trace"] is None
        assert isinstance(record["generation"], int)
        assert {key: record[key] for key in WELL} == {key: shown[key] for key in WELL}


def test_statuses_of_a_deleted_connector(cluster: Cluster, connectors: Connectors) -> None:
    """§3.6, §11: tombstones for its own and its tasks', and 404 from then on."""
    name = connectors.sink(tasks=2)
    watch = cluster.watch(name)
    cluster.request("DELETE", f"/connectors/{name}")
    cluster.wait_until_gone(name)
    assert [watch.states(instance)[-1] for instance in (CONNECTOR, 0, 1)] == [None] * 3
