"""One life of a task."""

from collections.abc import Callable

from workers.herder.ports import RunningTask, TaskRunner, TaskSpec
from workers.herder.reconcile import Wanted
from workers.herder.run import Run
from workers.herder.states import State, TargetState
from workers.herder.status_writer import StatusWriter
from workers.metrics.worker_recorder import WorkerRecorder


class TaskRun(Run):
    """The runner makes a task at once; the task's own start comes later, on a thread of the runner's, and so may its failure.
    `stop_timeout` is asked for at each stop and pause."""

    def __init__(
        self,
        spec: TaskSpec,
        wanted: Wanted,
        status: StatusWriter,
        runner: TaskRunner,
        recorder: WorkerRecorder,
        stop_timeout: Callable[[], float],
    ) -> None:
        super().__init__(spec.id, wanted, status)
        self._spec = spec
        self._runner = runner
        self._recorder = recorder
        self._stop_timeout = stop_timeout
        self._task: RunningTask | None = None
        #: Whether its own start is over.
        self._started = False

    def _begin(self) -> None:
        self._recorder.attempted(self._spec.id)
        with self._own_code():
            self._task = self._runner.start(self._spec, started=self._has_started, failed=self._fail)
        task = self._task
        if task is None:
            # Made too late, and stopped before it began anything.
            return
        if self.wanted.target is TargetState.STARTED:
            task.resume()
        else:
            self._report_settled()

    def _has_started(self) -> None:
        """On a thread of the runner's, as `_fail` may be."""
        self._started = True
        self._recorder.succeeded(self._spec.id)
        if self.wanted.target is TargetState.STARTED:
            self.status.report(State.RUNNING)

    def _fail(self, error: BaseException) -> None:
        if self.status.fail(error) and not self._started:
            self._recorder.failed(self._spec.id)

    def _retarget(self) -> None:
        # While it is being made there is nothing to retarget yet: `_begin` looks at what is wanted then.
        if self._has_failed() or self._task is None:
            return
        if self.wanted.target is not TargetState.STARTED:
            self._task.pause(self._stop_timeout())
            self._report_settled()
            return
        self._task.resume()
        if self._started:
            self.status.report(State.RUNNING)

    def _stop(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.stop(self._stop_timeout())
