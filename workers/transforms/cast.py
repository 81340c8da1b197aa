"""Cast: fields, or the whole key or value, become another type's."""

from __future__ import annotations

from dataclasses import replace

from workers.connectors.configdef import ConfigDef, Importance, Invalid, Key, Type, in_message
from workers.data import sql
from workers.data.records import Data, Effect, Failure, Record
from workers.data.schema import DATE, DECIMAL, NO_DEFAULT, TIME, TIMESTAMP, Field, Schema, SchemaType
from workers.transforms import structs, variants
from workers.transforms.base import PACKAGE, REPLACE_NULL, PartTransform, Settings, texts
from workers.transforms.casts import OUTPUTS, cast, cast_default, unsupported

_PURPOSE = "cast types"
#: Names the whole key or value.
_WHOLE = None
#: What of Java's types a variant's type stands for.
_TAGS = {
    "BIGINT": SchemaType.INT64,
    "DOUBLE": SchemaType.FLOAT64,
    "DECIMAL": SchemaType.FLOAT64,
    "FLOAT": SchemaType.FLOAT32,
    "BOOLEAN": SchemaType.BOOLEAN,
    "STRING": SchemaType.STRING,
    "BINARY": SchemaType.BYTES,
}
_SPARK = {
    SchemaType.INT64: "BIGINT",
    SchemaType.FLOAT64: "DOUBLE",
    SchemaType.FLOAT32: "FLOAT",
    SchemaType.BOOLEAN: "BOOLEAN",
    SchemaType.STRING: "STRING",
    SchemaType.BYTES: "BINARY",
}


def _spec(value: object) -> None:
    if not value:
        raise Invalid("Must specify at least one field to cast.", whole=True)
    _parsed(texts(value))


def _parsed(mappings: list[str]) -> dict[str | None, SchemaType]:
    casts: dict[str | None, SchemaType] = {}
    for mapping in mappings:
        parts = mapping.rstrip(":").split(":")
        if len(parts) > 2:
            raise Invalid(
                f"Invalid value {in_message(mappings)} for configuration renames: Invalid rename mapping: {mapping}", whole=True
            )
        casts[_WHOLE if len(parts) == 1 else parts[0].strip()] = _target(parts[-1].strip(), alone=len(parts) == 1)
    if _WHOLE in casts and len(mappings) > 1:
        raise Invalid(
            "Cast transformations that specify a type to cast the entire value to may only specify a single cast in their spec",
            whole=True,
        )
    return casts


def _target(text: str, *, alone: bool) -> SchemaType:
    try:
        target = SchemaType(text.upper())
    except ValueError as error:
        message = f"No enum constant org.apache.kafka.connect.data.Schema.Type.{text.upper()}"
        if not alone:
            message = (
                f"Invalid value java.lang.IllegalArgumentException: {message} "
                f"for configuration Invalid type found in casting spec: {text}"
            )
        raise Invalid(message, whole=True) from error
    if target not in OUTPUTS:
        raise Invalid(
            f"Cast transformation does not support casting to {target}; supported types are [{', '.join(OUTPUTS)}]", whole=True
        )
    return target


class Cast(PartTransform):
    class_name = f"{PACKAGE}.Cast"
    null_passes = True
    config_def = ConfigDef(
        (
            Key(
                "spec",
                Type.LIST,
                importance=Importance.HIGH,
                documentation="Fields with the types they are to get, as field1:int32,field2:string, or one type for the whole "
                "key or value: int8, int16, int32, int64, float32, float64, boolean or string.",
                validator=_spec,
            ),
            REPLACE_NULL,
        )
    )

    def configure(self, settings: Settings) -> None:
        self._casts = _parsed(texts(settings["spec"]))
        self._replace_null = bool(settings["replace.null.with.default"])

    def of_struct(self, data: Data, schema: Schema, record: Record) -> Effect:
        whole = self._casts.get(_WHOLE)
        return self._whole(data, schema, whole) if whole else self._fields(data, schema)

    def of_map(self, value: str, record: Record) -> Effect:
        whole = self._casts.get(_WHOLE)
        if whole is not None:
            changed, wrong = _cast_variant(value, whole)
            return self.part.effect(Data(changed, None), Failure(wrong))
        mapped = variants.as_map(value)
        failures = [variants.require_map(value, _PURPOSE)]
        fields: dict[str, str] = {}
        for name, target in self._casts.items():
            assert name is not None
            fields[name], wrong = _cast_variant(variants.at(mapped, name), target)
            failures.append(Failure(wrong))
        changed = variants.to_variant(variants.with_fields(mapped, fields))
        return self.part.effect(Data(changed, None), *failures)

    def _whole(self, data: Data, schema: Schema, target: SchemaType) -> Effect:
        value, wrong = cast(data.sql, schema, target)
        bare = replace(schema, type=target, fields=(), key=None, value=None)
        if schema.name in (DECIMAL, DATE, TIME, TIMESTAMP):
            # Kafka Connect keeps the name; its converters then take the value for what it no longer is, and fail.
            bare = replace(bare, name=None, version=None, parameters=())
        new = _with_type(schema, target, bare)
        return self.part.effect(Data(value, new), Failure(wrong) if wrong else None)

    def _fields(self, data: Data, schema: Schema) -> Effect:
        required = structs.require_struct(data, _PURPOSE, null_passes=True)
        if required is not None:
            return self.part.effect(None, required)
        fields, failures = [], []
        for field in schema.fields:
            value, target = structs.read(data.sql, field, self._replace_null), self._casts.get(field.name)
            if target is not None:
                value, wrong = cast(value, field.schema, target)
                failures += [Failure(wrong)] if wrong else []
                field = Field(field.name, _with_type(field.schema, target, Schema(target, optional=field.schema.optional)))  # noqa: PLW2901
            fields.append((field, value))
        made = structs.made(data.sql, fields, like=schema)
        assert made.schema is not None
        kept = replace(made.schema, optional=schema.optional)
        return self.part.effect(Data(made.sql, kept), *failures)


def _with_type(old: Schema, target: SchemaType, new: Schema) -> Schema:
    return replace(new, default=cast_default(old, target) if old.has_default and old.default is not None else NO_DEFAULT)


def _cast_variant(value: str, target: SchemaType) -> tuple[str, str]:
    """And what is wrong with it."""
    tag = variants.tag(value)
    results, wrongs = [], []
    for name, kind in _TAGS.items():
        typed = f"try_cast({value} AS {_SPARK[kind]})"
        result, wrong = cast(typed, Schema(kind), target)
        results.append((f"{tag} = '{name}'", variants.of(result)))
        if wrong is not None:
            wrongs.append((f"{tag} = '{name}'", wrong))
    lists, maps = sql.text(unsupported(SchemaType.ARRAY)), sql.text(unsupported(SchemaType.MAP))
    date = sql.text(
        "Cast transformation was passed a value of type class java.util.Date which is not supported by Connect's data API"
    )
    wrongs += [(f"{tag} = 'ARRAY'", lists), (f"{tag} = 'OBJECT'", maps), (f"{tag} IN ('DATE', 'TIMESTAMP')", date)]
    return sql.case(results, sql.NULL), sql.case(wrongs, sql.NULL)
