"""A source task as a loop of jobs: what is new, read, write to Kafka, then commit its end to the offsets topic."""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial

from pyspark.sql import DataFrame

from workers.connectors.base import SourceRange, SourceTask
from workers.connectors.topic_creation import TopicCreation
from workers.herder.offsets import topic_of
from workers.pipeline.failures import RecordFailed, ToleranceExceeded, failure_in
from workers.pipeline.pipeline import SourcePipeline
from workers.runtime import new_topics
from workers.runtime.coalescer import PartlyDone, Span
from workers.runtime.kafka_frames import topics_of, write_records
from workers.runtime.life import Stepwise
from workers.runtime.scheduler import Course
from workers.runtime.small_writes import SmallWrites, Undelivered
from workers.runtime.surroundings import Surroundings
from workers.storage.offset_stores import ConnectorOffsets, OffsetStores

#: Hears of the topics that records go to, before they do.
Expecting = Callable[[Collection[str]], None]


class SourceJob(Stepwise):
    """`properties` are the connector's own for its producer, `small_writes` writes what it has in common with others."""

    def __init__(
        self,
        around: Surroundings,
        task: SourceTask,
        offsets: OffsetStores,
        small_writes: SmallWrites,
        pipeline: SourcePipeline,
    ) -> None:
        self._id, self._epoch = around.spec.id, around.spec.epoch
        self._task = task
        self._life = around.life
        self._kafka = around.kafka
        self._small_writes = small_writes
        self._stores = offsets
        self._topic = topic_of(around.spec.connector_config)
        #: From its start on.
        self._offsets = ConnectorOffsets(())
        self._record_topics = around.record_topics
        self._properties = around.properties
        self._recorder = around.recorder
        self._pipeline = pipeline
        self._reports = around.reports
        self._new_topics = around.new_topics

    def start(self) -> None:
        self._offsets = self._stores.of(self._topic)
        # Another worker may have run this task until a moment ago.
        self._offsets.refresh()
        self._task.start(lambda partition: self._offsets.offset(self._id.connector, partition))

    def step(self) -> Course:
        new = self._task.next_range()
        if new is None:
            return False
        batch = SourceBatch(self, new)
        yield batch
        count = self._task.records()
        self._recorder.fetched(count)
        skipped = self._report(new) if batch.has_failed else 0
        self._recorder.wrote(None if count is None else count - skipped)
        self._life.check()
        self._record_topics(self._id, batch.topics)
        with self._recorder.commit(), self._life.committing():
            self._offsets.commit_all(self._id.connector, new.offsets, self._epoch)
        self._task.committed(new)
        return True

    def _report(self, new: SourceRange) -> int:
        """How many of the range's records were left out."""
        return self._reports.skipped(self._pipeline.failing(self._task.read(self._life.session(), new)))

    def close(self) -> None:
        self._task.stop()


class SourceBatch:
    """See `workers.runtime.coalescer.Batch`."""

    #: Whatever they read, each reads it by itself.
    spans: Mapping[Hashable, Span] = {}

    def __init__(self, job: SourceJob, new: SourceRange) -> None:
        self.job = job
        self.new = new
        self.life = job._life
        self.key = self._key()
        #: Whether a record was left out, of this batch or of another one that was written with it.
        self.has_failed = False
        #: Those that it goes to, as far as anybody can tell.
        self.topics: Collection[str] = ()

    def _key(self) -> Hashable:
        key = self.job._task.coalescing_key(self.new)
        kind, pipeline, properties = type(self.job._task), self.job._pipeline.key, frozenset(self.job._properties.items())
        return None if key is None else (kind, key, pipeline, properties, self._creation_by_record())

    def _creation_by_record(self) -> TopicCreation | None:
        """Where only a record can tell where it goes. Whose it was cannot be told any more then: all who share a job make topics
        alike."""
        new = self.job._new_topics
        return new.creation if new is not None and self.job._pipeline.routes_records else None

    def run(self) -> None:
        records = self.job._task.read(self.life.session(), self.new)
        # A small batch may be rows in memory, which several of Spark's tasks would write in any order.
        self._run([self], records if self.key is None else records.coalesce(1), self._by_spark)

    def run_all(self, batches: Sequence["SourceBatch"]) -> None:
        job = self.job
        records = type(job._task).read_all(self.life.session(), [(batch.job._task, batch.new) for batch in batches])
        if job._properties:
            # They are Java's.
            self._run(batches, records.coalesce(1), self._by_spark)
        else:
            self._run(batches, records, job._small_writes.write)

    def _by_spark(self, rows: DataFrame, expecting: Expecting) -> None:
        expecting(() if self._creation_by_record() is None else topics_of(rows))
        write_records(rows, self.job._kafka, self.job._properties)

    def _ensure_topics(self, batches: Sequence["SourceBatch"], found: Collection[str]) -> None:
        """`found` are those of the batches' records, if anybody looked."""
        by_record = self.job._pipeline.routes_records
        for batch in batches:
            # Whose they are of several batches nobody knows.
            batch.topics = batch.destinations() if not by_record else found if len(batches) == 1 else ()
        new_topics.ensure(
            [
                (batch.job._new_topics, found if by_record else batch.topics)
                for batch in batches
                if batch.job._new_topics is not None
            ]
        )

    def _arrived(self, batches: Sequence["SourceBatch"], failed: Collection[str]) -> list["SourceBatch"]:
        """Those of which all has, where not all records of these topics have. None where nobody can tell whose they are."""
        if self.job._pipeline.routes_records:
            return []
        named = [(batch, set(batch.destinations())) for batch in batches]
        if not set(failed) <= set().union(*(topics for _, topics in named)):
            return []
        return [batch for batch, topics in named if topics and topics.isdisjoint(failed)]

    def destinations(self) -> Collection[str]:
        return self.job._pipeline.destinations(self.life.session(), self.new.topics)

    def _run(self, batches: Sequence["SourceBatch"], records: DataFrame, write: Callable[[DataFrame, Expecting], None]) -> None:
        # Whoever did not come back from the task's own code in time, and does now, writes nothing any more.
        for batch in batches:
            batch.life.check()
        with ExitStack() as times:
            for batch in batches:
                times.enter_context(batch.job._recorder.batch())
            shaped = self.job._pipeline.outgoing(records)
            try:
                write(shaped.frame, partial(self._ensure_topics, batches))
            except Exception as error:
                if isinstance(error, Undelivered) and (arrived := self._arrived(batches, error.topics)):
                    for batch in arrived:
                        batch.has_failed = shaped.failed() != 0
                    raise PartlyDone(arrived) from error
                if (failure := failure_in(error)) is None or len(batches) > 1:
                    raise
                self.job._reports.stopped(failure)
                raise ToleranceExceeded from RecordFailed(failure)
        for batch in batches:
            batch.has_failed = shaped.failed() != 0
