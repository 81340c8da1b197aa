"""What is counted, and for whom."""

from collections.abc import Callable, Generator
from typing import Any

import orjson
import pytest

from workers.herder.values import TaskId
from workers.metrics import catalogue, worker_recorder
from workers.metrics.rebalances import Rebalances
from workers.metrics.task_recorder import COLUMNS, Kind, TaskRecorder
from workers.metrics.worker_recorder import WorkerRecorder

A0 = TaskId("a", 0)


def figures(recorder: TaskRecorder) -> dict[str, float | None]:
    """By the end of their names."""
    names = [name.partition("_metrics_")[2] or name for name in COLUMNS[recorder.kind]]
    return dict(zip(names, recorder.figures(), strict=True))


def rows(recorder: WorkerRecorder) -> dict[TaskId, dict[str, Any]]:
    sent = orjson.loads(orjson.dumps(recorder.figures()))
    return {
        TaskId(row[0], row[1]): dict(zip(table["columns"], row[2:], strict=True))
        for table in sent["tasks"]
        for row in table["rows"]
    }


@pytest.mark.parametrize("kind", COLUMNS)
def test_every_figure_has_a_name_that_is_known(kind: Kind) -> None:
    assert len(TaskRecorder(A0, kind).figures()) == len(COLUMNS[kind])
    assert set(COLUMNS[kind]) | set(WorkerRecorder().figures()["worker"]) <= set(catalogue.SENT)


def test_every_name_that_is_known_has_a_figure() -> None:
    sent = {name for columns in COLUMNS.values() for name in columns} | set(WorkerRecorder().figures()["worker"])
    assert sent == set(catalogue.SENT)


def test_a_batch_and_its_commit() -> None:
    task = TaskRecorder(A0, "sink")
    for count in (10, 30):
        task.fetched(count)
        with task.batch():
            pass
        task.wrote(count)
        with task.commit():
            pass
    seen = figures(task)
    assert (seen["sink_record_read_total"], seen["sink_record_send_total"]) == (40, 40)
    assert (seen["batch_size_avg"], seen["batch_size_max"], seen["drover_task_batches_total"]) == (20, 30, 2)
    assert (seen["drover_task_offset_commits_total"], seen["offset_commit_completion_total"]) == (2, 2)
    assert (seen["offset_commit_success_percentage"], seen["offset_commit_failure_percentage"]) == (1, 0)
    assert seen["put_batch_max_time_ms"] is not None


def test_what_nobody_can_count_is_not_counted_as_none() -> None:
    task = TaskRecorder(A0, "source")
    task.fetched(None)
    with task.batch():
        pass
    task.wrote(None)
    seen = figures(task)
    assert (seen["source_record_poll_total"], seen["batch_size_avg"], seen["drover_task_batches_total"]) == (0, None, 1)


def test_a_commit_that_fails() -> None:
    task = TaskRecorder(A0, "source")
    with pytest.raises(ValueError, match="no"), task.commit():
        raise ValueError("no")
    with task.commit():
        pass
    seen = figures(task)
    assert (seen["drover_task_offset_commits_total"], seen["drover_task_offset_commit_failures_total"]) == (1, 1)
    assert (seen["offset_commit_success_percentage"], seen["offset_commit_failure_percentage"]) == (0.5, 0.5)


@pytest.mark.parametrize(("retried", "expected"), [(True, (1, 0, 1)), (False, (1, 1, 0))])
def test_an_attempt_that_fails(retried: bool, expected: tuple[int, int, int]) -> None:
    task = TaskRecorder(A0, "source")
    assert figures(task)["last_error_timestamp"] is None
    with pytest.raises(ValueError, match="no"), task.attempt(lambda error: retried):
        raise ValueError("no")
    seen = figures(task)
    assert (seen["total_record_errors"], seen["total_record_failures"], seen["total_retries"]) == expected
    assert (seen["last_error_timestamp"] or 0) > 1_700_000_000_000


def test_an_attempt_that_is_called_off_has_not_failed() -> None:
    """Its batch had not begun when its task was paused."""
    task = TaskRecorder(A0, "source")

    def course() -> Generator[None, None, None]:
        with task.attempt(lambda error: False):
            yield

    begun = course()
    next(begun)
    begun.close()
    assert (figures(task)["total_record_errors"], figures(task)["last_error_timestamp"]) == (0, None)


@pytest.mark.parametrize(
    ("ends", "positions", "partitions", "most", "lag"),
    [
        ({}, {}, 0, None, None),
        ({"p0": 10, "p1": 5}, {"p0": 10, "p1": 5}, 2, 0, 0),
        ({"p0": 10, "p1": 5}, {"p0": 4, "p1": 2}, 2, 6, 9),
        # It has gone on since it looked, and met records that came later.
        ({"p0": 10}, {"p0": 12}, 1, 0, 0),
        # A partition that it has only just got.
        ({"p0": 10}, {"p0": 4, "p1": 7}, 1, 6, 6),
    ],
)
def test_lag(ends: dict[str, int], positions: dict[str, int], partitions: int, most: int | None, lag: int | None) -> None:
    task = TaskRecorder(A0, "sink")
    task.saw(ends, positions)
    seen = figures(task)
    assert (seen["partition_count"], seen["sink_record_lag_max"], seen["drover_sink_task_record_lag"]) == (partitions, most, lag)


# --- the worker -------------------------------------------------------------------------------------------------------


def test_starts_are_counted_by_kind_and_outcome() -> None:
    worker = WorkerRecorder()
    for instance in ("a", A0, A0):
        with worker.start(instance):
            pass
    with pytest.raises(ValueError, match="no"), worker.start(A0):
        raise ValueError("no")
    worker.restarted("a")
    worker.hosted = {"a": 1, "b": 1, A0: 1}
    seen = worker.figures()["worker"]
    prefix = "kafka_connect_connect_worker_metrics"
    assert [seen[f"{prefix}_connector_startup_{what}_total"] for what in ("attempts", "success", "failure")] == [1, 1, 0]
    assert [seen[f"{prefix}_task_startup_{what}_total"] for what in ("attempts", "success", "failure")] == [3, 2, 1]
    assert [seen[f"drover_worker_{what}_restarts_total"] for what in ("connector", "task")] == [1, 0]
    assert [seen[f"{prefix}_{what}_count"] for what in ("connector", "task")] == [2, 1]


def test_only_tasks_that_run_are_told_of() -> None:
    worker = WorkerRecorder()
    task = worker.task(A0, "sink")
    assert rows(worker) == {}
    worker.begun(task)
    assert list(rows(worker)) == [A0]
    worker.ended(task)
    assert rows(worker) == {}


def test_a_task_that_starts_anew_counts_on_but_has_not_looked_yet() -> None:
    worker = WorkerRecorder()
    first = worker.task(A0, "sink")
    worker.begun(first)
    first.wrote(5)
    first.saw({"p": 9}, {"p": 1})
    worker.ended(first)
    second = worker.task(A0, "sink")
    worker.begun(second)
    second.wrote(2)
    row = rows(worker)[A0]
    assert row["kafka_connect_sink_task_metrics_sink_record_send_total"] == 7
    assert row["drover_sink_task_record_lag"] is None


def test_a_life_that_ends_after_the_next_has_begun() -> None:
    """A task that did not stop in time is closed late."""
    worker = WorkerRecorder()
    old = worker.task(A0, "sink")
    worker.begun(old)
    new = worker.task(A0, "sink")
    worker.begun(new)
    worker.ended(old)
    assert list(rows(worker)) == [A0]
    worker.ended(new)
    assert rows(worker) == {}


@pytest.mark.parametrize(
    "prepare",
    [
        pytest.param(lambda worker, task: (worker.begun(task), worker.ended(task)), id="ended"),
        pytest.param(lambda worker, task: None, id="its start failed"),
    ],
)
def test_the_counts_of_a_task_that_left_are_forgotten(
    monkeypatch: pytest.MonkeyPatch, prepare: Callable[[WorkerRecorder, TaskRecorder], object]
) -> None:
    monkeypatch.setattr(worker_recorder, "_KEPT", -1.0)
    worker = WorkerRecorder()
    task = worker.task(A0, "source")
    prepare(worker, task)
    task.wrote(5)
    worker.figures()
    again = worker.task(A0, "source")
    assert (again is task, again.written) == (False, 0)


def test_a_start_that_takes_longer_than_counts_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_recorder, "_KEPT", -1.0)
    worker = WorkerRecorder()
    task = worker.task(A0, "source")
    worker.figures()
    worker.begun(task)
    assert list(rows(worker)) == [A0]


def test_a_name_that_was_a_source_and_is_a_sink_now() -> None:
    worker = WorkerRecorder()
    source = worker.task(A0, "source")
    worker.begun(source)
    worker.ended(source)
    worker.begun(worker.task(A0, "sink"))
    assert "kafka_connect_sink_task_metrics_partition_count" in rows(worker)[A0]


# --- rebalances -------------------------------------------------------------------------------------------------------


def test_a_rebalance_lasts_until_it_is_carried_out() -> None:
    now = [0.0]
    rebalances = Rebalances(lambda: now[0])

    def seen(*names: str) -> list[float | None]:
        found = {name.partition("_metrics_")[2]: value for name, value in rebalances.figures().items()}
        return [found[name] for name in names]

    assert seen("rebalancing", "rebalance_max_time_ms", "time_since_last_rebalance_ms") == [0, None, None]
    assert rebalances.met(3, "w1")
    now[0] = 0.1
    # On the way: another record of it, and one newer assignment.
    assert not rebalances.met(3, "w1")
    assert not rebalances.met(4, "w2")
    assert seen("rebalancing", "epoch", "completed_rebalances_total") == [1, 4, 0]
    now[0] = 0.25
    rebalances.carried_out()
    now[0] = 1.25
    assert seen("rebalancing", "completed_rebalances_total", "rebalance_avg_time_ms") == [0, 1, 250]
    assert seen("time_since_last_rebalance_ms") == [1000]
    assert rebalances.leader == "w2"
    assert not rebalances.met(4, "w2"), "an assignment of the past, met again"
