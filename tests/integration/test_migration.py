"""A connector moves from Apache Kafka Connect to Drover and back by REST alone (KIP-980's use case; docs/takeover.md)."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from connect_client import ConnectClient, PartitionOffset
from tests.integration.conftest import appending, sink, source, wait_for_more
from tests.peer import connect_worker
from tests.topics import create_topic, values
from tests.waiting import eventually

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def apache(kafka: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConnectClient]:
    with connect_worker(kafka, tmp_path_factory.mktemp("apache"), group="migration") as client:
        yield client


def stop(client: ConnectClient, name: str) -> None:
    """Returns when its tasks, too, have stopped: what they committed is what there is."""
    client.stop(name)

    def stopped() -> bool:
        status = client.status(name)
        return status.connector.state == "STOPPED" and not status.tasks

    eventually(stopped, what=f"{name} has stopped")


def move(old: ConnectClient, new: ConnectClient, name: str, new_name: str) -> str:
    """The steps, in the order in which KIP-980 has them."""
    stop(old, name)
    offsets = old.offsets(name)
    config = {key: value for key, value in old.config(name).items() if value is not None}
    # Kafka Connect refuses while its workers still take up what was asked before.
    eventually(lambda: new.create(new_name, {**config, "name": new_name}, initial_state="STOPPED"))
    assert new.alter_offsets(new_name, offsets) == "The offsets for this connector have been altered successfully"
    new.resume(new_name)
    old.delete(name)
    return new_name


@pytest.mark.parametrize("suffix", ["", "-moved"], ids=["same name", "other name"])
def test_there_and_back(
    kafka: str, apache: ConnectClient, client: ConnectClient, unique: str, tmp_path: Path, suffix: str
) -> None:
    """While lines go on being appended, and records being produced: none is lost, none is there twice. Under the same name a
    sink's consumer group is the same one on both sides, under another name it is another."""
    lines, copy, topic = tmp_path / "in.txt", tmp_path / "out.txt", f"moving-{unique}"
    create_topic(kafka, topic, 1)
    reader, writer = f"source-{unique}", f"sink-{unique}"
    apache.create(reader, source(reader, lines, topic))
    apache.create(writer, sink(writer, copy, topic))
    with appending(lines):
        for old, new in ((apache, client), (client, apache)):
            wait_for_more(copy)
            reader = move(old, new, reader, reader + suffix)
            writer = move(old, new, writer, writer + suffix)
        wait_for_more(copy)
    eventually(lambda: copy.read_bytes() == lines.read_bytes(), "The copy")
    assert values(kafka, topic) == lines.read_bytes().splitlines()
    assert {reader, writer} <= apache.connectors().keys()
    assert not client.connectors().keys() & {reader, writer, f"source-{unique}", f"sink-{unique}"}
    for name in (reader, writer):
        apache.delete(name)


def test_a_file_with_other_than_ascii_text(
    kafka: str, apache: ConnectClient, client: ConnectClient, unique: str, tmp_path: Path
) -> None:
    """Kafka Connect's position counts characters. The command of the guide makes bytes of them, which both understand."""
    name, file = f"letters-{unique}", tmp_path / "in.txt"
    file.write_text("žluťoučký kůň\nplain\n🐎 gallops\n")
    apache.create(name, source(name, file, name))
    eventually(lambda: apache.offsets(name), what="The copy")
    stop(apache, name)
    (shown,) = apache.offsets(name)
    assert shown.offset == {"position": len(file.read_text()) + 1}, "a letter outside the basic plane counts twice"
    with file.open("a") as appended:
        appended.write("a new líne\n")

    moved = replace(shown, offset={"position": in_bytes(file, shown)})
    client.create(name, source(name, file, name), initial_state="STOPPED")
    client.alter_offsets(name, [moved])
    client.resume(name)
    apache.delete(name)
    eventually(lambda: client.offsets(name) == [replace(shown, offset={"position": file.stat().st_size})])
    assert values(kafka, name) == file.read_bytes().splitlines()


def in_bytes(file: Path, shown: PartitionOffset) -> int:
    """By the guide's own command."""
    assert shown.offset is not None
    guide = (PROJECT / "docs" / "takeover.md").read_text()
    (script,) = [part.partition("'")[0] for part in guide.split("python3 -c '")[1:]]
    command = [sys.executable, "-c", script, str(file), str(shown.offset["position"])]
    return int(subprocess.run(command, capture_output=True, text=True, check=True, timeout=20).stdout)
