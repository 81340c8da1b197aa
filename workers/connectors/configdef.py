"""Definitions of configuration keys, with Kafka Connect's types and its words for what is wrong."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol


class Type(StrEnum):
    BOOLEAN = "BOOLEAN"
    STRING = "STRING"
    INT = "INT"
    SHORT = "SHORT"
    LONG = "LONG"
    DOUBLE = "DOUBLE"
    LIST = "LIST"
    CLASS = "CLASS"
    PASSWORD = "PASSWORD"


class Importance(StrEnum):
    HIGH = "HIGH"
    MEDIUM = "MEDIUM"
    LOW = "LOW"


class Width(StrEnum):
    """How much room a form should give the value."""

    NONE = "NONE"
    SHORT = "SHORT"
    MEDIUM = "MEDIUM"
    LONG = "LONG"


class Invalid(ValueError):
    """A value that its key cannot have. The text is the reason alone, unless it is the `whole` message."""

    def __init__(self, reason: str, *, whole: bool = False) -> None:
        super().__init__(reason)
        self.whole = whole


class _Required:
    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED = _Required()
#: Shown in place of a password.
HIDDEN = "[hidden]"

#: A config as it was given: null is refused in the end, but until then it may be there.
Given = Mapping[str, str | None]
#: Gets the typed value, None where there is none. Raises Invalid, or returns.
Validator = Callable[[object], None]


class Recommender(Protocol):
    """What a form should offer for a key, by the typed values of all keys."""

    def valid_values(self, name: str, parsed: Mapping[str, object]) -> Sequence[object]: ...

    def visible(self, name: str, parsed: Mapping[str, object]) -> bool: ...


@dataclass(frozen=True, slots=True)
class Key:
    """`group`, `order_in_group`, `width`, `display_name` and `dependents` (keys that depend on this one) are for forms. `lookup`
    makes the value of the text in place of the type; it raises Invalid."""

    name: str
    type: Type
    default: object = REQUIRED
    importance: Importance = Importance.MEDIUM
    documentation: str = ""
    validator: Validator | None = None
    group: str | None = None
    order_in_group: int = -1
    width: Width = Width.NONE
    display_name: str | None = None
    dependents: Sequence[str] = ()
    recommender: Recommender | None = None
    lookup: Callable[[str], object] | None = None

    def parse(self, raw: str) -> object:
        """Raises Invalid."""
        return parse_value(self.type, raw) if self.lookup is None else self.lookup(raw)


@dataclass(slots=True)
class ConfigValue:
    """What is to be said of one key's value; `value` is typed, None also where it could not be understood."""

    name: str
    value: object = None
    recommended_values: Sequence[object] = ()
    errors: list[str] = field(default_factory=list)
    visible: bool = True


@dataclass(frozen=True, slots=True)
class ConfigDef:
    """An ordered set of keys."""

    keys: Sequence[Key] = field(default_factory=tuple)

    def with_keys(self, *more: Key) -> "ConfigDef":
        """With these behind it; one of a name that is there already takes that one's place."""
        return ConfigDef(tuple(({key.name: key for key in self.keys} | {key.name: key for key in more}).values()))

    def __getitem__(self, name: str) -> Key:
        return next(key for key in self.keys if key.name == name)

    @property
    def groups(self) -> list[str]:
        return list(dict.fromkeys(key.group for key in self.keys if key.group is not None))

    def validate(self, config: Given) -> list[ConfigValue]:
        """One for each key, in their order; unknown keys are nobody's business here."""
        values = [_checked(key, config) for key in self.keys]
        parsed = {value.name: value.value for value in values}
        for key, value in zip(self.keys, values, strict=True):
            if key.recommender is not None:
                value.recommended_values = list(key.recommender.valid_values(key.name, parsed))
                value.visible = key.recommender.visible(key.name, parsed)
        return values + [_undefined(name) for name in self._undefined_dependents()]

    def _undefined_dependents(self) -> list[str]:
        referred = dict.fromkeys(name for key in self.keys for name in key.dependents)
        return [name for name in referred if all(key.name != name for key in self.keys)]

    def errors(self, config: Given) -> list[str]:
        """What is wrong with the values of these keys, one message each."""
        return [message for value in self.validate(config) for message in value.errors]

    def parse(self, config: Given) -> dict[str, object]:
        """The typed values. Raises Invalid with the first error."""
        values = self.validate(config)
        for value in values:
            if value.errors:
                raise Invalid(value.errors[0], whole=True)
        return {value.name: value.value for value in values}


def _undefined(name: str) -> ConfigValue:
    return ConfigValue(name, errors=[f"{name} is referred in the dependents, but not defined."], visible=False)


def _checked(key: Key, config: Given) -> ConfigValue:
    found = ConfigValue(key.name)
    if key.name in config:
        raw = config[key.name]
        try:
            found.value = None if raw is None else key.parse(raw)
        except Invalid as invalid:
            found.errors.append(_message(invalid, key.name, raw))
    elif key.default is REQUIRED:
        found.errors.append(f'Missing required configuration "{key.name}" which has no default value.')
    else:
        found.value = key.default
    if key.validator is not None:
        # Also of what is missing or could not be understood: Kafka Connect then has two messages.
        try:
            key.validator(found.value)
        except Invalid as invalid:
            shown = HIDDEN if key.type is Type.PASSWORD else in_message(found.value)
            found.errors.append(_message(invalid, key.name, shown))
    return found


def _message(invalid: Invalid, name: str, value: str | None) -> str:
    return str(invalid) if invalid.whole else f"Invalid value {in_message(value)} for configuration {name}: {invalid}"


def in_message(value: object) -> str:
    """A typed value as Java prints it."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(in_message, value))}]"
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    return str(value)


def as_text(kind: Type | None, value: object) -> str | None:
    """A typed value as it would stand in a config; passwords are hidden."""
    if value is None:
        return None
    if kind is Type.PASSWORD:
        return HIDDEN
    if kind is Type.LIST and isinstance(value, list | tuple):
        return ",".join(map(in_message, value))
    return in_message(value)


# --- types ------------------------------------------------------------------------------------------------------------

#: What Java takes away at both ends of a text; Python would take more, and less.
BLANKS = "".join(map(chr, range(33)))
_BITS = {Type.SHORT: 15, Type.INT: 31, Type.LONG: 63}
_NUMBER = re.compile(r"[+-]?\d+")
_DECIMAL = re.compile(r"[+-]?(NaN|Infinity|(\d+\.?\d*|\.\d+)(e[+-]?\d+)?)", re.IGNORECASE)
_COMMA = re.compile(r"\s*,\s*")


def parse_value(kind: Type, raw: str) -> object:
    """Raises Invalid."""
    text = raw.strip(BLANKS)
    match kind:
        case Type.SHORT | Type.INT | Type.LONG:
            return _integer(kind, text)
        case Type.DOUBLE:
            if not _DECIMAL.fullmatch(text):
                raise Invalid(f"Not a number of type {kind}")
            return float(text)
        case Type.BOOLEAN:
            if text.lower() not in ("true", "false"):
                raise Invalid("Expected value to be either true or false")
            return text.lower() == "true"
        case Type.LIST:
            return _COMMA.split(text) if text else []
        case _:
            return text


def _integer(kind: Type, text: str) -> int:
    bits = _BITS[kind]
    # Java takes digits of any script, and no underscores. Python would not even look at very many digits.
    value = int(text) if _NUMBER.fullmatch(text) and len(text) < 1000 else 2**bits
    if not -(2**bits) <= value < 2**bits:
        raise Invalid(f"Not a number of type {kind}")
    return value
