"""Data with a schema: SQL over typed columns. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from workers.data import sql
from workers.data.java_classes import class_of
from workers.data.records import Data, DataError, Failure
from workers.data.schema import Field, Schema, SchemaType
from workers.transforms.base import SCHEMA_BUILDER
from workers.transforms.literals import default_sql

STRUCT_CLASS = "org.apache.kafka.connect.data.Struct"


def require_struct(data: Data, purpose: str, *, null_passes: bool = False) -> Failure | None:
    """None where nothing can be wrong."""
    assert data.schema is not None
    told = f"Only Struct objects supported for [{purpose}], found: "
    null, other = sql.text(told + "null"), sql.text(told + class_of(data.schema))
    if data.schema.type is SchemaType.STRUCT:
        return None if null_passes else Failure(f"CASE WHEN {data.sql} IS NULL THEN {null} END")
    if null_passes:
        return Failure(f"CASE WHEN {data.sql} IS NOT NULL THEN {other} END")
    return Failure(f"if({data.sql} IS NULL, {null}, {other})")


def fields_of(schema: Schema, doing: str = "look up") -> tuple[Field, ...]:
    """Raises DataError, as Kafka Connect does of what is no STRUCT."""
    if schema.type is not SchemaType.STRUCT:
        raise DataError(f"Cannot {doing} fields on non-struct type")
    return schema.fields


def read(struct: str, field: Field, replace_null: bool) -> str:
    """A field's value; its default for null if that is wanted."""
    value = sql.field(struct, field.name)
    if replace_null and field.schema.has_default and field.schema.default is not None:
        return f"coalesce({value}, {default_sql(field.schema)})"
    return value


def made(source: str, fields: Iterable[tuple[Field, str]], like: Schema | None = None) -> Data:
    """A STRUCT of these fields and their values, null where `source` is null. It gets the name, version, documentation and
    parameters of `like`: Kafka Connect keeps neither whether it is optional nor a default. Raises DataError for a name twice."""
    pairs = list(fields)
    names = [field.name for field, _ in pairs]
    for index, name in enumerate(names):
        if name in names[:index]:
            raise DataError(f"Cannot create field because of field name duplication {name}", SCHEMA_BUILDER)
    schema = Schema(SchemaType.STRUCT, fields=tuple(field for field, _ in pairs))
    if like is not None:
        schema = replace(schema, name=like.name, version=like.version, doc=like.doc, parameters=like.parameters)
    struct = sql.named_struct((field.name, value) for field, value in pairs)
    return Data(f"CASE WHEN {source} IS NOT NULL THEN {struct} END", schema)
