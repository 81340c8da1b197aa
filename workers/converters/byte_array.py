"""`org.apache.kafka.connect.converters.ByteArrayConverter`: bytes, as they are."""

from __future__ import annotations

from workers.converters.base import Decoded, Encoded, OneSchema
from workers.data.java_classes import java_class
from workers.data.records import Data, DataError, Failure
from workers.data.schema import DECIMAL, OPTIONAL_BYTES, SchemaType

BYTE_ARRAY_CONVERTER = "org.apache.kafka.connect.converters.ByteArrayConverter"


class ByteArrayConverter(OneSchema):
    name = BYTE_ARRAY_CONVERTER

    def decode(self, parsed: str, schema_text: str | None = None) -> Decoded:
        return Decoded(Data(parsed, OPTIONAL_BYTES))

    def encode(self, data: Data) -> Encoded:
        schema = data.schema
        if schema is not None and schema.type is not SchemaType.BYTES:
            raise DataError(f"Invalid schema type for ByteArrayConverter: {schema.type}")
        if schema is not None and schema.name != DECIMAL:
            return Encoded(data.sql)
        message = f"concat('ByteArrayConverter is not compatible with objects of type class ', {java_class(data)})"
        failure = Failure(f"CASE WHEN {data.sql} IS NOT NULL THEN {message} END")
        return Encoded("CAST(NULL AS BINARY)", (failure,))
