"""What is wrong with a config, in Kafka Connect's words (facts §7.4)."""

from collections.abc import Mapping, Sequence

import pytest

from workers.connectors.configdef import (
    REQUIRED,
    ConfigDef,
    ConfigValue,
    Invalid,
    Key,
    Type,
    as_text,
    in_message,
    parse_value,
)
from workers.connectors.validators import at_least, non_empty, non_empty_without_control_characters, one_of

DEF = ConfigDef(
    (
        Key("topic", Type.STRING),
        Key("name", Type.STRING, default="n", validator=non_empty_without_control_characters),
        Key("tasks.max", Type.INT, default=1, validator=at_least(1)),
        Key("plain", Type.INT, default=0),
        Key("big", Type.LONG, default=0, validator=at_least(0)),
        Key("errors.tolerance", Type.STRING, default="none", validator=one_of("none", "all")),
        Key("errors.log.enable", Type.BOOLEAN, default=False),
        Key("items", Type.LIST, default=()),
        Key("text", Type.STRING, default=None, validator=non_empty),
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
        "text": None,
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
        (Type.LIST, " a , b,,c, ", ["a", "b", "", "c", ""]),
        (Type.SHORT, "-32768", -32768),
        (Type.INT, "+4", 4),
        (Type.INT, "03", 3),
        (Type.INT, "\u0663", 3),
        (Type.DOUBLE, " 1e3 ", 1000.0),
        (Type.DOUBLE, "-.5", -0.5),
        (Type.PASSWORD, " p ", "p"),
        # What Java takes for blank, and what only Python does.
        (Type.STRING, "\x00\n a \x1f", "a"),
        (Type.STRING, "\xa0a\x85", "\xa0a\x85"),
        (Type.CLASS, " org.x.Y ", "org.x.Y"),
    ],
)
def test_parse_value(kind: Type, raw: str, value: object) -> None:
    assert parse_value(kind, raw) == value


@pytest.mark.parametrize(
    ("kind", "raw", "reason"),
    [
        (Type.SHORT, "32768", "Not a number of type SHORT"),
        (Type.INT, "1_000", "Not a number of type INT"),
        (Type.INT, "", "Not a number of type INT"),
        (Type.INT, "9" * 5000, "Not a number of type INT"),
        (Type.LONG, "1e3", "Not a number of type LONG"),
        (Type.DOUBLE, "1_0", "Not a number of type DOUBLE"),
        (Type.DOUBLE, "x", "Not a number of type DOUBLE"),
        (Type.BOOLEAN, "yes", "Expected value to be either true or false"),
    ],
)
def test_what_is_no_such_value(kind: Type, raw: str, reason: str) -> None:
    with pytest.raises(Invalid, match=reason):
        parse_value(kind, raw)


@pytest.mark.parametrize(
    ("kind", "value", "text", "printed"),
    [
        (Type.STRING, None, None, "null"),
        (Type.STRING, "", "", ""),
        (Type.BOOLEAN, True, "true", "true"),
        (Type.INT, 3, "3", "3"),
        (Type.LIST, ["a", "", "b"], "a,,b", "[a, , b]"),
        (Type.LIST, (), "", "[]"),
        (Type.PASSWORD, "p", "[hidden]", "p"),
        (None, "x", "x", "x"),
    ],
)
def test_a_value_as_text(kind: Type | None, value: object, text: str | None, printed: str) -> None:
    assert (as_text(kind, value), in_message(value)) == (text, printed)


# --- validation -------------------------------------------------------------------------------------------------------


def test_a_value_for_each_key_in_their_order() -> None:
    definition = ConfigDef((Key("b", Type.INT), Key("a", Type.LIST, default=("x",)), Key("c", Type.INT)))
    assert definition.validate({"b": " 3 ", "c": "x", "unknown": "?"}) == [
        ConfigValue("b", 3),
        ConfigValue("a", ("x",)),
        ConfigValue("c", None, errors=["Invalid value x for configuration c: Not a number of type INT"]),
    ]


@pytest.mark.parametrize(
    ("key", "config", "errors"),
    [
        # What is missing is validated as well, like what is null.
        (
            Key("k", Type.INT, REQUIRED, validator=at_least(1)),
            {},
            [
                'Missing required configuration "k" which has no default value.',
                "Invalid value null for configuration k: Value must be non-null",
            ],
        ),
        (Key("k", Type.STRING, validator=non_empty), {"k": None}, []),
        (
            Key("k", Type.STRING, "a", validator=one_of("a", "b")),
            {"k": None},
            ["Invalid value null for configuration k: String must be one of: a, b"],
        ),
        # The default is no exception.
        (Key("k", Type.INT, 0, validator=at_least(1)), {}, ["Invalid value 0 for configuration k: Value must be at least 1"]),
        (
            Key("k", Type.PASSWORD, validator=one_of("x")),
            {"k": "secret"},
            ["Invalid value [hidden] for configuration k: String must be one of: x"],
        ),
    ],
)
def test_what_a_validator_is_asked(key: Key, config: dict[str, str | None], errors: list[str]) -> None:
    assert ConfigDef((key,)).errors(config) == errors


def test_a_lookup_takes_the_place_of_the_type() -> None:
    def ship(name: str) -> object:
        if name != "Ark":
            raise Invalid(f"{name} sails no more.", whole=name == "Argo")
        return name.upper()

    definition = ConfigDef((Key("ship", Type.CLASS, lookup=ship),))
    assert definition.parse({"ship": "Ark"}) == {"ship": "ARK"}
    assert definition.errors({"ship": "Beagle"}) == ["Invalid value Beagle for configuration ship: Beagle sails no more."]
    assert definition.errors({"ship": "Argo"}) == ["Argo sails no more."]


class Ports:
    """Of the sea that the config names."""

    def valid_values(self, name: str, parsed: Mapping[str, object]) -> Sequence[object]:
        return [f"{name} of {parsed['sea']}"]

    def visible(self, name: str, parsed: Mapping[str, object]) -> bool:
        return parsed["sea"] is not None


def test_a_recommender_knows_all_values() -> None:
    definition = ConfigDef((Key("port", Type.STRING, default=None, recommender=Ports()), Key("sea", Type.STRING, default=None)))
    assert definition.validate({"sea": " north "})[0] == ConfigValue("port", None, ["port of north"])
    assert definition.validate({})[0] == ConfigValue("port", None, ["port of None"], visible=False)


def test_a_dependent_that_nobody_defined() -> None:
    definition = ConfigDef((Key("sea", Type.STRING, dependents=["port", "sea"]),))
    assert definition.validate({"sea": "x"})[1:] == [
        ConfigValue("port", errors=["port is referred in the dependents, but not defined."], visible=False)
    ]


def test_keys_come_behind_or_take_anothers_place() -> None:
    definition = ConfigDef((Key("a", Type.INT, 1, group="g"), Key("b", Type.INT, 2), Key("c", Type.INT, 3, group="h")))
    more = definition.with_keys(Key("d", Type.INT, 4, group="g"), Key("a", Type.STRING, "x", group="i"))
    assert more.parse({}) == {"a": "x", "b": 2, "c": 3, "d": 4}
    assert list(more.parse({})) == ["a", "b", "c", "d"]
    assert more.groups == ["i", "h", "g"]
    assert more["a"].type is Type.STRING
