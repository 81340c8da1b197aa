"""The converters that there are, by Kafka Connect's class names, with their settings."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

from workers import VERSION
from workers.connectors.configdef import BLANKS, ConfigDef, Given, Importance, Invalid, Key, Type, Width
from workers.connectors.validators import one_of, one_of_any_case
from workers.converters.base import Converter
from workers.converters.byte_array import BYTE_ARRAY_CONVERTER, ByteArrayConverter
from workers.converters.headers import SIMPLE_HEADER_CONVERTER, SimpleHeaderConverter
from workers.converters.json import JSON_CONVERTER, JsonConverter
from workers.converters.primitives import BOOLEAN_CONVERTER, NUMBER_CONVERTERS, BooleanConverter, NumberConverter
from workers.converters.strings import STRING_CONVERTER, StringConverter, charset

Role = Literal["key", "value", "header"]
ROLES: tuple[Role, ...] = ("key", "value", "header")
#: The typed values of a converter's own keys.
Settings = Mapping[str, object]


def simple_names(full: str, *suffixes: str) -> set[str]:
    """What else a class may be called: its simple name, and that without what it is."""
    simple = full.rpartition(".")[2]
    return {simple, *(simple.removesuffix(suffix) for suffix in suffixes if simple != suffix)}


# --- settings -----------------------------------------------------------------------------------------------------------

_TYPE = Key(
    "converter.type",
    Type.STRING,
    importance=Importance.LOW,
    validator=one_of(*ROLES),
    documentation="What of a record is converted: its key, its value or its headers.",
)
_TYPE_ONLY = ConfigDef((_TYPE,))
_STRING = ConfigDef(
    (
        _TYPE,
        Key(
            "converter.encoding",
            Type.STRING,
            default="UTF-8",
            importance=Importance.HIGH,
            validator=charset,
            width=Width.MEDIUM,
            display_name="Encoding",
            documentation="How a text is encoded as bytes, by Java's name for it.",
        ),
    )
)


def _key(name: str, kind: Type, default: object, group: str, order: int, title: str, text: str) -> Key:
    importance = Importance.HIGH if group == "Schemas" else Importance.LOW
    return Key(name, kind, default, importance, text, group=group, order_in_group=order, width=Width.MEDIUM, display_name=title)


_FORMAT = _key(
    "decimal.format",
    Type.STRING,
    "BASE64",
    "Serialization",
    0,
    "Decimal Format",
    "How decimals are written: as numbers, or as the bytes of the unscaled value in Base64. Either is read.",
)
_JSON = ConfigDef(
    (
        _TYPE,
        _key(
            "schemas.enable",
            Type.BOOLEAN,
            True,
            "Schemas",
            0,
            "Enable Schemas",
            "Whether each record is an envelope of its schema and its payload, or the payload alone.",
        ),
        _key(
            "schemas.cache.size",
            Type.INT,
            1000,
            "Schemas",
            1,
            "Schema Cache Size",
            "Accepted, and of no effect: a batch is compiled for the schemas that it has.",
        ),
        _key(
            "schema.content",
            Type.STRING,
            None,
            "Schemas",
            2,
            "Schema Content",
            "One schema for all records that are read, which then are payloads alone (KIP-1054).",
        ),
        replace(_FORMAT, validator=one_of_any_case("NUMERIC", "BASE64")),
        _key(
            "replace.null.with.default",
            Type.BOOLEAN,
            True,
            "Serialization",
            1,
            "Replace null with default",
            "Whether a field's default stands in for a null.",
        ),
    )
)


def _json(settings: Settings) -> Converter:
    content = settings["schema.content"]
    return JsonConverter(
        schemas=settings["schemas.enable"] is True,
        schema_content=str(content) if content else None,
        numeric_decimals=str(settings["decimal.format"]).upper() == "NUMERIC",
        defaults=settings["replace.null.with.default"] is True,
    )


def _string(settings: Settings) -> Converter:
    return StringConverter(str(settings["converter.encoding"]))


# --- the converters -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ConverterPlugin:
    name: str
    make: Callable[[Settings], Converter]
    roles: frozenset[Role] = frozenset(ROLES)
    config_def: ConfigDef = field(default=_TYPE_ONLY)
    version: str = VERSION

    #: If not, it is found by its full name alone: as in Kafka Connect, whose classes of numbers are there, but no plug-ins.
    listed: bool = True

    @property
    def aliases(self) -> set[str]:
        return {self.name, *(simple_names(self.name, "Converter", "HeaderConverter") if self.listed else ())}


def _plain(name: str, make: Callable[[], Converter], *, listed: bool = True) -> ConverterPlugin:
    return ConverterPlugin(name, lambda _: make(), listed=listed)


CONVERTERS = (
    ConverterPlugin(STRING_CONVERTER, _string, config_def=_STRING),
    ConverterPlugin(JSON_CONVERTER, _json, config_def=_JSON),
    _plain(BYTE_ARRAY_CONVERTER, ByteArrayConverter),
    _plain(BOOLEAN_CONVERTER, BooleanConverter),
    *(_plain(name, partial(NumberConverter, name), listed=False) for name in NUMBER_CONVERTERS),
    ConverterPlugin(SIMPLE_HEADER_CONVERTER, lambda _: SimpleHeaderConverter(), frozenset({"header"}), ConfigDef()),
)
#: A worker that was told nothing.
WORKER: Given = {
    "key.converter": STRING_CONVERTER,
    "value.converter": STRING_CONVERTER,
    "header.converter": SIMPLE_HEADER_CONVERTER,
}


def converters(role: Role) -> list[str]:
    """Their class names."""
    return sorted(plugin.name for plugin in CONVERTERS if role in plugin.roles)


def recommended(role: Role) -> list[str]:
    return [name for name in converters(role) if (found := find(name)) is not None and found.listed]


def find(name: str, among: Iterable[ConverterPlugin] = CONVERTERS) -> ConverterPlugin | None:
    return next((plugin for plugin in among if name in plugin.aliases), None)


def named(role: Role, name: str) -> ConverterPlugin | None:
    return find(name, (plugin for plugin in CONVERTERS if role in plugin.roles))


def converter(role: Role, name: str) -> ConverterPlugin | None:
    """Whatever blanks the name stands between."""
    return named(role, name.strip(BLANKS))


# --- of a config --------------------------------------------------------------------------------------------------------


def asked_for(role: Role, config: Given) -> ConverterPlugin | None:
    """One that the connector itself asks for: the worker's default is not its to set up."""
    name = config.get(f"{role}.converter")
    return None if name is None else converter(role, name)


def config_of(role: Role, config: Given) -> dict[str, str | None]:
    """What a config says to its converter, and what that converts."""
    prefix = f"{role}.converter."
    own = {key.removeprefix(prefix): value for key, value in config.items() if key.startswith(prefix)}
    return {"converter.type": role, **own}


def create(role: Role, *configs: Given) -> Converter:
    """The converter of the first of these configs that names one, set up by that config alone: a connector's, what its class has
    in place of the worker's, the worker's. Raises Invalid, as for a class that is not here."""
    chosen = next((config for config in configs if config.get(f"{role}.converter")), WORKER)
    plugin = asked_for(role, chosen)
    if plugin is None:
        raise Invalid(f"Class {chosen[f'{role}.converter']} could not be found.")
    return plugin.make(plugin.config_def.parse(config_of(role, chosen)))
