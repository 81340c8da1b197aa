"""All transforms and predicates by their class names, and the chain of them that a connector's config asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from workers import VERSION
from workers.connectors.configdef import BLANKS, ConfigDef, Given, Invalid, Type, parse_value
from workers.data.chain import Link
from workers.data.records import Predicate, Transform
from workers.transforms.base import Part, PartTransform, RecordTransform, Settings, TransformConfigError
from workers.transforms.cast import Cast
from workers.transforms.extract_field import ExtractField
from workers.transforms.flatten import Flatten
from workers.transforms.headers import DropHeaders, HeaderFrom, InsertHeader
from workers.transforms.hoist_field import HoistField
from workers.transforms.insert_field import InsertField
from workers.transforms.mask_field import MaskField
from workers.transforms.predicates import PREDICATES as PREDICATE_CLASSES
from workers.transforms.replace_field import ReplaceField
from workers.transforms.routers import Filter, RegexRouter, TimestampRouter
from workers.transforms.set_schema_metadata import SetSchemaMetadata
from workers.transforms.sql_transform import SqlTransform, TypeOf, by_the_session
from workers.transforms.timestamp_converter import TimestampConverter
from workers.transforms.value_to_key import ValueToKey

_CLASSES: tuple[type[RecordTransform], ...] = (
    Cast,
    DropHeaders,
    ExtractField,
    Filter,
    Flatten,
    HeaderFrom,
    HoistField,
    InsertField,
    InsertHeader,
    MaskField,
    RegexRouter,
    ReplaceField,
    SetSchemaMetadata,
    SqlTransform,
    TimestampConverter,
    TimestampRouter,
    ValueToKey,
)

Made = TypeVar("Made", bound=Transform | Predicate)


@dataclass(frozen=True, slots=True)
class PluginClass(Generic[Made]):
    """`name` is Kafka Connect's."""

    name: str
    config_def: ConfigDef
    make: Callable[[Settings], Made]
    version: str = VERSION

    @property
    def aliases(self) -> set[str]:
        """The class name, and the simple one of a class that is not nested in another: `Filter`, but not `Cast$Value`."""
        return {self.name} if "$" in self.name else {self.name, self.name.rpartition(".")[2]}


def _transforms() -> list[PluginClass[Transform]]:
    found: list[PluginClass[Transform]] = []
    for one in _CLASSES:
        if issubclass(one, PartTransform):
            found += [PluginClass(f"{one.class_name}${part}", one.config_def, partial(one, part)) for part in Part]
        else:
            found.append(PluginClass(one.class_name, one.config_def, one))
    return sorted(found, key=lambda plugin: plugin.name)


TRANSFORMS = _transforms()
PREDICATES: list[PluginClass[Predicate]] = [PluginClass(one.class_name, one.config_def, one) for one in PREDICATE_CLASSES]

ALL: Sequence[PluginClass[Any]] = (*TRANSFORMS, *PREDICATES)


def find(name: str, among: Sequence[PluginClass[Made]]) -> PluginClass[Made] | None:
    return next((plugin for plugin in among if name in plugin.aliases), None)


def chain_of(config: Given, type_of: TypeOf = by_the_session) -> list[Link]:
    """The transforms of a connector's config, in their order; `type_of` tells the types of expressions when it is compiled.
    Raises TransformConfigError."""
    links: list[Link] = []
    for alias in _aliases(config, "transforms"):
        own = _below(config, f"transforms.{alias}.")
        transform = _made(alias, own, TRANSFORMS, "transforms")
        if isinstance(transform, SqlTransform):
            transform.ask(type_of)
        negate = own.get("negate") is not None and parse_value(Type.BOOLEAN, own["negate"]) is True
        links.append(Link(transform, _predicate(config, alias, own.get("predicate")), negate))
    return links


def _predicate(config: Given, transform: str, alias: str | None) -> Predicate | None:
    if not alias:
        return None
    if alias not in _aliases(config, "predicates"):
        raise TransformConfigError(f"Transform {transform} is to have the predicate {alias}, which predicates does not name")
    return _made(alias, _below(config, f"predicates.{alias}."), PREDICATES, "predicates")


def _made(alias: str, own: Mapping[str, str], among: Sequence[PluginClass[Made]], kind: str) -> Made:
    plugin = find(own.get("type", "").strip(BLANKS), among)
    if plugin is None:
        raise TransformConfigError(f"Class {own.get('type')} of {kind}.{alias} could not be found.")
    try:
        return plugin.make(plugin.config_def.parse(own))
    except Invalid as invalid:
        raise TransformConfigError(f"{kind}.{alias}: {invalid}") from invalid


def _aliases(config: Given, kind: str) -> list[str]:
    found = parse_value(Type.LIST, config.get(kind) or "")
    assert isinstance(found, list)
    return found


def _below(config: Given, prefix: str) -> dict[str, str]:
    return {key.removeprefix(prefix): value for key, value in config.items() if key.startswith(prefix) and value is not None}
