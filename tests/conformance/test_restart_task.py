"""`POST /connectors/{c}/tasks/{t}/restart` (KIP-52; facts §3.11 and 5.5)."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.conformance.cluster import CONNECTOR, Cluster, expect_empty, expect_error
from tests.conformance.conftest import Connectors


def test_running_task(cluster: Cluster, connectors: Connectors) -> None:
    """204; the task starts anew with the config that it had, and nothing else is touched."""
    name = connectors.sink()
    watch = cluster.watch(name)
    expect_empty(cluster.request("POST", f"/connectors/{name}/tasks/1/restart"), 204)
    cluster.wait_for(name, *["RUNNING"] * 4)
    cluster.barrier()
    watch.expect_started_anew(1, "RUNNING")
    watch.expect_untouched(CONNECTOR, 0, 2)
    for kind in ("restart-connector", "connector", "commit", "task"):
        assert watch.configs(kind) == []


def test_failed_task(cluster: Cluster, connectors: Connectors) -> None:
    """The KIP-745's example of how it was before: one request for each of the tasks that failed."""
    name = connectors.sink(failed=2)
    connectors.mend(name)
    watch = cluster.watch(name)
    for task in (1, 2):
        expect_empty(cluster.request("POST", f"/connectors/{name}/tasks/{task}/restart"), 204)
    status = cluster.wait_for(name, *["RUNNING"] * 4)
    assert all("trace" not in task for task in status["tasks"])
    watch.expect_untouched(CONNECTOR, 0)


def test_failing_again(cluster: Cluster, connectors: Connectors) -> None:
    """§3.11: 204 all the same: the task was started, and what becomes of it is told by its status."""
    name = connectors.sink(tasks=2, failed=1)
    watch = cluster.watch(name)
    expect_empty(cluster.request("POST", f"/connectors/{name}/tasks/1/restart"), 204)
    watch.expect_end(1, "FAILED")
    assert "out.txt" in watch.statuses(1)[-1]["trace"]
    cluster.barrier()
    watch.expect_untouched(CONNECTOR, 0)


def test_several_at_once(cluster: Cluster, healthy: str) -> None:
    """Each is answered with 204. (KIP-52 has 409 for "already being restarted"; Kafka Connect takes one after another.)"""
    watch = cluster.watch(healthy)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: cluster.request("POST", f"/connectors/{healthy}/tasks/0/restart"), range(4)))
    for answer in answers:
        expect_empty(answer, 204)
    cluster.barrier()
    watch.expect_end(0, "RUNNING")
    watch.expect_untouched(CONNECTOR)


def test_unknown(cluster: Cluster, connectors: Connectors, healthy: str) -> None:
    """Colon and all."""
    name = connectors.name()
    expect_error(cluster.request("POST", f"/connectors/{name}/tasks/0/restart"), 404, f"Unknown connector: {name}")
    for task in (1, 99, 2147483647):
        expect_error(
            cluster.request("POST", f"/connectors/{healthy}/tasks/{task}/restart"), 404, f"Unknown task: {healthy}-{task}"
        )


@pytest.mark.parametrize("task", ["-1", "-2147483648"])
def test_negative_number(cluster: Cluster, healthy: str, task: str) -> None:
    """§1.3: a task's number is a signed 32-bit integer."""
    expect_error(cluster.request("POST", f"/connectors/{healthy}/tasks/{task}/restart"), 404, f"Unknown task: {healthy}-{task}")
    expect_error(
        cluster.request("GET", f"/connectors/{healthy}/tasks/{task}/status"), 404, f"No status found for task {healthy}-{task}"
    )


def test_leading_zeros(cluster: Cluster, healthy: str) -> None:
    """§1.3: `00` is task 0."""
    watch = cluster.watch(healthy)
    expect_empty(cluster.request("POST", f"/connectors/{healthy}/tasks/00/restart"), 204)
    watch.expect_started_anew(0, "RUNNING")
    assert cluster.request("GET", f"/connectors/{healthy}/tasks/00/status").json()["id"] == 0


@pytest.mark.parametrize("task", ["x", "1.0", "2147483648", "-2147483649", "99999999999999999999"])
def test_not_a_number(cluster: Cluster, healthy: str, task: str) -> None:
    """§1.3: anything else is not found, by the methods that there are."""
    expect_error(cluster.request("POST", f"/connectors/{healthy}/tasks/{task}/restart"), 404, "HTTP 404 Not Found")
    expect_error(cluster.request("GET", f"/connectors/{healthy}/tasks/{task}/status"), 404, "HTTP 404 Not Found")
    assert cluster.request("GET", f"/connectors/{healthy}/tasks/{task}/restart").status_code == 405


def test_paused(cluster: Cluster, connectors: Connectors) -> None:
    """The task is restarted into PAUSED."""
    name = connectors.sink(tasks=2)
    cluster.request("PUT", f"/connectors/{name}/pause")
    cluster.wait_for(name, *["PAUSED"] * 3)
    watch = cluster.watch(name)
    expect_empty(cluster.request("POST", f"/connectors/{name}/tasks/1/restart"), 204)
    cluster.wait_for(name, *["PAUSED"] * 3)
    cluster.barrier()
    watch.expect_started_anew(1, "PAUSED")
    watch.expect_untouched(CONNECTOR, 0)


def test_stopped(cluster: Cluster, connectors: Connectors) -> None:
    """A stopped connector's task has no owner to restart it."""
    name = connectors.sink(tasks=1)
    cluster.request("PUT", f"/connectors/{name}/stop")
    cluster.wait_for(name, "STOPPED")
    expect_error(
        cluster.request("POST", f"/connectors/{name}/tasks/0/restart"),
        409,
        "Cannot complete request momentarily due to no known leader URL, likely because a rebalance was underway.",
    )
    cluster.barrier()
    assert cluster.states(name) == {CONNECTOR: "STOPPED"}
