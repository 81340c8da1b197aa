"""Topics as the benchmark needs them: fresh, and readable record by record."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Self

from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

_TIMEOUT = 30.0
_AT_ONCE = 10_000


class Different(Exception):
    """A copy that is no copy: the figures would mean nothing."""


class Topics:
    def __init__(self, bootstrap_servers: str) -> None:
        self.bootstrap_servers = bootstrap_servers
        self._admin = AdminClient({"bootstrap.servers": bootstrap_servers})
        self._ends = self.reader()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        # A client that is left would go on looking for its topics, and so create them at the next broker on this port.
        self._ends.close()
        del self._admin

    def reader(self) -> Consumer:
        return Consumer(
            {
                "bootstrap.servers": self.bootstrap_servers,
                "group.id": "bench-reader",
                "enable.auto.commit": False,
                "isolation.level": "read_committed",
            }
        )

    @contextmanager
    def fresh(self, name: str) -> Iterator[str]:
        """A topic of one partition, which is gone afterwards."""
        with self.all_fresh([name]):
            yield name

    @contextmanager
    def all_fresh(self, names: Sequence[str]) -> Iterator[None]:
        """One of each name."""
        made = self._admin.create_topics([NewTopic(name, num_partitions=1, replication_factor=1) for name in names])
        for future in made.values():
            future.result(_TIMEOUT)
        try:
            yield
        finally:
            for future in self._admin.delete_topics(list(names)).values():
                future.result(_TIMEOUT)

    def end(self, topic: str) -> int:
        return int(self._ends.get_watermark_offsets(TopicPartition(topic, 0), timeout=_TIMEOUT, cached=False)[1])

    def ends(self, topic: str) -> list[TopicPartition]:
        """Where the topic's partitions end, to read on from there."""
        partitions = [
            TopicPartition(topic, number) for number in self._admin.list_topics(topic, _TIMEOUT).topics[topic].partitions
        ]
        for partition in partitions:
            partition.offset = self._ends.get_watermark_offsets(partition, timeout=_TIMEOUT, cached=False)[1]
        return partitions

    def assert_holds(self, topic: str, file: Path) -> None:
        """The topic's values are the file's lines, in order, and nothing else. Raises Different."""
        with file.open("rb") as lines:
            for first, values in self._values(topic):
                wanted = [line.removesuffix(b"\n") for line in islice(lines, len(values))]
                if values != wanted:
                    raise Different(f"Topic {topic}: {_first_difference(first, values, wanted)}")
            if left := lines.readline():
                raise Different(f"Topic {topic} ends before the line {left!r}")

    def _values(self, topic: str) -> Iterator[tuple[int, list[bytes | None]]]:
        """The number of the first one, and values, from the topic's beginning to its end."""
        end, count = self.end(topic), 0
        consumer = self.reader()
        try:
            consumer.assign([TopicPartition(topic, 0, OFFSET_BEGINNING)])
            while count < end:
                messages = consumer.consume(min(_AT_ONCE, end - count), _TIMEOUT)
                errors = [error for error in (message.error() for message in messages) if error is not None]
                if errors or not messages:
                    raise Different(f"Topic {topic} cannot be read on after {count} records: {errors[:1] or 'no answer'}")
                yield count, [message.value() for message in messages]
                count += len(messages)
        finally:
            consumer.close()


def _first_difference(first: int, values: list[bytes | None], wanted: list[bytes]) -> str:
    for number, value in enumerate(values):
        if number >= len(wanted):
            return f"record {first + number} is one too many: {value!r}"
        if value != wanted[number]:
            return f"record {first + number} is {value!r} instead of {wanted[number]!r}"
    return "no difference"


def assert_same(copy: Path, original: Path) -> None:
    """Byte by byte. Raises Different."""
    with copy.open("rb") as copied, original.open("rb") as wanted:
        position = 0
        while (block := copied.read(1 << 20)) == (other := wanted.read(1 << 20)):
            if not block:
                return
            position += len(block)
    where = next((i for i, (a, b) in enumerate(zip(block, other, strict=False)) if a != b), min(len(block), len(other)))
    raise Different(f"{copy} differs from {original} at byte {position + where}")
