"""One life of a connector's own instance, which says which tasks the connector is to have."""

import logging
from collections.abc import Callable
from functools import partial

from workers.herder.ports import ConnectorContext, ConnectorInstance, Plugins
from workers.herder.reconcile import Wanted
from workers.herder.run import Run
from workers.herder.states import State, TargetState
from workers.herder.status_writer import StatusWriter
from workers.herder.values import Config
from workers.metrics.worker_recorder import WorkerRecorder

logger = logging.getLogger(__name__)

# Something of the connector's own has not come back when it is its turn again.
_LOOK_AGAIN = 1.0

#: Does a piece of work in the connector's lane, after so many seconds.
InLane = Callable[[float, Callable[[], None]], None]
#: Hears on a lane which tasks a connector wants: its name, the revision of its config, the tasks' configs.
OnTaskConfigs = Callable[[str, int, list[dict[str, str]]], None]


class ConnectorRun(Run):
    """Its instance is started when it is to run, stopped when it is not, and started again: a pause stops it."""

    def __init__(
        self,
        name: str,
        config: Config,
        wanted: Wanted,
        status: StatusWriter,
        plugins: Plugins,
        recorder: WorkerRecorder,
        on_task_configs: OnTaskConfigs,
        in_lane: InLane,
    ) -> None:
        super().__init__(name, wanted, status)
        self._name = name
        self._config = config
        self._plugins = plugins
        self._recorder = recorder
        self._on_task_configs = on_task_configs
        self._in_lane = in_lane
        self._connector: ConnectorInstance | None = None
        #: Whether the connector's own `start` was called and `stop` was not yet.
        self._started = False
        #: Which of its starts this is: what an earlier one has asked for is over.
        self._starts = 0
        #: Whether it has asked for its tasks to be made anew, and nobody has begun that.
        self._reconfiguring = False
        #: What was wanted has changed while it was busy.
        self._missed = False

    def _begin(self) -> None:
        with self._recorder.start(self._name):
            if self.wanted.target is TargetState.STARTED:
                self._start()
            else:
                self._report_settled()

    def _start(self) -> None:
        """Each call may take for ever, and what was wanted may be another by its end."""
        with self._own_code():
            self._connector = self._connector or self._plugins.create(self._config)
            if not self.is_to_run():
                return
            self._started = True
            self._starts += 1
            self._connector.start(self._context(self._starts))
            self._missed = False
        if self.is_to_run():
            self._show_and_tell(self._connector)

    def _show_and_tell(self, connector: ConnectorInstance) -> None:
        """That it runs, and which tasks it is to have."""
        self.status.report(State.RUNNING)
        with self._own_code():
            self._generate_tasks(connector)

    def _context(self, start: int) -> ConnectorContext:
        def request_task_reconfiguration() -> None:
            if self._goes_on(start) and not self._reconfiguring:
                self._reconfiguring = True
                # Nothing is to wait behind what asks: it would be given up on.
                self._in_lane(_LOOK_AGAIN if self._busy else 0, lambda: self._try(self._reconfigure))

        def every(seconds: float, work: Callable[[], None]) -> None:
            def turn() -> None:
                if self._goes_on(start):
                    self._do_own_work(work)
                    # Only now: behind one that waits in the lane, it would be given up on.
                    self._in_lane(seconds, turn)

            self._in_lane(seconds, turn)

        return ConnectorContext(request_task_reconfiguration, every)

    def _goes_on(self, start: int) -> bool:
        return self._starts == start and self._started and self.is_to_run()

    def _reconfigure(self) -> None:
        if self._connector is None or not self._started or not self.is_to_run():
            # Its next start asks for its tasks.
            self._reconfiguring = False
        elif self._busy:
            self._in_lane(_LOOK_AGAIN, lambda: self._try(self._reconfigure))
        else:
            with self._own_code():
                self._generate_tasks(self._connector)

    def _do_own_work(self, work: Callable[[], None]) -> None:
        if self._busy:
            return
        try:
            with self._own_code():
                work()
        except Exception:
            logger.exception("%s could not do what it does again and again; it is tried again", self._name)

    def _generate_tasks(self, connector: ConnectorInstance) -> None:
        self._reconfiguring = False
        maximum = int(connector.config.get("tasks.max", "1"))
        configs = connector.task_configs(maximum)
        if len(configs) > maximum and connector.config.get("tasks.max.enforce", "true").lower() == "true":
            raise TooManyTasks(self._name, len(configs), maximum)
        if self.is_to_run():
            self._on_task_configs(self._name, self.wanted.revision, configs)

    def _come_back(self) -> None:
        super()._come_back()
        if self.wanted.target is not TargetState.STARTED:
            self._stop()
        elif self._missed and self._started and self._connector is not None:
            self._missed = False
            self._try(partial(self._show_and_tell, self._connector))

    def _retarget(self) -> None:
        if self._busy:
            # Whoever comes back does what is wanted then.
            self._missed = True
            if self.wanted.target is not TargetState.STARTED:
                self._report_settled()
            return
        failed = self._has_failed()
        if self.wanted.target is TargetState.STARTED:
            if failed or not self._started or self._connector is None:
                self.status.forget_failure()
                self.begin()
            else:
                # It was stopped and resumed before its turn came: whoever wrote that down has taken its tasks away.
                self._show_and_tell(self._connector)
            return
        self._stop()
        # A failed connector that is paused still has failed; stopping it is a clean slate (KIP-875).
        if not failed or self.wanted.target is TargetState.STOPPED:
            self._report_settled()

    def _stop(self) -> None:
        if self._connector is None or not self._started:
            return
        self._started = False
        with self._own_code():
            self._connector.stop()
        if self._missed and self.is_to_run():
            self._missed = False
            self.begin()


class TooManyTasks(Exception):
    """KIP-1004."""

    def __init__(self, connector: str, generated: int, maximum: int) -> None:
        super().__init__(
            f"The connector {connector} has generated {generated} tasks, which is greater than {maximum}, the maximum number "
            f"of tasks it is configured to create. This behaviour should be considered a bug and is disallowed. If necessary, "
            f"it can be permitted by reconfiguring the connector with 'tasks.max.enforce' set to false; however, this option "
            f"will be removed in a future release of Kafka Connect."
        )
