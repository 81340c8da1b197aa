"""ExtractField: a record's key or value becomes one of its fields."""

from __future__ import annotations

from workers.connectors.configdef import ConfigDef, Importance, Key, Type
from workers.connectors.validators import one_of_any_case
from workers.data import sql
from workers.data.records import Data, DataError, Effect, Failure, Record
from workers.data.schema import Schema
from workers.transforms import structs, variants
from workers.transforms.base import ILLEGAL_ARGUMENT, PACKAGE, REPLACE_NULL, PartTransform, Settings
from workers.transforms.field_path import V1, V2, field_path

_PURPOSE = "field extraction"
_NESTED = "nested field access"


class ExtractField(PartTransform):
    class_name = f"{PACKAGE}.ExtractField"
    config_def = ConfigDef(
        (
            Key("field", Type.STRING, documentation="The name of the field, or with field.syntax.version=V2 the way to it."),
            REPLACE_NULL,
            Key(
                "field.syntax.version",
                Type.STRING,
                default=V1,
                importance=Importance.HIGH,
                documentation="How fields are named: V1 knows the outermost fields by name, V2 ways as a.b.c (KIP-821).",
                validator=one_of_any_case(V1, V2),
            ),
        )
    )

    def configure(self, settings: Settings) -> None:
        self._field = str(settings["field"])
        self._path = field_path(self._field, str(settings["field.syntax.version"]))
        self._replace_null = bool(settings["replace.null.with.default"])

    def of_map(self, value: str, record: Record) -> Effect:
        failures = [variants.require_map(value, _PURPOSE, null_passes=True)]
        for step in self._path[:-1]:
            value = variants.at(variants.as_map(value), step)
            failures.append(variants.require_map(value, _NESTED, null_passes=True))
        found = variants.or_null(variants.at(variants.as_map(value), self._path[-1]))
        return self.part.effect(Data(found, None), *failures)

    def of_struct(self, data: Data, schema: Schema, record: Record) -> Effect:
        wrong = structs.require_struct(data, _PURPOSE, null_passes=True)
        if wrong is not None:
            told = sql.text("Cannot look up fields on non-struct type")
            return self.part.effect(None, Failure(f"coalesce({wrong.message}, {told})"))
        value = data.sql
        for step in self._path:
            field = next((one for one in structs.fields_of(schema) if one.name == step), None)
            if field is None:
                raise DataError(f"Unknown field: {self._field}", ILLEGAL_ARGUMENT)
            schema, parent = field.schema, value
            value = structs.read(value, field, self._replace_null)
            if value != sql.field(parent, field.name):
                # Not of a struct that is not there.
                value = f"CASE WHEN {parent} IS NOT NULL THEN {value} END"
        return self.part.effect(Data(value, schema))
