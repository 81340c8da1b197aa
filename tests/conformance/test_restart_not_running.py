"""Restarts of what is paused or stopped (KIP-745; facts §5.6)."""

import pytest

from tests.conformance.cluster import CONNECTOR, Cluster, Instance, expect_empty, expect_plan
from tests.conformance.conftest import Connectors
from tests.waiting import eventually


@pytest.mark.parametrize(
    ("query", "restarted"),
    [
        ("", None),
        ("?onlyFailed=true", []),
        ("?includeTasks=true", [CONNECTOR, 0, 1]),
        ("?includeTasks=true&onlyFailed=true", []),
    ],
)
def test_paused(cluster: Cluster, connectors: Connectors, query: str, restarted: list[Instance] | None) -> None:
    """It ends PAUSED, and nothing runs in between."""
    name = connectors.sink(tasks=2)
    cluster.request("PUT", f"/connectors/{name}/pause")
    before, watch = cluster.wait_for(name, *["PAUSED"] * 3), cluster.watch(name)

    response = cluster.request("POST", f"/connectors/{name}/restart{query}")

    if restarted is None:
        expect_empty(response, 204)
    else:
        expect_plan(response, before, restarted)
    cluster.wait_for(name, *["PAUSED"] * 3)
    cluster.barrier()
    for instance in restarted or []:
        watch.expect_restarted(instance, "PAUSED")
    assert "RUNNING" not in watch.states(CONNECTOR) + watch.states(0) + watch.states(1)
    watch.expect_untouched(*[task for task in (0, 1) if task not in (restarted or [])])


def test_mended_while_paused(cluster: Cluster, connectors: Connectors) -> None:
    """A task that failed shows PAUSED after a restart, and runs once it is resumed."""
    name = connectors.sink(tasks=1, failed=1)
    cluster.request("PUT", f"/connectors/{name}/pause")
    before = cluster.wait_for(name, "PAUSED", "FAILED")
    connectors.mend(name)
    expect_plan(cluster.request("POST", f"/connectors/{name}/restart?includeTasks=true&onlyFailed=true"), before, [0])
    cluster.wait_for(name, "PAUSED", "PAUSED")
    cluster.request("PUT", f"/connectors/{name}/resume")
    cluster.wait_for(name, "RUNNING", "RUNNING")


@pytest.mark.parametrize(
    ("query", "restarted"),
    [
        ("", None),
        ("?onlyFailed=true", []),
        ("?includeTasks=true", [CONNECTOR]),
        ("?includeTasks=true&onlyFailed=true", []),
    ],
)
def test_stopped(cluster: Cluster, connectors: Connectors, query: str, restarted: list[Instance] | None) -> None:
    """It ends STOPPED, and no task comes to be."""
    name = connectors.sink(tasks=2)
    cluster.request("PUT", f"/connectors/{name}/stop")
    before, watch = cluster.wait_for(name, "STOPPED"), cluster.watch(name)

    response = cluster.request("POST", f"/connectors/{name}/restart{query}")

    if restarted is None:
        expect_empty(response, 204)
        eventually(lambda: watch.states(CONNECTOR)[-1:] == ["STOPPED"])
    else:
        expect_plan(response, before, restarted)
    cluster.wait_for(name, "STOPPED")
    cluster.barrier()
    if restarted:
        watch.expect_restarted(CONNECTOR, "STOPPED")
    assert "RUNNING" not in watch.states(CONNECTOR)
    watch.expect_untouched(0, 1)
    if restarted == []:
        watch.expect_untouched(CONNECTOR)
