"""A sink task as a loop of jobs: what is new in its partitions, write it, then commit its end to the group `connect-<name>`."""

from collections.abc import Hashable, Mapping, Sequence
from contextlib import ExitStack

from pyspark.sql import DataFrame

from workers.connectors.base import ConnectError, KafkaRange, SinkTask, TaskContext
from workers.herder.offsets import group_of
from workers.herder.ports import GroupInUse
from workers.herder.values import Partition
from workers.pipeline.failures import RecordFailed, ToleranceExceeded, failure_in
from workers.pipeline.pipeline import SinkPipeline
from workers.runtime.clusters import Cluster
from workers.runtime.coalescer import Span
from workers.runtime.kafka_frames import read_ranges
from workers.runtime.life import Stepwise
from workers.runtime.ranges import are_few, merged, next_ranges, share, start_offset, subscribed
from workers.runtime.scheduler import Course
from workers.runtime.small_reads import SmallReads
from workers.runtime.surroundings import Surroundings


class SinkJob(Stepwise):
    """`cluster` is the one that it reads from, `properties` are the connector's own for its consumer, `small_reads` reads what
    it has in common with others."""

    def __init__(
        self,
        around: Surroundings,
        task: SinkTask,
        context: TaskContext,
        cluster: Cluster,
        small_reads: SmallReads,
        pipeline: SinkPipeline,
    ) -> None:
        self._spec = around.spec
        self._task = task
        self._context = context
        self._life = around.life
        self._kafka = around.kafka
        self._small_reads = small_reads
        self._partitions = cluster.partitions
        self._group_offsets = cluster.groups
        self._record_topics = around.record_topics
        self._properties = around.properties
        self._recorder = around.recorder
        self._pipeline = pipeline
        self._reports = around.reports
        config = around.spec.connector_config
        self._group = group_of(around.spec.id.connector, config)
        self._reset = config.get("consumer.override.auto.offset.reset", "earliest")
        self._positions: dict[Partition, int] = {}
        #: Whether the newest write may have to be done again: it failed, or an earlier life made it.
        self._in_doubt = True

    def start(self) -> None:
        self._reports.start()
        self._task.start(self._context)

    def step(self) -> Course:
        self._take_partitions()
        ranges = self._ranges()
        if not ranges:
            self._task.idle()
            return False
        self._in_doubt = True
        count = sum(item.end - item.start for item in ranges)
        self._recorder.fetched(count)
        batch = SinkBatch(self, ranges)
        yield batch
        self._life.check()
        self._task.finish(ranges)
        skipped = self._reports.skipped(self._pipeline.failing(self._read(ranges))) if batch.has_failed else 0
        self._recorder.wrote(count - skipped)
        self._life.check()
        self._record_topics(self._spec.id, {item.topic for item in ranges})
        ends = {Partition(item.topic, item.partition): item.end for item in ranges}
        with self._recorder.commit(), self._life.committing():
            self._group_offsets.commit(self._group, ends)
        self._in_doubt = False
        self._positions |= ends
        self._task.committed()
        return True

    def _read(self, ranges: Sequence[KafkaRange]) -> DataFrame:
        return read_ranges(self._life.session(), self._kafka, self._group, ranges, self._properties)

    def _ranges(self) -> Sequence[KafkaRange]:
        unfinished = self._task.unfinished() if self._in_doubt else ()
        if unfinished and all(self._positions.get(Partition(r.topic, r.partition)) == r.start for r in unfinished):
            return unfinished
        ends = self._partitions.ends(self._positions)
        self._recorder.saw(ends, self._positions)
        return next_ranges(self._positions, ends)

    def _take_partitions(self) -> None:
        """Partitions that are new since the last look, each from where its group stands."""
        mine = share(subscribed(self._spec.config, self._partitions.topics()), self._spec.id.task, self._spec.tasks)
        new = [partition for partition in mine if partition not in self._positions]
        if not new:
            return
        self._partitions.watch(new)
        try:
            self._positions |= self._starts(new)
        except BaseException:
            self._partitions.unwatch(new)
            raise

    def _starts(self, new: Sequence[Partition]) -> dict[Partition, int]:
        committed = self._group_offsets.committed(self._group, new)
        self._require_unused(committed)
        begins, ends = self._partitions.begins(new), self._partitions.ends(new)
        return {p: start_offset(self._reset, p, committed.get(p), begins[p], ends[p]) for p in new}

    def _require_unused(self, committed: Mapping[Partition, int]) -> None:
        """Before anything is written whose commit the group's members would keep from being made."""
        try:
            with self._life.committing():
                self._group_offsets.require_unused(self._group, committed)
        except GroupInUse as error:
            raise ConnectError(
                f"Somebody is in consumer group {self._group}: another cluster that runs this connector, or did until a moment "
                "ago and died. Nothing was written. Restart this task when the group has no members any more."
            ) from error

    def close(self) -> None:
        self._partitions.unwatch(self._positions)
        self._task.stop()


class SinkBatch:
    """See `workers.runtime.coalescer.Batch`."""

    def __init__(self, job: SinkJob, ranges: Sequence[KafkaRange]) -> None:
        self.job = job
        self.ranges = ranges
        self.life = job._life
        self.key = self._key()
        #: Whether a record was left out, of this batch or of another one that was written with it.
        self.has_failed = False
        self.spans: Mapping[Hashable, Span] = {Partition(item.topic, item.partition): (item.start, item.end) for item in ranges}

    def _key(self) -> Hashable:
        key = self.job._task.coalescing_key() if are_few(self.ranges) else None
        kind, pipeline, properties = type(self.job._task), self.job._pipeline.key, frozenset(self.job._properties.items())
        return None if key is None else (kind, key, pipeline, properties)

    def run(self) -> None:
        job = self.job

        def write(records: DataFrame) -> None:
            self.life.check()
            job._task.write(records, self.ranges)

        try:
            with job._recorder.batch():
                shaped = job._pipeline.write(lambda: job._read(self.ranges), write)
        except Exception as error:
            if (failure := failure_in(error)) is None:
                raise
            job._reports.stopped(failure, job._pipeline.failing(job._read([failure.at])))
            raise ToleranceExceeded from RecordFailed(failure)
        self.has_failed = shaped.failed() != 0

    def run_all(self, batches: Sequence["SinkBatch"]) -> None:
        with ExitStack() as times:
            for batch in batches:
                times.enter_context(batch.job._recorder.batch())
            ranges = merged([item for batch in batches for item in batch.ranges])

            def write(records: DataFrame) -> None:
                for batch in batches:
                    batch.life.check()
                type(self.job._task).write_all(records, [(batch.job._task, batch.ranges) for batch in batches])

            shaped = self.job._pipeline.write(lambda: self._read(ranges), write)
        for batch in batches:
            batch.has_failed = shaped.failed() != 0

    def _read(self, ranges: Sequence[KafkaRange]) -> DataFrame:
        spark, job = self.life.session(), self.job
        if job._properties:
            # They are Java's.
            return read_ranges(spark, job._kafka, "drover-common", ranges, job._properties)
        return job._small_reads.frame(spark, ranges)
