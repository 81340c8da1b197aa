"""One value made another type's, as Java's `Number` and `parse…` methods do it. SQL text. Pure.

Whole numbers that do not fit lose their upper bits, fractions that do not fit become the largest or smallest number there is.
"""

from __future__ import annotations

import base64
import struct
from decimal import Decimal
from math import isnan, trunc

from workers.data import sql
from workers.data.records import DataError
from workers.data.schema import DATE, DECIMAL, SCALE, TIME, TIMESTAMP, Schema, SchemaType
from workers.transforms import java_time

INPUTS = tuple(SchemaType)[:9]
OUTPUTS = tuple(SchemaType)[:8]
_BITS = {SchemaType.INT8: 8, SchemaType.INT16: 16, SchemaType.INT32: 32, SchemaType.INT64: 64}
_NAMES = {
    SchemaType.INT8: "TINYINT",
    SchemaType.INT16: "SMALLINT",
    SchemaType.INT32: "INT",
    SchemaType.INT64: "BIGINT",
    SchemaType.FLOAT32: "FLOAT",
    SchemaType.FLOAT64: "DOUBLE",
}
_FLOATS = (SchemaType.FLOAT32, SchemaType.FLOAT64)
_WHOLE = sql.text(r"\A[+-]?[0-9]+\z")
_FRACTION = sql.text(r"\A[\x00-\x20]*[+-]?(NaN|Infinity|(([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?)[fFdD]?)[\x00-\x20]*\z")


def unsupported(kind: str) -> str:
    """What is said of a type that cannot be cast."""
    return f"Cast transformation does not support casting from {kind}; supported types are [{', '.join(INPUTS)}]"


def cast(value: str, schema: Schema, target: SchemaType) -> tuple[str, str | None]:
    """SQL of the result, and of what is wrong, null where nothing is; None where nothing can be."""
    if schema.type not in INPUTS:
        return sql.NULL, f"CASE WHEN {value} IS NOT NULL THEN {sql.text(unsupported(schema.type))} END"
    if target is SchemaType.STRING:
        return _to_string(value, schema), None
    if schema.name in (DATE, TIME, TIMESTAMP):
        value = java_time.millis(value, schema.name) if schema.name == TIMESTAMP else _carrier(value, schema.name)
        return _of_whole(value, target), None
    if schema.name == DECIMAL:
        return _of_decimal(value, target)
    match schema.type:
        case SchemaType.STRING:
            return _of_string(value, target)
        case SchemaType.BYTES:
            told = sql.text("Unexpected type in Cast transformation: class [B")
            return sql.NULL, f"CASE WHEN {value} IS NOT NULL THEN {told} END"
        case SchemaType.BOOLEAN:
            return (value if target is SchemaType.BOOLEAN else f"CAST({value} AS {_NAMES[target]})"), None
        case kind if kind in _FLOATS:
            return _of_fraction(value, target), None
        case _:
            return _of_whole(value, target), None


def _carrier(value: str, name: str) -> str:
    return f"unix_date({value})" if name == DATE else value


def _to_string(value: str, schema: Schema) -> str:
    if schema.name in (DATE, TIME, TIMESTAMP):
        return java_time.iso_text(java_time.millis(value, schema.name))
    return f"base64({value})" if schema.type is SchemaType.BYTES and schema.name != DECIMAL else f"CAST({value} AS STRING)"


def _of_whole(value: str, target: SchemaType) -> str:
    if target is SchemaType.BOOLEAN:
        return f"({value} <> 0)"
    return _narrowed(value, target) if target in _BITS else f"CAST({value} AS {_NAMES[target]})"


def _narrowed(value: str, target: SchemaType) -> str:
    drop = 64 - _BITS[target]
    wide = f"CAST({value} AS BIGINT)"
    return wide if drop == 0 else f"CAST(shiftright(shiftleft({wide}, {drop}), {drop}) AS {_NAMES[target]})"


def _of_fraction(value: str, target: SchemaType) -> str:
    if target is SchemaType.BOOLEAN:
        return f"(abs({value}) >= 1 AND NOT isnan({value}))"
    if target in _FLOATS:
        return f"CAST({value} AS {_NAMES[target]})"
    if target is SchemaType.INT64:
        return _clamped(value, 63, "BIGINT")
    return _narrowed(_clamped(value, 31, "INT"), target)


def _clamped(value: str, bits: int, name: str) -> str:
    least, most = f"CAST('{-(2**bits)}' AS {name})", f"CAST('{2**bits - 1}' AS {name})"
    return sql.case(
        [
            (f"{value} IS NULL", sql.NULL),
            (f"isnan({value})", f"CAST(0 AS {name})"),
            (f"{value} >= {2**bits}D", most),
            (f"{value} <= -{2**bits}D", least),
        ],
        f"CAST({value} AS {name})",
    )


def _of_decimal(value: str, target: SchemaType) -> tuple[str, str | None]:
    if target is SchemaType.BOOLEAN:
        return f"(abs({value}) >= 1)", None
    if target in _FLOATS:
        return f"CAST({value} AS {_NAMES[target]})", None
    wide = f"try_cast({value} AS BIGINT)"
    return _narrowed(wide, target), f"CASE WHEN {value} IS NOT NULL AND {wide} IS NULL THEN {_out_of_range(value)} END"


def _of_string(value: str, target: SchemaType) -> tuple[str, str | None]:
    if target is SchemaType.BOOLEAN:
        return f"(lower({value}) = 'true')", None
    shape = _FRACTION if target in _FLOATS else _WHOLE
    made = f"CASE WHEN {value} RLIKE {shape} THEN try_cast({value} AS {_NAMES[target]}) END"
    return made, f"CASE WHEN {value} IS NOT NULL AND {made} IS NULL THEN {_out_of_range(value)} END"


def _out_of_range(value: str) -> str:
    return f"concat('Value (', {value}, ') was out of range for requested data type')"


# --- defaults -----------------------------------------------------------------------------------------------------------


def cast_default(schema: Schema, target: SchemaType) -> object:
    """The schema's default as one of the type `target`, both as Connect's JSON has them. Raises DataError."""
    value = schema.default
    if schema.type not in INPUTS:
        raise DataError(unsupported(schema.type))
    if schema.name == DECIMAL:
        unscaled = int.from_bytes(base64.b64decode(str(value)), "big", signed=True)
        value = Decimal(unscaled).scaleb(-int(schema.parameter(SCALE) or 0))
    if target is SchemaType.STRING:
        return _default_text(schema, value)
    if isinstance(value, str):
        if schema.type is SchemaType.BYTES:
            raise DataError("Unexpected type in Cast transformation: class [B")
        return _parsed_default(value, target)
    assert isinstance(value, bool | int | float | Decimal)
    return _number(value, target)


def _number(value: bool | int | float | Decimal, target: SchemaType) -> bool | int | float:
    fraction = isinstance(value, float)
    whole = 0 if fraction and isnan(value) else trunc(value)
    if target is SchemaType.BOOLEAN:
        return whole != 0
    if target in _FLOATS:
        return _single(float(value)) if target is SchemaType.FLOAT32 else float(value)
    if fraction:
        bits = 63 if target is SchemaType.INT64 else 31
        whole = max(-(2**bits), min(2**bits - 1, whole))
    half = 1 << (_BITS[target] - 1)
    return (whole + half) % (2 * half) - half


def _single(value: float) -> float:
    return float(struct.unpack("f", struct.pack("f", value))[0])


def _parsed_default(value: str, target: SchemaType) -> bool | int | float:
    if target is SchemaType.BOOLEAN:
        return value.lower() == "true"
    try:
        number = float(value) if target in _FLOATS else int(value)
        fits = target in _FLOATS or -(1 << (_BITS[target] - 1)) <= number < 1 << (_BITS[target] - 1)
        if fits and "_" not in value and value == value.strip():
            return number
    except ValueError:
        pass
    raise DataError(f"Value ({value}) was out of range for requested data type")


def _default_text(schema: Schema, value: object) -> str:
    if schema.name in (DATE, TIME, TIMESTAMP):
        assert isinstance(value, int)
        return _iso(value * java_time.DAY if schema.name == DATE else value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _iso(millis: int) -> str:
    from datetime import UTC, datetime, timedelta

    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=millis)
    clock = at.strftime("%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"
    if millis < java_time.DAY:
        return clock
    date = at.date().isoformat()
    return date if millis % java_time.DAY == 0 else f"{date}T{clock}"
