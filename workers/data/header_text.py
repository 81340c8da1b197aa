"""Values as texts that can be read back, as Kafka Connect writes them into headers (`Values.convertToString`). SQL text. Pure."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from workers.data import json_text, sql
from workers.data.java_text import decimal_text
from workers.data.records import Data
from workers.data.schema import DATE, DECIMAL, TIME, TIMESTAMP, Schema, SchemaType


def header_text(data: Data) -> str:
    """SQL; null for null."""
    text = _text(data.sql, data.schema, map("x_{}".format, count(1)).__next__, embedded=False)
    return f"CASE WHEN {data.sql} IS NOT NULL THEN {text} END"


def _text(value: str, schema: Schema | None, fresh: Callable[[], str], *, embedded: bool) -> str:
    """Of what is not null; `embedded` in something else, a string stands in quotes."""
    if schema is None:
        return _variant(value) if embedded else f"coalesce(try_cast({value} AS STRING), {_variant(value)})"
    if schema.name in _LOGICAL:
        return _LOGICAL[schema.name](value)
    match schema.type:
        case SchemaType.STRING:
            return _quoted(value) if embedded else value
        case SchemaType.BYTES:
            return f"concat('\"', base64({value}), '\"')" if embedded else f"base64({value})"
        case SchemaType.ARRAY:
            item = fresh()
            return f"concat('[', array_join(transform({value}, {item} -> {_or_null(item, schema.value, fresh)}), ','), ']')"
        case SchemaType.MAP:
            entry = fresh()
            key, item = _or_null(f"{entry}.key", schema.key, fresh), _or_null(f"{entry}.value", schema.value, fresh)
            entries = f"transform(map_entries({value}), {entry} -> concat({key}, ':', {item}))"
            return f"concat('{{', array_join({entries}, ','), '}}')"
        case SchemaType.STRUCT:
            fields = [
                f"{_quoted(sql.text(field.name))}, ':', {_or_null(sql.field(value, field.name), field.schema, fresh)}"
                for field in schema.fields
            ]
            between = ", ',', "
            return f"concat('{{', {between.join(fields)}, '}}')" if fields else "'{}'"
        case _:
            return f"CAST({value} AS STRING)"


def _or_null(value: str, schema: Schema | None, fresh: Callable[[], str]) -> str:
    return f"CASE WHEN {value} IS NULL THEN 'null' ELSE {_text(value, schema, fresh, embedded=True)} END"


def _quoted(value: str) -> str:
    return rf"""concat('"', replace(replace({value}, '\\', '\\\\'), '"', '\\"'), '"')"""


def _variant(value: str) -> str:
    """JSON, but for the escapes of control characters."""
    inside = rf"replace(replace({json_text.unescaped('p')}, '\\', '\\\\'), '\"', '\\\"')"
    return f"array_join(transform({json_text.pieces(f'to_json({value})')}, (p, i) -> if(i % 2 = 1, {inside}, p)), '\"')"


# --- logical types ------------------------------------------------------------------------------------------------------

_DAY = 86_400_000


def _date(millis: str) -> str:
    """Of a `java.util.Date`, by its milliseconds alone: what lies before the second day of 1970 is a time."""
    # Not by the session's time zone.
    day, rest = (
        f"date_format(date_from_unix_date(CAST(floor({millis} / {_DAY}) AS INT)), 'yyyy-MM-dd')",
        f"pmod({millis}, {_DAY}L)",
    )
    time = (
        f"concat(lpad({rest} div 3600000, 2, '0'), ':', lpad({rest} div 60000 % 60, 2, '0'), ':', "
        f"lpad({rest} div 1000 % 60, 2, '0'), '.', lpad({rest} % 1000, 3, '0'), 'Z')"
    )
    return f"CASE WHEN {millis} < {_DAY} THEN {time} WHEN {rest} = 0 THEN {day} ELSE concat({day}, 'T', {time}) END"


_LOGICAL: dict[str | None, Callable[[str], str]] = {
    DECIMAL: decimal_text,
    DATE: lambda value: _date(f"(unix_date({value}) * {_DAY}L)"),
    TIME: lambda value: _date(f"CAST({value} AS BIGINT)"),
    TIMESTAMP: lambda value: _date(f"unix_millis({value})"),
}
