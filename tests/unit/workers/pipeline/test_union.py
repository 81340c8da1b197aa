"""Records of several schemas in one column."""

import pytest

from workers.connectors.base import ConnectError
from workers.data.schema import OPTIONAL_STRING, STRING, TIME_SCHEMA, Schema, SchemaType, decimal, struct
from workers.pipeline.union import conformed, united

INT32, INT64 = Schema(SchemaType.INT32), Schema(SchemaType.INT64)
A, B = struct({"a": STRING}), struct({"a": STRING, "b": INT32})


def array(item: Schema) -> Schema:
    return Schema(SchemaType.ARRAY, value=item)


@pytest.mark.parametrize(
    ("schemas", "expected"),
    [
        ([None], None),
        ([None, None], None),
        ([STRING], STRING),
        ([STRING, None], STRING),
        ([STRING, OPTIONAL_STRING], OPTIONAL_STRING),
        ([A, B], struct({"a": OPTIONAL_STRING, "b": INT32.as_optional()}, optional=True)),
        ([A, struct({"b": INT32})], struct({"a": OPTIONAL_STRING, "b": INT32.as_optional()}, optional=True)),
        (
            [array(A), array(B)],
            Schema(
                SchemaType.ARRAY,
                optional=True,
                value=struct({"a": OPTIONAL_STRING, "b": INT32.as_optional()}, optional=True),
            ),
        ),
    ],
)
def test_united(schemas: list[Schema | None], expected: Schema | None) -> None:
    assert united("value", schemas) == expected


@pytest.mark.parametrize(
    ("one", "other", "message"),
    [
        (STRING, INT32, "value is STRING in some of them and INT32 in others"),
        (struct({"a": INT64}), struct({"a": INT32}), "value.a is INT64 in some of them and INT32 in others"),
        (decimal(2), decimal(3), r"value is DECIMAL\(38,2\) in some of them and DECIMAL\(38,3\) in others"),
        (array(STRING), array(INT32), r"value\[\] is STRING in some of them and INT32 in others"),
        (struct({"a": A}), struct({"a": STRING}), "value.a is STRUCT in some of them and STRING in others"),
    ],
)
def test_what_does_not_go_together_is_refused_by_name(one: Schema, other: Schema, message: str) -> None:
    with pytest.raises(ConnectError, match=message):
        united("value", [one, other])


def test_a_time_and_its_number_are_one_column() -> None:
    """Spark has but one type for both."""
    assert united("value", [INT32, TIME_SCHEMA]) == INT32.as_optional()


def test_conformed() -> None:
    wanted = united("value", [A, B])
    assert wanted is not None
    assert conformed("v", B, wanted) == "v"
    assert conformed("v", A, wanted) == ("CASE WHEN v IS NOT NULL THEN named_struct('a', v.`a`, 'b', CAST(NULL AS INT)) END")
    assert conformed("v", array(A), array(B)) == (
        "transform(v, x0 -> CASE WHEN x0 IS NOT NULL THEN named_struct('a', x0.`a`, 'b', CAST(NULL AS INT)) END)"
    )
