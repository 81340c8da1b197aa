"""A sink task as a loop of jobs: what is new in its partitions, write it, then commit its end to the group `connect-<name>`."""

from collections.abc import Callable, Mapping, Sequence

from pyspark.sql import SparkSession

from workers.connectors.base import KafkaRange, SinkTask, TaskContext
from workers.herder.ports import RecordTopics, TaskSpec
from workers.metrics.task_recorder import TaskRecorder
from workers.runtime.kafka_frames import read_ranges
from workers.runtime.partitions import Partition, Partitions
from workers.runtime.ranges import next_ranges, share, start_offset, subscribed
from workers.storage.kafka import Kafka


class SinkJob:
    """`check` raises when this task may not commit any more. `properties` are the connector's own for its consumer."""

    def __init__(
        self,
        spec: TaskSpec,
        task: SinkTask,
        context: TaskContext,
        spark: SparkSession,
        kafka: Kafka,
        partitions: Partitions,
        check: Callable[[], None],
        record_topics: RecordTopics,
        properties: Mapping[str, str],
        recorder: TaskRecorder,
    ):
        self._spec = spec
        self._task = task
        self._context = context
        self._spark = spark
        self._kafka = kafka
        self._partitions = partitions
        self._check = check
        self._record_topics = record_topics
        self._properties = properties
        self._recorder = recorder
        config = spec.connector_config
        self._group = config.get("consumer.override.group.id") or f"connect-{spec.id.connector}"
        self._reset = config.get("consumer.override.auto.offset.reset", "earliest")
        self._positions: dict[Partition, int] = {}
        #: Whether the newest write may have to be done again: it failed, or an earlier life made it.
        self._in_doubt = True

    def start(self) -> None:
        self._task.start(self._context)

    def step(self) -> bool:
        self._take_partitions()
        ranges = self._ranges()
        if not ranges:
            return False
        self._in_doubt = True
        count = sum(item.end - item.start for item in ranges)
        self._recorder.fetched(count)
        with self._recorder.batch():
            self._task.write(read_ranges(self._spark, self._kafka, self._group, ranges, self._properties), ranges)
        self._recorder.wrote(count)
        self._check()
        self._record_topics(self._spec.id, {item.topic for item in ranges})
        ends = {Partition(item.topic, item.partition): item.end for item in ranges}
        with self._recorder.commit():
            self._partitions.commit(self._group, ends)
        self._in_doubt = False
        self._positions |= ends
        self._task.committed()
        return True

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
        committed = self._partitions.committed(self._group, new)
        begins, ends = self._partitions.begins(new), self._partitions.ends(new)
        return {p: start_offset(self._reset, p, committed.get(p), begins[p], ends[p]) for p in new}

    def close(self) -> None:
        self._partitions.unwatch(self._positions)
        self._task.stop()
