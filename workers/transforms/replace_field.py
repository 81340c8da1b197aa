"""ReplaceField: fields are left out, kept, renamed."""

from __future__ import annotations

from workers.connectors.configdef import ConfigDef, Invalid, Key, Type, in_message
from workers.connectors.validators import no_duplicates
from workers.data import sql
from workers.data.records import Data, Effect, Record
from workers.data.schema import Field, Schema
from workers.transforms import structs, variants
from workers.transforms.base import PACKAGE, REPLACE_NULL, PartTransform, Settings, texts

_PURPOSE = "field replacement"


def _renames(value: object) -> None:
    _parsed(texts(value))


def _parsed(mappings: list[str]) -> dict[str, str]:
    renames: dict[str, str] = {}
    for mapping in mappings:
        # Java forgets what is empty at the end.
        parts = mapping.rstrip(":").split(":")
        if len(parts) != 2:
            raise Invalid(
                f"Invalid value {in_message(mappings)} for configuration renames: Invalid rename mapping: {mapping}", whole=True
            )
        renames[parts[0]] = parts[1]
    return renames


class ReplaceField(PartTransform):
    class_name = f"{PACKAGE}.ReplaceField"
    null_passes = True
    config_def = ConfigDef(
        (
            Key(
                "exclude",
                Type.LIST,
                default=(),
                documentation="Fields to leave out, even if they are to be kept.",
                validator=no_duplicates("exclude"),
            ),
            Key(
                "include",
                Type.LIST,
                default=(),
                documentation="The only fields to keep; empty for all.",
                validator=no_duplicates("include"),
            ),
            Key("renames", Type.LIST, default=(), documentation="Pairs of names, as old:new.", validator=_renames),
            REPLACE_NULL,
        )
    )

    def configure(self, settings: Settings) -> None:
        self._exclude, self._include = texts(settings["exclude"]), texts(settings["include"])
        self._renames = _parsed(texts(settings["renames"]))
        self._replace_null = bool(settings["replace.null.with.default"])

    def _kept(self, name: str) -> bool:
        return name not in self._exclude and (not self._include or name in self._include)

    def of_map(self, value: str, record: Record) -> Effect:
        mapped = variants.as_map(value)
        conditions = []
        if self._exclude:
            conditions.append(f"name NOT IN ({_list(self._exclude)})")
        if self._include:
            conditions.append(f"name IN ({_list(self._include)})")
        if conditions:
            mapped = f"map_filter({mapped}, (name, value) -> {' AND '.join(conditions)})"
        if self._renames:
            new = sql.case(((f"name = {sql.text(old)}", sql.text(new)) for old, new in self._renames.items()), "name")
            mapped = f"transform_keys({mapped}, (name, value) -> {new})"
        return self.part.effect(Data(variants.to_variant(mapped), None), variants.require_map(value, _PURPOSE))

    def of_struct(self, data: Data, schema: Schema, record: Record) -> Effect:
        wrong = structs.require_struct(data, _PURPOSE, null_passes=True)
        if wrong is not None:
            return self.part.effect(None, wrong)
        fields = [
            (Field(self._renames.get(field.name, field.name), field.schema), structs.read(data.sql, field, self._replace_null))
            for field in schema.fields
            if self._kept(field.name)
        ]
        return self.part.effect(structs.made(data.sql, fields, like=schema))


def _list(names: list[str]) -> str:
    return ", ".join(map(sql.text, names))
