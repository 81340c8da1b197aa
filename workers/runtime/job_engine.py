"""The job engine: tasks as loops of Spark batch jobs in a bounded pool (design, "A task")."""

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from pyspark.sql import SparkSession

from workers.connectors.base import SinkTask, TaskContext
from workers.connectors.plugins import CreatedTask, InstalledPlugins
from workers.herder.ports import RecordTopics, TaskSpec
from workers.herder.values import TaskId
from workers.runtime.faults import lost_driver
from workers.runtime.partitions import Partitions
from workers.runtime.scheduler import Scheduler
from workers.runtime.sink_job import SinkJob
from workers.runtime.source_job import SourceJob
from workers.storage.kafka import Kafka
from workers.storage.offset_store import OffsetStore

logger = logging.getLogger(__name__)


class JobEngine:
    """See `workers.herder.ports.TaskRunner`. `on_lost_driver` is called when Spark's process has died under it."""

    def __init__(
        self,
        spark: SparkSession,
        kafka: Kafka,
        offsets: OffsetStore,
        plugins: InstalledPlugins,
        *,
        scratch: Path,
        threads: int,
        interval: float,
        on_lost_driver: Callable[[], None],
        record_topics: RecordTopics,
    ):
        self._spark = spark
        self._kafka = kafka
        self._offsets = offsets
        self._plugins = plugins
        self._scratch = scratch
        self._partitions = Partitions(kafka.new_admin, offsets_age=interval * 0.75)
        self._scheduler = Scheduler(threads, interval)
        self._on_lost_driver = on_lost_driver
        self._record_topics = record_topics
        self._jobs: dict[TaskId, SourceJob | SinkJob] = {}
        self._lock = threading.Lock()

    def start(self, spec: TaskSpec, *, paused: bool, failed: Callable[[BaseException], None]) -> None:
        created = self._plugins.create_task(spec)
        job = self._job(created)
        with created.concealment.marking():
            job.start()
        with self._lock:
            self._jobs[spec.id] = job

        def step() -> bool:
            # What Spark runs from here is named for the task, and can be cancelled by that name.
            self._spark.sparkContext.setJobGroup(str(spec.id), str(spec.id), interruptOnCancel=True)
            self._spark.sparkContext.setLocalProperty("spark.scheduler.pool", str(spec.id))
            with created.concealment.marking():
                return job.step()

        def give_up(error: BaseException) -> None:
            if lost_driver(error):
                self._on_lost_driver()
            else:
                failed(error)

        self._scheduler.add(spec.id, step, give_up, paused=paused)

    def _job(self, created: CreatedTask) -> SourceJob | SinkJob:
        task, spec, properties = created.task, created.spec, created.client_properties
        if isinstance(task, SinkTask):
            context = TaskContext(spec.id, self._scratch / quote(spec.id.connector, safe="") / str(spec.id.task))
            context.scratch.mkdir(parents=True, exist_ok=True)
            return SinkJob(spec, task, context, self._spark, self._kafka, self._partitions, self._record_topics, properties)
        return SourceJob(spec.id, task, self._spark, self._kafka, self._offsets, self._record_topics, properties)

    def pause(self, task: TaskId, timeout: float) -> None:
        self._scheduler.pause(task, timeout)

    def resume(self, task: TaskId) -> None:
        self._scheduler.resume(task)

    def stop(self, task: TaskId, timeout: float) -> None:
        if not self._scheduler.remove(task, timeout):
            logger.error("Graceful stop of task %s failed.", task)
            self._spark.sparkContext.cancelJobGroup(str(task))
        with self._lock:
            job = self._jobs.pop(task, None)
        if job is not None:
            job.close()

    def shut_down(self) -> None:
        self._scheduler.stop()
        self._spark.stop()
