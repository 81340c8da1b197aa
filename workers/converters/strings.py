"""`org.apache.kafka.connect.storage.StringConverter`: texts in a charset; anything else as Java prints it."""

from __future__ import annotations

import codecs

from workers.connectors.configdef import Invalid
from workers.converters.base import Decoded, Encoded, OneSchema
from workers.data import sql
from workers.data.java_text import as_text
from workers.data.records import Data
from workers.data.schema import OPTIONAL_STRING

STRING_CONVERTER = "org.apache.kafka.connect.storage.StringConverter"
_UTF_8 = ("UTF-8", "UTF8")


class StringConverter(OneSchema):
    name = STRING_CONVERTER

    def __init__(self, encoding: str = "UTF-8") -> None:
        #: Such texts are bytes that Spark and Kafka take as they are.
        self.is_utf_8 = encoding.upper() in _UTF_8
        self._charset = None if encoding.upper() in _UTF_8 else sql.text(encoding)

    def decode(self, parsed: str, schema_text: str | None = None) -> Decoded:
        # Bytes that are no UTF-8 would stay as they are; Java puts U+FFFD in their place.
        utf_8 = f"make_valid_utf8(CAST({parsed} AS STRING))"
        return Decoded(Data(utf_8 if self._charset is None else f"decode({parsed}, {self._charset})", OPTIONAL_STRING))

    def encode(self, data: Data) -> Encoded:
        text = as_text(data)
        return Encoded(f"CAST({text} AS BINARY)" if self._charset is None else f"encode({text}, {self._charset})")


def charset(value: object) -> None:
    """Validates `converter.encoding`. Python's list of names stands in for Java's: no JVM is asked about a config."""
    try:
        known = codecs.lookup(str(value))._is_text_encoding
    except (LookupError, ValueError):
        known = False
    if not known:
        raise Invalid(f"Unknown encoding {value}")
