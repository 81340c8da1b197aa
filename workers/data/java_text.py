"""Values as texts, as Java's `String.valueOf` has them. SQL text. Pure.

What Java does not say is said so that nothing is lost: bytes, where Java prints the object's identity, are Base64. A schemaless
map has its keys in a variant's order, where Java's is that of a hash.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from workers.data import json_text, sql
from workers.data.records import Data
from workers.data.schema import DATE, DECIMAL, TIME, TIMESTAMP, Schema, SchemaType

#: `java.util.Date.toString`, in the session's time zone: UTC, where Java has the machine's.
_DATE = "'EEE MMM dd HH:mm:ss zzz yyyy'"


def as_text(data: Data) -> str:
    """SQL; null for null."""
    text = _text(data.sql, data.schema, map("x_{}".format, count(1)).__next__)
    if data.schema is not None and data.schema.type is SchemaType.STRUCT:
        return f"CASE WHEN {data.sql} IS NOT NULL THEN {text} END"
    return text


def _text(value: str, schema: Schema | None, fresh: Callable[[], str]) -> str:
    """A struct must not be null; of anything else null's text is null."""
    if schema is None:
        return variant_text(value)
    if schema.name in _LOGICAL:
        return _LOGICAL[schema.name](value)
    match schema.type:
        case SchemaType.STRING:
            return value
        case SchemaType.BYTES:
            return f"base64({value})"
        case SchemaType.ARRAY:
            item = fresh()
            return _joined("[", f"transform({value}, {item} -> {_or_null(item, schema.value, fresh)})", "]")
        case SchemaType.MAP:
            entry = fresh()
            key, item = _or_null(f"{entry}.key", schema.key, fresh), _or_null(f"{entry}.value", schema.value, fresh)
            return _joined("{", f"transform(map_entries({value}), {entry} -> concat({key}, '=', {item}))", "}")
        case SchemaType.STRUCT:
            # Java leaves out what is null.
            fields = [
                f"CASE WHEN {(at := sql.field(value, field.name))} IS NOT NULL "
                f"THEN concat({sql.text(field.name + '=')}, {_text(at, field.schema, fresh)}) END"
                for field in schema.fields
            ]
            return f"concat('Struct{{', concat_ws(',', {', '.join(fields)}), '}}')" if fields else "'Struct{}'"
        case _:
            return f"CAST({value} AS STRING)"


def _or_null(value: str, schema: Schema | None, fresh: Callable[[], str]) -> str:
    return f"CASE WHEN {value} IS NULL THEN 'null' ELSE {_text(value, schema, fresh)} END"


def _joined(start: str, items: str, end: str) -> str:
    return f"concat('{start}', array_join({items}, ', '), '{end}')"


# --- logical types ------------------------------------------------------------------------------------------------------


def decimal_text(value: str) -> str:
    """`BigDecimal.toString`: scientific where there are more than five zeros behind the point, unlike in Spark."""
    plain = f"CAST({value} AS STRING)"
    digits = f"greatest(trim(LEADING '0' FROM replace(replace({plain}, '-', ''), '.', '')), '0')"
    scale = f"length(substring_index({plain}, '.', -1))"
    exponent = f"length({digits}) - 1 - {scale}"
    mantissa = f"if(length({digits}) = 1, {digits}, concat(left({digits}, 1), '.', substring({digits}, 2)))"
    scientific = f"concat(if({value} < 0, '-', ''), {mantissa}, 'E', {exponent})"
    # Not by `abs`, which rounds what has more than 34 digits.
    small = f"{value} < 0.000001 AND {value} > -0.000001 AND contains({plain}, '.') AND {exponent} < -6"
    return f"CASE WHEN {small} THEN {scientific} ELSE {plain} END"


def _timestamp(value: str) -> str:
    return f"date_format({value}, {_DATE})"


_LOGICAL: dict[str | None, Callable[[str], str]] = {
    DECIMAL: decimal_text,
    DATE: lambda value: _timestamp(f"timestamp_seconds(unix_date({value}) * 86400L)"),
    TIME: lambda value: _timestamp(f"timestamp_millis({value})"),
    TIMESTAMP: _timestamp,
}


# --- schemaless ---------------------------------------------------------------------------------------------------------


def variant_text(value: str) -> str:
    """Maps and lists as Java prints them, made of the JSON text."""
    outside = "replace(replace(p, ':', '='), ',', ', ')"
    piece = f"if(i % 2 = 1, {json_text.unescaped('p')}, {outside})"
    return f"array_join(transform({json_text.pieces(f'to_json({value})')}, (p, i) -> {piece}), '')"
