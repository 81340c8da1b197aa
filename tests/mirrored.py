"""Topics, records and consumer groups on both sides of a mirror, as tests make them and look at them. Not a test module."""

import time
from collections import defaultdict

from confluent_kafka import Consumer, Message, Producer, TopicPartition
from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ConfigSource,
    NewPartitions,
    NewTopic,
    ResourceType,
)

from tests.topics import messages

#: The first record's milliseconds since 1970: an hour ago. What is older than its topic's retention is deleted.
BEGAN = time.time_ns() // 1_000_000 - 3_600_000
#: What a record is to its reader: partition, key, value, headers, and the milliseconds since 1970.
Record = tuple[int, bytes | None, bytes | None, object, int]


def create(servers: str, topic: str, partitions: int, **settings: str) -> None:
    config = {key.replace("_", "."): value for key, value in settings.items()}
    new = NewTopic(topic, num_partitions=partitions, replication_factor=1, config=config)
    admin = AdminClient({"bootstrap.servers": servers})
    admin.create_topics([new])[topic].result(10)


def settings_of(servers: str, topic: str) -> dict[str, str]:
    """Its own; a cluster has some for all of its topics."""
    resource = ConfigResource(ResourceType.TOPIC, topic)
    admin = AdminClient({"bootstrap.servers": servers})
    found = admin.describe_configs([resource])[resource].result(10)
    own = ConfigSource.DYNAMIC_TOPIC_CONFIG.value
    return {name: entry.value for name, entry in found.items() if entry.source == own}


def change_setting(servers: str, topic: str, name: str, value: str) -> None:
    change = ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[change])
    admin = AdminClient({"bootstrap.servers": servers})
    admin.incremental_alter_configs([resource])[resource].result(10)


def topics(servers: str) -> set[str]:
    return set(AdminClient({"bootstrap.servers": servers}).list_topics(timeout=10).topics)


def partitions_of(servers: str, topic: str) -> int:
    # Of all topics: one that is asked for by its name is made by the broker, of one partition.
    return len(AdminClient({"bootstrap.servers": servers}).list_topics(timeout=10).topics[topic].partitions)


def add_partitions(servers: str, topic: str, partitions: int) -> None:
    """So that there are so many."""
    admin = AdminClient({"bootstrap.servers": servers})
    admin.create_partitions([NewPartitions(topic, partitions)])[topic].result(10)


def write(servers: str, topic: str, count: int, partitions: int, first: int = 0) -> None:
    """Odd ones among them: without key, value, header, or with one key twice and a header that holds nothing."""
    producer = Producer({"bootstrap.servers": servers, "linger.ms": 20})
    for number in range(first, first + count):
        headers: list[tuple[str, str | bytes | None]] = [("n", b"%d" % number), ("n", b"\x00\xff"), ("empty", None)]
        producer.produce(
            topic,
            key=None if number % 7 == 0 else b"key %d" % number,
            value=None if number % 5 == 0 else b"value %d \xff" % number,
            partition=number % partitions,
            headers=None if number % 3 == 0 else headers,
            timestamp=BEGAN + number,
        )
        producer.poll(0)
    assert producer.flush(60) == 0


def record(message: Message) -> Record:
    partition = message.partition()
    assert partition is not None
    return partition, message.key(), message.value(), message.headers(), message.timestamp()[1]


def read(servers: str, topic: str) -> list[list[Record]]:
    """Partition by partition, each in order."""
    found: dict[int, list[Record]] = defaultdict(list)
    for one in map(record, messages(servers, topic)):
        found[one[0]].append(one)
    return [found[number] for number in range(partitions_of(servers, topic))]


def ends(servers: str, topic: str) -> list[int]:
    consumer = Consumer({"bootstrap.servers": servers, "group.id": "tests-ends"})
    try:
        partitions = range(partitions_of(servers, topic))
        return [consumer.get_watermark_offsets(TopicPartition(topic, number), 10)[1] for number in partitions]
    finally:
        consumer.close()


def consume(servers: str, group: str, topic: str, count: int | None) -> list[Record]:
    """As a member of the group that commits what it has read: so many records, or all that there are."""
    consumer = Consumer(
        {
            "bootstrap.servers": servers,
            "group.id": group,
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "enable.partition.eof": True,
        }
    )
    found: list[Record] = []
    try:
        consumer.subscribe([topic])
        while count is None or len(found) < count:
            message = consumer.poll(20)
            assert message is not None, f"nothing of {topic}"
            if message.error() is not None:
                break
            found.append(record(message))
        if found:
            consumer.commit(offsets=consumer.position([TopicPartition(topic, 0)]), asynchronous=False)
    finally:
        consumer.close()
    return found


def committed(servers: str, group: str, topic: str) -> int:
    """Where the group stands in partition 0; negative if nowhere."""
    consumer = Consumer({"bootstrap.servers": servers, "group.id": group})
    try:
        return int(consumer.committed([TopicPartition(topic, 0)], 10)[0].offset)
    finally:
        consumer.close()
