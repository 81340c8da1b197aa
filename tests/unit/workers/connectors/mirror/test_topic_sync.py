"""Which topics, partitions and settings the target lacks, and who copies what."""

import pytest

from workers.connectors.mirror.checkpoints import share_groups
from workers.connectors.mirror.cluster import AccessRule, TopicSetting
from workers.connectors.mirror.filters import Patterns
from workers.connectors.mirror.topic_sync import Growth, SettingsFilter, copied_rules, growth, partitions, round_robin
from workers.herder.values import Partition


def test_missing_topics_are_made_and_short_ones_made_longer() -> None:
    source, remote = {"a": 3, "b": 2, "c": 1}, {"a": "S.a", "b": "S.b", "c": "S.c"}
    assert growth(source, {"S.b": 1, "S.c": 5}, remote) == Growth({"a": 3}, {"S.b": 2})
    assert growth(source, {"S.a": 3, "S.b": 2, "S.c": 1}, remote) == Growth({}, {})


def test_partitions_are_dealt_one_after_another() -> None:
    """The example of MirrorMaker's own documentation."""
    shares = round_robin(partitions({"t0": 8, "t1": 2, "t2": 2}), 3)
    assert [[f"{topic}p{number}" for topic, number in share] for share in shares] == [
        ["t0p0", "t0p3", "t0p6", "t1p1"],
        ["t0p1", "t0p4", "t0p7", "t2p0"],
        ["t0p2", "t0p5", "t1p0", "t2p1"],
    ]
    assert round_robin([Partition("t", 0)], 4) == [[Partition("t", 0)]]
    assert round_robin([], 4) == []


@pytest.mark.parametrize(
    ("groups", "tasks", "shares"),
    [("", 3, []), ("a", 3, [["a"]]), ("abc", 2, [["a"], ["b", "c"]]), ("abcd", 2, [["a", "b"], ["c", "d"]])],
)
def test_groups_are_shared_evenly(groups: str, tasks: int, shares: list[list[str]]) -> None:
    assert share_groups(set(groups), tasks) == shares


SETTINGS = [
    TopicSetting("retention.ms", "1000", default=False, fixed=False),
    TopicSetting("segment.bytes", "2000", default=True, fixed=False),
    TopicSetting("min.insync.replicas", "2", default=False, fixed=False),
    TopicSetting("broker.owned", "x", default=False, fixed=True),
]


@pytest.mark.parametrize(
    ("source_defaults", "new", "existing"),
    [
        (False, {"retention.ms": "1000"}, {"retention.ms": "1000", "segment.bytes": None}),
        (True, {"retention.ms": "1000", "segment.bytes": "2000"}, {"retention.ms": "1000", "segment.bytes": "2000"}),
    ],
)
def test_settings_that_are_set_are_taken_over(
    source_defaults: bool, new: dict[str, str], existing: dict[str, str | None]
) -> None:
    meant = SettingsFilter(Patterns.of(["min.*"]), source_defaults)
    assert (meant.of_new(SETTINGS), meant.of_existing(SETTINGS)) == (new, existing)


@pytest.mark.parametrize(
    ("topic", "operation", "permission", "expected"),
    [
        ("a", "READ", "ALLOW", "READ"),
        ("a", "DESCRIBE", "ALLOW", "DESCRIBE"),
        ("a", "ALL", "ALLOW", "READ"),
        ("a", "WRITE", "ALLOW", None),
        ("a", "WRITE", "DENY", "WRITE"),
        ("a", "ALL", "DENY", "ALL"),
        ("b", "READ", "ALLOW", None),
    ],
)
def test_only_the_mirror_may_write_to_a_copy(topic: str, operation: str, permission: str, expected: str | None) -> None:
    rule = AccessRule(topic, "User:alice", "10.0.0.1", operation, permission)
    found = copied_rules([rule], {"a"}.__contains__, "S.{}".format)
    assert found == ([] if expected is None else [AccessRule("S.a", "User:alice", "10.0.0.1", expected, permission)])
