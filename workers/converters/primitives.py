"""The converters of single values in `org.apache.kafka.connect.converters`: big-endian bytes, as Kafka's clients have them."""

from __future__ import annotations

from dataclasses import dataclass

from workers.converters.base import Decoded, Encoded, OneSchema
from workers.data import sql
from workers.data.java_classes import class_of, java_class
from workers.data.records import Data, DataError, Failure
from workers.data.schema import Schema, SchemaType

_PACKAGE = "org.apache.kafka.connect.converters"
BOOLEAN_CONVERTER = f"{_PACKAGE}.BooleanConverter"


@dataclass(frozen=True, slots=True)
class _Kind:
    """`word` is Java's for the type. Bits of a float are had from Java itself: SQL has nothing for them."""

    word: str
    type: SchemaType
    spark: str
    size: int
    to_bits: str | None = None
    from_bits: str | None = None

    def decoded(self, column: str) -> str:
        # A `conv` to a negative base gives a signed number, of 64 bits: shorter ones have their sign put in front.
        sign = f"if(substring(hex({column}), 1, 1) >= '8', 'F', '0')"
        bits = f"CAST(conv(lpad(hex({column}), 16, {sign}), 16, -10) AS {'INT' if self.size == 4 else 'BIGINT'})"
        return (
            f"CAST(java_method({self.from_bits}, {bits}) AS {self.spark})" if self.from_bits else f"CAST({bits} AS {self.spark})"
        )

    def encoded(self, column: str) -> str:
        number = f"CAST(java_method({self.to_bits}, {column}) AS BIGINT)" if self.to_bits else f"CAST({column} AS BIGINT)"
        return f"unhex(right(lpad(hex({number}), 16, '0'), {2 * self.size}))"


_KINDS = {
    f"{_PACKAGE}.ShortConverter": _Kind("short", SchemaType.INT16, "SMALLINT", 2),
    f"{_PACKAGE}.IntegerConverter": _Kind("integer", SchemaType.INT32, "INT", 4),
    f"{_PACKAGE}.LongConverter": _Kind("long", SchemaType.INT64, "BIGINT", 8),
    f"{_PACKAGE}.FloatConverter": _Kind(
        "float",
        SchemaType.FLOAT32,
        "FLOAT",
        4,
        "'java.lang.Float', 'floatToRawIntBits'",
        "'java.lang.Float', 'intBitsToFloat'",
    ),
    f"{_PACKAGE}.DoubleConverter": _Kind(
        "double",
        SchemaType.FLOAT64,
        "DOUBLE",
        8,
        "'java.lang.Double', 'doubleToRawLongBits'",
        "'java.lang.Double', 'longBitsToDouble'",
    ),
}
NUMBER_CONVERTERS = tuple(_KINDS)


class NumberConverter(OneSchema):
    """One of `NUMBER_CONVERTERS`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._kind = _KINDS[name]

    def decode(self, parsed: str, schema_text: str | None = None) -> Decoded:
        kind = self._kind
        fits = f"length({parsed}) = {kind.size}"
        failure = Failure(f"CASE WHEN NOT ({fits}) THEN 'Failed to deserialize {kind.word}: ' END")
        value = f"CASE WHEN {fits} THEN {kind.decoded(parsed)} END"
        return Decoded(Data(value, Schema(kind.type, optional=True)), (failure,))

    def encode(self, data: Data) -> Encoded:
        """As in Kafka Connect, what a value is counts, not its schema's type."""
        kind = self._kind
        fits = f"{java_class(data)} = {sql.text(class_of(Schema(kind.type)))}"
        value = data.sql if data.schema is not None else f"try_cast({data.sql} AS {kind.spark})"
        if data.schema is not None and class_of(data.schema) != class_of(Schema(kind.type)):
            value = f"CAST(NULL AS {kind.spark})"
        message = f"concat('Failed to serialize to {kind.word} (was class ', {java_class(data)}, '): ')"
        failure = Failure(f"CASE WHEN {data.sql} IS NOT NULL AND NOT ({fits}) THEN {message} END")
        return Encoded(f"CASE WHEN {data.sql} IS NOT NULL AND {fits} THEN {kind.encoded(value)} END", (failure,))


class BooleanConverter(OneSchema):
    name = BOOLEAN_CONVERTER

    def decode(self, parsed: str, schema_text: str | None = None) -> Decoded:
        failure = Failure(f"CASE WHEN hex({parsed}) NOT IN ('00', '01') THEN 'Failed to deserialize boolean: ' END")
        return Decoded(Data(f"hex({parsed}) = '01'", Schema(SchemaType.BOOLEAN, optional=True)), (failure,))

    def encode(self, data: Data) -> Encoded:
        schema = data.schema
        if schema is not None and schema.type is not SchemaType.BOOLEAN:
            raise DataError(f"Invalid schema type for BooleanConverter: {schema.type}")
        value = data.sql if schema is not None else f"try_cast({data.sql} AS BOOLEAN)"
        encoded = f"CASE WHEN {data.sql} IS NOT NULL THEN if({value}, X'01', X'00') END"
        if schema is not None:
            return Encoded(encoded)
        wrong = f"{data.sql} IS NOT NULL AND {java_class(data)} <> 'java.lang.Boolean'"
        message = f"concat('BooleanConverter is not compatible with objects of type class ', {java_class(data)})"
        return Encoded(encoded, (Failure(f"CASE WHEN {wrong} THEN {message} END"),))
