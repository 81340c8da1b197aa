"""One of the two clusters, through Kafka's own clients in the driver's JVM: a connector's settings are Java's."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workers.connectors.mirror.client_settings import Side, client_settings
from workers.connectors.mirror.config_defs import COMMON
from workers.connectors.mirror.settings import number
from workers.herder.values import Config, Partition

_OFFSET = re.compile(r"(?:^\{|, )([^,=]+)-(\d+)=(-?\d+)(?=, |\})")
# Where a topic's end is asked for that has been deleted, nothing is known of the others until then.
_ENDS_TIMEOUT_MS = 3_000


@dataclass(frozen=True, slots=True)
class TopicSetting:
    """`default`: nobody has set it for the topic. `fixed`: it cannot be set, must not be seen, or is the broker's own."""

    name: str
    value: str | None
    default: bool
    fixed: bool


@dataclass(frozen=True, slots=True)
class AccessRule:
    """Of a topic by its whole name. `operation` and `permission` are Kafka's words: `READ`, `ALLOW`."""

    topic: str
    principal: str
    host: str
    operation: str
    permission: str


class NoAuthorizer(Exception):
    """The cluster keeps no access rules: `source` or `target`."""


@dataclass(frozen=True, slots=True)
class GroupOffset:
    offset: int
    metadata: str


def offsets_in(text: str) -> dict[Partition, int]:
    """Of a map as Java prints it: `{a-0=12, b-c-1=0}`. A topic's name holds neither commas nor equals signs."""
    return {Partition(topic, int(number)): int(offset) for topic, number, offset in _OFFSET.findall(text)}


def driver_jvm() -> Any:
    """Spark's, in which the worker has Kafka's clients."""
    from pyspark import SparkContext

    assert SparkContext._jvm is not None, "the worker starts Spark before it starts connectors"
    return SparkContext._jvm


class Cluster:
    """Thread-safe. What it raises is py4j's Py4JJavaError, with Kafka's exception in its text. Clients are made when they are
    first used; an answer that takes longer than `timeout` milliseconds (`admin.timeout.ms`) is none."""

    def __init__(self, config: Config, side: Side, *, timeout: int | None = None, jvm: Callable[[], Any] = driver_jvm) -> None:
        self._config = config
        self._side = side
        self._timeout = str(timeout or number(COMMON.parse(config), "admin.timeout.ms"))
        self._make_jvm = jvm
        self._lock = threading.Lock()
        #: A consumer is for one thread at a time.
        self._consuming = threading.Lock()
        self._made: dict[str, Any] = {}

    # --- topics ---------------------------------------------------------------------------------------------------------

    def topic_names(self) -> set[str]:
        """Kafka's internal ones left out. One call for all: each element of a Java collection would cost one of its own."""
        names = str(self._jvm.java.lang.String.join(",", self._admin().listTopics().names().get()))
        return set(names.split(",")) - {""}

    def topics(self, wanted: Callable[[str], bool]) -> dict[str, int]:
        """Each wanted topic's number of partitions."""
        names = [name for name in self.topic_names() if wanted(name)]
        if not names:
            return {}
        found = self._admin().describeTopics(self._list(names)).allTopicNames().get()
        return {name: found.get(name).partitions().size() for name in names}

    def create_topic(self, name: str, partitions: int, replication_factor: int, settings: Mapping[str, str]) -> bool:
        """False if it is there already."""
        made = self._jvm.org.apache.kafka.clients.admin.NewTopic(name, partitions, replication_factor)
        made = made.configs(self._map(settings))
        return self._done(self._admin().createTopics(self._list([made])).all(), "TopicExistsException")

    def add_partitions(self, topic: str, total: int) -> bool:
        """False if there are that many already."""
        wanted = self._jvm.java.util.HashMap()
        wanted.put(topic, self._jvm.org.apache.kafka.clients.admin.NewPartitions.increaseTo(total))
        return self._done(self._admin().createPartitions(wanted).all(), "InvalidPartitionsException")

    def topic_settings(self, topics: Collection[str]) -> dict[str, list[TopicSetting]]:
        resource = self._jvm.org.apache.kafka.common.config.ConfigResource
        kind = resource.Type.TOPIC
        resources = {topic: resource(kind, topic) for topic in topics}
        found = self._admin().describeConfigs(self._list(resources.values())).all().get()
        return {topic: [_setting(entry) for entry in self._list_of(found.get(key).entries())] for topic, key in resources.items()}

    def alter_topic_settings(self, topic: str, settings: Mapping[str, str | None]) -> None:
        """None is for the cluster's default."""
        admin = self._jvm.org.apache.kafka.clients.admin
        resource = self._jvm.org.apache.kafka.common.config.ConfigResource
        kinds = admin.AlterConfigOp.OpType
        changes = [
            admin.AlterConfigOp(admin.ConfigEntry(name, value or ""), kinds.DELETE if value is None else kinds.SET)
            for name, value in settings.items()
        ]
        wanted = self._jvm.java.util.HashMap()
        wanted.put(resource(resource.Type.TOPIC, topic), self._list(changes))
        self._admin().incrementalAlterConfigs(wanted).all().get()

    # --- access rules ---------------------------------------------------------------------------------------------------

    def topic_rules(self) -> list[AccessRule]:
        """Those of patterns are left out. Raises NoAuthorizer."""
        acl, resource = self._jvm.org.apache.kafka.common.acl, self._jvm.org.apache.kafka.common.resource
        pattern = resource.ResourcePatternFilter(resource.ResourceType.TOPIC, None, resource.PatternType.LITERAL)
        wanted = acl.AclBindingFilter(pattern, acl.AccessControlEntryFilter.ANY)
        found = self._guarded(self._admin().describeAcls(wanted).values())
        return [_rule(binding) for binding in self._list_of(found)]

    def add_topic_rules(self, rules: Sequence[AccessRule]) -> list[tuple[AccessRule, str]]:
        """Those that are there stay as they are. Gives those that were refused, with the reason. Raises NoAuthorizer."""
        from py4j.protocol import Py4JJavaError

        bindings = [self._binding(rule) for rule in rules]
        answers = self._admin().createAcls(self._list(bindings)).values()
        refused = []
        for rule, binding in zip(rules, bindings, strict=True):
            try:
                self._guarded(answers.get(binding))
            except Py4JJavaError as error:
                refused.append((rule, str(_cause(error).toString())))
        return refused

    def _guarded(self, future: Any) -> Any:
        from py4j.protocol import Py4JJavaError

        try:
            return future.get()
        except Py4JJavaError as error:
            if _cause(error).getClass().getSimpleName() == "SecurityDisabledException":
                raise NoAuthorizer(self._side) from error
            raise

    def _binding(self, rule: AccessRule) -> Any:
        acl, resource = self._jvm.org.apache.kafka.common.acl, self._jvm.org.apache.kafka.common.resource
        operation, permission = acl.AclOperation.fromString(rule.operation), acl.AclPermissionType.fromString(rule.permission)
        entry = acl.AccessControlEntry(rule.principal, rule.host, operation, permission)
        pattern = resource.ResourcePattern(resource.ResourceType.TOPIC, rule.topic, resource.PatternType.LITERAL)
        return acl.AclBinding(pattern, entry)

    # --- records --------------------------------------------------------------------------------------------------------

    def ends(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        """Behind the last record that a consumer with the connector's settings is given."""
        return self._offsets("endOffsets", partitions)

    def begins(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        return self._offsets("beginningOffsets", partitions)

    def _offsets(self, method: str, partitions: Iterable[Partition]) -> dict[Partition, int]:
        wanted = self._jvm.java.util.ArrayList()
        for partition in partitions:
            wanted.add(self._partition(partition))
        # Read as a text: one call however many partitions there are.
        with self._consuming:
            text = str(getattr(self._consumer(), method)(wanted).toString())
        return offsets_in(text)

    def send(self, topic: str, records: Iterable[tuple[bytes, bytes]]) -> None:
        """To the topic's first partition; returns when Kafka has them."""
        record = self._jvm.org.apache.kafka.clients.producer.ProducerRecord
        producer = self._producer()
        sent = [producer.send(record(topic, 0, key, value)) for key, value in records]
        producer.flush()
        for one in sent:
            one.get()

    # --- consumer groups --------------------------------------------------------------------------------------------------

    def groups(self) -> list[str]:
        found = self._list_of(self._admin().listConsumerGroups().valid().get())
        return [str(group.groupId()) for group in found]

    def group_offsets(self, group: str) -> dict[Partition, GroupOffset]:
        found = self._admin().listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get()
        entries = ((entry.getKey(), entry.getValue()) for entry in found.entrySet())
        return {
            Partition(at.topic(), at.partition()): GroupOffset(int(offset.offset()), str(offset.metadata()))
            for at, offset in entries
            if offset is not None
        }

    def alter_group_offsets(self, group: str, offsets: Mapping[Partition, GroupOffset]) -> bool:
        """False while somebody is in the group."""
        make = self._jvm.org.apache.kafka.clients.consumer.OffsetAndMetadata
        wanted = self._jvm.java.util.HashMap()
        for partition, at in offsets.items():
            wanted.put(self._partition(partition), make(at.offset, at.metadata))
        return self._done(self._admin().alterConsumerGroupOffsets(group, wanted).all(), "UnknownMemberIdException")

    # --- clients ----------------------------------------------------------------------------------------------------------

    def close(self) -> None:
        with self._lock:
            made, self._made = self._made, {}
        for client in made.values():
            client.close()

    @property
    def _jvm(self) -> Any:
        return self._make_jvm()

    def _admin(self) -> Any:
        def make() -> Any:
            timeouts = {"request.timeout.ms": self._timeout, "default.api.timeout.ms": self._timeout}
            settings = {**timeouts, **client_settings(self._config, self._side, "admin")}
            return self._jvm.org.apache.kafka.clients.admin.Admin.create(self._client_map(settings))

        return self._client("admin", make)

    def _consumer(self) -> Any:
        def make() -> Any:
            # It looks for ends only, and must not make anew what was deleted.
            fixed = {"allow.auto.create.topics": "false", "default.api.timeout.ms": str(_ENDS_TIMEOUT_MS)}
            settings = {**client_settings(self._config, self._side, "consumer"), **fixed}
            bytes_of = self._jvm.org.apache.kafka.common.serialization.ByteArrayDeserializer
            made = self._jvm.org.apache.kafka.clients.consumer.KafkaConsumer
            return made(self._client_map(settings), bytes_of(), bytes_of())

        return self._client("consumer", make)

    def _producer(self) -> Any:
        def make() -> Any:
            settings = client_settings(self._config, self._side, "producer")
            bytes_of = self._jvm.org.apache.kafka.common.serialization.ByteArraySerializer
            made = self._jvm.org.apache.kafka.clients.producer.KafkaProducer
            return made(self._client_map(settings), bytes_of(), bytes_of())

        return self._client("producer", make)

    def _client(self, role: str, make: Callable[[], Any]) -> Any:
        with self._lock:
            if role not in self._made:
                self._made[role] = make()
            return self._made[role]

    def _client_map(self, settings: Mapping[str, str]) -> Any:
        source, target = (self._config.get(f"{side}.cluster.alias", side) for side in ("source", "target"))
        return self._map({"client.id": f"{source}->{target}|{self._config.get('name', '')}|{self._side}", **settings})

    def _done(self, future: Any, expected: str) -> bool:
        """Whether it was done; False for the failure that is to be expected."""
        from py4j.protocol import Py4JJavaError

        try:
            future.get()
        except Py4JJavaError as error:
            if _cause(error).getClass().getSimpleName() != expected:
                raise
            return False
        return True

    def _partition(self, partition: Partition) -> Any:
        return self._jvm.org.apache.kafka.common.TopicPartition(partition.topic, partition.number)

    def _list(self, values: Iterable[Any]) -> Any:
        made = self._jvm.java.util.ArrayList()
        for value in values:
            made.add(value)
        return made

    def _list_of(self, collection: Any) -> Any:
        """Python can go through Java's lists, but not through each of its collections."""
        return self._jvm.java.util.ArrayList(collection)

    def _map(self, values: Mapping[str, str]) -> Any:
        made = self._jvm.java.util.HashMap()
        for key, value in values.items():
            made.put(key, value)
        return made


def _cause(error: Any) -> Any:
    """Kafka's own exception, of py4j's."""
    return error.java_exception.getCause() or error.java_exception


def _rule(binding: Any) -> AccessRule:
    entry = binding.entry()
    operation, permission = str(entry.operation().toString()), str(entry.permissionType().toString())
    return AccessRule(str(binding.pattern().name()), str(entry.principal()), str(entry.host()), operation, permission)


def _setting(entry: Any) -> TopicSetting:
    fixed = entry.isReadOnly() or entry.isSensitive() or str(entry.source().toString()) == "STATIC_BROKER_CONFIG"
    return TopicSetting(str(entry.name()), entry.value(), bool(entry.isDefault()), bool(fixed))
