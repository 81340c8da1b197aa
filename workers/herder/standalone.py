"""The herder of a worker that is alone: configs, statuses and assignment in memory, no leader to be asked. What it writes it also
carries out before it answers (Kafka Connect's standalone mode; restarts as KIP-745 has them in "Standalone Runtime")."""

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from workers.herder import read_model
from workers.herder.config_patches import ConfigPatch
from workers.herder.distributed import DistributedHerder
from workers.herder.errors import HerderError, NotFound
from workers.herder.futures import after_all
from workers.herder.interface import Health
from workers.herder.loop import in_time
from workers.herder.membership import Member, SoloGroup
from workers.herder.ports import GroupsOf, Plugins, TaskRunner
from workers.herder.reads import HEALTH_TIMEOUT, HEALTHY, StoreReads, starting, unhealthy
from workers.herder.restart import RestartPlan, restart_plan
from workers.herder.stages import STARTING_CONNECTOR, Stage, timed_out
from workers.herder.states import State, TargetState
from workers.herder.topics import TRACKING, ActiveTopics, TopicTracking
from workers.herder.values import (
    Config,
    ConfigInfos,
    ConnectorInfo,
    ConnectorStatus,
    InstanceId,
    PartitionOffset,
    Position,
    RestartRequest,
    TaskId,
)
from workers.loggers.levels import LoggerLevel
from workers.loggers.loggers import Loggers
from workers.metrics.worker_recorder import WorkerRecorder
from workers.storage.assignment_store import AssignmentStore
from workers.storage.config_store import ConfigStore
from workers.storage.memory_log import MemoryLog, MemoryTopic, MemoryWriter
from workers.storage.offset_stores import OffsetStores
from workers.storage.status_store import StatusStore

T = TypeVar("T")
#: The starts of what was restarted.
Starts = Mapping[InstanceId, Future[Any]]


class StandaloneHerder(StoreReads):
    """See `Herder`. Times in seconds; a request that is not over after `request_timeout` fails, and what it began goes on."""

    def __init__(
        self,
        worker_id: str,
        plugins: Plugins,
        runner: TaskRunner,
        cluster_id: Callable[[], str],
        *,
        offsets: OffsetStores,
        consumer_groups: GroupsOf,
        stop_timeout: float = 5.0,
        request_timeout: float = 90.0,
        topic_tracking: TopicTracking = TRACKING,
        about: Mapping[str, object] = {},
        recorder: WorkerRecorder | None = None,
        loggers: Loggers | None = None,
    ) -> None:
        # Their readers are there from the beginning, so that nobody needs to be told of the past.
        self._topics = [MemoryTopic(keep=False) for _ in range(3)]
        configs, statuses, assignments = map(MemoryLog, self._topics)
        writer, me = MemoryWriter(), Member(worker_id, "standalone")
        super().__init__(
            ConfigStore(configs, writer),
            StatusStore(statuses),
            AssignmentStore(assignments, writer),
            plugins,
            cluster_id,
            topic_tracking,
        )
        #: The topics in use; tasks tell it of them.
        self.active_topics = ActiveTopics(self._statuses, lambda name: self._configs.entry(name) is not None, topic_tracking)
        self._herder = DistributedHerder(
            self._configs,
            self._statuses,
            self._assignments,
            writer,
            SoloGroup(me),
            plugins,
            runner,
            offsets=offsets,
            consumer_groups=consumer_groups,
            topics=self.active_topics,
            stop_timeout=stop_timeout,
            about=about,
            recorder=recorder,
            loggers=loggers,
        )
        self._request_timeout = request_timeout
        self._ready = threading.Event()

    def start(self) -> None:
        """Returns when it can be asked for anything. It is `starting` until `ready`."""
        self._herder.start()
        for topic in self._topics:
            # Behind the stores: who waits for a change then reads it there.
            MemoryLog(topic).start(self._on_change)

    def ready(self) -> None:
        """What is to run from the start has been created."""
        self._ready.set()

    def stop(self) -> None:
        """Stops everything, and waits for it."""
        self._herder.stop()

    def health(self) -> Health:
        if not self._ready.is_set():
            return starting(self._stage())
        try:
            self._herder.call(lambda: None).result(HEALTH_TIMEOUT)
        except TimeoutError:
            return unhealthy(self._stage())
        except HerderError as error:
            return unhealthy(error.message)
        return HEALTHY

    def _stage(self) -> str:
        return str(self._herder.stages.current or "")

    # --- loggers ------------------------------------------------------------------------------------------------------

    def loggers(self) -> Mapping[str, LoggerLevel]:
        return self._herder.loggers.levels()

    def set_logger_level(self, namespace: str, level: str) -> list[str]:
        return self._herder.loggers.set(namespace, level)

    def set_cluster_level(self, namespace: str, level: str) -> None:
        deadline = self._deadline()
        self._on_its_thread(lambda: self._herder.actions.set_cluster_level(namespace, level), deadline)
        self._herder.loggers.followed(deadline - time.monotonic())

    # --- waiting ------------------------------------------------------------------------------------------------------

    def _deadline(self) -> float:
        return time.monotonic() + self._request_timeout

    def _result(self, future: Future[T], deadline: float, stage: Stage | None = None) -> T:
        """Raises HerderError that says what the worker is at."""
        try:
            return future.result(max(0.0, deadline - time.monotonic()))
        except TimeoutError as error:
            raise timed_out(stage or self._herder.stages.current) from error

    def _on_its_thread(self, action: Callable[[], T], deadline: float) -> T:
        result: T = self._herder.result(action, deadline)
        return result

    def _carry_out(self, name: str, action: Callable[[], T], deadline: float, what: str) -> T:
        """Does it, and returns when all that follows for the connector is over."""
        result, stage = self._on_its_thread(action, deadline), Stage(what, time.time())
        self._await(name, deadline, stage)
        return result

    def _await(self, name: str, deadline: float, stage: Stage) -> None:
        if not self._herder.carried_out(name, deadline - time.monotonic()):
            raise timed_out(stage)

    # --- writes -------------------------------------------------------------------------------------------------------

    def validate_connector_config(self, config: Mapping[str, str | None]) -> ConfigInfos:
        return self._herder.actions.validated(config, self._deadline())

    def create_connector(
        self,
        name: str,
        config: Config,
        initial_state: TargetState | None,
        offsets: Sequence[PartitionOffset] | None = None,
    ) -> ConnectorInfo:
        def create(deadline: float) -> Any:
            if offsets is not None:
                return self._herder.offsets.create(None, name, config, initial_state, offsets, deadline)
            return self._on_its_thread(lambda: self._herder.actions.create_connector(name, config, initial_state), deadline)

        return self._put(name, self._validated(config, create))[1]

    def put_connector_config(self, name: str, config: Config) -> tuple[bool, ConnectorInfo]:
        def put(deadline: float) -> Any:
            return self._on_its_thread(lambda: self._herder.actions.put_connector_config(name, config), deadline)

        return self._put(name, self._validated(config, put))

    def patch_connector_config(self, name: str, patch: ConfigPatch) -> ConnectorInfo:
        return self._put(name, partial(self._herder.patches.patch, None, name, patch))[1]

    def _validated(self, config: Config, action: Callable[[float], Any]) -> Callable[[float], Any]:
        def act(deadline: float) -> Any:
            self._herder.actions.validate(config, deadline)
            return action(deadline)

        return act

    def _put(self, name: str, action: Callable[[float], Any]) -> tuple[bool, ConnectorInfo]:
        deadline = self._deadline()
        created, info = action(deadline).result
        self._await(name, deadline, Stage(STARTING_CONNECTOR, time.time()))
        self._require_started(name)
        entry = self._configs.entry(name)
        return created, replace(info, tasks=entry.task_ids()) if entry else info

    def _require_started(self, name: str) -> None:
        """Raises HerderError, as Kafka Connect does: the connector is there all the same, and shows its trace."""
        entry, status = self._configs.entry(name), self._statuses.get(name)
        if entry is not None and status is not None and status.state is State.FAILED:
            raise HerderError(f"Failed to transition connector {name} to state {entry.target_state}")

    def delete_connector(self, name: str, *, include_offsets: bool = False) -> None:
        deadline, doing = self._deadline(), f"stopping connector {name}"
        if include_offsets:
            self._herder.offsets.delete(None, name, deadline)
            self._await(name, deadline, Stage(doing, time.time()))
        else:
            self._carry_out(name, lambda: self._herder.actions.delete_connector(name), deadline, doing)

    def set_target_state(self, name: str, state: TargetState) -> None:
        if state is TargetState.STOPPED and self._configs.entry(name) is None:
            raise HerderError(f"No connector `{name}` configured")
        doing = STARTING_CONNECTOR if state is TargetState.STARTED else f"stopping connector {name}"
        self._carry_out(name, lambda: self._herder.actions.set_target_state(name, state), self._deadline(), doing)

    def connector_offsets(self, name: str) -> Sequence[PartitionOffset]:
        return self._herder.offsets.read(name)

    def connector_positions(self, name: str, time: int | None) -> Sequence[Position]:
        return self._herder.offsets.positions(name, time)

    def alter_connector_offsets(self, name: str, offsets: Sequence[PartitionOffset]) -> str:
        return self._herder.offsets.alter(name, offsets, self._deadline())

    def reset_connector_offsets(self, name: str) -> str:
        return self._herder.offsets.reset(name, self._deadline())

    def reset_connector_topics(self, name: str) -> None:
        self._topic_tracking.check_reset()
        self._on_its_thread(lambda: self._herder.actions.reset_topics(name), self._deadline())

    # --- restarts -----------------------------------------------------------------------------------------------------

    def restart_connector(self, request: RestartRequest) -> ConnectorStatus | None:
        name, deadline = request.connector, self._deadline()
        read_model.entry(self._configs.snapshot(), name, "Unknown connector: {}")
        if request.only_failed or request.include_tasks:
            plan = self._plan(request)
            self._restart(name, plan.instances, deadline, f"handling restart request for connector {name}")
            return plan.status
        self._restart(name, [name], deadline, STARTING_CONNECTOR)
        self._require_started(name)
        return None

    def _plan(self, request: RestartRequest) -> RestartPlan:
        try:
            return restart_plan(request, self.connector_status(request.connector))
        except NotFound as error:
            raise NotFound(f"Status for connector {request.connector} not found") from error

    def restart_task(self, task: TaskId) -> None:
        entry = self._configs.entry(task.connector)
        if entry is None:
            raise HerderError(f"Failed to start task {task} since it is not a recognizable type (source or sink)")
        if task not in entry.task_ids():
            raise NotFound(f"Task {task} not found")
        starts = self._restart(task.connector, [task], self._deadline(), f"restarting task {task}")
        if any(start.exception() for start in starts.values()):
            raise HerderError(f"Failed to start task: {task}")

    def _restart(self, name: str, instances: Iterable[InstanceId], deadline: float, what: str) -> Starts:
        """Stops all of them, then says RESTARTING of all of them, then starts all of them (KIP-745)."""
        stage = Stage(what, time.time())
        asked: Future[Starts] = self._herder.call(lambda: in_time(partial(self._stop_all, name, instances), deadline))
        starts = self._result(asked, deadline, stage)
        self._await(name, deadline, stage)
        return starts

    def _stop_all(self, name: str, instances: Iterable[InstanceId]) -> Future[Starts]:
        """On the herder's thread, like what follows: whoever asked may have given up by then, and it goes on all the same."""
        ordered = [instance for instance in _in_order(instances) if self._herder.host.hosts(instance)]
        stops = [self._herder.host.halt(instance) for instance in ordered]
        start_all = partial(self._start_all, name, ordered)
        return after_all(stops, lambda: self._herder.call(start_all))

    def _start_all(self, name: str, instances: Iterable[InstanceId]) -> Starts:
        entry, host = self._configs.entry(name), self._herder.host
        if entry is None:
            return {}
        # One may have been taken away meanwhile: its connector was stopped, or has fewer tasks.
        hosted = [instance for instance in instances if host.hosts(instance)]
        for instance in hosted:
            host.announce_restart(instance)
        return {instance: host.restart(instance, entry) for instance in hosted}


def _in_order(instances: Iterable[InstanceId]) -> list[InstanceId]:
    """The connector first."""
    return sorted(instances, key=lambda instance: (isinstance(instance, TaskId), str(instance)))
