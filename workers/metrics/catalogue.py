"""Every figure there is, its name and labels. docs/metrics.md holds the same as tables, with Kafka Connect's names beside them.

Names are those that jmx_exporter makes of Connect's MBeans: `kafka_connect_<type>_<attribute>`, dashes as underscores. What
Connect does not have begins with `drover_`.
"""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    name: str
    kind: Literal["counter", "gauge"]
    labels: tuple[str, ...]
    help: str


WORKER = ("worker",)
CONNECTOR = ("connector",)
TASK = ("worker", "connector", "task")


def _connect(type_: str, attribute: str, labels: tuple[str, ...], help_: str) -> Metric:
    name = f"kafka_connect_{type_}_{attribute}".replace("-", "_")
    # A counter's name ends in `_total`: what Connect counts under other names is a gauge, as jmx_exporter has it.
    return Metric(name, "counter" if name.endswith("_total") else "gauge", labels, help_)


def _drover(name: str, labels: tuple[str, ...], help_: str) -> Metric:
    return Metric(f"drover_{name}", "counter" if name.endswith("_total") else "gauge", labels, help_)


# --- from the web process's own snapshot --------------------------------------------------------------------------------

CONNECTOR_STATUS = _connect("connector-metrics", "status", ("connector", "status"), "1 for the status of the connector.")
TASK_STATUS = _connect("connector-task-metrics", "status", ("connector", "task", "status"), "1 for the status of the task.")
#: Which of a connector's tasks are counted → the metric.
TASK_COUNTS = {
    state: _connect("connect-worker-metrics", f"connector-{state}-task-count", CONNECTOR, f"Tasks of the connector: {state}.")
    for state in ("total", "running", "paused", "failed", "unassigned", "destroyed", "restarting")
}
UP = _drover("worker_up", WORKER, "Whether the worker's figures have come in lately; 0 for a member that is silent.")

# --- from the workers ---------------------------------------------------------------------------------------------------

LEADER = _connect("connect-worker-rebalance-metrics", "leader-name", ("worker", "leader_name"), "1 for the group's leader.")


def _worker(attribute: str, help_: str) -> Metric:
    return _connect("connect-worker-metrics", attribute, WORKER, help_)


def _rebalance(attribute: str, help_: str) -> Metric:
    return _connect("connect-worker-rebalance-metrics", attribute, WORKER, help_)


def _task(type_: str, attribute: str, help_: str) -> Metric:
    return _connect(type_, attribute, TASK, help_)


_SENT = (
    _worker("connector-count", "Connectors that run on the worker."),
    _worker("task-count", "Tasks that run on the worker."),
    _worker("connector-startup-attempts-total", "Starts of connectors."),
    _worker("connector-startup-success-total", "Starts of connectors that succeeded."),
    _worker("connector-startup-failure-total", "Starts of connectors that failed."),
    _worker("task-startup-attempts-total", "Starts of tasks."),
    _worker("task-startup-success-total", "Starts of tasks that succeeded."),
    _worker("task-startup-failure-total", "Starts of tasks that failed."),
    _drover("worker_connector_restarts_total", WORKER, "Connectors restarted on demand."),
    _drover("worker_task_restarts_total", WORKER, "Tasks restarted on demand."),
    _rebalance("epoch", "Epoch of the newest assignment that the worker has met."),
    _rebalance("completed-rebalances-total", "Assignments that the worker has carried out."),
    _rebalance("rebalancing", "Whether the worker is carrying out an assignment."),
    _rebalance("rebalance-avg-time-ms", "Average time to carry out an assignment."),
    _rebalance("rebalance-max-time-ms", "Longest time to carry out an assignment."),
    _rebalance("time-since-last-rebalance-ms", "Time since an assignment was carried out."),
    _task("connector-task-metrics", "batch-size-avg", "Average number of records in a batch, which is one job of Spark's."),
    _task("connector-task-metrics", "batch-size-max", "Largest number of records in a batch."),
    _task("connector-task-metrics", "offset-commit-avg-time-ms", "Average time of an offset commit."),
    _task("connector-task-metrics", "offset-commit-max-time-ms", "Longest time of an offset commit."),
    _task("connector-task-metrics", "offset-commit-success-percentage", "Share of offset commits that succeeded, 0 to 1."),
    _task("connector-task-metrics", "offset-commit-failure-percentage", "Share of offset commits that failed, 0 to 1."),
    _drover("task_offset_commits_total", TASK, "Offset commits that succeeded."),
    _drover("task_offset_commit_failures_total", TASK, "Offset commits that failed."),
    _drover("task_batches_total", TASK, "Batches written."),
    _task("source-task-metrics", "source-record-poll-total", "Records read from the source."),
    _task("source-task-metrics", "source-record-write-total", "Records written to Kafka."),
    _task("source-task-metrics", "poll-batch-avg-time-ms", "Average time of a batch, from reading to Kafka's acknowledgement."),
    _task("source-task-metrics", "poll-batch-max-time-ms", "Longest time of a batch."),
    _task("sink-task-metrics", "sink-record-read-total", "Records read from Kafka."),
    _task("sink-task-metrics", "sink-record-send-total", "Records written to the sink."),
    _task("sink-task-metrics", "put-batch-avg-time-ms", "Average time of a batch, reading from Kafka included."),
    _task("sink-task-metrics", "put-batch-max-time-ms", "Longest time of a batch."),
    _task("sink-task-metrics", "partition-count", "Partitions that the task reads."),
    _task("sink-task-metrics", "offset-commit-completion-total", "Offset commits that succeeded."),
    _task("sink-task-metrics", "sink-record-lag-max", "Records that the task is behind in the partition where they are most."),
    _drover("sink_task_record_lag", TASK, "Records that the task is behind, over all its partitions."),
    _task("task-error-metrics", "total-record-errors", "Records that could not be processed, and attempts that failed."),
    _task("task-error-metrics", "total-record-failures", "The same without what was tried again."),
    _task("task-error-metrics", "total-retries", "Attempts that failed and are made again."),
    _task("task-error-metrics", "last-error-timestamp", "When something failed last, in milliseconds since the epoch."),
    _task("task-error-metrics", "total-records-skipped", "Records left out because they could not be processed."),
    _task("task-error-metrics", "total-errors-logged", "Records that could not be processed and were logged."),
    _task("task-error-metrics", "deadletterqueue-produce-requests", "Records for the dead letter queue."),
    _task(
        "task-error-metrics",
        "deadletterqueue-produce-failures",
        "Records that the dead letter queue did not take.",
    ),
)

#: What workers send as numbers, by name.
SENT = {metric.name: metric for metric in _SENT}
ALL = (CONNECTOR_STATUS, TASK_STATUS, *TASK_COUNTS.values(), UP, LEADER, *_SENT)
