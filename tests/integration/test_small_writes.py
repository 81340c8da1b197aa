"""A few records, written by the worker itself, into partitions that come and go."""

import uuid

import pytest
from confluent_kafka import KafkaException
from confluent_kafka.admin import NewPartitions, NewTopic

from tests.topics import create_topic, records
from workers.runtime.small_writes import SmallWrites, Undelivered
from workers.storage.kafka import Kafka


@pytest.fixture
def cluster(kafka: str) -> Kafka:
    return Kafka(kafka, client_id="test-small-writes")


@pytest.fixture
def topic(kafka: str) -> str:
    name = f"few-{uuid.uuid4().hex[:8]}"
    create_topic(kafka, name, 1)
    return name


def line(topic: str, partition: int, value: bytes) -> dict[str, object]:
    return {"topic": topic, "key": None, "value": value, "partition": partition}


def test_a_partition_that_is_new_is_found_before_anything_is_written(cluster: Kafka, kafka: str, topic: str) -> None:
    writes = SmallWrites(cluster)
    writes.send([line(topic, 0, b"1")])
    admin = cluster.new_admin()
    admin.create_partitions([NewPartitions(topic, 3)])[topic].result(10)
    writes.send([line(topic, 0, b"2"), line(topic, 2, b"3")])
    assert sorted(value for _, value in records(kafka, topic) if value) == [b"1", b"2", b"3"]


@pytest.mark.parametrize("big", [2_000, 2_000_000], ids=["for the topic", "for the client"])
def test_which_topics_lack_records_is_told_and_the_others_have_all(cluster: Kafka, kafka: str, topic: str, big: int) -> None:
    small = f"{topic}-small"
    new = NewTopic(small, num_partitions=1, replication_factor=1, config={"max.message.bytes": "500"})
    cluster.admin.create_topics([new])[small].result(10)
    lines = [line(topic, 0, b"1"), line(small, 0, b"x" * big), line(small, 0, b"2"), line(topic, 0, b"3")]
    with pytest.raises(Undelivered) as raised:
        SmallWrites(cluster).send(lines)
    assert raised.value.topics == {small}
    assert records(kafka, topic) == [(None, b"1"), (None, b"3")]


def test_what_was_written_beside_a_record_that_fails_has_arrived_by_then(cluster: Kafka, kafka: str, topic: str) -> None:
    writes = SmallWrites(cluster)
    with pytest.raises(KafkaException, match="Unknown partition"):
        writes.send([line(topic, 0, b"1"), line(topic, 7, b"2")])
    assert records(kafka, topic) == [(None, b"1")]
    writes.send([line(topic, 0, b"3")])
    assert records(kafka, topic) == [(None, b"1"), (None, b"3")]
