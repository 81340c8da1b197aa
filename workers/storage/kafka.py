"""Access to one Kafka cluster: clients with the settings that everything here shares, and the internal topics' rules."""

import logging
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from confluent_kafka import Consumer, IsolationLevel, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, ConfigResource, NewTopic, OffsetSpec, ResourceType

logger = logging.getLogger(__name__)

T = TypeVar("T")

_ADMIN_TIMEOUT = 15.0

_PASSING = frozenset(
    {
        # "No leaders found": what the admin client says while a broker restarts.
        KafkaError._NOENT,
        KafkaError._TRANSPORT,
        KafkaError._ALL_BROKERS_DOWN,
        KafkaError._TIMED_OUT,
        KafkaError._TIMED_OUT_QUEUE,
        KafkaError._WAIT_COORD,
        KafkaError.REQUEST_TIMED_OUT,
        KafkaError.COORDINATOR_NOT_AVAILABLE,
        KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
        KafkaError.NOT_COORDINATOR,
        KafkaError.NOT_LEADER_FOR_PARTITION,
        KafkaError.LEADER_NOT_AVAILABLE,
        KafkaError.BROKER_NOT_AVAILABLE,
        KafkaError.REPLICA_NOT_AVAILABLE,
        KafkaError.NETWORK_EXCEPTION,
        KafkaError.NOT_CONTROLLER,
        KafkaError.FENCED_LEADER_EPOCH,
        KafkaError.UNKNOWN_LEADER_EPOCH,
        KafkaError.OFFSET_NOT_AVAILABLE,
        KafkaError.NOT_ENOUGH_REPLICAS,
        KafkaError.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        KafkaError.UNSTABLE_OFFSET_COMMIT,
    }
)


def passes_by_itself(error: KafkaError) -> bool:
    """Whether asking again later may well work: no leader yet, a broker restarting. librdkafka's own `retriable` speaks
    of transactions only."""
    return error.retriable() or error.code() in _PASSING


def answered(future: Future[T]) -> T:
    """An admin call's result. Raises KafkaException, also when nobody answers for longer than the call itself may take."""
    try:
        return future.result(_ADMIN_TIMEOUT + 5)
    except TimeoutError as error:
        raise KafkaException(KafkaError(KafkaError._TIMED_OUT, "Kafka does not answer")) from error


class TopicRefused(Exception):
    """An internal topic exists in a shape that would lose records. The message names it, and the setting that names it."""


@dataclass(frozen=True, slots=True)
class TopicSpec:
    """One of the three internal topics. `purpose` and `setting` are for the refusal's wording."""

    name: str
    partitions: int
    setting: str
    purpose: str
    single_partition: bool = False
    replication_factor: int = -1


class Kafka:
    """How to reach a cluster; `properties` are librdkafka's and go to every client."""

    def __init__(self, bootstrap_servers: str, client_id: str = "drover", properties: Mapping[str, str] | None = None):
        self.bootstrap_servers = bootstrap_servers
        self._client_id = client_id
        self._properties = dict(properties or {})

    def _base(self, suffix: str) -> dict[str, Any]:
        return {
            "bootstrap.servers": self.bootstrap_servers,
            "client.id": f"{self._client_id}-{suffix}",
            "reconnect.backoff.max.ms": 1000,
            "logger": logging.getLogger("kafka"),
            **self._properties,
        }

    @cached_property
    def admin(self) -> AdminClient:
        """One for the process; thread-safe. What it asks never waits behind a consumer's long polls."""
        return self.new_admin()

    def new_admin(self) -> AdminClient:
        return AdminClient(self._base("admin"))

    def end_offsets(self, topic: str, partitions: Iterable[int]) -> dict[int, int]:
        """Where each partition ends for a reader of committed records, all asked at once. Raises KafkaException."""
        wanted = {TopicPartition(topic, partition): OffsetSpec.latest() for partition in partitions}
        admin = self.admin
        futures = admin.list_offsets(wanted, isolation_level=IsolationLevel.READ_COMMITTED, request_timeout=_ADMIN_TIMEOUT)
        try:
            return {found.partition: answered(future).offset for found, future in futures.items()}
        except KafkaException:
            self.renew(admin)
            raise

    def renew(self, admin: AdminClient) -> None:
        """The next one who asks gets a new client in place of this one, which failed. librdkafka keeps for minutes what it knew
        of leaders and their epochs, and of coordinators for good: after a broker's restart one and the same client fails on."""
        if self.__dict__.get("admin") is admin:
            del self.__dict__["admin"]

    def reader(self, suffix: str) -> Consumer:
        """A consumer that joins no group: it is told what to read and says when it is at the end."""
        return Consumer(
            {
                **self._base(suffix),
                "group.id": f"{self._client_id}-{suffix}-no-group",
                "enable.auto.commit": False,
                "enable.auto.offset.store": False,
                "auto.offset.reset": "earliest",
                "isolation.level": "read_committed",
                "enable.partition.eof": True,
                "fetch.error.backoff.ms": 100,
                "allow.auto.create.topics": False,
            }
        )

    def group_member(
        self,
        group_id: str,
        client_id: str,
        session_timeout: float,
        heartbeat: float,
        on_commit: Callable[[KafkaError | None, list[TopicPartition]], None],
    ) -> Consumer:
        """A consumer that is there for being a member; `client_id` is what the others see of it. Times in seconds."""
        return Consumer(
            {
                **self._base("member"),
                "client.id": client_id,
                "group.id": group_id,
                "group.protocol": "classic",
                "partition.assignment.strategy": "cooperative-sticky",
                "session.timeout.ms": round(session_timeout * 1000),
                "heartbeat.interval.ms": round(heartbeat * 1000),
                # One that does not poll is as good as gone.
                "max.poll.interval.ms": max(30_000, round(session_timeout * 1000)),
                "enable.auto.commit": False,
                "enable.auto.offset.store": False,
                "auto.offset.reset": "latest",
                "allow.auto.create.topics": False,
                "on_commit": on_commit,
            }
        )

    def writer(self, suffix: str, transactional_id: str | None = None) -> Producer:
        config = {
            **self._base(suffix),
            "acks": "all",
            "enable.idempotence": True,
            "linger.ms": 0,
            "message.timeout.ms": 30_000,
            # Java's partitioner: a key's newest record must meet its older ones in the same partition, whoever wrote them.
            "partitioner": "murmur2_random",
        }
        if transactional_id is not None:
            config |= {"transactional.id": transactional_id, "transaction.timeout.ms": 30_000}
        return Producer(config)


def ensure_topic(admin: AdminClient, spec: TopicSpec) -> None:
    """Creates the topic compacted, or checks the one that is there. Raises TopicRefused, KafkaException."""
    topic = NewTopic(
        spec.name,
        num_partitions=spec.partitions,
        replication_factor=spec.replication_factor,
        config={"cleanup.policy": "compact"},
    )
    try:
        answered(admin.create_topics([topic], request_timeout=_ADMIN_TIMEOUT)[spec.name])
        logger.info("Created topic %s with %d compacted partition(s)", spec.name, spec.partitions)
    except KafkaException as error:
        if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
            raise
        check_topic(spec, _partitions(admin, spec.name), _cleanup_policy(admin, spec.name))


def check_topic(spec: TopicSpec, partitions: int, cleanup_policy: str) -> None:
    """Refuses a topic that cannot keep the truth, in Kafka Connect's words. Raises TopicRefused."""
    if spec.single_partition and partitions != 1:
        raise TopicRefused(
            f"Topic '{spec.name}' supplied via the '{spec.setting}' property is required to have a single partition in order "
            f"to guarantee consistency of connector configurations, but found {partitions} partitions."
        )
    if cleanup_policy != "compact":
        raise TopicRefused(
            f"Topic '{spec.name}' supplied via the '{spec.setting}' property is required to have 'cleanup.policy=compact' to "
            f"guarantee consistency and durability of {spec.purpose}, but found the topic currently has "
            f"'cleanup.policy={cleanup_policy}'. Continuing would likely result in eventually losing {spec.purpose} and "
            f"problems restarting this Connect cluster in the future. Change the '{spec.setting}' property in the Connect "
            f"worker configurations to use a topic with 'cleanup.policy=compact'."
        )


def _partitions(admin: AdminClient, topic: str) -> int:
    return len(admin.list_topics(topic, timeout=_ADMIN_TIMEOUT).topics[topic].partitions)


def _cleanup_policy(admin: AdminClient, topic: str) -> str:
    resource = ConfigResource(ResourceType.TOPIC, topic)
    entries = answered(admin.describe_configs([resource], request_timeout=_ADMIN_TIMEOUT)[resource])
    return str(entries["cleanup.policy"].value)
