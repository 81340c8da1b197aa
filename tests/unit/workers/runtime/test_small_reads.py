"""What belongs to a read of a few records, and when it is over; and what Spark gets of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from confluent_kafka import KafkaError, KafkaException

from workers.connectors.base import KafkaRange
from workers.runtime import small_reads
from workers.runtime.small_reads import TooMuch, table, within


@dataclass
class Message:
    """As librdkafka gives them. `failed` is an error's code, or that of a log's end."""

    at: str
    number: int
    failed: int | None = None
    content: bytes | None = b"v"
    carried: Sequence[tuple[str, bytes | None]] | None = None

    def topic(self) -> str:
        return self.at[0]

    def partition(self) -> int:
        return int(self.at[1:])

    def offset(self) -> int:
        return self.number

    def key(self) -> bytes | None:
        return None

    def value(self) -> bytes | None:
        return self.content

    def error(self) -> KafkaError | None:
        return None if self.failed is None else KafkaError(self.failed)

    def timestamp(self) -> tuple[int, int]:
        return 1, 1_700_000_000_123

    def headers(self) -> Sequence[tuple[str, bytes | None]] | None:
        return self.carried


def end(at: str, offset: int) -> Message:
    return Message(at, offset, KafkaError._PARTITION_EOF)


def messages(text: str) -> list[Message]:
    """`a0:5` is a record of topic a's partition 0 at offset 5, `a0|6` the log's end there."""
    found = []
    for word in text.split():
        at, mark, number = word[:2], word[2], int(word[3:])
        found.append(end(at, number) if mark == "|" else Message(at, number))
    return found


def read(came: Sequence[Message], *ranges: KafkaRange) -> str:
    rest = iter(came)
    found = [f"{m.topic()}{m.partition()}:{m.offset()}" for m in within(cast(Any, rest), ranges)]
    return " ".join([*found, *("…" for _ in rest)])


A0, A1, B0 = KafkaRange("a", 0, 5, 8), KafkaRange("a", 1, 0, 1), KafkaRange("b", 0, 2, 4)


@pytest.mark.parametrize(
    ("came", "ranges", "expected"),
    [
        ("a0:5 a0:6 a0:7 a0:8", [A0], "a0:5 a0:6 a0:7 …"),
        ("a0:5 a0:6 a0:7 a0|8", [A0], "a0:5 a0:6 a0:7 …"),
        # Others fetch faster than one reads.
        ("a1:0 a1:1 a1:2 a0:5 a0:6 a0:7", [A0, A1], "a1:0 a0:5 a0:6 a0:7"),
        ("b0:2 a0:5 b0:3 a0:6 b0|4 a1:0 a0:7 a1|1", [A0, A1, B0], "b0:2 a0:5 b0:3 a0:6 a1:0 a0:7 …"),
        # Compacted, or marks of transactions: the range's last offset never comes.
        ("a0:6 a0:9", [A0], "a0:6"),
        ("a0:5 a0|8", [A0], "a0:5"),
        ("a0:5 a0:6 a0|8 a0:8", [A0], "a0:5 a0:6 …"),
        ("a0|8", [A0], ""),
        # The log's end was seen before the last records were written.
        ("a0:5 a0|6 a0:6 a0:7", [A0], "a0:5 a0:6 a0:7"),
        # Of an earlier read, of nobody's.
        ("a0:3 a0:4 c0:9 a0:5 a0:6 a0:7", [A0], "a0:5 a0:6 a0:7"),
        ("a0|4 a0:5 a0:6 a0:7", [A0], "a0:5 a0:6 a0:7"),
        ("a0:1", [], "…"),
    ],
)
def test_what_is_read_and_when_it_is_over(came: str, ranges: Sequence[KafkaRange], expected: str) -> None:
    assert read(messages(came), *ranges) == expected


def test_a_partitions_error_is_raised() -> None:
    came = [Message("a0", 5), Message("a0", 6, KafkaError.UNKNOWN_TOPIC_OR_PART)]
    with pytest.raises(KafkaException):
        read(came, A0)


def test_more_than_memory_should_hold_is_left_to_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_reads, "MOST_BYTES", 10)
    with pytest.raises(TooMuch):
        read([Message("a0", 5, content=b"x" * 6), Message("a0", 6, content=b"x" * 6)], A0)


def test_the_table_has_the_columns_of_sparks_source_and_each_partitions_order() -> None:
    made = table(
        cast(Any, [Message("b0", 1), Message("a1", 0, content=None, carried=[("h", b"1"), ("n", None)]), Message("a0", 7)])
    )
    assert made.to_pylist() == [
        row("a", 0, 7, b"v"),
        {**row("a", 1, 0, None), "headers": [{"key": "h", "value": b"1"}, {"key": "n", "value": None}]},
        row("b", 0, 1, b"v"),
    ]


def row(topic: str, partition: int, offset: int, value: bytes | None) -> dict[str, object]:
    return {
        "key": None,
        "value": value,
        "topic": topic,
        "partition": partition,
        "offset": offset,
        "timestamp": datetime.fromtimestamp(1_700_000_000.123, UTC),
        "timestampType": 0,
        "headers": None,
    }


def test_no_record_is_an_empty_table_of_the_same_columns() -> None:
    assert table([]).schema == table(cast(Any, [Message("a0", 7)])).schema
