"""Connectors that read from, or write to, another Kafka cluster than the worker's (KIP-458), and where their offsets are."""

from pathlib import Path

from confluent_kafka import ConsumerGroupTopicPartitions
from confluent_kafka.admin import AdminClient

from connect_client import ConnectClient, PartitionOffset
from tests.integration.conftest import sink, source
from tests.running import RunningDrover
from tests.topics import create_topic, produce, values
from tests.waiting import eventually


def committed(bootstrap_servers: str, group: str) -> dict[tuple[str, int], int]:
    admin = AdminClient({"bootstrap.servers": bootstrap_servers})
    found = admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)])[group].result(10)
    return {(tp.topic, tp.partition): tp.offset for tp in found.topic_partitions}


def stop(client: ConnectClient, name: str) -> None:
    client.stop(name)
    eventually(lambda: client.status(name).connector.state == "STOPPED")


def test_a_sink_reads_and_keeps_its_offsets_there(
    client: ConnectClient, drover: RunningDrover, elsewhere: str, unique: str, tmp_path: Path
) -> None:
    name = topic = f"there-{unique}"
    create_topic(elsewhere, topic, 1)
    produce(elsewhere, topic, *[("k", f"{number}") for number in range(10)])
    output = tmp_path / "out.txt"
    client.create(name, {**sink(name, output, topic), "consumer.override.bootstrap.servers": elsewhere})

    def at(offset: int) -> PartitionOffset:
        return PartitionOffset({"kafka_partition": 0, "kafka_topic": topic}, {"kafka_offset": offset})

    eventually(lambda: client.offsets(name) == [at(10)])
    assert (committed(elsewhere, f"connect-{name}"), committed(drover.bootstrap_servers, f"connect-{name}")) == (
        {(topic, 0): 10},
        {},
    )
    stop(client, name)
    client.alter_offsets(name, [at(7)])
    client.resume(name)
    eventually(lambda: client.offsets(name) == [at(10)])
    assert output.read_text().split() == [*map(str, range(10)), "7", "8", "9"]
    stop(client, name)
    client.reset_offsets(name)
    assert (client.offsets(name), committed(elsewhere, f"connect-{name}")) == ([], {})


def test_a_source_writes_there_and_keeps_its_offsets_here(
    client: ConnectClient, elsewhere: str, unique: str, tmp_path: Path
) -> None:
    name = topic = f"out-{unique}"
    input = tmp_path / "in.txt"
    input.write_text("one\ntwo\n")
    client.create(name, {**source(name, input, topic), "producer.override.bootstrap.servers": elsewhere})

    def at(position: int) -> PartitionOffset:
        return PartitionOffset({"filename": str(input)}, {"position": position})

    eventually(lambda: client.offsets(name) == [at(8)])
    stop(client, name)
    client.alter_offsets(name, [at(4)])
    client.resume(name)
    eventually(lambda: client.offsets(name) == [at(8)])
    assert values(elsewhere, topic) == [b"one", b"two", b"two"]
