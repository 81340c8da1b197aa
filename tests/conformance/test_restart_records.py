"""Restart requests that another hand has written to the config topic (facts §5.2 to 5.4): any tool may, and many are wrong."""

import pytest

from tests.conformance.cluster import CONNECTOR, Cluster, Instance
from tests.conformance.conftest import Connectors
from tests.waiting import eventually

EVERYTHING: list[Instance] = [CONNECTOR, 0]


def expect(cluster: Cluster, name: str, value: object, restarted: list[Instance]) -> None:
    """That the record restarts exactly these. Whatever has failed must have been mended."""
    states, watch = cluster.states(name), cluster.watch(name)
    cluster.configs.produce((f"restart-connector-{name}", value))
    cluster.barrier()
    cluster.wait_for(name, *{**states, **dict.fromkeys(restarted, "RUNNING")}.values())
    for instance in restarted:
        watch.expect_restarted(instance, "RUNNING")
    watch.expect_untouched(*[instance for instance in states if instance not in restarted])


@pytest.mark.parametrize(
    ("value", "restarted"),
    [
        ({"include-tasks": True, "only-failed": False}, EVERYTHING),
        ({"include-tasks": True, "only-failed": False, "more": [1, 2]}, EVERYTHING),
        ({"only-failed": False, "include-tasks": False}, [CONNECTOR]),
        # What is missing is false: the connector instance alone, whatever its state.
        ({}, [CONNECTOR]),
        ({"only-failed": False}, [CONNECTOR]),
        ({"include-tasks": True}, EVERYTHING),
        ({"only-failed": True}, []),
        # So is what is no boolean.
        ({"include-tasks": "true", "only-failed": "true"}, [CONNECTOR]),
        ({"include-tasks": 1, "only-failed": 1}, [CONNECTOR]),
        ({"include-tasks": None, "only-failed": None}, [CONNECTOR]),
        ({"include-tasks": True, "only-failed": "true"}, EVERYTHING),
        ({"include-tasks": {"true": True}, "only-failed": [True]}, [CONNECTOR]),
        # No request at all: a tombstone, another shape, no JSON.
        (None, []),
        ([], []),
        ("restart", []),
        (True, []),
        (b"{", []),
        (b"\xff\xfe", []),
        (b"", []),
    ],
    ids=str,
)
def test_healthy(cluster: Cluster, healthy: str, value: object, restarted: list[Instance]) -> None:
    expect(cluster, healthy, value, restarted)


@pytest.mark.parametrize(
    ("value", "restarted"),
    [
        ({"include-tasks": True, "only-failed": True}, [1]),
        ({"include-tasks": False, "only-failed": True}, []),
        ({}, [CONNECTOR]),
    ],
    ids=str,
)
def test_with_a_failed_task(cluster: Cluster, connectors: Connectors, value: object, restarted: list[Instance]) -> None:
    """Whom a request means is decided by the states at the time when it is carried out."""
    name = connectors.sink(tasks=2, failed=1)
    connectors.mend(name)
    expect(cluster, name, value, restarted)


def test_unknown_connector(cluster: Cluster, connectors: Connectors) -> None:
    """Ignored, and it is not kept for a connector of that name that comes later."""
    name = connectors.name()
    watch = cluster.watch(name)
    cluster.configs.produce((f"restart-connector-{name}", {"include-tasks": True, "only-failed": False}))
    cluster.barrier()
    watch.expect_untouched(CONNECTOR, 0)
    cluster.put_config(name, connectors.source_config(name))
    cluster.wait_for(name, "RUNNING", "RUNNING")
    cluster.barrier()
    assert "RESTARTING" not in watch.states(CONNECTOR) + watch.states(0)


def test_deleted_connector(cluster: Cluster, connectors: Connectors) -> None:
    """Ignored: nothing comes back."""
    name = connectors.sink(tasks=1)
    watch = cluster.watch(name)
    assert cluster.request("DELETE", f"/connectors/{name}").status_code == 204
    cluster.configs.produce((f"restart-connector-{name}", {"include-tasks": True, "only-failed": False}))
    cluster.barrier()
    assert "RESTARTING" not in watch.states(CONNECTOR) + watch.states(0)
    # Deleted by the leader, once the instances have stopped.
    eventually(lambda: cluster.request("GET", f"/connectors/{name}/status").status_code == 404)


def test_several_at_once(cluster: Cluster, connectors: Connectors) -> None:
    """All four for one connector: each instance is restarted, and all is well in the end."""
    name = connectors.sink(tasks=1)
    watch = cluster.watch(name)
    flags = [(tasks, failed) for tasks in (False, True) for failed in (False, True)]
    cluster.configs.produce(
        *[(f"restart-connector-{name}", {"include-tasks": tasks, "only-failed": failed}) for tasks, failed in flags]
    )
    cluster.barrier()
    cluster.wait_for(name, "RUNNING", "RUNNING")
    for instance in EVERYTHING:
        assert "RESTARTING" in watch.states(instance)
        assert watch.states(instance)[-1] == "RUNNING"


def test_a_worker_survives_all_that(cluster: Cluster) -> None:
    """§1.2, §5.4: `GET /health` (KIP-1017), whose answer comes through the herder's queue."""
    for key in ("restart-connector-", "restart-connector", "restart-"):
        cluster.configs.produce((key, {"include-tasks": True}), (key, None), (key, b"\xff"))
    cluster.barrier()
    assert cluster.request("GET", "/health").json()["status"] == "healthy"
