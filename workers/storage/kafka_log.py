"""A log in a Kafka topic (`Log`), read by a consumer without a group and written with `acks=all`."""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

from workers.storage.kafka import Kafka, passes_by_itself
from workers.storage.log import LogError, LogRecord, Positions
from workers.storage.records import KeyValue
from workers.storage.topic_watch import TopicWatch

logger = logging.getLogger(__name__)

# Kafka Connect's own limit on a write together with the reading back of it.
_TIMEOUT = 30.0
_RETRY = 0.1
_SLICE = 1.0


class KafkaLog:
    """See `Log`. Only the thread that `start` makes reads; any thread may write. With `partition` the log is that one alone."""

    def __init__(self, kafka: Kafka, topic: str, *, partition: int | None = None) -> None:
        self.topic = topic
        self._kafka = kafka
        self._partition = partition
        # What was not accepted must not arrive later; what was only said must arrive, whenever Kafka is there again.
        self._watch = TopicWatch(topic, partial(kafka.describe, topic), partial(kafka.settings, topic))
        self._writing = _Sender(lambda: kafka.writer(topic, timeout=_TIMEOUT), self._watch)
        self._saying = _Sender(lambda: kafka.writer(topic, timeout=0), self._watch)
        self._write_lock = threading.Lock()
        self._reached: dict[int, int] = {}
        self._moved = threading.Condition()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    # --- reading ------------------------------------------------------------------------------------------------------

    def start(self, on_record: Callable[[LogRecord], None]) -> None:
        try:
            found = self._watch.begin()
        except KafkaException as error:
            raise LogError(f"Topic {self.topic} cannot be read: {error.args[0].str()}") from error
        partitions = [each.id for each in found.partitions] if self._partition is None else [self._partition]
        consumer = self._kafka.reader(self.topic)
        consumer.assign([TopicPartition(self.topic, partition, OFFSET_BEGINNING) for partition in partitions])
        self._stopping.clear()
        self._reached = dict.fromkeys(partitions, 0)
        self._thread = threading.Thread(target=self._read, args=(consumer, on_record), name=f"log-{self.topic}", daemon=True)
        self._thread.start()
        try:
            self.read_to_end()
            self._tell_of_cuts()
        except LogError:
            # Whoever tries again starts a reader of its own.
            self._stop_reading()
            raise

    def _read(self, consumer: Consumer, on_record: Callable[[LogRecord], None]) -> None:
        halted = False
        while not self._stopping.is_set():
            self._watch.look()
            if halted:
                halted = not self._goes_on(consumer)
            if self._watch.replaced:
                break
            message = consumer.poll(0.5)
            self._saying.poll()
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
                halted |= error.code() == KafkaError._AUTO_OFFSET_RESET
        consumer.close()

    def _goes_on(self, consumer: Consumer) -> bool:
        """librdkafka reads no further where it cannot tell that what comes continues what it read. If nothing of that is missing,
        it goes on here, as soon as Kafka can be asked."""
        try:
            first = self._kafka.first_offsets(self.topic, self._reached)
            end = self._kafka.end_offsets(self.topic, self._reached)
        except KafkaException:
            return False
        if all(first[partition] <= offset <= end[partition] for partition, offset in self._reached.items()):
            consumer.assign([TopicPartition(self.topic, partition, offset) for partition, offset in self._reached.items()])
        else:
            self._watch.lose()
        return True

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

    @property
    def fault(self) -> str | None:
        return self._watch.fault

    def check(self) -> None:
        """Raises TopicLost."""
        self._watch.check()

    def check_order(self, read: Positions, written: Positions) -> None:
        """What is written comes after what had been read before, or is in another topic, which nobody has noticed yet. Raises
        TopicLost."""
        if any(0 < offset <= read.get(partition, 0) for partition, offset in written.items()):
            self._watch.lose()
        self.check()

    def read_to_end(self) -> Positions:
        assert self._thread is not None, "the log has not been started"
        deadline = time.monotonic() + _TIMEOUT
        ends = self._ask(self._kafka.end_offsets, deadline)
        if not self.wait_for(ends, deadline - time.monotonic()):
            raise LogError(f"Timed out while reading to the end of topic {self.topic}")
        return dict(self._reached)

    def _tell_of_cuts(self) -> None:
        first = self._ask(self._kafka.first_offsets, time.monotonic() + _TIMEOUT)
        # Compaction leaves a topic's beginning where it was.
        if cut := {partition: offset for partition, offset in first.items() if offset > 0}:
            begins = ", ".join(f"{offset} in partition {partition}" for partition, offset in sorted(cut.items()))
            logger.error("Topic %s was cut short, not compacted: it begins at offset %s", self.topic, begins)

    def _ask(self, offsets: Callable[[str, Iterable[int]], Positions], deadline: float) -> Positions:
        while True:
            self.check()
            try:
                return offsets(self.topic, self._reached)
            except KafkaException as error:
                # A topic just made, or a broker just restarted, has no leader for a moment.
                if not passes_by_itself(error.args[0]) or time.monotonic() > deadline:
                    raise LogError(f"The offsets of topic {self.topic} cannot be found: {error.args[0].str()}") from error
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
        self.check()
        with self._write_lock:
            self._writing.produce(map(self.message, records))
            positions = self._writing.flush()
        if not self.wait_for(positions, _TIMEOUT):
            self.check()
            raise LogError(f"Timed out while reading back what was written to topic {self.topic}")
        return positions

    def submit(self, records: Sequence[KeyValue]) -> None:
        if self._watch.lost:
            # Nobody waits here, and whoever does is told.
            return
        self._saying.produce(map(self.message, records))

    def flush(self) -> Positions:
        return self._saying.flush()

    def _stop_reading(self) -> None:
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(_TIMEOUT)

    def stop(self) -> None:
        self._stop_reading()
        self._saying.close()


class _Sender:
    """A producer, made when it is first needed, and how far its records are in the topic."""

    def __init__(self, make: Callable[[], Producer], watch: TopicWatch) -> None:
        self._make = make
        self._watch = watch
        self._lock = threading.Lock()
        self._producer: Producer | None = None
        self._delivered: dict[int, int] = {}
        self._undelivered: KafkaError | None = None

    def produce(self, messages: Iterable[Mapping[str, Any]]) -> None:
        producer = self._own_producer()
        for message in messages:
            producer.produce(**message, on_delivery=self._on_delivery)
        producer.poll(0)

    def _own_producer(self) -> Producer:
        # One, whoever is first: a second one, dropped, would take with it what it had not sent yet.
        with self._lock:
            if self._producer is None:
                self._producer = self._make()
            return self._producer

    def _on_delivery(self, error: KafkaError | None, message: Message) -> None:
        if error is not None:
            logger.error("A record was not written to topic %s: %s", self._watch.topic, error.str())
            self._undelivered = error
            return
        partition, offset = message.partition() or 0, message.offset() or 0
        self._delivered[partition] = max(self._delivered.get(partition, 0), offset + 1)

    def poll(self) -> None:
        """Hears of what has been delivered meanwhile."""
        if self._producer is not None:
            self._producer.poll(0)

    def flush(self) -> Positions:
        """Does not wait for a topic that is gone. Raises LogError."""
        deadline = time.monotonic() + _TIMEOUT
        self._watch.check()
        if self._producer is not None:
            while (left := self._producer.flush(_SLICE)) and time.monotonic() < deadline:
                self._watch.check()
            error, self._undelivered = self._undelivered, None
            if left or error:
                self._watch.check()
                raise LogError(f"Writing to topic {self._watch.topic} failed: {error.str() if error else 'timed out'}")
        return dict(self._delivered)

    def close(self) -> None:
        if self._producer is not None and not self._watch.lost:
            self._producer.flush(_TIMEOUT)


def _headers(message: Message) -> Mapping[str, bytes]:
    raw = message.headers()
    return {name: _bytes(value) or b"" for name, value in raw} if isinstance(raw, list) else {}


def _bytes(value: str | bytes | None) -> bytes | None:
    return value.encode() if isinstance(value, str) else value
