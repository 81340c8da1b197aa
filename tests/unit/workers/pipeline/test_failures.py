"""What is said of a record that cannot be processed (facts §15.1)."""

import json

import pytest

from workers.herder.traces import trace
from workers.herder.values import TaskId
from workers.pipeline import failures
from workers.pipeline.failures import RecordFailed, RecordFailure, ToleranceExceeded, failure_in
from workers.runtime.faults import is_retriable

TASK = TaskId("a-sink", 3)
CONVERTER = "org.apache.kafka.connect.json.JsonConverter"
DATA_EXCEPTION = "org.apache.kafka.connect.errors.DataException"
ERROR = {"stage": "VALUE_CONVERTER", "class": CONVERTER, "exception": DATA_EXCEPTION, "message": "No JSON"}
CONSUMED = {"topic": "t", "partition": 1, "offset": 42, "timestamp": 7, "timestampType": "CreateTime"}


def of(origin: dict[str, object]) -> RecordFailure:
    return RecordFailure.of(origin, ERROR)


@pytest.mark.parametrize(
    ("origin", "record"),
    [
        (
            CONSUMED,
            ", where consumed record is {topic='t', partition=1, offset=42, timestamp=7, timestampType=CreateTime}",
        ),
        (
            {**CONSUMED, "timestamp": None, "timestampType": None},
            ", where consumed record is {topic='t', partition=1, offset=42}",
        ),
        ({"topic": "t", "partition": None, "value": "x"}, ", where source record is = {topic='t', value='x'}"),
    ],
)
def test_the_log_line(origin: dict[str, object], record: str) -> None:
    start = f"Error encountered in task a-sink-3. Executing stage 'VALUE_CONVERTER' with class '{CONVERTER}'"
    assert of(origin).log_line(TASK, with_record=False) == f"{start}."
    assert of(origin).log_line(TASK, with_record=True) == f"{start}{record}."


def raised(origin: dict[str, object], message: str = "No JSON") -> Exception:
    """As Spark has it, amid text of its own."""
    told = json.dumps({"origin": origin, "error": {**ERROR, "message": message}})
    return RuntimeError(f"Job aborted: [USER_RAISED_EXCEPTION] {failures._MARK}{told} SQLSTATE: P0001\n\tat {{a}} line")


def test_a_failure_is_found_in_what_spark_raises() -> None:
    assert failure_in(raised(CONSUMED)) == of(CONSUMED)
    outer = RuntimeError("a connector's own")
    outer.__cause__ = raised(CONSUMED)
    assert failure_in(outer) == of(CONSUMED)
    assert failure_in(RuntimeError("something else")) is None


def test_a_failed_task_names_the_record() -> None:
    with pytest.raises(ToleranceExceeded) as caught:
        raise ToleranceExceeded from RecordFailed(of(CONSUMED))
    lines = trace(caught.value).splitlines()
    assert lines[0].endswith("ToleranceExceeded: Tolerance exceeded in error handler")
    assert lines[-1].endswith(
        f"RecordFailed: {DATA_EXCEPTION}: No JSON (topic t, partition 1, offset 42, stage VALUE_CONVERTER, class {CONVERTER})"
    )


def test_what_stands_in_a_record_is_no_reason_to_try_again() -> None:
    failure = failure_in(raised(CONSUMED, "org.apache.kafka.common.errors.TimeoutException"))
    assert failure is not None
    error = ToleranceExceeded()
    error.__cause__ = RecordFailed(failure)
    assert not is_retriable(error)


def test_the_record_alone_can_be_read_again() -> None:
    at = of(CONSUMED).at
    assert (at.topic, at.partition, at.start, at.end) == ("t", 1, 42, 43)
