"""The herder as web processes see it: reads from a snapshot of their own, writes through the leader."""

import dataclasses
import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from workers.herder import wire
from workers.herder.actions import Done
from workers.herder.errors import HerderError, Unavailable
from workers.herder.interface import Health
from workers.herder.ports import Plugins
from workers.herder.reads import HEALTH_TIMEOUT, HEALTHY, StoreReads, starting, unhealthy
from workers.herder.requests import Requests, TimedOut
from workers.herder.states import TargetState
from workers.herder.topics import TRACKING, TopicTracking
from workers.herder.values import Config, ConnectorInfo, ConnectorStatus, RestartRequest, TaskId
from workers.storage.assignment_store import AssignmentStore
from workers.storage.config_store import ConfigStore
from workers.storage.config_tables import ConfigSnapshot
from workers.storage.log import LogError
from workers.storage.status_store import StatusSnapshot, StatusStore

logger = logging.getLogger(__name__)

_STAGE_TIMEOUT = 2.0
# How long an answer may wait for this process to have read what it tells of.
_VISIBLE_TIMEOUT = 10.0


class RemoteHerder(StoreReads):
    """See `Herder`."""

    def __init__(
        self,
        configs: ConfigStore,
        statuses: StatusStore,
        assignments: AssignmentStore,
        plugins: Plugins,
        requests: Requests,
        cluster_id: Callable[[], str],
        topic_tracking: TopicTracking = TRACKING,
    ):
        super().__init__(configs, statuses, assignments, plugins, cluster_id, topic_tracking)
        self._requests = requests
        self._ready = threading.Event()

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

    def _snapshots(self) -> tuple[ConfigSnapshot, StatusSnapshot]:
        if not self._ready.is_set():
            raise Unavailable("This worker is still starting up and has not yet read the internal topics")
        return super()._snapshots()

    def health(self) -> Health:
        if not self._ready.is_set():
            return starting()
        try:
            self._requests.ask("health", {}, HEALTH_TIMEOUT)
        except HerderError as error:
            return unhealthy(self._stage().removeprefix(". ") if isinstance(error, TimedOut) else error.message)
        return HEALTHY

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

    def reset_connector_topics(self, name: str) -> None:
        self._topic_tracking.check_reset()
        self._ask("reset_topics", name=name)

    def restart_connector(self, request: RestartRequest) -> ConnectorStatus | None:
        status = self._ask("restart_connector", **dataclasses.asdict(request))
        return wire.connector_status(status) if status is not None else None

    def restart_task(self, task: TaskId) -> None:
        self._ask("restart_task", connector=task.connector, task=task.task)
