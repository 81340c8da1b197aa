"""SqlTransform, of which there is nothing in Kafka Connect."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from pyspark.sql import SparkSession

from tests.integration.transforms import ours
from tests.integration.transforms.records import FEW, KEYED, MAPS, ORDERS, Outcome, Problem, Rec, Side, Table
from workers.data.schema import Schema, SchemaType, struct
from workers.transforms.base import TransformConfigError

LONG = Schema(SchemaType.INT64, optional=True)


def outcomes(spark: SparkSession, table: Table, settings: Mapping[str, str]) -> list[Outcome]:
    config = {"transforms": "q", "transforms.q.type": "SqlTransform"}
    config |= {f"transforms.q.{key}": value for key, value in settings.items()}
    return ours.outcomes(spark, config, table, source=False)


def first(spark: SparkSession, table: Table, **settings: str) -> Rec:
    outcome = outcomes(spark, table, settings)[0]
    assert isinstance(outcome, Rec)
    return outcome


def test_a_value_of_fields(spark: SparkSession) -> None:
    record = first(spark, ORDERS, value="named_struct('total', try_multiply(value.i64, 2), 'topic', topic)")
    assert record.value.value == {"total": 8, "topic": "orders"}
    assert record.value.schema is not None
    assert [field.name for field in record.value.schema.fields] == ["total", "topic"]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("key.id", 0),
        ("KEY.id + length(value)", 1),
        ("length('key value')", 9),
        ("struct(key.id AS value).value", 0),
        ("element_at(transform(array(1L), key -> key + 1L), 1)", 2),
        ("key.id -- the key", 0),
    ],
)
def test_names_of_the_record(spark: SparkSession, expression: str, expected: int) -> None:
    assert first(spark, KEYED, key=expression).key.value == expected


def test_a_schema_comes_from_sparks_type(spark: SparkSession) -> None:
    record = first(spark, KEYED, key="key.id", value="named_struct('v', value)")
    assert record.key.schema == LONG
    assert record.value.schema == struct({"v": Schema(SchemaType.STRING, optional=True)}, optional=True)


def test_without_a_schema(spark: SparkSession) -> None:
    assert first(spark, MAPS, value="try_variant_get(value, '$.a', 'bigint')").value == Side(LONG, 1)
    record = first(spark, MAPS, value="to_variant_object(map('x', try_variant_get(value, '$.a', 'variant')))")
    assert record.value == Side(None, {"x": 1})


def test_where_and_topic(spark: SparkSession) -> None:
    found = outcomes(spark, KEYED, {"where": "key.id < 2", "topic": "concat('x-', topic)"})
    assert [record and record.topic for record in found if not isinstance(record, Problem)][:3] == ["x-t-1", "x-t-2", None]


def test_an_expression_that_makes_no_sense_fails_its_records(spark: SparkSession) -> None:
    for wrong in ("value.nope", "1 +", "unknown_function(value)"):
        found = outcomes(spark, FEW, {"value": wrong})
        assert {type(outcome) for outcome in found} == {Problem}
    [problem, _] = outcomes(spark, FEW, {"where": "topic"})
    assert problem == Problem("java.lang.IllegalArgumentException", "where must be a boolean")


def test_nothing_to_do_is_no_transform(spark: SparkSession) -> None:
    with pytest.raises(TransformConfigError, match="SqlTransform needs value, key, topic or where"):
        outcomes(spark, FEW, {})
