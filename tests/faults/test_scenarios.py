"""What KIP-52 and KIP-745 say of several workers: a connector with tasks on each of three, asked for through two web processes.

Who was started and stopped, by whom and how often, is what the workers' own processes have written down (`tests.tally`).
`docs/scenarios.md` says which of the documents' scenarios is tested where.
"""

import uuid
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
import redis
from celery import Celery
from prometheus_client.parser import text_string_to_metric_families

from tests.conformance.cluster import Cluster, expect_empty, expect_error, expect_plan
from tests.faults.conftest import SESSION_TIMEOUT, Trio
from tests.faults.spread import EVERYTHING, TASKS, Doings, Spread
from tests.tally import CONNECTOR, Entry, Instance
from tests.waiting import eventually
from workers.herder import wire
from workers.herder.errors import HerderError
from workers.storage.kafka import Kafka

GROUP = "connect-cluster"
ALL, ALL_FAILED, FAILED_ALONE = "?includeTasks=true", "?includeTasks=true&onlyFailed=true", "?onlyFailed=true"
STALE = "Cannot complete request momentarily due to stale configuration (typically caused by a concurrent config change)"
MOVED = "Cannot complete request because of a conflicting operation (e.g. worker rebalance)"

pytestmark = pytest.mark.usefixtures("trio")


@pytest.fixture(params=["first", "other"])
def asked(request: pytest.FixtureRequest, cluster: Cluster, other: Cluster) -> Cluster:
    """Whoever is asked."""
    return {"first": cluster, "other": other}[request.param]


# --- restarts with parameters (KIP-745) -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "failed", "whom"),
    [
        (ALL, 0, "everything"),
        (FAILED_ALONE, 0, "nothing"),
        (ALL_FAILED, 0, "nothing"),
        (ALL, 2, "everything"),
        (FAILED_ALONE, 2, "nothing"),
        (ALL_FAILED, 2, "failed"),
    ],
)
def test_each_worker_restarts_its_own_and_nobody_else_s(
    spread: Spread, cluster: Cluster, barrier: Callable[[], None], query: str, failed: int, whom: str
) -> None:
    """One request reaches all of them; each instance in the plan is stopped once and started once, in the process that has it."""
    broken = spread.on_two_workers()[:failed]
    spread.fail(*broken)
    restarted: Iterable[Instance] = {"everything": EVERYTHING, "failed": broken, "nothing": ()}[whom]
    before, watch, doings = cluster.status(spread.name), cluster.watch(spread.name), spread.watched()

    expect_plan(cluster.request("POST", spread.path(f"restart{query}")), before, list(restarted))

    for instance in restarted:
        watch.expect_restarted(instance, "RUNNING")
    barrier()
    watch.expect_untouched(*[instance for instance in EVERYTHING if instance not in restarted])
    assert doings.all() == spread.by_its_owner("stop", *restarted) + spread.by_its_owner("start", *restarted)
    assert len(watch.configs("restart-connector")) == 1


def test_a_failed_connector_instance_and_a_failed_task_elsewhere(
    spread: Spread, cluster: Cluster, barrier: Callable[[], None]
) -> None:
    """One request mends both (KIP-745, "Motivation")."""
    owners = spread.owners()
    task = next(task for task in TASKS if owners[task] != owners[CONNECTOR])
    spread.fail(task)
    with spread.tallied.failing("start", CONNECTOR):
        cluster.put_config(spread.name, spread.tallied.config())
        eventually(lambda: cluster.states(spread.name)[CONNECTOR] == "FAILED")
    before, watch, doings = cluster.status(spread.name), cluster.watch(spread.name), spread.watched()

    expect_plan(cluster.request("POST", spread.path(f"restart{ALL_FAILED}")), before, [CONNECTOR, task])

    watch.expect_restarted(CONNECTOR, "RUNNING")
    watch.expect_restarted(task, "RUNNING")
    barrier()
    watch.expect_untouched(*[other for other in TASKS if other != task])
    assert {entry.instance for entry in doings.all()} == {CONNECTOR, task}


def test_restarting_is_shown_by_everybody_while_it_lasts(spread: Spread, cluster: Cluster, other: Cluster) -> None:
    """KIP-745: RESTARTING from the answer on, wherever the instance runs and whoever is asked; in the metrics, too."""
    restarting = dict.fromkeys(EVERYTHING, "RESTARTING")
    with spread.tallied.held("start"):
        assert cluster.request("POST", spread.path(f"restart{ALL}")).status_code == 202
        assert cluster.states(spread.name) == restarting
        eventually(lambda: other.states(spread.name) == restarting)
        assert metrics(cluster, spread.name) == (1, 6)
        eventually(lambda: spread.tallied.entries().count(Entry(spread.owners()[5], "start", 5)) == 2)
        assert cluster.states(spread.name) == restarting
    for seen in (cluster, other):
        seen.wait_for(spread.name, *["RUNNING"] * 7)
    assert metrics(cluster, spread.name) == (0, 0)


def metrics(cluster: Cluster, name: str) -> tuple[float, float]:
    """Whether the connector is restarting, and how many of its tasks (KIP-745, "Metrics")."""
    families = text_string_to_metric_families(cluster.request("GET", "/metrics").text)
    samples = [sample for family in families for sample in family.samples if sample.labels.get("connector") == name]
    status = "kafka_connect_connector_metrics_status"
    tasks = "kafka_connect_connect_worker_metrics_connector_restarting_task_count"
    (connector,) = [s.value for s in samples if s.name == status and s.labels["status"] == "restarting"]
    (counted,) = [s.value for s in samples if s.name == tasks]
    return connector, counted


def test_a_worker_that_is_away_for_a_moment_restarts_its_share_when_it_is_back(
    spread: Spread, trio: Trio, cluster: Cluster, barrier: Callable[[], None]
) -> None:
    """KIP-745: 202 says that the request is durable, not that every worker has seen it."""
    follower = trio.follower()
    share = spread.of(follower)
    watch, doings = cluster.watch(spread.name), spread.watched()
    with trio.halted(follower):
        assert cluster.request("POST", spread.path(f"restart{ALL}")).status_code == 202
        for instance in EVERYTHING:
            if instance not in share:
                watch.expect_restarted(instance, "RUNNING")
        assert {instance: cluster.states(spread.name)[instance] for instance in share} == dict.fromkeys(share, "RESTARTING")
        assert not {entry.instance for entry in doings.all()} & set(share)
    for instance in share:
        watch.expect_restarted(instance, "RUNNING")
    barrier()
    assert doings.all() == spread.by_its_owner("stop", *EVERYTHING) + spread.by_its_owner("start", *EVERYTHING)


def test_requests_that_are_pending_together_become_one_restart(
    spread: Spread, trio: Trio, cluster: Cluster, barrier: Callable[[], None]
) -> None:
    """Whatever their parameters: each is answered, and each instance is started once more, after all of them were asked for."""
    doings = spread.watched()
    with spread.tallied.held("stop"):
        assert cluster.request("POST", spread.path(f"restart{ALL}")).status_code == 202
        eventually(lambda: all(doings.count("stop", instance) for instance in EVERYTHING))
        for query in (ALL, FAILED_ALONE, ALL_FAILED, ALL):
            answer = cluster.request("POST", spread.path(f"restart{query}"))
            assert answer.status_code == 202
            assert {answer.json()["connector"]["state"], *[task["state"] for task in answer.json()["tasks"]]} == {"RESTARTING"}
    cluster.wait_for(spread.name, *["RUNNING"] * 7)
    barrier()
    cluster.wait_for(spread.name, *["RUNNING"] * 7)
    assert doings.all() == spread.by_its_owner("stop", *EVERYTHING) + spread.by_its_owner("start", *EVERYTHING)


def test_a_request_for_a_connector_that_is_deleted_leaves_nothing_behind(
    spread: Spread, trio: Trio, cluster: Cluster, barrier: Callable[[], None]
) -> None:
    """Also on a worker that meets both together. One of the same name has nothing to do with it."""
    follower = trio.follower()
    watch = cluster.watch(spread.name)
    with trio.halted(follower):
        assert cluster.request("POST", spread.path(f"restart{ALL}")).status_code == 202
        expect_empty(cluster.request("DELETE", f"/connectors/{spread.name}"), 204)
    cluster.wait_until_gone(spread.name)
    barrier()
    doings = Doings(spread.tallied, 0)
    assert all(doings.count("start", instance) == doings.count("stop", instance) for instance in EVERYTHING)
    assert {watch.states(instance)[-1] for instance in EVERYTHING} == {None}

    watch, doings = cluster.watch(spread.name), spread.watched()
    spread.create(len(TASKS))
    barrier()
    assert not any("RESTARTING" in watch.states(instance) for instance in EVERYTHING)
    assert doings.all() == spread.by_its_owner("start", *EVERYTHING)


def test_a_restarted_connector_is_asked_for_its_tasks_anew(spread: Spread, cluster: Cluster) -> None:
    """Facts §5.6: if it wants others than before, those run, wherever."""
    watch = cluster.watch(spread.name)
    spread.tallied.want(4)
    expect_empty(cluster.request("POST", spread.path("restart")), 204)
    cluster.wait_for(spread.name, *["RUNNING"] * 5)
    assert watch.configs("commit") == [{"tasks": 4}]
    assert len(cluster.request("GET", spread.path("tasks")).json()) == 4
    for gone in (4, 5):
        eventually(lambda gone=gone: watch.states(gone)[-1:] == [None])  # type: ignore[misc]


# --- restarts of one instance (KIP-52) --------------------------------------------------------------------------------------


def test_the_connector_alone_is_restarted_by_its_owner(
    spread: Spread, asked: Cluster, cluster: Cluster, barrier: Callable[[], None]
) -> None:
    """Whoever is asked; it is over when it is answered. Its tasks on other workers do not notice."""
    watch, doings = cluster.watch(spread.name), spread.watched()
    expect_empty(asked.request("POST", spread.path("restart")), 204)
    assert doings.all() == spread.by_its_owner("stop", CONNECTOR) + spread.by_its_owner("start", CONNECTOR)
    watch.expect_started_anew(CONNECTOR, "RUNNING")
    barrier()
    watch.expect_untouched(*TASKS)
    assert len(doings.all()) == 2
    assert watch.configs("restart-connector") == []


def test_one_task_is_restarted_by_its_owner(
    spread: Spread, asked: Cluster, cluster: Cluster, barrier: Callable[[], None]
) -> None:
    """One on each worker, the leader's own among them."""
    chosen = list({owner: task for task, owner in spread.owners().items() if task != CONNECTOR}.values())
    assert len(chosen) == 3
    watch, doings = cluster.watch(spread.name), spread.watched()
    for task in chosen:
        expect_empty(asked.request("POST", spread.path(f"tasks/{task}/restart")), 204)
    for task in chosen:
        watch.expect_started_anew(task, "RUNNING")
    barrier()
    watch.expect_untouched(*[instance for instance in EVERYTHING if instance not in chosen])
    assert doings.all() == spread.by_its_owner("stop", *chosen) + spread.by_its_owner("start", *chosen)
    for kind in ("restart-connector", "connector", "commit", "task"):
        assert watch.configs(kind) == []


def elsewhere(spread: Spread, trio: Trio) -> int:
    """A task that the leader does not run."""
    leaders = spread.of(trio.leader())
    return next(task for task in TASKS if task not in leaders)


def test_a_task_that_cannot_be_made_is_the_restart_s_failure(spread: Spread, trio: Trio, cluster: Cluster) -> None:
    """Facts §3.11: 500, though another worker than the leader has tried; and its trace is told."""
    task = elsewhere(spread, trio)
    with spread.tallied.failing("make", task):
        expect_error(
            cluster.request("POST", spread.path(f"tasks/{task}/restart")), 500, f"Failed to start task: {spread.name}-{task}"
        )
    eventually(lambda: cluster.states(spread.name)[task] == "FAILED")
    assert f"make {task}: told to fail" in cluster.status(spread.name)["tasks"][task]["trace"]
    expect_empty(cluster.request("POST", spread.path(f"tasks/{task}/restart")), 204)
    cluster.wait_for(spread.name, *["RUNNING"] * 7)


def test_two_who_ask_for_the_same_restart_are_both_answered(spread: Spread, trio: Trio, cluster: Cluster) -> None:
    """Kafka Connect carries out one after another, where KIP-52 would have answered 409 to the second."""
    task, doings = elsewhere(spread, trio), spread.watched()
    with ThreadPoolExecutor(2) as pool:
        with spread.tallied.held("stop", task):
            asking = [pool.submit(cluster.request, "POST", spread.path(f"tasks/{task}/restart")) for _ in range(2)]
            eventually(lambda: doings.count("stop", task) == 1)
        for answer in asking:
            expect_empty(answer.result(), 204)
    cluster.wait_for(spread.name, *["RUNNING"] * 7)
    assert doings.count("start", task) == doings.count("stop", task) in (1, 2)


def test_what_is_not_there_or_runs_nowhere(spread: Spread, asked: Cluster) -> None:
    """Whoever is asked, it is the leader who knows."""
    expect_error(asked.request("POST", "/connectors/nobody/tasks/0/restart"), 404, "Unknown connector: nobody")
    expect_error(asked.request("POST", f"/connectors/nobody/restart{ALL}"), 404, "Unknown connector: nobody")
    expect_error(asked.request("POST", spread.path("tasks/6/restart")), 404, f"Unknown task: {spread.name}-6")
    expect_empty(asked.request("PUT", spread.path("stop")), 204)
    asked.wait_for(spread.name, "STOPPED")
    no_owner = "Cannot complete request momentarily due to no known leader URL, likely because a rebalance was underway."
    eventually(lambda: asked.request("POST", spread.path("tasks/0/restart")).status_code == 409)
    expect_error(asked.request("POST", spread.path("tasks/0/restart")), 409, no_owner)


@pytest.mark.parametrize("what", ["connector", "task"])
def test_who_is_asked_for_what_it_does_not_run_asks_nobody_else(
    spread: Spread, trio: Trio, cluster: Cluster, barrier: Callable[[], None], what: str
) -> None:
    """KIP-52's loop: the instance has moved while the leader's request was on its way. 409, and nothing goes round in circles."""
    instance: Instance = CONNECTOR if what == "connector" else elsewhere(spread, trio)
    owner = spread.owners()[instance]
    stale = next(worker["worker_id"] for worker in trio.group()["workers"] if worker["pid"] != owner)
    action = f"restart_{what}"
    more = {"only_failed": False, "include_tasks": False} if what == "connector" else {"task": instance}
    watch, doings = cluster.watch(spread.name), spread.watched()
    assert forwarded(trio, stale, action, {"connector": spread.name, **more}) == (409, MOVED)
    barrier()
    watch.expect_untouched(*EVERYTHING)
    assert not doings.all()


def forwarded(trio: Trio, worker_id: str, action: str, arguments: dict[str, object]) -> tuple[int, str]:
    """What that worker refuses a request with which the leader has handed on to it."""
    request = uuid.uuid4().hex
    app = Celery(broker=trio.drover.redis_url)
    app.send_task("workers.herder.request", [request, action, arguments, 10.0, True], queue=f"{GROUP}.worker.{worker_id}")
    with redis.Redis.from_url(trio.drover.redis_url) as client:
        answer = client.blpop([f"drover:reply:{request}"], timeout=10)
        assert answer is not None, "no answer"
        # One answer: nobody else had the request.
        assert not client.exists(f"drover:reply:{request}")
    body = answer[1]
    with pytest.raises(HerderError) as refused:
        wire.opened(body if isinstance(body, bytes) else body.encode())
    return refused.value.status, refused.value.message


# --- requests that cannot be carried out now ----------------------------------------------------------------------------------


@contextmanager
def rebalancing(trio: Trio, beacon: Spread) -> Iterator[None]:
    """The group cannot settle: somebody wants to join, and one who has to agree is halted."""
    members = Kafka(trio.drover.bootstrap_servers)
    outsider = members.group_member(GROUP, "outsider", SESSION_TIMEOUT, 1.0, lambda error, partitions: None)
    outsider.subscribe([f"{GROUP}-membership"])

    def refused() -> bool:
        outsider.poll(0.01)
        answer = beacon.cluster.http.post(beacon.path(f"restart{FAILED_ALONE}"))
        return answer.status_code == 409 and answer.json()["message"] == STALE

    def in_the_group() -> bool:
        outsider.poll(0.01)
        return bool(outsider.assignment())

    try:
        with trio.halted(trio.follower()):
            eventually(refused, "A rebalance", seconds=SESSION_TIMEOUT - 1)
            yield
        # Whoever goes before it is in does not say so, and would be waited for.
        eventually(in_the_group)
    finally:
        outsider.close()
    trio.await_healthy()
    eventually(lambda: beacon.cluster.http.post(beacon.path(f"restart{FAILED_ALONE}")).status_code == 202)


def test_during_a_rebalance_restarts_are_refused_and_pauses_are_not(
    spread: Spread, beacon: Spread, trio: Trio, cluster: Cluster, barrier: Callable[[], None]
) -> None:
    """KIP-52, KIP-745: 409 for every restart, nothing is recorded or touched; a pause is accepted, and takes effect everywhere
    once that is over."""
    watch, doings = cluster.watch(spread.name), spread.watched()
    with rebalancing(trio, beacon):
        for path in ("restart", f"restart{ALL}", f"restart{FAILED_ALONE}", "tasks/0/restart"):
            expect_error(cluster.http.post(spread.path(path)), 409, STALE)
        expect_empty(cluster.http.put(spread.path("pause")), 202)
    cluster.wait_for(spread.name, *["PAUSED"] * 7)
    barrier()
    assert watch.configs("restart-connector") == []
    assert not any({"RESTARTING", "RUNNING"} & set(watch.states(instance)) for instance in EVERYTHING)
    assert doings.all() == spread.by_its_owner("stop", CONNECTOR)


def test_a_restart_that_timed_out_is_not_carried_out_later(
    spread: Spread, trio: Trio, cluster: Cluster, other: Cluster, barrier: Callable[[], None]
) -> None:
    """KIP-745: 500 says that the request could not be recorded."""
    watch, doings = cluster.watch(spread.name), spread.watched()
    with trio.halted(trio.leader()):
        expect_error(other.http.post(spread.path(f"restart{ALL}")), 500, "Request timed out")
    barrier()
    assert watch.configs("restart-connector") == []
    watch.expect_untouched(*EVERYTHING)
    assert not doings.all()


# --- pause, resume, stop (KIP-52) ---------------------------------------------------------------------------------------------


def test_a_pause_reaches_every_worker_and_so_does_the_resume(
    spread: Spread, asked: Cluster, cluster: Cluster, other: Cluster, barrier: Callable[[], None]
) -> None:
    """Facts §3.7: the connector is stopped and started, its tasks are held where they are."""
    for verb, state, done in (("pause", "PAUSED", "stop"), ("resume", "RUNNING", "start")):
        watch, doings = cluster.watch(spread.name), spread.watched()
        expect_empty(asked.request("PUT", spread.path(verb)), 202)
        for seen in (cluster, other):
            seen.wait_for(spread.name, *[state] * 7)
        barrier()
        assert [watch.states(instance) for instance in EVERYTHING] == [[state]] * 7
        assert doings.all() == spread.by_its_owner(done, CONNECTOR)


@pytest.mark.parametrize(
    ("query", "stopped", "said"),
    [
        ("", (), [CONNECTOR]),
        (FAILED_ALONE, (), []),
        (ALL, TASKS, list(EVERYTHING)),
        (ALL_FAILED, (), []),
    ],
)
def test_what_is_paused_stays_so(
    spread: Spread, cluster: Cluster, barrier: Callable[[], None], query: str, stopped: tuple[Instance, ...], said: list[Instance]
) -> None:
    """On every worker: nothing is started before the resume, and then once."""
    cluster.request("PUT", spread.path("pause"))
    cluster.wait_for(spread.name, *["PAUSED"] * 7)
    watch, doings = cluster.watch(spread.name), spread.watched()
    assert cluster.request("POST", spread.path(f"restart{query}")).status_code == (202 if query else 204)
    for instance in said:
        watch.expect_restarted(instance, "PAUSED")
    barrier()
    watch.expect_untouched(*[instance for instance in EVERYTHING if instance not in said])
    # The connector has been stopped by the pause.
    assert doings.all() == spread.by_its_owner("stop", *stopped)

    doings = spread.watched()
    cluster.request("PUT", spread.path("resume"))
    cluster.wait_for(spread.name, *["RUNNING"] * 7)
    assert doings.all() == spread.by_its_owner("start", CONNECTOR, *stopped)


@pytest.mark.parametrize(("query", "said"), [("", True), (FAILED_ALONE, False), (ALL, True), (ALL_FAILED, False)])
def test_what_is_stopped_stays_so(spread: Spread, cluster: Cluster, barrier: Callable[[], None], query: str, said: bool) -> None:
    """On every worker: no task comes back."""
    cluster.request("PUT", spread.path("stop"))
    cluster.wait_for(spread.name, "STOPPED")
    eventually(lambda: spread.owners().keys() == {CONNECTOR})
    watch, doings = cluster.watch(spread.name), spread.watched()
    assert cluster.request("POST", spread.path(f"restart{query}")).status_code == (202 if query else 204)
    if said:
        watch.expect_restarted(CONNECTOR, "STOPPED")
    barrier()
    watch.expect_untouched(*(TASKS if said else EVERYTHING))
    assert not doings.all()
    assert cluster.states(spread.name) == {CONNECTOR: "STOPPED"}
