"""The instances that this worker hosts: starts, stops and retargets them, and tells the status store.

The herder's thread gives the orders and never waits; the work is done in lanes, one for each instance. Statuses of an
instance are written only here, and only for its newest run: what a run that was replaced still says is dropped.
"""

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from workers.herder.lanes import Lanes
from workers.herder.ports import ConnectorInstance, Plugins, RunningTask, TaskRunner, TaskSpec
from workers.herder.reconcile import Wanted
from workers.herder.states import SETTLED, State, TargetState
from workers.herder.traces import trace
from workers.herder.values import Config, ConnectorEntry, InstanceId, Status, TaskId
from workers.metrics.worker_recorder import WorkerRecorder
from workers.storage.status_store import StatusStore

logger = logging.getLogger(__name__)

# Less than what a supervisor waits before it kills.
_LAST_STOP_TIMEOUT = 15.0
_SLACK = 2.0


@dataclass(slots=True, eq=False)
class Run:
    """One life of an instance, from start to stop."""

    instance: InstanceId
    config: Config
    connector_config: Config
    tasks: int
    wanted: Wanted
    state: State = State.UNASSIGNED
    connector: ConnectorInstance | None = None
    task: RunningTask | None = None
    #: Whether the connector's own `start` was called and `stop` was not yet; of a task, whether its own start is over.
    started: bool = False
    #: A call of the connector's or task's own code is under way. One that never comes back must not be joined by another.
    busy: bool = False
    #: The epoch up to which it was known to be this worker's; goes into every status.
    generation: int = 0
    #: What was wanted has changed meanwhile.
    missed: bool = False
    over: bool = False
    #: Its start, and whether that has begun.
    start: Future[Any] = field(default_factory=Future)
    begun: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def is_to_run(self) -> bool:
        return not self.over and self.wanted.target is TargetState.STARTED


class Host:
    """`on_task_configs(name, revision, configs)` is called on a lane when a connector has said which tasks it wants."""

    def __init__(
        self,
        plugins: Plugins,
        runner: TaskRunner,
        statuses: StatusStore,
        *,
        worker_id: str,
        on_task_configs: Callable[[str, int, list[dict[str, str]]], None],
        stop_timeout: float = 5.0,
        may_speak: Callable[[], bool] = lambda: True,
        threads: int = 16,
        recorder: WorkerRecorder | None = None,
    ):
        self._plugins = plugins
        self._runner = runner
        self._statuses = statuses
        self._worker_id = worker_id
        self._on_task_configs = on_task_configs
        self._stop_timeout = stop_timeout
        self._may_speak = may_speak
        # Whoever stops in time is waited for; whoever does not come back is left behind.
        self._lanes = Lanes(threads, "lifecycle", patience=stop_timeout + _SLACK)
        self._runs: dict[InstanceId, Run] = {}
        self._recorder = recorder or WorkerRecorder()
        self._recorder.hosted = self._runs
        #: The epoch of the assignment that the herder's orders follow.
        self.generation = 0
        #: How far in the config topic the herder has acted; goes into every status.
        self.acted_on: int | None = None

    # --- what the herder's thread asks --------------------------------------------------------------------------------

    def hosted(self, connector: str) -> dict[InstanceId, Wanted]:
        return {i: run.wanted for i, run in self._runs.items() if (i.connector if isinstance(i, TaskId) else i) == connector}

    def states(self, connector: str) -> dict[InstanceId, State]:
        return {instance: self._runs[instance].state for instance in self.hosted(connector)}

    def hosts(self, instance: InstanceId) -> bool:
        return instance in self._runs

    def idle(self, connector: str | None = None) -> bool:
        """Whether every order has been carried out; of one connector and its tasks, if it is named."""
        return self._lanes.idle() if connector is None else self._lanes.idle(_of(connector))

    def wait_until_idle(self, connector: str, timeout: float) -> bool:
        """Whether every order for the connector and its tasks was carried out within `timeout` seconds. For any thread."""
        return self._lanes.wait_until_idle(timeout, _of(connector))

    def settled(self, instance: InstanceId) -> Future[Any]:
        """Done when every order given for the instance so far is carried out, and all that was said of it is in the topic."""
        return self._lanes.run(instance, self._statuses.flush)

    def instances(self) -> list[InstanceId]:
        return list(self._runs)

    def connectors(self) -> set[str]:
        return {i.connector if isinstance(i, TaskId) else i for i in self._runs}

    def confirm(self, instances: Iterable[InstanceId]) -> None:
        """By the assignment of `generation` these are this worker's. What it says of others is of an earlier one, whatever it
        knows by then: it may be cut off and read on."""
        for instance in instances:
            if run := self._runs.get(instance):
                run.generation = max(run.generation, self.generation)

    # --- orders -------------------------------------------------------------------------------------------------------

    def start(self, instance: InstanceId, entry: ConnectorEntry, wanted: Wanted) -> Future[Any]:
        """Starts a new run in place of the one there is. The future is done when it is RUNNING (or what is wanted) or failed."""
        old, new = self._runs.get(instance), self._new_run(instance, entry, wanted)
        self._runs[instance] = new
        if old is not None:
            # From here the new run speaks for the instance: nothing that the old one still has to say comes in between.
            self._silence(old)
            # Work of its own: if it hangs it is left behind, and what follows goes on.
            self._lanes.run(instance, lambda: self._end(old))
        new.start = self._lanes.run(instance, lambda: self._begin(new))
        return new.start

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
        self._silence(run)
        seen = self._statuses.get(instance)
        if seen is None or seen.state is not State.RESTARTING:
            self._write(run, State.RESTARTING, None)
        self._recorder.restarted(instance)

    def halt(self, instance: InstanceId) -> Future[Any]:
        """Stops the run and says nothing of it: `restart` is to follow. Done when it has stopped, or was given up on."""
        run = self._runs[instance]
        self._silence(run)
        self._lanes.run(instance, lambda: self._end(run))
        return self._lanes.settled(instance)

    def retarget(self, instance: InstanceId, wanted: Wanted) -> Future[Any]:
        run = self._runs[instance]
        run.wanted = wanted
        return self._lanes.run(instance, lambda: self._retarget(run))

    def remove(self, instance: InstanceId) -> Future[Any]:
        """Stops the instance for good. Its status is for the leader to delete: this worker may be the last to hear of it."""
        return self._leave(instance, lambda run: None)

    def release(self, instance: InstanceId) -> Future[Any]:
        """Stops the instance because it will run elsewhere, or later."""
        return self._leave(instance, self._unassign)

    def _unassign(self, run: Run) -> None:
        seen = self._statuses.get(run.instance)
        # Between a restart that was promised and the instance running again nothing else is shown, wherever it runs. And of what
        # was taken from this worker because it was cut off, others speak by now, or nobody: it may have been deleted.
        if self._may_speak() and (seen is None or seen.state is not State.RESTARTING):
            self._report(run, State.UNASSIGNED)

    def _leave(self, instance: InstanceId, afterwards: Callable[[Run], None]) -> Future[Any]:
        run = self._runs.pop(instance)
        self._lanes.run(instance, lambda: self._end(run))
        return self._lanes.run(instance, lambda: afterwards(run))

    def shut_down(self) -> None:
        """Releases everything and waits until it is done. Nobody waits for a restart here, so a job may take its time to end:
        one that is cut off is done again at the next start, and what it had written is there twice."""
        self._stop_timeout = max(self._stop_timeout, _LAST_STOP_TIMEOUT)
        for instance in list(self._runs):
            self.release(instance)
        if not self._lanes.stop(self._stop_timeout + _SLACK):
            logger.error("Not everything stopped in time")

    def say_again(self, instance: InstanceId) -> None:
        """Repeats the newest status, if the instance is hosted here and nothing newer is on its way."""
        run, seen = self._runs.get(instance), self._statuses.get(instance)
        if run is None or seen is None or seen.worker_id != self._worker_id:
            return
        with run.lock:
            if run.state is seen.state and not run.over:
                self._statuses.put(instance, replace(seen, generation=run.generation))

    # --- the work, in the lanes ---------------------------------------------------------------------------------------

    def _new_run(self, instance: InstanceId, entry: ConnectorEntry, wanted: Wanted) -> Run:
        connector_config = entry.config or {}
        config = entry.tasks[instance.task] if isinstance(instance, TaskId) else connector_config
        return Run(instance, config, connector_config, entry.task_count, wanted, generation=self.generation)

    def _begin(self, run: Run) -> None:
        run.begun = True
        if run.over:
            return
        try:
            if isinstance(run.instance, TaskId):
                self._recorder.attempted(run.instance)
                self._begin_task(run, run.instance)
            else:
                with self._recorder.start(run.instance):
                    self._begin_connector(run)
        except BaseException as error:
            self._failed(run, error)
            raise

    @contextmanager
    def _own_code(self, run: Run) -> Iterator[None]:
        """Around calls of connector and task code. Whoever was given up on in there, and comes back after all, is stopped."""
        run.busy = True
        try:
            yield
        finally:
            run.busy = False
            if run.over:
                self._end(run)
            elif run.wanted.target is not TargetState.STARTED:
                self._stop_connector(run)

    def _begin_task(self, run: Run, task: TaskId) -> None:
        paused = run.wanted.target is not TargetState.STARTED
        spec = TaskSpec(task, run.config, run.connector_config, run.tasks)
        with self._own_code(run):
            run.task = self._runner.start(
                spec,
                paused=paused,
                started=lambda: self._task_started(run),
                failed=lambda error: self._failed(run, error),
            )
        if run.wanted.target is not TargetState.STARTED and run.task is not None:
            if not paused:
                run.task.pause(self._stop_timeout)
            self._report(run, SETTLED[run.wanted.target])

    def _task_started(self, run: Run) -> None:
        """On a thread of the runner's."""
        run.started = True
        self._recorder.succeeded(run.instance)
        if run.wanted.target is TargetState.STARTED:
            self._report(run, State.RUNNING)

    def _begin_connector(self, run: Run) -> None:
        if run.wanted.target is TargetState.STARTED:
            self._start_connector(run)
        else:
            self._report(run, SETTLED[run.wanted.target])

    def _start_connector(self, run: Run) -> None:
        """Each call may take for ever, and what was wanted may be another by its end."""
        with self._own_code(run):
            run.connector = run.connector or self._plugins.create(run.config)
            if not run.is_to_run():
                return
            run.started = True
            run.connector.start()
        if run.is_to_run():
            self._report(run, State.RUNNING)
            with self._own_code(run):
                self._generate_tasks(run, run.connector)

    def _generate_tasks(self, run: Run, connector: ConnectorInstance) -> None:
        maximum = int(connector.config.get("tasks.max", "1"))
        configs = connector.task_configs(maximum)
        if len(configs) > maximum and connector.config.get("tasks.max.enforce", "true").lower() == "true":
            raise TooManyTasks(str(run.instance), len(configs), maximum)
        if run.is_to_run():
            self._on_task_configs(str(run.instance), run.wanted.revision, configs)

    def _retarget(self, run: Run) -> None:
        if run.over:
            return
        try:
            if isinstance(run.instance, TaskId):
                self._retarget_task(run)
            else:
                self._retarget_connector(run)
        except BaseException as error:
            self._failed(run, error)
            raise

    def _retarget_task(self, run: Run) -> None:
        if run.state is State.FAILED or run.task is None:
            return
        if run.wanted.target is not TargetState.STARTED:
            run.task.pause(self._stop_timeout)
            self._report(run, SETTLED[run.wanted.target])
            return
        run.task.resume()
        if run.started:
            self._report(run, State.RUNNING)

    def _retarget_connector(self, run: Run) -> None:
        if run.busy:
            # Whoever comes back does what is wanted then.
            run.missed = True
            if run.wanted.target is not TargetState.STARTED:
                self._report(run, SETTLED[run.wanted.target])
            return
        if run.wanted.target is TargetState.STARTED and run.started and run.state is not State.FAILED:
            return
        if run.wanted.target is TargetState.STARTED:
            with run.lock:
                # A new try: if it fails, for a reason of its own.
                run.state = State.UNASSIGNED
            self._begin(run)
            return
        failed = run.state is State.FAILED
        self._stop_connector(run)
        # A failed connector that is paused still has failed; stopping it is a clean slate (KIP-875).
        if not failed or run.wanted.target is TargetState.STOPPED:
            self._report(run, SETTLED[run.wanted.target])

    def _silence(self, run: Run) -> None:
        with run.lock:
            run.over = True

    def _end(self, run: Run) -> None:
        self._silence(run)
        try:
            if run.busy:
                # In its own code still, for longer than anybody waits: it is stopped when it comes back.
                logger.error("%s does not come back; going on without it", run.instance)
            elif isinstance(run.instance, TaskId):
                task, run.task = run.task, None
                if task is not None:
                    task.stop(self._stop_timeout)
            else:
                self._stop_connector(run)
        except Exception:
            logger.exception("%s did not stop cleanly", run.instance)

    def _stop_connector(self, run: Run) -> None:
        if run.connector is not None and run.started:
            run.started = False
            run.busy = True
            try:
                run.connector.stop()
            finally:
                run.busy = False
            if run.missed and run.is_to_run():
                self._begin(run)

    # --- statuses -----------------------------------------------------------------------------------------------------

    def _failed(self, run: Run, error: BaseException) -> None:
        with run.lock:
            if run.over or run.state is State.FAILED:
                return
            run.state = State.FAILED
            if isinstance(run.instance, TaskId) and not run.started:
                self._recorder.failed(run.instance)
            logger.error("%s failed", run.instance, exc_info=error)
            self._write(run, State.FAILED, trace(error))

    def _report(self, run: Run, state: State) -> None:
        with run.lock:
            # A task may fail on another thread before its start or pause is reported here: the failure is the newer truth.
            if run.state is State.FAILED and isinstance(run.instance, TaskId) and state is not State.UNASSIGNED:
                return
            if run.over and state is not State.UNASSIGNED:
                return
            run.state = state
            self._write(run, state, None)

    def _write(self, run: Run, state: State, text: str | None) -> None:
        version = self._plugins.version_of(run.connector_config)
        status = Status(state, self._worker_id, run.generation, text, version, self.acted_on)
        self._statuses.put(run.instance, status)


def _of(connector: str) -> Callable[[object], bool]:
    return lambda instance: (instance.connector if isinstance(instance, TaskId) else instance) == connector


class TooManyTasks(Exception):
    """KIP-1004."""

    def __init__(self, connector: str, generated: int, maximum: int):
        super().__init__(
            f"The connector {connector} has generated {generated} tasks, which is greater than {maximum}, the maximum number "
            f"of tasks it is configured to create. This behaviour should be considered a bug and is disallowed. If necessary, "
            f"it can be permitted by reconfiguring the connector with 'tasks.max.enforce' set to false; however, this option "
            f"will be removed in a future release of Kafka Connect."
        )
