"""How topics are made that sources are the first to write to (KIP-158)."""

import re

import pytest

from workers.connectors import topic_creation
from workers.connectors.base import ConnectError
from workers.connectors.topic_creation import NewTopic

DEFAULT = {"topic.creation.default.replication.factor": "1", "topic.creation.default.partitions": "3"}
GROUPS = {
    **DEFAULT,
    "topic.creation.groups": "logs, default, tables",
    "topic.creation.logs.include": "log-.*, audit",
    "topic.creation.logs.exclude": ".*-private",
    "topic.creation.logs.retention.ms": "1000",
    "topic.creation.tables.include": ".*",
    "topic.creation.tables.exclude": "log-.*,other",
    "topic.creation.tables.partitions": "-1",
    "topic.creation.tables.replication.factor": "2",
    "topic.creation.tables.cleanup.policy": "compact",
    # Of the default group nobody asks.
    "topic.creation.default.include": "nothing",
    "topic.creation.default.exclude": ".*",
    "topic.creation.default.max.message.bytes": "5",
}


def matches(pattern: str, name: str) -> bool:
    return re.fullmatch(pattern, name) is not None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("log-a", (3, 1, {"retention.ms": "1000"})),
        ("audit", (3, 1, {"retention.ms": "1000"})),
        ("my-log-a", (-1, 2, {"cleanup.policy": "compact"})),
        ("log-a-private", (3, 1, {"max.message.bytes": "5"})),
        ("auditor", (-1, 2, {"cleanup.policy": "compact"})),
        ("other", (3, 1, {"max.message.bytes": "5"})),
    ],
)
def test_the_first_group_that_a_topic_belongs_to_counts(name: str, expected: tuple[int, int, dict[str, str]]) -> None:
    assert topic_creation.of(GROUPS).new_topic(name, matches) == NewTopic(name, *expected)


def test_a_group_that_includes_nothing_is_nobodys() -> None:
    creation = topic_creation.of({**DEFAULT, "topic.creation.groups": "a", "topic.creation.a.partitions": "9"})
    assert creation.new_topic("t", matches).partitions == 3


def test_configs_that_say_the_same_are_the_same() -> None:
    again = topic_creation.of({**dict(reversed(GROUPS.items())), "file": "another"})
    assert again == topic_creation.of(GROUPS)
    assert hash(again) == hash(topic_creation.of(GROUPS))
    assert again != topic_creation.of(DEFAULT)


MISSING = 'Missing required configuration "topic.creation.default.{}" which has no default value.'
PARTITIONS = "Number of partitions must be positive, or -1 to use the broker's default"
REPLICAS = (
    "Replication factor must be positive and not larger than the number of brokers in the Kafka cluster, "
    "or -1 to use the broker's default"
)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"name": "a"}, {}),
        (GROUPS, {}),
        (dict.fromkeys(DEFAULT, "-1"), {}),
        (
            {"topic.creation.groups": ""},
            {f"default.{key}": [MISSING.format(key)] for key in ("replication.factor", "partitions")},
        ),
        (
            {**DEFAULT, "topic.creation.default.partitions": "0"},
            {"default.partitions": [f"Invalid value 0 for configuration partitions: {PARTITIONS}"]},
        ),
        (
            {**DEFAULT, "topic.creation.default.replication.factor": "-2"},
            {"default.replication.factor": [f"Invalid value -2 for configuration replication.factor: {REPLICAS}"]},
        ),
        (
            {**DEFAULT, "topic.creation.default.replication.factor": "40000", "topic.creation.groups": "a"},
            {
                "default.replication.factor": [
                    "Invalid value 40000 for configuration topic.creation.default.replication.factor: Not a number of type SHORT"
                ]
            },
        ),
        (
            {**DEFAULT, "topic.creation.groups": "a", "topic.creation.a.partitions": "x", "topic.creation.b.partitions": "y"},
            {"a.partitions": ["Invalid value x for configuration topic.creation.a.partitions: Not a number of type INT"]},
        ),
    ],
)
def test_what_is_wrong(config: dict[str, str], expected: dict[str, list[str]]) -> None:
    found = {value.name.removeprefix(topic_creation.PREFIX): value.errors for value in topic_creation.wrong(config)}
    assert found == expected
    if topic_creation.is_asked_for(config) and expected:
        with pytest.raises(ConnectError, match=re.escape(next(iter(expected.values()))[0])):
            topic_creation.of(config)


@pytest.mark.parametrize("key", ["include", "exclude"])
def test_a_pattern_that_is_none(key: str) -> None:
    (found,) = topic_creation.wrong({**DEFAULT, "topic.creation.groups": "a", f"topic.creation.a.{key}": "fine.*, ["})
    (error,) = found.errors
    assert error.startswith(f"Invalid value [fine.*, [] for configuration {key}: Syntax error in regular expression: ")


@pytest.mark.parametrize("pattern", [r"\p{Lu}.*", r"(?<year>\d+)", r"\Qa.b\E"])
def test_a_pattern_of_javas_is_one(pattern: str) -> None:
    assert topic_creation.wrong({**DEFAULT, "topic.creation.groups": "a", "topic.creation.a.include": pattern}) == []
