"""A few records of each of many partitions, read in the worker itself.

Spark reads a partition by a task and a client of its own, and asks its log for its ends each time: 10 ms that nobody works, a
hundred times for a hundred partitions of three records. One client gets all of them in one answer.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from workers.connectors.base import KafkaRange
from workers.herder.values import Partition
from workers.runtime.local_frames import frame

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

    from workers.storage.kafka import Kafka

logger = logging.getLogger(__name__)

_TIMEOUT = 5.0
_AT_ONCE = 1_000
#: More is for Spark to read, which does not hold it in memory.
MOST_BYTES = 32 << 20


class TooMuch(Exception):
    """More bytes than are to be held in memory."""


class SmallReads:
    """Thread-safe. From the worker's own cluster."""

    def __init__(self, kafka: Kafka) -> None:
        self._kafka = kafka
        self._idle: deque[Consumer] = deque()

    def frame(self, spark: SparkSession, ranges: Sequence[KafkaRange]) -> DataFrame:
        """The records of exactly these ranges, one of each partition, in order. Raises KafkaException and TooMuch."""
        return frame(spark, table(self.read(ranges)))

    def read(self, ranges: Sequence[KafkaRange]) -> list[Message]:
        with self._consumer() as consumer:
            consumer.assign([TopicPartition(item.topic, item.partition, item.start) for item in ranges])
            found = list(within(_messages(consumer, time.monotonic() + _TIMEOUT), ranges))
            # Else it would go on fetching what comes.
            consumer.unassign()
            return found

    @contextmanager
    def _consumer(self) -> Iterator[Consumer]:
        """One that has not failed: librdkafka goes on for minutes with the leaders that it knows."""
        consumer = self._idle.pop() if self._idle else self._kafka.small_reader()
        try:
            yield consumer
        except BaseException:
            consumer.close()
            raise
        self._idle.append(consumer)

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()


def _messages(consumer: Consumer, deadline: float) -> Iterator[Message]:
    """Raises KafkaException when who reads them is not content by then."""
    while (left := deadline - time.monotonic()) > 0:
        yield from consumer.consume(1, left)
        # What is there already, without waiting for more.
        yield from consumer.consume(_AT_ONCE, 0)
    raise KafkaException(KafkaError(KafkaError._TIMED_OUT, f"Not all records came within {_TIMEOUT:g} s"))


def within(messages: Iterator[Message], ranges: Sequence[KafkaRange]) -> Iterator[Message]:
    """Those of the ranges, until each of them is over: a log may end, or go on, without the last offset of a range, where there
    are marks of transactions, or where it was compacted. Raises KafkaException and TooMuch."""
    left = {Partition(item.topic, item.partition): item for item in ranges}
    size = 0
    while left:
        message = next(messages)
        error, at, offset = message.error(), _partition(message), message.offset()
        if error is not None and error.code() != KafkaError._PARTITION_EOF:
            raise KafkaException(error)
        wanted = left.get(at) if at is not None else None
        # Of an earlier read of the same partition nothing comes any more, but nothing may depend on that.
        if wanted is None or at is None or offset is None or offset < wanted.start:
            continue
        if error is None and offset < wanted.end:
            size += len(message.key() or b"") + len(message.value() or b"")
            if size > MOST_BYTES:
                raise TooMuch(f"More than {MOST_BYTES} bytes in {len(ranges)} short ranges")
            yield message
        # An end of the log is where its next record will be.
        if offset + (error is None) >= wanted.end:
            del left[at]


def _partition(message: Message) -> Partition | None:
    topic, number = message.topic(), message.partition()
    return None if topic is None or number is None else Partition(topic, number)


def table(messages: Sequence[Message]) -> pyarrow.Table:
    """In order of their partitions, each with its own order; columns as of Spark's source for Kafka, with headers."""
    # It is megabytes, and many a worker never needs it.
    import pyarrow

    header = pyarrow.struct([("key", pyarrow.string()), ("value", pyarrow.binary())])
    schema = pyarrow.schema(
        [
            ("key", pyarrow.binary()),
            ("value", pyarrow.binary()),
            ("topic", pyarrow.string()),
            ("partition", pyarrow.int32()),
            ("offset", pyarrow.int64()),
            ("timestamp", pyarrow.timestamp("us", "UTC")),
            ("timestampType", pyarrow.int32()),
            ("headers", pyarrow.list_(header)),
        ]
    )
    ordered = sorted(messages, key=lambda message: (message.topic(), message.partition(), message.offset()))
    return pyarrow.Table.from_pylist([_row(message) for message in ordered], schema)


def _row(message: Message) -> Mapping[str, object]:
    kind, milliseconds = message.timestamp()
    return {
        "key": message.key(),
        "value": message.value(),
        "topic": message.topic(),
        "partition": message.partition(),
        "offset": message.offset(),
        # -1: it has none.
        "timestamp": milliseconds * 1000,
        # Kafka's own numbers begin with 0, librdkafka's with 1.
        "timestampType": kind - 1,
        "headers": [{"key": header[0], "value": header[1]} for header in message.headers() or ()] or None,
    }
