"""Group offsets through Kafka's Java client, in a JVM that has nothing but that client."""

import time
from collections.abc import Iterator
from pathlib import Path

import pyspark
import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from django.conf import settings
from py4j.java_gateway import JavaGateway, JVMView
from py4j.protocol import Py4JJavaError

from tests.jvm import own_errors
from tests.running import free_port
from tests.topics import produce
from tests.waiting import eventually
from workers.herder.ports import GroupError, GroupInUse
from workers.herder.values import Partition, Position
from workers.runtime.faults import is_retriable
from workers.runtime.group_offsets import GroupOffsets


@pytest.fixture(scope="module")
def jvm() -> Iterator[JVMView]:
    spark = Path(pyspark.__file__).parent / "jars"
    classes = [*(Path(settings.BASE_DIR) / ".jars" / "spark").glob("*.jar"), *spark.glob("slf4j-api*.jar")]
    gateway = JavaGateway.launch_gateway(
        classpath=":".join(map(str, classes)), jarpath=str(next(spark.glob("py4j*.jar"))), die_on_exit=True
    )
    with own_errors():
        yield gateway.jvm
    gateway.shutdown()


@pytest.fixture
def topic(kafka: str, unique: str) -> str:
    name = f"group-offsets-{unique}"
    admin = AdminClient({"bootstrap.servers": kafka})
    admin.create_topics([NewTopic(name, num_partitions=3)])[name].result(10)
    return name


@pytest.fixture
def offsets(jvm: JVMView, kafka: str) -> Iterator[GroupOffsets]:
    offsets = GroupOffsets(jvm, kafka)
    yield offsets
    offsets.close()


def test_what_is_committed_is_read_back(offsets: GroupOffsets, topic: str, unique: str) -> None:
    zero, one, two = (Partition(topic, number) for number in range(3))
    offsets.commit(unique, {zero: 5, two: 0})
    assert offsets.committed(unique, [zero, one, two]) == {zero: 5, two: 0}, "one has none"
    offsets.commit(unique, {zero: 3, one: 1})
    assert offsets.committed(unique, [zero, one]) == {zero: 3, one: 1}


def test_a_group_that_is_not_there_has_no_offsets(offsets: GroupOffsets, topic: str, unique: str) -> None:
    assert offsets.committed(f"nobody-{unique}", [Partition(topic, 0)]) == {}
    assert offsets.committed(unique, []) == {}


def test_other_clients_see_them(offsets: GroupOffsets, topic: str, unique: str, kafka: str) -> None:
    offsets.commit(unique, {Partition(topic, 1): 7})
    consumer = Consumer({"bootstrap.servers": kafka, "group.id": unique})
    assert [found.offset for found in consumer.committed([TopicPartition(topic, 1)], timeout=10)] == [7]
    consumer.close()


@pytest.fixture
def member(kafka: str, topic: str, unique: str) -> Iterator[None]:
    """Somebody is in the group."""
    consumer = Consumer({"bootstrap.servers": kafka, "group.id": unique, "auto.offset.reset": "latest"})
    consumer.subscribe([topic])

    def joined() -> bool:
        consumer.poll(0.1)
        return bool(consumer.assignment())

    eventually(joined)
    yield
    consumer.close()


@pytest.mark.usefixtures("member")
def test_a_group_with_members_refuses(offsets: GroupOffsets, topic: str, unique: str) -> None:
    with pytest.raises(Py4JJavaError, match="UnknownMemberIdException") as raised:
        offsets.commit(unique, {Partition(topic, 0): 1})
    assert not is_retriable(raised.value)


@pytest.mark.usefixtures("member")
def test_a_group_with_members_is_not_altered_by_hand(offsets: GroupOffsets, topic: str, unique: str) -> None:
    for offset in (1, None):
        with pytest.raises(GroupInUse):
            offsets.alter(unique, {Partition(topic, 0): offset})
    with pytest.raises(GroupInUse):
        offsets.delete(unique)
    assert offsets.offsets(unique) == {}


def test_whether_somebody_is_in_a_group_is_known_before_anything_is_committed(
    offsets: GroupOffsets, topic: str, unique: str, request: pytest.FixtureRequest
) -> None:
    at = {Partition(topic, 0): 2, Partition(topic, 1): 0}
    offsets.commit(unique, at)
    offsets.require_unused(unique, at)
    assert offsets.offsets(unique) == at
    request.getfixturevalue("member")
    with pytest.raises(GroupInUse):
        offsets.require_unused(unique, at)


def test_a_topic_that_is_not_there_is_refused(offsets: GroupOffsets, unique: str) -> None:
    with pytest.raises(Py4JJavaError, match="UnknownTopicOrPartitionException"):
        offsets.commit(unique, {Partition(f"nowhere-{unique}", 0): 1})


# --- topics -----------------------------------------------------------------------------------------------------------


def test_topics_and_where_their_logs_begin_and_end(offsets: GroupOffsets, topic: str, kafka: str) -> None:
    produce(kafka, topic, ("k", "one"), ("k", "two"), partition=1)
    assert offsets.topics()[topic] == 3
    partitions = [Partition(topic, number) for number in range(3)]
    assert list(offsets.log_offsets(partitions, latest=True).values()) == [0, 2, 0]
    assert list(offsets.log_offsets(partitions, latest=False).values()) == [0, 0, 0]
    with pytest.raises(Py4JJavaError):
        offsets.log_offsets([Partition(topic, 9)], latest=True)


def test_properties_of_a_consumers_are_taken(jvm: JVMView, kafka: str, unique: str) -> None:
    """Those that make no sense for an administrator, too."""
    offsets = GroupOffsets(jvm, kafka, properties={"max.poll.records": "5", "request.timeout.ms": "60000"})
    assert offsets.offsets(unique) == {}
    offsets.close()


# --- by hand ----------------------------------------------------------------------------------------------------------


def test_all_offsets_of_a_group(offsets: GroupOffsets, topic: str, unique: str) -> None:
    zero, one, two = (Partition(topic, number) for number in range(3))
    assert offsets.offsets(unique) == {}
    offsets.alter(unique, {zero: 5, two: 2**40})
    assert offsets.offsets(unique) == {zero: 5, two: 2**40}
    offsets.alter(unique, {zero: None, one: 1})
    assert offsets.offsets(unique) == {one: 1, two: 2**40}
    for _ in range(2):
        offsets.delete(unique)
        assert offsets.offsets(unique) == {}


def test_where_one_partition_does_not_exist_nothing_is_altered(offsets: GroupOffsets, topic: str, unique: str) -> None:
    there = Partition(topic, 0)
    for missing in (Partition(topic, 3), Partition(topic, -1), Partition(f"nowhere-{unique}", 0)):
        with pytest.raises(GroupError):
            offsets.alter(unique, {there: 5, missing: 1})
    assert offsets.offsets(unique) == {}


def test_what_has_no_offset_cannot_be_reset(offsets: GroupOffsets, topic: str, unique: str) -> None:
    with pytest.raises(GroupError, match="GroupIdNotFoundException"):
        offsets.alter(unique, {Partition(topic, 0): None})


# --- positions --------------------------------------------------------------------------------------------------------

AT_ONE, AT_TWO = 1_790_000_001_000, 1_790_000_002_000


@pytest.fixture
def written(kafka: str, topic: str) -> str:
    """Three records in partition 0, the first of them deleted since, one in partition 1, none in partition 2."""
    producer = Producer({"bootstrap.servers": kafka})
    for partition, written_at in ((0, AT_ONE), (0, AT_ONE), (0, AT_TWO), (1, AT_ONE)):
        producer.produce(topic, value="v", partition=partition, timestamp=written_at)
    assert producer.flush(20) == 0
    admin = AdminClient({"bootstrap.servers": kafka})
    for deleted in admin.delete_records([TopicPartition(topic, 0, 1)]).values():
        deleted.result(10)
    return topic


@pytest.mark.parametrize("by", ["topics", "topics.regex"])
def test_positions_of_what_is_subscribed(offsets: GroupOffsets, written: str, unique: str, by: str) -> None:
    offsets.commit(unique, {Partition(written, 0): 2})
    config = {by: f"nowhere-{unique}, {written}" if by == "topics" else f"group-.*-{unique}"}
    assert offsets.positions(unique, config, None) == [
        Position(written, 0, 2, 1, 3),
        Position(written, 1, None, 0, 1),
        Position(written, 2, None, 0, 0),
    ]


def test_positions_at_a_moment(offsets: GroupOffsets, written: str, unique: str) -> None:
    def at(time: int) -> list[int | None]:
        return [position.at for position in offsets.positions(unique, {"topics": written}, time)]

    assert at(0) == [1, 0, None]
    assert at(AT_ONE + 1) == [2, None, None]
    assert at(AT_TWO + 1) == [None, None, None]


def test_positions_of_what_is_committed_though_it_is_not_subscribed_any_more(
    offsets: GroupOffsets, written: str, unique: str
) -> None:
    assert offsets.positions(unique, {"topics": f"nowhere-{unique}"}, None) == []
    offsets.commit(unique, {Partition(written, 1): 1})
    found = offsets.positions(unique, {"topics": f"nowhere-{unique}"}, None)
    assert [position.offset for position in found] == [None, 1, None]


def test_without_a_broker_it_may_be_tried_again(jvm: JVMView) -> None:
    nobody = GroupOffsets(jvm, f"127.0.0.1:{free_port()}")
    began = time.monotonic()
    with pytest.raises(Py4JJavaError) as raised:
        nobody.commit("any", {Partition("any", 0): 1})
    assert is_retriable(raised.value)
    with pytest.raises(GroupError):
        nobody.offsets("any")
    with pytest.raises(GroupError) as refused:
        nobody.require_unused("any", {Partition("any", 0): 1})
    assert is_retriable(refused.value)
    assert time.monotonic() - began < 35
    nobody.close()
