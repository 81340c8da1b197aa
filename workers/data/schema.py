"""Kafka Connect's schemas as values. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum


class SchemaType(StrEnum):
    INT8 = "INT8"
    INT16 = "INT16"
    INT32 = "INT32"
    INT64 = "INT64"
    FLOAT32 = "FLOAT32"
    FLOAT64 = "FLOAT64"
    BOOLEAN = "BOOLEAN"
    STRING = "STRING"
    BYTES = "BYTES"
    ARRAY = "ARRAY"
    MAP = "MAP"
    STRUCT = "STRUCT"


#: The names that make a schema a logical type. The data stands in Spark as its own type for it, not as the type that carries it.
DECIMAL = "org.apache.kafka.connect.data.Decimal"
DATE = "org.apache.kafka.connect.data.Date"
TIME = "org.apache.kafka.connect.data.Time"
TIMESTAMP = "org.apache.kafka.connect.data.Timestamp"
#: The parameter of a Decimal.
SCALE = "scale"


class _NoDefault:
    def __repr__(self) -> str:
        return "NO_DEFAULT"


NO_DEFAULT = _NoDefault()


@dataclass(frozen=True, slots=True)
class Schema:
    """`key` belongs to a MAP, `value` to a MAP and an ARRAY, `fields` to a STRUCT. Schemas are compared and hashed: `default` is
    a value as Connect's JSON envelope has it (a list or an object as its JSON text), `parameters` are pairs, sorted."""

    type: SchemaType
    optional: bool = False
    name: str | None = None
    version: int | None = None
    doc: str | None = None
    parameters: tuple[tuple[str, str], ...] = ()
    default: object = NO_DEFAULT
    key: Schema | None = None
    value: Schema | None = None
    fields: tuple[Field, ...] = ()

    def field(self, name: str) -> Field | None:
        return next((one for one in self.fields if one.name == name), None)

    def parameter(self, name: str) -> str | None:
        return dict(self.parameters).get(name)

    @property
    def has_default(self) -> bool:
        return self.default is not NO_DEFAULT

    def as_optional(self) -> Schema:
        return replace(self, optional=True)


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    schema: Schema


def struct(fields: Mapping[str, Schema], **more: object) -> Schema:
    """A STRUCT; `more` are the schema's other attributes."""
    made = Schema(SchemaType.STRUCT, fields=tuple(Field(name, schema) for name, schema in fields.items()))
    return replace(made, **more)  # type: ignore[arg-type]


def decimal(scale: int, **more: object) -> Schema:
    return replace(Schema(SchemaType.BYTES, name=DECIMAL, version=1, parameters=((SCALE, str(scale)),)), **more)  # type: ignore[arg-type]


STRING = Schema(SchemaType.STRING)
OPTIONAL_STRING = Schema(SchemaType.STRING, optional=True)
BYTES = Schema(SchemaType.BYTES)
OPTIONAL_BYTES = Schema(SchemaType.BYTES, optional=True)
DATE_SCHEMA = Schema(SchemaType.INT32, name=DATE, version=1)
TIME_SCHEMA = Schema(SchemaType.INT32, name=TIME, version=1)
TIMESTAMP_SCHEMA = Schema(SchemaType.INT64, name=TIMESTAMP, version=1)
