"""What sinks have to know of Kafka's topics, asked in bulk and for all tasks together."""

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from typing import NamedTuple, TypeVar

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, ListOffsetsResultInfo, OffsetSpec

from workers.storage.kafka import answered, passes_by_itself

T = TypeVar("T")

_TIMEOUT = 15.0
_GROUP_TIMEOUT = 5.0


class Partition(NamedTuple):
    topic: str
    number: int


class Partitions:
    """Thread-safe. Every method may raise KafkaException."""

    def __init__(self, make_admin: Callable[[], AdminClient], *, offsets_age: float = 0.15, topics_age: float = 2.0):
        self._make_admin = make_admin
        self._admin = make_admin()
        self._offsets_age = offsets_age
        self._topics_age = topics_age
        self._lock = threading.Lock()
        self._watched: dict[Partition, int] = {}
        self._ends: dict[Partition, Future[ListOffsetsResultInfo]] = {}
        self._ends_at = -1e9
        self._topics: dict[str, int] = {}
        self._topics_at = -1e9

    def topics(self) -> Mapping[str, int]:
        """Each topic's number of partitions, as of some seconds ago."""
        with self._lock:
            if time.monotonic() - self._topics_at > self._topics_age:
                topics = self._admin.list_topics(timeout=_TIMEOUT).topics
                self._topics = {name: len(topic.partitions) for name, topic in topics.items() if topic.error is None}
                self._topics_at = time.monotonic()
            return self._topics

    def watch(self, partitions: Iterable[Partition]) -> None:
        with self._lock:
            for partition in partitions:
                self._watched[partition] = self._watched.get(partition, 0) + 1
            self._ends_at = -1e9

    def unwatch(self, partitions: Iterable[Partition]) -> None:
        with self._lock:
            for partition in partitions:
                self._watched[partition] -= 1
                if not self._watched[partition]:
                    del self._watched[partition]

    def ends(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        """The watched partitions' end offsets; one request for all of them serves every task for a moment. A partition that
        has no answer, its topic deleted perhaps, raises for those that ask for it and for nobody else."""
        with self._lock:
            if time.monotonic() - self._ends_at > self._offsets_age:
                self._ends = self._offsets(self._watched, OffsetSpec.latest())
                self._ends_at = time.monotonic()
            found = {partition: self._ends[partition] for partition in partitions if partition in self._ends}
        return self._results(found)

    def begins(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        return self._results(self._offsets(partitions, OffsetSpec.earliest()))

    def _results(self, futures: Mapping[Partition, Future[ListOffsetsResultInfo]]) -> dict[Partition, int]:
        admin = self._admin
        try:
            return {partition: answered(future).offset for partition, future in futures.items()}
        except KafkaException as error:
            self._renew(admin, error)
            raise

    def _offsets(self, partitions: Iterable[Partition], spec: OffsetSpec) -> dict[Partition, Future[ListOffsetsResultInfo]]:
        wanted = {TopicPartition(*partition): spec for partition in partitions}
        futures = self._admin.list_offsets(wanted, request_timeout=_TIMEOUT) if wanted else {}
        return {Partition(tp.topic, tp.partition): future for tp, future in futures.items()}

    def committed(self, group: str, partitions: Iterable[Partition]) -> dict[Partition, int]:
        """The group's committed offsets; partitions without one are left out."""
        wanted = [TopicPartition(*partition) for partition in partitions]
        if not wanted:
            return {}
        request = ConsumerGroupTopicPartitions(group, wanted)
        answer = self._ask_coordinator(
            lambda admin: admin.list_consumer_group_offsets([request], request_timeout=_GROUP_TIMEOUT)[group]
        )
        found = answer.topic_partitions or []
        return {Partition(tp.topic, tp.partition): tp.offset for tp in found if tp.error is None and tp.offset >= 0}

    def _ask_coordinator(self, call: Callable[[AdminClient], Future[T]]) -> T:
        admin = self._admin
        try:
            return answered(call(admin))
        except KafkaException as error:
            self._renew(admin, error)
            raise

    def _renew(self, admin: AdminClient, error: KafkaException) -> None:
        """A librdkafka client that has lost a group's coordinator once never reaches it again, though it is back, and for minutes
        goes on with the leaders' epochs that it knows: the next try is given a new client."""
        if self._admin is admin and passes_by_itself(error.args[0]):
            self._admin = self._make_admin()

    def commit(self, group: str, offsets: Mapping[Partition, int]) -> None:
        """Durable on return."""
        request = ConsumerGroupTopicPartitions(group, [TopicPartition(*p, offset) for p, offset in offsets.items()])
        answer = self._ask_coordinator(
            lambda admin: admin.alter_consumer_group_offsets([request], request_timeout=_GROUP_TIMEOUT)[group]
        )
        for partition in answer.topic_partitions or []:
            if partition.error is not None:
                raise KafkaException(partition.error)
