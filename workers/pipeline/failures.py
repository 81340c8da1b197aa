"""Records that cannot be processed (KIP-298): how a column tells of one, and what is said of it. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workers.connectors.base import ConnectError, KafkaRange
from workers.data import sql
from workers.herder.traces import causes
from workers.herder.values import TaskId

#: Of a sink's records, where each was consumed: a transform may send it elsewhere, the failure stays here.
CONSUMED = (
    ("topic", "topic"),
    ("partition", "partition"),
    ("offset", "offset"),
    ("timestamp", "unix_millis(timestamp)"),
    ("timestampType", "CASE timestampType WHEN 0 THEN 'CreateTime' WHEN 1 THEN 'LogAppendTime' END"),
)
#: The column that holds it, or of a source's record where it was to go.
ORIGIN = "origin"
# What nobody's data says by chance.
_MARK = "drover:record-failure:"
_HEADER = "__connect.errors."


class ToleranceExceeded(ConnectError):
    """With a `RecordFailed` as its cause."""

    def __init__(self) -> None:
        super().__init__("Tolerance exceeded in error handler")


class RecordFailed(ConnectError):
    def __init__(self, failure: RecordFailure) -> None:
        super().__init__(f"{failure.exception}: {failure.message} ({failure.described()})")
        self.failure = failure


@dataclass(frozen=True, slots=True)
class RecordFailure:
    """`stage`, `class_name`, `exception` and `message` as in `workers.data.records`; `origin` is what the column of that name
    has, without nulls."""

    origin: Mapping[str, Any]
    stage: str
    class_name: str
    exception: str
    message: str

    @classmethod
    def of(cls, origin: Mapping[str, Any], error: Mapping[str, Any]) -> RecordFailure:
        known = {key: value for key, value in origin.items() if value is not None}
        return cls(known, error["stage"], error["class"], error["exception"], error.get("message") or "")

    @property
    def at(self) -> KafkaRange:
        """Of a sink's record: that one alone."""
        origin = self.origin
        return KafkaRange(origin["topic"], origin["partition"], origin["offset"], origin["offset"] + 1)

    def described(self) -> str:
        places = [f"{key} {self.origin[key]}" for key in ("topic", "partition", "offset") if key in self.origin]
        return ", ".join([*places, f"stage {self.stage}", f"class {self.class_name}"])

    def log_line(self, task: TaskId, *, with_record: bool) -> str:
        """In Kafka Connect's words."""
        line = f"Error encountered in task {task}. Executing stage '{self.stage}' with class '{self.class_name}'"
        return f"{line}{self._record() if with_record else ''}."

    def _record(self) -> str:
        origin = self.origin
        if "offset" not in origin:
            shown = [f"{key}={_shown(value)}" for key, value in origin.items()]
            return f", where source record is = {{{', '.join(shown)}}}"
        shown = [f"topic='{origin['topic']}'", f"partition={origin['partition']}", f"offset={origin['offset']}"]
        if "timestampType" in origin:
            shown += [f"timestamp={origin.get('timestamp')}", f"timestampType={origin['timestampType']}"]
        return f", where consumed record is {{{', '.join(shown)}}}"


def _shown(value: object) -> str:
    return f"'{value}'" if isinstance(value, str) else str(value)


# --- under errors.tolerance=none --------------------------------------------------------------------------------------


def or_raise(expression: str) -> str:
    """SQL: the expression, of a record that is all right; of any other an exception that `failure_in` recognises."""
    told = f"concat({sql.text(_MARK)}, to_json({sql.named_struct([(ORIGIN, ORIGIN), ('error', 'error')])}))"
    return f"CASE WHEN error IS NULL THEN {expression} ELSE raise_error({told}) END"


def failure_in(error: BaseException) -> RecordFailure | None:
    """The record that failed a job. Spark tells of it in text only, wherever the executor is."""
    for cause in causes(error):
        _, mark, told = str(cause).partition(_MARK)
        if mark:
            found, _ = json.JSONDecoder().raw_decode(told)
            return RecordFailure.of(found[ORIGIN], found["error"])
    return None


# --- the dead letter queue --------------------------------------------------------------------------------------------


def context_headers(task: TaskId) -> str:
    """SQL of the headers that say what went wrong: in Kafka Connect's order, under its names. There is no Java stack to trace:
    what stands in its place is the line that one would begin with."""
    told = [
        ("topic", f"{ORIGIN}.topic"),
        ("partition", f"CAST({ORIGIN}.partition AS STRING)"),
        ("offset", f"CAST({ORIGIN}.offset AS STRING)"),
        ("connector.name", sql.text(task.connector)),
        ("task.id", sql.text(str(task.task))),
        ("stage", "error.stage"),
        ("class.name", "error.class"),
        ("exception.class.name", "error.exception"),
        ("exception.message", "error.message"),
        ("exception.stacktrace", "concat(error.exception, ': ', error.message, '\\n')"),
    ]
    made = [sql.named_struct([("key", sql.text(_HEADER + name)), ("value", f"CAST({value} AS BINARY)")]) for name, value in told]
    return f"array({', '.join(made)})"
