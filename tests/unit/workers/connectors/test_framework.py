"""The keys that every connector has: the definition, key by key, and what several of them say together (facts §7.2, §7.4)."""

import pytest

from workers.connectors import checks, enriching, framework
from workers.connectors.configdef import REQUIRED, ConfigDef, ConfigValue, as_text

COMMON = """
name STRING required HIGH Common 1 MEDIUM Connector name
connector.class STRING required HIGH Common 2 LONG Connector class
connector.plugin.version STRING null MEDIUM Common 3 MEDIUM Connector version
tasks.max INT 1 HIGH Common 4 SHORT Tasks max
tasks.max.enforce BOOLEAN true LOW Common 5 SHORT Enforce tasks max
key.converter CLASS null LOW Common 6 SHORT Key converter class
key.converter.plugin.version STRING null LOW Common 7 SHORT Key converter version
value.converter CLASS null LOW Common 8 SHORT Value converter class
value.converter.plugin.version STRING null LOW Common 9 SHORT Value converter version
header.converter CLASS null LOW Common 10 SHORT Header converter class
header.converter.plugin.version STRING null LOW Common 11 SHORT Header converter version
transforms LIST '' LOW Transforms 12 LONG Transforms
predicates LIST '' LOW Predicates 13 LONG Predicates
config.action.reload STRING restart LOW Common 14 MEDIUM Reload Action
errors.retry.timeout LONG 0 MEDIUM Error Handling 1 MEDIUM Retry Timeout for Errors
errors.retry.delay.max.ms LONG 60000 MEDIUM Error Handling 2 MEDIUM Maximum Delay Between Retries for Errors
errors.tolerance STRING none MEDIUM Error Handling 3 SHORT Error Tolerance
errors.log.enable BOOLEAN false MEDIUM Error Handling 4 SHORT Log Errors
errors.log.include.messages BOOLEAN false MEDIUM Error Handling 5 SHORT Log Error Details
"""
SOURCE = """
topic.creation.groups LIST '' LOW Topic Creation 1 LONG Topic Creation Groups
exactly.once.support STRING requested MEDIUM Exactly Once Support 2 SHORT Exactly once support
transaction.boundary STRING poll MEDIUM Exactly Once Support 3 SHORT Transaction Boundary
transaction.boundary.interval.ms LONG null LOW Exactly Once Support 4 SHORT Transaction boundary interval
offsets.storage.topic STRING null LOW offsets.topic 1 LONG Offsets topic
"""
SINK = """
topics LIST '' HIGH Common 4 LONG Topics
topics.regex STRING '' HIGH Common 4 LONG Topics regex
errors.deadletterqueue.topic.name STRING '' MEDIUM Error Handling 6 MEDIUM Dead Letter Queue Topic Name
errors.deadletterqueue.topic.replication.factor SHORT 3 MEDIUM Error Handling 7 MEDIUM Dead Letter Queue Topic Replication Factor
errors.deadletterqueue.context.headers.enable BOOLEAN false MEDIUM Error Handling 8 MEDIUM Enable Error Context Headers
"""


def table(definition: ConfigDef) -> str:
    rows = []
    for key in definition.keys:
        default = "required" if key.default is REQUIRED else as_text(key.type, key.default)
        shown = "null" if default is None else default or "''"
        rows.append(
            f"{key.name} {key.type} {shown} {key.importance} {key.group} {key.order_in_group} {key.width} {key.display_name}\n"
        )
    return "\n" + "".join(rows)


@pytest.mark.parametrize(
    ("definition", "rows"),
    [(framework.COMMON, COMMON), (framework.SOURCE, COMMON + SOURCE[1:]), (framework.SINK, COMMON + SINK[1:])],
)
def test_the_definition(definition: ConfigDef, rows: str) -> None:
    assert table(definition) == rows
    assert all(key.documentation and not key.dependents for key in definition.keys)


def test_the_groups() -> None:
    common = ["Common", "Transforms", "Predicates", "Error Handling"]
    assert framework.SINK.groups == common
    assert framework.SOURCE.groups == [*common, "Topic Creation", "Exactly Once Support", "offsets.topic"]


BASE = {"name": "a", "connector.class": "X"}


@pytest.mark.parametrize("definition", [framework.SOURCE, framework.SINK])
def test_no_default_is_refused(definition: ConfigDef) -> None:
    assert definition.errors(BASE) == []
    defaults = {key.name: as_text(key.type, key.default) for key in definition.keys if key.default not in (REQUIRED, None)}
    assert definition.errors({**BASE, **defaults}) == []
    assert checks.unavailable({**BASE, **defaults}) == []


@pytest.mark.parametrize(
    ("more", "messages"),
    [
        ({"key.converter": "StringConverter", "header.converter": "Simple", "value.converter": " String "}, []),
        ({"key.converter": "Nope"}, ["Invalid value Nope for configuration key.converter: Class Nope could not be found."]),
        ({"key.converter": ""}, ["Invalid value  for configuration key.converter: Class  could not be found."]),
        (
            # Of headers alone.
            {"key.converter": "SimpleHeader"},
            ["Invalid value SimpleHeader for configuration key.converter: Class SimpleHeader could not be found."],
        ),
        ({"tasks.max": "-1"}, ["Invalid value -1 for configuration tasks.max: Value must be at least 1"]),
        ({"transforms": "a, a"}, ["Invalid value [a, a] for configuration transforms: Duplicate alias provided."]),
        (
            {"config.action.reload": "NONE"},
            ["Invalid value NONE for configuration config.action.reload: String must be one of: none, restart"],
        ),
        ({"connector.plugin.version": "["}, ["Unbounded range: ["]),
        ({"transaction.boundary.interval.ms": "0"}, []),
        (
            {"transaction.boundary.interval.ms": "-1"},
            ["Invalid value -1 for configuration transaction.boundary.interval.ms: Value must be at least 0"],
        ),
        ({"offsets.storage.topic": " "}, ["Invalid value  for configuration offsets.storage.topic: String must be non-empty"]),
        (
            {"errors.tolerance": "some"},
            ["Invalid value some for configuration errors.tolerance: String must be one of: none, all"],
        ),
    ],
)
def test_form(more: dict[str, str], messages: list[str]) -> None:
    assert framework.SOURCE.errors({**BASE, **more}) == messages


NEITHER = ["Must configure one of topics or topics.regex"]
BOTH = ["topics and topics.regex are mutually exclusive options, but both are set."]
DLQ = "errors.deadletterqueue.topic.name"


@pytest.mark.parametrize(
    ("config", "topics", "pattern"),
    [
        ({"topics": "a"}, [], []),
        ({"topics.regex": "a.*"}, [], []),
        ({}, NEITHER, NEITHER),
        ({"topics": " ", "topics.regex": ""}, NEITHER, NEITHER),
        ({"topics": "a", "topics.regex": "b"}, BOTH, BOTH),
        (
            {"topics": "a,b", DLQ: " b "},
            ["The DLQ topic 'b' may not be included in the list of topics ('topics=[a, b]') consumed by the connector"],
            [],
        ),
        (
            {"topics.regex": "t.*", DLQ: "t1"},
            [],
            ["The DLQ topic 't1' may not be matched by the regex for the topics ('topics.regex=t.*') consumed by the connector"],
        ),
        ({"topics.regex": "t.", DLQ: "t12"}, [], []),
        ({"topics": "a", DLQ: "b"}, [], []),
        ({"topics": "a,a"}, ["Configuration 'topics' values must not be duplicated."], []),
    ],
)
def test_a_sink_needs_its_topics_in_exactly_one_way(config: dict[str, str], topics: list[str], pattern: list[str]) -> None:
    values = {value.name: value for value in framework.SINK.validate({**BASE, **config})}
    checks.check_sink(config, values)
    assert (values["topics"].errors, values["topics.regex"].errors) == (topics, pattern)


def test_a_pattern_that_is_none_matches_no_topic() -> None:
    config = {**BASE, "topics.regex": "[", DLQ: "x"}
    values = {value.name: value for value in framework.SINK.validate(config)}
    checks.check_sink(config, values)
    (message,) = values["topics.regex"].errors
    assert message.startswith("Invalid value [ for configuration topics.regex: Invalid regex: ")


def by_name(values: list[ConfigValue]) -> dict[str, ConfigValue]:
    return {value.name: value for value in values}


STRING = "org.apache.kafka.connect.storage.StringConverter"
SIMPLE = "org.apache.kafka.connect.storage.SimpleHeaderConverter"


def test_a_config_shows_the_workers_converters_and_what_else_there_is() -> None:
    found = by_name(enriching.enriched(framework.SOURCE, BASE).validate(BASE))
    assert (found["key.converter"].value, found["header.converter"].value) == (STRING, SIMPLE)
    values, headers = found["value.converter"].recommended_values, found["header.converter"].recommended_values
    assert (STRING in values, SIMPLE in values) == (True, False)
    assert headers == sorted([*map(str, values), SIMPLE])
    version = found["key.converter.plugin.version"]
    assert (version.value, version.recommended_values, version.visible) == (version.value, [version.value], True)


def test_there_is_no_version_of_what_is_not_there() -> None:
    config = {**BASE, "key.converter": "Nope"}
    version = by_name(enriching.enriched(framework.SOURCE, config).validate(config))["key.converter.plugin.version"]
    assert (version.value, version.recommended_values, version.visible) == (None, [], False)


def test_each_transformation_and_predicate_has_its_keys() -> None:
    definition = enriching.enriched(framework.SINK, {"transforms": "a, ,a", "predicates": "p"})
    assert [key.name for key in definition.keys[len(framework.SINK.keys) :]] == [
        "transforms.a.type",
        "transforms.a.plugin.version",
        "transforms..type",
        "transforms..plugin.version",
        "predicates.p.type",
        "predicates.p.plugin.version",
    ]
    assert definition.groups[-3:] == ["Transforms: a", "Transforms: ", "Predicates: p"]


def of_alias(config: dict[str, str]) -> dict[str, list[str]]:
    """What is said of the keys of transforms and predicates, in their order."""
    definition = enriching.enriched(framework.SOURCE, {**BASE, **config})
    said = definition.validate({**BASE, **config})
    return {value.name: value.errors for value in said if value.name.startswith(("transforms.", "predicates."))}


def test_the_keys_of_a_transform_are_its_class_own() -> None:
    said = of_alias(
        {"transforms": "a", "transforms.a.type": "RegexRouter", "transforms.a.regex": "a", "transforms.a.replacement": "b"}
    )
    names = ("type", "plugin.version", "regex", "replacement", "negate", "predicate")
    assert said == {f"transforms.a.{name}": [] for name in names}


@pytest.mark.parametrize(
    ("config", "key", "errors"),
    [
        ({"type": "Nope"}, "type", ["Invalid value Nope for configuration transforms.a.type: Class Nope could not be found."]),
        (
            {"type": "HasHeaderKey"},
            "type",
            ["Class class {}.predicates.HasHeaderKey does not implement the Transformation interface"],
        ),
        (
            {"type": "{}.Cast"},
            "type",
            ["This class is abstract and cannot be created. Did you mean {}.Cast$Key, {}.Cast$Value?"],
        ),
        (
            {"type": "Filter", "negate": "true"},
            "type",
            [
                "Config 'transforms.a.negate' was provided but there is no config 'transforms.a.predicate' "
                "defining a predicate to be negated."
            ],
        ),
        (
            {"type": "RegexRouter", "predicate": "p", "negate": "x"},
            "negate",
            ["Invalid value x for configuration transforms.a.negate: Expected value to be either true or false"],
        ),
        (
            {"type": "{}.ReplaceField$Value", "renames": "a"},
            "renames",
            ["Invalid value [a] for configuration renames: Invalid rename mapping: a"],
        ),
        (
            {"type": "{}.ExtractField$Key", "field.syntax.version": "V3"},
            "field.syntax.version",
            ["Invalid value V3 for configuration field.syntax.version: String must be one of (case insensitive): V1, V2"],
        ),
        ({"type": "Filter", "plugin.version": "["}, "plugin.version", ["Unbounded range: ["]),
    ],
)
def test_what_is_said_of_a_transform(config: dict[str, str], key: str, errors: list[str]) -> None:
    package = "org.apache.kafka.connect.transforms"
    given = {f"transforms.a.{name}": value.replace("{}", package) for name, value in config.items()}
    said = of_alias({"transforms": "a", **given})
    assert said[f"transforms.a.{key}"] == [error.replace("{}", package) for error in errors]
