"""The chain that a config asks for. That it does what Kafka Connect's does is tests/integration/transforms' to say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

from workers.data.records import Data, Record
from workers.data.schema import OPTIONAL_STRING
from workers.transforms.base import PACKAGE, TransformConfigError
from workers.transforms.plugins import ALL, chain_of

if TYPE_CHECKING:
    from pyspark.sql.types import DataType

RECORD = Record(Data("key_0", OPTIONAL_STRING), Data("value_0", OPTIONAL_STRING))
ROUTER = {"type": "RegexRouter", "regex": "a", "replacement": "b"}


def nobody(expression: str, columns: Mapping[str, str]) -> DataType:
    raise AssertionError(expression)


def config(**parts: Mapping[str, str]) -> dict[str, str]:
    """Of transforms by their names."""
    return {"transforms": ",".join(parts)} | {f"transforms.{a}.{key}": v for a, own in parts.items() for key, v in own.items()}


def test_none() -> None:
    assert chain_of({}, nobody) == []
    assert chain_of({"transforms": " ", "transforms.a.type": "Nope"}, nobody) == []


def test_in_their_order() -> None:
    links = chain_of(config(b={"type": "Filter"}, a=ROUTER), nobody)
    assert [link.transform.name for link in links] == [f"{PACKAGE}.Filter", f"{PACKAGE}.RegexRouter"]


def test_with_a_predicate() -> None:
    asked = config(a={"type": "Filter", "predicate": "p", "negate": "true"})
    asked |= {"predicates": "p", "predicates.p.type": "TopicNameMatches", "predicates.p.pattern": "t-.*"}
    [link] = chain_of(asked, nobody)
    assert link.picks(RECORD) == r"NOT (coalesce(topic RLIKE '\\A(?:t-.*)\\z', false))"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"type": "Nope"}, "Class Nope of transforms.a could not be found."),
        ({}, "Class None of transforms.a could not be found."),
        ({"type": "Cast"}, "Class Cast of transforms.a could not be found."),
        ({"type": "Filter", "predicate": "p"}, "Transform a is to have the predicate p, which predicates does not name"),
        ({"type": "RegexRouter"}, 'transforms.a: Missing required configuration "regex" which has no default value.'),
        ({"type": f"{PACKAGE}.InsertField$Value"}, "No field insertion configured"),
        (
            {"type": f"{PACKAGE}.InsertField$Key", "static.field": "x!"},
            "Invalid value null for configuration static.value: No value specified for static field: x",
        ),
        ({"type": f"{PACKAGE}.SetSchemaMetadata$Value"}, "Neither schema name nor version configured"),
        (
            {"type": f"{PACKAGE}.HeaderFrom$Value", "fields": "a", "headers": "b,c", "operation": "copy"},
            "'fields' config must have the same number of elements as 'headers' config.",
        ),
        (
            {"type": f"{PACKAGE}.TimestampConverter$Value", "target.type": "string"},
            "TimestampConverter requires format option to be specified when using string timestamps",
        ),
        (
            {"type": f"{PACKAGE}.TimestampConverter$Value", "target.type": "unix", "format": "yyyy-ww"},
            "TimestampConverter requires a SimpleDateFormat-compatible pattern for string timestamps: yyyy-ww "
            "(Drover does not know the pattern letter 'w'; it knows ydHkKhmsSMaEzZX)",
        ),
        ({"type": "TimestampRouter", "timestamp.format": "'"}, "Illegal pattern ': Unterminated quote"),
        ({"type": "SqlTransform"}, "SqlTransform needs value, key, topic or where."),
    ],
)
def test_what_cannot_start(asked: Mapping[str, str], message: str) -> None:
    with pytest.raises(TransformConfigError) as raised:
        chain_of(config(a=asked), nobody)
    assert str(raised.value) == message


def test_each_class_has_one_name() -> None:
    names = [alias for plugin in ALL for alias in plugin.aliases]
    assert len(names) == len(set(names))
