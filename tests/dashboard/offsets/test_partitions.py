"""Partitions and their table as values: order, names, ends, lag."""

from typing import Any

import pytest

from connect_client import PartitionOffset, Position
from dashboard.offsets.partitions import in_kafka, key, name, offset_text, reach, standing
from dashboard.offsets.table import table


def kafka(topic: str, number: int, offset: int | None = None) -> PartitionOffset:
    partition = {"kafka_partition": number, "kafka_topic": topic}
    return PartitionOffset(partition, None if offset is None else {"kafka_offset": offset})


def source(partition: dict[str, Any] | None, offset: dict[str, Any] | None = None) -> PartitionOffset:
    return PartitionOffset(partition, offset)


def test_a_key_does_not_mind_the_order_of_fields() -> None:
    assert key({"a": 1, "b": 2}) == key({"b": 2, "a": 1}) != key({"a": 1, "b": 3})


@pytest.mark.parametrize(
    ("at", "of_a_sink", "named", "text"),
    [
        (kafka("t", 3, 5), True, "t 3", "5"),
        (kafka("t", 3), True, "t 3", ""),
        (source({"filename": "/ä"}, {"position": 5}), False, '{"filename":"/ä"}', '{"position":5}'),
        # A mirror's partitions have a topic, too, and are its own all the same.
        (source({"cluster": "a", "partition": 0, "topic": "t"}, {"offset": 1}), False, None, '{"offset":1}'),
        (source(None), False, "", ""),
        (
            source({"kafka_topic": "t", "kafka_partition": 0}, {"kafka_offset": 1, "x": 2}),
            True,
            "t 0",
            '{"kafka_offset":1,"x":2}',
        ),
    ],
)
def test_names(at: PartitionOffset, of_a_sink: bool, named: str | None, text: str) -> None:
    assert in_kafka(at.partition) is of_a_sink
    assert offset_text(at) == text
    assert named is None or name(at.partition) == named


def test_numbers_in_names_count_as_numbers() -> None:
    given = [kafka("t", 10, 1), kafka("t10", 0, 1), kafka("t", 9, 1), kafka("t9", 0, 1), kafka("B", 0, 1), kafka("a", 0, 1)]
    assert [name(at.partition) for at in standing(given, {})] == ["a 0", "B 0", "t 9", "t 10", "t9 0", "t10 0"]
    files = [source({"filename": f"/f-{number}"}) for number in (10, 9)] + [source(None)]
    assert [name(at.partition) for at in standing(files, {})] == ["", '{"filename":"/f-9"}', '{"filename":"/f-10"}']


def test_partitions_without_an_offset_are_there_too() -> None:
    positions = reach([Position("t", 0, 4, 0, 9), Position("t", 1, None, 0, 9)])
    assert standing([kafka("t", 0, 5), kafka("gone", 0, 1)], positions) == (kafka("gone", 0, 1), kafka("t", 0, 5), kafka("t", 1))


@pytest.mark.parametrize(
    ("at", "end", "shown"),
    [
        (kafka("t", 0, 1200), 13500, ("1,200", "13,500", "12,300")),
        (kafka("t", 0, 5), 5, ("5", "5", "0")),
        (kafka("t", 0, 7), 5, ("7", "5", "0")),
        (kafka("t", 0), 5, ("", "5", "")),
        (kafka("t", 0, 5), None, ("5", "", "")),
        (source({"f": "x"}, {"position": 5}), None, ('{"position":5}', "", "")),
    ],
)
def test_a_line(at: PartitionOffset, end: int | None, shown: tuple[str, str, str]) -> None:
    (line,) = table([at], {} if end is None else reach([Position("t", 0, None, 0, end)])).lines
    assert (line.current, line.end, line.behind) == shown


@pytest.mark.parametrize(
    ("known", "positions", "summary", "reaches"),
    [
        ([], [], "0 partitions", False),
        ([kafka("t", 0, 5)], [], "1 partition", False),
        ([kafka("t", 0, 5), kafka("t", 1)], [Position("t", 1, None, 0, 9)], "2 partitions", True),
        ([kafka("t", 0, 5), kafka("t", 1)], [Position("t", 0, 5, 0, 3005)], "2 partitions · lag 3,000", True),
    ],
)
def test_a_table(known: list[PartitionOffset], positions: list[Position], summary: str, reaches: bool) -> None:
    found = table(known, reach(positions))
    assert (found.summary, found.reaches) == (summary, reaches)
    assert found.committed == sum(at.offset is not None for at in known)
