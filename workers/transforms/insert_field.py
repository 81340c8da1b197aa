"""InsertField: what is known of a record besides its data, or a constant, becomes a field."""

from __future__ import annotations

from dataclasses import replace

from workers.connectors.configdef import ConfigDef, Key, Type
from workers.data import sql
from workers.data.records import Data, Effect, Failure, Record
from workers.data.schema import OPTIONAL_STRING, TIMESTAMP_SCHEMA, Field, Schema, SchemaType
from workers.transforms import structs, variants
from workers.transforms.base import PACKAGE, REPLACE_NULL, PartTransform, Settings, TransformConfigError, text_or_none

_PURPOSE = "field insertion"
_OPTIONAL = "With ! behind it the field is required, with ? or nothing optional."
_NO_OFFSET = f"Only SinkRecord supported for [{_PURPOSE}], found: org.apache.kafka.connect.source.SourceRecord"


def _key(name: str, text: str) -> Key:
    return Key(name, Type.STRING, default=None, documentation=text)


class InsertField(PartTransform):
    class_name = f"{PACKAGE}.InsertField"
    null_passes = True
    config_def = ConfigDef(
        (
            _key("topic.field", f"The field for the topic. {_OPTIONAL}"),
            _key("partition.field", f"The field for the partition. {_OPTIONAL}"),
            _key("offset.field", f"The field for the offset, which a sink's records have. {_OPTIONAL}"),
            _key("timestamp.field", f"The field for the record's timestamp. {_OPTIONAL}"),
            _key("static.field", f"The field for static.value. {_OPTIONAL}"),
            _key("static.value", "What static.field holds."),
            REPLACE_NULL,
        )
    )

    def configure(self, settings: Settings) -> None:
        self._fields = {
            kind: spec
            for kind in ("topic", "partition", "offset", "timestamp", "static")
            if (spec := text_or_none(settings[f"{kind}.field"])) is not None
        }
        self._replace_null = bool(settings["replace.null.with.default"])
        value = text_or_none(settings["static.value"])
        if not self._fields:
            raise TransformConfigError("No field insertion configured")
        if "static" in self._fields and value is None:
            raise TransformConfigError(
                "Invalid value null for configuration static.value: "
                f"No value specified for static field: {_name(self._fields['static'])}"
            )
        self._static = sql.text(value or "")

    def of_map(self, value: str, record: Record) -> Effect:
        known = {
            "topic": record.topic,
            "partition": record.partition,
            "offset": record.offset,
            "timestamp": f"unix_millis({record.timestamp})",
            "static": self._static,
        }
        added = variants.entries({_name(spec): variants.of(known[kind]) for kind, spec in self._fields.items()})
        there = f"map_filter({added}, (name, value) -> value IS NOT NULL)"
        changed = variants.to_variant(f"map_concat({variants.as_map(value)}, {there})")
        return self.part.effect(Data(changed, None), variants.require_map(value, _PURPOSE), *self._offset_failures(record))

    def of_struct(self, data: Data, schema: Schema, record: Record) -> Effect:
        wrong = structs.require_struct(data, _PURPOSE, null_passes=True)
        if wrong is not None:
            return self.part.effect(None, wrong)
        known = {
            "topic": (OPTIONAL_STRING, record.topic),
            "partition": (Schema(SchemaType.INT32, optional=True), record.partition),
            "offset": (Schema(SchemaType.INT64, optional=True), record.offset),
            "timestamp": (TIMESTAMP_SCHEMA.as_optional(), record.timestamp),
            "static": (OPTIONAL_STRING, self._static),
        }
        fields = [(field, structs.read(data.sql, field, self._replace_null)) for field in schema.fields]
        for kind, spec in self._fields.items():
            kind_schema, value = known[kind]
            fields.append((Field(_name(spec), replace(kind_schema, optional=not spec.endswith("!"))), value))
        return self.part.effect(structs.made(data.sql, fields, like=schema), *self._offset_failures(record))

    def _offset_failures(self, record: Record) -> list[Failure]:
        if "offset" not in self._fields:
            return []
        return [Failure(f"CASE WHEN {record.offset} IS NULL THEN {sql.text(_NO_OFFSET)} END")]


def _name(spec: str) -> str:
    return spec[:-1] if spec.endswith(("?", "!")) else spec
