"""SetSchemaMetadata: the name and the version of a key's or value's schema."""

from __future__ import annotations

from dataclasses import replace

from workers.connectors.configdef import ConfigDef, Importance, Key, Type
from workers.data import sql
from workers.data.records import Data, Effect, Failure, Record
from workers.data.schema import Schema
from workers.transforms import structs
from workers.transforms.base import PACKAGE, REPLACE_NULL, PartTransform, Settings, TransformConfigError, text_or_none

_NO_SCHEMA = "Schema required for [updating schema metadata]"


class SetSchemaMetadata(PartTransform):
    class_name = f"{PACKAGE}.SetSchemaMetadata"
    config_def = ConfigDef(
        (
            Key("schema.name", Type.STRING, default=None, importance=Importance.HIGH, documentation="The schema's new name."),
            Key("schema.version", Type.INT, default=None, importance=Importance.HIGH, documentation="The schema's new version."),
            REPLACE_NULL,
        )
    )

    def configure(self, settings: Settings) -> None:
        self._schema_name = text_or_none(settings["schema.name"])
        version = settings["schema.version"]
        self._version = version if isinstance(version, int) else None
        self._replace_null = bool(settings["replace.null.with.default"])
        if self._schema_name is None and self._version is None:
            raise TransformConfigError("Neither schema name nor version configured")

    def of_map(self, value: str, record: Record) -> Effect:
        return self.part.effect(None, Failure(f"CASE WHEN {value} IS NOT NULL THEN {sql.text(_NO_SCHEMA)} END"))

    def of_struct(self, data: Data, schema: Schema, record: Record) -> Effect:
        new = replace(
            schema,
            name=schema.name if self._schema_name is None else self._schema_name,
            version=schema.version if self._version is None else self._version,
        )
        # Of what is no STRUCT, Kafka Connect asks for fields all the same, and fails.
        fields = [(field, structs.read(data.sql, field, self._replace_null)) for field in structs.fields_of(schema, "list")]
        return self.part.effect(Data(structs.made(data.sql, fields).sql, new))
