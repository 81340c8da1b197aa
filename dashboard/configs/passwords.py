"""Which keys of a config its plug-ins define as passwords."""

from collections.abc import Iterator, Mapping, Set

#: Plug-in classes, as a config may name them, with their own keys of type PASSWORD.
Passwords = Mapping[str, Set[str]]
_ALIASED = ("transforms", "predicates")
_CONVERTERS = ("key.converter", "value.converter", "header.converter")


def password_keys(config: Mapping[str, str | None], known: Passwords) -> frozenset[str]:
    return frozenset(prefix + key for prefix, plugin in plugins(config) for key in known.get(plugin, ()))


def plugins(config: Mapping[str, str | None]) -> Iterator[tuple[str, str]]:
    """Every plug-in that a config names, with what its keys begin with there: `("transforms.mask.", "…MaskField$Value")`."""
    yield "", _value(config, "connector.class")
    for key in _CONVERTERS:
        yield f"{key}.", _value(config, key)
    for kind in _ALIASED:
        for alias in aliases(config, kind):
            yield f"{kind}.{alias}.", _value(config, f"{kind}.{alias}.type")


def aliases(config: Mapping[str, str | None], kind: str) -> list[str]:
    """`kind`: `transforms` or `predicates`."""
    return [alias.strip() for alias in (config.get(kind) or "").split(",") if alias.strip()]


def names(class_name: str) -> set[str]:
    """All that Kafka Connect takes for a class: in full, its simple name, and that without its kind (PluginUtils)."""
    simple = class_name.rpartition(".")[2]
    short = {simple.removesuffix(kind) for kind in ("Connector", "Converter", "Transformation", "Predicate")}
    return {class_name, simple, *short} - {""}


def _value(config: Mapping[str, str | None], key: str) -> str:
    return (config.get(key) or "").strip()
