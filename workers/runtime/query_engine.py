"""A source task as a streaming query: what only Structured Streaming can read, and what has to be there within milliseconds.

Each batch is written, then its end is committed to the offsets topic, then the next one begins: as in the job engine, a crash
between write and commit means that the batch comes again. Spark's own checkpoint is made of the committed offset at each start
and thrown away. In real time Spark writes while it reads, and says at the end of each batch how far it came: a crash means that
all since then comes again, a clean stop waits for that end.
"""

import math
import threading
import time
from collections.abc import Callable, Sequence

from pyspark.sql import DataFrame, SparkSession

from workers.connectors.base import ConnectError, RetriableError, StreamingSource, StreamPosition, TaskContext
from workers.herder.offsets import topic_of
from workers.pipeline.failures import RecordFailed, ToleranceExceeded, failure_in
from workers.pipeline.pipeline import Shaped, SourcePipeline
from workers.runtime import new_topics
from workers.runtime.checkpoint import Checkpoint
from workers.runtime.kafka_frames import producer_options, topics_of, write_records
from workers.runtime.plain import as_kafka_takes_them
from workers.runtime.query import Query, session_of_its_own
from workers.runtime.scheduler import Course
from workers.runtime.slots import Slots
from workers.runtime.surroundings import Surroundings
from workers.runtime.timestamps import as_headers
from workers.storage.offset_stores import ConnectorOffsets, OffsetStores

_NONE = -1
#: Seconds until one that reads in real time begins anew.
_AGAIN = 1.0


def wants_query(task: StreamingSource) -> bool:
    return task.trigger() is not None


class Halted(RetriableError):
    """A batch came while its task was being paused or stopped."""


class QueryJob:
    """See `job_engine.Job`: each step looks after the query. `properties` are the connector's own for its producer. Without a
    `pipeline` texts and bytes are written as they are, anything else as JSON."""

    def __init__(
        self,
        around: Surroundings,
        task: StreamingSource,
        context: TaskContext,
        offsets: OffsetStores,
        slots: Slots,
        pipeline: SourcePipeline | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        trigger = task.trigger()
        assert trigger is not None
        self._trigger = trigger
        self._id, self._epoch = around.spec.id, around.spec.epoch
        self._task = task
        self._life = around.life
        self._kafka = around.kafka
        self._stores = offsets
        self._topic = topic_of(around.spec.connector_config)
        #: From its start on.
        self._offsets = ConnectorOffsets(())
        self._record_topics = around.record_topics
        self._properties = around.properties
        self._recorder = around.recorder
        self._slots = slots
        self._clock = clock
        self._pipeline = pipeline
        self._reports = around.reports
        self._new_topics = around.new_topics
        #: Whether only a record itself can tell which topic it goes to.
        self._routes_records = not task.topics() or (pipeline is not None and pipeline.routes_records)
        # Of this life alone: another one's query may still be on its way out.
        self._checkpoint = Checkpoint(context.scratch / f"query-{id(self):x}")
        self._query: Query | None = None
        #: When a query that is over begins anew, by `clock`.
        self._again = -math.inf
        self._halting = False
        #: Held while a batch is written and committed.
        self._batch = threading.Lock()
        self._error: BaseException | None = None
        #: The slots that it has taken so far, in real time.
        self._held = 0
        #: The newest batch that was committed.
        self._committed = _NONE
        #: In real time, the topics that its records go to, unless only a record itself can tell.
        self._targets: Sequence[str] = ()

    def start(self) -> None:
        if self._trigger.kind == "realtime" and self._reports.settings.tolerates_all:
            raise ConnectError("errors.tolerance=all cannot be kept in real time: nobody would be told of what is left out")
        if self._trigger.kind == "realtime" and self._new_topics is not None and self._routes_records:
            raise ConnectError("topic.creation.* cannot be kept in real time where each record says by itself where it goes")
        self._offsets = self._stores.of(self._topic)
        # Another worker may have run this task until a moment ago.
        self._offsets.refresh()
        self._task.start(lambda partition: self._offsets.offset(self._id.connector, partition))
        # What it cannot understand is told before it counts as started.
        self._position()

    def _position(self) -> StreamPosition | None:
        return self._task.position(self._offsets.offsets(self._id.connector))

    def step(self) -> Course:
        # Its batches are Spark's to make.
        yield from ()
        self._halting = False
        if self._query is None:
            if self._clock() >= self._again:
                self._begin()
        elif not self._query.is_over:
            self._look_after(self._query)
        else:
            self._end(self._query)
        return False

    # --- one query --------------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        in_real_time = self._trigger.kind == "realtime"
        if in_real_time:
            self._held = self._task.slots()
            self._slots.hold(self, self._held)
        try:
            session = session_of_its_own(self._life.session())
            position = self._position()
            self._checkpoint.seed(position)
            self._committed = _NONE if position is None else 0
            self._error = None
            records = self._task.stream(session)
            self._life.check()
            if in_real_time:
                self._targets = () if self._routes_records else self._destinations(session)
                self._ensure(self._targets)
                rows, more = as_headers(self._outgoing(records).frame)
                producer = producer_options(self._kafka, {**self._properties, **more})
                query = Query.in_real_time(rows, self._checkpoint.uri, self._committed, self._trigger, producer)
            else:
                query = Query.of_batches(records, self._checkpoint.uri, self._committed, self._trigger, self._write)
        except BaseException:
            self._slots.release(self)
            raise
        self._query = query
        if self._halting:
            # It took too long for whoever waited to halt it.
            self._end_query()

    def _look_after(self, query: Query) -> None:
        if self._trigger.kind == "realtime":
            try:
                # Between two batches there are none.
                self._held = max(self._held, query.partitions())
                self._slots.hold(self, self._held)
            except BaseException:
                self._end_query()
                raise
            if not self._commit_finished():
                self._task.under_way()
        self._count(query)

    def _end(self, query: Query) -> None:
        """It ended by itself: all that there was is done, or it failed. Another one begins where what it read is not the same
        any more."""
        failure = self._error or query.failure()
        if failure is not None and self._error is None:
            failure = self._named(failure)
        if self._trigger.kind == "realtime":
            self._commit_finished()
        self._count(query)
        self._end_query()
        if failure is not None and (isinstance(failure, ToleranceExceeded) or not self._task.begins_anew()):
            raise failure
        pause = _AGAIN if self._trigger.kind == "realtime" else self._trigger.seconds
        self._again = self._clock() + pause if pause else math.inf

    # --- batches ----------------------------------------------------------------------------------------------------------

    def _write(self, records: DataFrame, batch: int) -> None:
        """On a thread of Spark's."""
        with self._batch:
            try:
                if self._halting:
                    raise Halted(f"{self._id} is being paused or stopped")
                with self._recorder.batch():
                    self._life.check()
                    shaped = self._outgoing(records)
                    topics = topics_of(shaped.frame) if self._routes_records else self._destinations(records.sparkSession)
                    self._ensure(topics)
                    write_records(shaped.frame, self._kafka, self._properties)
                if shaped.failed() != 0 and self._pipeline is not None:
                    self._reports.skipped(self._pipeline.failing(records))
                self._commit(batch, topics)
            except BaseException as error:
                # Spark would tell of it in a text.
                self._error = self._named(error)
                raise

    def _ensure(self, topics: Sequence[str]) -> None:
        if self._new_topics is not None:
            new_topics.ensure([(self._new_topics, topics)])

    def _destinations(self, spark: SparkSession) -> Sequence[str]:
        topics = self._task.topics()
        return topics if self._pipeline is None else self._pipeline.destinations(spark, topics)

    def _outgoing(self, records: DataFrame) -> Shaped:
        return Shaped(as_kafka_takes_them(records)) if self._pipeline is None else self._pipeline.outgoing(records)

    def _named(self, error: BaseException) -> BaseException:
        """In place of Spark's failure the record's, if it is one's."""
        failure = failure_in(error)
        if failure is None:
            return error
        self._reports.stopped(failure)
        stopped = ToleranceExceeded()
        stopped.__cause__ = RecordFailed(failure)
        return stopped

    def _commit(self, batch: int, topics: Sequence[str]) -> None:
        self._life.check()
        reached = self._checkpoint.reached(batch)
        if offsets := self._task.offsets(reached):
            self._record_topics(self._id, topics)
            with self._recorder.commit(), self._life.committing():
                self._offsets.commit_all(self._id.connector, offsets, self._epoch)
        self._committed = batch
        self._task.passed(reached)

    def _commit_finished(self) -> bool:
        """Whether a batch has ended since the last time."""
        finished = self._checkpoint.finished()
        if finished is None or finished <= self._committed:
            return False
        self._commit(finished, self._targets)
        return True

    def _count(self, query: Query) -> None:
        if count := query.new_rows(self._committed):
            self._recorder.fetched(count)
            self._recorder.wrote(count)

    # --- its end ----------------------------------------------------------------------------------------------------------

    def halt(self, timeout: float) -> bool:
        """Between two batches, with all that it has written committed; in real time it is cut off if it takes too long."""
        self._halting = True
        self._again = -math.inf
        query = self._query
        if query is None:
            return True
        in_real_time = self._trigger.kind == "realtime"
        in_time = query.end_after_batch(timeout) if in_real_time else self._rests(timeout)
        if in_real_time:
            self._commit_finished()
        if in_time or in_real_time:
            self._count(query)
            self._end_query()
        return in_time

    def _rests(self, timeout: float) -> bool:
        """Once no batch is being written any more; no further one begins."""
        if not self._batch.acquire(timeout=timeout):
            return False
        self._batch.release()
        return True

    def cut_off(self) -> None:
        """In batches nothing is written without asking first."""
        if self._trigger.kind == "realtime":
            self._end_query()

    def close(self) -> None:
        self._end_query()
        self._task.stop()

    def _end_query(self) -> None:
        query, self._query = self._query, None
        if query is not None:
            query.stop()
        self._checkpoint.discard()
        self._slots.release(self)
