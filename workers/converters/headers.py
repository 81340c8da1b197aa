"""`org.apache.kafka.connect.storage.SimpleHeaderConverter`: values of headers as texts that tell their type."""

from __future__ import annotations

from workers.converters.base import Decoded, Encoded, OneSchema
from workers.data.header_text import header_text
from workers.data.records import Data
from workers.data.schema import OPTIONAL_BYTES

SIMPLE_HEADER_CONVERTER = "org.apache.kafka.connect.storage.SimpleHeaderConverter"


class SimpleHeaderConverter(OneSchema):
    """What a header's bytes say is found out by whoever asks for it; on their way they stay as they are."""

    name = SIMPLE_HEADER_CONVERTER

    def decode(self, parsed: str, schema_text: str | None = None) -> Decoded:
        return Decoded(Data(parsed, OPTIONAL_BYTES))

    def encode(self, data: Data) -> Encoded:
        return Encoded(f"CAST({header_text(data)} AS BINARY)")
