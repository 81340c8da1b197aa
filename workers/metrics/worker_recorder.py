"""What one worker does beside its tasks' own work, and which of its tasks are counted."""

import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

from workers.herder.values import InstanceId, TaskId
from workers.metrics.rebalances import Rebalances
from workers.metrics.task_recorder import COLUMNS, Kind, TaskRecorder

#: How long, in seconds, the counts of a task that has left are kept: it may only be starting anew.
_KEPT = 120.0


class _Starts:
    def __init__(self) -> None:
        self.attempts = self.failures = self.successes = self.restarts = 0


class WorkerRecorder:
    """One in each worker process. Instances start and stop under its lock; a running task never comes near it."""

    def __init__(self) -> None:
        self.rebalances = Rebalances()
        #: What the host runs, as it runs it: the host's own.
        self.hosted: Collection[InstanceId] = ()
        self._connectors, self._tasks = _Starts(), _Starts()
        self._lock = threading.Lock()
        self._recorders: dict[TaskId, TaskRecorder] = {}
        #: How many lives of a task are under way; a new one may begin before the one before has really ended.
        self._lives: dict[TaskId, int] = {}
        self._left: dict[TaskId, float] = {}

    # --- instances --------------------------------------------------------------------------------------------------------

    @contextmanager
    def start(self, instance: InstanceId) -> Iterator[None]:
        """Around a start that is over when its call is."""
        self.attempted(instance)
        try:
            yield
        except BaseException:
            self.failed(instance)
            raise
        self.succeeded(instance)

    def attempted(self, instance: InstanceId) -> None:
        with self._lock:
            self._starts(instance).attempts += 1

    def failed(self, instance: InstanceId) -> None:
        with self._lock:
            self._starts(instance).failures += 1

    def succeeded(self, instance: InstanceId) -> None:
        with self._lock:
            self._starts(instance).successes += 1

    def restarted(self, instance: InstanceId) -> None:
        with self._lock:
            self._starts(instance).restarts += 1

    def _starts(self, instance: InstanceId) -> _Starts:
        return self._tasks if isinstance(instance, TaskId) else self._connectors

    # --- tasks ------------------------------------------------------------------------------------------------------------

    def task(self, task: TaskId, kind: Kind) -> TaskRecorder:
        """The task's recorder: that of its life before, if it ran here until a moment ago."""
        with self._lock:
            recorder = self._recorders.get(task)
            if recorder is None or recorder.kind != kind:
                recorder = self._recorders[task] = TaskRecorder(task, kind)
            self._left.setdefault(task, time.monotonic())
            return recorder

    def begun(self, recorder: TaskRecorder) -> None:
        with self._lock:
            # It may have been forgotten while its start took long.
            self._recorders[recorder.task] = recorder
            self._lives[recorder.task] = self._lives.get(recorder.task, 0) + 1
            self._left.pop(recorder.task, None)
            # The new life has not looked yet.
            recorder.saw({}, {})

    def ended(self, recorder: TaskRecorder) -> None:
        with self._lock:
            lives = self._lives.pop(recorder.task) - 1
            if lives:
                self._lives[recorder.task] = lives
            else:
                self._left[recorder.task] = time.monotonic()

    def _forget_old(self) -> None:
        before = time.monotonic() - _KEPT
        for task in [task for task, left in self._left.items() if left < before and task not in self._lives]:
            del self._left[task], self._recorders[task]

    # --- figures ----------------------------------------------------------------------------------------------------------

    def figures(self) -> dict[str, Any]:
        """Plain values for JSON: `{"leader", "worker": {name: figure}, "tasks": [{"columns", "rows"}]}`. A row begins with the
        connector and the task's number; columns name the rest."""
        hosted = list(self.hosted)
        with self._lock:
            self._forget_old()
            running = [self._recorders[task] for task in self._lives]
        tasks = sum(isinstance(instance, TaskId) for instance in hosted)
        return {
            "leader": self.rebalances.leader,
            "worker": {
                "kafka_connect_connect_worker_metrics_connector_count": len(hosted) - tasks,
                "kafka_connect_connect_worker_metrics_task_count": tasks,
                **_start_figures("connector", self._connectors),
                **_start_figures("task", self._tasks),
                **self.rebalances.figures(),
            },
            "tasks": [
                {"columns": columns, "rows": [_row(recorder) for recorder in running if recorder.kind == kind]}
                for kind, columns in COLUMNS.items()
            ],
        }


def _start_figures(what: str, starts: _Starts) -> dict[str, int]:
    prefix = f"kafka_connect_connect_worker_metrics_{what}_startup"
    return {
        f"{prefix}_attempts_total": starts.attempts,
        f"{prefix}_success_total": starts.successes,
        f"{prefix}_failure_total": starts.failures,
        f"drover_worker_{what}_restarts_total": starts.restarts,
    }


def _row(recorder: TaskRecorder) -> list[Any]:
    return [recorder.task.connector, recorder.task.task, *recorder.figures()]
