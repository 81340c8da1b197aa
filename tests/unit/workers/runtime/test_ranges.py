"""Which offsets a sink's next job reads."""

import logging

import pytest

from workers.connectors.base import ConnectError, KafkaRange
from workers.herder.values import Partition
from workers.runtime.ranges import are_few, merged, next_ranges, share, start_offset, subscribed

P = Partition
TOPICS = {"b": 2, "a": 1, "other": 3, "a.b": 1}


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"topics": "b"}, [P("b", 0), P("b", 1)]),
        ({"topics": " b , a,, "}, [P("a", 0), P("b", 0), P("b", 1)]),
        ({"topics": "a,a"}, [P("a", 0)]),
        ({"topics": "missing"}, []),
        ({"topics": "missing,a"}, [P("a", 0)]),
        ({}, []),
        # The whole name has to match, as in Java.
        ({"topics.regex": "a"}, [P("a", 0)]),
        ({"topics.regex": "a.*"}, [P("a", 0), P("a.b", 0)]),
        ({"topics.regex": r"a\.b|b"}, [P("a.b", 0), P("b", 0), P("b", 1)]),
        ({"topics.regex": "x"}, []),
    ],
)
def test_subscribed(config: dict[str, str], expected: list[Partition]) -> None:
    assert subscribed(config, TOPICS) == expected


@pytest.mark.parametrize("tasks", [1, 2, 3, 7, 10])
def test_each_partition_belongs_to_exactly_one_task_and_none_has_two_more_than_another(tasks: int) -> None:
    partitions = [P("a", n) for n in range(7)]
    shares = [share(partitions, task, tasks) for task in range(tasks)]
    assert sorted(p for mine in shares for p in mine) == partitions
    sizes = [len(mine) for mine in shares]
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize(
    ("reset", "committed", "expected"),
    [
        ("earliest", None, 10),
        ("latest", None, 20),
        ("earliest", 10, 10),
        ("latest", 15, 15),
        ("none", 20, 20),
        # Gone: deleted by retention, or the topic was made anew.
        ("earliest", 9, 10),
        ("earliest", 21, 10),
        ("latest", 9, 20),
        ("latest", 0, 20),
    ],
)
def test_start_offset(reset: str, committed: int | None, expected: int) -> None:
    assert start_offset(reset, P("t", 3), committed, begin=10, end=20) == expected


@pytest.mark.parametrize(("reset", "committed"), [("none", None), ("none", 9), ("none", 21), ("bogus", None)])
def test_start_offset_without_a_way_out(reset: str, committed: int | None) -> None:
    with pytest.raises(ConnectError, match=f"offsets 10 to 20 in partition 3, the committed one is {committed}"):
        start_offset(reset, P("t", 3), committed, begin=10, end=20)


@pytest.mark.parametrize(("committed", "warned"), [(9, True), (None, False), (15, False)])
def test_a_jump_is_logged(caplog: pytest.LogCaptureFixture, committed: int | None, warned: bool) -> None:
    with caplog.at_level(logging.WARNING):
        start_offset("earliest", P("t", 3), committed, begin=10, end=20)
    assert ("Committed offset 9 of t-3 is gone (the log has 10 to 20): going on at 10" in caplog.text) is warned


A, B, C = P("a", 0), P("b", 0), P("c", 0)


@pytest.mark.parametrize(
    ("positions", "ends", "most", "expected"),
    [
        ({}, {}, 10, []),
        ({A: 5}, {A: 5}, 10, []),
        ({A: 5}, {}, 10, []),
        ({A: 5}, {A: 3}, 10, []),
        ({A: 5}, {A: 8}, 10, [KafkaRange("a", 0, 5, 8)]),
        ({A: 5}, {A: 100}, 10, [KafkaRange("a", 0, 5, 15)]),
        # Even shares …
        ({A: 0, B: 0}, {A: 100, B: 100}, 10, [KafkaRange("a", 0, 0, 5), KafkaRange("b", 0, 0, 5)]),
        # … and what one does not need goes to the others.
        ({A: 0, B: 0}, {A: 100, B: 2}, 10, [KafkaRange("a", 0, 0, 8), KafkaRange("b", 0, 0, 2)]),
        (
            {A: 7, B: 0, C: 0},
            {A: 8, B: 100, C: 3},
            12,
            [KafkaRange("a", 0, 7, 8), KafkaRange("b", 0, 0, 8), KafkaRange("c", 0, 0, 3)],
        ),
        # Nobody starves, though there are more partitions than records allowed.
        (
            {A: 0, B: 0, C: 0},
            {A: 9, B: 9, C: 9},
            2,
            [KafkaRange("a", 0, 0, 1), KafkaRange("b", 0, 0, 1), KafkaRange("c", 0, 0, 1)],
        ),
    ],
)
def test_next_ranges(positions: dict[Partition, int], ends: dict[Partition, int], most: int, expected: list[KafkaRange]) -> None:
    assert next_ranges(positions, ends, most) == expected


def test_ranges_come_in_the_order_of_topic_and_partition() -> None:
    positions = {P("b", 1): 0, P("b", 0): 0, P("a", 2): 0}
    ranges = next_ranges(positions, {P("b", 1): 1, P("b", 0): 3, P("a", 2): 2})
    assert [(r.topic, r.partition) for r in ranges] == [("a", 2), ("b", 0), ("b", 1)]


@pytest.mark.parametrize(
    ("sizes", "expected"), [([], True), ([3], True), ([3, 2], True), ([3, 3], False), ([6], False), ([5, 0], True)]
)
def test_what_may_share_a_job_with_others(sizes: list[int], expected: bool) -> None:
    assert are_few([KafkaRange("t", number, 10, 10 + size) for number, size in enumerate(sizes)], most=5) is expected


@pytest.mark.parametrize(
    ("ranges", "expected"),
    [
        ([], []),
        ([KafkaRange("b", 0, 1, 2), KafkaRange("a", 1, 3, 4)], [KafkaRange("a", 1, 3, 4), KafkaRange("b", 0, 1, 2)]),
        ([KafkaRange("a", 0, 4, 9), KafkaRange("a", 0, 2, 5), KafkaRange("a", 0, 3, 6)], [KafkaRange("a", 0, 2, 9)]),
        ([KafkaRange("a", 0, 0, 9), KafkaRange("a", 0, 2, 5)], [KafkaRange("a", 0, 0, 9)]),
        ([KafkaRange("a", 0, 0, 1), KafkaRange("a", 0, 5, 6)], [KafkaRange("a", 0, 0, 6)]),
    ],
)
def test_what_is_read_once_for_several(ranges: list[KafkaRange], expected: list[KafkaRange]) -> None:
    assert merged(ranges) == expected
