"""The `drover` command over Drover and a real Apache Kafka Connect, by way of a control room that really runs."""

import json
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from connect_client import ConnectClient
from tests import terminal
from tests.browser.paper import registered
from tests.conformance.tail import Tail
from tests.room import Room
from tests.running import PROJECT, RunningDrover
from tests.topics import create_topic
from tests.two_clusters import HOPELESS, Apache, Side, apache_connect, failed_sides
from tests.waiting import eventually

DROVER, APACHE = "local", "away"
SOURCE = "org.apache.kafka.connect.file.FileStreamSourceConnector"


@dataclass(frozen=True)
class Command:
    """As somebody calls it, who may do everything."""

    environment: dict[str, str]

    def __call__(self, *words: str, code: int = 0, stdin: str = "") -> str:
        """What it writes to stdout."""
        done = subprocess.run(
            terminal.command(*words),
            cwd=PROJECT,
            env=self.environment,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
        assert done.returncode == code, f"{done.returncode}, not {code}:\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def applied(self, kind: str, name: str, cluster: str, spec: dict[str, Any]) -> None:
        document = {
            "apiVersion": "kafka.strimzi.io/v1",
            "kind": kind,
            "metadata": {"name": name, "labels": {"strimzi.io/cluster": cluster}},
            "spec": spec,
        }
        self("apply", "-f", "-", "--yes", stdin=yaml.safe_dump(document))

    def annotations(self, name: str) -> dict[str, str]:
        (document,) = (one for one in json.loads(self("get", "resources", name, "-o", "json")))
        found: dict[str, str] = document["metadata"].get("annotations", {})
        return found


@pytest.fixture(scope="module")
def room(drover: RunningDrover) -> Iterator[Room]:
    room = Room(drover)
    yield room
    room.close()


@pytest.fixture(scope="module")
def command(drover: RunningDrover, room: Room, tmp_path_factory: pytest.TempPathFactory) -> Command:
    home = str(tmp_path_factory.mktemp("home"))
    told = {"DROVER_URL": drover.url, "DROVER_TOKEN": room.token(), "XDG_CONFIG_HOME": home}
    return Command(terminal.environment(**told))


@pytest.fixture(scope="module")
def apache(kafka: str, drover: RunningDrover, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Apache]:
    folder = tmp_path_factory.mktemp("away")
    with apache_connect(kafka, folder) as apache, registered(drover, APACHE, apache.client.url):
        yield apache


@dataclass(frozen=True)
class There:
    """A cluster, and the topic into which it writes each state that something comes into."""

    name: str
    client: ConnectClient
    statuses: Tail

    def comings(self, instance: str) -> int:
        """How often it has come to be RUNNING."""
        told = self.statuses.records(f"status-{instance}")
        return sum(one is not None and one["state"] == "RUNNING" for one in told)

    def becomes(self, name: str, *states: str) -> None:
        def so() -> bool:
            status = self.client.status(name)
            return (status.connector.state, *[task.state for task in status.tasks]) == states

        eventually(so, f"{name} {states}")


@pytest.fixture(params=[DROVER, APACHE])
def there(request: pytest.FixtureRequest, kafka: str, client: ConnectClient, apache: Apache) -> Iterator[There]:
    topic = "connect-status" if request.param == DROVER else f"{apache.group}-status"
    tail = Tail(kafka, topic)
    yield There(request.param, client if request.param == DROVER else apache.client, tail)
    tail.close()


Applied = Callable[[str, str, str, dict[str, Any]], None]


@pytest.fixture
def applied(command: Command, room: Room) -> Iterator[Applied]:
    """Applies a document. It goes at the end, and its connectors with it."""
    names: list[tuple[str, str]] = []

    def applied(kind: str, name: str, cluster: str, spec: dict[str, Any]) -> None:
        names.append((kind, name))
        command.applied(kind, name, cluster, spec)

    yield applied
    for kind, name in names:
        metadata = {"kind": kind, "metadata": {"name": name}}
        command("delete", "-f", "-", "--yes", stdin=yaml.safe_dump({"apiVersion": "kafka.strimzi.io/v1", **metadata}))
        eventually(lambda name=name: name not in command("get", "resources", "-o", "name"))  # type: ignore[misc]


def source(folder: Path, topic: str) -> dict[str, Any]:
    file = folder / "in.txt"
    file.write_text("one\n")
    return {"class": SOURCE, "tasksMax": 1, "config": {"file": str(file), "topic": topic}}


def restarts(room: Room, connector: str) -> list[dict[str, Any]]:
    told = room.get(f"activity?connector={connector}&verb=restart&outcome=done")
    return list(told["activity"])


def test_a_connector_is_restarted_by_an_annotation(
    command: Command, room: Room, there: There, applied: Applied, unique: str, tmp_path: Path
) -> None:
    name = f"my-source-{unique}"
    applied("KafkaConnector", name, there.name, source(tmp_path, name))
    there.becomes(name, "RUNNING", "RUNNING")
    before = there.comings(f"connector-{name}")
    said = command("annotate", "kafkaconnector", name, "strimzi.io/restart=true")
    assert said == f"kafkaconnector/{name} annotated\n"
    eventually(lambda: command.annotations(name) == {}, "the annotation is gone")
    eventually(lambda: there.comings(f"connector-{name}") == before + 1, "it is restarted")
    there.becomes(name, "RUNNING", "RUNNING")
    assert there.comings(f"task-{name}-0") == 1, "the connector alone"
    assert len(restarts(room, name)) == 1


def test_exactly_that_task_is_restarted(
    command: Command, room: Room, there: There, applied: Applied, kafka: str, unique: str
) -> None:
    alias, topic = f"a{unique}", f"lines-{unique}"
    connector = f"{alias}->b.MirrorSourceConnector"
    create_topic(kafka, topic, 3)
    once = {"replication.factor": 1, "offset-syncs.topic.replication.factor": 1, "sync.topic.acls.enabled": False}
    clusters = [{"alias": alias, "bootstrapServers": kafka}, {"alias": "b", "bootstrapServers": kafka}]
    mirror = {"sourceCluster": alias, "targetCluster": "b", "topicsPattern": topic}
    spec = {"clusters": clusters, "mirrors": [{**mirror, "sourceConnector": {"tasksMax": 3, "config": once}}]}
    applied("KafkaMirrorMaker2", f"mm2-{unique}", there.name, spec)
    there.becomes(connector, *["RUNNING"] * 4)
    instances = [f"connector-{connector}", *(f"task-{connector}-{task}" for task in range(3))]
    before = [there.comings(instance) for instance in instances]
    command("annotate", "kmm2", f"mm2-{unique}", f"strimzi.io/restart-connector-task={connector}:2")
    eventually(lambda: command.annotations(f"mm2-{unique}") == {}, "the annotation is gone")
    after = [*before[:3], before[3] + 1]
    eventually(lambda: [there.comings(instance) for instance in instances] == after, "task 2 is restarted, and only that")
    there.becomes(connector, *["RUNNING"] * 4)
    (restart,) = restarts(room, alias)
    assert (restart["connector"], restart["task"]) == (connector, 2)


def contact(command: Command, cluster: str) -> str:
    found = {one["name"]: one["contact"] for one in json.loads(command("get", "clusters", "-o", "json"))}
    return str(found[cluster])


def test_an_annotation_waits_for_its_cluster(
    command: Command, room: Room, apache: Apache, applied: Applied, unique: str, tmp_path: Path
) -> None:
    name = f"waiting-{unique}"
    applied("KafkaConnector", name, APACHE, source(tmp_path, name))
    eventually(lambda: apache.client.status(name).connector.state == "RUNNING")
    apache.kill()
    eventually(lambda: contact(command, APACHE) == "unreachable", "its cluster is gone")
    command("annotate", "kafkaconnector", name, "strimzi.io/restart=includeTasks")

    def waits() -> bool:
        (document,) = json.loads(command("get", "resources", name, "-o", "json"))
        return "ConnectTimeoutException" in {one.get("reason") for one in document["status"]["conditions"]}

    eventually(waits, "that is told")
    assert command.annotations(name) == {"strimzi.io/restart": "includeTasks"}
    assert restarts(room, name) == []
    apache.start()
    eventually(lambda: command.annotations(name) == {}, "it is done when the cluster is back")
    (restart,) = restarts(room, name)
    assert (restart["cluster"], restart["connector"]) == (APACHE, name)


@pytest.fixture
def sides(apache: Apache, client: ConnectClient, room: Room, tmp_path: Path) -> Iterator[list[Side]]:
    sides = failed_sides(tmp_path, **{DROVER: client, APACHE: apache.client})
    for side in sides:
        eventually(lambda side=side: _failed(room, side) == 30, f"{side.cluster} is read")  # type: ignore[misc]
    yield sides
    for one in sides[1].client.connectors():
        sides[1].client.delete(one)


def _failed(room: Room, side: Side) -> int:
    told = room.get(f"fleet?cluster={side.cluster}&name={side.prefix}-*")
    return sum(task["state"] == "FAILED" for one in told["connectors"] for task in one["tasks"])


def test_sixty_failed_tasks_over_two_clusters(command: Command, sides: list[Side]) -> None:
    """First with two that cannot be mended; then those, too."""
    for side in sides:
        side.mend()
    with terminal.at_a_terminal(command.environment, "restart", "--failed", "--all-clusters") as (process, ours):
        told = terminal.shown(ours, seconds=200)
        assert process.wait(20) == 1
    assert "restarting" in told
    assert "\x1b[1A" in told, "the table is drawn again in its place"
    assert "2 failed again, 22 running again." in told
    for side in sides:
        assert side.key(HOPELESS) in told
        assert sorted(side.states()) == ["FAILED"] + ["RUNNING"] * 29
        side.mend_the_last()
    ended = json.loads(command("restart", "--failed", "--all-clusters", "-o", "json"))
    assert {(one["cluster"], one["name"], one["state"]) for one in ended} == {
        (side.cluster, side.name(HOPELESS), "done") for side in sides
    }
    for side in sides:
        assert side.states() == ["RUNNING"] * 30
