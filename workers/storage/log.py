"""A log: what every store stands on. `kafka_log` keeps it in a topic, `memory_log` in a list."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Protocol

from workers.storage.records import KeyValue

logger = logging.getLogger(__name__)

#: How far a log has been read: partition → offset of the next record.
Positions = Mapping[int, int]


class LogRecord(NamedTuple):
    partition: int
    offset: int
    key: bytes
    value: bytes | None
    headers: Mapping[str, bytes] = MappingProxyType({})


def tell_unreadable(topic: str, record: LogRecord) -> None:
    logger.warning(
        "Record at offset %d of partition %d of the %s topic cannot be read and is ignored",
        record.offset,
        record.partition,
        topic,
    )


class LogError(Exception):
    """The log could not be read or written. What was being written was not accepted."""


class Fenced(LogError):
    """Another process has taken over the right to write; this one must step down (design rule 3)."""


class TopicLost(LogError):
    """The topic was deleted while it was in use, and perhaps created anew: nothing is written to what stands in its place. Not to
    be tried again."""


class Log(Protocol):
    """An ordered, keyed, compacted log with one reader and any number of writers.

    Records are handed to the reader one at a time on the log's own thread, in order for each partition. `start` returns
    when all that was in the log has been handed over.
    """

    def start(self, on_record: Callable[[LogRecord], None]) -> None: ...

    def write(self, records: Sequence[KeyValue]) -> Positions:
        """Appends in order, and returns once this log's reader has met them. Raises LogError."""
        ...

    def submit(self, records: Sequence[KeyValue]) -> None:
        """Appends without waiting, in order for each key; `flush` waits. What cannot be written now is written when it can."""
        ...

    def flush(self) -> Positions:
        """Waits until all that was submitted is durable; returns positions that cover it. Raises LogError."""
        ...

    def read_to_end(self) -> Positions:
        """Returns once everything that was in the log at the call has been handed over. Raises LogError."""
        ...

    @property
    def fault(self) -> str | None:
        """What is wrong with what keeps the log, and what to do about it."""
        ...

    def wait_for(self, positions: Positions, timeout: float) -> bool:
        """Whether the reader got to `positions` within `timeout` seconds."""
        ...

    @property
    def reached(self) -> Positions:
        """How far the reader is."""
        ...

    def stop(self) -> None: ...


def faults(logs: Iterable[Log]) -> str:
    """As sentences; empty if all are well."""
    return " ".join(fault for log in logs if (fault := log.fault) is not None)


class Part(NamedTuple):
    """What one write holds for one log."""

    log: Log
    records: Sequence[KeyValue]


class SoleWriter(Protocol):
    """The right to write, held by one process of the group at a time (design rule 3). Thread-safe."""

    def claim(self) -> None:
        """Takes the right over; the former holder's next write raises Fenced. Raises LogError."""
        ...

    def release(self) -> None:
        """Gives the right up: from here on this process's writes raise Fenced, and fence nobody."""
        ...

    def write(self, parts: Sequence[Part]) -> list[Positions]:
        """Appends all of it or nothing, for all readers at once, and returns when each log's own reader has met its part.
        Raises LogError, Fenced."""
        ...
