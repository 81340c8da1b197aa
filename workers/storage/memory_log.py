"""A log in memory: the standalone herder's, and the tests'. Any number of logs may share one topic."""

import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from workers.storage.log import Fenced, LogRecord, Part, Positions
from workers.storage.records import KeyValue


class MemoryTopic:
    """The records of one partition, and whom to tell of new ones. One that does not `keep` them tells only those who read from
    its beginning: for a process that runs for months."""

    def __init__(self, *, keep: bool = True) -> None:
        self.records: list[LogRecord] = []
        self.end = 0
        self._keep = keep
        self.readers: list[Callable[[LogRecord], None]] = []
        self.lock = threading.RLock()

    def append(self, records: Sequence[KeyValue]) -> int:
        with self.lock:
            for key, value, headers in records:
                record = LogRecord(0, self.end, key, value, dict(headers))
                self.end += 1
                if self._keep:
                    self.records.append(record)
                for reader in list(self.readers):
                    reader(record)
            return self.end


class MemoryLog:
    """See `Log`. Readers are called on the writer's thread, so everything written has been read on return."""

    # It is there as long as this process is.
    fault: str | None = None

    def __init__(self, topic: MemoryTopic | None = None) -> None:
        self._topic = topic or MemoryTopic()
        self._on_record: Callable[[LogRecord], None] | None = None

    @property
    def lock(self) -> "threading.RLock":
        return self._topic.lock

    def start(self, on_record: Callable[[LogRecord], None]) -> None:
        with self._topic.lock:
            for record in self._topic.records:
                on_record(record)
            self._topic.readers.append(on_record)
            self._on_record = on_record

    def write(self, records: Sequence[KeyValue]) -> Positions:
        return {0: self._topic.append(records)}

    def submit(self, records: Sequence[KeyValue]) -> None:
        self._topic.append(records)

    def flush(self) -> Positions:
        return self.read_to_end()

    def read_to_end(self) -> Positions:
        return self.reached

    @property
    def reached(self) -> Positions:
        return {0: self._topic.end}

    def wait_for(self, positions: Positions, timeout: float) -> bool:
        return all(offset <= self._topic.end for offset in positions.values())

    def stop(self) -> None:
        with self._topic.lock:
            if self._on_record in self._topic.readers:
                self._topic.readers.remove(self._on_record)


class MemoryRight:
    """What several `MemoryWriter`s contend for."""

    def __init__(self) -> None:
        self.holder: object | None = None
        self.lock = threading.RLock()


class MemoryWriter:
    """See `SoleWriter`."""

    def __init__(self, right: MemoryRight | None = None) -> None:
        self._right = right or MemoryRight()

    def claim(self) -> None:
        with self._right.lock:
            self._right.holder = self

    def release(self) -> None:
        with self._right.lock:
            if self._right.holder is self:
                self._right.holder = None

    def write(self, parts: Sequence[Part]) -> list[Positions]:
        with self._right.lock:
            if self._right.holder is not self:
                raise Fenced("Another process writes now")
            with ExitStack() as topics:
                # Nobody puts anything between the parts: a reader of the one may answer in another.
                for log in sorted((log for log, _ in parts if isinstance(log, MemoryLog)), key=lambda log: id(log.lock)):
                    topics.enter_context(log.lock)
                return [log.write(records) for log, records in parts]
