"""Access to one Kafka cluster: clients with the settings that everything here shares."""

import logging
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from functools import cached_property
from typing import Any, TypeVar

from confluent_kafka import Consumer, IsolationLevel, KafkaError, KafkaException, Producer, TopicCollection, TopicPartition
from confluent_kafka.admin import AdminClient, ConfigEntry, ConfigResource, OffsetSpec, ResourceType, TopicDescription

T = TypeVar("T")

#: Of a topic, by name.
TopicSettings = dict[str, ConfigEntry]

ADMIN_TIMEOUT = 15.0
#: The only `cleanup.policy` that keeps what is in a topic.
COMPACT = "compact"

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
        return future.result(ADMIN_TIMEOUT + 5)
    except TimeoutError as error:
        raise KafkaException(KafkaError(KafkaError._TIMED_OUT, "Kafka does not answer")) from error


def cleanup_policy(settings: TopicSettings) -> str:
    return str(settings["cleanup.policy"].value)


class Kafka:
    """How to reach a cluster; `properties` are librdkafka's and go to every client."""

    def __init__(self, bootstrap_servers: str, client_id: str = "drover", properties: Mapping[str, str] | None = None) -> None:
        self.bootstrap_servers = bootstrap_servers
        self._client_id = client_id
        self._properties = dict(properties or {})

    def _base(self, suffix: str) -> dict[str, Any]:
        return {
            "bootstrap.servers": self.bootstrap_servers,
            "client.id": f"{self._client_id}-{suffix}",
            "reconnect.backoff.max.ms": 1000,
            # None of these topics may come to be by the way: made so, it is not compacted, and who deleted it is not heard.
            "allow.auto.create.topics": False,
            "logger": logging.getLogger("kafka"),
            **self._properties,
        }

    @cached_property
    def admin(self) -> AdminClient:
        """One for the process; thread-safe. What it asks never waits behind a consumer's long polls."""
        return self.new_admin()

    def new_admin(self) -> AdminClient:
        return AdminClient(self._base("admin"))

    @cached_property
    def _watching(self) -> AdminClient:
        """For questions that nobody waits for: an answer would be lost with a client that is renewed. No leader is asked."""
        return self.new_admin()

    def describe(self, topic: str) -> "Future[TopicDescription]":
        return self._watching.describe_topics(TopicCollection([topic]), request_timeout=ADMIN_TIMEOUT)[topic]

    def settings(self, topic: str) -> "Future[TopicSettings]":
        resource = ConfigResource(ResourceType.TOPIC, topic)
        return self._watching.describe_configs([resource], request_timeout=ADMIN_TIMEOUT)[resource]

    def end_offsets(self, topic: str, partitions: Iterable[int]) -> dict[int, int]:
        """Where each partition ends for a reader of committed records, all asked at once. Raises KafkaException."""
        return self._offsets(topic, partitions, OffsetSpec.latest())

    def first_offsets(self, topic: str, partitions: Iterable[int]) -> dict[int, int]:
        """Where each partition begins. Raises KafkaException."""
        return self._offsets(topic, partitions, OffsetSpec.earliest())

    def _offsets(self, topic: str, partitions: Iterable[int], which: OffsetSpec) -> dict[int, int]:
        wanted = {TopicPartition(topic, partition): which for partition in partitions}
        admin = self.admin
        futures = admin.list_offsets(wanted, isolation_level=IsolationLevel.READ_COMMITTED, request_timeout=ADMIN_TIMEOUT)
        try:
            return {found.partition: answered(future).offset for found, future in futures.items()}
        except KafkaException:
            self.renew(admin)
            raise
        finally:
            # The error knows this frame, and a future the error: in that circle a client would stay until Python finds it, on
            # whatever thread. One that ends on a thread of librdkafka's own ends the whole process.
            del admin

    def renew(self, admin: AdminClient) -> None:
        """The next one who asks gets a new client in place of this one, which failed. librdkafka keeps for minutes what it knew
        of leaders and their epochs, and of coordinators for good: after a broker's restart one and the same client fails on."""
        if self.__dict__.get("admin") is admin:
            del self.__dict__["admin"]

    def reader(self, suffix: str) -> Consumer:
        """A consumer that joins no group: it is told what to read and says when it is at the end."""
        return Consumer({**self._no_group(suffix), "isolation.level": "read_committed"})

    def _no_group(self, suffix: str) -> dict[str, Any]:
        return {
            **self._base(suffix),
            "group.id": f"{self._client_id}-{suffix}-no-group",
            "enable.auto.commit": False,
            "enable.auto.offset.store": False,
            # Where the log goes on is never guessed.
            "auto.offset.reset": "error",
            "enable.partition.eof": True,
            "fetch.error.backoff.ms": 100,
        }

    def small_reader(self) -> Consumer:
        """As `reader`, to read a little of many partitions, as Spark reads: also what was not committed. It holds little, and no
        fetch of it waits for records that may come, so that the next one begins at once."""
        return Consumer(
            {
                **self._no_group("small-reads"),
                "isolation.level": "read_uncommitted",
                "fetch.wait.max.ms": 10,
                "queued.max.messages.kbytes": 4096,
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
                "on_commit": on_commit,
            }
        )

    def writer(
        self, suffix: str, transactional_id: str | None = None, *, timeout: float = 30.0, makes_topics: bool = False
    ) -> Producer:
        """Within `timeout` seconds a record is delivered or has failed; 0 tries for ever. `makes_topics`: where the broker does
        so for producers, as for Java's."""
        config = {
            **self._base(suffix),
            "acks": "all",
            "enable.idempotence": True,
            "linger.ms": 0,
            "allow.auto.create.topics": makes_topics,
            "message.timeout.ms": round(timeout * 1000),
            # Java's partitioner: a key's newest record must meet its older ones in the same partition, whoever wrote them.
            "partitioner": "murmur2_random",
        }
        if transactional_id is not None:
            config |= {"transactional.id": transactional_id, "transaction.timeout.ms": 30_000}
        return Producer(config)
