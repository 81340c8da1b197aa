"""The config store: connectors, task configs, target states and restart requests, in a log of one partition."""

import threading
from collections.abc import Callable, Sequence

from workers.herder.states import TargetState
from workers.herder.values import Config, RestartRequest, TaskId
from workers.storage import records
from workers.storage.config_tables import ConfigEvent, ConfigSnapshot, ConfigTables
from workers.storage.log import Log, LogRecord, Positions
from workers.storage.records import KeyValue

Listener = Callable[[ConfigEvent], None]


class ConfigStore:
    """Every write returns after the record is durable and has been read back: readers of `snapshot` see it from then on.

    All writes raise `LogError` when the record was not accepted and `Fenced` when another process leads.
    """

    def __init__(self, log: Log):
        self.log = log
        self._tables = ConfigTables()
        self._lock = threading.Lock()
        self._version = 0
        self._snapshot: ConfigSnapshot | None = None
        self._listener: Listener | None = None

    def start(self, listener: Listener | None = None) -> None:
        """Reads to the end, then tells `listener` of each change. What was there at the start is not told: a restart
        request of the past must not run again, and the rest stands in the snapshot."""
        self.log.start(self._on_record)
        with self._lock:
            self._listener = listener

    def _on_record(self, record: LogRecord) -> None:
        with self._lock:
            event = self._tables.apply(record)
            self._version += 1
            self._snapshot = None
            listener = self._listener
        if event is not None and listener is not None:
            listener(event)

    def snapshot(self) -> ConfigSnapshot:
        with self._lock:
            if self._snapshot is None:
                self._snapshot = ConfigSnapshot(self._version, self._tables.live())
            return self._snapshot

    def put_connector(self, name: str, config: Config, target_state: TargetState | None = None) -> Positions:
        """The target state comes first, so that no reader ever sees the connector without it (KIP-980)."""
        before = [] if target_state is None else [records.target_state_record(name, target_state)]
        return self.log.write([*before, records.connector_record(name, config)])

    def remove_connector(self, name: str) -> Positions:
        return self.log.write([records.connector_record(name, None), records.target_state_record(name, None)])

    def put_tasks(self, name: str, configs: Sequence[Config]) -> Positions:
        """The task configs and, after them, the commit that makes them count."""
        tasks = [records.task_record(TaskId(name, index), config) for index, config in enumerate(configs)]
        return self.log.write([*tasks, records.commit_record(name, len(configs))])

    def put_target_state(self, name: str, state: TargetState) -> Positions:
        """STOPPED also commits to no tasks, before the state (KIP-875)."""
        before: list[KeyValue] = [records.commit_record(name, 0)] if state is TargetState.STOPPED else []
        return self.log.write([*before, records.target_state_record(name, state)])

    def put_restart(self, request: RestartRequest) -> Positions:
        return self.log.write([records.restart_record(request)])

    def stop(self) -> None:
        self.log.stop()
