"""MaskField: fields are overwritten."""

from __future__ import annotations

import struct
from decimal import Decimal, InvalidOperation

from workers.connectors.configdef import ConfigDef, Importance, Key, Type
from workers.connectors.java_hash import in_hash_order
from workers.connectors.validators import no_duplicates, non_empty
from workers.data import sql
from workers.data.java_classes import class_of
from workers.data.records import Data, Effect, Failure, Record
from workers.data.schema import DATE, DECIMAL, TIME, TIMESTAMP, Schema, SchemaType
from workers.data.spark_types import spark_type
from workers.transforms import structs, variants
from workers.transforms.base import PACKAGE, REPLACE_NULL, PartTransform, Settings, text_or_none, texts

_PURPOSE = "mask fields"
_BITS = {SchemaType.INT8: 8, SchemaType.INT16: 16, SchemaType.INT32: 32, SchemaType.INT64: 64}
_VARIANTS = {
    "BIGINT": SchemaType.INT64,
    "DOUBLE": SchemaType.FLOAT64,
    "DECIMAL": SchemaType.FLOAT64,
    "FLOAT": SchemaType.FLOAT32,
    "BOOLEAN": SchemaType.BOOLEAN,
    "STRING": SchemaType.STRING,
}
#: What masks without a replacement, where it is not 0.
_BLANKS = {
    SchemaType.BOOLEAN: "false",
    SchemaType.STRING: "''",
    SchemaType.ARRAY: "array()",
    SchemaType.MAP: "map()",
}


class _Refused(ValueError):
    """The text is Kafka Connect's."""


class MaskField(PartTransform):
    class_name = f"{PACKAGE}.MaskField"
    config_def = ConfigDef(
        (
            Key(
                "fields",
                Type.LIST,
                importance=Importance.HIGH,
                documentation="Names of the fields to mask.",
                validator=no_duplicates("fields", may_be_empty=False),
            ),
            Key(
                "replacement",
                Type.STRING,
                default=None,
                importance=Importance.LOW,
                documentation="What to write in place of numbers and texts; without it 0, false, an empty text, list or map.",
                validator=non_empty,
            ),
            REPLACE_NULL,
        )
    )

    def configure(self, settings: Settings) -> None:
        # In Kafka Connect they are a set: of two that cannot be masked it tells of this one.
        self._masked = in_hash_order(dict.fromkeys(texts(settings["fields"])), str)
        self._replacement = text_or_none(settings["replacement"])
        self._replace_null = bool(settings["replace.null.with.default"])

    def of_struct(self, data: Data, schema: Schema, record: Record) -> Effect:
        required = structs.require_struct(data, _PURPOSE)
        if schema.type is not SchemaType.STRUCT:
            return self.part.effect(None, required)
        pairs, failures = [], [required]
        for field in schema.fields:
            value = structs.read(data.sql, field, self._replace_null)
            if field.name in self._masked:
                try:
                    masked = f"CAST({self._mask(field.schema)} AS {spark_type(field.schema)})"
                except _Refused as refused:
                    failures.append(Failure(f"CASE WHEN {value} IS NOT NULL THEN {sql.text(str(refused))} END"))
                    masked = sql.NULL
                value = f"CASE WHEN {value} IS NOT NULL THEN {masked} END"
            pairs.append((field.name, value))
        made = f"CASE WHEN {data.sql} IS NOT NULL THEN {sql.named_struct(pairs)} END"
        return self.part.effect(Data(made, schema), *failures)

    def of_map(self, value: str, record: Record) -> Effect:
        mapped = variants.as_map(value)
        failures = [variants.require_map(value, _PURPOSE)]
        fields = {}
        for name in self._masked:
            fields[name], wrong = self._mask_variant(variants.at(mapped, name))
            failures.append(Failure(wrong))
        return self.part.effect(Data(variants.to_variant(variants.with_fields(mapped, fields)), None), *failures)

    def _mask_variant(self, value: str) -> tuple[str, str]:
        tag = variants.tag(value)
        masks, wrongs = [], []
        for name, kind in _VARIANTS.items():
            schema = Schema(kind)
            try:
                masks.append((f"{tag} = '{name}'", variants.of(f"CAST({self._mask(schema)} AS {spark_type(schema)})")))
            except _Refused as refused:
                wrongs.append((f"{tag} = '{name}'", sql.text(str(refused))))
        told = _cannot(self._replacement)
        if self._replacement is None:
            masks.append((f"{tag} IN ('DATE', 'TIMESTAMP')", variants.of("timestamp_millis(0)")))
            masks.append((f"{tag} = 'ARRAY'", "parse_json('[]')"))
            masks.append((f"{tag} = 'OBJECT'", "parse_json('{}')"))
            others = "'BINARY'"
        else:
            others = "'BINARY', 'DATE', 'TIMESTAMP', 'ARRAY', 'OBJECT'"
        start, _, end = told.partition("{}")
        wrongs.append((f"{tag} IN ({others})", f"concat({sql.text(start)}, {variants.java_class(value)}, {sql.text(end)})"))
        return sql.case(masks, sql.NULL), sql.case(wrongs, sql.NULL)

    def _mask(self, schema: Schema) -> str:
        """SQL, still to be cast. Raises _Refused."""
        if self._replacement is None:
            return _blank(schema)
        if schema.name == DECIMAL:
            return _decimal(self._replacement)
        if schema.name in (DATE, TIME, TIMESTAMP):
            raise _Refused(_cannot(self._replacement).format(class_of(schema)))
        if schema.type in _BITS:
            return f"'{_whole(_number(self._replacement), _BITS[schema.type])}'"
        if schema.type in (SchemaType.FLOAT32, SchemaType.FLOAT64):
            return f"'{_fraction(_number(self._replacement), schema.type)}'"
        if schema.type is SchemaType.STRING:
            return sql.text(self._replacement)
        raise _Refused(_cannot(self._replacement).format(class_of(schema)))


def _cannot(replacement: str | None) -> str:
    if replacement is None:
        return "Cannot mask value of type: class {}"
    return "Cannot mask value of type class {} with custom replacement."


def _blank(schema: Schema) -> str:
    if schema.name == DATE:
        return "date'1970-01-01'"
    if schema.name == TIMESTAMP:
        return "timestamp_millis(0)"
    if schema.type is SchemaType.STRUCT or (schema.type is SchemaType.BYTES and schema.name != DECIMAL):
        raise _Refused(_cannot(None).format(class_of(schema)))
    return _BLANKS.get(schema.type, "0")


def _number(text: str) -> Decimal:
    try:
        number = Decimal(text) if text.isascii() and "_" not in text and text == text.strip() else None
    except InvalidOperation:
        number = None
    if number is None or not number.is_finite():
        raise _Refused(f"Unable to convert {text} (class java.lang.String) to a number")
    return number


def _decimal(text: str) -> str:
    try:
        return f"'{_number(text):f}'"
    except _Refused as refused:
        raise _Refused(f"Unable to convert {text} (class java.lang.String) to number") from refused


def _whole(number: Decimal, bits: int) -> int:
    half = 1 << (bits - 1)
    # By way of Java's long, whose upper bits are lost as well.
    return (int(number) + half) % (2 * half) - half


def _fraction(number: Decimal, kind: SchemaType) -> float:
    value = float(number)
    return value if kind is SchemaType.FLOAT64 else float(struct.unpack("f", struct.pack("f", value))[0])
