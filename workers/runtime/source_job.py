"""A source task as a loop of jobs: what is new, read, write to Kafka, then commit its end to the offsets topic."""

from collections.abc import Callable, Mapping

from pyspark.sql import SparkSession

from workers.connectors.base import SourceTask
from workers.herder.ports import RecordTopics
from workers.herder.values import TaskId
from workers.metrics.task_recorder import TaskRecorder
from workers.runtime.kafka_frames import write_records
from workers.storage.kafka import Kafka
from workers.storage.offset_store import OffsetStore


class SourceJob:
    """`check` raises when this task may not commit any more. `properties` are the connector's own for its producer."""

    def __init__(
        self,
        task_id: TaskId,
        task: SourceTask,
        spark: SparkSession,
        kafka: Kafka,
        offsets: OffsetStore,
        check: Callable[[], None],
        record_topics: RecordTopics,
        properties: Mapping[str, str],
        recorder: TaskRecorder,
    ):
        self._id = task_id
        self._task = task
        self._spark = spark
        self._kafka = kafka
        self._offsets = offsets
        self._check = check
        self._record_topics = record_topics
        self._properties = properties
        self._recorder = recorder

    def start(self) -> None:
        # Another worker may have run this task until a moment ago.
        self._offsets.refresh()
        self._task.start(lambda partition: self._offsets.offset(self._id.connector, partition))

    def step(self) -> bool:
        new = self._task.next_range()
        if new is None:
            return False
        with self._recorder.batch():
            write_records(self._task.read(self._spark, new), self._kafka, self._properties)
        count = self._task.records()
        self._recorder.fetched(count)
        self._recorder.wrote(count)
        self._check()
        self._record_topics(self._id, new.topics)
        with self._recorder.commit():
            for partition, offset in new.offsets:
                self._offsets.commit(self._id.connector, partition, offset)
        self._task.committed(new)
        return True

    def close(self) -> None:
        self._task.stop()
