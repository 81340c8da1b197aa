"""The installed connectors, found by entry point `drover.connectors`."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import entry_points

from config.concealment import Concealment
from workers.connectors import checks, plugin_configs, topic_creation
from workers.connectors.base import ConnectError, Connector, SinkConnector, SinkTask, SourceConnector, SourceTask, StreamingSource
from workers.connectors.config_providers import LITERAL, PROVIDERS, ConfigTransformer, Resolved, Unresolved
from workers.connectors.configdef import Given, in_message
from workers.connectors.overrides import CLIENT_RULES, ClientRules, client_properties
from workers.connectors.topic_creation import TopicCreation
from workers.connectors.variables import put_back
from workers.connectors.versions import InvalidVersionSpec, version_mismatch
from workers.converters import catalogue as converters
from workers.converters.catalogue import ConverterPlugin
from workers.herder.errors import BadRequest, HerderError, NotFound
from workers.herder.offsets import as_sink_offsets
from workers.herder.ports import ConnectorContext, TaskSpec
from workers.herder.values import (
    Config,
    ConfigInfo,
    ConfigInfos,
    ConfigKeyInfo,
    ConfigValueInfo,
    ConnectorType,
    FailedPlugin,
    PartitionOffset,
    Plugin,
    PluginType,
)
from workers.pipeline.conversion import Conversion, conversion_of
from workers.pipeline.settings import ErrorSettings, error_settings
from workers.transforms.plugins import ALL, PREDICATES, TRANSFORMS
from workers.transforms.plugins import find as find_transform

logger = logging.getLogger(__name__)

ENTRY_POINTS = "drover.connectors"


# Of a reason: an error may bring a page of text.
_LONGEST = 500


@dataclass(frozen=True, slots=True)
class Found:
    """The connectors that are installed, and the entry points of which nothing came."""

    connectors: list[type[Connector]]
    failed: list[FailedPlugin]


def discover() -> list[type[Connector]]:
    return find().connectors


def find() -> Found:
    """What cannot be loaded is named with its reason, in the log and in `failed`, and does not hurt the others."""
    found = Found([], [])
    for entry in entry_points(group=ENTRY_POINTS):
        try:
            plugin = entry.load()
            if not (isinstance(plugin, type) and issubclass(plugin, Connector)):
                raise TypeError("it is not a connector class")
            found.connectors.append(plugin)
        except (Exception, SystemExit) as error:
            logger.exception("Connector plug-in %s (%s) cannot be loaded", entry.name, entry.value)
            found.failed.append(FailedPlugin(entry.name, entry.value, f"{type(error).__name__}: {error}"[:_LONGEST]))
    return found


def class_name(plugin: type[Connector]) -> str:
    """How the class is listed: as the Java class that it stands in for, or by its own name."""
    return plugin.java_class or f"{plugin.__module__}.{plugin.__qualname__}"


def aliases(plugin: type[Connector]) -> set[str]:
    """The full names, the simple name, and the simple name without its type: `FileStreamSink`, as in Kafka Connect."""
    full = {class_name(plugin), f"{plugin.__module__}.{plugin.__qualname__}"}
    return full.union(*(converters.simple_names(name, "Connector") for name in full))


def _map_text(config: Given) -> str:
    """A map as Java prints it; Connect's message holds one."""
    return "{" + ", ".join(f"{key}={in_message(value)}" for key, value in config.items()) + "}"


_KINDS: tuple[tuple[PluginType, Callable[[ConverterPlugin], bool]], ...] = (
    ("converter", lambda one: one.listed and bool(one.roles & {"key", "value"})),
    ("header_converter", lambda one: one.listed and "header" in one.roles),
)
_OTHERS = [
    *(Plugin(one.name, "transformation", one.version) for one in TRANSFORMS),
    *(Plugin(one.name, "predicate", one.version) for one in PREDICATES),
    *(
        Plugin(one.name, kind, one.version)
        for kind, belongs in _KINDS
        for one in sorted(converters.CONVERTERS, key=lambda one: one.name)
        if belongs(one)
    ),
]


class InstalledPlugins:
    """See `workers.herder.ports.Plugins`. Configs come in with their variables and are resolved here, for as long as what
    is made of them lives; `type_of` and `version_of` are asked by anybody and resolve nothing."""

    def __init__(
        self,
        connectors: Iterable[type[Connector]],
        client_rules: ClientRules = CLIENT_RULES,
        transformer: ConfigTransformer = LITERAL,
        worker_converters: Given = converters.WORKER,
        *,
        creates_topics: bool = True,
    ) -> None:
        """`worker_converters` are for connectors that name none: keys as `value.converter` with theirs below. `creates_topics` is
        the worker's `topic.creation.enable`."""
        self._creates_topics = creates_topics
        self._worker_converters = worker_converters
        self._client_rules = client_rules
        self._transformer = transformer
        self._by_alias: dict[str, set[type[Connector]]] = {}
        self._all = sorted(connectors, key=class_name)
        for plugin in self._all:
            for alias in aliases(plugin):
                self._by_alias.setdefault(alias, set()).add(plugin)
        self._connectors = [
            Plugin(class_name(plugin), plugin.type, plugin.version)
            for kind in ("sink", "source")
            for plugin in self._all
            if plugin.type == kind
        ]

    def list(self, *, connectors_only: bool = True) -> Sequence[Plugin]:
        return self._connectors if connectors_only else [*self._connectors, *_OTHERS]

    def config_keys(self, name: str, version: str | None = None) -> Sequence[ConfigKeyInfo]:
        connector = self._named(name)
        other = converters.find(name) or find_transform(name, ALL)
        if connector is not None:
            _require_version(class_name(connector), connector.version, version)
            return plugin_configs.connector_keys(connector)
        if other is not None:
            _require_version(other.name, other.version, version)
            return plugin_configs.own_keys(other.config_def)
        if name in PROVIDERS:
            raise BadRequest(
                f"Invalid plugin class {name}. "
                "Valid types are sink, source, converter, header_converter, transformation, predicate."
            )
        raise NotFound(f"Unknown plugin {name}.")

    def _named(self, name: str) -> type[Connector] | None:
        found = self._by_alias.get(name, set())
        return next(iter(found)) if len(found) == 1 else None

    def _lookup(self, config: Given) -> type[Connector] | None:
        return self._named((config.get("connector.class") or "").strip())

    def connector_class(self, config: Given) -> type[Connector]:
        """Raises BadRequest in Kafka Connect's words."""
        if not (config.get("connector.class") or "").strip():
            raise BadRequest(f"Connector config {_map_text(config)} contains no connector type")
        found = self._lookup(config)
        if found is None:
            available = ", ".join(
                f"PluginDesc{{klass=class {p.name}, name='{p.name}', version='{p.version}', encodedVersion={p.version}, "
                f"type={p.type}, typeName='{p.type}', location='classpath'}}"
                for p in self._connectors
            )
            raise BadRequest(
                "Failed to find any class that implements Connector and which name matches "
                f"{config['connector.class']}, available connectors are: {available}"
            )
        return found

    def type_of(self, config: Config) -> ConnectorType:
        found = self._lookup(config)
        return found.type if found else "unknown"

    def version_of(self, config: Config) -> str | None:
        found = self._lookup(config)
        return found.version if found else None

    def resolved(self, config: Config) -> Config:
        return self._transformer.resolved(config).config

    def validate(self, config: Given) -> ConfigInfos:
        present = {key: value for key, value in config.items() if value is not None}
        try:
            resolved = self._transformer.resolved(present)
        except Unresolved as error:
            value = ConfigValueInfo(error.key, config[error.key], (), [str(error)], True)
            return ConfigInfos(config.get("connector.class") or "", 1, (), [ConfigInfo(None, value)])
        # What this refuses it shows, and no values may be among it.
        plugin = self.connector_class({**config, **{k: v for k, v in resolved.config.items() if k == "connector.class"}})
        with resolved.concealment().marking():
            infos = plugin_configs.validated(
                plugin,
                class_name(plugin),
                {**config, **resolved.config},
                self._client_rules,
                self._worker_converters,
                creates_topics=self._creates_topics,
            )
        return plugin_configs.said_differently(infos, partial(_without_values, present, resolved))

    def create(self, config: Config) -> "RunningConnector":
        resolved = self._transformer.resolved(config)
        with resolved.concealment().marking():
            self._check(resolved.config)
            return RunningConnector(self.connector_class(resolved.config), config, resolved)

    def create_task(self, spec: TaskSpec) -> "CreatedTask":
        """Raises ConnectError for what no worker may run, or whatever the task's constructor raises."""
        own = self._transformer.resolved(spec.config)
        connector = self._transformer.resolved(spec.connector_config)
        concealment = Resolved({}, {**connector.values, **own.values}).concealment()
        with concealment.marking():
            self._check(connector.config)
            self._check(own.config)
            plugin = self.connector_class(connector.config)
            return CreatedTask(
                plugin.task_class(own.config),
                replace(spec, config=own.config, connector_config=connector.config),
                client_properties(connector.config, plugin.type),
                conversion_of(connector.config, plugin.default_converters, self._worker_converters),
                error_settings(connector.config, plugin.type),
                self._topic_creation(plugin.type, connector.config),
                concealment,
            )

    def _check(self, config: Config) -> None:
        """A config may come from elsewhere than this REST API: it was written under other rules, or by Kafka Connect.
        Raises ConnectError."""
        kind = self.type_of(config)
        errors = [*self._client_rules.errors(config, kind), *checks.unavailable(config)]
        if kind == "source":
            errors += checks.source_errors(config)
            if self._creates_topics:
                errors += [message for value in topic_creation.wrong(config) for message in value.errors]
        if errors:
            raise ConnectError(" ".join(errors))

    def _topic_creation(self, kind: ConnectorType, config: Config) -> TopicCreation | None:
        if kind != "source" or not topic_creation.is_asked_for(config):
            return None
        if not self._creates_topics:
            logger.warning("topic.creation.* of connector %s has no effect: topic.creation.enable is false", config.get("name"))
            return None
        return topic_creation.of(config)


def _without_values(config: Config, resolved: Resolved, said: ConfigValueInfo) -> ConfigValueInfo:
    """What is said of a value is said of what the caller wrote, however short the value."""
    conceal = resolved.concealment().conceal

    def reworded(message: str) -> str:
        for name, value in resolved.config.items():
            if config[name] != value:
                message = message.replace(
                    f"Invalid value {value} for configuration", f"Invalid value {config[name]} for configuration"
                )
        return conceal(message)

    shown = said.value and conceal(said.value)
    if said.value is not None and config.get(said.name) != resolved.config.get(said.name):
        shown = config[said.name]
    return replace(
        said,
        value=shown,
        recommended_values=[one and conceal(one) for one in said.recommended_values],
        errors=[reworded(message) for message in said.errors],
    )


def _require_version(name: str, version: str, wanted: str | None) -> None:
    """Raises BadRequest (KIP-891)."""
    try:
        mismatch = version_mismatch(name, version, wanted)
    except InvalidVersionSpec as error:
        raise BadRequest(f"Invalid version specification: {wanted}") from error
    if mismatch is not None:
        raise BadRequest(mismatch)


@dataclass(frozen=True, slots=True)
class CreatedTask:
    """A task with all that it runs on, its variables resolved: for the worker's memory alone. `client_properties` are the
    connector's own for the task's Kafka client, `conversion` and `errors` say what happens to its records and to those that
    cannot be processed, `creation` how topics are made that it is the first to write to (None: that is the broker's business),
    `concealment` knows what must not be seen of all this."""

    task: SourceTask | SinkTask | StreamingSource
    spec: TaskSpec
    client_properties: Mapping[str, str]
    conversion: Conversion
    errors: ErrorSettings
    creation: TopicCreation | None
    concealment: Concealment


class RunningConnector:
    """A connector with what the framework adds to its task configs (`workers.herder.ports.ConnectorInstance`)."""

    def __init__(self, plugin: type[Connector], raw: Config, resolved: Resolved) -> None:
        self._plugin = plugin
        self._raw = raw
        self._resolved = resolved
        self._concealment = resolved.concealment()
        self._connector = plugin(resolved.config)

    @property
    def config(self) -> Config:
        return self._resolved.config

    def start(self, context: ConnectorContext) -> None:
        def every(seconds: float, work: Callable[[], None]) -> None:
            context.every(seconds, partial(self._marked, work))

        self._connector.context = replace(context, every=every)
        self._marked(self._connector.start)

    def stop(self) -> None:
        self._marked(self._connector.stop)

    def _marked(self, work: Callable[[], None]) -> None:
        with self._concealment.marking():
            work()

    def task_configs(self, max_tasks: int) -> list[dict[str, str]]:
        """As they are to be stored: with variables in place of their values."""
        added = {"task.class": self._plugin.java_task_class or class_name(self._plugin)}
        if self._plugin.type == "sink":
            added |= {key: self._raw[key] for key in ("topics", "topics.regex") if key in self._raw}
        with self._concealment.marking():
            generated = self._connector.task_configs(max_tasks)
        return [{**put_back(self._raw, self._resolved.values, config), **added} for config in generated]

    def alter_offsets(self, offsets: Sequence[PartitionOffset]) -> bool:
        connector = self._connector
        with self._concealment.marking():
            try:
                if isinstance(connector, SinkConnector):
                    return connector.alter_offsets(as_sink_offsets(offsets))
                return isinstance(connector, SourceConnector) and connector.alter_offsets(offsets)
            except ConnectError as error:
                raise HerderError(str(error)) from error
