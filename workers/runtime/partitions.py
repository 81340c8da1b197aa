"""What sinks have to know of Kafka's topics, asked in bulk and for all tasks together."""

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future

from confluent_kafka import KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, ListOffsetsResultInfo, OffsetSpec

from workers.herder.values import Partition
from workers.runtime.pace import ends_age
from workers.storage.kafka import answered, passes_by_itself

_TIMEOUT = 15.0


class Partitions:
    """Thread-safe. Every method may raise KafkaException."""

    def __init__(self, make_admin: Callable[[], AdminClient], *, offsets_age: float = 0.15, topics_age: float = 2.0) -> None:
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
        """The watched partitions' end offsets; one request for all of them serves every task for a moment, a longer one where
        there are very many (`pace`). A partition that has no answer, its topic deleted perhaps, raises for those that ask for it
        and for nobody else."""
        with self._lock:
            if time.monotonic() - self._ends_at > ends_age(self._offsets_age, len(self._watched)):
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
        finally:
            # See `Kafka._offsets`.
            del admin

    def _offsets(self, partitions: Iterable[Partition], spec: OffsetSpec) -> dict[Partition, Future[ListOffsetsResultInfo]]:
        wanted = {TopicPartition(*partition): spec for partition in partitions}
        futures = self._admin.list_offsets(wanted, request_timeout=_TIMEOUT) if wanted else {}
        return {Partition(tp.topic, tp.partition): future for tp, future in futures.items()}

    def _renew(self, admin: AdminClient, error: KafkaException) -> None:
        """A librdkafka client goes on for minutes with the leaders and their epochs that it knows, though a broker was restarted
        meanwhile: the next try is given a new client."""
        if self._admin is admin and passes_by_itself(error.args[0]):
            self._admin = self._make_admin()
