"""A chain becomes one projection for each transform; what SQL gives is tests/integration/transforms' to say."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from workers.data.chain import Alternative, Compiled, Link, compile_chain
from workers.data.records import Data, DataError, Effect, Failure, Record, Routing
from workers.data.schema import OPTIONAL_STRING, STRING, Schema, SchemaType

LONG = Schema(SchemaType.INT64)
ONE = Alternative(0, STRING, LONG)


@dataclass
class Fixed:
    """Does the same to every record."""

    effect: Effect = field(default_factory=Effect)
    raises: DataError | None = None
    name: str = "Fixed"
    routing: Routing = Routing.NONE

    def apply(self, record: Record) -> Effect:
        if self.raises is not None:
            raise self.raises
        return self.effect


@dataclass
class Big:
    name: str = "Big"

    def test(self, record: Record) -> str:
        return f"{record.value.sql} > 5"


def compiled(*links: Link, keep: tuple[str, ...] = ()) -> Compiled:
    return compile_chain(links, [ONE], keep=keep)


def test_no_transform_is_no_projection() -> None:
    assert compiled() == Compiled([], [ONE])


def test_what_a_transform_leaves_stays() -> None:
    [projection] = compiled(Link(Fixed()), keep=("number",)).projections
    assert projection.where is None
    assert projection.columns == {
        name: name
        for name in (
            *("topic", "partition", "offset", "timestamp", "headers", "shape", "error", "number"),
            *("key_0", "value_0"),
        )
    }


def test_an_expression_over_columns_by_name() -> None:
    [projection] = compiled(Link(Fixed(Effect(topic="'t'")))).projections
    assert "CASE WHEN shape = 0 AND error IS NULL THEN 't' ELSE topic END AS `topic`" in projection.expressions()


def test_another_schema_of_all_records_needs_no_column_more() -> None:
    result = compiled(Link(Fixed(Effect(value=Data("CAST(value_0 AS STRING)", STRING)))))
    assert result.alternatives == [Alternative(0, STRING, STRING)]
    [projection] = result.projections
    # An error from before leaves no value of the old type behind.
    assert projection.columns["value_0"] == "CASE WHEN shape = 0 AND error IS NULL THEN CAST(value_0 AS STRING) ELSE NULL END"
    assert projection.columns["shape"] == "shape"


def test_another_schema_of_some_records_is_an_alternative_of_their_own() -> None:
    result = compiled(Link(Fixed(Effect(value=Data("CAST(value_0 AS STRING)", STRING))), Big()))
    assert result.alternatives == [ONE, Alternative(1, STRING, STRING)]
    [projection] = result.projections
    picked = "shape = 0 AND error IS NULL AND (value_0 > 5)"
    assert projection.columns["shape"] == f"CASE WHEN {picked} THEN 1 ELSE shape END"
    assert projection.columns["value_1"] == f"CASE WHEN {picked} THEN CAST(value_0 AS STRING) ELSE NULL END"
    assert (projection.columns["key_0"], projection.columns["key_1"]) == ("key_0", "key_0")


def test_the_same_schema_of_some_records_is_no_alternative_more() -> None:
    result = compiled(Link(Fixed(Effect(value=Data("value_0 + 1", LONG))), Big(), negate=True))
    assert result.alternatives == [ONE]
    picked = "shape = 0 AND error IS NULL AND NOT (value_0 > 5)"
    assert result.projections[0].columns["value_0"] == f"CASE WHEN {picked} THEN value_0 + 1 ELSE value_0 END"


def test_each_link_is_of_every_alternative_there_is() -> None:
    split = Link(Fixed(Effect(value=Data("'x'", STRING))), Big())
    result = compiled(split, Link(Fixed(Effect(topic="'t'"))))
    topic = result.projections[1].columns["topic"]
    assert topic == "CASE WHEN shape = 0 AND error IS NULL THEN 't' WHEN shape = 1 AND error IS NULL THEN 't' ELSE topic END"


def test_numbers_of_alternatives_are_never_taken_twice() -> None:
    split = Link(Fixed(Effect(key=Data("NULL", OPTIONAL_STRING))), Big())
    numbers = [alternative.number for alternative in compiled(split, split).alternatives]
    assert sorted(numbers) == [0, 1, 2]


def test_a_failure_keeps_the_record_as_it_was() -> None:
    wrong = Failure("CASE WHEN value_0 = 3 THEN 'three' END", "java.lang.Odd")
    [projection] = compiled(Link(Fixed(Effect(topic="'t'", failures=(wrong,))))).projections
    error = projection.columns["error"]
    assert error.startswith("CASE WHEN shape = 0 AND error IS NULL THEN (CASE WHEN (CASE WHEN value_0 = 3")
    assert "'stage', 'TRANSFORMATION', 'class', 'Fixed', 'exception', 'java.lang.Odd'" in error
    assert " IS NULL THEN 't' ELSE topic END" in projection.columns["topic"]


def test_the_first_failure_counts() -> None:
    both = (Failure("'one'"), Failure("'two'"))
    error = compiled(Link(Fixed(Effect(failures=both)))).projections[0].columns["error"]
    assert error.index("'one'") < error.index("'two'")


def test_what_no_record_can_pass_fails_them_all() -> None:
    result = compiled(Link(Fixed(raises=DataError("no such field", "java.lang.Odd")), Big()))
    assert result.alternatives == [ONE]
    assert "'message', 'no such field'" in result.projections[0].columns["error"]
    assert result.projections[0].columns["value_0"] == "value_0"


@pytest.mark.parametrize(
    ("link", "where"),
    [
        (Link(Fixed(Effect(drop="true"))), "NOT (CASE WHEN shape = 0 AND error IS NULL THEN true ELSE false END)"),
        (
            Link(Fixed(Effect(drop="true")), Big()),
            "NOT (CASE WHEN shape = 0 AND error IS NULL AND (value_0 > 5) THEN true ELSE false END)",
        ),
    ],
)
def test_what_is_dropped_goes_no_further(link: Link, where: str) -> None:
    assert compiled(link).projections[0].where == where
