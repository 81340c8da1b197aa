"""A topic followed by one consumer for the whole run: each look reads only what is new, so that looking often costs little."""

import json
from collections.abc import Callable
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, Producer, TopicPartition

_TIMEOUT = 10.0


class Tail:
    """The committed records of a topic by key, each key's in order. Values are JSON; None is a tombstone."""

    def __init__(self, bootstrap_servers: str, topic: str) -> None:
        self._topic = topic
        self._consumer = Consumer(
            {
                "bootstrap.servers": bootstrap_servers,
                "group.id": "tests-tail",
                "enable.auto.commit": False,
                "enable.partition.eof": True,
                "fetch.wait.max.ms": 20,
                "isolation.level": "read_committed",
            }
        )
        # On a connection of its own, where no fetch is waiting to be answered first.
        self._ends = Consumer({"bootstrap.servers": bootstrap_servers, "group.id": "tests-tail"})
        self._producer = Producer({"bootstrap.servers": bootstrap_servers, "linger.ms": 5})
        partitions = self._consumer.list_topics(topic, timeout=_TIMEOUT).topics[topic].partitions
        # How far each partition was read; the end that Kafka tells counts transaction markers too, which no poll gives.
        self._reached = dict.fromkeys(partitions, 0)
        self._consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING) for partition in partitions])
        self._records: dict[str, list[Any]] = {}
        self._keys: list[str] = []

    def close(self) -> None:
        self._consumer.close()
        self._ends.close()

    def records(self, key: str) -> list[Any]:
        """Every value that the key ever had, up to the topic's end as of this call."""
        self._read_to_end()
        return list(self._records.get(key, []))

    def counts(self) -> dict[str, int]:
        """How many records each key has."""
        self._read_to_end()
        return {key: len(values) for key, values in self._records.items()}

    def keys(self) -> list[str]:
        """The key of each record, in the order of a topic of one partition."""
        self._read_to_end()
        return list(self._keys)

    def _read_to_end(self) -> None:
        for partition in self._reached:
            _, end = self._ends.get_watermark_offsets(TopicPartition(self._topic, partition), timeout=_TIMEOUT)
            while self._reached[partition] < end:
                self._poll()

    def _poll(self) -> None:
        message = self._consumer.poll(_TIMEOUT)
        assert message is not None, f"topic {self._topic} stopped answering"
        partition, offset, error = message.partition() or 0, message.offset() or 0, message.error()
        if error is not None:
            assert error.code() == KafkaError._PARTITION_EOF, error.str()
            self._reached[partition] = max(self._reached[partition], offset)
            return
        self._reached[partition] = offset + 1
        key, value = (message.key() or b"").decode(), message.value()
        self._keys.append(key)
        self._records.setdefault(key, []).append(_parsed(value))

    def produce(self, *pairs: tuple[str, object]) -> None:
        """As a foreign producer: JSON of anything, bytes as they are, None for a tombstone. Returns when all are there."""
        failed: list[str] = []
        note: Callable[..., None] = lambda error, _message: failed.append(error.str()) if error else None  # noqa: E731
        for key, value in pairs:
            raw = value if value is None or isinstance(value, bytes) else json.dumps(value).encode()
            self._producer.produce(self._topic, key=key, value=raw, on_delivery=note)
        assert self._producer.flush(_TIMEOUT) == 0
        assert not failed, failed


def _parsed(value: bytes | None) -> Any:
    if value is None:
        return None
    try:
        return json.loads(value)
    except ValueError:
        return value
