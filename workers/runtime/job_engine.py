"""The job engine: tasks as loops of Spark batch jobs in a bounded pool (design, "A task")."""

import itertools
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

from workers.connectors.base import RetriableError, SinkTask, SourceTask, StreamingSource, TaskContext
from workers.connectors.overrides import client_properties, queue_properties
from workers.connectors.plugins import CreatedTask, InstalledPlugins
from workers.folders import folder_name
from workers.herder.ports import RecordTopics, TaskSpec
from workers.herder.values import Config
from workers.loggers.loggers import Loggers
from workers.metrics.task_recorder import TaskRecorder
from workers.metrics.worker_recorder import WorkerRecorder
from workers.pipeline.pipeline import SinkPipeline, SourcePipeline
from workers.runtime.clusters import Cluster, Clusters
from workers.runtime.faults import is_retriable, lost_driver
from workers.runtime.group_offsets import GroupOffsets
from workers.runtime.java_loggers import JavaLoggers
from workers.runtime.new_topics import NewTopics
from workers.runtime.partitions import Partitions
from workers.runtime.pools import pool_of
from workers.runtime.query_engine import QueryJob, wants_query
from workers.runtime.reports import Reports
from workers.runtime.scheduler import Course, Scheduler
from workers.runtime.sink_job import SinkJob
from workers.runtime.slots import Slots
from workers.runtime.small_reads import SmallReads
from workers.runtime.small_writes import SmallWrites
from workers.runtime.source_job import SourceJob
from workers.runtime.surroundings import Surroundings
from workers.storage.kafka import Kafka
from workers.storage.offset_stores import OffsetStores

logger = logging.getLogger(__name__)

Job = SourceJob | SinkJob | QueryJob
_lives = itertools.count(1)
# Less than the slack that a stop has.
_COMMIT = 1.5


class JobEngine:
    """See `workers.herder.ports.TaskRunner`. `on_lost_driver` is called when Spark's process has died under it; while `may_write`
    says no, tasks neither begin nor commit anything: somebody else may be at it."""

    def __init__(
        self,
        spark: SparkSession,
        kafka: Kafka,
        offsets: OffsetStores,
        plugins: InstalledPlugins,
        *,
        scratch: Path,
        threads: int,
        interval: float,
        realtime_slots: int,
        may_write: Callable[[], bool],
        on_lost_driver: Callable[[], None],
        record_topics: RecordTopics,
        recorder: WorkerRecorder,
    ) -> None:
        self._spark = spark
        self._kafka = kafka
        self._offsets = offsets
        self._plugins = plugins
        self._scratch = scratch
        jvm = spark.sparkContext._jvm
        #: Of this process and of Spark's driver.
        self.loggers = Loggers([JavaLoggers(jvm)])
        own = Cluster(
            Partitions(kafka.new_admin, offsets_age=interval * 0.75),
            GroupOffsets(jvm, kafka.bootstrap_servers),
        )
        self._clusters = Clusters(own, lambda theirs: GroupOffsets(jvm, theirs["bootstrap.servers"], properties=theirs))
        self._small_reads, self._small_writes = SmallReads(kafka), SmallWrites(kafka)
        self._scheduler = Scheduler(threads, interval)
        self._slots = Slots(realtime_slots)
        self._may_write = may_write
        self._on_lost_driver = on_lost_driver
        self._record_topics = record_topics
        self._recorder = recorder

    def start(self, spec: TaskSpec, *, started: Callable[[], None], failed: Callable[[BaseException], None]) -> "EngineTask":
        created = self._plugins.create_task(spec)
        recorder = self._recorder.task(spec.id, "sink" if isinstance(created.task, SinkTask) else "source")
        task = EngineTask(spec, created, self._spark, self._scheduler, self._may_write, recorder, self._recorder)
        job = self._job(created, task, recorder)

        def give_up(error: BaseException) -> None:
            if lost_driver(error):
                self._on_lost_driver()
            else:
                failed(error)

        task.begin(job, started, give_up)
        return task

    def _job(self, created: CreatedTask, life: "EngineTask", recorder: TaskRecorder) -> Job:
        task, around = created.task, self._around(created, life, recorder)
        settings, conversion, id = created.errors, created.conversion, created.spec.id
        context = TaskContext(id, self._scratch / folder_name(id.connector) / str(id.task))
        if isinstance(task, SinkTask):
            context.scratch.mkdir(parents=True, exist_ok=True)
            cluster = self._clusters.of(around.properties)
            into = SinkPipeline(conversion, tolerates_all=settings.tolerates_all)
            return SinkJob(around, task, context, cluster, self._small_reads, into)
        shows = settings.log and settings.log_records
        pipeline = SourcePipeline(conversion, tolerates_all=settings.tolerates_all, shows_records=shows)
        if isinstance(task, StreamingSource) and wants_query(task):
            return QueryJob(around, task, context, self._offsets, self._slots, pipeline if conversion.identity else None)
        assert isinstance(task, SourceTask), "a streaming source that is nothing else has a trigger"
        return SourceJob(around, task, self._offsets, self._small_writes, pipeline)

    def _around(self, created: CreatedTask, life: "EngineTask", recorder: TaskRecorder) -> Surroundings:
        queue = queue_properties(created.spec.connector_config)
        reports = Reports(created.spec.id, created.errors, self._kafka, recorder, queue, lambda: self._clusters.of(queue).groups)
        properties = created.client_properties
        new_topics = NewTopics(created.creation, lambda: self._clusters.of(properties).groups) if created.creation else None
        return Surroundings(created.spec, life, self._kafka, properties, self._record_topics, recorder, reports, new_topics)

    def groups_of(self, config: Config) -> GroupOffsets:
        """For the herder, which reads and alters what sinks commit: the groups of the cluster that a sink reads from. `config` is
        to have its variables resolved."""
        return self._clusters.of(client_properties(config, "sink")).groups

    def shut_down(self) -> None:
        self._scheduler.stop()
        self._small_reads.close()
        self._clusters.close()
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
    ) -> None:
        self._id = spec.id
        self._created = created
        self._group = f"{spec.id}#{next(_lives)}"
        self._spark = spark
        self._scheduler = scheduler
        self._may_write = may_write
        self._recorder = recorder
        self._worker_recorder = worker_recorder
        #: The common job that it was in last.
        self._common: str | None = None
        self._abandoned = False
        self._committing = threading.Lock()
        #: The job, from its own start on.
        self._job: Job | None = None

    def __str__(self) -> str:
        return str(self._id)

    def begin(self, job: Job, started: Callable[[], None], give_up: Callable[[BaseException], None]) -> None:
        """When it is resumed."""

        def step() -> Course:
            if not self._may_write():
                if self._job is not None:
                    self._job.cut_off()
                return False
            with self._created.concealment.marking(), self._recorder.attempt(is_retriable):
                if self._job is None:
                    self._start(job)
                    if self._abandoned:
                        # It was given up on meanwhile, and another life of it may be at work.
                        self._close(job)
                        return False
                    started()
                    # Its first job comes when all have started that are waiting for it: one that is moved with many others is
                    # not shown as dead while they work off what has piled up.
                    return True
                return (yield from job.step())

        self._scheduler.add(self, step, give_up, paused=True)

    def _start(self, job: Job) -> None:
        job.start()
        self._worker_recorder.begun(self._recorder)
        self._job = job

    def joins(self, common: str | None) -> None:
        self._common = common

    def session(self) -> SparkSession:
        """What it runs on this thread from here is named for the task, or for the job that it shares with others, and can be
        cancelled by that name. Only for who has something to run: it is said to another process, and most looks find nothing
        new."""
        group, common = self._group, self._common
        self._spark.sparkContext.setJobGroup(common or group, common or str(self._id), interruptOnCancel=True)
        self._spark.sparkContext.setLocalProperty("spark.scheduler.pool", pool_of(None if common else str(self._id)))
        return self._spark

    def cancel(self) -> None:
        # Also what it would begin when it comes back: its own code may be between two jobs.
        for group in {self._group, self._common} - {None}:
            self._spark.sparkContext._jsc.sc().cancelJobGroupAndFutureJobs(group)

    def check(self) -> None:
        """Before a write, and between it and its commit. Raises NotNow."""
        if self._abandoned or not self._may_write():
            raise NotNow(f"{self._id} may write and commit nothing: it was stopped, or this worker is cut off from its group")

    @contextmanager
    def committing(self) -> Iterator[None]:
        """Raises NotNow."""
        with self._committing:
            self.check()
            yield

    def pause(self, timeout: float) -> None:
        deadline = time.monotonic() + timeout
        self._scheduler.pause(self, timeout)
        if self._job is not None:
            self._job.halt(max(0, deadline - time.monotonic()))

    def resume(self) -> None:
        self._scheduler.resume(self)

    def stop(self, timeout: float) -> None:
        deadline = time.monotonic() + timeout
        in_time = self._scheduler.remove(self, timeout)
        if self._job is not None:
            in_time = self._job.halt(max(0, deadline - time.monotonic())) and in_time
        if not in_time:
            logger.error("Graceful stop of task %s failed.", self._id)
            self._abandoned = True
            # A commit that is under way is over in a moment, or Kafka is away.
            if self._committing.acquire(timeout=_COMMIT):
                self._committing.release()
            self.cancel()
        if self._job is not None:
            self._close(self._job)

    def _close(self, job: Job) -> None:
        self._worker_recorder.ended(self._recorder)
        job.close()
