"""Looking into Kafka from tests."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic


def create_topic(bootstrap_servers: str, topic: str, partitions: int) -> None:
    admin = AdminClient({"bootstrap.servers": bootstrap_servers})
    admin.create_topics([NewTopic(topic, num_partitions=partitions)])[topic].result(10)


def produce(
    bootstrap_servers: str, topic: str, *records: tuple[str | bytes | None, str | bytes | None], partition: int = -1
) -> None:
    """Writes records as any other program might."""
    producer = Producer({"bootstrap.servers": bootstrap_servers, "partitioner": "murmur2_random"})
    failed: list[KafkaError] = []
    for key, value in records:
        producer.produce(
            topic,
            key=key,
            value=value,
            partition=partition,
            on_delivery=lambda error, _: failed.append(error) if error else None,
        )
    assert producer.flush(20) == 0
    assert not failed, failed


@contextmanager
def producing(bootstrap_servers: str, topic: str) -> Iterator[list[int]]:
    """Meanwhile somebody writes numbers, about two hundred a second; those that are written so far."""
    ended, sent = threading.Event(), list[int]()
    producer = Producer({"bootstrap.servers": bootstrap_servers, "linger.ms": 0})

    def run() -> None:
        while not ended.wait(0.005):
            producer.produce(topic, value=str(len(sent)).encode(), partition=len(sent) % 2)
            producer.poll(0)
            sent.append(len(sent))

    thread = threading.Thread(target=run, name=f"producing to {topic}")
    thread.start()
    try:
        yield sent
    finally:
        ended.set()
        thread.join()
        assert producer.flush(20) == 0


def messages(bootstrap_servers: str, topic: str) -> Iterator[Message]:
    """All messages of a topic as of now, partition by partition in order."""
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap_servers,
            "group.id": "tests-look",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            # An empty partition says so at once.
            "fetch.wait.max.ms": 20,
            "isolation.level": "read_committed",
        }
    )
    try:
        partitions = consumer.list_topics(topic, timeout=10).topics[topic].partitions
        consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING) for partition in partitions])
        open_partitions = len(partitions)
        while open_partitions:
            message = consumer.poll(10)
            assert message is not None, f"topic {topic} stopped answering"
            error = message.error()
            if error is None:
                yield message
            elif error.code() == KafkaError._PARTITION_EOF:
                open_partitions -= 1
            else:
                raise AssertionError(error.str())
    finally:
        consumer.close()


def values(bootstrap_servers: str, topic: str) -> list[bytes | None]:
    return [message.value() for message in messages(bootstrap_servers, topic)]


def records(bootstrap_servers: str, topic: str) -> list[tuple[bytes | None, bytes | None]]:
    return [(message.key(), message.value()) for message in messages(bootstrap_servers, topic)]


def delete_records(bootstrap_servers: str, topic: str, *, before: int) -> None:
    """Of partition 0, as retention does."""
    admin, where = AdminClient({"bootstrap.servers": bootstrap_servers}), TopicPartition(topic, 0, before)
    (deleted,) = admin.delete_records([where]).values()
    deleted.result(20)
