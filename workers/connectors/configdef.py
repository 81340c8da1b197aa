"""Definitions of configuration keys, with Kafka Connect's types and its words for what is wrong."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class Type(StrEnum):
    STRING = "STRING"
    INT = "INT"
    LONG = "LONG"
    BOOLEAN = "BOOLEAN"
    LIST = "LIST"
    CLASS = "CLASS"


class Importance(StrEnum):
    HIGH = "HIGH"
    MEDIUM = "MEDIUM"
    LOW = "LOW"


class Invalid(ValueError):
    """A value that its key cannot have. The text is the reason alone."""


class _Required:
    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED = _Required()

#: Raises Invalid, or returns.
Validator = Callable[[object], None]


@dataclass(frozen=True, slots=True)
class Key:
    name: str
    type: Type
    default: object = REQUIRED
    importance: Importance = Importance.MEDIUM
    documentation: str = ""
    validator: Validator | None = None
    group: str | None = None
    display_name: str | None = None


@dataclass(frozen=True, slots=True)
class ConfigDef:
    """An ordered set of keys."""

    keys: Sequence[Key] = field(default_factory=tuple)

    def errors(self, config: Mapping[str, str]) -> list[str]:
        """What is wrong with the values of these keys, one message each; unknown keys are nobody's business here."""
        messages: list[str] = []
        for key in self.keys:
            messages += key_errors(key, config)
        return messages

    def parse(self, config: Mapping[str, str]) -> dict[str, object]:
        """The typed values. Raises Invalid with the first error."""
        if errors := self.errors(config):
            raise Invalid(errors[0])
        return {key.name: _value(key, config) for key in self.keys}


def _value(key: Key, config: Mapping[str, str]) -> object:
    return parse_value(key.type, config[key.name]) if key.name in config else key.default


def key_errors(key: Key, config: Mapping[str, str]) -> list[str]:
    if key.name not in config:
        missing = f'Missing required configuration "{key.name}" which has no default value.'
        return [missing] if key.default is REQUIRED else []
    raw = config[key.name]
    try:
        value = parse_value(key.type, raw)
    except Invalid as reason:
        messages = [f"Invalid value {raw} for configuration {key.name}: {reason}"]
        # Kafka Connect goes on to validate the value it could not parse, and says so.
        if key.validator is not None and key.type in (Type.INT, Type.LONG):
            messages.append(f"Invalid value null for configuration {key.name}: Value must be non-null")
        return messages
    if key.validator is None:
        return []
    try:
        key.validator(value)
    except Invalid as reason:
        return [f"Invalid value {raw} for configuration {key.name}: {reason}"]
    return []


def parse_value(kind: Type, raw: str) -> object:
    """Raises Invalid."""
    match kind:
        case Type.INT | Type.LONG:
            return _integer(kind, raw)
        case Type.BOOLEAN:
            return _boolean(raw)
        case Type.LIST:
            return [item.strip() for item in raw.split(",")] if raw.strip() else []
        case _:
            return raw.strip()


def _integer(kind: Type, raw: str) -> int:
    bits = 31 if kind is Type.INT else 63
    try:
        value = int(raw.strip())
    except ValueError:
        raise Invalid(f"Not a number of type {kind}") from None
    if not -(2**bits) <= value < 2**bits:
        raise Invalid(f"Not a number of type {kind}")
    return value


def _boolean(raw: str) -> bool:
    lowered = raw.strip().lower()
    if lowered not in ("true", "false"):
        raise Invalid("Expected value to be either true or false")
    return lowered == "true"


# --- validators -------------------------------------------------------------------------------------------------------


def at_least(minimum: int) -> Validator:
    def check(value: object) -> None:
        if not isinstance(value, int) or value < minimum:
            raise Invalid(f"Value must be at least {minimum}")

    return check


def one_of(*choices: str) -> Validator:
    def check(value: object) -> None:
        if value not in choices:
            raise Invalid(f"String must be one of: {', '.join(choices)}")

    return check


def not_empty(value: object) -> None:
    if not str(value):
        raise Invalid("String may not be empty")


def name_without_control_characters(value: object) -> None:
    not_empty(value)
    bad = [str(ord(char)) for char in str(value) if ord(char) < 32 or 127 <= ord(char) < 160]
    if bad:
        raise Invalid(f"String may not contain control sequences but had the following ASCII chars: {', '.join(bad)}")
