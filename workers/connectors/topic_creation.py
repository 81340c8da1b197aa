"""`topic.creation.*` of source connectors (KIP-158): how a topic is made that a connector is the first to write to. Pure."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from workers.connectors.base import ConnectError
from workers.connectors.configdef import (
    REQUIRED,
    ConfigDef,
    ConfigValue,
    Given,
    Importance,
    Invalid,
    Key,
    Type,
    Width,
    parse_value,
)
from workers.connectors.plugin_keys import unprefixed
from workers.herder.values import Config
from workers.transforms.validators import java_regex

PREFIX = "topic.creation."
#: The group of all topics that are in no other one.
DEFAULT = "default"
_GROUP = "Topic Creation"
_INCLUDE, _EXCLUDE, _REPLICATION, _PARTITIONS = "include", "exclude", "replication.factor", "partitions"
#: The broker's default.
_BROKERS = -1

#: Whether a pattern is found to be all of a topic's name, as Java reads it.
Matches = Callable[[str, str], bool]


@dataclass(frozen=True, slots=True)
class NewTopic:
    """-1 stands for the broker's default."""

    name: str
    partitions: int
    replication_factor: int
    settings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class TopicGroup:
    """`include` and `exclude` are patterns of Java's."""

    include: str
    exclude: str
    partitions: int
    replication_factor: int
    settings: frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class TopicCreation:
    """What one connector's config says. Two that are equal say the same."""

    groups: tuple[TopicGroup, ...]
    default: TopicGroup

    def new_topic(self, name: str, matches: Matches) -> NewTopic:
        """By the first group that it belongs to."""
        found = (group for group in self.groups if not matches(group.exclude, name) and matches(group.include, name))
        group = next(found, self.default)
        return NewTopic(name, group.partitions, group.replication_factor, dict(group.settings))


def is_asked_for(config: Given) -> bool:
    return any(key.startswith(PREFIX) for key in config)


def wrong(config: Given) -> list[ConfigValue]:
    """Those of the keys of the groups that are missing or wrong: with them a connector cannot start."""
    return [value for value in _definition(config).validate(config) if value.errors]


def of(config: Config) -> TopicCreation:
    """Raises ConnectError."""
    try:
        values = _definition(config).parse(config)
    except Invalid as invalid:
        raise ConnectError(str(invalid)) from invalid
    groups = [_group(config, values, name) for name in _names(config)]
    return TopicCreation(tuple(groups), _group(config, values, DEFAULT))


def _group(config: Config, values: Mapping[str, object], name: str) -> TopicGroup:
    prefix = f"{PREFIX}{name}."
    own = {f"{prefix}{key}" for key in (_INCLUDE, _EXCLUDE, _REPLICATION, _PARTITIONS)}
    settings = {key.removeprefix(prefix): value for key, value in config.items() if key.startswith(prefix) and key not in own}
    return TopicGroup(
        _joined(values.get(f"{prefix}{_INCLUDE}", ())),
        _joined(values.get(f"{prefix}{_EXCLUDE}", ())),
        int(str(values[f"{prefix}{_PARTITIONS}"])),
        int(str(values[f"{prefix}{_REPLICATION}"])),
        frozenset(settings.items()),
    )


def _joined(patterns: object) -> str:
    assert isinstance(patterns, list | tuple)
    return "|".join(map(str, patterns))


def _names(config: Given) -> list[str]:
    """Of the groups beside the default one, in their order."""
    names = parse_value(Type.LIST, config.get(f"{PREFIX}groups") or "")
    assert isinstance(names, list)
    return [name for name in dict.fromkeys(names) if name != DEFAULT]


# --- the keys ---------------------------------------------------------------------------------------------------------


def _definition(config: Given) -> ConfigDef:
    if not is_asked_for(config):
        return ConfigDef()
    defaults = ConfigDef((_replication(DEFAULT, REQUIRED), _partitions(DEFAULT, REQUIRED)))
    replication, partitions = (_BROKERS if value.errors else value.value for value in defaults.validate(config))
    keys: list[Key] = []
    for name in _names(config):
        keys += [
            _patterns(name, _INCLUDE, "The topics that are made so"),
            _patterns(name, _EXCLUDE, "Those that are not, whatever include says"),
            _replication(name, replication),
            _partitions(name, partitions),
        ]
    return defaults.with_keys(*keys)


def _key(group: str, name: str, kind: Type, default: object, text: str, check: Callable[[object], None]) -> Key:
    validator = unprefixed(name, check)
    return Key(f"{PREFIX}{group}.{name}", kind, default, Importance.LOW, text, validator, f"{_GROUP}: {group}", width=Width.LONG)


def _patterns(group: str, name: str, text: str) -> Key:
    return _key(group, name, Type.LIST, (), f"{text}: regular expressions.", _are_patterns)


def _replication(group: str, default: object) -> Key:
    return _key(group, _REPLICATION, Type.SHORT, default, "How many replicas a topic gets; -1: the broker's default.", _replicas)


def _partitions(group: str, default: object) -> Key:
    return _key(group, _PARTITIONS, Type.INT, default, "How many partitions a topic gets; -1: the broker's default.", _count)


def _are_patterns(value: object) -> None:
    try:
        for pattern in value if isinstance(value, Iterable) else ():
            java_regex(pattern)
    except Invalid as invalid:
        raise Invalid(f"Syntax error in regular expression: {str(invalid).removeprefix('Invalid regex: ')}") from invalid


def _replicas(value: object) -> None:
    if isinstance(value, int) and value != _BROKERS and value < 1:
        raise Invalid(
            "Replication factor must be positive and not larger than the number of brokers in the Kafka cluster, "
            "or -1 to use the broker's default"
        )


def _count(value: object) -> None:
    if isinstance(value, int) and value != _BROKERS and value < 1:
        raise Invalid("Number of partitions must be positive, or -1 to use the broker's default")
