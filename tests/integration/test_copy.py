"""A file travels through a topic into another file: complete, in order, and through the faults that operators meet."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
import redis
from confluent_kafka import ConsumerGroupTopicPartitions
from confluent_kafka.admin import AdminClient

from connect_client import ConnectClient
from tests.integration.conftest import sink, source, write_lines
from tests.running import RunningDrover, clean_environment, manage
from tests.topics import records, values
from tests.waiting import eventually

LINES = 400_000
# More than one job can take: a fault in the middle is one between two jobs, or in one of them.
MANY = 1_200_000


@dataclass(frozen=True)
class Copy:
    """A source and a sink joined by a topic."""

    client: ConnectClient
    unique: str
    folder: Path

    @property
    def topic(self) -> str:
        return f"copy-{self.unique}"

    @property
    def source(self) -> str:
        return f"source-{self.unique}"

    @property
    def sink(self) -> str:
        return f"sink-{self.unique}"

    @property
    def input(self) -> Path:
        return self.folder / "in.txt"

    @property
    def output(self) -> Path:
        return self.folder / "out.txt"

    def start(self, lines: int) -> None:
        write_lines(self.input, lines)
        self.client.create(self.source, source(self.source, self.input, self.topic))
        self.client.create(self.sink, sink(self.sink, self.output, self.topic))

    def written(self) -> int:
        return self.output.stat().st_size if self.output.exists() else 0

    def complete(self, seconds: float = 300) -> None:
        """The last line is the last: what was written twice on the way has made the file as long long before."""
        last = self.input.read_bytes()[-200:]
        eventually(lambda: self.tail(len(last)) == last, f"The copy of {self.input.stat().st_size} bytes", seconds)

    def tail(self, size: int) -> bytes:
        with self.output.open("rb") as file:
            file.seek(max(0, self.written() - size))
            return file.read()

    def states(self) -> set[str]:
        found = [self.client.status(name) for name in (self.source, self.sink)]
        return {status.connector.state for status in found} | {task.state for status in found for task in status.tasks}

    def assert_running(self) -> None:
        eventually(lambda: self.states() == {"RUNNING"} and len(self.client.status(self.sink).tasks) == 1)


@pytest.fixture
def copy(client: ConnectClient, unique: str, tmp_path: Path) -> Copy:
    return Copy(client, unique, tmp_path)


def assert_nothing_missing(copy: Copy) -> None:
    """At least once, in order of the first appearance: what a killed process allows."""
    expected, seen = copy.input.read_bytes().splitlines(), copy.output.read_bytes().splitlines()
    assert list(dict.fromkeys(seen)) == list(dict.fromkeys(expected))


def test_the_output_is_the_input_and_follows_it(copy: Copy, drover: RunningDrover) -> None:
    copy.start(LINES)
    copy.complete()
    write_lines(copy.input, 3, first=LINES)
    copy.complete()
    assert copy.output.read_bytes() == copy.input.read_bytes()
    assert values(drover.bootstrap_servers, copy.topic) == copy.input.read_bytes().splitlines()
    copy.assert_running()


def test_both_offsets_are_in_kafka(copy: Copy, drover: RunningDrover) -> None:
    copy.start(1000)
    copy.complete()
    key = f'["{copy.source}",{{"filename":"{copy.input}"}}]'.encode()
    value = b'{"position":%d}' % copy.input.stat().st_size
    assert (key, value) in records(drover.bootstrap_servers, "connect-offsets")
    assert eventually(lambda: committed(drover, copy) == {(copy.topic, 0): 1000})


def committed(drover: RunningDrover, copy: Copy) -> dict[tuple[str, int], int]:
    group = f"connect-{copy.sink}"
    admin = AdminClient({"bootstrap.servers": drover.bootstrap_servers})
    found = admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)])[group].result(10)
    return {(tp.topic, tp.partition): tp.offset for tp in found.topic_partitions}


def test_half_a_line_waits_for_its_other_half(copy: Copy, drover: RunningDrover) -> None:
    copy.start(10)
    copy.complete()
    with copy.input.open("ab") as file:
        file.write(b"first half, ")
    # A whole line in a second file through the same worker is the proof that it has looked meanwhile.
    other = Copy(copy.client, f"{copy.unique}b", copy.folder / "other")
    other.folder.mkdir()
    other.start(5)
    other.complete()
    assert values(drover.bootstrap_servers, copy.topic) == copy.output.read_bytes().splitlines()
    with copy.input.open("ab") as file:
        file.write(b"second half\n")
    copy.complete()
    assert copy.output.read_bytes().endswith(b"\nfirst half, second half\n")


def test_a_file_that_is_not_there_yet_is_waited_for(copy: Copy) -> None:
    copy.client.create(copy.source, source(copy.source, copy.input, copy.topic))
    copy.client.create(copy.sink, sink(copy.sink, copy.output, copy.topic))
    copy.assert_running()
    write_lines(copy.input, 20)
    copy.complete()
    assert copy.output.read_bytes() == copy.input.read_bytes()


def test_pausing_holds_the_copy_and_resuming_goes_on(copy: Copy, drover: RunningDrover) -> None:
    copy.start(100)
    copy.complete()
    copy.client.pause(copy.sink)
    eventually(lambda: {task.state for task in copy.client.status(copy.sink).tasks} == {"PAUSED"})
    size = copy.written()
    write_lines(copy.input, 100, first=100)
    eventually(lambda: len(values(drover.bootstrap_servers, copy.topic)) == 200)
    assert copy.written() == size
    copy.client.resume(copy.sink)
    copy.complete()
    assert copy.output.read_bytes() == copy.input.read_bytes()


def test_a_sink_without_its_folder_fails_with_the_cause_and_restarts_when_it_is_there(copy: Copy) -> None:
    folder = copy.folder / "missing"
    write_lines(copy.input, 50)
    copy.client.create(copy.source, source(copy.source, copy.input, copy.topic))
    copy.client.create(copy.sink, sink(copy.sink, folder / "out.txt", copy.topic))
    failed = eventually(lambda: [task for task in copy.client.status(copy.sink).tasks if task.state == "FAILED"])
    assert "Couldn't find or create file" in (failed[0].trace or "")
    assert "No such file or directory" in (failed[0].trace or "")

    folder.mkdir()
    planned = copy.client.restart(copy.sink, only_failed=True)
    assert [task.state for task in planned.tasks] == ["RESTARTING"]
    assert planned.connector.state == "RUNNING"
    eventually(lambda: [task.state for task in copy.client.status(copy.sink).tasks] == ["RUNNING"])
    eventually(lambda: (folder / "out.txt").read_bytes() == copy.input.read_bytes())


def test_a_truncated_file_fails_the_task_and_says_what_to_do(copy: Copy) -> None:
    copy.start(100)
    copy.complete()
    copy.input.write_bytes(b"short\n")
    failed = eventually(lambda: [task for task in copy.client.status(copy.source).tasks if task.state == "FAILED"])
    assert "it was truncated or replaced" in (failed[0].trace or "")


def test_a_killed_worker_comes_back_and_nothing_is_missing(copy: Copy, drover: RunningDrover) -> None:
    copy.start(MANY)
    eventually(lambda: copy.written() > 0)
    killed = drover.process_pid("worker")
    os.kill(killed, signal.SIGKILL)
    eventually(lambda: drover.process_pid("worker") not in (0, killed), "The worker's return")
    copy.complete()
    copy.assert_running()
    assert_nothing_missing(copy)


def test_a_flushed_redis_stops_neither_the_copy_nor_the_buttons(copy: Copy, drover: RunningDrover) -> None:
    connection = redis.Redis.from_url(drover.redis_url)
    copy.start(LINES)
    eventually(lambda: copy.written() > 0)
    connection.flushall()
    copy.client.pause(copy.source)
    eventually(lambda: copy.client.status(copy.source).connector.state == "PAUSED")
    connection.flushall()
    copy.client.resume(copy.source)
    copy.complete()
    copy.assert_running()
    assert copy.output.read_bytes() == copy.input.read_bytes()


def test_a_worker_stopped_in_the_middle_goes_on_at_its_next_start(copy: Copy, drover: RunningDrover) -> None:
    copy.start(MANY)
    eventually(lambda: copy.written() > 0)
    stopped = drover.process_pid("worker")
    os.kill(stopped, signal.SIGTERM)
    eventually(lambda: not psutil.pid_exists(stopped), "The worker's stop")
    assert 0 < copy.written() < copy.input.stat().st_size, "the copy was to be stopped in its middle"
    copy.complete()
    copy.assert_running()
    # A clean stop finishes what it has begun, so nothing is there twice either.
    assert copy.output.read_bytes() == copy.input.read_bytes()


def test_everything_stopped_it_goes_on_as_it_was_at_the_next_up(copy: Copy, drover: RunningDrover) -> None:
    copy.start(100)
    copy.complete()
    copy.client.pause(copy.sink)
    eventually(lambda: {task.state for task in copy.client.status(copy.sink).tasks} == {"PAUSED"})
    write_lines(copy.input, LINES, first=100)
    size = copy.written()
    stopped = manage("down", "--data-dir", str(drover.data_dir))
    assert stopped.returncode == 0, stopped.stderr
    assert drover.processes() == []

    environment = clean_environment(KAFKA_BOOTSTRAP_SERVERS=drover.bootstrap_servers, REDIS_URL=drover.redis_url)
    started = manage("up", "--detach", "--port", str(drover.port), "--data-dir", str(drover.data_dir), environment=environment)
    assert started.returncode == 0, started.stdout + started.stderr
    eventually(lambda: {task.state for task in copy.client.status(copy.sink).tasks} == {"PAUSED"})
    assert copy.written() == size
    copy.client.resume(copy.sink)
    copy.complete()
    copy.assert_running()
    assert copy.output.read_bytes() == copy.input.read_bytes()


def test_a_killed_broker_is_waited_for(copy: Copy, drover: RunningDrover, services: RunningDrover) -> None:
    copy.start(MANY)
    eventually(lambda: copy.written() > 0)
    os.kill(services.process_pid("broker"), signal.SIGKILL)
    copy.complete()
    copy.assert_running()
    assert_nothing_missing(copy)
