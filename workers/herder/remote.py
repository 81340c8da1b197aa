"""The herder as web processes see it: reads from a snapshot of their own, writes through the leader."""

import dataclasses
import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from workers.herder import wire
from workers.herder.actions import Done
from workers.herder.config_patches import ConfigPatch
from workers.herder.errors import HerderError, Unavailable
from workers.herder.interface import Health
from workers.herder.ports import Plugins
from workers.herder.reads import HEALTH_TIMEOUT, HEALTHY, StoreReads, starting, unhealthy
from workers.herder.requests import Requests, TimedOut
from workers.herder.stages import INITIALIZING, Stages
from workers.herder.states import TargetState
from workers.herder.topics import TRACKING, TopicTracking
from workers.herder.values import (
    Config,
    ConfigInfos,
    ConnectorInfo,
    ConnectorStatus,
    PartitionOffset,
    Position,
    RestartRequest,
    TaskId,
)
from workers.loggers.levels import LoggerLevel, merged
from workers.loggers.loggers import Loggers
from workers.storage.assignment_store import AssignmentStore
from workers.storage.config_store import ConfigStore
from workers.storage.config_tables import ConfigSnapshot
from workers.storage.log import LogError, faults
from workers.storage.status_store import StatusSnapshot, StatusStore

logger = logging.getLogger(__name__)

_STAGE_TIMEOUT = 2.0
# For a worker to tell of its loggers, and to set a level.
_LOOK_TIMEOUT, _SET_TIMEOUT = 2.0, 10.0
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
    ) -> None:
        super().__init__(configs, statuses, assignments, plugins, cluster_id, topic_tracking)
        self._requests = requests
        self._loggers = Loggers()
        self._stages = Stages()
        self._ready = threading.Event()

    def start(self) -> None:
        """Begins to read the topics, in the background and for as long as it takes until they are there."""
        threading.Thread(target=self._read_topics, name="snapshot", daemon=True).start()

    def _read_topics(self) -> None:
        starts = (
            partial(self._statuses.start, self._on_change),
            partial(self._configs.start, self._on_change, self._loggers.follow),
            partial(self._assignments.start, self._on_change),
        )
        with self._stages.during(INITIALIZING):
            for start in starts:
                while True:
                    try:
                        start()
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
            return starting(str(self._stages.current or ""))
        # The leader may have been started anew meanwhile, and be well.
        if reason := self._lost():
            return unhealthy(reason)
        try:
            self._requests.ask("health", {}, HEALTH_TIMEOUT)
        except HerderError as error:
            return unhealthy(self._stage().removeprefix(". ") if isinstance(error, TimedOut) else error.message)
        return HEALTHY

    def _lost(self) -> str:
        """What has become of the internal topics, as far as this process knows; nothing while they are there."""
        return faults((self._configs.log, self._statuses.log, self._assignments.log))

    # --- loggers ------------------------------------------------------------------------------------------------------

    def loggers(self) -> Mapping[str, LoggerLevel]:
        """A worker that does not answer in time is left out: whoever looks for a log is not to wait for it."""
        answers = self._ask_workers("loggers", {}, _LOOK_TIMEOUT) if self._ready.is_set() else {}
        for worker_id, answer in answers.items():
            if isinstance(answer, HerderError):
                logger.warning("Loggers of worker %s are not known: %s", worker_id, answer)
        found = [wire.opened_levels(answer.result) for answer in answers.values() if isinstance(answer, Done)]
        return merged([self._loggers.levels(), *found])

    def set_logger_level(self, namespace: str, level: str) -> list[str]:
        """Raises HerderError when a worker cannot be reached; the others have changed it by then."""
        self._snapshots()
        answers = self._ask_workers("set_logger_level", {"namespace": namespace, "level": level}, _SET_TIMEOUT)
        for worker_id, answer in answers.items():
            if isinstance(answer, Unavailable):
                raise answer
            if isinstance(answer, HerderError):
                raise HerderError(f"Worker {worker_id} did not set the level: {answer.message}") from answer
        changed = self._loggers.set(namespace, level)
        return sorted({*changed, *(name for answer in answers.values() if isinstance(answer, Done) for name in answer.result)})

    def set_cluster_level(self, namespace: str, level: str) -> None:
        self._ask("set_cluster_level", namespace=namespace, level=level)
        self._loggers.followed(_VISIBLE_TIMEOUT)

    def _ask_workers(self, action: str, arguments: dict[str, Any], timeout: float) -> dict[str, Done | HerderError]:
        """All at once: worker → what it answered."""
        workers = [worker.worker_id for worker in self.group().workers]

        def ask(worker_id: str) -> Done | HerderError:
            try:
                return self._requests.ask(action, arguments, timeout, worker_id=worker_id)
            except HerderError as error:
                return error

        if not workers:
            return {}
        with ThreadPoolExecutor(len(workers), "workers") as pool:
            return dict(zip(workers, pool.map(ask, workers), strict=True))

    # --- writes -------------------------------------------------------------------------------------------------------

    def _ask(self, action: str, **arguments: Any) -> Any:
        try:
            done: Done = self._requests.ask(action, arguments)
        except TimedOut as error:
            # Nobody can lead without the topics.
            reason = self._lost()
            raise HerderError(f"{error.message}{f'. {reason}' if reason else self._stage()}") from error
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

    def validate_connector_config(self, config: Mapping[str, str | None]) -> ConfigInfos:
        """A worker does: this process knows no variable's value, and runs nobody's code."""
        return wire.config_infos(self._ask("validate_connector_config", properties=dict(config)))

    def create_connector(
        self,
        name: str,
        config: Config,
        initial_state: TargetState | None,
        offsets: Sequence[PartitionOffset] | None = None,
    ) -> ConnectorInfo:
        wanted: dict[str, Any] = {"name": name, "config": dict(config), "initial_state": initial_state}
        if offsets is None:
            _, info = self._ask("create_connector", **wanted)
        else:
            _, info = self._ask("create_connector_at", **wanted, offsets=_raw(offsets))
        return wire.connector_info(info)

    def put_connector_config(self, name: str, config: Config) -> tuple[bool, ConnectorInfo]:
        created, info = self._ask("put_connector_config", name=name, config=dict(config))
        return created, wire.connector_info(info)

    def patch_connector_config(self, name: str, patch: ConfigPatch) -> ConnectorInfo:
        _, info = self._ask("patch_connector_config", name=name, patch=dict(patch))
        return wire.connector_info(info)

    def delete_connector(self, name: str, *, include_offsets: bool = False) -> None:
        self._ask("delete_connector_and_offsets" if include_offsets else "delete_connector", name=name)

    def set_target_state(self, name: str, state: TargetState) -> None:
        self._ask("set_target_state", name=name, state=state)

    def connector_offsets(self, name: str) -> Sequence[PartitionOffset]:
        return [wire.partition_offset(item) for item in self._ask("read_offsets", name=name)]

    def connector_positions(self, name: str, time: int | None) -> Sequence[Position]:
        return [wire.position(item) for item in self._ask("read_positions", name=name, time=time)]

    def alter_connector_offsets(self, name: str, offsets: Sequence[PartitionOffset]) -> str:
        return str(self._ask("alter_offsets", name=name, offsets=_raw(offsets)))

    def reset_connector_offsets(self, name: str) -> str:
        return str(self._ask("reset_offsets", name=name))

    def reset_connector_topics(self, name: str) -> None:
        self._topic_tracking.check_reset()
        self._ask("reset_topics", name=name)

    def restart_connector(self, request: RestartRequest) -> ConnectorStatus | None:
        status = self._ask("restart_connector", **dataclasses.asdict(request))
        return wire.connector_status(status) if status is not None else None

    def restart_task(self, task: TaskId) -> None:
        self._ask("restart_task", connector=task.connector, task=task.task)


def _raw(offsets: Sequence[PartitionOffset]) -> list[dict[str, Any]]:
    return [dataclasses.asdict(item) for item in offsets]
