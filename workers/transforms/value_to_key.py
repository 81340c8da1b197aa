"""ValueToKey: fields of the value become the key."""

from __future__ import annotations

from workers.connectors.configdef import ConfigDef, Importance, Key, Type
from workers.connectors.validators import no_duplicates
from workers.data import sql
from workers.data.records import Data, Effect, Failure, Record
from workers.data.schema import Field, Schema, SchemaType
from workers.transforms import structs, variants
from workers.transforms.base import PACKAGE, REPLACE_NULL, Part, RecordTransform, Settings, texts

_PURPOSE = "copying fields from value to key"


class ValueToKey(RecordTransform):
    class_name = f"{PACKAGE}.ValueToKey"
    config_def = ConfigDef(
        (
            Key(
                "fields",
                Type.LIST,
                importance=Importance.HIGH,
                documentation="Names of the value's fields that make the key.",
                validator=no_duplicates("fields", may_be_empty=False),
            ),
            REPLACE_NULL,
        )
    )

    def configure(self, settings: Settings) -> None:
        self._fields = texts(settings["fields"])
        self._replace_null = bool(settings["replace.null.with.default"])

    def apply(self, record: Record) -> Effect:
        value = record.value
        if value.schema is not None:
            return self._of_struct(value, value.schema)
        mapped = variants.as_map(value.sql)
        key = variants.entries({name: variants.at(mapped, name) for name in dict.fromkeys(self._fields)})
        return Part.KEY.effect(Data(variants.to_variant(key), None), variants.require_map(value.sql, _PURPOSE))

    def _of_struct(self, value: Data, schema: Schema) -> Effect:
        required = structs.require_struct(value, _PURPOSE)
        if schema.type is not SchemaType.STRUCT:
            return Part.KEY.effect(None, required)
        fields: list[tuple[Field, str]] = []
        for name in self._fields:
            field = schema.field(name)
            if field is None:
                unknown = sql.text(f"Field does not exist: {name}")
                return Part.KEY.effect(None, required, Failure(unknown))
            fields.append((field, structs.read(value.sql, field, self._replace_null)))
        return Part.KEY.effect(structs.made(value.sql, fields), required)
