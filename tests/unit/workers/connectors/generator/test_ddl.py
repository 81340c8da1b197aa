"""Schemas as Spark writes them."""

import re

import pytest

from workers.connectors.generator.ddl import PRIMITIVES, DataType, parse

LONG, STRING = DataType("BIGINT"), DataType("STRING")


def _decimal(precision: int, scale: int = 0) -> DataType:
    return DataType("DECIMAL", precision=precision, scale=scale)


def _struct(*fields: tuple[str, DataType]) -> DataType:
    return DataType("STRUCT", fields=fields)


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("id BIGINT", (("id", LONG),)),
        (" id : long,\n name  string ", (("id", LONG), ("name", STRING))),
        ("`a b` INT, `c``d` byte", (("a b", DataType("INT")), ("c`d", DataType("TINYINT")))),
        ("d DECIMAL, e decimal(5), f DEC(38,20)", tuple(zip("def", (_decimal(10), _decimal(5), _decimal(38, 20)), strict=True))),
        ("a ARRAY<ARRAY<STRING>>", (("a", DataType("ARRAY", (DataType("ARRAY", (STRING,)),))),)),
        ("m MAP<STRING, BIGINT>, b INT", (("m", DataType("MAP", (STRING, LONG))), ("b", DataType("INT")))),
        ("s STRUCT<a: STRING, b STRUCT<c:BIGINT>>", (("s", _struct(("a", STRING), ("b", _struct(("c", LONG))))),)),
    ],
)
def test_a_schema(text: str, fields: tuple[tuple[str, DataType], ...]) -> None:
    assert parse(text) == fields


@pytest.mark.parametrize("name", PRIMITIVES)
def test_all_types(name: str) -> None:
    assert parse(f"a {name.lower()}") == (("a", DataType(name)),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a field's name is missing after the beginning"),
        ("id", "a type is missing after 'id'"),
        ("id BIGINT,", "a field's name is missing after 'id BIGINT,'"),
        ("id BIGINT name STRING", "'name' is not expected after 'id BIGINT'"),
        ("id BIGINT, id INT", "field id is there twice"),
        (
            "id VARCHAR",
            "VARCHAR is no type; there are BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, STRING, BINARY, DATE, "
            "TIMESTAMP, DECIMAL, ARRAY, MAP and STRUCT",
        ),
        ("a ARRAY", "'<' is missing after 'a ARRAY'"),
        ("a ARRAY<INT", "'>' is missing after 'a ARRAY<INT'"),
        ("a MAP<INT>", "',' is missing after 'a MAP<INT'"),
        ("a STRUCT<>", "a field's name is missing after 'a STRUCT<'"),
        ("a DECIMAL(39)", "DECIMAL(39,0) is no type: at most 38 digits, of them those behind the point"),
        ("a DECIMAL(3,4)", "DECIMAL(3,4) is no type: at most 38 digits, of them those behind the point"),
        ("a DECIMAL(x)", "a number is missing after 'a DECIMAL('"),
        ("a INT; DROP", "'; DROP' cannot be read"),
    ],
)
def test_what_is_wrong_with_a_schema(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        parse(text)
