"""Schemas in Connect's envelope. That both sides agree is seen in tests/integration/test_converters.py."""

import json

import pytest

from workers.converters.json_schema import default_json, parse, schema_json
from workers.data.records import DataError
from workers.data.schema import Field, Schema, SchemaType, decimal, struct

INT = Schema(SchemaType.INT32)


@pytest.mark.parametrize(
    "text",
    [
        '{"type":"int32","optional":false}',
        '{"type":"double","optional":true,"name":"n","version":3,"doc":"ö","parameters":{"a":"1","b":"2"},"default":1.5}',
        '{"type":"array","items":{"type":"float","optional":false},"optional":false}',
        '{"type":"map","keys":{"type":"string","optional":false},"values":{"type":"bytes","optional":true},"optional":false}',
        '{"type":"struct","fields":[{"type":"int8","optional":false,"field":"a\\"b"}],"optional":false,"name":"s"}',
        '{"type":"struct","fields":[],"optional":false}',
        '{"type":"array","items":{"type":"int32","optional":false},"optional":false,"default":[1,2]}',
    ],
)
def test_there_and_back(text: str) -> None:
    schema = parse(text)
    assert schema_json(schema) == text


def test_what_is_not_understood_is_left_out() -> None:
    assert parse('{"type":"int32","optional":"yes","name":5,"version":true,"doc":[],"parameters":"x","more":1}') == INT


def test_no_schema() -> None:
    assert (parse("null"), schema_json(None)) == (None, "null")


def test_a_struct() -> None:
    assert parse('{"type":"struct","fields":[{"type":"int32","field":"a"}]}') == struct({"a": INT})
    assert struct({"a": INT}).fields == (Field("a", INT),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "Failed to parse schema in converter config due to serialization error: "),
        ("5", "Schema must contain 'type' field"),
        ('{"type":5}', "Schema must contain 'type' field"),
        ('{"type":"INT32"}', "Unknown schema type: INT32"),
        ('{"type":"array"}', "Array schema did not specify the element type"),
        ('{"type":"map"}', "Map schema did not specify the key type"),
        ('{"type":"map","keys":{"type":"int8"}}', "Map schema did not specify the value type"),
        ('{"type":"struct"}', 'Struct schema\'s "fields" argument is not an array.'),
        ('{"type":"struct","fields":[5]}', "Struct schema's field name not specified properly"),
        ('{"type":"int8","parameters":{"a":1}}', "Schema parameters must have string values."),
        ('{"type":"int8","default":null}', "Invalid null value for required INT8 field"),
    ],
)
def test_what_is_no_schema(text: str, message: str) -> None:
    with pytest.raises(DataError) as raised:
        parse(text)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("given", "base64", "number"), [('"AQ=="', '"AQ=="', "0.01"), ("1.25", '"fQ=="', "1.25"), ("-2", '"/zg="', "-2.00")]
)
def test_a_decimals_default_is_written_either_way(given: str, base64: str, number: str) -> None:
    text = json.dumps({"type": "bytes", "name": decimal(2).name, "version": 1, "parameters": {"scale": "2"}})
    schema = parse(text[:-1] + f', "default": {given}}}')
    assert schema is not None
    assert (default_json(schema), default_json(schema, numeric=True)) == (base64, number)
