"""A source task as a loop of jobs: what is new, read, write to Kafka, then commit its end to the offsets topic."""

from collections.abc import Callable

from pyspark.sql import SparkSession

from workers.connectors.base import SourceTask
from workers.herder.values import TaskId
from workers.runtime.kafka_frames import write_records
from workers.storage.kafka import Kafka
from workers.storage.offset_store import OffsetStore


class SourceJob:
    """`check` raises when this task may not commit any more."""

    def __init__(
        self,
        task_id: TaskId,
        task: SourceTask,
        spark: SparkSession,
        kafka: Kafka,
        offsets: OffsetStore,
        check: Callable[[], None],
    ):
        self._id = task_id
        self._task = task
        self._spark = spark
        self._kafka = kafka
        self._offsets = offsets
        self._check = check

    def start(self) -> None:
        # Another worker may have run this task until a moment ago.
        self._offsets.refresh()
        self._task.start(lambda partition: self._offsets.offset(self._id.connector, partition))

    def step(self) -> bool:
        new = self._task.next_range()
        if new is None:
            return False
        write_records(self._task.read(self._spark, new), self._kafka)
        self._check()
        for partition, offset in new.offsets:
            self._offsets.commit(self._id.connector, partition, offset)
        self._task.committed(new)
        return True

    def close(self) -> None:
        self._task.stop()
