"""Offsets read, altered and reset by hand (KIP-875) on a complete Drover: the next start begins exactly there."""

import os
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import accumulate
from pathlib import Path

import pytest
from confluent_kafka import Consumer, ConsumerGroupTopicPartitions
from confluent_kafka.admin import AdminClient

from connect_client import ConnectClient, PartitionOffset
from connect_client.errors import ConnectNotFound, ConnectRefused
from tests.integration.conftest import sink, source, write_lines
from tests.running import RunningDrover
from tests.topics import create_topic, produce, records, values
from tests.waiting import eventually, patiently

# More than one job can take.
MANY = 1_200_000
ROUNDS = 10


@pytest.fixture
def input(tmp_path: Path) -> Path:
    return tmp_path / "in.txt"


def at_position(file: Path, position: int | None) -> PartitionOffset:
    return PartitionOffset({"filename": str(file)}, None if position is None else {"position": position})


def at_offset(topic: str, partition: int, offset: int | None) -> PartitionOffset:
    return PartitionOffset(
        {"kafka_partition": partition, "kafka_topic": topic}, None if offset is None else {"kafka_offset": offset}
    )


def stop(client: ConnectClient, name: str) -> None:
    client.stop(name)
    eventually(lambda: client.status(name).connector.state == "STOPPED")


# --- sources ----------------------------------------------------------------------------------------------------------


def test_half_a_file_and_back_to_the_start_of_a_line(
    client: ConnectClient, drover: RunningDrover, unique: str, input: Path
) -> None:
    """Exactly the lines from there arrive again, and then the rest of the file."""
    name = topic = f"half-{unique}"
    write_lines(input, MANY)
    client.create(name, source(name, input, topic))
    eventually(lambda: client.offsets(name), "The first part")
    stop(client, name)
    lines, copied = input.read_bytes().splitlines(), values(drover.bootstrap_servers, topic)
    assert 0 < len(copied) < len(lines), "it was to be stopped in the middle"
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    # One range more than that was copied if its task did not come to an end in time.
    (committed,) = client.offsets(name)
    assert committed.offset is not None
    assert committed.offset["position"] in starts[1 : len(copied) + 1]

    back = len(copied) // 2
    wanted = at_position(input, starts[back])
    assert client.alter_offsets(name, [wanted]) == "The offsets for this connector have been altered successfully"
    assert client.offsets(name) == [wanted]
    client.resume(name)
    eventually(lambda: client.offsets(name) == [at_position(input, input.stat().st_size)], "The rest")
    # What of that range was on its way when it was looked at has come since.
    arrived = values(drover.bootstrap_servers, topic)
    first = len(arrived) - len(lines[back:])
    assert first >= len(copied)
    assert arrived == [*lines[:first], *lines[back:]]


def test_a_reset_source_copies_everything_again(client: ConnectClient, drover: RunningDrover, unique: str, input: Path) -> None:
    name = topic = f"reset-{unique}"
    write_lines(input, 100)
    client.create(name, source(name, input, topic))
    end = at_position(input, input.stat().st_size)
    eventually(lambda: client.offsets(name) == [end])
    stop(client, name)
    assert client.reset_offsets(name) == "The offsets for this connector have been reset successfully"
    assert client.offsets(name) == []
    key = f'["{name}",{{"filename":"{input}"}}]'.encode()
    assert [value for found, value in records(drover.bootstrap_servers, "connect-offsets") if found == key][-1] is None
    client.resume(name)
    eventually(lambda: client.offsets(name) == [end])
    assert values(drover.bootstrap_servers, topic) == input.read_bytes().splitlines() * 2


def test_created_where_it_is_to_begin_and_deleted_with_its_offsets(
    client: ConnectClient, drover: RunningDrover, unique: str, input: Path
) -> None:
    name = topic = f"begin-{unique}"
    input.write_text("one\ntwo\nthree\n")
    client.create(name, source(name, input, topic), offsets=[at_position(input, 4)])
    eventually(lambda: client.offsets(name) == [at_position(input, 14)])
    assert values(drover.bootstrap_servers, topic) == [b"two", b"three"]

    client.delete(name, include_offsets=True)
    with pytest.raises(ConnectNotFound):
        client.offsets(name)
    client.create(name, source(name, input, topic), initial_state="STOPPED")
    assert client.offsets(name) == []


def test_an_offset_that_is_refused_keeps_a_connector_from_being(client: ConnectClient, unique: str, input: Path) -> None:
    name = f"refused-{unique}"
    with pytest.raises(ConnectRefused, match="expected to be a Long value"):
        client.create(name, source(name, input, name), offsets=[PartitionOffset({"filename": "/f"}, {"position": "x"})])
    assert name not in client.connectors()


def test_a_killed_worker_begins_where_it_was_told_to(
    client: ConnectClient, drover: RunningDrover, unique: str, input: Path
) -> None:
    """In each round it is killed, before the resume or after it: the first record from there is the one that was asked for."""
    name = topic = f"killed-{unique}"
    lines = [f"{number:04}" for number in range(100)]
    input.write_text("".join(f"{line}\n" for line in lines))
    client.create(name, source(name, input, topic))
    end = at_position(input, input.stat().st_size)
    eventually(lambda: client.offsets(name) == [end])
    for number in range(ROUNDS):
        patiently(lambda: client.stop(name))
        eventually(lambda: client.status(name).connector.state == "STOPPED")
        before, first = len(values(drover.bootstrap_servers, topic)), number * 7
        patiently(partial(client.alter_offsets, name, [at_position(input, first * 5)]))
        if number % 2:
            client.resume(name)
        killed = drover.process_pid("worker")
        os.kill(killed, signal.SIGKILL)
        eventually(lambda killed=killed: drover.process_pid("worker") not in (0, killed))  # type: ignore[misc]
        if number % 2 == 0:
            patiently(lambda: client.resume(name))
        eventually(lambda: client.offsets(name) == [end], "The rest of the file")
        assert values(drover.bootstrap_servers, topic)[before] == lines[first].encode()


# --- sinks ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def topic(drover: RunningDrover, unique: str) -> str:
    """Of three partitions with a hundred records each."""
    name = f"three-{unique}"
    create_topic(drover.bootstrap_servers, name, 3)
    for partition in range(3):
        batch = [("k", f"{partition}-{number:03}") for number in range(100)]
        produce(drover.bootstrap_servers, name, *batch, partition=partition)
    return name


@pytest.fixture
def stopped(client: ConnectClient, topic: str, tmp_path: Path) -> str:
    """A sink that has written all of them to `out.txt`, and then was stopped."""
    name = f"sink-of-{topic}"
    client.create(name, sink(name, tmp_path / "out.txt", topic))
    eventually(lambda: sorted_offsets(client, name) == [at_offset(topic, partition, 100) for partition in range(3)])
    stop(client, name)
    return name


def sorted_offsets(client: ConnectClient, name: str) -> list[PartitionOffset]:
    return sorted(client.offsets(name), key=str)


def written(tmp_path: Path) -> list[str]:
    return (tmp_path / "out.txt").read_text().splitlines()


def in_kafka(drover: RunningDrover, group: str) -> dict[tuple[str, int], int]:
    """As `kafka-consumer-groups` sees it."""
    admin = AdminClient({"bootstrap.servers": drover.bootstrap_servers})
    found = admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)])[group].result(10)
    return {(tp.topic, tp.partition): tp.offset for tp in found.topic_partitions}


def test_a_reset_sink_writes_all_records_again(
    client: ConnectClient, drover: RunningDrover, stopped: str, topic: str, tmp_path: Path
) -> None:
    first = written(tmp_path)
    assert len(first) == len(set(first)) == 300
    assert in_kafka(drover, f"connect-{stopped}") == {(topic, partition): 100 for partition in range(3)}
    assert client.reset_offsets(stopped) == "The offsets for this connector have been reset successfully"
    assert client.offsets(stopped) == []
    client.resume(stopped)
    eventually(lambda: len(client.offsets(stopped)) == 3)
    assert Counter(written(tmp_path)) == Counter(first * 2)


def test_one_partition_of_three_is_read_again(
    client: ConnectClient, drover: RunningDrover, stopped: str, topic: str, tmp_path: Path
) -> None:
    client.alter_offsets(stopped, [at_offset(topic, 1, 40)])
    assert in_kafka(drover, f"connect-{stopped}") == {(topic, 0): 100, (topic, 1): 40, (topic, 2): 100}
    client.resume(stopped)
    eventually(lambda: sorted_offsets(client, stopped)[1] == at_offset(topic, 1, 100))
    assert written(tmp_path)[300:] == [f"1-{number:03}" for number in range(40, 100)]


@contextmanager
def member(drover: RunningDrover, group: str, topic: str) -> Iterator[None]:
    """Somebody is in the group, and leaves it at the end."""
    consumer = Consumer({"bootstrap.servers": drover.bootstrap_servers, "group.id": group, "enable.auto.commit": False})
    consumer.subscribe([topic])
    eventually(lambda: consumer.poll(0.1) is None and consumer.assignment(), what="It is in the group")
    yield
    consumer.close()


def test_somebody_in_the_group_keeps_it_from_being_changed(
    client: ConnectClient, drover: RunningDrover, stopped: str, topic: str
) -> None:
    group = f"connect-{stopped}"
    with member(drover, group, topic):
        with pytest.raises(ConnectRefused, match="zombie sink tasks"):
            client.alter_offsets(stopped, [at_offset(topic, 0, 1)])
        with pytest.raises(ConnectRefused, match="zombie sink tasks"):
            client.reset_offsets(stopped)
    assert in_kafka(drover, group) == {(topic, partition): 100 for partition in range(3)}


def test_a_sink_whose_group_somebody_else_is_in_writes_nothing(
    client: ConnectClient, drover: RunningDrover, stopped: str, topic: str, tmp_path: Path
) -> None:
    """Another cluster, perhaps, that runs it still. When it has gone a restart is all that is needed."""
    group, before = f"connect-{stopped}", written(tmp_path)
    with member(drover, group, topic):
        produce(drover.bootstrap_servers, topic, ("k", "new"), partition=0)
        client.resume(stopped)
        (task,) = eventually(lambda: [task for task in client.status(stopped).tasks if task.state == "FAILED"])
        assert f"Somebody is in consumer group {group}" in str(task.trace)
        assert written(tmp_path) == before
    client.restart_task(stopped, 0)
    eventually(lambda: written(tmp_path) == [*before, "new"])


def test_a_sink_created_where_it_is_to_begin_and_deleted_with_its_group(
    client: ConnectClient, drover: RunningDrover, topic: str, tmp_path: Path
) -> None:
    name = f"begin-of-{topic}"
    offsets = [at_offset(topic, 0, 98), at_offset(topic, 1, 100), at_offset(topic, 2, 100)]
    client.create(name, sink(name, tmp_path / "out.txt", topic), offsets=offsets)
    eventually(lambda: written(tmp_path) == ["0-098", "0-099"])
    client.delete(name, include_offsets=True)
    assert in_kafka(drover, f"connect-{name}") == {}
