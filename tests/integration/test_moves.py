"""Moves by the control room: from a real Apache Kafka Connect to Drover and back, carried out by Drover's own control process."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from connect_client import ConnectClient
from tests.integration.conftest import appending, sink, source, wait_for_more
from tests.peer import connect_worker
from tests.room import Room
from tests.running import RunningDrover
from tests.topics import create_topic, values
from tests.waiting import eventually

DROVER, APACHE = "local", "apache"
Move = dict[str, Any]


@pytest.fixture(scope="module")
def apache(kafka: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConnectClient]:
    with connect_worker(kafka, tmp_path_factory.mktemp("moves"), group="moves") as client:
        yield client


class Mover(Room):
    def move(self, name: str, old: str, new: str, **options: Any) -> Move:
        self.knows(old, name)
        body = {"source": {"cluster": old, "connector": name}, "target": {"cluster": new}, "options": options}
        told = self.post("moves", {**body, "dry_run": True})
        assert told["possible"], told
        begun: Move = self.post("moves", body)
        return begun

    def ended(self, move: Move) -> Move:
        def over() -> Move | None:
            told: Move = self.get(f"moves/{move['id']}")
            return told if told["state"] in ("done", "failed", "cancelled", "undone") else None

        found: Move | None = eventually(over, "The end of a move")
        assert found is not None
        return found


@pytest.fixture(scope="module")
def room(drover: RunningDrover, apache: ConnectClient) -> Iterator[Mover]:
    room = Mover(drover)
    room.post("clusters", {"name": APACHE, "urls": [apache.url]})
    yield room
    room.close()


def test_there_and_back_while_lines_come(
    kafka: str, room: Mover, apache: ConnectClient, client: ConnectClient, unique: str, tmp_path: Path
) -> None:
    """In the middle of a file that grows, and of a topic that fills: no line is lost, none is there twice."""
    lines, copy, topic = tmp_path / "in.txt", tmp_path / "out.txt", f"moved-{unique}"
    reader, writer = f"reader-{unique}", f"writer-{unique}"
    create_topic(kafka, topic, 1)
    apache.create(reader, source(reader, lines, topic))
    apache.create(writer, sink(writer, copy, topic))
    with appending(lines):
        for old, new in ((APACHE, DROVER), (DROVER, APACHE)):
            wait_for_more(copy)
            # Side by side.
            moves = [room.move(name, old, new, delete_source=True) for name in (reader, writer)]
            for move in moves:
                ended = room.ended(move)
                assert ended["state"] == "done", (ended["message"], ended["steps"][-1])
        wait_for_more(copy)
    eventually(lambda: copy.read_bytes() == lines.read_bytes(), "The copy")
    assert values(kafka, topic) == lines.read_bytes().splitlines()
    assert {reader, writer} <= apache.connectors().keys()
    assert not {reader, writer} & client.connectors().keys()
    for name in (reader, writer):
        apache.delete(name)


def test_killed_in_the_middle_and_put_back(
    kafka: str, room: Mover, drover: RunningDrover, apache: ConnectClient, client: ConnectClient, unique: str, tmp_path: Path
) -> None:
    """The control process is killed while a move waits for its connector to stay RUNNING; the next one goes on. Then everything
    is put back, and what has been read there is not read again."""
    lines, topic, name = tmp_path / "in.txt", f"back-{unique}", f"back-{unique}"
    lines.write_text("one\ntwo\n")
    create_topic(kafka, topic, 1)
    apache.create(name, source(name, lines, topic))
    eventually(lambda: [at.offset for at in apache.offsets(name)] == [{"position": 8}])

    move = room.move(name, APACHE, DROVER)
    under_way(room, move, "create")
    killed = drover.process_pid("control")
    os.kill(killed, signal.SIGKILL)
    ended = room.ended(move)
    assert drover.process_pid("control") != killed
    assert ended["state"] == "done", (ended["message"], ended["steps"][-1])
    assert apache.status(name).connector.state == "STOPPED"
    with lines.open("a") as file:
        file.write("three\n")
    eventually(lambda: [at.offset for at in client.offsets(name)] == [{"position": 14}])

    room.post(f"moves/{move['id']}/undo")
    assert room.ended(move)["state"] == "undone"
    assert name not in client.connectors()
    with lines.open("a") as file:
        file.write("four\n")
    eventually(lambda: [at.offset for at in apache.offsets(name)] == [{"position": 19}])
    assert values(kafka, topic) == [b"one", b"two", b"three", b"four"]
    apache.delete(name)


def test_what_a_check_finds(room: Mover, apache: ConnectClient, unique: str, tmp_path: Path) -> None:
    name = f"checked-{unique}"
    apache.create(name, source(name, tmp_path / "in.txt", name), initial_state="STOPPED")
    room.knows(APACHE, name)
    body = {"source": {"cluster": APACHE, "connector": name}, "target": {"cluster": DROVER}, "dry_run": True}
    fine = room.post("moves", body)
    assert {check["check"]: check["outcome"] for check in fine["checks"]} == dict.fromkeys(
        ("rights", "source", "target", "versions", "connector", "name", "secrets", "config", "offsets"), "good"
    ) | {"plugin": "mind"}, "the versions of the plug-ins differ"
    bad = room.post("moves", {**body, "changes": {"tasks.max": "none"}})
    against = [check for check in bad["checks"] if check["outcome"] == "bad"]
    assert [check["check"] for check in against] == ["config"]
    assert "Invalid value none for configuration tasks.max" in against[0]["text"]
    apache.delete(name)


def under_way(room: Mover, move: Move, step: str) -> None:
    """Until that step is done."""

    def done() -> bool:
        return any(one["step"] == step and one["outcome"] for one in room.get(f"moves/{move['id']}")["steps"])

    eventually(done, f"{step} of a move")
