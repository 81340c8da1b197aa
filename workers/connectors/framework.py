"""The keys that every connector has, whatever its kind."""

import re
from collections.abc import Mapping

from workers.connectors.configdef import (
    ConfigDef,
    Importance,
    Invalid,
    Key,
    Type,
    at_least,
    name_without_control_characters,
    one_of,
)

STRING_CONVERTER = "org.apache.kafka.connect.storage.StringConverter"
#: What a converter's class may be called here.
CONVERTERS = frozenset({STRING_CONVERTER})


def _known_converter(value: object) -> None:
    if value not in CONVERTERS:
        raise Invalid(f"Class {value} could not be found.")


COMMON = ConfigDef(
    (
        Key(
            "name",
            Type.STRING,
            importance=Importance.HIGH,
            validator=name_without_control_characters,
            documentation="Globally unique name to use for this connector.",
        ),
        Key(
            "connector.class",
            Type.STRING,
            importance=Importance.HIGH,
            documentation="Name or alias of the class for this connector: its Java class name, its Python class name, "
            "or a short form of either.",
        ),
        Key(
            "tasks.max",
            Type.INT,
            default=1,
            importance=Importance.HIGH,
            validator=at_least(1),
            documentation="Maximum number of tasks to use for this connector.",
        ),
        Key("tasks.max.enforce", Type.BOOLEAN, default=True, importance=Importance.LOW),
        Key("key.converter", Type.CLASS, default=None, importance=Importance.LOW, validator=_known_converter),
        Key("value.converter", Type.CLASS, default=None, importance=Importance.LOW, validator=_known_converter),
        Key("errors.tolerance", Type.STRING, default="none", validator=one_of("none", "all")),
    )
)

SOURCE = ConfigDef((*COMMON.keys,))

SINK = ConfigDef(
    (
        *COMMON.keys,
        Key("topics", Type.LIST, default="", importance=Importance.HIGH, documentation="List of topics to consume."),
        Key("topics.regex", Type.STRING, default="", importance=Importance.HIGH),
    )
)


def sink_errors(config: Mapping[str, str]) -> list[str]:
    """Topics are given by list or by pattern, and the pattern can be understood."""
    topics, regex = config.get("topics", "").strip(), config.get("topics.regex", "").strip()
    if topics and regex:
        return ["topics and topics.regex are mutually exclusive options, but both are set."] * 2
    if not topics and not regex:
        return ["Must configure one of topics or topics.regex"] * 2
    if regex:
        try:
            re.compile(regex)
        except re.error as error:
            return [f"Invalid value {regex} for configuration topics.regex: Invalid regex: {error}"]
    return []
