"""The offsets that a sink's group stands at, through Kafka's own Java client in the driver's JVM.

Not through librdkafka: what its admin client asks a group's coordinator ends the whole process when the connection drops at that
moment (its issue 4605), and after that it never finds the coordinator again.
"""

import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from py4j.protocol import Py4JJavaError

from workers.connectors.topic_creation import TopicCreation
from workers.herder.ports import GroupError, GroupInUse
from workers.herder.values import Config, Partition, Position
from workers.runtime.new_topics import make_missing
from workers.runtime.ranges import subscribed_topics

_TIMEOUT_MS = 5_000
# What the coordinator answers to somebody who is no member of a group that has some: to a commit, to the deletion of some offsets
# and of the group.
_IN_USE = {"UnknownMemberIdException", "GroupSubscribedToTopicException", "GroupNotEmptyException"}


class _Java:
    """The client's classes: py4j asks the JVM for each part of a name, each time that one is written."""

    def __init__(self, jvm: Any) -> None:
        kafka, util = jvm.org.apache.kafka, jvm.java.util
        self.HashMap, self.HashSet, self.String = util.HashMap, util.HashSet, jvm.java.lang.String
        self.Admin, self.OffsetSpec = kafka.clients.admin.Admin, kafka.clients.admin.OffsetSpec
        self.TopicPartition, self.OffsetAndMetadata = kafka.common.TopicPartition, kafka.clients.consumer.OffsetAndMetadata


class GroupOffsets:
    """Thread-safe. `jvm` is py4j's view of a JVM that has kafka-clients; `properties` are the client's, under Java's names.

    What tasks ask, `committed` and `commit`, raises py4j's Py4JJavaError, with Kafka's exception in its text. Most of the rest is
    what the herder asks (`workers.herder.ports.ConsumerGroups`).
    """

    def __init__(
        self, jvm: Any, bootstrap_servers: str, client_id: str = "drover-sinks", properties: Mapping[str, str] = {}
    ) -> None:
        self._jvm = jvm
        self._settings = {
            **properties,
            "bootstrap.servers": bootstrap_servers,
            "client.id": client_id,
            "reconnect.backoff.max.ms": "1000",
            "request.timeout.ms": str(_TIMEOUT_MS),
            "default.api.timeout.ms": str(_TIMEOUT_MS),
        }
        self._lock = threading.Lock()
        self._admin: Any = None

    @cached_property
    def _java(self) -> _Java:
        return _Java(self._jvm)

    def committed(self, group: str, partitions: Iterable[Partition]) -> dict[Partition, int]:
        """The group's committed offsets; partitions without one are left out."""
        wanted = list(partitions)
        if not wanted:
            return {}
        found = self._found(group)
        offsets = {partition: found.get(self._partition(partition)) for partition in wanted}
        return {partition: int(at.offset()) for partition, at in offsets.items() if at is not None}

    def _found(self, group: str) -> Any:
        return self._client().listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get()

    def commit(self, group: str, offsets: Mapping[Partition, int]) -> None:
        """Durable on return. Refused as a whole while the group has members."""
        new = self._java.HashMap()
        for partition, offset in offsets.items():
            new.put(self._partition(partition), self._java.OffsetAndMetadata(offset))
        self._client().alterConsumerGroupOffsets(group, new).all().get()

    def require_unused(self, group: str, at: Mapping[Partition, int]) -> None:
        """Says again where the group stands: while it has members Kafka takes that from them alone. Raises GroupInUse and
        GroupError."""
        if at:
            with _refusals():
                self.commit(group, at)

    def offsets(self, group: str) -> dict[Partition, int]:
        with _refusals():
            found = ((at.getKey(), at.getValue()) for at in self._found(group).entrySet())
            return {Partition(at.topic(), at.partition()): int(offset.offset()) for at, offset in found if offset is not None}

    def alter(self, group: str, offsets: Mapping[Partition, int | None]) -> None:
        new = {partition: offset for partition, offset in offsets.items() if offset is not None}
        gone = [partition for partition, offset in offsets.items() if offset is None]
        with _refusals():
            if new:
                self._require(new)
                self.commit(group, new)
            if gone:
                deleted = self._java.HashSet()
                for partition in gone:
                    deleted.add(self._partition(partition))
                self._client().deleteConsumerGroupOffsets(group, deleted).all().get()

    def positions(self, group: str, config: Config, time: int | None) -> list[Position]:
        committed = self.offsets(group)
        with _refusals():
            found = self._partitions(config, {partition.topic for partition in committed})
            partitions = {partition: self._partition(partition) for partition in found}
            spec = self._java.OffsetSpec
            begins, ends = self._listed(partitions, spec.earliest()), self._listed(partitions, spec.latest())
            at = {} if time is None else self._listed(partitions, spec.forTimestamp(time))
        # -1 is how Kafka says that there is none.
        return [
            Position(*one, committed.get(one), begins[one], ends[one], offset if (offset := at.get(one, -1)) >= 0 else None)
            for one in partitions
        ]

    def _partitions(self, config: Config, committed: Iterable[str]) -> list[Partition]:
        """In order: those of the config's topics and of these, as far as they exist."""
        # One call for all names, which hold no commas: each element of a Java collection costs one of its own.
        existing = set(self._java.String.join(",", self._client().listTopics().names().get()).split(","))
        counts = self._counts(subscribed_topics(config, existing).union(committed) & existing)
        return [Partition(topic, number) for topic in sorted(counts) for number in range(counts[topic])]

    def _counts(self, topics: Collection[str]) -> dict[str, int]:
        """Each topic's number of partitions."""
        wanted = self._java.HashSet()
        for topic in topics:
            wanted.add(topic)
        return self._described(wanted)

    def _described(self, topics: Any) -> dict[str, int]:
        found = self._client().describeTopics(topics).allTopicNames().get()
        return {topic: found.get(topic).partitions().size() for topic in topics}

    def _listed(self, partitions: Mapping[Partition, Any], spec: Any) -> dict[Partition, int]:
        wanted = self._java.HashMap()
        for partition in partitions.values():
            wanted.put(partition, spec)
        found = self._client().listOffsets(wanted).all().get()
        return {partition: int(found.get(key).offset()) for partition, key in partitions.items()}

    def _require(self, partitions: Iterable[Partition]) -> None:
        """Raises GroupError where one does not exist: Kafka would take the others and refuse this one."""
        wanted = set(partitions)
        counts = self._counts({partition.topic for partition in wanted})
        for topic, number in wanted:
            if not 0 <= number < counts[topic]:
                raise GroupError(f"Topic {topic} has no partition {number}")

    def delete(self, group: str) -> None:
        groups = self._java.HashSet()
        groups.add(group)
        try:
            with _refusals():
                self._client().deleteConsumerGroups(groups).all().get()
        except GroupError as error:
            if "GroupIdNotFoundException" not in str(error):
                raise

    # --- topics -------------------------------------------------------------------------------------------------------

    def topics(self) -> dict[str, int]:
        """Each topic's number of partitions. Raises Py4JJavaError."""
        return self._described(self._client().listTopics().names().get())

    def ensure_topic(self, topic: str, replication_factor: int) -> None:
        """Makes it, with one partition, unless it is there. Raises Py4JJavaError."""
        if self._client().listTopics().names().get().contains(topic):
            return
        topics = self._jvm.java.util.HashSet()
        topics.add(self._jvm.org.apache.kafka.clients.admin.NewTopic(topic, 1, replication_factor))
        try:
            self._client().createTopics(topics).all().get()
        except Py4JJavaError as error:
            if "TopicExistsException" not in str(error.java_exception.toString()):
                raise

    def make_topics(self, wanted: Mapping[str, TopicCreation]) -> None:
        """See `workers.runtime.new_topics.TopicMaker`."""
        make_missing(self._jvm, self._client(), wanted)

    def log_offsets(self, partitions: Iterable[Partition], *, latest: bool) -> dict[Partition, int]:
        """Where each partition's log ends, or begins. Raises Py4JJavaError."""
        spec = self._java.OffsetSpec
        wanted = {partition: self._partition(partition) for partition in partitions}
        return self._listed(wanted, spec.latest() if latest else spec.earliest())

    def close(self) -> None:
        with self._lock:
            admin, self._admin = self._admin, None
        if admin is not None:
            admin.close()

    def _client(self) -> Any:
        with self._lock:
            if self._admin is None:
                settings = self._java.HashMap()
                for key, value in self._settings.items():
                    settings.put(key, value)
                self._admin = self._java.Admin.create(settings)
            return self._admin

    def _partition(self, partition: Partition) -> Any:
        return self._java.TopicPartition(partition.topic, partition.number)


@contextmanager
def _refusals() -> Iterator[None]:
    """Raises what Kafka's client raises as GroupError or GroupInUse."""
    try:
        yield
    except Py4JJavaError as error:
        # The client gives it as the cause of an ExecutionException.
        cause = error.java_exception.getCause() or error.java_exception
        kind = GroupInUse if cause.getClass().getSimpleName() in _IN_USE else GroupError
        raise kind(str(cause.toString())) from error
