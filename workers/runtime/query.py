"""One streaming query of Spark's: its start, its end, and what went wrong. What its batches do is the caller's."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from workers.connectors.base import ConnectError, Trigger
from workers.runtime import java_classes, real_time

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter

logger = logging.getLogger(__name__)

#: Of the session that a query has to itself.
SETTINGS = {
    "spark.sql.streaming.minBatchesToRetain": "2",
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
    "spark.sql.streaming.numRecentProgressUpdates": "50",
    # How long a stop waits for what it has interrupted.
    "spark.sql.streaming.stopTimeout": "10s",
    "spark.sql.streaming.realTimeMode.minBatchDuration": "1",
    # A checkpoint lives no longer than its query: twice the files, between each two batches, for nothing.
    "spark.sql.streaming.checkpoint.fileChecksum.enabled": "false",
}
# Seconds between two looks at whether a batch has begun.
_LOOK = 0.02
_RUNTIME = "org.apache.spark.sql.execution.streaming.runtime"


class QueryFailed(ConnectError):
    """A streaming query ended by itself. The text is its root cause's."""


class JavaTrace(Exception):
    """Where in Spark it happened, with all that led to it."""


def session_of_its_own(spark: SparkSession) -> SparkSession:
    session = spark.newSession()
    for key, value in SETTINGS.items():
        session.conf.set(key, value)
    session.conf.set("spark.sql.streaming.checkpointFileManagerClass", java_classes.for_driver(spark, "CheckpointFiles"))
    return session


class Query:
    def __init__(self, records: DataFrame, query: StreamingQuery, done: int, *, in_real_time: bool = False) -> None:
        """`done`: the newest batch that was done before."""
        self._query = query
        self._in_real_time = in_real_time
        self._id = str(query.id)
        #: What `new_rows` has told of: so many rows, or up to this batch.
        self._rows, self._told = 0, done
        # In Java it can do more than in Python.
        self._java: Any = query._jsq
        self._spark = records.sparkSession
        self._jvm: Any = self._spark._jvm
        self._tracker = self._spark.sparkContext.statusTracker()

    @classmethod
    def of_batches(
        cls, records: DataFrame, checkpoint: str, done: int, trigger: Trigger, write: Callable[[DataFrame, int], None]
    ) -> Query:
        """`write` gets each batch, on a thread of Spark's; the next one begins when it has returned."""
        writer = _writer(records, checkpoint).foreachBatch(write)
        if trigger.kind == "available-now":
            return cls(records, writer.trigger(availableNow=True).start(), done)
        return cls(records, writer.trigger(processingTime=f"{_milliseconds(trigger.seconds)} milliseconds").start(), done)

    @classmethod
    def in_real_time(cls, records: DataFrame, checkpoint: str, done: int, trigger: Trigger, producer: Mapping[str, str]) -> Query:
        """From Kafka to Kafka."""
        writer = _writer(records, checkpoint).format("kafka").options(**producer).outputMode("update")
        span = _milliseconds(real_time.span(records.sparkSession, trigger.seconds))
        # Newer than its own annotations.
        timed = writer.trigger(realTime=f"{span} milliseconds")  # type: ignore[call-overload]
        return cls(records, timed.start(), done, in_real_time=True)

    @property
    def is_over(self) -> bool:
        return not self._query.isActive

    def partitions(self) -> int:
        """How many tasks of Spark's are at work for it at this moment."""
        jobs = [self._tracker.getJobInfo(job) for job in self._tracker.getJobIdsForGroup(str(self._query.runId))]
        stages = {stage for job in jobs if job is not None and job.status == "RUNNING" for stage in job.stageIds}
        found = [self._tracker.getStageInfo(stage) for stage in stages]
        return sum(stage.numActiveTasks for stage in found if stage is not None)

    def end_after_batch(self, timeout: float) -> bool:
        """Lets the batch that is running come to its end, and no other begin: Spark asks between two batches whether it is to go
        on. Whether it came to its end within `timeout` seconds."""
        deadline = time.monotonic() + timeout
        while not self._announce_end():
            if self._ends_within(_LOOK):
                return True
            if time.monotonic() > deadline:
                return False
        if self._in_real_time:
            real_time.end(self._spark, self._id)
        return self._ends_within(deadline - time.monotonic())

    def _announce_end(self) -> bool:
        """If it may be done at this moment. Spark asks a second time when it has planned a batch, and then gives up what it is
        about to write, of which no more is known than that it may have been written. So either there is no batch yet at all, or
        the batch's job has begun, and is kept from being committed meanwhile, after which Spark would plan the next one."""
        stream = self._java.streamingQuery()
        if stream.state().compareAndSet(self._state("INITIALIZING"), self._state("TERMINATED")):
            return True
        progress = stream.awaitProgressLock()
        if not progress.tryLock():
            return False
        try:
            if self._has_begun_batch(stream):
                stream.state().set(self._state("TERMINATED"))
                return True
            return False
        finally:
            progress.unlock()

    def _has_begun_batch(self, stream: Any) -> bool:
        """Whether the job of a batch that is not committed is under way, or over."""
        jobs = self._tracker.getJobIdsForGroup(str(self._query.runId))
        if not jobs:
            return False
        try:
            description = self._spark.sparkContext._jsc.sc().statusStore().job(max(jobs)).description().get()
        except Py4JJavaError:
            # It is over, and forgotten.
            return False
        committed = stream.commitLog().getLatestBatchId()
        return bool(description.endswith(f"batch = {committed.get() + 1 if committed.isDefined() else 0}"))

    def _state(self, name: str) -> Any:
        return self._jvm.java.lang.Class.forName(f"{_RUNTIME}.{name}$").getField("MODULE$").get(None)

    def _ends_within(self, timeout: float) -> bool:
        # Spark's own `awaitTermination` says so as soon as the end is announced.
        thread = self._java.streamingQuery().queryExecutionThread()
        thread.join(max(1, round(timeout * 1000)))
        return not thread.isAlive()

    def stop(self) -> None:
        """At once, in the middle of a batch if need be."""
        try:
            self._query.stop()
        except (Py4JJavaError, PySparkException) as error:
            # Somebody else's code hangs in it.
            logger.error("Streaming query %s does not stop: %s", self._id, error)
        if self._in_real_time:
            real_time.forget(self._spark, self._id)

    def failure(self) -> QueryFailed | None:
        found = self._java.exception()
        if found.isEmpty():
            return None
        return failure_of(found.get())

    def new_rows(self, committed: int) -> int:
        """How many rows it has read since the last call, as far as is told by now: in real time at once, else of its batches, of
        which `committed` is the newest. Spark tells of them a little later."""
        if self._in_real_time and (rows := real_time.rows(self._spark, self._id)) is not None:
            new, self._rows = rows - self._rows, rows
            return new
        if self._told >= committed:
            return 0
        told = [progress for progress in self._query.recentProgress if progress["batchId"] > self._told]
        self._told = max((progress["batchId"] for progress in told), default=self._told)
        return sum(progress["numInputRows"] for progress in told)


def failure_of(java: Any) -> QueryFailed:
    # Spark's own exception around it tells of the plan, at length.
    root = java.getCause() or java
    text = root.toString()
    while root.getCause() is not None:
        root = root.getCause()
        text = f"{text}\nCaused by: {root.toString()}"
    failed = QueryFailed(root.toString())
    failed.__cause__ = JavaTrace(text)
    return failed


def _writer(records: DataFrame, checkpoint: str) -> DataStreamWriter:
    if not records.isStreaming:
        raise ConnectError("A source that is a streaming query has to give a streaming DataFrame")
    return records.writeStream.option("checkpointLocation", checkpoint)


def _milliseconds(seconds: float) -> int:
    return max(1, round(seconds * 1000))
