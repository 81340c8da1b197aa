"""Many connectors to which a little comes now and then: common jobs do their batches, and yet each is by itself."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient, NewPartitions, NewTopic

from connect_client import ConnectClient
from tests.integration.conftest import sink, source, write_lines
from tests.running import RunningDrover
from tests.topics import create_topic, produce
from tests.waiting import eventually

FLOWS = 12
BACKLOG = 2_000_000


@dataclass
class Flow:
    """A file through a topic of its own into another file. Lines bear the flow's name, a number and the moment."""

    client: ConnectClient
    name: str
    folder: Path
    sent: int = 0

    @property
    def source(self) -> str:
        return f"{self.name}-source"

    @property
    def sink(self) -> str:
        return f"{self.name}-sink"

    @property
    def input(self) -> Path:
        return self.folder / f"{self.name}.in"

    @property
    def output(self) -> Path:
        return self.folder / f"{self.name}.out"

    def create(self) -> None:
        self.input.touch()
        self.client.create(self.source, source(self.source, self.input, self.name))
        self.client.create(self.sink, sink(self.sink, self.output, self.name))

    def append(self) -> None:
        with self.input.open("ab", buffering=0) as file:
            file.write(b"%s %d %d\n" % (self.name.encode(), self.sent, time.time_ns()))
        self.sent += 1

    def seen(self) -> list[bytes]:
        return self.output.read_bytes().splitlines() if self.output.exists() else []

    def has_all(self) -> bool:
        return self.seen()[-1:] == self.input.read_bytes().splitlines()[-1:]

    def is_copied(self) -> bool:
        return self.output.exists() and self.output.read_bytes() == self.input.read_bytes()

    def states(self) -> list[str]:
        found = [self.client.status(name) for name in (self.source, self.sink)]
        return [task.state for status in found for task in status.tasks]

    def is_running(self) -> bool:
        return self.states() == ["RUNNING"] * 2

    def wait(self) -> None:
        eventually(self.is_copied, f"The copy of {self.input.name}")


@pytest.fixture
def flows(client: ConnectClient, drover: RunningDrover, unique: str, tmp_path: Path) -> Sequence[Flow]:
    """Each has passed its first line, so that they are no longer new to the worker."""
    made = [Flow(client, f"trickle-{unique}-{number}", tmp_path) for number in range(FLOWS)]
    for flow in made:
        create_topic(drover.bootstrap_servers, flow.name, 1)
        flow.create()
    eventually(lambda: all(flow.is_running() for flow in made))
    for flow in made:
        flow.append()
    for flow in made:
        flow.wait()
    return made


@contextmanager
def trickling(flows: Sequence[Flow], pause: float = 0.2) -> Iterator[Callable[[], int]]:
    """Meanwhile each gets a line now and then, all at the same moment. Gives how many rounds there were."""
    ended, rounds = threading.Event(), [0]

    def trickle() -> None:
        while not ended.wait(pause):
            for flow in flows:
                flow.append()
            rounds[0] += 1

    thread = threading.Thread(target=trickle, name="trickle")
    thread.start()
    try:
        yield lambda: rounds[0]
    finally:
        ended.set()
        thread.join()


def rounds(counted: Callable[[], int], more: int) -> None:
    wanted = counted() + more
    eventually(lambda: counted() >= wanted)


def test_each_copy_is_its_original_and_its_own(flows: Sequence[Flow]) -> None:
    with trickling(flows, 0.05) as counted:
        rounds(counted, 60)
    for flow in flows:
        flow.wait()


def test_a_killed_worker_leaves_no_gap_in_any_of_them(flows: Sequence[Flow], drover: RunningDrover) -> None:
    with trickling(flows, 0.05) as counted:
        rounds(counted, 20)
        killed = drover.process_pid("worker")
        os.kill(killed, signal.SIGKILL)
        eventually(lambda: drover.process_pid("worker") not in (0, killed), "The worker's return")
        rounds(counted, 20)
    eventually(lambda: all(flow.has_all() for flow in flows), "The last lines")
    for flow in flows:
        assert list(dict.fromkeys(flow.seen())) == flow.input.read_bytes().splitlines(), flow.name


def test_one_that_kafka_refuses_fails_alone(flows: Sequence[Flow], client: ConnectClient, drover: RunningDrover) -> None:
    """Its record is too big for its topic, which only the common job finds out."""
    poisoned, *others = flows
    admin = AdminClient({"bootstrap.servers": drover.bootstrap_servers})
    small = NewTopic(f"{poisoned.name}-small", num_partitions=1, replication_factor=1, config={"max.message.bytes": "500"})
    admin.create_topics([small])[small.topic].result(10)
    client.put_config(poisoned.source, source(poisoned.source, poisoned.input, small.topic))
    eventually(poisoned.is_running)
    # It succeeds once, so that it is among the others then.
    poisoned.append()
    eventually(lambda: client.offsets(poisoned.source)[0].offset == {"position": poisoned.input.stat().st_size})
    with trickling(others) as counted:
        rounds(counted, 3)
        with poisoned.input.open("ab", buffering=0) as file:
            file.write(b"x" * 2000 + b"\n")
        eventually(lambda: client.status(poisoned.source).tasks[0].state == "FAILED")
        rounds(counted, 3)
    assert "RecordTooLarge" in (client.status(poisoned.source).tasks[0].trace or "")
    eventually(lambda: all(flow.has_all() for flow in others))
    for flow in others:
        # What had arrived in the common job is not written again.
        assert flow.seen() == flow.input.read_bytes().splitlines(), flow.name
        assert flow.is_running()


def test_one_whose_target_is_gone_fails_alone_and_nothing_is_there_twice(flows: Sequence[Flow], client: ConnectClient) -> None:
    poisoned, *others = flows
    poisoned.output.unlink()
    poisoned.output.mkdir()
    with trickling(flows) as counted:
        eventually(lambda: client.status(poisoned.sink).tasks[0].state == "FAILED")
        rounds(counted, 3)
    for flow in others:
        flow.wait()
        assert flow.is_running()


def has_stopped(client: ConnectClient, name: str) -> bool:
    status = client.status(name)
    return status.connector.state == "STOPPED" and not status.tasks


def test_stopping_one_does_not_disturb_the_others(flows: Sequence[Flow], client: ConnectClient) -> None:
    stopped, *others = flows
    with trickling(flows, 0.05) as counted:
        rounds(counted, 10)
        for name in (stopped.source, stopped.sink):
            client.stop(name)
            eventually(partial(has_stopped, client, name))
        before = (client.offsets(stopped.sink), stopped.seen())
        rounds(counted, 10)
        assert (client.offsets(stopped.sink), stopped.seen()) == before
        for name in (stopped.source, stopped.sink):
            client.resume(name)
    for flow in (*others, stopped):
        flow.wait()


def test_many_that_read_one_topic_have_all_of_it(flows: Sequence[Flow], client: ConnectClient, tmp_path: Path) -> None:
    flow = flows[0]
    copies = [tmp_path / f"copy-{number}.out" for number in range(5)]
    with trickling(flows) as counted:
        for number, copy in enumerate(copies):
            name = f"{flow.name}-copy-{number}"
            client.create(name, sink(name, copy, flow.name))
        rounds(counted, 10)
    eventually(lambda: all(copy.exists() and copy.read_bytes() == flow.input.read_bytes() for copy in copies))
    for flow in flows:
        flow.wait()


def test_a_new_partition_is_read_with_the_others(flows: Sequence[Flow], drover: RunningDrover) -> None:
    grown, *others = flows
    admin = AdminClient({"bootstrap.servers": drover.bootstrap_servers})
    admin.create_partitions([NewPartitions(grown.name, 2)])[grown.name].result(10)
    before = len(grown.seen())
    with trickling(others) as counted:
        produce(drover.bootstrap_servers, grown.name, ("k", "in the new one"), partition=1)
        eventually(lambda: grown.seen()[before:] == [b"in the new one"])
        rounds(counted, 3)
    for flow in others:
        flow.wait()


def test_a_backlog_keeps_no_trickle_waiting(
    flows: Sequence[Flow], client: ConnectClient, drover: RunningDrover, unique: str, tmp_path: Path
) -> None:
    """What comes while the backlog is worked off is there long before its end. Measured by the backlog's own progress: a machine
    that is slow is so to both."""
    backlog = Flow(client, f"backlog-{unique}", tmp_path)
    write_lines(backlog.input, BACKLOG)
    size = backlog.input.stat().st_size
    create_topic(drover.bootstrap_servers, backlog.name, 1)
    #: By how many quarters of the backlog are done: of each of the others, the lines that were written and those that are there.
    seen: dict[int, tuple[list[int], list[int]]] = {}

    def is_over() -> bool:
        done = 4 * backlog.output.stat().st_size // size if backlog.output.exists() else 0
        for quarter in range(len(seen), done + 1):
            seen[quarter] = [flow.sent for flow in flows], [len(flow.seen()) for flow in flows]
        return done == 4

    with trickling(flows, 0.5):
        backlog.create()
        eventually(is_over, "The backlog's end", seconds=300)
    for begun, later in ((1, 3), (2, 4)):
        written, there = seen[begun][0], seen[later][1]
        assert all(have >= sent for sent, have in zip(written, there, strict=True)), seen
    for flow in flows:
        flow.wait()
