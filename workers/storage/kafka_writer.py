"""The leader's right to write: one transactional producer, over all the logs that it writes (`SoleWriter`)."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import NoReturn

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from workers.storage.kafka import Kafka
from workers.storage.kafka_log import KafkaLog
from workers.storage.log import Fenced, LogError, Part, Positions, TopicLost

logger = logging.getLogger(__name__)

# Kafka Connect's own limit on a write together with the reading back of it.
_TIMEOUT = 30.0
_SLICE = 1.0
_CUT_OFF = "This process is cut off from its group"
_FENCING = {KafkaError._FENCED, KafkaError.PRODUCER_FENCED, KafkaError.INVALID_PRODUCER_EPOCH}


class KafkaWriter:
    """See `SoleWriter`. Every write is one transaction under `transactional_id`, so that all of it becomes visible or nothing.

    Nobody waits for Kafka while `counts` says no: whoever is cut off from its group has something else to do.
    """

    def __init__(self, kafka: Kafka, transactional_id: str, counts: Callable[[], bool] = lambda: True) -> None:
        self._kafka = kafka
        self._id = transactional_id
        self._counts = counts
        self._producer: Producer | None = None
        self._held = False
        self._lock = threading.Lock()

    def claim(self) -> None:
        with self._lock:
            self._producer = self._claimed(_TIMEOUT)
            self._held = True

    def _claimed(self, timeout: float) -> Producer:
        producer = self._kafka.writer("leader", self._id)
        try:
            producer.init_transactions(timeout)
        except KafkaException as error:
            raise LogError(f"The right to write ({self._id}) cannot be claimed: {error.args[0].str()}") from error
        return producer

    def release(self) -> None:
        with self._lock:
            self._producer, self._held = None, False

    def write(self, parts: Sequence[Part]) -> list[Positions]:
        deadline = time.monotonic() + _TIMEOUT
        with self._lock:
            if not self._held:
                raise Fenced("This process does not lead")
            _check(parts)
            read = [log.reached for log, _ in parts]
            positions = self._transaction(parts, deadline)
        for (log, _), before, reached in zip(parts, read, positions, strict=True):
            assert isinstance(log, KafkaLog), "a Kafka writer writes to topics"
            log.check_order(before, reached)
            if not log.wait_for(reached, deadline - time.monotonic()):
                _check(parts)
                raise LogError("Timed out while reading back what was written")
        return positions

    def _transaction(self, parts: Sequence[Part], deadline: float) -> list[Positions]:
        if self._producer is None:
            if not self._counts():
                raise LogError(_CUT_OFF)
            # What the one before left open is settled by this.
            self._producer = self._claimed(deadline - time.monotonic())
        producer, positions = self._producer, [dict[int, int]() for _ in parts]
        try:
            producer.begin_transaction()
            for (log, records), reached in zip(parts, positions, strict=True):
                assert isinstance(log, KafkaLog), "a Kafka writer writes to topics"
                for record in records:
                    producer.produce(**log.message(record), on_delivery=_noting(reached))
            self._commit(producer, parts, deadline)
        except KafkaException as error:
            self._give_up(producer, error.args[0])
        except TopicLost:
            # In the middle of a commit, which cannot be taken back.
            self._producer = None
            raise
        return list(positions)

    def _commit(self, producer: Producer, parts: Sequence[Part], deadline: float) -> None:
        """Delivers first what was produced. `flush` would, too, but fails without a reason if the producer is fenced then. Raises
        KafkaException, TopicLost, and LogError when this is cut off: what becomes of the write is known with the next one."""
        while True:
            try:
                producer.commit_transaction(min(_SLICE, max(0.1, deadline - time.monotonic())))
                return
            except KafkaException as error:
                # For a topic that is gone it would wait to the end.
                _check(parts)
                if error.args[0].code() != KafkaError._TIMED_OUT or time.monotonic() > deadline:
                    raise
                if not self._counts():
                    self._producer = None
                    raise LogError(_CUT_OFF) from error

    def _give_up(self, producer: Producer, error: KafkaError) -> NoReturn:
        if error.code() in _FENCING:
            self._producer, self._held = None, False
            raise Fenced(f"Another process leads now: {error.str()}")
        try:
            producer.abort_transaction(_TIMEOUT)
        except KafkaException as second:
            logger.warning("A failed write could not be taken back: %s", second)
            self._producer = None
        raise LogError(f"Writing failed: {error.str()}")


def _check(parts: Sequence[Part]) -> None:
    """Raises TopicLost."""
    for log, _ in parts:
        assert isinstance(log, KafkaLog), "a Kafka writer writes to topics"
        log.check()


def _noting(reached: dict[int, int]) -> Callable[[KafkaError | None, Message], None]:
    def note(error: KafkaError | None, message: Message) -> None:
        # An error is told by the commit, too.
        if error is None:
            partition, offset = message.partition() or 0, message.offset() or 0
            reached[partition] = max(reached.get(partition, 0), offset + 1)

    return note
