"""How a connector is found, by whichever of its names, and what is said when it is not."""

import logging
import re
from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint
from typing import Any

import pytest

from workers.connectors import plugins
from workers.connectors.base import ConnectError, Connector, SinkConnector, SourceConnector, SourceTask
from workers.connectors.config_providers import ConfigTransformer, EnvVarConfigProvider
from workers.connectors.configdef import ConfigDef, Key, Type
from workers.connectors.overrides import ClientRules, policy
from workers.connectors.plugins import InstalledPlugins, discover
from workers.converters.strings import STRING_CONVERTER
from workers.herder import wire
from workers.herder.errors import BadRequest, HerderError
from workers.herder.ports import ConnectorContext, TaskSpec
from workers.herder.traces import trace
from workers.herder.values import FailedPlugin, Partition, PartitionOffset, Plugin, TaskId


class TideSourceConnector(SourceConnector):
    version = "1.2"
    java_class = "org.example.MoonSourceConnector"
    java_task_class = "org.example.MoonSourceTask"
    config_def = ConfigDef((Key("sea", Type.STRING),))

    def task_configs(self, max_tasks: int) -> list[dict[str, str]]:
        return [{"n": str(number)} for number in range(max_tasks)]


class BottleSink(SinkConnector):
    version = "3"
    config_def = ConfigDef()

    def task_configs(self, max_tasks: int) -> list[dict[str, str]]:
        return [{"own": "x", "topics": "overwritten"}]


class Shelf:
    class BottleSink(BottleSink):
        """Another class with the same simple name."""


BOTTLE = f"{__name__}.BottleSink"


@pytest.fixture
def installed() -> InstalledPlugins:
    return InstalledPlugins([TideSourceConnector, BottleSink])


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("org.example.MoonSourceConnector", TideSourceConnector),
        ("MoonSourceConnector", TideSourceConnector),
        ("MoonSource", TideSourceConnector),
        ("org.example.MoonSource", None),
        (f"{__name__}.TideSourceConnector", TideSourceConnector),
        ("TideSourceConnector", TideSourceConnector),
        ("TideSource", TideSourceConnector),
        (" TideSource ", TideSourceConnector),
        ("BottleSink", BottleSink),
        (BOTTLE, BottleSink),
        ("tidesource", None),
        ("Tide", None),
        ("Nope", None),
    ],
)
def test_names(installed: InstalledPlugins, name: str, found: type[Connector] | None) -> None:
    config = {"connector.class": name}
    assert installed.type_of(config) == (found.type if found else "unknown")
    assert installed.version_of(config) == (found.version if found else None)
    if found:
        assert installed.connector_class(config) is found


def test_a_name_of_two_connectors_is_nobodys() -> None:
    both = InstalledPlugins([BottleSink, Shelf.BottleSink])
    assert both.type_of({"connector.class": "BottleSink"}) == "unknown"
    assert both.connector_class({"connector.class": BOTTLE}) is BottleSink
    assert both.connector_class({"connector.class": f"{__name__}.Shelf.BottleSink"}) is Shelf.BottleSink


def test_the_list_has_sinks_first_each_kind_by_name(installed: InstalledPlugins) -> None:
    assert installed.list() == [Plugin(BOTTLE, "sink", "3"), Plugin("org.example.MoonSourceConnector", "source", "1.2")]


def refusal(installed: InstalledPlugins, config: dict[str, str]) -> tuple[int, str]:
    with pytest.raises(BadRequest) as raised:
        installed.validate(config)
    return raised.value.status, raised.value.message


@pytest.mark.parametrize("config", [{"name": "a", "x": "1"}, {"name": "a", "x": "1", "connector.class": " "}])
def test_no_class(installed: InstalledPlugins, config: dict[str, str]) -> None:
    text = ", ".join(f"{key}={value}" for key, value in config.items())
    assert refusal(installed, config) == (400, f"Connector config {{{text}}} contains no connector type")


def test_an_unknown_class(installed: InstalledPlugins) -> None:
    assert refusal(installed, {"connector.class": "NoSuch"}) == (
        400,
        "Failed to find any class that implements Connector and which name matches NoSuch, available connectors are: "
        f"PluginDesc{{klass=class {BOTTLE}, name='{BOTTLE}', version='3', encodedVersion=3, type=sink, typeName='sink', "
        "location='classpath'}, "
        "PluginDesc{klass=class org.example.MoonSourceConnector, name='org.example.MoonSourceConnector', version='1.2', "
        "encodedVersion=1.2, type=source, typeName='source', location='classpath'}",
    )


def test_errors_of_the_framework_and_of_the_connector_come_together(installed: InstalledPlugins) -> None:
    assert installed.validate({"name": "a", "connector.class": "TideSource", "tasks.max": "0"}).errors == [
        "Invalid value 0 for configuration tasks.max: Value must be at least 1",
        'Missing required configuration "sea" which has no default value.',
    ]
    assert installed.validate({"name": "a", "connector.class": "TideSource", "sea": "north"}).errors == []
    assert (
        installed.validate({"name": "a", "connector.class": "BottleSink"}).errors
        == ["Must configure one of topics or topics.regex"] * 2
    )


ONE_OF = "String must be one of (case insensitive): REQUIRED, REQUESTED"
EXACTLY_ONCE = "This worker does not have exactly-once source support enabled."


@pytest.mark.parametrize(
    ("support", "errors"),
    [
        ("required", [EXACTLY_ONCE]),
        ("Required", [EXACTLY_ONCE]),
        ("requested", []),
        ("x", [f"Invalid value x for configuration exactly.once.support: {ONE_OF}"]),
    ],
)
def test_exactly_once_support(installed: InstalledPlugins, support: str, errors: list[str]) -> None:
    config = {"name": "a", "connector.class": "TideSource", "sea": "x", "exactly.once.support": support}
    assert installed.validate(config).errors == errors


def test_exactly_once_is_refused_wherever_the_config_comes_from(installed: InstalledPlugins) -> None:
    with pytest.raises(ConnectError, match=EXACTLY_ONCE):
        installed.create({"name": "a", "connector.class": "TideSource", "sea": "x", "exactly.once.support": "required"})


AVRO = "io.confluent.connect.avro.AvroConverter"


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"key.converter": AVRO}, f"Invalid value {AVRO} for configuration key.converter: Class {AVRO} could not be found."),
        ({"value.converter": AVRO}, f"Invalid value {AVRO} for configuration value.converter: Class {AVRO} could not be found."),
        (
            {"header.converter": AVRO},
            f"Invalid value {AVRO} for configuration header.converter: Class {AVRO} could not be found.",
        ),
        (
            {"value.converter": STRING_CONVERTER, "value.converter.converter.encoding": "UTF-99"},
            "Invalid value UTF-99 for configuration converter.encoding: Unknown encoding UTF-99",
        ),
        ({"transforms": "mask"}, 'Missing required configuration "transforms.mask.type" which has no default value.'),
        (
            {"transforms": "mask", "transforms.mask.type": "Mask"},
            "Invalid value Mask for configuration transforms.mask.type: Class Mask could not be found.",
        ),
        (
            {"predicates": "p", "predicates.p.type": "Odd"},
            "Invalid value Odd for configuration predicates.p.type: Class Odd could not be found.",
        ),
    ],
)
def test_what_is_not_here_is_not_done_without(installed: InstalledPlugins, asked: dict[str, str], reason: str) -> None:
    """A cluster that was taken over may ask for it."""
    config = {"name": "a", "connector.class": "TideSource", "sea": "x", **asked}
    assert installed.validate(config).errors == [reason]
    with pytest.raises(ConnectError, match=re.escape(reason)):
        installed.create(config)
    with pytest.raises(ConnectError, match=re.escape(reason)):
        installed.create_task(TaskSpec(TaskId("a", 0), config, config, 1))


def test_what_is_asked_for_and_here(installed: InstalledPlugins) -> None:
    asked = {
        "transforms": "",
        "predicates": " ",
        "errors.tolerance": "all",
        "errors.log.enable": "true",
        "header.converter": "String",
    }
    config = {"name": "a", "connector.class": "TideSource", "sea": "x", "value.converter": STRING_CONVERTER, **asked}
    assert installed.validate(config).errors == []
    installed.create(config)


class Keeper(SinkConnector):
    """Says what it was told, by failing with it."""

    version = "1"
    config_def = ConfigDef()

    def task_configs(self, max_tasks: int) -> list[dict[str, str]]:
        return []

    def alter_offsets(self, offsets: Mapping[Partition, int | None]) -> bool:
        if not offsets:
            raise NotImplementedError
        raise ConnectError(f"Not these: {dict(offsets)} with {self.config.get('password')}")


SINK_OFFSETS = [PartitionOffset({"kafka_topic": "t", "kafka_partition": 0}, {"kafka_offset": 1})]


def test_a_connector_without_a_word_on_offsets_has_no_eye_on_them(installed: InstalledPlugins) -> None:
    source, sink = (installed.create({"connector.class": name, "sea": "x"}) for name in ("TideSource", "BottleSink"))
    assert not source.alter_offsets([PartitionOffset({"a": 1}, None)])
    assert not sink.alter_offsets(SINK_OFFSETS)


def test_what_a_connector_says_of_offsets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PASSWORD", "hunter22")
    transformer = ConfigTransformer({"env": EnvVarConfigProvider({"allowlist.pattern": "PASSWORD"})})
    running = InstalledPlugins([Keeper], transformer=transformer).create(
        {"connector.class": f"{__name__}.Keeper", "password": "${env:PASSWORD}"}
    )
    with pytest.raises(HerderError, match=r"^Not these: \{Partition\(topic='t', number=0\): 1\} with hunter22$") as raised:
        running.alter_offsets(SINK_OFFSETS)
    assert raised.value.status == 500
    assert b"hunter22" not in wire.failure(raised.value)
    with pytest.raises(NotImplementedError):
        running.alter_offsets([])


class Watcher(Keeper):
    def start(self) -> None:
        self.context.every(5, self.look)
        self.context.request_task_reconfiguration()

    def look(self) -> None:
        raise ConnectError(f"There is {self.config['password']}")


def test_what_a_connector_does_again_and_again_shows_no_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PASSWORD", "hunter22")
    transformer = ConfigTransformer({"env": EnvVarConfigProvider({"allowlist.pattern": "PASSWORD"})})
    running = InstalledPlugins([Watcher], transformer=transformer).create(
        {"connector.class": f"{__name__}.Watcher", "password": "${env:PASSWORD}"}
    )
    asked: list[str] = []
    turns: list[tuple[float, Callable[[], None]]] = []
    running.start(ConnectorContext(lambda: asked.append("tasks"), lambda *turn: turns.append(turn)))
    ((seconds, work),) = turns
    assert (asked, seconds) == (["tasks"], 5)
    with pytest.raises(ConnectError, match="hunter22") as raised:
        work()
    assert trace(raised.value).startswith("workers.connectors.base.ConnectError: There is ${env:PASSWORD}\n")


def test_a_running_connector_adds_what_the_framework_adds(installed: InstalledPlugins) -> None:
    source = installed.create({"name": "a", "connector.class": "MoonSource", "sea": "north"})
    source.start(ConnectorContext(lambda: None, lambda seconds, work: None))
    assert source.task_configs(2) == [{"n": str(n), "task.class": "org.example.MoonSourceTask"} for n in range(2)]
    source.stop()
    sink = installed.create({"name": "a", "connector.class": "BottleSink", "topics": "t"})
    assert sink.task_configs(1) == [{"own": "x", "task.class": BOTTLE, "topics": "t"}]
    by_pattern = installed.create({"name": "a", "connector.class": "BottleSink", "topics.regex": "t.*"})
    assert by_pattern.task_configs(1)[0]["topics.regex"] == "t.*"


class TideTask(SourceTask):
    def start(self, committed: object) -> None: ...
    def next_range(self) -> None: ...
    def read(self, spark: object, new: object) -> Any: ...
    def committed(self, new: object) -> None: ...


def task_spec(config: dict[str, str], **connector_config: str) -> TaskSpec:
    return TaskSpec(TaskId("a", 0), config, {"connector.class": "TideSource", **connector_config}, 1)


@pytest.fixture
def resolving(monkeypatch: pytest.MonkeyPatch) -> InstalledPlugins:
    monkeypatch.setattr(TideSourceConnector, "task_class", TideTask, raising=False)
    env = EnvVarConfigProvider({"allowlist.pattern": ".*"}, {"ACKS": "a11", "MODULE": "JndiLoginModule"})
    return InstalledPlugins([TideSourceConnector], ClientRules(policy("All")), ConfigTransformer({"env": env}))


def test_a_task_is_given_values_and_so_is_its_client(resolving: InstalledPlugins) -> None:
    spec = task_spec({"n": "${env:ACKS}"}, **{"producer.override.acks": "${env:ACKS}", "consumer.override.x": "y"})
    created = resolving.create_task(spec)
    assert created.task.config == created.spec.config == {"n": "a11"}
    assert created.client_properties == {"acks": "a11"}
    assert created.concealment.conceal("not a11, too short") == "not a11, too short"
    assert spec.config == {"n": "${env:ACKS}"}


@pytest.mark.parametrize("where", ["task", "connector"])
def test_a_task_that_no_worker_may_run(resolving: InstalledPlugins, where: str) -> None:
    bad = {"source.sasl.jaas.config": "${env:MODULE} required;"}
    spec = task_spec(bad) if where == "task" else task_spec({}, **bad)
    with pytest.raises(ConnectError, match="the login module JndiLoginModule is not among the allowed ones"):
        resolving.create_task(spec)


# --- discovery --------------------------------------------------------------------------------------------------------


@pytest.fixture
def entries(monkeypatch: pytest.MonkeyPatch) -> list[EntryPoint]:
    given: list[EntryPoint] = []

    def entry_points(*, group: str) -> list[EntryPoint]:
        assert group == "drover.connectors"
        return given

    monkeypatch.setattr(plugins, "entry_points", entry_points)
    return given


class Leaving:
    """As a module that means to end the process."""

    @property
    def Class(self) -> object:  # noqa: N802
        raise SystemExit("not here")


leaving = Leaving()


def entry(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, value, "drover.connectors")


def test_what_cannot_be_loaded_is_named_and_does_not_hurt_the_others(
    entries: list[EntryPoint], caplog: pytest.LogCaptureFixture
) -> None:
    entries += [
        entry("Broken", "no_such_module:Thing"),
        entry("Missing", f"{__name__}:NoSuchClass"),
        entry("Leaving", f"{__name__}:leaving.Class"),
        entry("Bottle", f"{__name__}:BottleSink"),
        entry("Function", f"{__name__}:refusal"),
        entry("Other", f"{__name__}:Shelf"),
    ]
    with caplog.at_level(logging.ERROR):
        found = plugins.find()
    assert [one.__name__ for one in found.connectors] == ["BottleSink"]
    assert found.failed == [
        FailedPlugin("Broken", "no_such_module:Thing", "ModuleNotFoundError: No module named 'no_such_module'"),
        FailedPlugin("Missing", f"{__name__}:NoSuchClass", f"AttributeError: module '{__name__}' has no attribute 'NoSuchClass'"),
        FailedPlugin("Leaving", f"{__name__}:leaving.Class", "SystemExit: not here"),
        FailedPlugin("Function", f"{__name__}:refusal", "TypeError: it is not a connector class"),
        FailedPlugin("Other", f"{__name__}:Shelf", "TypeError: it is not a connector class"),
    ]
    for name in ("Broken (no_such_module:Thing)", "Missing", "Leaving", "Function", "Other"):
        assert name in caplog.text


def test_the_file_connectors_are_found_by_the_names_that_kafka_connect_has_for_them() -> None:
    installed = InstalledPlugins(discover())
    for kind in ("Source", "Sink"):
        full = f"org.apache.kafka.connect.file.FileStream{kind}Connector"
        for name in (full, f"FileStream{kind}Connector", f"FileStream{kind}"):
            assert plugins.class_name(installed.connector_class({"connector.class": name})) == full
