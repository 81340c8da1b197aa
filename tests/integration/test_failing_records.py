"""Records that cannot be processed (KIP-298), in a sink and in a source: as Apache Kafka Connect has it."""

from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from confluent_kafka import Producer

from connect_client import ConnectClient, PartitionOffset
from tests import peer
from tests.integration.conftest import sink, source
from tests.running import RunningDrover
from tests.topics import create_topic, messages, records
from tests.waiting import eventually

INTEGER = "org.apache.kafka.connect.converters.IntegerConverter"
#: Four bytes are a number, others are none.
VALUES = [b"\0\0\0\1", b"abc", b"\0\0\0\2", None, b"\xff\xff\xff\xff\xff", b"\0\0\0\3"]
LINES = b"1\n2\nnull\n3\n"
POISONED = [1, 4]
_STACK = "__connect.errors.exception.stacktrace"
Headers = list[tuple[str, str | bytes | None]]


@dataclass(frozen=True)
class Letter:
    """A record of a dead letter queue, without what is Java's own."""

    key: bytes | None
    value: bytes | None
    headers: Headers


def produce(bootstrap_servers: str, topic: str) -> None:
    """In one partition, with headers: one of them without a value."""
    producer = Producer({"bootstrap.servers": bootstrap_servers})
    for number, value in enumerate(VALUES):
        headers: Headers = [("number", str(number).encode()), ("empty", None)] if number != 4 else []
        producer.produce(topic, key=f"k{number}", value=value, headers=headers, partition=0)
    assert producer.flush(20) == 0


def letters(bootstrap_servers: str, topic: str) -> list[Letter]:
    found = [(one.key(), one.value(), list(one.headers() or [])) for one in messages(bootstrap_servers, topic)]
    return [Letter(key, value, [(str(name), one) for name, one in headers if name != _STACK]) for key, value, headers in found]


def _named(header: tuple[str, str | bytes | None], one: str, other: str) -> tuple[str, str | bytes | None]:
    """With the connector's name in place of another one's."""
    return (header[0], other.encode()) if header[1] == one.encode() else header


def tolerant(name: str, file: Path, topic: str, queue: str) -> dict[str, str]:
    return {
        **sink(name, file, topic),
        "value.converter": INTEGER,
        "errors.tolerance": "all",
        "errors.log.enable": "true",
        "errors.log.include.messages": "true",
        "errors.deadletterqueue.topic.name": queue,
        "errors.deadletterqueue.topic.replication.factor": "1",
        "errors.deadletterqueue.context.headers.enable": "true",
    }


@pytest.fixture
def poisoned(drover: RunningDrover, unique: str) -> str:
    topic = f"poisoned-{unique}"
    create_topic(drover.bootstrap_servers, topic, 1)
    produce(drover.bootstrap_servers, topic)
    return topic


def failed(client: ConnectClient, name: str) -> str:
    """The trace of the connector's one task, when it has failed."""
    found = eventually(lambda: [task for task in client.status(name).tasks if task.state == "FAILED"])
    return found[0].trace or ""


def test_the_others_are_written_and_the_dead_letters_are_kafka_connects(
    client: ConnectClient, drover: RunningDrover, poisoned: str, unique: str, tmp_path: Path
) -> None:
    name, mine, theirs = f"tolerant-{unique}", f"dead-{unique}", f"dead-there-{unique}"
    config = tolerant(name, tmp_path / "out", poisoned, mine)
    client.create(name, config)
    eventually(lambda: (tmp_path / "out").read_bytes() == LINES)
    eventually(lambda: len(letters(drover.bootstrap_servers, mine)) == len(POISONED))
    with peer.connect_worker(drover.bootstrap_servers, tmp_path, group=f"peer-{unique}") as connect:
        # Under another name: the offsets of a consumer group are Kafka's, whoever works for it.
        there = f"{name}-there"
        changes = {"name": there, "file": str(tmp_path / "there"), "errors.deadletterqueue.topic.name": theirs}
        connect.create(there, {**config, **changes})
        eventually(lambda: (tmp_path / "there").read_bytes() == LINES)
        eventually(lambda: len(letters(drover.bootstrap_servers, theirs)) == len(POISONED))
        connect.delete(there)
    found = letters(drover.bootstrap_servers, theirs)
    expected = [replace(one, headers=[_named(header, there, name) for header in one.headers]) for one in found]
    assert letters(drover.bootstrap_servers, mine) == expected
    assert {task.state for task in client.status(name).tasks} == {"RUNNING"}
    line = (
        f"Error encountered in task {name}-0. Executing stage 'VALUE_CONVERTER' with class '{INTEGER}', "
        f"where consumed record is {{topic='{poisoned}', partition=0, offset=1, timestamp="
    )
    assert line in drover.log("worker")
    assert line.replace(f"{name}-0", f"{there}-0") in (tmp_path / "connect.log").read_text()


def test_offsets_go_past_what_was_left_out(
    client: ConnectClient, drover: RunningDrover, poisoned: str, unique: str, tmp_path: Path
) -> None:
    name, queue = f"past-{unique}", f"dead-{unique}"
    client.create(name, tolerant(name, tmp_path / "out", poisoned, queue))
    eventually(lambda: (tmp_path / "out").read_bytes() == LINES)
    eventually(lambda: [one.offset for one in client.offsets(name)] == [{"kafka_offset": len(VALUES)}])
    client.restart(name, only_failed=False)
    produce(drover.bootstrap_servers, poisoned)
    eventually(lambda: (tmp_path / "out").read_bytes() == LINES + LINES)
    eventually(lambda: len(letters(drover.bootstrap_servers, queue)) == 2 * len(POISONED))


def test_without_tolerance_the_first_of_them_stops_the_task_and_is_named(
    client: ConnectClient, drover: RunningDrover, poisoned: str, unique: str, tmp_path: Path
) -> None:
    name, queue = f"strict-{unique}", f"dead-{unique}"
    config = {**tolerant(name, tmp_path / "out", poisoned, queue), "errors.tolerance": "none"}
    client.create(name, config)
    trace = failed(client, name)
    assert "Tolerance exceeded in error handler" in trace.splitlines()[0]
    cause = next(line for line in trace.splitlines() if line.startswith("Caused by: "))
    for named in (f"topic {poisoned}, partition 0, offset 1, stage VALUE_CONVERTER, class {INTEGER}", "DataException: "):
        assert named in cause
    assert not (tmp_path / "out").read_bytes()
    assert [letter.value for letter in letters(drover.bootstrap_servers, queue)] == [b"abc"]
    # Past it by hand, as operators do.
    client.stop(name)
    client.alter_offsets(name, [PartitionOffset({"kafka_topic": poisoned, "kafka_partition": 0}, {"kafka_offset": 5})])
    client.resume(name)
    eventually(lambda: (tmp_path / "out").read_bytes() == b"3\n")


def test_a_queue_that_cannot_be_made_fails_the_task(client: ConnectClient, poisoned: str, unique: str, tmp_path: Path) -> None:
    name = f"no-queue-{unique}"
    config = tolerant(name, tmp_path / "out", poisoned, f"dead-{unique}")
    client.create(name, {**config, "errors.deadletterqueue.topic.replication.factor": "7"})
    assert f"Could not initialize dead letter queue with topic=dead-{unique}" in failed(client, name)


def test_of_a_source_the_others_are_written(client: ConnectClient, drover: RunningDrover, unique: str, tmp_path: Path) -> None:
    """A text is no number to this converter: nothing goes through. The task goes on."""
    name, topic = f"source-{unique}", f"numbers-{unique}"
    create_topic(drover.bootstrap_servers, topic, 1)
    (tmp_path / "in").write_bytes(b"one\ntwo\n")
    config = {
        **source(name, tmp_path / "in", topic),
        "value.converter": INTEGER,
        "errors.tolerance": "all",
        "errors.log.enable": "true",
        "errors.log.include.messages": "true",
    }
    client.create(name, config)
    eventually(lambda: [one.offset for one in client.offsets(name)] == [{"position": 8}])
    assert records(drover.bootstrap_servers, topic) == []
    assert f"where source record is = {{topic='{topic}', value='two'}}" in drover.log("worker")
    client.put_config(name, {**config, "errors.tolerance": "none"})
    with (tmp_path / "in").open("ab") as file:
        file.write(b"three\n")
    assert "Failed to serialize to integer (was class java.lang.String)" in failed(client, name)
