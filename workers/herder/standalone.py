"""The herder of a worker that is alone: configs, statuses and assignment in memory, no leader to be asked. What it writes it also
carries out before it answers (Kafka Connect's standalone mode; restarts as KIP-745 has them in "Standalone Runtime")."""

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from workers.herder import read_model
from workers.herder.distributed import DistributedHerder
from workers.herder.errors import HerderError, NotFound
from workers.herder.futures import after_all
from workers.herder.interface import Health
from workers.herder.lanes import Lanes
from workers.herder.loop import in_time
from workers.herder.membership import Member, SoloGroup
from workers.herder.ports import Plugins, TaskRunner
from workers.herder.reads import HEALTH_TIMEOUT, HEALTHY, StoreReads, starting, unhealthy
from workers.herder.restart import RestartPlan, restart_plan
from workers.herder.stages import Stage
from workers.herder.states import State, TargetState
from workers.herder.topics import TRACKING, ActiveTopics, TopicTracking
from workers.herder.values import Config, ConnectorInfo, ConnectorStatus, InstanceId, RestartRequest, TaskId
from workers.storage.assignment_store import AssignmentStore
from workers.storage.config_store import ConfigStore
from workers.storage.memory_log import MemoryLog, MemoryTopic, MemoryWriter
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
        stop_timeout: float = 5.0,
        request_timeout: float = 90.0,
        topic_tracking: TopicTracking = TRACKING,
        about: Mapping[str, object] = {},
    ):
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
            topics=self.active_topics,
            stop_timeout=stop_timeout,
            about=about,
        )
        self._request_timeout = request_timeout
        # Validation runs a connector's own code, which may hang.
        self._validations = Lanes(4, "validation")
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
        self._validations.stop(0)
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

    # --- waiting ------------------------------------------------------------------------------------------------------

    def _deadline(self) -> float:
        return time.monotonic() + self._request_timeout

    def _result(self, future: Future[T], deadline: float, stage: Stage | None = None) -> T:
        """Raises HerderError that says what the worker is at."""
        try:
            return future.result(max(0.0, deadline - time.monotonic()))
        except TimeoutError as error:
            raise _timed_out(stage or self._herder.stages.current) from error

    def _on_its_thread(self, action: Callable[[], T], deadline: float) -> T:
        future: Future[T] = self._herder.call(partial(in_time, action, deadline))
        return self._result(future, deadline)

    def _carry_out(self, name: str, action: Callable[[], T], deadline: float, what: str) -> T:
        """Does it, and returns when all that follows for the connector is over."""
        result, stage = self._on_its_thread(action, deadline), Stage(what, time.time())
        self._await(name, deadline, stage)
        return result

    def _await(self, name: str, deadline: float, stage: Stage) -> None:
        if not self._herder.carried_out(name, deadline - time.monotonic()):
            raise _timed_out(stage)

    # --- writes -------------------------------------------------------------------------------------------------------

    def create_connector(self, name: str, config: Config, initial_state: TargetState | None) -> ConnectorInfo:
        actions = self._herder.actions
        return self._put(name, config, lambda: actions.create_connector(name, config, initial_state))[1]

    def put_connector_config(self, name: str, config: Config) -> tuple[bool, ConnectorInfo]:
        return self._put(name, config, lambda: self._herder.actions.put_connector_config(name, config))

    def _put(self, name: str, config: Config, action: Callable[[], Any]) -> tuple[bool, ConnectorInfo]:
        # It may hold nulls still, which validation refuses.
        kind = self._plugins.type_of({key: value or "" for key, value in config.items()})
        deadline = self._deadline()
        validating = Stage(f"validating {kind} connector-specific properties for the connector", time.time())
        checked = self._validations.run(object(), partial(self._herder.actions.validate, config))
        self._result(checked, deadline, validating)
        created, info = self._carry_out(name, action, deadline, "starting the connector").result
        self._require_started(name)
        entry = self._configs.entry(name)
        return created, replace(info, tasks=entry.task_ids()) if entry else info

    def _require_started(self, name: str) -> None:
        """Raises HerderError, as Kafka Connect does: the connector is there all the same, and shows its trace."""
        entry, status = self._configs.entry(name), self._statuses.get(name)
        if entry is not None and status is not None and status.state is State.FAILED:
            raise HerderError(f"Failed to transition connector {name} to state {entry.target_state}")

    def delete_connector(self, name: str) -> None:
        actions = self._herder.actions
        self._carry_out(name, lambda: actions.delete_connector(name), self._deadline(), f"stopping connector {name}")

    def set_target_state(self, name: str, state: TargetState) -> None:
        if state is TargetState.STOPPED and self._configs.entry(name) is None:
            raise HerderError(f"No connector `{name}` configured")
        doing = "starting the connector" if state is TargetState.STARTED else f"stopping connector {name}"
        self._carry_out(name, lambda: self._herder.actions.set_target_state(name, state), self._deadline(), doing)

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
        self._restart(name, [name], deadline, "starting the connector")
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


def _timed_out(stage: Stage | None) -> HerderError:
    return HerderError(f"Request timed out. {stage}" if stage else "Request timed out")
