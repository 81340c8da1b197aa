"""What one task does, counted as it does it."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

from workers.herder.values import TaskId
from workers.metrics.window import Window

Kind = Literal["source", "sink"]
Figure = float | None


class TaskRecorder:
    """Written by the thread that runs the task's step, read by the one that sends figures: no locks, at worst a figure is that of
    a moment before. Counts go on when the task starts anew on the same worker."""

    def __init__(self, task: TaskId, kind: Kind) -> None:
        self.task = task
        self.kind: Kind = kind
        self.read = self.written = self.batches = 0
        self.commits = self.commit_failures = 0
        self.errors = self.failures = self.retries = 0
        self.skipped = self.logged = self.queued = self.queue_failures = 0
        #: Milliseconds since the epoch.
        self.last_error: int | None = None
        self.batch_sizes, self.batch_times, self.commit_times = Window(), Window(), Window()
        #: 1 for each commit that failed, 0 for each that succeeded.
        self.commit_outcomes = Window()
        self._ends: Mapping[Any, int] = {}
        self._positions: Mapping[Any, int] = {}

    def fetched(self, records: int | None) -> None:
        self.read += records or 0

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Around the job that writes a batch."""
        began = time.monotonic()
        yield
        self.batch_times.add(_milliseconds_since(began))
        self.batches += 1

    def wrote(self, records: int | None) -> None:
        """`records` is None where nobody knows how many they were."""
        if records is not None:
            self.written += records
            self.batch_sizes.add(records)

    @contextmanager
    def commit(self) -> Iterator[None]:
        """Around an offset commit."""
        began = time.monotonic()
        try:
            yield
        except BaseException:
            self.commit_failures += 1
            self.commit_outcomes.add(1)
            raise
        self.commits += 1
        self.commit_outcomes.add(0)
        self.commit_times.add(_milliseconds_since(began))

    def saw(self, ends: Mapping[Any, int], positions: Mapping[Any, int]) -> None:
        """What there is and how far the task is. `ends` must not be changed afterwards; `positions` may move on."""
        self._ends, self._positions = ends, positions

    @contextmanager
    def attempt(self, is_retried: Callable[[BaseException], bool]) -> Iterator[None]:
        """Around everything the task does at a time. `is_retried` says of an error whether the same is tried again."""
        try:
            yield
        except GeneratorExit:
            # It was called off before it began.
            raise
        except BaseException as error:
            retried = is_retried(error)
            self.errors += 1
            self.retries += retried
            self.failures += not retried
            self.last_error = round(time.time() * 1000)
            raise

    def tolerated(self, records: int) -> None:
        """So many could not be processed and were left out."""
        self.errors += records
        self.failures += records
        self.skipped += records
        self.last_error = round(time.time() * 1000)

    def _lags(self) -> list[int]:
        positions = self._positions
        return [max(0, end - positions.get(partition, end)) for partition, end in self._ends.items()]

    def figures(self) -> list[Figure]:
        """In the order of `COLUMNS[kind]`."""
        lags = self._lags()
        ending: list[Figure] = [self.read, self.written, *self.batch_times.figures()]
        if self.kind == "sink":
            ending += [len(self._ends), self.commits, max(lags, default=None), sum(lags) if lags else None]
        failed, _ = self.commit_outcomes.figures()
        return [
            *self.batch_sizes.figures(),
            *self.commit_times.figures(),
            None if failed is None else 1 - failed,
            failed,
            self.commits,
            self.commit_failures,
            self.batches,
            self.errors,
            self.failures,
            self.retries,
            self.last_error,
            self.skipped,
            self.logged,
            self.queued,
            self.queue_failures,
            *ending,
        ]


def _milliseconds_since(began: float) -> float:
    return round((time.monotonic() - began) * 1000, 1)


_EVERY_TASK = (
    "kafka_connect_connector_task_metrics_batch_size_avg",
    "kafka_connect_connector_task_metrics_batch_size_max",
    "kafka_connect_connector_task_metrics_offset_commit_avg_time_ms",
    "kafka_connect_connector_task_metrics_offset_commit_max_time_ms",
    "kafka_connect_connector_task_metrics_offset_commit_success_percentage",
    "kafka_connect_connector_task_metrics_offset_commit_failure_percentage",
    "drover_task_offset_commits_total",
    "drover_task_offset_commit_failures_total",
    "drover_task_batches_total",
    "kafka_connect_task_error_metrics_total_record_errors",
    "kafka_connect_task_error_metrics_total_record_failures",
    "kafka_connect_task_error_metrics_total_retries",
    "kafka_connect_task_error_metrics_last_error_timestamp",
    "kafka_connect_task_error_metrics_total_records_skipped",
    "kafka_connect_task_error_metrics_total_errors_logged",
    "kafka_connect_task_error_metrics_deadletterqueue_produce_requests",
    "kafka_connect_task_error_metrics_deadletterqueue_produce_failures",
)
#: The names of a task's figures, in the order in which they travel.
COLUMNS: Mapping[Kind, tuple[str, ...]] = {
    "source": (
        *_EVERY_TASK,
        "kafka_connect_source_task_metrics_source_record_poll_total",
        "kafka_connect_source_task_metrics_source_record_write_total",
        "kafka_connect_source_task_metrics_poll_batch_avg_time_ms",
        "kafka_connect_source_task_metrics_poll_batch_max_time_ms",
    ),
    "sink": (
        *_EVERY_TASK,
        "kafka_connect_sink_task_metrics_sink_record_read_total",
        "kafka_connect_sink_task_metrics_sink_record_send_total",
        "kafka_connect_sink_task_metrics_put_batch_avg_time_ms",
        "kafka_connect_sink_task_metrics_put_batch_max_time_ms",
        "kafka_connect_sink_task_metrics_partition_count",
        "kafka_connect_sink_task_metrics_offset_commit_completion_total",
        "kafka_connect_sink_task_metrics_sink_record_lag_max",
        "drover_sink_task_record_lag",
    ),
}
