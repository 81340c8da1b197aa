"""The client and the room on a real Apache Kafka Connect, which holds no requests and has to be polled."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client

from connect_client import ConnectClient, ConnectNotFound, ConnectRefused, Listing
from dashboard.follow.follower import Follower
from dashboard.live.publisher import Publisher
from dashboard.models import Cluster
from tests.waiting import eventually

NO_REDIS = "redis://127.0.0.1:1/0"


@pytest.fixture
def sink(connect_cluster: ConnectClient, tmp_path: Path) -> Iterator[str]:
    """The name of a sink whose file's folder does not exist, once it has failed of that."""
    name = f"room {uuid.uuid4().hex[:6]}"
    config = {
        "connector.class": "FileStreamSink",
        "tasks.max": "1",
        "topics": name.replace(" ", "-"),
        "file": str(file(tmp_path)),
    }
    connect_cluster.put_config(name, config)
    eventually(lambda: [task.state for task in connect_cluster.status(name).tasks] == ["FAILED"])
    yield name
    connect_cluster.delete(name)


def file(folder: Path) -> Path:
    return folder / "missing" / "out.txt"


def test_server(connect_cluster: ConnectClient) -> None:
    assert connect_cluster.root().version == "4.3.0"
    assert connect_cluster.health().healthy
    plugins = {plugin.class_name: plugin.type for plugin in connect_cluster.plugins()}
    assert plugins["org.apache.kafka.connect.file.FileStreamSinkConnector"] == "sink"


def test_connector(connect_cluster: ConnectClient, sink: str, tmp_path: Path) -> None:
    entry = connect_cluster.connectors()[sink]
    assert entry.info is not None
    assert entry.info == connect_cluster.connector(sink)
    assert (entry.info.type, entry.info.config) == ("sink", connect_cluster.config(sink))
    assert entry.status is not None
    task = entry.status.tasks[0]
    assert (task.id, task.state, task.version) == (0, "FAILED", "4.3.0")
    assert f"NoSuchFileException: {file(tmp_path)}" in (task.trace or "")


def test_states(connect_cluster: ConnectClient, sink: str, tmp_path: Path) -> None:
    file(tmp_path).parent.mkdir()
    answer = connect_cluster.restart(sink, only_failed=True)
    assert [task.state for task in answer.tasks] == ["RESTARTING"]
    eventually(lambda: connect_cluster.status(sink).tasks[0].state == "RUNNING")
    connect_cluster.pause(sink)
    eventually(lambda: connect_cluster.status(sink).connector.state == "PAUSED")
    connect_cluster.resume(sink)
    eventually(lambda: connect_cluster.status(sink).connector.state == "RUNNING")
    connect_cluster.restart_task(sink, 0)
    connect_cluster.stop(sink)
    eventually(lambda: connect_cluster.status(sink).connector.state == "STOPPED")


def test_refusals(connect_cluster: ConnectClient) -> None:
    with pytest.raises(ConnectNotFound, match="No status found for connector nobody"):
        connect_cluster.status("nobody")
    with pytest.raises(ConnectNotFound, match="Unknown connector: nobody"):
        connect_cluster.restart("nobody", only_failed=True)
    with pytest.raises(ConnectRefused, match="contains no connector type") as refusal:
        connect_cluster.create("nobody", {})
    assert (refusal.value.status, refusal.value.error_code) == (400, 400)


def test_it_does_not_tell_its_workers(connect_cluster: ConnectClient) -> None:
    with pytest.raises(ConnectNotFound):
        connect_cluster.workers()


def test_following_has_to_poll(connect_cluster: ConnectClient, sink: str) -> None:
    listing = connect_cluster.changes(None, 20)
    assert isinstance(listing, Listing)
    assert (listing.holds, listing.etag) == (False, None)
    assert sink in listing.connectors()


def test_one_press_restarts_what_failed(room: Client, connect_cluster: ConnectClient, sink: str, tmp_path: Path) -> None:
    cluster = Cluster.objects.create(name="apache", url=connect_cluster.url)
    follower = Follower(cluster, connect_cluster, Publisher(NO_REDIS))
    address = f"/ui/clusters/apache/connectors/{sink}"

    def page() -> str:
        follower.step()
        return room.get(address).content.decode()

    assert 'data-state="FAILED"' in page()
    assert f"java.nio.file.NoSuchFileException: {file(tmp_path)}" in page()

    file(tmp_path).parent.mkdir()
    pressed = room.post(f"/ui/clusters/apache/do/restart-failed/{sink}", headers={"HX-Request": "true"})
    assert 'data-state="RESTARTING"' in pressed.content.decode()
    eventually(lambda: 'data-state="RUNNING"' in (shown := page()) and 'data-state="RESTARTING"' not in shown)
