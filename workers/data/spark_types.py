"""Kafka Connect's schemas and Spark's types. Pure.

| schema | Spark |
|---|---|
| INT8, INT16, INT32, INT64 | tinyint, smallint, int, bigint |
| FLOAT32, FLOAT64, BOOLEAN, STRING, BYTES | float, double, boolean, string, binary |
| ARRAY, MAP, STRUCT | array, map, struct |
| none | variant |
| Decimal | decimal(38, scale): all digits that there can be |
| Date, Timestamp | date, timestamp |
| Time | int: milliseconds of the day. Spark has no time of day that a connector could write; the schema keeps the name |
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from workers.data import sql
from workers.data.records import Data, DataError
from workers.data.schema import (
    DATE,
    DATE_SCHEMA,
    DECIMAL,
    SCALE,
    TIMESTAMP,
    TIMESTAMP_SCHEMA,
    Field,
    Schema,
    SchemaType,
    decimal,
)

if TYPE_CHECKING:
    from pyspark.sql.types import DataType

#: Digits that a decimal of Spark's has at most.
PRECISION = 38
_SIMPLE = {
    SchemaType.INT8: "TINYINT",
    SchemaType.INT16: "SMALLINT",
    SchemaType.INT32: "INT",
    SchemaType.INT64: "BIGINT",
    SchemaType.FLOAT32: "FLOAT",
    SchemaType.FLOAT64: "DOUBLE",
    SchemaType.BOOLEAN: "BOOLEAN",
    SchemaType.STRING: "STRING",
    SchemaType.BYTES: "BINARY",
}
_LOGICAL = {DATE: "DATE", TIMESTAMP: "TIMESTAMP"}


def scale_of(schema: Schema) -> int:
    """Of a Decimal. Raises DataError, in Kafka Connect's words, or in Drover's where it is Spark that cannot hold it."""
    text = schema.parameter(SCALE)
    if text is None:
        raise DataError("Invalid Decimal schema: scale parameter not found.")
    try:
        scale = int(text)
    except ValueError:
        raise DataError("Invalid scale parameter found in Decimal schema: ") from None
    if not 0 <= scale <= PRECISION:
        raise DataError(f"A decimal has 0 to {PRECISION} places here, not {scale}.")
    return scale


def spark_type(schema: Schema | None) -> str:
    """The DDL text of the type. Raises DataError."""
    if schema is None:
        return "VARIANT"
    if schema.name == DECIMAL:
        return f"DECIMAL({PRECISION},{scale_of(schema)})"
    if schema.name in _LOGICAL:
        return _LOGICAL[schema.name]
    match schema.type:
        case SchemaType.ARRAY:
            return f"ARRAY<{spark_type(schema.value)}>"
        case SchemaType.MAP:
            return f"MAP<{spark_type(schema.key)}, {spark_type(schema.value)}>"
        case SchemaType.STRUCT:
            fields = (f"{sql.name(field.name)}: {spark_type(field.schema)}" for field in schema.fields)
            return f"STRUCT<{', '.join(fields)}>"
        case _:
            return _SIMPLE[schema.type]


def null(schema: Schema | None) -> str:
    """SQL of a null of the schema's type."""
    return f"CAST(NULL AS {spark_type(schema)})"


# --- the other way ------------------------------------------------------------------------------------------------------

_BY_SPARK = {
    "tinyint": Schema(SchemaType.INT8),
    "smallint": Schema(SchemaType.INT16),
    "int": Schema(SchemaType.INT32),
    "bigint": Schema(SchemaType.INT64),
    "float": Schema(SchemaType.FLOAT32),
    "double": Schema(SchemaType.FLOAT64),
    "boolean": Schema(SchemaType.BOOLEAN),
    "string": Schema(SchemaType.STRING),
    "binary": Schema(SchemaType.BYTES),
    "date": DATE_SCHEMA,
    "timestamp": TIMESTAMP_SCHEMA,
    "timestamp_ntz": TIMESTAMP_SCHEMA,
    # Items of an empty array.
    "void": Schema(SchemaType.STRING),
}


def schema_of(kind: DataType, *, nullable: bool = True) -> Schema | None:
    """Of a column; None for a variant, and for nulls of no type at all. Raises DataError for what Kafka Connect has nothing
    for, as an interval."""
    described = kind.jsonValue()
    return None if described in ("variant", "void") else _inner(described, nullable, kind.simpleString())


def data_of(column: str, kind: DataType, *, nullable: bool = True) -> Data:
    """A connector's column with the schema that its type has, cast where Spark has several types for one schema."""
    schema = schema_of(kind, nullable=nullable)
    wanted = spark_type(schema)
    same = kind.simpleString() == wanted.lower() and (schema is None or schema.type not in _NESTED)
    return Data(column if same else f"CAST({column} AS {wanted})", schema)


_NESTED = (SchemaType.ARRAY, SchemaType.MAP, SchemaType.STRUCT)


def _inner(kind: object, nullable: bool, named: str) -> Schema:
    """`kind` is as in a type's JSON: a name, or an object with the parts."""
    if kind == "variant":
        raise DataError(f"What has a schema has one in all of its parts: no variant may be within {named}.")
    found = _nested(kind, named) if isinstance(kind, dict) else _atomic(str(kind), named)
    return replace(found, optional=nullable)


def _atomic(kind: str, named: str) -> Schema:
    if kind in _BY_SPARK:
        return _BY_SPARK[kind]
    short = {"byte": "tinyint", "short": "smallint", "integer": "int", "long": "bigint"}.get(kind)
    if short is not None:
        return _BY_SPARK[short]
    if kind.startswith("decimal("):
        return decimal(int(kind.removesuffix(")").partition(",")[2]))
    if kind.startswith(("string", "char(", "varchar(")):
        return _BY_SPARK["string"]
    raise DataError(f"Kafka Connect has no type for a column of Spark's {named}.")


def _nested(kind: dict[str, object], named: str) -> Schema:
    match kind["type"]:
        case "array":
            return Schema(SchemaType.ARRAY, value=_inner(kind["elementType"], bool(kind["containsNull"]), named))
        case "map":
            key, value = (
                _inner(kind["keyType"], False, named),
                _inner(kind["valueType"], bool(kind["valueContainsNull"]), named),
            )
            return Schema(SchemaType.MAP, key=key, value=value)
        case "struct":
            fields = kind["fields"]
            assert isinstance(fields, list)
            return Schema(SchemaType.STRUCT, fields=tuple(_field(field, named) for field in fields))
        case _:
            raise DataError(f"Kafka Connect has no type for a column of Spark's {named}.")


def _field(field: dict[str, object], named: str) -> Field:
    return Field(str(field["name"]), _inner(field["type"], bool(field["nullable"]), named))
