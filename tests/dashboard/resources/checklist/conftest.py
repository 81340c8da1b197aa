"""Strimzi's checklist (docs/strimzi-checklist.md): resources on clusters that are real. Each test here runs on Drover and on
Apache Kafka Connect, behind a proxy that counts what they are asked for and fails where a test tells it to; nothing else is made
up."""

import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from connect_client import ConnectClient, Listing
from dashboard.follow.recorder import Recorder
from dashboard.models import Cluster, Resource, RestartPolicy
from dashboard.resources import claims
from dashboard.resources.run import Pass
from dashboard.restarting.decide import Pace
from dashboard.restarting.runner import Restarting
from tests.dashboard.resources.conftest import put
from tests.proxy import Proxy, proxying
from tests.running import RunningDrover
from tests.waiting import eventually

SOURCE = "org.apache.kafka.connect.file.FileStreamSourceConnector"
SINK = "org.apache.kafka.connect.file.FileStreamSinkConnector"
MIRROR = "org.apache.kafka.connect.mirror.MirrorSourceConnector"


@pytest.fixture(scope="module")
def drover_cluster(drover: RunningDrover) -> Iterator[ConnectClient]:
    with ConnectClient(drover.url) as client:
        yield client


@pytest.fixture(scope="module", params=["drover", "connect"])
def connect(request: pytest.FixtureRequest) -> ConnectClient:
    """The cluster itself, for those who change something behind the control room's back."""
    found: ConnectClient = request.getfixturevalue(f"{request.param}_cluster")
    return found


@pytest.fixture
def proxy(connect: ConnectClient) -> Iterator[Proxy]:
    with proxying(connect.url) as proxy:
        yield proxy


@pytest.fixture
def cluster(proxy: Proxy, db: None) -> Cluster:
    """As the control room reaches it."""
    return Cluster.objects.create(name="real", urls=[proxy.url])


@pytest.fixture
def elsewhere(
    connect: ConnectClient, drover_cluster: ConnectClient, connect_cluster: ConnectClient, name: str, db: None
) -> Iterator[Proxy]:
    """The other of the two, as the control room reaches it under this name."""
    other = drover_cluster if connect is connect_cluster else connect_cluster
    with proxying(other.url) as proxy:
        Cluster.objects.create(name="elsewhere", urls=[proxy.url])
        yield proxy
    clear(other, name)


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


Source = Callable[..., Resource]


@pytest.fixture
def source(cluster: Cluster, name: str, tmp_path: Path) -> Source:
    file = tmp_path / "in.txt"
    file.write_text("one\ntwo\n")

    def source(class_name: str = "FileStreamSource", **spec: Any) -> Resource:
        config = {"file": str(file), "topic": name, **spec.pop("config", {})}
        return put(name, cluster="real", spec={"class": class_name, "tasksMax": 1, "config": config, **spec})

    return source


@pytest.fixture
def failing(cluster: Cluster, name: str) -> Source:
    """One whose connector instance fails whenever it is started: there is nobody at the address."""

    def failing(**spec: Any) -> Resource:
        config = {
            "source.cluster.alias": "a",
            "target.cluster.alias": "b",
            "source.cluster.bootstrap.servers": "nobody.invalid:9092",
            "target.cluster.bootstrap.servers": "nobody.invalid:9092",
        }
        return put(name, cluster="real", spec={"class": MIRROR, "tasksMax": 1, "config": config, **spec})

    return failing


def passes(ahead: timedelta = timedelta()) -> None:
    """Over everything that is due or not, once; as if it were so much later."""

    def clock() -> datetime:
        return datetime.now(UTC) + ahead

    for resource in Resource.objects.exclude(kind="configmap"):
        Resource.objects.filter(pk=resource.pk).update(due_at=datetime.now(UTC))
        assert claims.claim(resource.pk, "me", datetime.now(UTC))
        Pass(resource.pk, "me", clock).work()


def status(name: str, ahead: timedelta = timedelta()) -> dict[str, Any]:
    """After one more pass."""
    passes(ahead)
    return told(name)


def told(name: str) -> dict[str, Any]:
    """After the last pass."""
    found: dict[str, Any] = Resource.objects.get(kind="kafkaconnector", name=name).status
    return found


def becomes(name: str, connector: str, *tasks: str) -> dict[str, Any]:
    """Its status, once the connector and its tasks are in these states."""

    def so() -> dict[str, Any] | None:
        found = status(name)
        seen = found.get("connectorStatus", {"connector": {"state": ""}, "tasks": []})
        states = seen["connector"]["state"], *[task["state"] for task in seen["tasks"]]
        return found if states == (connector, *tasks) else None

    found = eventually(so, f"{name} is {connector} {tasks}")
    assert found
    return found


# --- automatic restart ------------------------------------------------------------------------------------------------

# A second for a minute.
MINUTE = timedelta(seconds=1)
_PACE = Pace(minute=MINUTE, settle=timedelta(seconds=0.5), note=timedelta(seconds=0.2), gap=timedelta(seconds=1))

Look = Callable[[], None]


@pytest.fixture
def look(cluster: Cluster, connect: ConnectClient) -> Look:
    """The follower lists the connectors, without waiting for a change of them, and the restarter looks at those whose documents
    say that they are restarted: there are others in the cluster."""
    RestartPolicy.objects.all().delete()
    recorder, runner = Recorder(cluster), Restarting(_PACE)
    recorder.reached(connect.root().version, datetime.now(UTC))

    def look() -> None:
        listing = connect.changes(None, 0)
        assert isinstance(listing, Listing)
        recorder.listing(listing.entries, datetime.now(UTC))
        # Also of a list that is as it was, which is noted but sometimes.
        recorder.reached(None, datetime.now(UTC))
        runner.step()

    return look


def until(so: Callable[[], object], look: Look, what: str) -> None:
    def looked() -> bool:
        look()
        return bool(so())

    eventually(looked, what)
