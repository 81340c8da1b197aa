"""Which columns become a record's topic, key and value."""

import pytest

from workers.connectors.base import ConnectError
from workers.connectors.spark.columns import as_records

JSON = {"spark.format": "json", "topic": "t"}
NONE = "CAST(NULL AS STRING) AS key"


@pytest.mark.parametrize(
    ("config", "names", "expected"),
    [
        ({}, ["a", "b"], ["'t' AS topic", NONE, "struct(`a`, `b`) AS value"]),
        ({"key.columns": "a"}, ["a", "b"], ["'t' AS topic", "`a` AS key", "struct(`a`, `b`) AS value"]),
        ({"key.columns": " a , b "}, ["a", "b"], ["'t' AS topic", "struct(`a`, `b`) AS key", "struct(`a`, `b`) AS value"]),
        ({"value.columns": "b"}, ["a", "b"], ["'t' AS topic", NONE, "`b` AS value"]),
        ({"topic.field": "a"}, ["a", "b"], ["CAST(`a` AS STRING) AS topic", NONE, "struct(`b`) AS value"]),
        ({"value.columns": "a`b"}, ["a`b"], ["'t' AS topic", NONE, "`a``b` AS value"]),
        ({"spark.format": "text"}, ["value"], ["'t' AS topic", NONE, "`value` AS value"]),
        ({"spark.format": "kafka"}, ["key", "value", "offset"], ["'t' AS topic", "`key` AS key", "`value` AS value"]),
        (
            {"spark.format": "kafka", "key.columns": "offset"},
            ["key", "value", "offset"],
            ["'t' AS topic", "`offset` AS key", "`value` AS value"],
        ),
    ],
)
def test_columns(config: dict[str, str], names: list[str], expected: list[str]) -> None:
    assert as_records({**JSON, **config}, names) == expected


@pytest.mark.parametrize("key", ["key.columns", "value.columns", "topic.field"])
def test_a_column_that_is_not_there(key: str) -> None:
    with pytest.raises(ConnectError, match="There is no column c in this json source: it has a, b"):
        as_records({**JSON, key: "c"}, ["a", "b"])
