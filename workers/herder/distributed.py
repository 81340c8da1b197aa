"""The herder of a worker: follows the config topic and brings what it hosts in line with it; while it leads, it also writes."""

import logging
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from typing import Any

from workers.herder.actions import Actions
from workers.herder.errors import HerderError
from workers.herder.host import Host
from workers.herder.loop import Loop
from workers.herder.ports import Plugins, TaskRunner
from workers.herder.reconcile import Step, Wanted, steps, tasks_outdated, wanted_instances
from workers.herder.restart import chosen_instances
from workers.herder.states import TargetState
from workers.herder.topics import ActiveTopics
from workers.herder.values import ConnectorEntry, InstanceId, RestartRequest, TaskId
from workers.storage.config_store import ConfigStore
from workers.storage.config_tables import ConfigEvent
from workers.storage.log import Fenced, LogError
from workers.storage.status_store import StatusStore

logger = logging.getLogger(__name__)


class DistributedHerder:
    """`on_fenced` is called when another worker has taken the lead: this one must stop hosting anything at once."""

    def __init__(
        self,
        configs: ConfigStore,
        statuses: StatusStore,
        plugins: Plugins,
        runner: TaskRunner,
        *,
        topics: ActiveTopics,
        worker_id: str,
        on_fenced: Callable[[], None] = lambda: None,
    ):
        self._configs = configs
        self._statuses = statuses
        self._plugins = plugins
        self._topics = topics
        self._loop = Loop()
        self._on_fenced = on_fenced
        self._host = Host(plugins, runner, statuses, worker_id=worker_id, on_task_configs=self._task_configs)
        self.actions = Actions(configs, statuses, plugins, self._host, topics)
        #: Requests not yet carried out; several for one connector become one restart.
        self._restarts: dict[str, list[RestartRequest]] = {}

    def start(self) -> None:
        """Reads the topics to their end, starts everything that should run and follows from there. Raises LogError."""
        self._statuses.start()
        self._configs.start(self._on_event)
        self._loop.start()
        self._loop.call(self._start_all).result()

    def call(self, action: Callable[[], Any]) -> Future[Any]:
        """Runs an action of `actions` on the herder's thread."""
        return self._loop.call(partial(self._step_down_if_fenced, action))

    def _step_down_if_fenced(self, action: Callable[[], Any]) -> Any:
        try:
            return action()
        except HerderError as error:
            if isinstance(error.__cause__, Fenced):
                self._on_fenced()
            raise

    def stop(self) -> None:
        """Stops what is hosted, says so in the status topic and ends. What is queued is still answered."""
        self._loop.stop()
        self._host.shut_down()
        self._statuses.flush()
        self._configs.stop()
        self._statuses.stop()

    # --- following the config topic -----------------------------------------------------------------------------------

    def _start_all(self) -> None:
        connectors = self._configs.snapshot().connectors
        self._bury(connectors)
        for name in connectors:
            self._reconcile(name)
        logger.info("Hosting %d connector(s)", len(connectors))

    def _bury(self, connectors: Mapping[str, ConnectorEntry]) -> None:
        """Deletes the statuses and topics of connectors and tasks that ceased to be while nobody was there to see."""
        seen = self._statuses.snapshot()
        instances: list[InstanceId] = [*seen.connectors, *(TaskId(name, n) for name, tasks in seen.tasks.items() for n in tasks)]
        for instance in instances:
            name = instance.connector if isinstance(instance, TaskId) else instance
            if instance not in wanted_instances(connectors.get(name)):
                self._statuses.put(instance, None)
        for name in seen.topics:
            if name not in connectors:
                self._topics.forget(name)

    def _on_event(self, event: ConfigEvent) -> None:
        """On the log's thread: hands over at once."""
        if event.restart is not None:
            self._loop.post(partial(self._take_restart, event.restart))
        else:
            self._loop.post(partial(self._reconcile, event.connector))

    def _reconcile(self, name: str) -> None:
        entry = self._configs.snapshot().connectors.get(name)
        wanted = wanted_instances(entry)
        for instance, step in steps(wanted, self._host.hosted(name)).items():
            self._take(step, instance, entry, wanted)
        if entry is None:
            self._restarts.pop(name, None)
            self._topics.forget(name)

    def _take(self, step: Step, instance: InstanceId, entry: ConnectorEntry | None, wanted: dict[InstanceId, Wanted]) -> None:
        if step is Step.REMOVE or entry is None:
            self._host.remove(instance)
        elif step is Step.RETARGET:
            self._host.retarget(instance, wanted[instance])
        else:
            self._host.start(instance, entry, wanted[instance])

    def _take_restart(self, request: RestartRequest) -> None:
        # Posted, not done: further requests that are queued already join this one.
        self._restarts.setdefault(request.connector, []).append(request)
        self._loop.post(partial(self._restart, request.connector))

    def _restart(self, name: str) -> None:
        requests = self._restarts.pop(name, [])
        entry = self._configs.snapshot().connectors.get(name)
        if entry is None:
            return
        chosen = chosen_instances(requests, self._host.states(name))
        if chosen:
            logger.info("Restarting %s for %s", ", ".join(sorted(map(str, chosen))), "; ".join(map(str, requests)))
        for instance in sorted(chosen, key=lambda i: (isinstance(i, TaskId), str(i))):
            self._host.restart(instance, entry)

    # --- leading ------------------------------------------------------------------------------------------------------

    def _task_configs(self, name: str, revision: int, configs: list[dict[str, str]]) -> None:
        """From a lane: a connector has said which tasks it wants."""
        self._loop.post(partial(self._commit_tasks, name, revision, configs))

    def _commit_tasks(self, name: str, revision: int, configs: list[dict[str, str]]) -> None:
        entry = self._configs.snapshot().connectors.get(name)
        # Generated from a config that was replaced since, or for a connector that is to have no tasks: the newer word counts.
        if entry is None or entry.revision != revision or entry.target_state is TargetState.STOPPED:
            return
        if not tasks_outdated(entry, configs):
            return
        try:
            self._configs.put_tasks(name, configs)
        except Fenced:
            self._on_fenced()
        except LogError:
            logger.exception("The task configs of %s could not be written; trying again", name)
            self._loop.post(partial(self._commit_tasks, name, revision, configs))
