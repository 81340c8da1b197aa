"""What the records of the config topic add up to. Pure: records in, tables and events out (Kafka Connect's read rules)."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from workers.herder.states import TargetState
from workers.herder.values import Config, ConnectorEntry, InstanceId, RestartRequest
from workers.storage import records
from workers.storage.log import LogRecord

logger = logging.getLogger(__name__)


class Change(StrEnum):
    CONFIG = "config"
    REMOVED = "removed"
    TARGET_STATE = "target state"
    TASKS = "tasks"


@dataclass(frozen=True, slots=True)
class ConfigEvent:
    """Something of `connector` changed, or a restart was asked for, by the record at `offset`.

    `promised` are the instances whose restart the asker was promised: they are restarted whatever their state is by now.
    """

    connector: str
    change: Change | None = None
    restart: RestartRequest | None = None
    promised: frozenset[InstanceId] = frozenset()
    offset: int = field(default=-1, compare=False)


@dataclass(slots=True)
class ConfigTables:
    """Applies one record after another. `connectors` holds also what is known of connectors without a config: their
    target state may come first, and what outlived a deletion must be told from what belongs to a new connector."""

    connectors: dict[str, ConnectorEntry] = field(default_factory=dict)
    #: Task configs that wait for their commit.
    _deferred: dict[str, dict[int, Config]] = field(default_factory=dict)

    def live(self) -> dict[str, ConnectorEntry]:
        """The connectors that exist, by name."""
        return {name: entry for name, entry in self.connectors.items() if entry.config is not None}

    def apply(self, record: LogRecord) -> ConfigEvent | None:
        key = record.key.decode(errors="replace")
        for prefix, handler in _HANDLERS:
            if key.startswith(prefix):
                event = handler(self, key.removeprefix(prefix), record)
                return event and replace(event, offset=record.offset)
        if not key.startswith((*records.NOT_OURS, records.LOGGER)):
            logger.warning("Record with key %.200r at offset %d of the config topic is ignored", record.key, record.offset)
        return None

    def _entry(self, name: str) -> ConnectorEntry:
        return self.connectors.get(name) or ConnectorEntry(name)

    def _on_target_state(self, name: str, record: LogRecord) -> ConfigEvent | None:
        entry = self._entry(name)
        if record.value is None:
            # Silent, as in Kafka Connect: a tombstone comes with the connector's own, or from a hand that knows what it does.
            self.connectors[name] = replace(entry, target_state=TargetState.STARTED)
            return None
        value = records.decode_map(record.value)
        state = records.target_state_of(value) if value is not None else None
        if state is None:
            logger.warning("Target state of %s at offset %d cannot be read and is ignored", name, record.offset)
            return None
        self.connectors[name] = replace(entry, target_state=state)
        if entry.config is None or entry.target_state is state:
            return None
        return ConfigEvent(name, Change.TARGET_STATE)

    def _on_connector(self, name: str, record: LogRecord) -> ConfigEvent | None:
        entry = self._entry(name)
        if record.value is None:
            self.connectors.pop(name, None)
            self._deferred.pop(name, None)
            return ConfigEvent(name, Change.REMOVED) if entry.config is not None else None
        config = records.properties_of(record.value)
        if config is None:
            logger.warning("Config of connector %s at offset %d cannot be read and is ignored", name, record.offset)
            return None
        self.connectors[name] = replace(entry, config=config, revision=record.offset)
        return ConfigEvent(name, Change.CONFIG)

    def _on_task(self, rest: str, record: LogRecord) -> None:
        task, config = records.split_task_key(rest), records.properties_of(record.value)
        if task is None or config is None:
            logger.warning("Task config %r at offset %d cannot be read and is ignored", rest, record.offset)
            return
        self._deferred.setdefault(task.connector, {})[task.task] = config

    def _on_commit(self, name: str, record: LogRecord) -> ConfigEvent | None:
        entry, deferred = self._entry(name), self._deferred.pop(name, {})
        if entry.config is None:
            # The connector's own record was deleted and compacted away: its tasks must never reach one created anew.
            self.connectors.pop(name, None)
            return None
        value = records.decode_map(record.value)
        count = value.get("tasks") if value is not None else None
        if not isinstance(count, int) or isinstance(count, bool) or count < 0:
            logger.warning("Commit of connector %s at offset %d cannot be read and is ignored", name, record.offset)
            return None
        complete = all(index in deferred for index in range(count))
        if not complete:
            logger.warning("The task configs of connector %s are not complete; they have to be generated anew", name)
        self.connectors[name] = replace(
            entry,
            task_count=count,
            tasks_revision=record.offset,
            inconsistent=not complete,
            tasks={**entry.tasks, **deferred} if complete else entry.tasks,
            applied_config=entry.config if complete else entry.applied_config,
        )
        return ConfigEvent(name, Change.TASKS)

    def _on_restart(self, name: str, record: LogRecord) -> ConfigEvent | None:
        value = records.decode_map(record.value)
        if value is None and record.value is not None:
            logger.warning("Restart request for %s at offset %d cannot be read and is ignored", name, record.offset)
        if value is None or self._entry(name).config is None:
            return None
        only_failed, include_tasks = value.get("only-failed") is True, value.get("include-tasks") is True
        promised = records.promised_of(name, record.headers)
        return ConfigEvent(name, restart=RestartRequest(name, only_failed, include_tasks), promised=promised)


# In Kafka Connect's order: `connector-` must not swallow what `restart-connector-` means, nor `task-` a `target-state-`.
_HANDLERS = (
    (records.TARGET_STATE, ConfigTables._on_target_state),
    (records.CONNECTOR, ConfigTables._on_connector),
    (records.TASK, ConfigTables._on_task),
    (records.COMMIT, ConfigTables._on_commit),
    (records.RESTART, ConfigTables._on_restart),
)


@dataclass(frozen=True, slots=True)
class ConfigSnapshot:
    """The config topic as of `version` (one more with each change). The mapping is never changed after it was made."""

    version: int
    connectors: Mapping[str, ConnectorEntry]
