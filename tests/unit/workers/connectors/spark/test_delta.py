"""What a Delta table has of a job's ranges, and what is noted of them."""

import json

import pytest

from workers.connectors.base import KafkaRange
from workers.connectors.spark.delta import Writes, condition, missing, newest, note, together
from workers.herder.values import Partition

T = Partition("t", 0)


def of(start: int, end: int, topic: str = "t", partition: int = 0) -> KafkaRange:
    return KafkaRange(topic, partition, start, end)


@pytest.mark.parametrize(
    ("writes", "item", "left", "known"),
    [
        ({}, of(0, 5), of(0, 5), of(0, 5)),
        ({T: (0, 5)}, of(0, 5), None, of(0, 5)),
        ({T: (0, 5)}, of(0, 8), of(5, 8), of(0, 8)),
        ({T: (0, 5)}, of(0, 3), None, of(0, 5)),
        ({T: (0, 5)}, of(3, 8), of(5, 8), of(0, 8)),
        ({T: (0, 5)}, of(5, 8), of(5, 8), of(5, 8)),
        ({T: (3, 5)}, of(0, 8), of(0, 8), of(0, 8)),
        ({T: (-1, -1)}, of(0, 5), of(0, 5), of(0, 5)),
        ({Partition("t", 1): (0, 5)}, of(0, 5), of(0, 5), of(0, 5)),
        ({Partition("u", 0): (0, 5)}, of(0, 5), of(0, 5), of(0, 5)),
    ],
    ids=["new", "again", "further", "shorter", "its rest", "behind it", "wound back", "forgotten", "another", "another topic"],
)
def test_what_is_not_there_yet(writes: Writes, item: KafkaRange, left: KafkaRange | None, known: KafkaRange) -> None:
    assert missing([item], writes) == ([] if left is None else [left])
    assert together([item], writes) == [known]


def test_a_note_is_read_back() -> None:
    assert newest("c", [note("c", [of(0, 5), of(7, 9, "u", 3)])]) == {T: (0, 5), Partition("u", 3): (7, 9)}


def test_the_newest_note_of_a_partition_counts() -> None:
    assert newest("c", [note("c", [of(5, 9)]), note("c", [of(0, 5), of(1, 2, "u")])]) == {T: (5, 9), Partition("u", 0): (1, 2)}


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "a word",
        "1",
        "null",
        "[]",
        "{}",
        json.dumps({"connector": "c"}),
        json.dumps({"connector": "c", "ranges": [[1]]}),
        json.dumps({"connector": "c", "ranges": 1}),
        note("another", [of(0, 5)]),
    ],
)
def test_what_others_noted_is_passed_over(text: str | None) -> None:
    assert newest("c", [text, note("c", [of(0, 5)])]) == {T: (0, 5)}


def test_ranges_in_sql() -> None:
    assert condition([of(0, 5), of(7, 9, "u.v", 3)]) == (
        "(topic = 't' AND partition = 0 AND offset >= 0 AND offset < 5) OR "
        "(topic = 'u.v' AND partition = 3 AND offset >= 7 AND offset < 9)"
    )
