"""DropHeaders, HeaderFrom and InsertHeader. A header holds the bytes that Kafka has, as SimpleHeaderConverter writes them."""

from __future__ import annotations

from workers.connectors.configdef import ConfigDef, Importance, Key, Type
from workers.connectors.validators import no_duplicates, non_null, one_of
from workers.data import sql
from workers.data.header_text import header_text
from workers.data.records import Data, Effect, Failure, Record
from workers.data.schema import Schema, SchemaType
from workers.transforms import structs, variants
from workers.transforms.base import (
    NULL_POINTER,
    PACKAGE,
    REPLACE_NULL,
    PartTransform,
    RecordTransform,
    Settings,
    TransformConfigError,
    texts,
)
from workers.transforms.java_values import as_header
from workers.transforms.validators import non_empty_list

#: Java's own words: Kafka Connect does not look.
_NO_FIELD = (
    'Cannot invoke "org.apache.kafka.connect.data.Field.schema()" because the return value of '
    '"org.apache.kafka.connect.data.Schema.field(String)" is null'
)
_HEADERS = "array<struct<key: string, value: binary>>"


def _with_headers(headers: str, added: list[tuple[str, str]]) -> str:
    """`added` are names, and SQL of texts."""
    new = ", ".join(f"named_struct('key', {sql.text(name)}, 'value', CAST({value} AS BINARY))" for name, value in added)
    return f"concat(coalesce({headers}, CAST(array() AS {_HEADERS})), array({new}))"


class DropHeaders(RecordTransform):
    class_name = f"{PACKAGE}.DropHeaders"
    config_def = ConfigDef(
        (
            Key(
                "headers",
                Type.LIST,
                importance=Importance.HIGH,
                documentation="Names of the headers to take away.",
                validator=no_duplicates("headers", may_be_empty=False),
            ),
        )
    )

    def configure(self, settings: Settings) -> None:
        self._names = ", ".join(map(sql.text, texts(settings["headers"])))

    def apply(self, record: Record) -> Effect:
        return Effect(headers=f"filter({record.headers}, h -> h.key NOT IN ({self._names}))")


class InsertHeader(RecordTransform):
    class_name = f"{PACKAGE}.InsertHeader"
    config_def = ConfigDef(
        (
            Key(
                "header",
                Type.STRING,
                importance=Importance.HIGH,
                documentation="The header's name.",
                validator=non_null,
            ),
            Key(
                "value.literal",
                Type.STRING,
                importance=Importance.HIGH,
                documentation="What it holds: a text, a number, a truth, a list, …",
                validator=non_null,
            ),
        )
    )

    def configure(self, settings: Settings) -> None:
        self._header = str(settings["header"])
        text = as_header(str(settings["value.literal"]))
        self._value = sql.NULL if text is None else sql.text(text)

    def apply(self, record: Record) -> Effect:
        return Effect(headers=_with_headers(record.headers, [(self._header, self._value)]))


class HeaderFrom(PartTransform):
    class_name = f"{PACKAGE}.HeaderFrom"
    config_def = ConfigDef(
        (
            Key(
                "fields",
                Type.LIST,
                importance=Importance.HIGH,
                documentation="Names of the fields that go into headers.",
                validator=non_empty_list,
            ),
            Key(
                "headers",
                Type.LIST,
                importance=Importance.HIGH,
                documentation="Names of the headers, in the order of the fields.",
                validator=non_empty_list,
            ),
            Key(
                "operation",
                Type.STRING,
                importance=Importance.HIGH,
                documentation="Whether the fields are taken away (move) or stay (copy).",
                validator=one_of("move", "copy"),
            ),
            REPLACE_NULL,
        )
    )

    def configure(self, settings: Settings) -> None:
        self._fields, self._headers = texts(settings["fields"]), texts(settings["headers"])
        self._operation = str(settings["operation"])
        self._replace_null = bool(settings["replace.null.with.default"])
        if len(self._fields) != len(self._headers):
            raise TransformConfigError("'fields' config must have the same number of elements as 'headers' config.")

    def of_map(self, value: str, record: Record) -> Effect:
        mapped = variants.as_map(value)
        added = [
            (header, header_text(Data(variants.or_null(variants.at(mapped, field)), None)))
            for field, header in zip(self._fields, self._headers, strict=True)
        ]
        new = None
        if self._operation == "move":
            names = ", ".join(map(sql.text, self._fields))
            new = Data(variants.to_variant(f"map_filter({mapped}, (name, value) -> name NOT IN ({names}))"), None)
        required = variants.require_map(value, f"header {self._operation}")
        return self.part.effect(new, required, headers=_with_headers(record.headers, added))

    def of_struct(self, data: Data, schema: Schema, record: Record) -> Effect:
        required = structs.require_struct(data, f"header {self._operation}")
        if schema.type is not SchemaType.STRUCT:
            return self.part.effect(None, required)
        added: list[tuple[str, str]] = []
        for name, header in zip(self._fields, self._headers, strict=True):
            field = schema.field(name)
            if field is None:
                return self.part.effect(None, required, Failure(sql.text(_NO_FIELD), NULL_POINTER))
            added.append((header, header_text(Data(structs.read(data.sql, field, self._replace_null), field.schema))))
        new = None
        if self._operation == "move":
            kept = [field for field in schema.fields if field.name not in self._fields]
            new = structs.made(
                data.sql, [(field, structs.read(data.sql, field, self._replace_null)) for field in kept], like=schema
            )
        return self.part.effect(new, required, headers=_with_headers(record.headers, added))
