"""Schemas as they stand in JSON (`JsonConverter.asConnectSchema`, `asJsonSchema`). Pure."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

from workers.data.records import DataError
from workers.data.schema import DECIMAL, NO_DEFAULT, Field, Schema, SchemaType
from workers.data.spark_types import scale_of

_BUILDER_EXCEPTION = "org.apache.kafka.connect.errors.SchemaBuilderException"
_NAMES = {
    SchemaType.FLOAT32: "float",
    SchemaType.FLOAT64: "double",
}
_TYPES = {_NAMES.get(kind, kind.lower()): kind for kind in SchemaType}


# --- from JSON ----------------------------------------------------------------------------------------------------------


def parse(text: str) -> Schema | None:
    """None for JSON's null. Raises DataError in Kafka Connect's words, or in Drover's for a text that is no JSON."""
    try:
        node = json.loads(text, parse_float=Decimal)
    except ValueError:
        raise DataError("Failed to parse schema in converter config due to serialization error: ") from None
    return _schema(node)


def _schema(node: object) -> Schema | None:
    if node is None:
        return None
    kind = node.get("type") if isinstance(node, dict) else None
    if not isinstance(node, dict) or not isinstance(kind, str):
        raise DataError("Schema must contain 'type' field")
    if kind not in _TYPES:
        raise DataError(f"Unknown schema type: {kind}")
    name, version, doc = node.get("name"), node.get("version"), node.get("doc")
    schema = Schema(
        _TYPES[kind],
        optional=node.get("optional") is True,
        name=name if isinstance(name, str) else None,
        version=version if isinstance(version, int) and not isinstance(version, bool) else None,
        doc=doc if isinstance(doc, str) else None,
        parameters=_parameters(node.get("parameters")),
        key=_part(node, "keys", "Map schema did not specify the key type") if kind == "map" else None,
        value=_value(kind, node),
        fields=_fields(node.get("fields")) if kind == "struct" else (),
    )
    return with_default(schema, node["default"]) if "default" in node else schema


def _value(kind: str, node: Mapping[str, object]) -> Schema | None:
    if kind == "array":
        return _part(node, "items", "Array schema did not specify the element type")
    return _part(node, "values", "Map schema did not specify the value type") if kind == "map" else None


def _part(node: Mapping[str, object], key: str, message: str) -> Schema:
    found = _schema(node.get(key))
    if found is None:
        raise DataError(message)
    return found


def _parameters(node: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(node, dict):
        return ()
    if not all(isinstance(value, str) for value in node.values()):
        raise DataError("Schema parameters must have string values.")
    return tuple(sorted(node.items()))


def _fields(node: object) -> tuple[Field, ...]:
    if not isinstance(node, list):
        raise DataError('Struct schema\'s "fields" argument is not an array.')
    fields: dict[str, Field] = {}
    for one in node:
        name = one.get("field") if isinstance(one, dict) else None
        if not isinstance(name, str):
            raise DataError("Struct schema's field name not specified properly")
        schema = _schema(one)
        assert schema is not None, "an object was given"
        if name in fields:
            raise DataError(f"Cannot create field because of field name duplication {name}", _BUILDER_EXCEPTION)
        fields[name] = Field(name, schema)
    return tuple(fields.values())


# --- defaults -----------------------------------------------------------------------------------------------------------


def with_default(schema: Schema, node: object) -> Schema:
    """With what JSON says of it. Raises DataError."""
    if node is None:
        if not schema.optional:
            raise DataError(f"Invalid null value for required {schema.type} field")
        return schema
    if schema.name == DECIMAL:
        node = _decimal_default(schema, node)
    if isinstance(node, list | dict):
        node = json.dumps(node, default=float, ensure_ascii=False, separators=(",", ":"))
    return replace(schema, default=float(node) if isinstance(node, Decimal) else node)


def _decimal_default(schema: Schema, node: object) -> str:
    if isinstance(node, int | Decimal) and not isinstance(node, bool):
        return b64encode(unscaled(Decimal(node), scale_of(schema))).decode()
    try:
        b64decode(str(node), validate=True)
    except NotBase64:
        raise DataError("Invalid bytes for Decimal field") from None
    return str(node)


def unscaled(value: Decimal, scale: int) -> bytes:
    number = int(value.scaleb(scale))
    return number.to_bytes(number.bit_length() // 8 + 1, "big", signed=True)


def default_json(schema: Schema, *, numeric: bool = False) -> str:
    """The JSON text of a default; `numeric` is how a Decimal is to be written."""
    if schema.type in (SchemaType.ARRAY, SchemaType.MAP, SchemaType.STRUCT):
        return str(schema.default)
    if numeric and schema.name == DECIMAL:
        number = int.from_bytes(b64decode(str(schema.default)), "big", signed=True)
        return str(Decimal(number).scaleb(-scale_of(schema)))
    return text(schema.default)


# --- to JSON ------------------------------------------------------------------------------------------------------------


def text(value: object) -> str:
    """As Jackson writes it: no blanks, and no other escapes than are needed."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def schema_json(schema: Schema | None, *, numeric: bool = False) -> str:
    """The text of a schema, its parts in Kafka Connect's order."""
    return "null" if schema is None else "{" + ",".join(_members(schema, numeric)) + "}"


def _members(schema: Schema, numeric: bool) -> list[str]:
    members = [f'"type":{text(_NAMES.get(schema.type, schema.type.lower()))}']
    match schema.type:
        case SchemaType.ARRAY:
            members.append(f'"items":{schema_json(schema.value, numeric=numeric)}')
        case SchemaType.MAP:
            members.append(f'"keys":{schema_json(schema.key, numeric=numeric)}')
            members.append(f'"values":{schema_json(schema.value, numeric=numeric)}')
        case SchemaType.STRUCT:
            fields = (
                "{" + ",".join([*_members(one.schema, numeric), f'"field":{text(one.name)}']) + "}" for one in schema.fields
            )
            members.append(f'"fields":[{",".join(fields)}]')
    members.append(f'"optional":{text(schema.optional)}')
    named = {"name": schema.name, "version": schema.version, "doc": schema.doc, "parameters": dict(schema.parameters) or None}
    members += [f'"{key}":{text(value)}' for key, value in named.items() if value is not None]
    if schema.default is not NO_DEFAULT:
        members.append(f'"default":{default_json(schema, numeric=numeric)}')
    return members
