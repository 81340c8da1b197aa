"""MirrorMaker 2's own records: heartbeats, checkpoints and offset syncs, in the binary form of Kafka's protocol types."""

import struct
from dataclasses import dataclass

from workers.herder.values import Fields, Partition

_VERSION = 0


class Unreadable(ValueError):
    """The bytes are no such record, or one of a later version."""


@dataclass(frozen=True, slots=True)
class OffsetSync:
    """A record of the source's partition and the one that was made of it."""

    partition: Partition
    upstream: int
    downstream: int

    def key(self) -> bytes:
        return _string(self.partition.topic) + struct.pack(">i", self.partition.number)

    def value(self) -> bytes:
        return struct.pack(">qq", self.upstream, self.downstream)

    @classmethod
    def read(cls, key: bytes, value: bytes) -> "OffsetSync":
        """Raises Unreadable."""
        name, number = _Reader(key), _Reader(value)
        return cls(Partition(name.string(), name.number(">i")), number.number(">q"), number.number(">q"))


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where a consumer group stands in a partition of the target, and by which offset of the source. `metadata`: the group's."""

    group: str
    partition: Partition
    upstream: int
    downstream: int
    metadata: str

    def key(self) -> bytes:
        return _string(self.group) + _string(self.partition.topic) + struct.pack(">i", self.partition.number)

    def value(self) -> bytes:
        return struct.pack(">hqq", _VERSION, self.upstream, self.downstream) + _string(self.metadata)

    def source_partition(self) -> Fields:
        return {"partition": self.partition.number, "topic": self.partition.topic, "group": self.group}

    @classmethod
    def read(cls, key: bytes, value: bytes) -> "Checkpoint":
        """Raises Unreadable."""
        names, numbers = _Reader(key), _Reader(value)
        numbers.version()
        group, partition = names.string(), Partition(names.string(), names.number(">i"))
        return cls(group, partition, numbers.number(">q"), numbers.number(">q"), numbers.string())


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """`timestamp`: milliseconds since 1970."""

    source: str
    target: str
    timestamp: int

    def key(self) -> bytes:
        return _string(self.source) + _string(self.target)

    def value(self) -> bytes:
        return struct.pack(">hq", _VERSION, self.timestamp)

    def source_partition(self) -> Fields:
        return {"sourceClusterAlias": self.source, "targetClusterAlias": self.target}

    @classmethod
    def read(cls, key: bytes, value: bytes) -> "Heartbeat":
        """Raises Unreadable."""
        names, numbers = _Reader(key), _Reader(value)
        numbers.version()
        return cls(names.string(), names.string(), numbers.number(">q"))


def _string(text: str) -> bytes:
    encoded = text.encode()
    return struct.pack(">h", len(encoded)) + encoded


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def number(self, form: str) -> int:
        try:
            (value,) = struct.unpack_from(form, self._data, self._at)
        except struct.error as error:
            raise Unreadable(f"It ends after {len(self._data)} bytes") from error
        self._at += struct.calcsize(form)
        return int(value)

    def string(self) -> str:
        length = self.number(">h")
        raw = self._data[self._at : self._at + length]
        if length < 0 or len(raw) < length:
            raise Unreadable(f"A text of {length} bytes does not fit into {len(self._data)}")
        self._at += length
        try:
            return raw.decode()
        except UnicodeDecodeError as error:
            raise Unreadable("A text is not in UTF-8") from error

    def version(self) -> None:
        version = self.number(">h")
        if version != _VERSION:
            raise Unreadable(f"It is of version {version}")
