"""Decimals and the bytes that Kafka Connect has for them: the unscaled value, big-endian, two's complement. SQL text. Pure."""

from __future__ import annotations

from workers.data import sql
from workers.data.spark_types import PRECISION

#: 2^64.
_WORD = "18446744073709551616"
#: Bytes at the front that say nothing but the sign, of a number in hexadecimal digits.
_SIGN = r"'^(?:00)+(?=[0-7])|^(?:FF)+(?=[89A-F])'"


def to_bytes(value: str) -> str:
    """Of a decimal(38, s). The sixteen bytes that can be needed at most are made of two words; below zero they are the complement
    of another number's. `div` and a minus sign are of no use: they round what has more than 34 digits."""
    unscaled = f"CAST(replace(CAST({value} AS STRING), '.', '') AS DECIMAL({PRECISION},0))"
    high = f"lpad(hex(CAST((p - l) / {_WORD} AS BIGINT)), 16, '0')"
    low = f"lpad(hex(CAST(if(l >= 9223372036854775808, l - {_WORD}, l) AS BIGINT)), 16, '0')"
    digits = sql.let("p", "if(u < 0, -1 - u, u)", sql.let("l", f"pmod(p, {_WORD})", f"concat({high}, {low})"))
    complement = sql.let("d", digits, "if(u < 0, translate(d, '0123456789ABCDEF', 'FEDCBA9876543210'), d)")
    return sql.let("u", unscaled, f"unhex(regexp_replace({complement}, {_SIGN}, ''))")


def from_bytes(value: str, scale: int) -> str:
    """A decimal(38, scale); null for what has more digits than that, and for no bytes."""
    high = "CAST(CAST(conv(substring(d, 1, 16), 16, -10) AS BIGINT) AS DECIMAL(19,0))"
    low = "CAST(conv(substring(d, 17), 16, 10) AS DECIMAL(20,0))"
    # Towards zero: a word further down there may be more than 38 digits.
    sum_of = f"if(h < 0, try_add(try_multiply(h + 1, {_WORD}), {low} - {_WORD}), try_add(try_multiply(h, {_WORD}), {low}))"
    whole = sql.let("d", "lpad(s, 32, if(s >= '8', 'F', '0'))", sql.let("h", high, sql.let("u", sum_of, _scaled(scale))))
    return sql.let("s", f"regexp_replace(hex({value}), {_SIGN}, '')", f"CASE WHEN length(s) BETWEEN 1 AND 32 THEN {whole} END")


def _scaled(scale: int) -> str:
    """Of `u`: by its digits, as a division would round."""
    places = f"right(t, {scale})" if scale else "''"
    text = f"concat(if(u < 0, '-', ''), left(t, {PRECISION - scale}), '.', {places})"
    return sql.let(
        "t", f"lpad(replace(CAST(u AS STRING), '-', ''), {PRECISION}, '0')", f"try_cast({text} AS DECIMAL({PRECISION},{scale}))"
    )
