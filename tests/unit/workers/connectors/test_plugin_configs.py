"""Definitions and the full answer of a validation (facts §7.2, §7.3)."""

import pytest

from workers import VERSION
from workers.connectors.base import ConnectError, SinkConnector, SourceConnector
from workers.connectors.config_providers import ConfigTransformer, EnvVarConfigProvider
from workers.connectors.configdef import ConfigDef, ConfigValue, Importance, Key, Type
from workers.connectors.overrides import ClientRules, policy
from workers.connectors.plugins import InstalledPlugins
from workers.herder.errors import BadRequest, HerderError
from workers.herder.values import Config, ConfigInfos, ConfigKeyInfo, ConfigValueInfo, Plugin
from workers.transforms.plugins import PREDICATES, TRANSFORMS

STRING = "org.apache.kafka.connect.storage.StringConverter"
SIMPLE = "org.apache.kafka.connect.storage.SimpleHeaderConverter"
NULL = "Null value can not be supplied as the configuration value."


class TideSource(SourceConnector):
    version = "1.2.3"
    java_class = "org.example.TideSource"
    config_def = ConfigDef(
        (
            Key("sea", Type.STRING, importance=Importance.HIGH, documentation="Which sea.", group="Tide", display_name="Sea"),
            # The framework's own; this connector has a stricter one.
            Key("tasks.max", Type.INT, default=1, documentation="One."),
            Key("pin", Type.PASSWORD, default=None),
        )
    )

    @classmethod
    def validate(cls, config: Config) -> list[ConfigValue]:
        values = super().validate(config)
        if config.get("sea") == "dead":
            values[0].errors.append("There are no tides in it.")
        return values

    def task_configs(self, max_tasks: int) -> list[dict[str, str]]:
        return []


class BottleSink(SinkConnector):
    version = "3"
    config_def = ConfigDef()

    def task_configs(self, max_tasks: int) -> list[dict[str, str]]:
        return []


BASE = {"name": "a", "connector.class": "TideSource", "sea": "north"}
SINK = {"name": "a", "connector.class": "BottleSink", "topics": "t"}


@pytest.fixture
def installed() -> InstalledPlugins:
    return InstalledPlugins([TideSource, BottleSink], ClientRules(policy("Allowlist", ["acks"]), worker_group="connect-cluster"))


def value(infos: ConfigInfos, name: str) -> ConfigValueInfo:
    return next(info.value for info in infos.configs if info.value.name == name)


# --- definitions ------------------------------------------------------------------------------------------------------


def test_a_connectors_own_keys_come_first_and_count(installed: InstalledPlugins) -> None:
    keys = installed.config_keys("TideSource")
    assert keys[0] == ConfigKeyInfo("sea", "STRING", True, None, "HIGH", "Which sea.", "Tide", -1, "NONE", "Sea", [])
    names = [key.name for key in keys]
    assert names[:6] == ["sea", "tasks.max", "pin", "name", "connector.class", "connector.plugin.version"]
    assert names.count("tasks.max") == 1
    assert (keys[1].documentation, keys[5].default_value) == ("One.", "1.2.3")


@pytest.mark.parametrize("name", ["org.example.TideSource", "TideSource", f"{__name__}.TideSource"])
def test_a_plugin_by_any_of_its_names(installed: InstalledPlugins, name: str) -> None:
    assert installed.config_keys(name)[0].name == "sea"


@pytest.mark.parametrize(
    ("name", "keys"),
    [(STRING, ["converter.type", "converter.encoding"]), ("String", ["converter.type", "converter.encoding"]), (SIMPLE, [])],
)
def test_converters(installed: InstalledPlugins, name: str, keys: list[str]) -> None:
    assert [key.name for key in installed.config_keys(name)] == keys


@pytest.mark.parametrize(
    ("name", "version", "status", "message"),
    [
        ("Nope", None, 404, "Unknown plugin Nope."),
        (" TideSource", None, 404, "Unknown plugin  TideSource."),
        (
            "FileConfigProvider",
            None,
            400,
            "Invalid plugin class FileConfigProvider. "
            "Valid types are sink, source, converter, header_converter, transformation, predicate.",
        ),
        (
            "TideSource",
            "9.9",
            400,
            "Plugin org.example.TideSource not found that matches the version range [9.9,9.9], available versions: [1.2.3]",
        ),
        (
            "String",
            "",
            400,
            f"Plugin {STRING} not found that matches the version range [,], available versions: [{VERSION}]",
        ),
        ("TideSource", "[", 400, "Invalid version specification: ["),
        ("Nope", "[", 404, "Unknown plugin Nope."),
    ],
)
def test_what_there_is_no_definition_of(
    installed: InstalledPlugins, name: str, version: str | None, status: int, message: str
) -> None:
    with pytest.raises(HerderError) as raised:
        installed.config_keys(name, version)
    assert (raised.value.status, raised.value.message) == (status, message)


@pytest.mark.parametrize("version", [None, "latest", "1.2.3", "[1,2)"])
def test_a_version_that_is_here(installed: InstalledPlugins, version: str | None) -> None:
    assert installed.config_keys("TideSource", version) == installed.config_keys("TideSource")


CONVERTERS = [
    *(f"org.apache.kafka.connect.converters.{kind}Converter" for kind in ("Boolean", "ByteArray")),
    "org.apache.kafka.connect.json.JsonConverter",
    STRING,
]


def test_all_plugins(installed: InstalledPlugins) -> None:
    assert installed.list(connectors_only=False) == [
        *installed.list(),
        *(Plugin(one.name, "transformation", VERSION) for one in TRANSFORMS),
        *(Plugin(one.name, "predicate", VERSION) for one in PREDICATES),
        *(Plugin(name, "converter", VERSION) for name in CONVERTERS),
        *(Plugin(name, "header_converter", VERSION) for name in sorted([*CONVERTERS, SIMPLE])),
    ]


# --- validation -------------------------------------------------------------------------------------------------------


def test_a_good_config(installed: InstalledPlugins) -> None:
    infos = installed.validate(BASE)
    assert (infos.name, infos.error_count, infos.errors) == ("TideSource", 0, [])
    assert infos.groups == [
        "Common", "Transforms", "Predicates", "Error Handling", "Topic Creation", "Exactly Once Support", "offsets.topic", "Tide",
    ]  # fmt: skip
    names = [info.value.name for info in infos.configs]
    # The framework's keys in their places, the connector's own behind them.
    assert (names[:4], names[-2:]) == (["name", "connector.class", "connector.plugin.version", "tasks.max"], ["sea", "pin"])
    assert value(infos, "connector.plugin.version") == ConfigValueInfo("connector.plugin.version", "1.2.3", ["1.2.3"], [], True)
    definition = next(info.definition for info in infos.configs if info.value.name == "tasks.max")
    assert definition is not None
    assert definition.documentation == "One."


def test_the_path_of_an_alias_is_as_it_was_given(installed: InstalledPlugins) -> None:
    assert installed.validate({**BASE, "connector.class": " TideSource "}).name == " TideSource "


@pytest.mark.parametrize(
    ("more", "count", "key", "errors"),
    [
        ({"sea": "dead"}, 1, "sea", ["There are no tides in it."]),
        ({"sea": None}, 2, "sea", ['Missing required configuration "sea" which has no default value.', NULL]),
        ({"x": None}, 1, "x", [NULL]),
        ({"offsets.storage.topic": None}, 1, "offsets.storage.topic", [NULL]),
        (
            {"producer.override.linger.ms": "5", "producer.override.acks": "1"},
            1,
            "producer.override.linger.ms",
            ["The 'Allowlist' policy does not allow 'linger.ms' to be overridden in the connector configuration."],
        ),
        (
            {"their.interceptor.classes": "x"},
            1,
            "their.interceptor.classes",
            [
                "'their.interceptor.classes' is not allowed in a connector configuration: "
                "it would let the worker load and run classes of the connector's choice."
            ],
        ),
        (
            {"transaction.boundary": "Connector"},
            1,
            "transaction.boundary",
            [
                "The connector does not support connector-defined transaction boundaries with the given configuration. "
                "Please reconfigure it to use a different transaction boundary definition."
            ],
        ),
    ],
)
def test_errors_are_where_they_belong(
    installed: InstalledPlugins, more: dict[str, str | None], count: int, key: str, errors: list[str]
) -> None:
    infos = installed.validate({**BASE, **more})
    assert (infos.error_count, value(infos, key).errors) == (count, errors)


def test_what_nobody_defines(installed: InstalledPlugins) -> None:
    infos = installed.validate({**BASE, "x": None, "y": "1", "producer.override.acks": "1", "consumer.override.acks": "1"})
    undefined = {
        info.value.name: (place, info.value.value) for place, info in enumerate(infos.configs) if info.definition is None
    }
    # Client settings come last; what is unknown and no fault is not told of.
    assert undefined == {"x": (0, None), "producer.override.acks": (len(infos.configs) - 1, "1")}


def test_a_converter_of_the_connectors_own_has_its_keys(installed: InstalledPlugins) -> None:
    infos = installed.validate(
        {**BASE, "key.converter": "String", "key.converter.converter.encoding": "utf8", "value.converter": SIMPLE}
    )
    added = [info for info in infos.configs if info.value.name.startswith("key.converter.converter.")]
    assert [(info.definition and info.definition.name, info.value.value) for info in added] == [
        ("key.converter.converter.type", "key"),
        ("key.converter.converter.encoding", "utf8"),
    ]
    assert infos.errors == [f"Invalid value {SIMPLE} for configuration value.converter: Class {SIMPLE} could not be found."]


def test_a_converters_keys_are_named_in_full_and_its_errors_are_not(installed: InstalledPlugins) -> None:
    infos = installed.validate({**BASE, "value.converter": STRING, "value.converter.converter.encoding": "x"})
    assert value(infos, "value.converter.converter.encoding").errors == [
        "Invalid value x for configuration converter.encoding: Unknown encoding x"
    ]


def test_another_version_of_a_converter(installed: InstalledPlugins) -> None:
    message = f"Plugin {STRING} not found that matches the version range [9,9], available versions: [{VERSION}]"
    infos = installed.validate({**BASE, "key.converter": STRING, "key.converter.plugin.version": "9"})
    assert (value(infos, "key.converter").errors, value(infos, "key.converter.plugin.version").errors) == ([message], [message])
    assert infos.error_count == 2
    # Of the worker's own nothing else can be chosen, and it is not asked for.
    assert installed.validate({**BASE, "key.converter.plugin.version": "9"}).errors == []


@pytest.mark.parametrize(("spec", "errors"), [("latest", 0), ("9", 1), ("[0,)", 1)])
def test_a_converter_that_is_no_plugin_has_no_version(installed: InstalledPlugins, spec: str, errors: int) -> None:
    long = "org.apache.kafka.connect.converters.LongConverter"
    infos = installed.validate({**BASE, "key.converter": long, "key.converter.plugin.version": spec})
    message = f"Plugin {long} is not part of Connect's plugin loading mechanism (ClassPath or Plugin Path)"
    for key in ("key.converter", "key.converter.plugin.version"):
        assert value(infos, key).errors == [message] * errors
    assert value(infos, "key.converter.plugin.version").recommended_values == []


def test_a_converter_between_blanks(installed: InstalledPlugins) -> None:
    infos = installed.validate({**BASE, "key.converter": " Json ", "key.converter.schemas.enable": "x"})
    assert infos.errors == ["Failed to load class  Json :  Json "]


def test_a_converter_is_told_what_it_converts_unless_it_is_said(installed: InstalledPlugins) -> None:
    infos = installed.validate(
        {**BASE, "key.converter": "Json", "value.converter": "Json", "value.converter.converter.type": "key"}
    )
    assert [value(infos, f"{role}.converter.converter.type").value for role in ("key", "value")] == ["key", "key"]


class Mirror(TideSource):
    has_framework_keys = True


def test_a_connector_with_the_frameworks_keys_among_its_own_has_them_plain() -> None:
    found = InstalledPlugins([Mirror]).validate({**BASE, "transforms": "a", "transforms.a.type": "Filter"})
    assert value(found, "transforms.a.negate").value == "false"
    for key, visible in (("key.converter", True), ("key.converter.plugin.version", False), ("connector.plugin.version", True)):
        said = value(found, key)
        assert (said.value, said.recommended_values, said.visible) == (None, [], visible)


def test_another_version_of_the_connector(installed: InstalledPlugins) -> None:
    infos = installed.validate({**BASE, "connector.plugin.version": "[2,3)", "tasks.max": "x"})
    message = "Plugin org.example.TideSource not found that matches the version range [2,3), available versions: [1.2.3]"
    assert (value(infos, "connector.class").errors, value(infos, "connector.plugin.version").errors) == ([message], [message])
    assert infos.groups == ["Common", "Transforms", "Predicates", "Error Handling"]
    assert "sea" not in [info.value.name for info in infos.configs]


def test_what_is_no_version(installed: InstalledPlugins) -> None:
    with pytest.raises(BadRequest, match=r"^Unbounded range: \[$"):
        installed.validate({**BASE, "connector.plugin.version": "["})


@pytest.mark.parametrize(
    ("config", "key", "message"),
    [
        (
            {**SINK, "consumer.override.group.id": "connect-cluster"},
            "consumer.override.group.id",
            "Consumer group connect-cluster conflicts with Connect worker group connect-cluster",
        ),
        (
            {**SINK, "name": "cluster"},
            "name",
            "Consumer group for sink connector named cluster conflicts with Connect worker group connect-cluster",
        ),
    ],
)
def test_a_sink_in_the_workers_own_group(config: dict[str, str], key: str, message: str) -> None:
    installed = InstalledPlugins([BottleSink], ClientRules(worker_group="connect-cluster"))
    infos = installed.validate(config)
    assert (infos.errors, value(infos, key).errors) == ([message], [message])
    assert installed.validate(SINK).errors == []


# --- values that must not be seen -------------------------------------------------------------------------------------


@pytest.fixture
def secretive() -> InstalledPlugins:
    environment = {"SEA": "baltic", "N": "many", "PIN": "4711-4711"}
    return InstalledPlugins(
        [TideSource],
        transformer=ConfigTransformer({"env": EnvVarConfigProvider({"allowlist.pattern": ".*"}, environment)}),
    )


def test_variables_are_shown_and_not_their_values(secretive: InstalledPlugins) -> None:
    infos = secretive.validate({**BASE, "sea": "${env:SEA}", "errors.retry.timeout": "${env:N}"})
    assert value(infos, "sea").value == "${env:SEA}"
    assert infos.errors == ["Invalid value ${env:N} for configuration errors.retry.timeout: Not a number of type LONG"]
    assert "baltic" not in str(infos)


@pytest.mark.parametrize("pin", ["${env:PIN}", "4711-4711"])
def test_a_password_is_never_shown(secretive: InstalledPlugins, pin: str) -> None:
    assert value(secretive.validate({**BASE, "pin": pin}), "pin").value in ("[hidden]", "${env:PIN}")


def test_a_variable_without_a_value(secretive: InstalledPlugins) -> None:
    infos = secretive.validate({**BASE, "sea": "${env:NOPE}"})
    assert (infos.error_count, value(infos, "sea").value) == (1, "${env:NOPE}")
    assert infos.errors[0].startswith("The variable ${env:NOPE} of 'sea' could not be resolved.")


# --- topics that a source makes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plugin", "creates_topics", "expected"),
    [("TideSource", True, 2), ("TideSource", False, 0), ("BottleSink", True, 0)],
)
def test_topic_creation_counts_where_topics_are_made(plugin: str, creates_topics: bool, expected: int) -> None:
    base = BASE if plugin == "TideSource" else SINK
    found = InstalledPlugins([TideSource, BottleSink], creates_topics=creates_topics).validate(
        {**base, "topic.creation.groups": "a"}
    )
    assert found.error_count == expected
    if expected:
        said = value(found, "topic.creation.default.partitions")
        assert said.errors == ['Missing required configuration "topic.creation.default.partitions" which has no default value.']


@pytest.mark.parametrize("creates_topics", [True, False])
def test_what_was_stored_elsewhere_fails_when_it_starts(creates_topics: bool) -> None:
    installed = InstalledPlugins([TideSource], creates_topics=creates_topics)
    wrong = {**BASE, "topic.creation.default.partitions": "0", "topic.creation.default.replication.factor": "1"}
    if not creates_topics:
        installed.create(wrong)
        return
    with pytest.raises(ConnectError, match="Number of partitions must be positive"):
        installed.create(wrong)
