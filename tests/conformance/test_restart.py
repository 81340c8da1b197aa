"""`POST /connectors/{c}/restart` (KIP-745): who is restarted, what is answered, what is written.

§ is a section of the facts about Kafka Connect.
"""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.conformance.cluster import CONNECTOR, Cluster, Instance, expect_empty, expect_error, expect_plan
from tests.conformance.conftest import Connectors
from tests.waiting import eventually

ALONE = ""
FAILED_ALONE = "?onlyFailed=true"
ALL = "?includeTasks=true"
ALL_FAILED = "?includeTasks=true&onlyFailed=true"
REQUESTS = {
    FAILED_ALONE: {"include-tasks": False, "only-failed": True},
    ALL: {"include-tasks": True, "only-failed": False},
    ALL_FAILED: {"include-tasks": True, "only-failed": True},
}


@pytest.mark.parametrize(
    ("query", "failed", "restarted"),
    [
        # A healthy connector.
        (FAILED_ALONE, 0, []),
        (ALL, 0, [CONNECTOR, 0, 1, 2]),
        (ALL_FAILED, 0, []),
        # The KIP's example: tasks 1 and 2 have failed.
        (FAILED_ALONE, 2, []),
        (ALL, 2, [CONNECTOR, 0, 1, 2]),
        (ALL_FAILED, 2, [1, 2]),
        # Everything but the connector instance.
        (FAILED_ALONE, 3, []),
        (ALL, 3, [CONNECTOR, 0, 1, 2]),
        (ALL_FAILED, 3, [0, 1, 2]),
    ],
)
def test_with_parameters(cluster: Cluster, connectors: Connectors, query: str, failed: int, restarted: list[Instance]) -> None:
    """202 with the plan; RESTARTING, then RUNNING for each instance in it; no record for the others; the request is recorded,
    also where it is a no-op."""
    name = connectors.sink(failed=failed)
    if failed:
        connectors.mend(name)
    before, watch = cluster.status(name), cluster.watch(name)

    expect_plan(cluster.request("POST", f"/connectors/{name}/restart{query}"), before, restarted)

    after = {CONNECTOR: "RUNNING", **{task["id"]: task["state"] for task in before["tasks"]}}
    after |= dict.fromkeys(restarted, "RUNNING")
    cluster.wait_for(name, *after.values())
    cluster.barrier()
    for instance in restarted:
        watch.expect_restarted(instance, "RUNNING")
    watch.expect_untouched(*[instance for instance in after if instance not in restarted])
    assert watch.configs("restart-connector") == [REQUESTS[query]]


@pytest.mark.parametrize("query", [ALONE, "?includeTasks=false&onlyFailed=false"])
@pytest.mark.parametrize("failed", [0, 2, 3])
def test_without_parameters(cluster: Cluster, connectors: Connectors, query: str, failed: int) -> None:
    """KIP-52, §5.1: 204 without a body, for the connector instance alone, whatever its state; nothing in the config topic.

    §5.6: its tasks are asked for anew, and as they are the same as before they are not restarted.
    """
    name = connectors.sink(failed=failed)
    before, watch = cluster.states(name), cluster.watch(name)

    expect_empty(cluster.request("POST", f"/connectors/{name}/restart{query}"), 204)

    cluster.wait_for(name, *before.values())
    cluster.barrier()
    watch.expect_started_anew(CONNECTOR, "RUNNING")
    watch.expect_untouched(0, 1, 2)
    assert watch.configs("restart-connector") == []


@pytest.mark.parametrize(
    ("query", "restarted"),
    [
        (FAILED_ALONE, [CONNECTOR]),
        (ALL, [CONNECTOR, 0]),
        (ALL_FAILED, [CONNECTOR]),
    ],
)
def test_failed_connector_instance(cluster: Cluster, connectors: Connectors, query: str, restarted: list[Instance]) -> None:
    """KIP-745: a failed connector instance is among what onlyFailed restarts. It fails again: nobody has mended it."""
    name = connectors.failed_source()
    before, watch = cluster.status(name), cluster.watch(name)

    expect_plan(cluster.request("POST", f"/connectors/{name}/restart{query}"), before, restarted)

    cluster.wait_for(name, "FAILED", "RUNNING")
    cluster.barrier()
    watch.expect_restarted(CONNECTOR, "FAILED")
    if 0 in restarted:
        watch.expect_restarted(0, "RUNNING")
    else:
        watch.expect_untouched(0)
    assert watch.configs("restart-connector") == [REQUESTS[query]]


def test_several_at_once_without_parameters(cluster: Cluster, healthy: str) -> None:
    """It runs in the end, and each is told so. Kafka Connect tells 500 to who was overtaken by the next one."""
    watch = cluster.watch(healthy)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: cluster.request("POST", f"/connectors/{healthy}/restart"), range(4)))
    for answer in answers:
        if cluster.id == "apache" and answer.status_code != 204:
            expect_error(answer, 500, f"Failed to start connector: {healthy}")
        else:
            expect_empty(answer, 204)
    cluster.barrier()
    watch.expect_end(CONNECTOR, "RUNNING")
    watch.expect_untouched(0)


def test_failed_connector_instance_without_parameters(cluster: Cluster, connectors: Connectors) -> None:
    """§5.1: the plain restart is over when it is answered, so it can tell that it failed."""
    name = connectors.failed_source()
    watch = cluster.watch(name)
    expect_error(cluster.request("POST", f"/connectors/{name}/restart"), 500, f"Failed to start connector: {name}")
    cluster.wait_for(name, "FAILED", "RUNNING")
    watch.expect_untouched(0)
    assert watch.configs("restart-connector") == []


def test_a_failed_connector_instance_comes_back_with_a_config_that_can_start(cluster: Cluster, connectors: Connectors) -> None:
    """§3.4: a config starts the connector instance anew; its task, whose config is the same as before, needs no restart."""
    name = connectors.failed_source()
    cluster.put_config(name, connectors.source_config(name))
    cluster.wait_for(name, "RUNNING", "RUNNING")


def test_restarting_what_fails_again(cluster: Cluster, connectors: Connectors) -> None:
    """§4: FAILED again, with a trace; the request is never carried out twice."""
    name = connectors.sink(tasks=1, failed=1)
    before, watch = cluster.status(name), cluster.watch(name)
    expect_plan(cluster.request("POST", f"/connectors/{name}/restart{ALL_FAILED}"), before, [0])
    cluster.wait_for(name, "RUNNING", "FAILED")
    cluster.barrier()
    watch.expect_restarted(0, "FAILED")
    assert "out.txt" in cluster.status(name)["tasks"][0]["trace"]


def test_a_restart_clears_the_trace(cluster: Cluster, connectors: Connectors) -> None:
    """§4, §5.1: the plan keeps the trace of what failed, the restarted instance has none."""
    name = connectors.sink(tasks=1, failed=1)
    connectors.mend(name)
    plan = cluster.request("POST", f"/connectors/{name}/restart{ALL_FAILED}").json()
    assert "out.txt" in plan["tasks"][0]["trace"]
    assert "trace" not in cluster.wait_for(name, "RUNNING", "RUNNING")["tasks"][0]


@pytest.mark.parametrize(
    ("query", "restarted"),
    [
        # §1.6: Java's Boolean.valueOf: `true` in any case, everything else is false.
        ("?includeTasks=TRUE&onlyFailed=FALSE", [CONNECTOR, 0]),
        ("?includeTasks=True", [CONNECTOR, 0]),
        ("?includeTasks=tRuE&onlyFailed=no", [CONNECTOR, 0]),
        ("?includeTasks=yes&onlyFailed=1", None),
        ("?includeTasks=1", None),
        ("?includeTasks=&onlyFailed=", None),
        ("?includeTasks&onlyFailed", None),
        ("?includeTasks=%20true", None),
        # §1.6: of a repeated parameter the first counts.
        ("?includeTasks=true&includeTasks=false", [CONNECTOR, 0]),
        ("?includeTasks=false&includeTasks=true", None),
        ("?onlyFailed=true&onlyFailed=false", []),
        # Names are names: another spelling is another parameter, and those that nobody knows say nothing.
        ("?includetasks=true", None),
        ("?include-tasks=true&only-failed=true", None),
        ("?else=true", None),
        # KIP-52, §6: `forward` tells workers among each other whether to pass the request on.
        ("?forward=true", None),
        ("?forward=false", None),
        ("?forward=bogus", None),
        ("?includeTasks=true&forward=true", [CONNECTOR, 0]),
        ("?includeTasks=true&forward=false", [CONNECTOR, 0]),
        ("?onlyFailed=true&forward=false", []),
    ],
)
def test_parameters(cluster: Cluster, healthy: str, query: str, restarted: list[Instance] | None) -> None:
    before, watch = cluster.status(healthy), cluster.watch(healthy)
    response = cluster.request("POST", f"/connectors/{healthy}/restart{query}")
    if restarted is None:
        expect_empty(response, 204)
        watch.expect_started_anew(CONNECTOR, "RUNNING")
    else:
        expect_plan(response, before, restarted)
        for instance in restarted:
            watch.expect_restarted(instance, "RUNNING")


@pytest.mark.parametrize("forward", ["true", "false"])
def test_forward_of_a_task_restart(cluster: Cluster, healthy: str, forward: str) -> None:
    """KIP-52, §6."""
    watch = cluster.watch(healthy)
    expect_empty(cluster.request("POST", f"/connectors/{healthy}/tasks/0/restart?forward={forward}"), 204)
    watch.expect_started_anew(0, "RUNNING")


@pytest.mark.parametrize("query", [ALONE, FAILED_ALONE, ALL, ALL_FAILED])
def test_unknown_connector(cluster: Cluster, connectors: Connectors, query: str) -> None:
    """KIP-52, KIP-745: 404; nothing is recorded."""
    name = connectors.name()
    watch = cluster.watch(name)
    expect_error(cluster.request("POST", f"/connectors/{name}/restart{query}"), 404, f"Unknown connector: {name}")
    assert watch.configs("restart-connector") == []


@pytest.mark.parametrize("query", [ALONE, FAILED_ALONE, ALL, ALL_FAILED])
def test_deleted_connector(cluster: Cluster, connectors: Connectors, query: str) -> None:
    """§3.6: from the answer to the DELETE on there is no such connector."""
    name = connectors.sink(tasks=1)
    expect_empty(cluster.request("DELETE", f"/connectors/{name}"), 204)
    expect_error(cluster.request("POST", f"/connectors/{name}/restart{query}"), 404, f"Unknown connector: {name}")
    expect_error(cluster.request("POST", f"/connectors/{name}/tasks/0/restart"), 404, f"Unknown connector: {name}")


def test_deletion_while_restarting(cluster: Cluster, connectors: Connectors) -> None:
    """§3.6, §11: what is deleted right after its restart was promised leaves no status behind."""
    name = connectors.sink(tasks=1)
    watch = cluster.watch(name)
    assert cluster.request("POST", f"/connectors/{name}/restart{ALL}").status_code == 202
    expect_empty(cluster.request("DELETE", f"/connectors/{name}"), 204)
    eventually(lambda: all(watch.states(instance)[-1:] == [None] for instance in (CONNECTOR, 0)), what="No status is left")
    cluster.barrier()
    assert [watch.states(instance)[-1] for instance in (CONNECTOR, 0)] == [None, None]
    expect_error(cluster.request("GET", f"/connectors/{name}/status"), 404, f"No status found for connector {name}")


@pytest.mark.parametrize("query", [FAILED_ALONE, ALL, ALL_FAILED])
def test_before_the_first_status(cluster: Cluster, connectors: Connectors, query: str) -> None:
    """§5.1: without a status there is no plan to answer with: 404 in other words, though the request is recorded by then.

    The window after a creation is short. Here the statuses are deleted, which looks the same to every reader.
    """
    name = connectors.sink(tasks=1)
    watch = cluster.watch(name)
    cluster.statuses.produce((f"status-connector-{name}", None), (f"status-task-{name}-0", None))
    eventually(lambda: cluster.request("GET", f"/connectors/{name}/status").status_code == 404)
    expect_error(cluster.request("POST", f"/connectors/{name}/restart{query}"), 404, f"Status for connector {name} not found")
    assert watch.configs("restart-connector") == [REQUESTS[query]]


def test_wrong_method(cluster: Cluster, healthy: str) -> None:
    """§1.2."""
    for method in ("GET", "PUT"):
        assert cluster.request(method, f"/connectors/{healthy}/restart").status_code == 405
