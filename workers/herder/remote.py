"""The herder as web processes see it: reads from a snapshot of their own, writes through the leader."""

import dataclasses
import logging
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from workers.herder import read_model, wire
from workers.herder.actions import Done
from workers.herder.errors import HerderError, Unavailable
from workers.herder.interface import GroupInfo, Health, View
from workers.herder.ports import Plugins
from workers.herder.requests import Requests, TimedOut
from workers.herder.states import TargetState
from workers.herder.values import Config, ConnectorInfo, ConnectorStatus, Plugin, RestartRequest, Status, TaskId
from workers.storage.assignment_store import AssignmentStore
from workers.storage.config_store import ConfigStore
from workers.storage.config_tables import ConfigSnapshot
from workers.storage.log import LogError
from workers.storage.status_store import StatusSnapshot, StatusStore

logger = logging.getLogger(__name__)

_HEALTH_TIMEOUT = 10.0
_STAGE_TIMEOUT = 2.0
# How long an answer may wait for this process to have read what it tells of.
_VISIBLE_TIMEOUT = 10.0


class RemoteHerder:
    """See `Herder`."""

    def __init__(
        self,
        configs: ConfigStore,
        statuses: StatusStore,
        assignments: AssignmentStore,
        plugins: Plugins,
        requests: Requests,
        cluster_id: Callable[[], str],
    ):
        self._configs = configs
        self._statuses = statuses
        self._assignments = assignments
        self._plugins = plugins
        self._requests = requests
        self._cluster_id = cluster_id
        self._ready = threading.Event()
        self._changed = threading.Condition()
        self._view: View | None = None
        # Versions start anew with each process: an ETag from before must not look current.
        self._life = uuid.uuid4().hex[:8]

    def start(self) -> None:
        """Begins to read the topics, in the background and for as long as it takes until they are there."""
        threading.Thread(target=self._read_topics, name="snapshot", daemon=True).start()

    def _read_topics(self) -> None:
        for store in (self._statuses, self._configs, self._assignments):
            while True:
                try:
                    store.start(self._on_change)
                    break
                except LogError as error:
                    logger.info("Waiting for the internal topics: %s", error)
                    time.sleep(0.5)
        self._ready.set()

    def _on_change(self, *_event: object) -> None:
        with self._changed:
            self._changed.notify_all()

    def _snapshots(self) -> tuple[ConfigSnapshot, StatusSnapshot]:
        if not self._ready.is_set():
            raise Unavailable("This worker is still starting up and has not yet read the internal topics")
        return self._configs.snapshot(), self._statuses.snapshot()

    # --- reads --------------------------------------------------------------------------------------------------------

    def view(self) -> View:
        configs, statuses = self._snapshots()
        etag = self._etag(configs, statuses)
        if self._view is None or self._view.etag != etag:
            self._view = self._built(etag, configs, statuses)
        return self._view

    def _etag(self, configs: ConfigSnapshot, statuses: StatusSnapshot) -> str:
        return f"{self._life}-{configs.version}-{statuses.version}"

    def _built(self, etag: str, configs: ConfigSnapshot, statuses: StatusSnapshot) -> View:
        infos = {name: read_model.connector_info(entry, self._plugins) for name, entry in configs.connectors.items()}
        shown = {
            name: read_model.connector_status(configs, statuses, name, self._plugins)
            for name in infos
            if name in statuses.connectors
        }
        return View(etag, infos, shown)

    def wait_for_change(self, etag: str, seconds: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._etag(*self._snapshots()) != etag, seconds)

    def connector_info(self, name: str) -> ConnectorInfo:
        return read_model.connector_info(read_model.entry(self._snapshots()[0], name), self._plugins)

    def connector_status(self, name: str) -> ConnectorStatus:
        return read_model.connector_status(*self._snapshots(), name, self._plugins)

    def task_status(self, task: TaskId) -> Status:
        return read_model.task_status(self._snapshots()[1], task)

    def task_configs(self, name: str) -> list[tuple[TaskId, Config]]:
        return read_model.task_configs(self._snapshots()[0], name)

    def group(self) -> GroupInfo:
        self._snapshots()
        return read_model.group_info(self._assignments.snapshot())

    def plugins(self) -> Sequence[Plugin]:
        return self._plugins.list()

    def health(self) -> Health:
        if not self._ready.is_set():
            return Health("starting", "Worker is still starting up.")
        try:
            self._requests.ask("health", {}, _HEALTH_TIMEOUT)
        except HerderError as error:
            message = "Worker was unable to handle this request and may be unable to handle other requests."
            reason = self._stage().removeprefix(". ") if isinstance(error, TimedOut) else error.message
            return Health("unhealthy", f"{message} {reason}".strip())
        return Health("healthy", "Worker has completed startup and is ready to handle requests.")

    def kafka_cluster_id(self) -> str:
        return self._kafka_cluster_id

    @cached_property
    def _kafka_cluster_id(self) -> str:
        return self._cluster_id()

    # --- writes -------------------------------------------------------------------------------------------------------

    def _ask(self, action: str, **arguments: Any) -> Any:
        try:
            done: Done = self._requests.ask(action, arguments)
        except TimedOut as error:
            raise HerderError(f"{error.message}{self._stage()}") from error
        # Whoever asks this process next shall see what it has just been told.
        if self._ready.is_set():
            self._configs.log.wait_for(done.configs, _VISIBLE_TIMEOUT)
            self._statuses.log.wait_for(done.statuses, _VISIBLE_TIMEOUT)
        return done.result

    def _stage(self) -> str:
        """What the leader is at, as a sentence to follow; nothing when it does not even say that."""
        try:
            stage = self._requests.ask("stage", {}, _STAGE_TIMEOUT).result
        except HerderError:
            return ""
        return f". {stage}" if stage else ""

    def create_connector(self, name: str, config: Config, initial_state: TargetState | None) -> ConnectorInfo:
        _, info = self._ask("create_connector", name=name, config=dict(config), initial_state=initial_state)
        return wire.connector_info(info)

    def put_connector_config(self, name: str, config: Config) -> tuple[bool, ConnectorInfo]:
        created, info = self._ask("put_connector_config", name=name, config=dict(config))
        return created, wire.connector_info(info)

    def delete_connector(self, name: str) -> None:
        self._ask("delete_connector", name=name)

    def set_target_state(self, name: str, state: TargetState) -> None:
        self._ask("set_target_state", name=name, state=state)

    def restart_connector(self, request: RestartRequest) -> ConnectorStatus | None:
        status = self._ask("restart_connector", **dataclasses.asdict(request))
        return wire.connector_status(status) if status is not None else None

    def restart_task(self, task: TaskId) -> None:
        self._ask("restart_task", connector=task.connector, task=task.task)
