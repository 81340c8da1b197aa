"""The keys that every connector has, as they are for one config: with the worker's converters, and with the keys of the
transformations and predicates that it names."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from workers.connectors.configdef import ConfigDef, Given, Key
from workers.connectors.plugin_keys import Classes, Versions, alias_keys
from workers.converters import catalogue as converters
from workers.converters.catalogue import Role


def of_version(definition: ConfigDef, version: str) -> ConfigDef:
    """With that of the connector's class as the one to choose."""
    key = definition["connector.plugin.version"]
    return definition.with_keys(replace(key, default=version, recommender=Versions("connector.class", lambda _: version)))


def enriched(definition: ConfigDef, config: Given, worker: Given = converters.WORKER) -> ConfigDef:
    """For one config: the `worker`'s converters, and the keys of the transformations and predicates that it names."""
    keys = [key for role in converters.ROLES for key in _enriched_converter(definition, config, worker, role)]
    return with_aliases(definition.with_keys(*keys), config)


def with_aliases(definition: ConfigDef, config: Given) -> ConfigDef:
    """The transformations and predicates alone."""
    keys: list[Key] = []
    for kind, title in (("transforms", "Transformation"), ("predicates", "Predicate")):
        names = definition[kind].parse(config.get(kind) or "")
        assert isinstance(names, list)
        for name in dict.fromkeys(names):
            keys += alias_keys(kind, title, name, config)
    return definition.with_keys(*keys)


def _enriched_converter(definition: ConfigDef, config: Given, worker: Given, role: Role) -> Iterator[Key]:
    name = f"{role}.converter"
    own = converters.asked_for(role, worker)
    version = _converter_version(role, (config[name] or "") if name in config else own.name if own else "")
    yield replace(definition[name], default=own and own.name, recommender=Classes(converters.recommended(role)))
    versions = Versions(name, partial(_converter_version, role))
    yield replace(definition[f"{name}.plugin.version"], default=version, recommender=versions)


def _converter_version(role: Role, name: str) -> str | None:
    found = converters.named(role, name)
    return found.version if found is not None and found.listed else None
