"""`org.apache.kafka.connect.json.JsonConverter`: JSON, with its schema in an envelope or without one.

A document is a variant. With schemas the alternatives are those that the records' own schemas make; without, there is one, which
has none.
"""

from __future__ import annotations

from dataclasses import dataclass

from workers.converters import json_schema
from workers.converters.base import Decoded, Encoded
from workers.converters.json_decode import Decoder, Node
from workers.converters.json_encode import Encoder
from workers.data import json_text, sql
from workers.data.records import Data, Failure

JSON_CONVERTER = "org.apache.kafka.connect.json.JsonConverter"
_MALFORMED = "'Converting byte[] to Kafka Connect data failed due to serialization error: '"
#: What has a schema may have this, too, in its payload.
_NULL_SCHEMA = r"""'"schema"\\s*:\\s*null'"""
_STRICT = "map('allowNonNumericNumbers', 'false', 'allowSingleQuotes', 'false')"
_NO_ENVELOPE = sql.text(
    'JsonConverter with schemas.enable requires "schema" and "payload" fields and may not contain additional fields. '
    "If you are trying to deserialize plain JSON data, set schemas.enable=false in your converter configuration."
)


@dataclass(frozen=True, slots=True)
class JsonConverter:
    """`schema_content` is one schema for all records, which then are payloads alone (KIP-1054)."""

    schemas: bool = True
    schema_content: str | None = None
    numeric_decimals: bool = False
    defaults: bool = True
    name: str = JSON_CONVERTER

    def parse(self, column: str) -> str:
        """A struct of what there is; null for no bytes."""
        text = f"CAST({column} AS STRING)"
        more = ""
        if self._enveloped:
            # Neither JSON nor an object: told apart where it is of no use for anything else.
            other = f"if({_parsed(text)} IS NULL, NULL, CAST(map() AS MAP<STRING, VARIANT>))"
            document = f"coalesce({_envelope(text)}, {other})"
            # What `decode` reads in its place where there is no schema. With one, a decimal may have more places than a double.
            more = f", 'plain', CASE WHEN {text} RLIKE {_NULL_SCHEMA} THEN {_envelope(_as_doubles(text))} END"
        else:
            document = _parsed(text if self.schemas else _as_doubles(text))
        # Jackson reads no bytes that are no UTF-8.
        found = f"named_struct('json', if(is_valid_utf8({text}), {document}, NULL){more})"
        return f"CASE WHEN {column} IS NOT NULL THEN {found} END"

    @property
    def _enveloped(self) -> bool:
        return self.schemas and self.schema_content is None

    # --- from bytes -----------------------------------------------------------------------------------------------------

    def schema_text(self, parsed: str) -> str | None:
        if not self.schemas:
            return None
        if self.schema_content is not None:
            # A record without any bytes has no schema, either.
            return f"CASE WHEN {parsed} IS NOT NULL THEN {sql.text(self.schema_content)} END"
        schema = f"try_element_at({parsed}.json, 'schema')"
        return f"CASE WHEN {_is_envelope(parsed)} AND NOT is_variant_null({schema}) THEN to_json({schema}) END"

    def decode(self, parsed: str, schema_text: str | None = None) -> Decoded:
        malformed = f"CASE WHEN {parsed} IS NOT NULL AND {parsed}.json IS NULL THEN {_MALFORMED} END"
        if not self._enveloped:
            return self._decoded(f"{parsed}.json", schema_text, Failure(malformed))
        if schema_text is not None:
            return self._decoded(f"try_element_at({parsed}.json, 'payload')", schema_text)
        payload = f"try_element_at(coalesce({parsed}.plain, {parsed}.json), 'payload')"
        no_envelope = f"CASE WHEN {parsed} IS NOT NULL AND NOT {_is_envelope(parsed)} THEN {_NO_ENVELOPE} END"
        return self._decoded(payload, None, Failure(malformed), Failure(no_envelope))

    def _decoded(self, document: str, schema_text: str | None, *failures: Failure) -> Decoded:
        schema = None if schema_text is None else json_schema.parse(schema_text)
        if schema is None:
            return Decoded(Data(f"CASE WHEN NOT is_variant_null({document}) THEN {document} END", None), failures)
        decoder, node = Decoder(self.defaults), Node(document)
        # What is no JSON is told of already.
        wrong = f"CASE WHEN {document} IS NOT NULL THEN {decoder.failure(node, schema)} END"
        value = f"CASE WHEN {document} IS NOT NULL THEN {decoder.value(node, schema)} END"
        return Decoded(Data(value, schema), (*failures, Failure(wrong)))

    # --- to bytes -------------------------------------------------------------------------------------------------------

    def encode(self, data: Data) -> Encoded:
        encoder = Encoder(self.numeric_decimals, self.defaults)
        text = encoder.json(data)
        if self.schemas:
            start = f'{{"schema":{json_schema.schema_json(data.schema, numeric=self.numeric_decimals)},"payload":'
            text = f"concat({sql.text(start)}, {text}, '}}')"
        if data.schema is None:
            text = f"CASE WHEN {data.sql} IS NOT NULL THEN {text} END"
        failure = encoder.failure(data)
        return Encoded(f"CAST({text} AS BINARY)", () if failure is None else (Failure(failure),))


def _parsed(text: str) -> str:
    """A variant. Of blanks alone Kafka Connect makes a null."""
    return f"coalesce(try_parse_json({text}), if(trim({text}) = '', parse_json('null'), NULL))"


def _envelope(text: str) -> str:
    """Its members by their names; null for what is no object. Spark reads more than JSON unless it is told not to."""
    return f"from_json({text}, 'MAP<STRING, VARIANT>', {_STRICT})"


def _is_envelope(parsed: str) -> str:
    keys = " AND ".join(f"map_contains_key({parsed}.json, '{key}')" for key in ("schema", "payload"))
    return f"coalesce(size({parsed}.json) = 2 AND {keys}, false)"


def _as_doubles(text: str) -> str:
    """A number with a point is a double in Kafka Connect. In a variant it would be a decimal, and `1.0` come out of it as `1`."""
    piece = r"if(i % 2 = 0, regexp_replace(p, '(\\.[0-9]+)(?![0-9eE])', '$1e0'), p)"
    doubled = f"array_join(transform({json_text.pieces(text)}, (p, i) -> {piece}), '\"')"
    return rf"CASE WHEN {text} RLIKE '[0-9]\\.[0-9]' THEN {json_text.whole(doubled)} ELSE {text} END"
