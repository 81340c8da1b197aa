"""What sinks ask of Kafka: in bulk for all tasks together, and one task's trouble is not another's."""

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicPartition

from workers.herder.values import Partition
from workers.runtime.partitions import Partitions

A0, B0, GONE = Partition("a", 0), Partition("b", 0), Partition("gone", 0)
UNKNOWN = KafkaException(KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART))


def result(value: Any) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_result(value)
    return future


class Admin:
    """Knows where topics end and groups stand; notes what it is asked."""

    def __init__(self) -> None:
        self.ends = {A0: 5, B0: 7}
        self.asked: list[set[Partition]] = []
        self.listed = 0

    def list_topics(self, **_: object) -> SimpleNamespace:
        self.listed += 1
        topics = {"a": ([0], None), "b": ([0, 1], None), "broken": ([], UNKNOWN.args[0])}
        return SimpleNamespace(topics={n: SimpleNamespace(partitions=p, error=e) for n, (p, e) in topics.items()})

    def list_offsets(self, wanted: dict[TopicPartition, Any], **_: object) -> dict[TopicPartition, Future[Any]]:
        self.asked.append({Partition(tp.topic, tp.partition) for tp in wanted})
        return {tp: self._found(Partition(tp.topic, tp.partition)) for tp in wanted}

    def _found(self, partition: Partition) -> Future[Any]:
        if partition in self.ends:
            return result(SimpleNamespace(offset=self.ends[partition]))
        future: Future[Any] = Future()
        future.set_exception(UNKNOWN)
        return future


@pytest.fixture
def admin() -> Admin:
    return Admin()


def made(admin: Admin, *, offsets_age: float = 1000.0, topics_age: float = 1000.0) -> Partitions:
    return Partitions(lambda: admin, offsets_age=offsets_age, topics_age=topics_age)  # type: ignore[arg-type, return-value]


def test_one_request_serves_every_task_for_a_while(admin: Admin) -> None:
    partitions = made(admin)
    partitions.watch([A0])
    partitions.watch([B0])
    assert (partitions.ends([A0]), partitions.ends([B0]), partitions.ends([A0, B0])) == ({A0: 5}, {B0: 7}, {A0: 5, B0: 7})
    assert admin.asked == [{A0, B0}]


def test_what_is_newly_watched_is_asked_for_at_once(admin: Admin) -> None:
    partitions = made(admin)
    partitions.watch([A0])
    partitions.ends([A0])
    partitions.watch([B0])
    assert partitions.ends([B0]) == {B0: 7}


def test_after_its_age_it_is_asked_again(admin: Admin) -> None:
    partitions = made(admin, offsets_age=-1.0)
    partitions.watch([A0])
    assert partitions.ends([A0]) == {A0: 5}
    admin.ends[A0] = 6
    assert partitions.ends([A0]) == {A0: 6}


def test_a_partition_is_watched_until_the_last_task_has_let_it_go(admin: Admin) -> None:
    partitions = made(admin, offsets_age=-1.0)
    partitions.watch([A0])
    partitions.watch([A0, B0])
    partitions.unwatch([A0])
    partitions.unwatch([B0])
    partitions.ends([A0])
    partitions.unwatch([A0])
    assert partitions.ends([]) == {}
    assert admin.asked == [{A0}], "with nothing watched Kafka is not asked"


def test_a_topic_that_is_gone_fails_only_those_that_read_it(admin: Admin) -> None:
    partitions = made(admin)
    partitions.watch([A0])
    partitions.watch([GONE])
    assert partitions.ends([A0]) == {A0: 5}
    with pytest.raises(KafkaException) as raised:
        partitions.ends([GONE])
    assert raised.value is UNKNOWN


@pytest.mark.parametrize(("age", "listed"), [(1000.0, 1), (-1.0, 2)])
def test_topics_with_their_number_of_partitions_for_a_while(admin: Admin, age: float, listed: int) -> None:
    partitions = made(admin, topics_age=age)
    assert (partitions.topics(), partitions.topics()) == ({"a": 1, "b": 2}, {"a": 1, "b": 2})
    assert admin.listed == listed
