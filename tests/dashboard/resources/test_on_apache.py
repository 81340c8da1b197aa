"""The life of a resource on a real Apache Kafka Connect: Strimzi's checklist of integration tests."""

import json
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from connect_client import ConnectClient
from dashboard.models import Activity, Cluster, Resource
from dashboard.resources import apply, claims, documents
from dashboard.resources.run import Pass
from tests.dashboard.resources.conftest import WHO, annotate, put, ready
from tests.waiting import eventually

SOURCE = "org.apache.kafka.connect.file.FileStreamSourceConnector"
SINK = "org.apache.kafka.connect.file.FileStreamSinkConnector"


@pytest.fixture
def connect(connect_cluster: ConnectClient) -> ConnectClient:
    return connect_cluster


@pytest.fixture
def cluster(connect: ConnectClient, db: None) -> Cluster:
    return Cluster.objects.create(name="real", urls=[connect.url])


@pytest.fixture
def name(connect: ConnectClient) -> Iterator[str]:
    name = f"resource-{uuid.uuid4().hex[:6]}"
    yield name
    if name in connect.connectors():
        connect.delete(name)


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
    assert connect.config(name) == {**expected, "batch.size": "7"}

    connect.put_config(name, {**expected, "batch.size": "8"})
    assert status(name)["drift"][0]["keys"] == ["batch.size"]
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


def test_a_class_that_is_not_there(source: Source, name: str) -> None:
    source("ThisConnectorDoesNotExist")
    (told,) = ready(status(name))
    assert told.startswith("NotReady ConnectRestException POST /connectors returned ")
    text = "Failed to find any class that implements Connector and which name matches ThisConnectorDoesNotExist"
    assert text in told


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


def test_a_deletion(source: Source, connect: ConnectClient, name: str) -> None:
    orders = source()
    becomes(name, "RUNNING", "RUNNING")
    apply.delete(orders, WHO)
    passes()
    assert not Resource.objects.exists()
    # Its status goes a moment after it.
    eventually(lambda: name not in connect.connectors(), what="it is gone")
