"""The same records through Drover's SQL."""

from __future__ import annotations

import json
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from tests.integration.transforms.records import Outcome, Problem, Rec, Side, Table
from tests.integration.transforms.schemas import payload, plain
from workers.connectors.configdef import Given
from workers.data import sql
from workers.data.chain import Alternative, compile_chain
from workers.data.records import ERROR
from workers.data.schema import TIMESTAMP_SCHEMA, Schema
from workers.transforms.literals import literal
from workers.transforms.plugins import chain_of
from workers.transforms.spark_answers import type_of


def outcomes(spark: SparkSession, config: Given, table: Table, *, source: bool) -> list[Outcome]:
    """What becomes of each of the table's records; None in place of one that is dropped."""
    compiled = compile_chain(
        chain_of(config, type_of(spark)), [Alternative(0, table.key.schema, table.value.schema)], keep=["number"]
    )
    frame = _frame(spark, table, source=source)
    for projection in compiled.projections:
        if projection.where is not None:
            frame = frame.where(projection.where)
        frame = frame.selectExpr(*projection.expressions())
    shapes = {alternative.number: alternative for alternative in compiled.alternatives}
    found = {row["number"]: _outcome(row, shapes[row["shape"]]) for row in frame.collect()}
    return [found.get(number) for number in range(len(table.records))]


def _frame(spark: SparkSession, table: Table, *, source: bool) -> DataFrame:
    rows = [
        sql.named_struct(
            [
                ("number", str(number)),
                ("topic", sql.text(record.topic)),
                ("partition", f"CAST({_or_null(record.partition if source else record.partition or 0)} AS INT)"),
                ("offset", f"CAST({'NULL' if source else record.offset} AS BIGINT)"),
                ("timestamp", f"timestamp_millis(CAST({_or_null(record.timestamp)} AS BIGINT))"),
                ("headers", _headers(record)),
                ("shape", "0"),
                ("error", f"CAST(NULL AS {ERROR})"),
                ("key_0", _data(table.key.schema, record.key)),
                ("value_0", _data(table.value.schema, record.value)),
            ]
        )
        for number, record in enumerate(table.records)
    ]
    return spark.range(1).selectExpr(f"inline(array({', '.join(rows)}))")


def _or_null(value: object) -> str:
    return "NULL" if value is None else str(value)


def _headers(record: Rec) -> str:
    pairs = ", ".join(
        f"named_struct('key', {sql.text(key)}, 'value', CAST({sql.text(value or '')} AS BINARY))" for key, value in record.headers
    )
    return f"CAST(array({pairs}) AS array<struct<key: string, value: binary>>)"


def _data(schema: Schema | None, value: Any) -> str:
    if schema is not None:
        return literal(schema, value)
    return "CAST(NULL AS VARIANT)" if value is None else f"parse_json({sql.text(json.dumps(value))})"


def _outcome(row: Any, shape: Alternative) -> Outcome:
    if row["error"] is not None:
        return Problem(row["error"]["exception"], row["error"]["message"])
    key, value = shape.columns
    headers = tuple((h["key"], None if h["value"] is None else bytes(h["value"]).decode()) for h in row["headers"])
    stamp = None if row["timestamp"] is None else payload(TIMESTAMP_SCHEMA, row["timestamp"])
    return Rec(_side(shape.key, row[key]), _side(shape.value, row[value]), row["topic"], row["partition"], None, stamp, headers)


def _side(schema: Schema | None, value: Any) -> Side:
    if schema is not None:
        return Side(schema, payload(schema, value))
    return Side(None, None if value is None else plain(value.toPython()))
