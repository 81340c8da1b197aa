"""Schemas and data between this project's values, Kafka Connect's JSON and Spark's rows."""

from __future__ import annotations

import base64
import json
import math
import struct as packing
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from workers.data.schema import DATE, DECIMAL, NO_DEFAULT, SCALE, TIMESTAMP, Field, Schema, SchemaType

_TYPES = {
    "int8": SchemaType.INT8,
    "int16": SchemaType.INT16,
    "int32": SchemaType.INT32,
    "int64": SchemaType.INT64,
    "float": SchemaType.FLOAT32,
    "double": SchemaType.FLOAT64,
    "boolean": SchemaType.BOOLEAN,
    "string": SchemaType.STRING,
    "bytes": SchemaType.BYTES,
    "array": SchemaType.ARRAY,
    "map": SchemaType.MAP,
    "struct": SchemaType.STRUCT,
}
_NAMES = {kind: name for name, kind in _TYPES.items()}
_EPOCH = datetime(1970, 1, 1)


def schema_of(said: Mapping[str, Any]) -> Schema:
    """Of the envelope's JSON."""
    default = said.get("default", NO_DEFAULT)
    if isinstance(default, list | dict):
        default = json.dumps(default, sort_keys=True)
    return Schema(
        _TYPES[said["type"]],
        optional=said.get("optional", False),
        name=said.get("name"),
        version=said.get("version"),
        doc=said.get("doc"),
        parameters=tuple(sorted(said.get("parameters", {}).items())),
        default=default,
        key=schema_of(said["keys"]) if "keys" in said else None,
        value=schema_of(said["items"] if "items" in said else said["values"]) if "items" in said or "values" in said else None,
        fields=tuple(Field(one["field"], schema_of(one)) for one in said.get("fields", ())),
    )


def envelope(schema: Schema) -> dict[str, Any]:
    said: dict[str, Any] = {"type": _NAMES[schema.type], "optional": schema.optional}
    for key in ("name", "version", "doc"):
        if getattr(schema, key) is not None:
            said[key] = getattr(schema, key)
    if schema.parameters:
        said["parameters"] = dict(schema.parameters)
    if schema.has_default:
        nested = schema.type in (SchemaType.ARRAY, SchemaType.MAP, SchemaType.STRUCT)
        said["default"] = json.loads(schema.default) if nested and isinstance(schema.default, str) else schema.default
    if schema.key is not None:
        said["keys"] = envelope(schema.key)
    if schema.value is not None:
        said["items" if schema.type is SchemaType.ARRAY else "values"] = envelope(schema.value)
    if schema.type is SchemaType.STRUCT:
        said["fields"] = [{"field": field.name, **envelope(field.schema)} for field in schema.fields]
    return said


def payload(schema: Schema, value: Any) -> Any:
    """A value of Spark's as the envelope has it."""
    if value is None:
        return None
    if schema.name == DECIMAL:
        unscaled = int(Decimal(value).scaleb(int(schema.parameter(SCALE) or 0)))
        return base64.b64encode(unscaled.to_bytes(unscaled.bit_length() // 8 + 1, "big", signed=True)).decode()
    if schema.name == DATE:
        assert isinstance(value, date)
        return (value - _EPOCH.date()).days
    if schema.name == TIMESTAMP:
        return _millis(value)
    match schema.type:
        case SchemaType.BYTES:
            return base64.b64encode(bytes(value)).decode()
        case SchemaType.ARRAY:
            assert schema.value is not None
            return [payload(schema.value, item) for item in value]
        case SchemaType.MAP:
            assert schema.value is not None
            return {key: payload(schema.value, item) for key, item in value.items()}
        case SchemaType.STRUCT:
            return {field.name: payload(field.schema, value[at]) for at, field in enumerate(schema.fields)}
        case _:
            return value


def _millis(value: datetime) -> int:
    delta = value.astimezone(UTC).replace(tzinfo=None) - _EPOCH
    return (delta.days * 86400 + delta.seconds) * 1000 + delta.microseconds // 1000


def plain(value: Any) -> object:
    """What a VARIANT holds, as `peer` tells it."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, datetime):
        return _millis(value)
    if isinstance(value, date):
        return (value - _EPOCH.date()).days * 86_400_000
    return value


def comparable(value: Any) -> Any:
    """Fractions as a single tells them apart: Java prints fewer digits of one than Python reads. NaN is a text in JSON."""
    if isinstance(value, Mapping):
        return {key: comparable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [comparable(item) for item in value]
    if isinstance(value, float):
        if math.isnan(value):
            return "NaN"
        if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        try:
            return float(packing.unpack("f", packing.pack("f", value))[0])
        except OverflowError:
            return value
    return value
