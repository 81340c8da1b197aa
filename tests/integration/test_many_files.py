"""Many files, also gzip files, through a topic into a file that is rotated: nothing is missing, whatever happens on the way."""

import gzip
import os
import signal
from itertools import chain
from pathlib import Path

import pytest

from connect_client import ConnectClient, PartitionOffset
from connect_client.errors import ConnectRefused
from tests.integration.conftest import write_lines
from tests.pages import config_of, errors
from tests.running import RunningDrover
from tests.topics import create_topic, values
from tests.waiting import eventually

#: Lines of a file. All together are more than one job can take.
LINES = 150_000
FILES = 6


class Flow:
    """The pages' two connectors, joined."""

    def __init__(self, client: ConnectClient, drover: RunningDrover, unique: str, folder: Path) -> None:
        self.client, self.drover = client, drover
        self.topic = f"files-{unique}"
        self.input, output = folder / "in", folder / "out"
        self.input.mkdir()
        output.mkdir()
        self.output = output / "all.txt"
        self.source = config_of("file-source", name=f"files-{unique}", files=f"{self.input}/*.log*", topic=self.topic)
        self.sink = config_of("file-sink", name=f"rotated-{unique}", topics=self.topic, file=str(self.output))
        # The order of a topic is that of its partitions: with one it can be compared.
        create_topic(drover.bootstrap_servers, self.topic, 1)

    def start(self) -> None:
        self.client.create(self.source["name"], self.source)
        self.client.create(self.sink["name"], self.sink)

    def file(self, name: str, lines: int, first: int) -> None:
        """It comes into the folder whole."""
        path = self.input / name
        made = path.with_name(f".{name}")
        write_lines(made, lines, first)
        if path.suffix == ".gz":
            made.write_bytes(gzip.compress(made.read_bytes(), 1))
        made.rename(path)

    def rotated(self) -> list[Path]:
        numbered = {int(path.name.split(".")[3]): path for path in self.output.parent.glob("all.txt.*") if path.suffix != ".part"}
        return [numbered[number] for number in sorted(numbered)]

    def written(self) -> list[bytes]:
        return list(chain.from_iterable(map(read, [*self.rotated(), self.output])))

    def in_topic(self) -> list[bytes | None]:
        return values(self.drover.bootstrap_servers, self.topic)

    def read_up(self) -> bool:
        """Whether each file's offset is at its end."""
        found = self.client.offsets(self.source["name"])
        there = {str((one.partition or {}).get("filename")): (one.offset or {}).get("position") for one in found}
        return all(there.get(str(path)) == sum(len(line) + 1 for line in read(path)) for path in self.files())

    def written_up(self) -> bool:
        (offset,) = self.client.positions(self.sink["name"])
        return offset.offset == offset.end

    def files(self) -> list[Path]:
        return sorted(self.input.glob("[!.]*"))

    def complete(self, seconds: float = 120) -> None:
        eventually(self.read_up, "The offsets of all files", seconds)
        eventually(self.written_up, "The offset of the sink", seconds)


def read(path: Path) -> list[bytes]:
    """Lines that end with LF."""
    content = path.read_bytes()
    text = gzip.decompress(content) if path.suffix == ".gz" else content
    return text.split(b"\n")[:-1]


@pytest.fixture
def flow(client: ConnectClient, drover: RunningDrover, unique: str, tmp_path: Path) -> Flow:
    return Flow(client, drover, unique, tmp_path)


def test_files_through_a_kill_into_files_that_are_rotated(flow: Flow) -> None:
    for each in range(FILES):
        flow.file(f"{each}.log" + (".gz" if each % 2 else ""), LINES, each * LINES)
    flow.start()
    eventually(lambda: len(flow.rotated()) >= 2, "Rotated files")
    killed = flow.drover.process_pid("worker")
    os.kill(killed, signal.SIGKILL)
    eventually(lambda: flow.drover.process_pid("worker") not in (0, killed), "The worker's return")
    flow.file("late.log", 1000, FILES * LINES)
    flow.complete()
    topic, written = flow.in_topic(), flow.written()
    assert written == topic, "what a kill had left half done is neither lost nor twice"
    arrived: dict[int, list[bytes]] = {}
    for line in dict.fromkeys(topic):
        assert line is not None
        # The odd lines are all of the first file.
        arrived.setdefault(int(line[:9]) // LINES if line[:9].isdigit() else 0, []).append(line)
    assert arrived == {place: read(path) for place, path in enumerate(flow.files())}, "each file's lines, in their order"
    rotated = flow.rotated()
    assert [int(path.name.split(".")[3]) for path in rotated] == list(range(1, len(rotated) + 1))
    assert all(path.suffix == ".gz" for path in rotated)
    sizes = [len(gzip.decompress(path.read_bytes())) for path in rotated]
    assert all(9_999_800 < size <= 10_000_000 for size in sizes), sizes


def test_one_file_is_read_again_and_the_others_are_not(flow: Flow) -> None:
    flow.file("a.log", 10, 0)
    flow.file("b.log.gz", 10, 10)
    flow.start()
    flow.complete()
    name, again = flow.source["name"], flow.input / "b.log.gz"
    flow.client.stop(name)
    eventually(lambda: flow.client.status(name).connector.state == "STOPPED")
    partition = {"filename": str(again)}
    with pytest.raises(ConnectRefused, match="non-negative"):
        flow.client.alter_offsets(name, [PartitionOffset(partition, {"position": -1})])
    fifth = sum(len(line) + 1 for line in read(again)[:5])
    flow.client.alter_offsets(name, [PartitionOffset(partition, {"position": fifth})])
    flow.client.resume(name)
    eventually(lambda: len(flow.in_topic()) == 25)
    flow.complete()
    assert flow.in_topic() == flow.written()
    assert sorted(map(bytes, flow.written())) == sorted([*read(flow.input / "a.log"), *read(again), *read(again)[5:]])
    with again.open("ab") as file:
        file.write(gzip.compress(b"appended"))
    eventually(lambda: flow.written()[-1] == b"appended")


def test_a_bad_config_names_the_key(flow: Flow, drover: RunningDrover) -> None:
    assert errors(drover, flow.source) == errors(drover, flow.sink) == {}
    assert errors(drover, {**flow.source, "file": "/f"}) == {"files": ["Only one of file and files can be given."]}
    wrong = {**flow.sink, "file.rotate.bytes": "-1"}
    message = "Invalid value -1 for configuration file.rotate.bytes: Value must be at least 0"
    assert errors(drover, wrong) == {"file.rotate.bytes": [message]}
    with pytest.raises(ConnectRefused, match=message):
        flow.client.create(wrong["name"], wrong)
