"""The job engine: tasks as loops of Spark batch jobs in a bounded pool (design, "A task")."""

import itertools
import logging
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import SparkSession

from workers.connectors.base import RetriableError, SinkTask, TaskContext
from workers.connectors.plugins import CreatedTask, InstalledPlugins
from workers.folders import folder_name
from workers.herder.ports import RecordTopics, TaskSpec
from workers.metrics.task_recorder import TaskRecorder
from workers.metrics.worker_recorder import WorkerRecorder
from workers.runtime.faults import is_retriable, lost_driver
from workers.runtime.partitions import Partitions
from workers.runtime.scheduler import Scheduler
from workers.runtime.sink_job import SinkJob
from workers.runtime.source_job import SourceJob
from workers.storage.kafka import Kafka
from workers.storage.offset_store import OffsetStore

logger = logging.getLogger(__name__)

Job = SourceJob | SinkJob
_lives = itertools.count(1)


class JobEngine:
    """See `workers.herder.ports.TaskRunner`. `on_lost_driver` is called when Spark's process has died under it; while `may_write`
    says no, tasks neither begin nor commit anything: somebody else may be at it."""

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
        may_write: Callable[[], bool],
        on_lost_driver: Callable[[], None],
        record_topics: RecordTopics,
        recorder: WorkerRecorder,
    ):
        self._spark = spark
        self._kafka = kafka
        self._offsets = offsets
        self._plugins = plugins
        self._scratch = scratch
        self._partitions = Partitions(kafka.new_admin, offsets_age=interval * 0.75)
        self._scheduler = Scheduler(threads, interval)
        self._may_write = may_write
        self._on_lost_driver = on_lost_driver
        self._record_topics = record_topics
        self._recorder = recorder

    def start(
        self, spec: TaskSpec, *, paused: bool, started: Callable[[], None], failed: Callable[[BaseException], None]
    ) -> "EngineTask":
        created = self._plugins.create_task(spec)
        recorder = self._recorder.task(spec.id, "sink" if isinstance(created.task, SinkTask) else "source")
        task = EngineTask(spec, created, self._spark, self._scheduler, self._may_write, recorder, self._recorder)
        job = self._job(created, task.check, recorder)

        def give_up(error: BaseException) -> None:
            if lost_driver(error):
                self._on_lost_driver()
            else:
                failed(error)

        task.begin(job, started, give_up, paused=paused)
        return task

    def _job(self, created: CreatedTask, check: Callable[[], None], recorder: TaskRecorder) -> Job:
        task, spec, properties = created.task, created.spec, created.client_properties
        if isinstance(task, SinkTask):
            context = TaskContext(spec.id, self._scratch / folder_name(spec.id.connector) / str(spec.id.task))
            context.scratch.mkdir(parents=True, exist_ok=True)
            return SinkJob(
                spec, task, context, self._spark, self._kafka, self._partitions, check, self._record_topics, properties, recorder
            )
        return SourceJob(spec.id, task, self._spark, self._kafka, self._offsets, check, self._record_topics, properties, recorder)

    def shut_down(self) -> None:
        self._scheduler.stop()
        self._spark.stop()


class NotNow(RetriableError):
    """Who asks may not write at this moment: cut off from the group, or stopped."""


class EngineTask:
    """See `workers.herder.ports.RunningTask`. The scheduler knows it by itself, not by its id: the next life of the same task is
    another one."""

    def __init__(
        self,
        spec: TaskSpec,
        created: CreatedTask,
        spark: SparkSession,
        scheduler: Scheduler,
        may_write: Callable[[], bool],
        recorder: TaskRecorder,
        worker_recorder: WorkerRecorder,
    ):
        self._id = spec.id
        self._created = created
        self._group = f"{spec.id}#{next(_lives)}"
        self._spark = spark
        self._scheduler = scheduler
        self._may_write = may_write
        self._recorder = recorder
        self._worker_recorder = worker_recorder
        self._abandoned = False
        #: The job, from its own start on.
        self._job: Job | None = None

    def __str__(self) -> str:
        return str(self._id)

    def begin(self, job: Job, started: Callable[[], None], give_up: Callable[[BaseException], None], *, paused: bool) -> None:

        def step() -> bool:
            if not self._may_write():
                return False
            # What Spark runs from here is named for the task, and can be cancelled by that name.
            self._spark.sparkContext.setJobGroup(self._group, str(self._id), interruptOnCancel=True)
            self._spark.sparkContext.setLocalProperty("spark.scheduler.pool", str(self._id))
            with self._created.concealment.marking(), self._recorder.attempt(is_retriable):
                if self._job is None:
                    self._start(job)
                    if self._abandoned:
                        # It was given up on meanwhile, and another life of it may be at work.
                        self._close(job)
                        return False
                    started()
                return job.step()

        self._scheduler.add(self, step, give_up, paused=paused)

    def _start(self, job: Job) -> None:
        job.start()
        self._worker_recorder.begun(self._recorder)
        self._job = job

    def check(self) -> None:
        """Between a write and its commit. Raises NotNow."""
        if self._abandoned or not self._may_write():
            raise NotNow(f"{self._id} may not commit: it was stopped, or this worker is cut off from its group")

    def pause(self, timeout: float) -> None:
        self._scheduler.pause(self, timeout)

    def resume(self) -> None:
        self._scheduler.resume(self)

    def stop(self, timeout: float) -> None:
        if not self._scheduler.remove(self, timeout):
            logger.error("Graceful stop of task %s failed.", self._id)
            self._abandoned = True
            self._spark.sparkContext.cancelJobGroup(self._group)
        if self._job is not None:
            self._close(self._job)

    def _close(self, job: Job) -> None:
        self._worker_recorder.ended(self._recorder)
        job.close()
