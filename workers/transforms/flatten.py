"""Flatten: fields of nested data become fields of the record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from workers.connectors.configdef import ConfigDef, Key, Type
from workers.data import sql
from workers.data.records import Data, DataError, Effect, Failure, Record
from workers.data.schema import Field, Schema, SchemaType
from workers.transforms import structs, variants
from workers.transforms.base import PACKAGE, PartTransform, Settings

_PURPOSE = "flattening"
#: How deep maps without a schema may lie in each other.
DEPTH = 10


class Flatten(PartTransform):
    class_name = f"{PACKAGE}.Flatten"
    null_passes = True
    config_def = ConfigDef(
        (Key("delimiter", Type.STRING, default=".", documentation="What stands between the names of which a new one is made."),)
    )

    def configure(self, settings: Settings) -> None:
        self._delimiter = str(settings["delimiter"])

    def of_struct(self, data: Data, schema: Schema, record: Record) -> Effect:
        required = structs.require_struct(data, _PURPOSE, null_passes=True)
        if required is not None:
            return self.part.effect(None, required)
        fields = list(self._flat(schema, "", data.sql, schema.optional))
        return self.part.effect(structs.made(data.sql, fields, like=schema))

    def _flat(self, schema: Schema, prefix: str, struct: str, optional: bool) -> Iterator[tuple[Field, str]]:
        for field in schema.fields:
            name = f"{prefix}{self._delimiter}{field.name}" if prefix else field.name
            inner, is_optional = field.schema, optional or field.schema.optional
            value = structs.read(struct, field, replace_null=True)
            if value != sql.field(struct, field.name):
                value = f"CASE WHEN {struct} IS NOT NULL THEN {value} END"
            if inner.type is SchemaType.STRUCT:
                yield from self._flat(inner, name, value, is_optional)
            elif inner.type is SchemaType.MAP:
                raise DataError(f"Flatten transformation does not support MAP for record with schemas (for field {name}).")
            else:
                yield Field(name, replace(inner, optional=is_optional)), value

    def of_map(self, value: str, record: Record) -> Effect:
        # Level by level, so that the text does not grow with each of them.
        entries = f"map_entries({variants.as_map(value)})"
        for _ in range(DEPTH):
            name = f"concat(e.key, {sql.text(self._delimiter)}, c.key)"
            children = f"transform(map_entries({variants.as_map('e.value')}), c -> struct({name} AS key, c.value AS value))"
            entries = f"flatten(transform({entries}, e -> coalesce({children}, array(e))))"
        deeper = f"exists({entries}, e -> {variants.as_map('e.value')} IS NOT NULL)"
        told = sql.text(f"Flatten transformation of Drover supports maps without a schema in each other {DEPTH} levels deep")
        changed = variants.to_variant(f"map_from_entries({entries})")
        return self.part.effect(
            Data(changed, None), variants.require_map(value, _PURPOSE), Failure(f"CASE WHEN {deeper} THEN {told} END")
        )
