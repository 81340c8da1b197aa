"""What is wrong with a config, in Kafka Connect's words (facts §7.4)."""

import pytest

from workers.connectors import framework
from workers.connectors.configdef import (
    ConfigDef,
    Invalid,
    Key,
    Type,
    at_least,
    name_without_control_characters,
    not_empty,
    one_of,
    parse_value,
)

DEF = ConfigDef(
    (
        Key("topic", Type.STRING),
        Key("name", Type.STRING, default="n", validator=name_without_control_characters),
        Key("tasks.max", Type.INT, default=1, validator=at_least(1)),
        Key("plain", Type.INT, default=0),
        Key("big", Type.LONG, default=0, validator=at_least(0)),
        Key("errors.tolerance", Type.STRING, default="none", validator=one_of("none", "all")),
        Key("errors.log.enable", Type.BOOLEAN, default=False),
        Key("items", Type.LIST, default=()),
        Key("text", Type.STRING, default="", validator=not_empty),
    )
)
TOPIC = {"topic": "t"}


@pytest.mark.parametrize(
    ("config", "messages"),
    [
        (TOPIC, []),
        ({**TOPIC, "unknown": "x"}, []),
        ({}, ['Missing required configuration "topic" which has no default value.']),
        # Kafka Connect goes on to validate what it could not parse, and says so.
        (
            {**TOPIC, "tasks.max": "x"},
            [
                "Invalid value x for configuration tasks.max: Not a number of type INT",
                "Invalid value null for configuration tasks.max: Value must be non-null",
            ],
        ),
        ({**TOPIC, "plain": "x"}, ["Invalid value x for configuration plain: Not a number of type INT"]),
        ({**TOPIC, "plain": "1.5"}, ["Invalid value 1.5 for configuration plain: Not a number of type INT"]),
        ({**TOPIC, "plain": "2147483648"}, ["Invalid value 2147483648 for configuration plain: Not a number of type INT"]),
        ({**TOPIC, "tasks.max": "0"}, ["Invalid value 0 for configuration tasks.max: Value must be at least 1"]),
        (
            {**TOPIC, "big": "9223372036854775808"},
            [
                "Invalid value 9223372036854775808 for configuration big: Not a number of type LONG",
                "Invalid value null for configuration big: Value must be non-null",
            ],
        ),
        (
            {**TOPIC, "errors.tolerance": "some"},
            ["Invalid value some for configuration errors.tolerance: String must be one of: none, all"],
        ),
        (
            {**TOPIC, "errors.log.enable": "maybe"},
            ["Invalid value maybe for configuration errors.log.enable: Expected value to be either true or false"],
        ),
        ({**TOPIC, "name": ""}, ["Invalid value  for configuration name: String may not be empty"]),
        (
            {**TOPIC, "name": "a\nb\x7f"},
            [
                "Invalid value a\nb\x7f for configuration name: "
                "String may not contain control sequences but had the following ASCII chars: 10, 127"
            ],
        ),
        (
            {"tasks.max": "0", "errors.log.enable": "1"},
            [
                'Missing required configuration "topic" which has no default value.',
                "Invalid value 0 for configuration tasks.max: Value must be at least 1",
                "Invalid value 1 for configuration errors.log.enable: Expected value to be either true or false",
            ],
        ),
    ],
)
def test_errors(config: dict[str, str], messages: list[str]) -> None:
    assert DEF.errors(config) == messages


def test_parse_gives_typed_values_and_defaults() -> None:
    config = {"topic": " t ", "tasks.max": " 3 ", "errors.log.enable": "TRUE", "items": "a, b ,c", "unknown": "x"}
    assert DEF.parse(config) == {
        "topic": "t",
        "name": "n",
        "tasks.max": 3,
        "plain": 0,
        "big": 0,
        "errors.tolerance": "none",
        "errors.log.enable": True,
        "items": ["a", "b", "c"],
        "text": "",
    }


def test_parse_raises_the_first_error() -> None:
    with pytest.raises(Invalid, match=r"^Missing required configuration"):
        DEF.parse({"tasks.max": "x"})


@pytest.mark.parametrize(
    ("kind", "raw", "value"),
    [
        (Type.INT, "-2147483648", -(2**31)),
        (Type.LONG, "9223372036854775807", 2**63 - 1),
        (Type.BOOLEAN, " False ", False),
        (Type.LIST, "", []),
        (Type.LIST, "  ", []),
        (Type.LIST, "a", ["a"]),
        (Type.CLASS, " org.x.Y ", "org.x.Y"),
    ],
)
def test_parse_value(kind: Type, raw: str, value: object) -> None:
    assert parse_value(kind, raw) == value


# --- the framework's own keys -----------------------------------------------------------------------------------------

BASE = {"name": "a", "connector.class": "X"}


@pytest.mark.parametrize(
    ("more", "messages"),
    [
        ({}, []),
        ({"value.converter": framework.STRING_CONVERTER}, []),
        (
            {"key.converter": "Nope"},
            ["Invalid value Nope for configuration key.converter: Class Nope could not be found."],
        ),
        ({"tasks.max": "-1"}, ["Invalid value -1 for configuration tasks.max: Value must be at least 1"]),
    ],
)
def test_framework_keys(more: dict[str, str], messages: list[str]) -> None:
    assert framework.SOURCE.errors({**BASE, **more}) == messages


@pytest.mark.parametrize(
    ("config", "messages"),
    [
        ({"topics": "a"}, []),
        ({"topics.regex": "a.*"}, []),
        ({}, ["Must configure one of topics or topics.regex"] * 2),
        ({"topics": " ", "topics.regex": ""}, ["Must configure one of topics or topics.regex"] * 2),
        (
            {"topics": "a", "topics.regex": "b"},
            ["topics and topics.regex are mutually exclusive options, but both are set."] * 2,
        ),
    ],
)
def test_a_sink_needs_its_topics_in_exactly_one_way(config: dict[str, str], messages: list[str]) -> None:
    assert framework.sink_errors(config) == messages


def test_a_pattern_that_is_none() -> None:
    (message,) = framework.sink_errors({"topics.regex": "["})
    assert message.startswith("Invalid value [ for configuration topics.regex: Invalid regex: ")
