"""What was asked for outlives the workers that were to do it: target states (KIP-52), promised restarts (KIP-745)."""

from collections.abc import Callable

import pytest

from tests.conformance.cluster import Cluster
from tests.faults.conftest import SESSION_TIMEOUT, Trio
from tests.faults.spread import Spread
from tests.faults.test_broker import restart_all
from tests.tally import CONNECTOR
from tests.waiting import eventually

pytestmark = pytest.mark.usefixtures("trio")


@pytest.fixture
def paused(make_spread: Callable[[str, int], Spread], cluster: Cluster) -> Spread:
    paused = make_spread("paused", 3)
    cluster.request("PUT", paused.path("pause"))
    cluster.wait_for(paused.name, *["PAUSED"] * 4)
    return paused


@pytest.fixture
def stopped(make_spread: Callable[[str, int], Spread], cluster: Cluster) -> Spread:
    stopped = make_spread("stopped", 3)
    cluster.request("PUT", stopped.path("stop"))
    cluster.wait_for(stopped.name, "STOPPED")
    return stopped


def test_a_worker_that_dies_takes_no_state_and_no_promise_with_it(
    spread: Spread, paused: Spread, stopped: Spread, trio: Trio, cluster: Cluster, other: Cluster
) -> None:
    """A restart that is asked for before anybody has noticed covers its share, too: RESTARTING until it runs elsewhere, once.
    A restart of one of its tasks has nobody to do it, and nobody does it later."""
    victim = trio.follower()
    share, pid = spread.of(victim), trio.drover.process_pid(victim)
    task = next(instance for instance in share if instance != CONNECTOR)
    watch, doings, resting = cluster.watch(spread.name), spread.watched(), cluster.watch(paused.name)
    trio.kill(victim)
    trio.gone(pid)

    answer = cluster.request("POST", spread.path("restart?includeTasks=true"))
    assert answer.status_code == 202
    assert {answer.json()["connector"]["state"], *[planned["state"] for planned in answer.json()["tasks"]]} == {"RESTARTING"}
    answer = other.http.post(spread.path(f"tasks/{task}/restart"))
    assert (answer.status_code, answer.json()["message"][:17]) == (500, "Request timed out")

    eventually(lambda: set(cluster.states(spread.name).values()) == {"RUNNING"}, seconds=SESSION_TIMEOUT + 10)
    for instance in share:
        assert watch.states(instance)[0] == "RESTARTING"
        assert doings.count("start", instance) == 1
    trio.await_healthy()
    cluster.wait_for(spread.name, *["RUNNING"] * 7)
    cluster.wait_for(paused.name, *["PAUSED"] * 4)
    assert not any("RUNNING" in resting.states(instance) for instance in (CONNECTOR, 0, 1, 2))
    assert cluster.states(stopped.name) == {CONNECTOR: "STOPPED"}
    assert watch.states(task).count("RESTARTING") == 1


def test_everything_is_killed_and_is_afterwards_as_it_was_wanted(
    spread: Spread, paused: Spread, stopped: Spread, trio: Trio, cluster: Cluster
) -> None:
    """KIP-52: a paused connector stays paused over restarts. What had failed is started like everything else."""
    spread.fail(3)
    resting, halted = cluster.watch(paused.name), cluster.watch(stopped.name)
    restart_all(trio)
    cluster.wait_for(spread.name, *["RUNNING"] * 7)
    cluster.wait_for(paused.name, *["PAUSED"] * 4)
    cluster.wait_for(stopped.name, "STOPPED")
    assert not any("RUNNING" in resting.states(instance) for instance in (CONNECTOR, 0, 1, 2))
    assert not any("RUNNING" in halted.states(instance) for instance in (CONNECTOR, 0, 1, 2))

    for of_it, tasks in ((paused, 3), (stopped, 3)):
        doings = of_it.watched()
        cluster.request("PUT", of_it.path("resume"))
        cluster.wait_for(of_it.name, *["RUNNING"] * (tasks + 1))
        assert {entry.verb for entry in doings.all()} == {"start"}
