"""The lives of resources on clusters that are real, each on Drover and on Apache Kafka Connect: Strimzi's checklist, as far as it
needs no Kubernetes. What takes a cluster that fails in the right moment is in the modules beside, on clusters in memory."""

import json
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from connect_client import ConnectClient
from dashboard.follow.follower import Follower
from dashboard.models import Activity, AutoRestart, Cluster, Resource, RestartPolicy
from dashboard.resources import apply, claims, documents
from dashboard.resources.run import Pass
from dashboard.restarting.decide import Pace
from dashboard.restarting.runner import Restarting
from tests.dashboard.conftest import Notebook
from tests.dashboard.resources.conftest import WHO, annotate, put, ready
from tests.running import RunningDrover
from tests.topics import create_topic, produce
from tests.waiting import eventually, patiently

SOURCE = "org.apache.kafka.connect.file.FileStreamSourceConnector"
SINK = "org.apache.kafka.connect.file.FileStreamSinkConnector"
# A second for a minute.
PACE = Pace(minute=timedelta(seconds=1), settle=timedelta(seconds=0.5), note=timedelta(seconds=0.2), gap=timedelta(seconds=1))


@pytest.fixture(scope="module")
def drover_cluster(drover: RunningDrover) -> Iterator[ConnectClient]:
    with ConnectClient(drover.url) as client:
        yield client


@pytest.fixture(scope="module", params=["drover", "connect"])
def connect(request: pytest.FixtureRequest) -> ConnectClient:
    found: ConnectClient = request.getfixturevalue(f"{request.param}_cluster")
    return found


@pytest.fixture
def cluster(connect: ConnectClient, db: None) -> Cluster:
    return Cluster.objects.create(name="real", urls=[connect.url])


@pytest.fixture
def unique() -> str:
    return uuid.uuid4().hex[:6]


@pytest.fixture
def name(connect: ConnectClient, unique: str) -> Iterator[str]:
    """Of a connector, and the beginning of others' names. None of them is left."""
    name = f"resource-{unique}"
    yield name
    clear(connect, name)


def clear(connect: ConnectClient, prefix: str) -> None:
    for one in connect.connectors():
        if one.startswith(prefix):
            connect.delete(one)


def passes() -> None:
    """Over everything that is due or not, once."""
    for resource in Resource.objects.exclude(kind="configmap"):
        Resource.objects.filter(pk=resource.pk).update(due_at=datetime.now(UTC))
        assert claims.claim(resource.pk, "me", datetime.now(UTC))
        Pass(resource.pk, "me").work()


def status(name: str) -> dict[str, Any]:
    """After one more pass."""
    passes()
    found: dict[str, Any] = Resource.objects.get(kind="kafkaconnector", name=name).status
    return found


def becomes(name: str, connector: str, *tasks: str) -> dict[str, Any]:
    def told() -> dict[str, Any] | None:
        found = status(name)
        seen = found.get("connectorStatus", {"connector": {"state": ""}, "tasks": []})
        states = seen["connector"]["state"], *[task["state"] for task in seen["tasks"]]
        return found if states == (connector, *tasks) else None

    found = eventually(told, 60, f"{name} is {connector} {tasks}")
    assert found
    return found


def done() -> list[str]:
    """By the reconciler, in order; what a rebalance refused came after all."""
    own = Activity.objects.exclude(via="api").filter(outcome="done")
    return list(own.order_by("pk").values_list("verb", flat=True))


Source = Callable[..., Resource]


@pytest.fixture
def source(cluster: Cluster, name: str, tmp_path: Path) -> Source:
    file = tmp_path / "in.txt"
    file.write_text("one\ntwo\n")

    def source(class_name: str = "FileStreamSource", **spec: Any) -> Resource:
        config = {"file": str(file), "topic": name, **spec.pop("config", {})}
        return put(name, cluster="real", spec={"class": class_name, "tasksMax": 1, "config": config, **spec})

    return source


def test_a_life(source: Source, connect: ConnectClient, name: str, tmp_path: Path) -> None:
    source()
    found = becomes(name, "RUNNING", "RUNNING")
    assert (ready(found), found["tasksMax"]) == (["Ready"], 1)
    expected = {
        "connector.class": "FileStreamSource",
        "file": str(tmp_path / "in.txt"),
        "tasks.max": "1",
        "topic": name,
        "name": name,
    }
    assert connect.config(name) == expected
    eventually(lambda: status(name)["topics"] == [name], what="its topic is known")

    passes()
    assert done() == ["create"], "and nothing else"

    source(config={"batch.size": 7})
    becomes(name, "RUNNING", "RUNNING")
    eventually(lambda: connect.config(name) == {**expected, "batch.size": "7"})

    # Kafka Connect tells the new config a moment after it has taken it.
    patiently(lambda: connect.put_config(name, {**expected, "batch.size": "8"}))
    drift: Any = eventually(lambda: status(name).get("drift"))
    assert drift[0]["keys"] == ["batch.size"]
    eventually(lambda: status(name) and connect.config(name)["batch.size"] == "7", what="it is put back")
    assert done() == ["create", "config", "config"]


def test_states(source: Source, connect: ConnectClient, name: str) -> None:
    source()
    becomes(name, "RUNNING", "RUNNING")
    source(state="paused")
    assert ready(becomes(name, "PAUSED", "PAUSED")) == ["Ready"]
    source(state="stopped")
    assert ready(becomes(name, "STOPPED")) == ["Ready"]
    source()
    assert ready(becomes(name, "RUNNING", "RUNNING")) == ["Ready"]
    assert done() == ["create", "pause", "stop", "resume"], "each asked for once"


def test_nothing_is_written_while_it_is_paused_or_stopped(
    connect: ConnectClient, cluster: Cluster, kafka: str, name: str, tmp_path: Path
) -> None:
    copy = tmp_path / "out.txt"

    def sink(**state: str) -> None:
        put(name, cluster="real", spec={"class": SINK, "config": {"topics": name, "file": str(copy)}, **state})

    produce(kafka, name, (None, "one"))
    sink()
    becomes(name, "RUNNING", "RUNNING")
    eventually(lambda: copy.read_text() == "one\n", 60, "the first record is written")
    for state, tasks, record in (("paused", ("PAUSED",), "two"), ("stopped", (), "three")):
        sink(state=state)
        becomes(name, state.upper(), *tasks)
        before = copy.read_text()
        produce(kafka, name, (None, record))
        passes()
        assert copy.read_text() == before
        sink()
        becomes(name, "RUNNING", "RUNNING")
        wanted = f"{before}{record}\n"
        eventually(lambda wanted=wanted: copy.read_text() == wanted, 60, "what came meanwhile is written")  # type: ignore[misc]


def test_the_number_of_tasks(connect: ConnectClient, cluster: Cluster, name: str, tmp_path: Path) -> None:
    for tasks in (1, 3, 2):
        config = {"topics": name, "file": str(tmp_path / "out.txt")}
        put(name, cluster="real", spec={"class": SINK, "tasksMax": tasks, "config": config})
        found = becomes(name, "RUNNING", *["RUNNING"] * tasks)
        assert (ready(found), found["tasksMax"], connect.config(name)["tasks.max"]) == (["Ready"], tasks, str(tasks))
    assert done() == ["create", "config", "config"]


def test_the_same_in_another_order_is_no_change(source: Source, connect: ConnectClient, name: str) -> None:
    orders = source(config={"batch.size": "7"})
    becomes(name, "RUNNING", "RUNNING")
    spec = documents.body_of(orders)
    put(name, cluster="real", spec={**spec, "config": dict(reversed(spec["config"].items()))})
    assert ready(status(name)) == ["Ready"]
    assert done() == ["create"]


def test_while_its_reconciliation_is_paused(source: Source, connect: ConnectClient, name: str) -> None:
    orders = source()
    becomes(name, "RUNNING", "RUNNING")
    annotate(orders, pause_reconciliation="true")
    source(state="stopped")
    assert ready(status(name)) == ["ReconciliationPaused"]
    assert connect.status(name).connector.state == "RUNNING"
    annotate(orders, pause_reconciliation="false")
    assert ready(becomes(name, "STOPPED")) == ["Ready"]
    assert done() == ["create", "stop"]


def test_another_cluster(
    source: Source, connect: ConnectClient, name: str, drover_cluster: ConnectClient, connect_cluster: ConnectClient
) -> None:
    there = drover_cluster if connect is connect_cluster else connect_cluster
    Cluster.objects.create(name="there", urls=[there.url])
    orders = source()
    becomes(name, "RUNNING", "RUNNING")
    put(name, cluster="there", spec=documents.body_of(orders))
    try:
        assert ready(becomes(name, "RUNNING", "RUNNING")) == ["Ready"]
        assert name in there.connectors()
        eventually(lambda: name not in connect.connectors(), what="it is gone")
    finally:
        clear(there, name)


@pytest.mark.parametrize("state", ["paused", "stopped"])
def test_created_in_a_state(state: str, source: Source, name: str) -> None:
    source(state=state)
    eventually(lambda: status(name)["connectorStatus"]["connector"]["state"] == state.upper())
    assert done() == ["create"]


@pytest.mark.parametrize(
    "annotation",
    [
        {"restart": "true"},
        {"restart": "includeTasks"},
        {"restart": "onlyFailed"},
        {"restart": "includeTasks,onlyFailed"},
        {"restart_task": "0"},
    ],
)
def test_restarts(annotation: dict[str, str], source: Source, name: str) -> None:
    orders = source()
    becomes(name, "RUNNING", "RUNNING")
    annotate(orders, **annotation)
    found = becomes(name, "RUNNING", "RUNNING")
    assert ready(found) == ["Ready"]
    assert not orders.annotations.exists()
    assert done() == ["create", "restart"]


def test_a_task_that_is_not_there(source: Source, name: str) -> None:
    orders = source()
    becomes(name, "RUNNING", "RUNNING")
    annotate(orders, restart_task="7")
    told = ready(status(name))
    assert told[0] == "Ready"
    assert told[1].startswith(f"Warning RestartConnectorTask Failed to restart connector task {name}:7. POST /connectors/{name}")
    assert orders.annotations.count() == 1


def test_offsets(source: Source, connect: ConnectClient, name: str) -> None:
    maps = {"listOffsets": {"toConfigMap": {"name": "at"}}, "alterOffsets": {"fromConfigMap": {"name": "at"}}}
    orders = source(**maps)
    becomes(name, "RUNNING", "RUNNING")
    eventually(lambda: connect.offsets(name), what="it has read the file")
    annotate(orders, connector_offsets="alter")
    assert "is not in STOPPED state" in ready(status(name))[1]

    source(state="stopped", **maps)
    becomes(name, "STOPPED")
    annotate(orders, connector_offsets="list")
    assert ready(status(name)) == ["Ready"]
    told = json.loads(_data()["offsets.json"])
    assert [one["offset"] for one in told["offsets"]] == [{"position": 8}]

    told["offsets"][0]["offset"] = {"position": 4}
    put("at", "configmap", cluster="real", data={"offsets.json": json.dumps(told)})
    annotate(orders, connector_offsets="alter")
    assert ready(status(name)) == ["Ready"]
    assert [one.offset for one in connect.offsets(name)] == [{"position": 4}]

    annotate(orders, connector_offsets="reset")
    assert ready(status(name)) == ["Ready"]
    assert connect.offsets(name) == []
    assert not orders.annotations.exists()


def _data() -> dict[str, str]:
    found: dict[str, str] = documents.body_of(Resource.objects.get(kind="configmap", name="at"))
    return found


def test_a_class_that_is_not_there(source: Source, connect: ConnectClient, name: str) -> None:
    source("ThisConnectorDoesNotExist")
    (told,) = ready(status(name))
    assert told.startswith("NotReady ConnectRestException POST /connectors returned ")
    text = "Failed to find any class that implements Connector and which name matches ThisConnectorDoesNotExist"
    assert text in told
    assert name not in connect.connectors()


def test_a_version_goes_into_the_config(source: Source, connect: ConnectClient, name: str) -> None:
    source(config={"connector.plugin.version": "0.1", "tasks.max": "9"})
    found = becomes(name, "RUNNING", "RUNNING")
    assert [one.split()[1] for one in ready(found)[1:]] == ["ForbiddenConfigKeys"]
    assert connect.config(name)["tasks.max"] == "1"
    assert "connector.plugin.version" not in connect.config(name)


def test_a_task_that_has_failed(cluster: Cluster, name: str, tmp_path: Path) -> None:
    config = {"topics": name, "file": str(tmp_path / "missing" / "out.txt")}
    put(name, cluster="real", spec={"class": SINK, "tasksMax": 1, "config": config})
    found = becomes(name, "RUNNING", "FAILED")
    assert ready(found) == ["NotReady Throwable The following tasks have failed: 0, see connectorStatus for more details."]
    assert found["connectorStatus"]["tasks"][0]["trace"]


def test_it_is_restarted_by_itself_given_up_and_mended_by_an_annotation(
    connect: ConnectClient, cluster: Cluster, name: str, tmp_path: Path
) -> None:
    # What the document says counts where no policy is, so that nothing else of the cluster is restarted.
    RestartPolicy.objects.all().delete()
    folder = tmp_path / "missing"
    config = {"topics": name, "file": str(folder / "out.txt")}
    sink = put(name, cluster="real", spec={"class": SINK, "tasksMax": 1, "config": config, "autoRestart": {"maxRestarts": 1}})
    becomes(name, "RUNNING", "FAILED")
    follower, runner = Follower(cluster, connect, Notebook()), Restarting(PACE)

    def given_up() -> bool:
        follower.step()
        runner.step()
        return AutoRestart.objects.exclude(gave_up_at=None).exists()

    eventually(given_up, 60, "it is given up")
    told = status(name)["autoRestart"]
    assert (told["count"], told["connectorName"]) == (1, name)
    assert told["lastRestartTimestamp"] < told["gaveUpTimestamp"]
    folder.mkdir()
    annotate(sink, restart="includeTasks,onlyFailed")
    assert ready(becomes(name, "RUNNING", "RUNNING")) == ["Ready"]
    assert not sink.annotations.exists()
    assert "gaveUpTimestamp" not in status(name).get("autoRestart", {})


def test_a_deletion(source: Source, connect: ConnectClient, name: str) -> None:
    orders = source()
    becomes(name, "RUNNING", "RUNNING")
    apply.delete(orders, WHO)
    passes()
    assert not Resource.objects.exists()
    # Its status goes a moment after it.
    eventually(lambda: name not in connect.connectors(), what="it is gone")


@pytest.fixture
def mirrors(connect: ConnectClient, cluster: Cluster, kafka: str, unique: str) -> Iterator[Callable[..., Resource]]:
    """From a Kafka to itself, where the copies have names of their own. The topic has three partitions."""
    topic = f"lines-{unique}"
    create_topic(kafka, topic, 3)

    def mirrors(bootstrap_servers: str = kafka, **source: Any) -> Resource:
        once = {"replication.factor": 1, "offset-syncs.topic.replication.factor": 1, "sync.topic.acls.enabled": "false"}
        clusters = [{"alias": f"a{unique}", "bootstrapServers": bootstrap_servers}, {"alias": "b", "bootstrapServers": kafka}]
        mirror = {
            "sourceCluster": f"a{unique}",
            "targetCluster": "b",
            "topicsPattern": topic,
            "sourceConnector": {"tasksMax": 3, "config": once, **source},
        }
        return put("mm2", "kafkamirrormaker2", cluster="real", spec={"clusters": clusters, "mirrors": [mirror]})

    yield mirrors
    clear(connect, f"a{unique}->b.")


def copies(*wanted: str) -> dict[str, Any]:
    """The status of the mirror, once its connector and its tasks are as they are wanted."""

    def told() -> dict[str, Any] | None:
        passes()
        found: dict[str, Any] = Resource.objects.get(name="mm2").status
        states = [(one["connector"]["state"], *[task["state"] for task in one["tasks"]]) for one in found.get("connectors", ())]
        return found if states == [wanted] else None

    found = eventually(told, 60, f"the mirror is {wanted}")
    assert found
    return found


def test_a_mirror_maker(mirrors: Callable[..., Resource], connect: ConnectClient, kafka: str, unique: str) -> None:
    connector = f"a{unique}->b.MirrorSourceConnector"
    offsets = {"listOffsets": {"toConfigMap": {"name": "at"}}}
    mm2 = mirrors(**offsets)
    running = ["RUNNING"] * 4
    assert ready(copies(*running)) == ["Ready"]
    annotate(mm2, restart_connector_task=f"{connector}:2")
    assert ready(copies(*running)) == ["Ready"]
    (restart,) = Activity.objects.filter(verb="restart")
    assert (restart.connector, restart.task, restart.outcome) == (connector, 2, "done")
    annotate(mm2, restart_connector=f"{connector}:includeTasks")
    assert ready(copies(*running)) == ["Ready"]
    annotate(mm2, restart_connector_task=f"{connector}:7")
    assert ready(copies(*running))[1].startswith(f"Warning RestartConnectorTask Failed to restart connector task {connector}:7.")
    annotate(mm2, restart_connector_task=None)

    produce(kafka, f"lines-{unique}", (None, "one"), partition=1)
    eventually(lambda: connect.offsets(connector), 60, "it has copied it")
    annotate(mm2, connector_offsets="list", mirrormaker_connector=connector)
    assert ready(copies(*running)) == ["Ready"]
    told = json.loads(_data()[f"a{unique}--b.MirrorSourceConnector.json"])
    assert [one["offset"] for one in told["offsets"]] == [{"offset": 0}]

    mirrors(state="paused", **offsets)
    assert ready(copies(*["PAUSED"] * 4)) == ["Ready"]
    mirrors(state="stopped", **offsets)
    assert ready(copies("STOPPED")) == ["Ready"]
    annotate(mm2, connector_offsets="reset", mirrormaker_connector=connector)
    assert ready(copies("STOPPED")) == ["Ready"]
    assert connect.offsets(connector) == []
    assert not mm2.annotations.exists()


def test_a_mirror_maker_that_cannot_start(mirrors: Callable[..., Resource]) -> None:
    mirrors("nobody.invalid:9092")
    found = copies("FAILED")
    assert ready(found) == ["NotReady Throwable One or more connectors are in FAILED state"]
    mirrors("nobody.invalid:9092", state="paused")
    assert ready(copies("FAILED"))[0].startswith("NotReady")
    assert "pause" not in done(), "what has failed is not paused"
    mirrors(state="running")
    assert ready(copies(*["RUNNING"] * 4)) == ["Ready"]
