"""The client and the room on a real Apache Kafka Connect, which holds no requests and has to be polled."""

import re
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.test import Client

from connect_client import ConnectClient, ConnectNotFound, ConnectRefused, Listing
from dashboard.alerts import deliver
from dashboard.alerts.decide import QUIET
from dashboard.alerts.watch import Alerts
from dashboard.follow.follower import Follower
from dashboard.jobs import claims
from dashboard.jobs.run import Run
from dashboard.live.publisher import Publisher
from dashboard.models import Alert, Cluster, OffsetChange
from tests.dashboard.alerts.receivers import receiver
from tests.dashboard.offset_pages import Page
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
    cluster = Cluster.objects.create(name="apache", urls=[connect_cluster.url])
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


def test_a_failed_one_is_stopped_and_resumed(room: Client, connect_cluster: ConnectClient, sink: str, tmp_path: Path) -> None:
    cluster = Cluster.objects.create(name="apache", urls=[connect_cluster.url])
    follower = Follower(cluster, connect_cluster, Publisher(NO_REDIS))

    def state() -> tuple[str, list[str]]:
        status = connect_cluster.status(sink)
        # Later than that, so that the page knows it, too.
        follower.step()
        return status.connector.state, [task.state for task in status.tasks]

    def offered() -> list[str]:
        page = room.get(f"/ui/clusters/apache/connectors/{sink}").content.decode()
        return re.findall(r'data-verb="([\w-]+)"', page)

    assert state() == ("RUNNING", ["FAILED"])
    assert "stop" in offered()
    room.post(f"/ui/clusters/apache/do/stop/{sink}")
    eventually(lambda: state() == ("STOPPED", []))
    assert offered() == ["resume"]
    file(tmp_path).parent.mkdir()
    room.post(f"/ui/clusters/apache/do/resume/{sink}")
    eventually(lambda: state() == ("RUNNING", ["RUNNING"]))


def test_offsets_are_altered_and_put_back(room: Client, connect_cluster: ConnectClient, tmp_path: Path) -> None:
    name, input = f"stand-{uuid.uuid4().hex[:6]}", tmp_path / "in.txt"
    input.write_text("one\ntwo\n")
    config = {"connector.class": "FileStreamSource", "tasks.max": "1", "topic": name, "file": str(input)}
    connect_cluster.put_config(name, config)
    eventually(lambda: [at.offset for at in connect_cluster.offsets(name)] == [{"position": 8}])
    connect_cluster.stop(name)
    eventually(lambda: connect_cluster.status(name).connector.state == "STOPPED")
    cluster = Cluster.objects.create(name="apache", urls=[connect_cluster.url])
    Follower(cluster, connect_cluster, Publisher(NO_REDIS)).step()

    page = Page(room, f"/ui/clusters/apache/offsets/{name}", room.get(f"/ui/clusters/apache/connectors/{name}?tab=offsets"))
    assert page.rows() == [[f'{{"filename":"{input}"}}', '{"position":8}']]
    done = page.send(step="review", to_0='{"position": 4}').send(step="apply").follow()
    assert "The offsets for this connector have been altered successfully" in done.text
    assert [at.offset for at in connect_cluster.offsets(name)] == [{"position": 4}]
    refused = done.send(step="review", to_0='{"position": -1}').send(step="apply").follow()
    assert "should be a non-negative value" in refused.text

    change = OffsetChange.objects.earliest("pk")
    room.post(f"/ui/clusters/apache/put-back/{change.pk}/{name}")
    assert [at.offset for at in connect_cluster.offsets(name)] == [{"position": 8}]
    connect_cluster.delete(name)


@pytest.fixture
def three(connect_cluster: ConnectClient, tmp_path: Path) -> list[str]:
    """The names of sinks that have failed."""
    names = [f"job-{uuid.uuid4().hex[:6]}-{number}" for number in range(3)]
    for name in names:
        config = {"connector.class": "FileStreamSink", "tasks.max": "1", "topics": name, "file": str(file(tmp_path / name))}
        connect_cluster.put_config(name, config)
    eventually(lambda: [task.state for name in names for task in connect_cluster.status(name).tasks] == ["FAILED"] * 3)
    return names


def test_jobs(room: Client, connect_cluster: ConnectClient, three: list[str], tmp_path: Path) -> None:
    """What failed is restarted and reported, what fails again with its cause; then the other verbs."""
    cluster = Cluster.objects.create(name="apache", urls=[connect_cluster.url])
    follower = Follower(cluster, connect_cluster, Publisher(NO_REDIS))
    follower.step()

    def carried_out(verb: str, names: list[str]) -> dict[str, dict[str, str]]:
        body = {"verb": verb, "connectors": [{"cluster": "apache", "name": name} for name in names]}
        job = room.post("/api/v1/jobs", body, content_type="application/json").json()["id"]
        assert claims.claim(job, "test", datetime.now(UTC))
        run = Run(job, "test")

        def over() -> bool:
            follower.step()
            return run.step() is None

        eventually(over)
        return {item["connector"]: item for item in room.get(f"/api/v1/jobs/{job}").json()["items"]}

    first, second, broken = three
    for name in (first, second):
        file(tmp_path / name).parent.mkdir(parents=True)
    items = carried_out("restart", three)
    assert [items[name]["state"] for name in three] == ["done", "done", "failed again"]
    assert f"NoSuchFileException: {file(tmp_path / broken)}" in items[broken]["cause"]
    for verb, state in (("pause", "PAUSED"), ("stop", "STOPPED"), ("resume", "RUNNING")):
        assert carried_out(verb, [first])[first]["state"] == "done"
        assert connect_cluster.status(first).connector.state == state
    assert {item["state"] for item in carried_out("delete", three).values()} == {"done"}
    assert not set(three).intersection(connect_cluster.connectors())


def test_log_levels(room: Client, connect_cluster: ConnectClient) -> None:
    name = f"org.example.l{uuid.uuid4().hex[:8]}"
    cluster = Cluster.objects.create(name="apache", urls=[connect_cluster.url])
    Follower(cluster, connect_cluster, Publisher(NO_REDIS)).step()
    here = "/ui/clusters/apache/loggers/"
    assert "of the worker that answered; others may have other levels" in room.get(here).content.decode()

    def level() -> str | None:
        return next((one.level for one in connect_cluster.loggers() if one.name == name), None)

    one = room.post(here, {"logger": name, "level": "DEBUG", "scope": "worker"}).content.decode()
    assert f"Logs {name} at DEBUG." in one
    assert "1 logger changed." in one
    assert level() == "DEBUG"
    every = room.post(here, {"logger": name, "level": "ERROR", "scope": "cluster"}).content.decode()
    assert f"All workers of apache log {name} at ERROR in a moment." in every
    eventually(lambda: level() == "ERROR")
    page = room.get(here).content.decode()
    assert f'data-name="{name}"' in page
    told = room.get("/api/v1/clusters/apache/loggers").json()["loggers"]
    (own,) = [one for one in told if one["name"] == name]
    assert own["level"] == "ERROR"
    assert own["set_at"]


def test_alerts(room: Client, connect_cluster: ConnectClient, sink: str, tmp_path: Path) -> None:
    cluster = Cluster.objects.create(name="apache", urls=[connect_cluster.url])
    follower = Follower(cluster, connect_cluster, Publisher(NO_REDIS))
    with receiver() as hook:
        rule = {"name": "sinks", "states": ["FAILED"], "lasting_seconds": 0, "channel": "webhook", "address": hook.url}
        rule |= {"connectors": sink, "text": "nosuchfileexception"}
        assert room.post("/api/v1/alerts/rules", rule, content_type="application/json").status_code == 201
        watch = Alerts()

        def round() -> list[str]:
            follower.step()
            watch.step()
            for due in deliver.due(datetime.now(UTC)):
                watch.send(due)
            return [one["event"] for one in hook.got]

        eventually(lambda: round() == ["began"])
        told = hook.got[0]["alerts"][0]
        assert (told["connector"], told["state"]) == (sink, "FAILED")
        assert "NoSuchFileException" in told["cause"]
        file(tmp_path).parent.mkdir()
        connect_cluster.restart(sink, only_failed=True)
        eventually(lambda: round() and Alert.objects.exclude(clear_since=None).exists())
        Alert.objects.update(clear_since=datetime.now(UTC) - QUIET)
        eventually(lambda: round() == ["began", "ended"])
