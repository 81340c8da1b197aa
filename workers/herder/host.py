"""The instances that this worker hosts: starts, stops and retargets them.

The herder's thread gives the orders and never waits; the work is done in lanes, one for each instance. What that work is stands
in `run.py`, what is said of it in `status_writer.py`.
"""

import logging
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Any

from workers.herder.clock import Clock
from workers.herder.connector_run import ConnectorRun, OnTaskConfigs
from workers.herder.lanes import Lanes
from workers.herder.ports import Plugins, TaskRunner, TaskSpec
from workers.herder.reconcile import Wanted
from workers.herder.run import Run
from workers.herder.states import State
from workers.herder.status_writer import Author, StatusWriter
from workers.herder.task_run import TaskRun
from workers.herder.values import ConnectorEntry, InstanceId, TaskId, connector_of
from workers.metrics.worker_recorder import WorkerRecorder
from workers.storage.status_store import StatusStore

logger = logging.getLogger(__name__)

# Less than what a supervisor waits before it kills.
_LAST_STOP_TIMEOUT = 15.0
_SLACK = 2.0


class Host:
    """There is one run of each instance, the newest. Nothing that an earlier one still says or does counts any more."""

    def __init__(
        self,
        plugins: Plugins,
        runner: TaskRunner,
        statuses: StatusStore,
        *,
        worker_id: str,
        on_task_configs: OnTaskConfigs,
        stop_timeout: float = 5.0,
        may_speak: Callable[[], bool] = lambda: True,
        threads: int = 16,
        recorder: WorkerRecorder | None = None,
    ) -> None:
        self._plugins = plugins
        self._runner = runner
        self._statuses = statuses
        self._author = Author(worker_id)
        self._on_task_configs = on_task_configs
        self._stop_timeout = stop_timeout
        self._may_speak = may_speak
        # Whoever stops in time is waited for; whoever does not come back is left behind.
        self._lanes = Lanes(threads, "lifecycle", patience=stop_timeout + _SLACK)
        self._clock = Clock("lifecycle-clock")
        self._runs: dict[InstanceId, Run] = {}
        self._recorder = recorder or WorkerRecorder()
        self._recorder.hosted = self._runs
        #: The epoch of the assignment that the herder's orders follow.
        self._epoch = 0

    # --- what is hosted -------------------------------------------------------------------------------------------------

    def hosted(self, connector: str) -> dict[InstanceId, Wanted]:
        return {instance: run.wanted for instance, run in self._runs.items() if connector_of(instance) == connector}

    def states(self, connector: str) -> dict[InstanceId, State]:
        return {instance: self._runs[instance].status.state for instance in self.hosted(connector)}

    def hosts(self, instance: InstanceId) -> bool:
        return instance in self._runs

    def instances(self) -> list[InstanceId]:
        return list(self._runs)

    def connectors(self) -> set[str]:
        return set(map(connector_of, self._runs))

    # --- what the herder knows ------------------------------------------------------------------------------------------

    def has_acted_on(self, offset: int) -> None:
        """The config topic up to `offset`."""
        self._author.acted_on = max(self._author.acted_on or 0, offset)

    def confirm(self, instances: Iterable[InstanceId], epoch: int) -> None:
        """By the assignment of `epoch` these are this worker's. What it says of others is of an earlier one, whatever it knows by
        then: it may be cut off and read on."""
        self._epoch = max(self._epoch, epoch)
        for instance in instances:
            if run := self._runs.get(instance):
                run.status.generation = max(run.status.generation, self._epoch)

    # --- orders ---------------------------------------------------------------------------------------------------------

    def start(self, instance: InstanceId, entry: ConnectorEntry, wanted: Wanted) -> Future[Any]:
        """Starts a new run in place of the one there is. The future is done when it is RUNNING (or what is wanted) or failed."""
        old, new = self._runs.get(instance), self._new_run(instance, entry, wanted)
        self._runs[instance] = new
        if old is not None:
            # From here the new run speaks for the instance: nothing that the old one still has to say comes in between.
            old.silence()
            # Work of its own: if it hangs it is left behind, and what follows goes on.
            self._lanes.run(instance, old.end)
        new.start = self._lanes.run(instance, new.begin)
        return new.start

    def _new_run(self, instance: InstanceId, entry: ConnectorEntry, wanted: Wanted) -> Run:
        config = entry.config or {}
        status = StatusWriter(instance, config, self._epoch, self._author, self._statuses, self._plugins)
        if isinstance(instance, TaskId):
            spec = TaskSpec(instance, entry.tasks[instance.task], config, entry.task_count, self._epoch)
            return TaskRun(spec, wanted, status, self._runner, self._recorder, lambda: self._stop_timeout)

        def in_lane(seconds: float, work: Callable[[], None]) -> None:
            self._clock.after(seconds, lambda: self._lanes.run(instance, work))

        return ConnectorRun(instance, config, wanted, status, self._plugins, self._recorder, self._on_task_configs, in_lane)

    def restart(self, instance: InstanceId, entry: ConnectorEntry) -> Future[Any]:
        """As `start` with the same config; readers see RESTARTING from before anything is touched (KIP-745)."""
        run = self._runs[instance]
        if not run.begun:
            # It is about to start, for a restart asked for before: that start is this one's, too.
            return run.start
        self.announce_restart(instance)
        return self.start(instance, entry, run.wanted)

    def announce_restart(self, instance: InstanceId) -> None:
        """Readers see RESTARTING, and nothing that the present run still has to say. `restart` is to follow."""
        run = self._runs[instance]
        if not run.begun:
            return
        # It may be starting at this moment, and its RUNNING must not follow the RESTARTING.
        run.silence()
        run.status.restarting()
        self._recorder.restarted(instance)

    def halt(self, instance: InstanceId) -> Future[Any]:
        """Stops the run and says nothing of it: `restart` is to follow. Done when it has stopped, or was given up on."""
        run = self._runs[instance]
        run.silence()
        return self._end(run)

    def retarget(self, instance: InstanceId, wanted: Wanted) -> Future[Any]:
        run = self._runs[instance]
        run.wanted = wanted
        return self._lanes.run(instance, run.retarget)

    def remove(self, instance: InstanceId) -> Future[Any]:
        """Stops the instance for good. Its status is for the leader to delete: this worker may be the last to hear of it."""
        return self._end(self._runs.pop(instance))

    def release(self, instance: InstanceId) -> Future[Any]:
        """Stops the instance because it will run elsewhere, or later."""
        run = self._runs.pop(instance)
        self._end(run)
        return self._lanes.run(instance, lambda: self._unassign(run))

    def _end(self, run: Run) -> Future[Any]:
        self._lanes.run(run.instance, run.end)
        # What nobody waits behind would never be given up on.
        return self._lanes.settled(run.instance)

    def _unassign(self, run: Run) -> None:
        # Of what was taken from this worker because it was cut off, others speak by now, or nobody: it may have been deleted.
        if self._may_speak():
            run.status.unassigned()

    def say_again(self, instance: InstanceId) -> None:
        """Repeats the newest status, if the instance is hosted here."""
        if run := self._runs.get(instance):
            run.status.repeat()

    def shut_down(self) -> None:
        """Releases everything and waits until it is done. Nobody waits for a restart here, so a job may take its time to end:
        one that is cut off is done again at the next start, and what it had written is there twice."""
        self._stop_timeout = max(self._stop_timeout, _LAST_STOP_TIMEOUT)
        for instance in list(self._runs):
            self.release(instance)
        self._clock.stop()
        if not self._lanes.stop(self._stop_timeout + _SLACK):
            logger.error("Not everything stopped in time")

    # --- waiting --------------------------------------------------------------------------------------------------------

    def idle(self, connector: str | None = None) -> bool:
        """Whether every order has been carried out; of one connector and its tasks, if it is named."""
        return self._lanes.idle() if connector is None else self._lanes.idle(_of(connector))

    def wait_until_idle(self, connector: str, timeout: float) -> bool:
        """Whether every order for the connector and its tasks was carried out within `timeout` seconds. For any thread."""
        return self._lanes.wait_until_idle(timeout, _of(connector))

    def settled(self, instance: InstanceId) -> Future[Any]:
        """Done when every order given for the instance so far is carried out, and all that was said of it is in the topic."""
        return self._lanes.run(instance, self._statuses.flush)


def _of(connector: str) -> Callable[[Any], bool]:
    return lambda instance: connector_of(instance) == connector
