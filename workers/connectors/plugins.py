"""The installed connectors, found by entry point `drover.connectors`."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import entry_points

from config.concealment import Concealment
from workers.connectors import framework
from workers.connectors.base import ConnectError, Connector, SinkConnector, SinkTask, SourceTask
from workers.connectors.config_providers import LITERAL, ConfigTransformer, Resolved, Unresolved
from workers.connectors.overrides import CLIENT_RULES, ClientRules, client_properties
from workers.connectors.variables import put_back
from workers.herder.errors import BadRequest
from workers.herder.ports import TaskSpec
from workers.herder.values import Config, ConnectorType, Plugin

logger = logging.getLogger(__name__)

ENTRY_POINTS = "drover.connectors"


def discover() -> list[type[Connector]]:
    """One that cannot be imported is named in the log with its reason, and does not hurt the others."""
    found: list[type[Connector]] = []
    for entry in entry_points(group=ENTRY_POINTS):
        try:
            plugin = entry.load()
        except Exception:
            logger.exception("Connector plug-in %s (%s) cannot be loaded", entry.name, entry.value)
            continue
        if isinstance(plugin, type) and issubclass(plugin, Connector):
            found.append(plugin)
        else:
            logger.error("Plug-in %s (%s) is not a connector class", entry.name, entry.value)
    return found


def class_name(plugin: type[Connector]) -> str:
    """How the class is listed: as the Java class that it stands in for, or by its own name."""
    return plugin.java_class or f"{plugin.__module__}.{plugin.__qualname__}"


def aliases(plugin: type[Connector]) -> set[str]:
    """The full names, the simple name, and the simple name without its type: `FileStreamSink`, as in Kafka Connect."""
    full = {class_name(plugin), f"{plugin.__module__}.{plugin.__qualname__}"}
    simple = {name.rpartition(".")[2] for name in full}
    return full | simple | {name.removesuffix("Connector") for name in simple}


def _map_text(config: Mapping[str, str]) -> str:
    """A map as Java prints it; Connect's message holds one."""
    return "{" + ", ".join(f"{key}={value}" for key, value in config.items()) + "}"


class InstalledPlugins:
    """See `workers.herder.ports.Plugins`. Configs come in with their variables and are resolved here, for as long as what
    is made of them lives; `type_of` and `version_of` are asked by anybody and resolve nothing."""

    def __init__(
        self,
        connectors: Iterable[type[Connector]],
        client_rules: ClientRules = CLIENT_RULES,
        transformer: ConfigTransformer = LITERAL,
    ):
        self._client_rules = client_rules
        self._transformer = transformer
        self._by_alias: dict[str, set[type[Connector]]] = {}
        self._all = sorted(connectors, key=class_name)
        for plugin in self._all:
            for alias in aliases(plugin):
                self._by_alias.setdefault(alias, set()).add(plugin)
        self._list = [
            Plugin(class_name(plugin), plugin.type, plugin.version)
            for kind in ("sink", "source")
            for plugin in self._all
            if plugin.type == kind
        ]

    def list(self) -> Sequence[Plugin]:
        return self._list

    def _lookup(self, config: Mapping[str, str]) -> type[Connector] | None:
        found = self._by_alias.get(config.get("connector.class", "").strip(), set())
        return next(iter(found)) if len(found) == 1 else None

    def connector_class(self, config: Mapping[str, str]) -> type[Connector]:
        """Raises BadRequest in Kafka Connect's words."""
        if not config.get("connector.class", "").strip():
            raise BadRequest(f"Connector config {_map_text(config)} contains no connector type")
        found = self._lookup(config)
        if found is None:
            available = ", ".join(
                f"PluginDesc{{klass=class {p.name}, name='{p.name}', version='{p.version}', encodedVersion={p.version}, "
                f"type={p.type}, typeName='{p.type}', location='classpath'}}"
                for p in self._list
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

    def errors(self, config: Config) -> Sequence[str]:
        try:
            resolved = self._transformer.resolved(config)
        except Unresolved as error:
            return [str(error)]
        # What this refuses it shows, and no values may be among it.
        plugin = self.connector_class({**config, **{k: v for k, v in resolved.config.items() if k == "connector.class"}})
        with resolved.concealment().marking():
            errors = self._errors(plugin, resolved.config)
        return [_without_values(message, config, resolved) for message in errors]

    def _errors(self, plugin: type[Connector], config: Config) -> Sequence[str]:
        is_sink = issubclass(plugin, SinkConnector)
        errors = (framework.SINK if is_sink else framework.SOURCE).errors(config)
        if is_sink:
            errors += framework.sink_errors(config)
        errors += plugin.config_def.errors(config)
        return errors + self._client_rules.errors(config, plugin.type)

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
                concealment,
            )

    def _check(self, config: Config) -> None:
        """A config may come from elsewhere than this REST API: it was written under other rules, or by Kafka Connect.
        Raises ConnectError."""
        if errors := self._client_rules.errors(config, self.type_of(config)):
            raise ConnectError(" ".join(errors))


def _without_values(message: str, config: Config, resolved: Resolved) -> str:
    """What is said of a value is said of what the caller wrote, however short the value."""
    for name, value in resolved.config.items():
        if config[name] != value:
            message = message.replace(
                f"Invalid value {value} for configuration", f"Invalid value {config[name]} for configuration"
            )
    return resolved.concealment().conceal(message)


@dataclass(frozen=True, slots=True)
class CreatedTask:
    """A task with all that it runs on, its variables resolved: for the worker's memory alone. `client_properties` are the
    connector's own for the task's Kafka client, `concealment` knows what must not be seen of all this."""

    task: SourceTask | SinkTask
    spec: TaskSpec
    client_properties: Mapping[str, str]
    concealment: Concealment


class RunningConnector:
    """A connector with what the framework adds to its task configs (`workers.herder.ports.ConnectorInstance`)."""

    def __init__(self, plugin: type[Connector], raw: Config, resolved: Resolved):
        self._plugin = plugin
        self._raw = raw
        self._resolved = resolved
        self._concealment = resolved.concealment()
        self._connector = plugin(resolved.config)

    @property
    def config(self) -> Config:
        return self._resolved.config

    def start(self) -> None:
        with self._concealment.marking():
            self._connector.start()

    def stop(self) -> None:
        with self._concealment.marking():
            self._connector.stop()

    def task_configs(self, max_tasks: int) -> list[dict[str, str]]:
        """As they are to be stored: with variables in place of their values."""
        added = {"task.class": self._plugin.java_task_class or class_name(self._plugin)}
        if self._plugin.type == "sink":
            added |= {key: self._raw[key] for key in ("topics", "topics.regex") if key in self._raw}
        with self._concealment.marking():
            generated = self._connector.task_configs(max_tasks)
        return [{**put_back(self._raw, self._resolved.values, config), **added} for config in generated]
