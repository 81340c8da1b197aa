"""A sink's records as rows of columns, by what their values are. Pure but for the types that Spark tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workers.connectors.base import ConnectError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import DataType


def as_rows(records: DataFrame, format: str, schema: str | None) -> DataFrame:
    """One row for each record that has a value; a tombstone has no columns. Raises ConnectError where values are no columns."""
    expressions = _columns(records.schema["value"].dataType, format, schema)
    return records.where("value IS NOT NULL").selectExpr(*expressions[0]).selectExpr(*expressions[1])


def _columns(kind: DataType, format: str, schema: str | None) -> tuple[list[str], list[str]]:
    """Two projections, one upon the other: Spark takes a struct apart by its name only."""
    from pyspark.sql.types import BinaryType, StringType, StructType, VariantType

    if format == "text":
        return [_as_text(kind)], ["*"]
    if isinstance(kind, StructType):
        return ["value"], ["value.*"]
    if schema is None:
        raise ConnectError(
            f"The values are of type {kind.simpleString()}, and format {format} wants columns: name them with their types in "
            "spark.schema, or use a value.converter that gives structs, as JsonConverter does with schemas"
        )
    if isinstance(kind, StringType | BinaryType):
        # What does not parse fails the task instead of being a row of nulls.
        return [f"from_json(CAST(value AS STRING), {_literal(schema)}, map('mode', 'FAILFAST')) AS value"], ["value.*"]
    if isinstance(kind, VariantType):
        return [f"variant_get(value, '$', {_literal(f'struct<{schema}>')}) AS value"], ["value.*"]
    raise ConnectError(f"Values of type {kind.simpleString()} cannot be made columns by spark.schema")


def _as_text(kind: DataType) -> str:
    from pyspark.sql.types import ArrayType, MapType, StructType, VariantType

    nested = isinstance(kind, StructType | MapType | ArrayType | VariantType)
    return "to_json(value) AS value" if nested else "CAST(value AS STRING) AS value"


def _literal(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
