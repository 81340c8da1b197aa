"""One type for records of several schemas, as a table or a file wants it: fields by name, all of which may be null. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from workers.connectors.base import ConnectError
from workers.data import sql
from workers.data.schema import Field, Schema, SchemaType
from workers.data.spark_types import spark_type


def united(what: str, schemas: Sequence[Schema | None]) -> Schema | None:
    """None (a VARIANT) where there is none among them. Raises ConnectError where two have nothing in common."""
    known = list(dict.fromkeys(schema for schema in schemas if schema is not None))
    if len(known) <= 1:
        return known[0] if known else None
    return reduce(lambda one, other: _both(what, one, other), known)


def _both(path: str, one: Schema, other: Schema) -> Schema:
    if one.type is not other.type or (one.name != other.name and spark_type(one) != spark_type(other)):
        raise ConnectError(
            f"The records that the connector reads have schemas that do not go together: {path} is {_shown(one)} in some of them "
            f"and {_shown(other)} in others"
        )
    if one.type is SchemaType.STRUCT:
        names = list(dict.fromkeys(field.name for schema in (one, other) for field in schema.fields))
        fields = (Field(name, _field(f"{path}.{name}", one, other, name)) for name in names)
        return replace(one, fields=tuple(fields), optional=True)
    if one.type in (SchemaType.ARRAY, SchemaType.MAP):
        key = one.key if one.key == other.key else _inner(f"{path}[key]", one.key, other.key)
        return replace(one, key=key, value=_inner(f"{path}[]", one.value, other.value), optional=True)
    if spark_type(one) != spark_type(other):
        raise ConnectError(
            f"The records that the connector reads have schemas that do not go together: {path} is {spark_type(one)} in some of "
            f"them and {spark_type(other)} in others"
        )
    return replace(one, optional=True)


def _field(path: str, one: Schema, other: Schema, name: str) -> Schema:
    first, second = one.field(name), other.field(name)
    if first is None or second is None:
        found = first or second
        assert found is not None
        return found.schema.as_optional()
    return _both(path, first.schema, second.schema)


def _inner(path: str, one: Schema | None, other: Schema | None) -> Schema | None:
    return _both(path, one, other) if one is not None and other is not None else one or other


def _shown(schema: Schema) -> str:
    return schema.type if schema.name is None else f"{schema.type} ({schema.name})"


def conformed(data: str, schema: Schema, wanted: Schema, depth: int = 0) -> str:
    """SQL of the data as the type of `wanted`, of which its own schema has a part."""
    if spark_type(schema) == spark_type(wanted):
        return data
    if schema.type is SchemaType.STRUCT:
        fields = []
        for field in wanted.fields:
            own = schema.field(field.name)
            value = (
                f"CAST(NULL AS {spark_type(field.schema)})"
                if own is None
                else conformed(sql.field(data, field.name), own.schema, field.schema, depth)
            )
            fields.append((field.name, value))
        return f"CASE WHEN {data} IS NOT NULL THEN {sql.named_struct(fields)} END"
    assert schema.value is not None
    assert wanted.value is not None
    item = f"x{depth}"
    inner = conformed(item, schema.value, wanted.value, depth + 1)
    if schema.type is SchemaType.ARRAY:
        return f"transform({data}, {item} -> {inner})"
    return f"transform_values({data}, (k{depth}, {item}) -> {inner})"
