"""Typed columns as JSON texts (`JsonConverter.convertToJson`), as SQL. Pure.

The text is put together of its parts, not made by Spark's `to_json`, which leaves out nulls of a map, has no arrays of pairs, and
writes dates and decimals in ways of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

from workers.converters import json_schema
from workers.data import decimals, sql
from workers.data.java_text import decimal_text
from workers.data.records import Data
from workers.data.schema import DATE, DECIMAL, TIME, TIMESTAMP, Schema, SchemaType

_LOGICAL = {
    DATE: "CAST(unix_date({}) AS STRING)",
    TIME: "CAST({} AS STRING)",
    TIMESTAMP: "CAST(unix_millis({}) AS STRING)",
}
_NULL_MESSAGE = "Conversion error: null value for field that is required and has no default value"


@dataclass(slots=True)
class Encoder:
    """`numeric` is `decimal.format`, `defaults` is `replace.null.with.default`."""

    numeric: bool = False
    defaults: bool = True
    _fresh: Callable[[], str] = field(default_factory=lambda: map("x_{}".format, count(1)).__next__)

    def json(self, data: Data) -> str:
        """The text, never null; where there is a failure it is no JSON."""
        return self._json(data.sql, data.schema)

    def failure(self, data: Data) -> str | None:
        """SQL of a message, null where nothing is wrong; None if nothing can be."""
        return self._failure(data.sql, data.schema)

    # --- values -------------------------------------------------------------------------------------------------------

    def _json(self, value: str, schema: Schema | None) -> str:
        absent = "null"
        if schema is not None and schema.has_default and self.defaults:
            absent = json_schema.default_json(schema, numeric=self.numeric)
        return f"CASE WHEN {value} IS NULL THEN {sql.text(absent)} ELSE {self._present(value, schema)} END"

    def _present(self, value: str, schema: Schema | None) -> str:
        if schema is None:
            return f"to_json({value})"
        if schema.name == DECIMAL:
            return decimal_text(value) if self.numeric else _quoted(f"base64({decimals.to_bytes(value)})")
        if schema.name in _LOGICAL:
            return _LOGICAL[schema.name].format(value)
        match schema.type:
            case SchemaType.STRING:
                return string(value)
            case SchemaType.BYTES:
                return _quoted(f"base64({value})")
            case SchemaType.FLOAT32 | SchemaType.FLOAT64:
                number = f"CAST({value} AS STRING)"
                return f"if({number} IN ('NaN', 'Infinity', '-Infinity'), {_quoted(number)}, {number})"
            case SchemaType.ARRAY:
                item = self._fresh()
                return _list("[", f"transform({value}, {item} -> {self._json(item, schema.value)})", "]")
            case SchemaType.MAP:
                return self._map(value, schema)
            case SchemaType.STRUCT:
                return self._struct(value, schema)
            case _:
                return f"CAST({value} AS STRING)"

    def _map(self, value: str, schema: Schema) -> str:
        entry = self._fresh()
        item = self._json(f"{entry}.value", schema.value)
        assert schema.key is not None
        if schema.key.type is SchemaType.STRING:
            pair = f"concat({string(f'{entry}.key')}, ':', {item})"
            return _list("{", f"transform(map_entries({value}), {entry} -> {pair})", "}")
        pair = f"concat('[', {self._json(f'{entry}.key', schema.key)}, ',', {item}, ']')"
        return _list("[", f"transform(map_entries({value}), {entry} -> {pair})", "]")

    def _struct(self, value: str, schema: Schema) -> str:
        parts: list[str] = []
        for number, one in enumerate(schema.fields):
            parts.append(sql.text(("," if number else "{") + json_schema.text(one.name) + ":"))
            parts.append(self._json(sql.field(value, one.name), one.schema))
        return f"concat({', '.join(parts)}, '}}')" if parts else "'{}'"

    # --- failures -----------------------------------------------------------------------------------------------------

    def _failure(self, value: str, schema: Schema | None) -> str | None:
        if schema is None:
            return None
        within = self._failure_within(value, schema)
        if schema.optional or (schema.has_default and self.defaults):
            return within and f"CASE WHEN {value} IS NOT NULL THEN {within} END"
        return f"CASE WHEN {value} IS NULL THEN {sql.text(_NULL_MESSAGE)} ELSE {within or sql.NULL} END"

    def _failure_within(self, value: str, schema: Schema) -> str | None:
        match schema.type:
            case SchemaType.ARRAY:
                return self._first(value, schema.value)
            case SchemaType.MAP:
                found = [self._first(f"map_{part}s({value})", of) for part, of in (("key", schema.key), ("value", schema.value))]
                return _coalesced([one for one in found if one])
            case SchemaType.STRUCT:
                told = [self._failure(sql.field(value, one.name), one.schema) for one in schema.fields]
                return _coalesced([one for one in told if one])
            case _:
                return None

    def _first(self, items: str, schema: Schema | None) -> str | None:
        item = self._fresh()
        told = self._failure(item, schema)
        return told and f"get(filter(transform({items}, {item} -> {told}), m -> m IS NOT NULL), 0)"


def _coalesced(told: list[str]) -> str | None:
    return f"coalesce({', '.join(told)})" if told else None


def string(value: str) -> str:
    """In quotes. Most texts have nothing to escape; Spark's own writer knows how."""
    return (
        rf"""if({value} RLIKE '["\\\\\u0000-\u001f]', """
        f"substring(to_json(array({value})), 2, length(to_json(array({value}))) - 2), {_quoted(value)})"
    )


def _quoted(value: str) -> str:
    return f"concat('\"', {value}, '\"')"


def _list(start: str, items: str, end: str) -> str:
    return f"concat('{start}', array_join({items}, ','), '{end}')"
