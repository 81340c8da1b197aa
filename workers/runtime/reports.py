"""Who hears of records that could not be processed (KIP-298): the log, and a sink's dead letter queue."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import orjson
from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame

from workers.connectors.base import ConnectError
from workers.data import sql
from workers.herder.values import TaskId
from workers.metrics.task_recorder import TaskRecorder
from workers.pipeline.failures import ORIGIN, RecordFailure, context_headers
from workers.pipeline.settings import ErrorSettings
from workers.runtime.group_offsets import GroupOffsets
from workers.runtime.kafka_frames import write_records
from workers.storage.kafka import Kafka

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reports:
    """Of one task. `properties` are those of the queue's producer, `admin` gives who asks the cluster that it is in."""

    task: TaskId
    settings: ErrorSettings
    kafka: Kafka
    recorder: TaskRecorder
    properties: Mapping[str, str]
    admin: Callable[[], GroupOffsets]

    def start(self) -> None:
        """Raises ConnectError."""
        queue = self.settings.queue
        if queue is None:
            return
        try:
            self.admin().ensure_topic(queue, self.settings.queue_replication)
        except Py4JJavaError as error:
            raise ConnectError(f"Could not initialize dead letter queue with topic={queue}") from error

    def skipped(self, failing: DataFrame) -> int:
        """Of records that were left out; how many they were. Before their offsets are committed: after a crash they are told of
        once more."""
        told = self._log(failing)
        count = failing.count() if told is None else told
        if count:
            self._queue(failing, count)
            self.recorder.tolerated(count)
        return count

    def stopped(self, failure: RecordFailure, failing: DataFrame | None = None) -> None:
        """Of the record that fails the task, which is the one in `failing`."""
        if self.settings.log:
            self._say(failure)
        if failing is not None:
            self._queue(failing, 1)

    def _log(self, failing: DataFrame) -> int | None:
        if not self.settings.log:
            return None
        told = 0
        texts = failing.selectExpr(f"to_json(named_struct('{ORIGIN}', {ORIGIN}, 'error', error)) AS text")
        for row in texts.toLocalIterator():
            found = orjson.loads(row.text)
            self._say(RecordFailure.of(found[ORIGIN], found["error"]))
            told += 1
        return told

    def _say(self, failure: RecordFailure) -> None:
        line = failure.log_line(self.task, with_record=self.settings.log_records)
        logger.error("%s\n%s: %s", line, failure.exception, failure.message)
        self.recorder.logged += 1

    def _queue(self, failing: DataFrame, count: int) -> None:
        queue = self.settings.queue
        if queue is None:
            return
        headers = "coalesce(raw_headers, array())"
        if self.settings.queue_headers:
            headers = f"concat({headers}, {context_headers(self.task)})"
        letters = failing.selectExpr(
            f"{sql.text(queue)} AS topic",
            "raw_key AS key",
            "raw_value AS value",
            f"{headers} AS headers",
            f"timestamp_millis({ORIGIN}.timestamp) AS timestamp",
        )
        self.recorder.queued += count
        try:
            write_records(letters, self.kafka, self.properties)
        except BaseException:
            self.recorder.queue_failures += count
            raise
