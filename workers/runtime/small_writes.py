"""A few records of many topics, written by the worker itself.

What Spark makes of rows that are in its driver's memory it makes there, without a job; only writing them would need one, and that
would wait until a backlog leaves a core free.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from workers.storage.kafka import Kafka

# Less than a common job's patience.
_TIMEOUT = 10.0

#: What is read of the columns that there are (`workers.connectors.base`), by their names.
_COLUMNS = {
    "topic": "topic",
    "key": "CAST(key AS BINARY) AS key",
    "value": "CAST(value AS BINARY) AS value",
    "partition": "partition",
    "headers": "headers",
    "timestamp": "unix_millis(timestamp) AS timestamp",
}


class Undelivered(KafkaException):
    """`topics` are those of which a record has not arrived. Of all others all have."""

    def __init__(self, failed: Mapping[str, KafkaError]) -> None:
        super().__init__(next(iter(failed.values())))
        self.topics = frozenset(failed)


@dataclass(slots=True)
class _Writer:
    """A producer, and of how many partitions it knows. One thread at a time."""

    producer: Producer
    known: dict[str, int] = field(default_factory=dict)

    def learn(self, messages: Sequence[Mapping[str, Any]]) -> None:
        """Looks for partitions that it does not know yet: they may be new, and librdkafka asks for them by itself once in some
        minutes. To be done before anything is produced: what was, has arrived, and would arrive once more with the rest."""
        for topic in {m["topic"] for m in messages if m.get("partition", -1) >= self.known.get(m["topic"], 0)}:
            self.known[topic] = len(self.producer.list_topics(topic, _TIMEOUT).topics[topic].partitions)

    def send(self, messages: Sequence[dict[str, Any]]) -> None:
        """Nothing of it arrives later, also when it failed. Raises KafkaException, as Undelivered where it knows more."""
        failed: dict[str, KafkaError] = {}

        def delivered(error: KafkaError | None, message: Message) -> None:
            if error is not None:
                failed.setdefault(str(message.topic()), error)

        self.learn(messages)
        try:
            for each in messages:
                # What is behind one that cannot be sent will come once more with it.
                if each["topic"] not in failed:
                    self._produce(each, delivered, failed)
        finally:
            left = self.producer.flush(_TIMEOUT + 1)
        if left:
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT, f"Not all records were taken within {_TIMEOUT:g} s"))
        if failed:
            raise Undelivered(failed)

    def _produce(self, message: dict[str, Any], delivered: Callable[..., None], failed: dict[str, KafkaError]) -> None:
        try:
            self.producer.produce(**message, on_delivery=delivered)
        except KafkaException as error:
            failed[message["topic"]] = error.args[0]


class SmallWrites:
    """Thread-safe. Into the worker's own cluster."""

    def __init__(self, kafka: Kafka) -> None:
        self._kafka = kafka
        self._idle: deque[_Writer] = deque()

    def write(self, records: DataFrame, expecting: Callable[[Collection[str]], None] = lambda topics: None) -> None:
        """In their order; returns when Kafka has acknowledged all of them. `expecting` hears before of the topics that they go
        to. Raises KafkaException."""
        rows = records.selectExpr(*(read for name, read in _COLUMNS.items() if name in records.columns)).collect()
        messages = [message(row.asDict()) for row in rows]
        expecting({each["topic"] for each in messages})
        self.send(messages)

    def send(self, messages: Sequence[dict[str, Any]]) -> None:
        """As `message` makes them. Raises KafkaException."""
        writer = self._taken()
        writer.send(messages)
        # One that failed is not used again: librdkafka goes on for minutes with the leaders that it knows.
        self._idle.append(writer)

    def _taken(self) -> _Writer:
        try:
            return self._idle.pop()
        except IndexError:
            return _Writer(self._kafka.writer("small-writes", timeout=_TIMEOUT, makes_topics=True))


def message(row: dict[str, Any]) -> dict[str, Any]:
    """What a producer takes. Raises ValueError for what it cannot take. Pure."""
    made: dict[str, Any] = {"topic": row["topic"], "key": _bytes(row["key"]), "value": _bytes(row["value"])}
    if row.get("partition") is not None:
        made["partition"] = row["partition"]
    if (timestamp := row.get("timestamp")) == 0:
        raise ValueError("To librdkafka the timestamp 0 is none")
    if timestamp is not None and timestamp > 0:
        made["timestamp"] = timestamp
    if row.get("headers"):
        made["headers"] = [(header["key"], _bytes(header["value"])) for header in row["headers"]]
    return made


def _bytes(value: bytes | bytearray | None) -> bytes | None:
    return None if value is None else bytes(value)
