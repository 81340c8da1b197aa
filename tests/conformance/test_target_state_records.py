"""Target states that another hand has written to the config topic (KIP-52's record; facts §10.3, rule 7)."""

import pytest

from tests.conformance.cluster import CONNECTOR, Cluster
from tests.conformance.conftest import Connectors

PAUSED = ["PAUSED", "PAUSED"]
RUNNING = ["RUNNING", "RUNNING"]


def write(cluster: Cluster, name: str, value: object) -> None:
    """Returns when the herder has met the record."""
    cluster.configs.produce((f"target-state-{name}", value))
    cluster.barrier()


def test_a_new_connector_has_none(cluster: Cluster, connectors: Connectors) -> None:
    """KIP-52: without a record a connector is started."""
    name = connectors.name()
    watch = cluster.watch(name)
    cluster.put_config(name, connectors.source_config(name))
    cluster.wait_for(name, *RUNNING)
    assert watch.configs("target-state") == []


@pytest.mark.parametrize(
    "value",
    [
        # As workers from before KIP-875 write it.
        {"state": "PAUSED"},
        # `state.v2` counts, where it is text.
        {"state": "STARTED", "state.v2": "PAUSED"},
        {"state": "PAUSED", "state.v2": None},
        {"state": "PAUSED", "state.v2": 1},
    ],
    ids=str,
)
def test_paused(cluster: Cluster, healthy: str, value: object) -> None:
    write(cluster, healthy, value)
    cluster.wait_for(healthy, *PAUSED)
    write(cluster, healthy, {"state": "STARTED"})
    cluster.wait_for(healthy, *RUNNING)


@pytest.mark.parametrize(
    "value",
    [
        {"state": "BOGUS"},
        # A state that nobody knows is no reason to look at the older field.
        {"state": "PAUSED", "state.v2": "BOGUS"},
        {"state": "paused"},
        {"state": None},
        {"else": "PAUSED"},
        {},
        [],
        "PAUSED",
        b"{",
        # The state that holds already.
        {"state": "STARTED", "state.v2": "STARTED"},
    ],
    ids=str,
)
def test_ignored(cluster: Cluster, healthy: str, value: object) -> None:
    watch = cluster.watch(healthy)
    write(cluster, healthy, value)
    assert cluster.states(healthy) == {CONNECTOR: "RUNNING", 0: "RUNNING"}
    watch.expect_untouched(CONNECTOR, 0)


def test_tombstone(cluster: Cluster, connectors: Connectors) -> None:
    """Silent: a paused connector whose record is deleted stays as it is until it is really resumed."""
    name = connectors.sink(tasks=1)
    cluster.request("PUT", f"/connectors/{name}/pause")
    cluster.wait_for(name, *PAUSED)
    watch = cluster.watch(name)
    write(cluster, name, None)
    assert cluster.states(name) == {CONNECTOR: "PAUSED", 0: "PAUSED"}
    watch.expect_untouched(CONNECTOR, 0)


def test_unknown_connector(cluster: Cluster, connectors: Connectors) -> None:
    """Kept for a connector of that name: a target state may come before its config (KIP-980)."""
    name = connectors.name()
    watch = cluster.watch(name)
    write(cluster, name, {"state": "PAUSED", "state.v2": "PAUSED"})
    cluster.put_config(name, connectors.source_config(name))
    cluster.wait_for(name, "PAUSED")
    cluster.barrier()
    assert cluster.states(name) == {CONNECTOR: "PAUSED"}
    assert watch.states(CONNECTOR) == ["PAUSED"]
