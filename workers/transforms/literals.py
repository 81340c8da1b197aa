"""A schema's default as SQL. Pure."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping

from workers.data import sql
from workers.data.schema import DATE, DECIMAL, NO_DEFAULT, SCALE, TIMESTAMP, Schema, SchemaType
from workers.data.spark_types import spark_type


def default_sql(schema: Schema) -> str:
    value = schema.default
    if isinstance(value, str) and schema.type in (SchemaType.ARRAY, SchemaType.MAP, SchemaType.STRUCT):
        value = json.loads(value)
    return literal(schema, value)


def literal(schema: Schema, value: object) -> str:
    """Of a value as Connect's JSON envelope has it."""
    if value is None or value is NO_DEFAULT:
        return f"CAST(NULL AS {spark_type(schema)})"
    if schema.name == DECIMAL:
        unscaled = int.from_bytes(base64.b64decode(str(value)), "big", signed=True)
        scale = int(schema.parameter(SCALE) or 0)
        return f"CAST({sql.text(_plain(unscaled, scale))} AS {spark_type(schema)})"
    if schema.name == DATE:
        return f"date_from_unix_date({value})"
    if schema.name == TIMESTAMP:
        return f"timestamp_millis({value}L)"
    match schema.type:
        case SchemaType.STRING:
            return sql.text(str(value))
        case SchemaType.BYTES:
            return f"X'{base64.b64decode(str(value)).hex()}'"
        case SchemaType.BOOLEAN:
            return "true" if value else "false"
        case SchemaType.ARRAY:
            assert isinstance(value, list)
            assert schema.value is not None
            items = ", ".join(literal(schema.value, item) for item in value)
            return f"CAST(array({items}) AS {spark_type(schema)})"
        case SchemaType.MAP:
            assert schema.key is not None
            assert schema.value is not None
            # With keys that are no texts, Connect's JSON has a list of pairs.
            pairs = value.items() if isinstance(value, Mapping) else value
            assert not isinstance(pairs, str)
            both = ", ".join(
                f"{literal(schema.key, key)}, {literal(schema.value, item)}"
                for key, item in pairs  # type: ignore[attr-defined]
            )
            return f"CAST(map({both}) AS {spark_type(schema)})"
        case SchemaType.STRUCT:
            assert isinstance(value, Mapping)
            return sql.named_struct((field.name, literal(field.schema, value.get(field.name))) for field in schema.fields)
        case _:
            return f"CAST('{value}' AS {spark_type(schema)})"


def _plain(unscaled: int, scale: int) -> str:
    digits = str(abs(unscaled)).zfill(scale + 1)
    sign = "-" if unscaled < 0 else ""
    return sign + (f"{digits[:-scale]}.{digits[-scale:]}" if scale > 0 else digits)
