"""What keys that name a plug-in, or its version, have in common; and the keys of a config's transforms and predicates."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from workers.connectors.configdef import REQUIRED, ConfigDef, Given, Importance, Invalid, Key, Type, Validator, Width, in_message
from workers.connectors.versions import InvalidVersionSpec, required_version, version_mismatch
from workers.converters import catalogue as converters
from workers.transforms.base import PACKAGE
from workers.transforms.plugins import PREDICATES, TRANSFORMS, PluginClass, find


def version_spec(value: object) -> None:
    try:
        required_version(None if value is None else str(value))
    except InvalidVersionSpec as error:
        raise Invalid(str(error), whole=True) from error


class Versions:
    """Recommends the version of the plug-in that the key `plugin` names: what `version_of` says of its full name, if anything.
    Shown where one is named, or `always`."""

    def __init__(self, plugin: str, version_of: Callable[[str], str | None], *, always: bool = False) -> None:
        self._plugin = plugin
        self._version_of = version_of
        self._always = always

    def valid_values(self, name: str, parsed: Mapping[str, object]) -> Sequence[object]:
        named = parsed.get(self._plugin)
        version = None if named is None else self._version_of(str(named))
        return [] if version is None else [version]

    def visible(self, name: str, parsed: Mapping[str, object]) -> bool:
        return self._always or parsed.get(self._plugin) is not None


class Classes:
    """Recommends classes by their names."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names

    def valid_values(self, name: str, parsed: Mapping[str, object]) -> Sequence[object]:
        return self._names

    def visible(self, name: str, parsed: Mapping[str, object]) -> bool:
        return True


# --- transforms and predicates ----------------------------------------------------------------------------------------

_AMONG: Mapping[str, Sequence[PluginClass[Any]]] = {"transforms": TRANSFORMS, "predicates": PREDICATES}
#: What every transform has besides its own.
_OF_TRANSFORMS = ConfigDef(
    (
        Key("predicate", Type.STRING, None, documentation="The predicate that says of which records the transformation is."),
        Key("negate", Type.BOOLEAN, False, documentation="Whether it is of those of which the predicate is not."),
    )
)


def alias_keys(kind: str, title: str, alias: str, config: Given) -> Iterator[Key]:
    """The keys of the transform or predicate that a config calls `alias`: of its class, if that is known, too."""
    prefix, group = f"{kind}.{alias}.", f"{kind.capitalize()}: {alias}"
    plugin = find(config.get(f"{prefix}type") or "", _AMONG[kind])
    problem = None if plugin is None else _version_problem(plugin.name, plugin.version, config.get(f"{prefix}plugin.version"))
    wrong = problem or _negates_nothing(prefix, config)
    yield Key(
        f"{prefix}type",
        Type.CLASS,
        importance=Importance.HIGH,
        documentation=f"The class of the {title.lower()} '{alias}'.",
        validator=_type_validator(kind, title, wrong),
        group=group,
        order_in_group=0,
        width=Width.LONG,
        display_name=f"{title} type for {alias}",
        recommender=Classes([one.name for one in _AMONG[kind]]),
        lookup=partial(_class_name, kind),
    )
    yield Key(
        f"{prefix}plugin.version",
        Type.STRING,
        None if plugin is None else plugin.version,
        Importance.HIGH,
        f"Which version of the class of the {title.lower()} '{alias}'.",
        _refusing(problem) if problem else version_spec,
        group,
        1,
        Width.LONG,
        f"{title} version for {alias}",
        recommender=Versions(f"{prefix}type", partial(_version, kind), always=True),
    )
    if plugin is not None and problem is None:
        own = plugin.config_def.with_keys(*(_OF_TRANSFORMS.keys if kind == "transforms" else ()))
        for order, key in enumerate(sorted(own.keys, key=_rank), start=2):
            yield _embedded(key, prefix, group, order)


def _version(kind: str, name: str) -> str | None:
    plugin = find(name, _AMONG[kind])
    return None if plugin is None else plugin.version


def _version_problem(name: str, version: str, spec: str | None) -> str | None:
    try:
        return version_mismatch(name, version, spec)
    except InvalidVersionSpec as error:
        return str(error)


def _negates_nothing(prefix: str, config: Given) -> str | None:
    if f"{prefix}negate" in config and f"{prefix}predicate" not in config:
        return (
            f"Config '{prefix}negate' was provided but there is no config '{prefix}predicate' defining a predicate to be negated."
        )
    return None


def _rank(key: Key) -> tuple[bool, int, str]:
    """Kafka Connect lists them so: what is required, then what is important."""
    return key.default is not REQUIRED, list(Importance).index(key.importance), key.name


def _embedded(key: Key, prefix: str, group: str, order: int) -> Key:
    """As one of the connector's keys. What is wrong with its value is said of the name that it has without the prefix."""
    validator = None if key.validator is None else unprefixed(key.name, key.validator)
    display = key.display_name or key.name
    return replace(key, name=f"{prefix}{key.name}", validator=validator, group=group, order_in_group=order, display_name=display)


def unprefixed(name: str, validator: Validator) -> Validator:
    """Says what is wrong of `name`, whatever the key is called that it checks."""

    def check(value: object) -> None:
        try:
            validator(value)
        except Invalid as invalid:
            if invalid.whole:
                raise
            raise Invalid(f"Invalid value {in_message(value)} for configuration {name}: {invalid}", whole=True) from invalid

    return check


def _refusing(problem: str) -> Validator:
    def check(value: object) -> None:
        raise Invalid(problem, whole=True)

    return check


def _others(kind: str) -> dict[str, str]:
    """Classes that there are, and that are something else, by their names and aliases."""
    other = _AMONG["predicates" if kind == "transforms" else "transforms"]
    found = {alias: one.name for one in other for alias in one.aliases}
    return found | {alias: one.name for one in converters.CONVERTERS for alias in one.aliases}


def _nested() -> dict[str, list[str]]:
    """Abstract classes, and the ones in them."""
    found: dict[str, list[str]] = {f"{PACKAGE}.Transformation": []}
    for one in TRANSFORMS:
        if "$" in one.name:
            found.setdefault(one.name.partition("$")[0], []).append(one.name)
    return found


def _class_name(kind: str, text: str) -> str:
    name = text.strip()
    plugin = find(name, _AMONG[kind])
    if plugin is not None:
        return plugin.name
    if name in _nested():
        return name
    other = _others(kind).get(name)
    if other is None:
        raise Invalid(f"Class {text} could not be found.")
    return other


def _type_validator(kind: str, title: str, wrong: str | None) -> Callable[[object], None]:
    def check(value: object) -> None:
        if value is None:
            return
        if value in _nested():
            meant = ", ".join(_nested()[str(value)])
            raise Invalid(
                f"This class is abstract and cannot be created.{f' Did you mean {meant}?' if meant else ''}", whole=True
            )
        if find(str(value), _AMONG[kind]) is None:
            raise Invalid(f"Class class {value} does not implement the {title} interface", whole=True)
        if wrong is not None:
            raise Invalid(wrong, whole=True)

    return check
