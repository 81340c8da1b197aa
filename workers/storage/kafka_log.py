"""A log in a Kafka topic (`Log`), read by a consumer without a group and written with `acks=all`."""

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

from workers.storage.kafka import Kafka, passes_by_itself
from workers.storage.log import LogError, LogRecord, Positions
from workers.storage.records import KeyValue

logger = logging.getLogger(__name__)

# Kafka Connect's own limit on a write together with the reading back of it.
_TIMEOUT = 30.0
_RETRY = 0.1


class KafkaLog:
    """See `Log`. Only the thread that `start` makes reads; any thread may write. With `partition` the log is that one alone."""

    def __init__(self, kafka: Kafka, topic: str, *, partition: int | None = None):
        self.topic = topic
        self._kafka = kafka
        self._partition = partition
        self._producer: Producer | None = None
        self._consumer: Consumer | None = None
        self._write_lock = threading.Lock()
        self._reached: dict[int, int] = {}
        self._moved = threading.Condition()
        self._delivered: dict[int, int] = {}
        self._undelivered: KafkaError | None = None
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    # --- reading ------------------------------------------------------------------------------------------------------

    def start(self, on_record: Callable[[LogRecord], None]) -> None:
        consumer = self._kafka.reader(self.topic)
        try:
            metadata = consumer.list_topics(self.topic, timeout=_TIMEOUT).topics[self.topic]
            if metadata.error is not None:
                raise LogError(f"Topic {self.topic} cannot be read: {metadata.error.str()}")
            partitions = list(metadata.partitions) if self._partition is None else [self._partition]
            consumer.assign([TopicPartition(self.topic, partition, OFFSET_BEGINNING) for partition in partitions])
        except (KafkaException, LogError) as error:
            consumer.close()
            raise error if isinstance(error, LogError) else LogError(f"Topic {self.topic} cannot be read: {error}") from error
        self._consumer = consumer
        self._stopping.clear()
        self._reached = dict.fromkeys(partitions, 0)
        self._thread = threading.Thread(target=self._read, args=(consumer, on_record), name=f"log-{self.topic}", daemon=True)
        self._thread.start()
        try:
            self.read_to_end()
        except LogError:
            # Whoever tries again starts a reader of its own.
            self._stop_reading()
            raise

    def _read(self, consumer: Consumer, on_record: Callable[[LogRecord], None]) -> None:
        while not self._stopping.is_set():
            message = consumer.poll(0.5)
            if message is None:
                continue
            error = message.error()
            if error is None:
                self._hand_over(message, on_record)
            elif error.code() == KafkaError._PARTITION_EOF:
                # Says where the end is even when the last records are transaction markers, which nobody is shown.
                self._reach(message, 0)
            else:
                logger.warning("Reading topic %s: %s", self.topic, error.str())
        consumer.close()

    def _hand_over(self, message: Message, on_record: Callable[[LogRecord], None]) -> None:
        partition, offset = message.partition() or 0, message.offset() or 0
        key, value = message.key(), message.value()
        try:
            on_record(LogRecord(partition, offset, _bytes(key) or b"", _bytes(value), _headers(message)))
        except Exception:
            # One record that nobody expected must not stop the reading of all others.
            logger.exception("Record at offset %d of %s-%d could not be applied", offset, self.topic, partition)
        self._reach(message, 1)

    def _reach(self, message: Message, step: int) -> None:
        partition, offset = message.partition() or 0, message.offset() or 0
        with self._moved:
            self._reached[partition] = max(self._reached.get(partition, 0), offset + step)
            self._moved.notify_all()

    def read_to_end(self) -> Positions:
        assert self._consumer is not None, "the log has not been started"
        deadline = time.monotonic() + _TIMEOUT
        ends = self._ends(deadline)
        if not self.wait_for(ends, deadline - time.monotonic()):
            raise LogError(f"Timed out while reading to the end of topic {self.topic}")
        return dict(self._reached)

    def _ends(self, deadline: float) -> Positions:
        while True:
            try:
                return self._kafka.end_offsets(self.topic, self._reached)
            except KafkaException as error:
                # A topic just made, or a broker just restarted, has no leader for a moment.
                if not passes_by_itself(error.args[0]) or time.monotonic() > deadline:
                    raise LogError(f"The end of topic {self.topic} cannot be found: {error.args[0].str()}") from error
                self._stopping.wait(_RETRY)

    @property
    def reached(self) -> Positions:
        with self._moved:
            return dict(self._reached)

    def wait_for(self, positions: Positions, timeout: float) -> bool:
        with self._moved:
            return self._moved.wait_for(
                lambda: all(self._reached.get(partition, 0) >= offset for partition, offset in positions.items()), timeout
            )

    # --- writing ------------------------------------------------------------------------------------------------------

    def message(self, record: KeyValue) -> dict[str, Any]:
        """A record as a producer takes it."""
        message: dict[str, Any] = {"topic": self.topic, "key": record.key, "value": record.value}
        if record.headers:
            message["headers"] = list(record.headers)
        if self._partition is not None:
            message["partition"] = self._partition
        return message

    def write(self, records: Sequence[KeyValue]) -> Positions:
        with self._write_lock:
            self.submit(records)
            positions = self.flush()
        if not self.wait_for(positions, _TIMEOUT):
            raise LogError(f"Timed out while reading back what was written to topic {self.topic}")
        return positions

    def submit(self, records: Sequence[KeyValue]) -> None:
        if self._producer is None:
            self._producer = self._kafka.writer(self.topic)
        for record in records:
            self._producer.produce(**self.message(record), on_delivery=self._on_delivery)
        self._producer.poll(0)

    def _on_delivery(self, error: KafkaError | None, message: Message) -> None:
        if error is not None:
            logger.error("A record was not written to topic %s: %s", self.topic, error.str())
            self._undelivered = error
            return
        partition, offset = message.partition() or 0, message.offset() or 0
        self._delivered[partition] = max(self._delivered.get(partition, 0), offset + 1)

    def flush(self) -> Positions:
        if self._producer is not None:
            left = self._producer.flush(_TIMEOUT)
            error, self._undelivered = self._undelivered, None
            if left or error:
                raise LogError(f"Writing to topic {self.topic} failed: {error.str() if error else 'timed out'}")
        return dict(self._delivered)

    def _stop_reading(self) -> None:
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(_TIMEOUT)

    def stop(self) -> None:
        self._stop_reading()
        if self._producer is not None:
            self._producer.flush(_TIMEOUT)


def _headers(message: Message) -> Mapping[str, bytes]:
    raw = message.headers()
    return {name: _bytes(value) or b"" for name, value in raw} if isinstance(raw, list) else {}


def _bytes(value: str | bytes | None) -> bytes | None:
    return value.encode() if isinstance(value, str) else value
