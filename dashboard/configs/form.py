"""The form of a config: what its plug-ins define, in sections, and what nobody defines, so that nothing is missing from it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from connect_client import Checked, ConfigKey, Validation
from connect_client.secrets import is_secret
from dashboard.configs.passwords import plugins

#: What everybody looks for first, and what stands together with it.
_FIRST = ("name", "connector.class", "tasks.max", "topics", "topics.regex")
_CONVERTERS = ("key.converter", "value.converter", "header.converter")
#: The groups of Kafka Connect's own keys; each transform and predicate has one, too. All others are the connector's.
_FRAMEWORK = ("Common", "Transforms", "Predicates", "Error Handling", "Topic Creation", "Exactly Once Support", "offsets.topic")
_TITLES = {"key.converter.": "Key converter", "value.converter.": "Value converter", "header.converter.": "Header converter"}
_IMPORTANCE = {"HIGH": 0, "MEDIUM": 1, "LOW": 2}
#: The kind of plug-in that a key names.
_KINDS = {"key.converter": "converter", "value.converter": "converter", "header.converter": "header_converter"}


@dataclass(frozen=True, slots=True)
class Field:
    """`folded`: it is shown only when asked for, as nothing says that anybody needs it. `known`: some plug-in defines it."""

    key: str
    label: str
    type: str = "STRING"
    documentation: str = ""
    importance: str = "MEDIUM"
    default: str | None = None
    required: bool = False
    choices: tuple[str, ...] = ()
    secret: bool = False
    known: bool = True
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    fields: tuple[Field, ...]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def sections(
    config: Mapping[str, str | None],
    validation: Validation,
    converters: Mapping[str, Sequence[ConfigKey]],
    classes: Mapping[str, Sequence[str]],
) -> tuple[Section, ...]:
    """`converters`: the keys of those that the config names, by class. `classes`: the plug-ins to choose from, by kind."""
    shown = [key for key in validation.keys if key.definition and (key.visible or key.name in config)]
    made = {key.name: _field(key, config, classes) for key in shown}
    own = [key for key in shown if not _framework(_group(key))]
    grouped: dict[str, list[Field]] = {"General": [made[key] for key in _FIRST if key in made]}
    for key in sorted((key for key in own if key.name not in _FIRST), key=_place):
        grouped.setdefault(_group(key) or _class(config), []).append(made[key.name])
    rest = [key for key in shown if key.name not in _FIRST and key not in own]
    grouped["Converters"] = [made[key.name] for key in rest if key.name.startswith(_CONVERTERS)]
    for prefix, plugin in plugins(config):
        if prefix in _TITLES and plugin in converters:
            title = f"{_TITLES[prefix]}: {plugin.rpartition('.')[2]}"
            grouped[title] = [_converters_field(prefix, key, config) for key in converters[plugin]]
    for key in rest:
        if not key.name.startswith(_CONVERTERS):
            grouped.setdefault(_group(key), []).append(made[key.name])
    defined = {field.key for fields in grouped.values() for field in fields}
    grouped["Other keys"] = [_unknown(key, value) for key, value in config.items() if key not in defined]
    return tuple(Section(title, tuple(_once(fields, defined))) for title, fields in grouped.items() if fields)


def password_keys(validation: Validation) -> frozenset[str]:
    return frozenset(key.name for key in validation.keys if key.definition and key.definition.type == "PASSWORD")


def _framework(group: str) -> bool:
    return group in _FRAMEWORK or group.startswith(("Transforms: ", "Predicates: "))


def _group(key: Checked) -> str:
    return (key.definition.group if key.definition else None) or ""


def _class(config: Mapping[str, str | None]) -> str:
    return (config.get("connector.class") or "Connector").rpartition(".")[2]


def _place(key: Checked) -> tuple[int, int]:
    definition = key.definition
    return (0, 0) if definition is None else (definition.order, _IMPORTANCE.get(definition.importance, 2))


def _field(key: Checked, config: Mapping[str, str | None], classes: Mapping[str, Sequence[str]]) -> Field:
    assert key.definition is not None
    field = _defined(key.name, key.definition, config)
    choices = key.recommended or classes.get(_kind(key.name)) or field.choices
    field = replace(field, choices=tuple(dict.fromkeys(choices)))
    return replace(field, folded=False) if key.errors else field


def _converters_field(prefix: str, key: ConfigKey, config: Mapping[str, str | None]) -> Field:
    return _defined(prefix + key.name, key, config)


def _defined(name: str, key: ConfigKey, config: Mapping[str, str | None]) -> Field:
    password = key.type == "PASSWORD"
    return Field(
        key=name,
        label=key.display_name if key.display_name != key.name else name,
        type=key.type,
        documentation=key.documentation,
        importance=key.importance,
        default=None if password else key.default,
        required=key.required,
        choices=("true", "false") if key.type == "BOOLEAN" else (),
        secret=password or _hidden(name, config),
        folded=key.importance == "LOW" and not key.required and name not in config and name not in _FIRST,
    )


def _unknown(key: str, value: str | None) -> Field:
    return Field(key, key, secret=bool(value) and is_secret(key, value or ""), known=False)


def _hidden(name: str, config: Mapping[str, str | None]) -> bool:
    value = config.get(name)
    return bool(value) and is_secret(name, value or "")


def _kind(key: str) -> str:
    if key.startswith("transforms.") and key.endswith(".type"):
        return "transformation"
    if key.startswith("predicates.") and key.endswith(".type"):
        return "predicate"
    return _KINDS.get(key, "")


def _once(fields: Iterable[Field], left: set[str]) -> Iterable[Field]:
    """A key that two plug-ins define is shown where it comes first."""
    for field in fields:
        if field.key in left:
            left.discard(field.key)
            yield field
        elif not field.known:
            yield field
