"""Puts the parts together: which implementation stands behind which interface is decided here and nowhere else."""

import logging
import os
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from confluent_kafka import KafkaException

from workers.config import CannotStart, WorkerConfig
from workers.connectors.plugins import InstalledPlugins, discover, find
from workers.herder.distributed import DistributedHerder
from workers.herder.membership import Member, new_life
from workers.herder.ports import RecordTopics
from workers.herder.remote import RemoteHerder
from workers.herder.requests import Replies, Requests
from workers.herder.service import HerderService
from workers.herder.standalone import StandaloneHerder
from workers.herder.topics import ActiveTopics
from workers.herder.values import FailedPlugin, TaskId
from workers.metrics.board import Board
from workers.metrics.own_board import OwnBoard
from workers.metrics.publisher import Publisher
from workers.metrics.worker_recorder import WorkerRecorder
from workers.provider_settings import config_transformer
from workers.storage.assignment_store import AssignmentStore
from workers.storage.config_store import ConfigStore
from workers.storage.file_log import FileLog
from workers.storage.internal_topics import TopicRefused, ensure_topic, ensure_topics
from workers.storage.kafka import Kafka, answered, passes_by_itself
from workers.storage.kafka_group import KafkaGroup
from workers.storage.kafka_log import KafkaLog
from workers.storage.kafka_writer import KafkaWriter
from workers.storage.log import LogError
from workers.storage.offset_store import OffsetStore
from workers.storage.offset_stores import OffsetStores
from workers.storage.status_store import StatusStore

if TYPE_CHECKING:
    from workers.runtime.job_engine import JobEngine

logger = logging.getLogger(__name__)


def remote_herder(config: WorkerConfig) -> RemoteHerder:
    """The herder of a web process. `start` is the caller's to call."""
    from config.celery import app

    return RemoteHerder(
        ConfigStore(KafkaLog(config.kafka, config.config_topic.name)),
        StatusStore(KafkaLog(config.kafka, config.status_topic.name)),
        AssignmentStore(KafkaLog(config.kafka, config.membership_topic.name, partition=0)),
        InstalledPlugins(discover()),
        Requests(app, config.redis_url, config.queue, config.worker_queue, config.request_timeout),
        lambda: cluster_id(config.kafka),
        config.topic_tracking,
    )


def cluster_id(kafka: Kafka) -> str:
    return str(answered(kafka.admin.describe_cluster(request_timeout=10)).cluster_id)


def board(config: WorkerConfig) -> Board:
    return Board(config.redis_url, config.group_id)


@dataclass(slots=True)
class Worker:
    """What a worker process hosts. `start` and `stop` in the order that each part needs the others."""

    config: WorkerConfig
    service: HerderService
    _herder: DistributedHerder
    _offsets: OffsetStores
    _engine: "JobEngine"
    _publisher: Publisher

    def start(self) -> None:
        self._offsets.start()
        self._herder.start()
        self._publisher.start()

    def stop(self) -> None:
        self._publisher.stop()
        self._herder.stop()
        self._offsets.stop()
        self._engine.shut_down()


#: What an operator can mend: told in one sentence.
START_FAILURES = (TopicRefused, KafkaException, LogError, CannotStart)


def worker(config: WorkerConfig, on_lead: Callable[[bool], None]) -> Worker:
    """Makes the internal topics and starts the Spark driver. `on_lead` hears when this worker begins and ceases to lead its
    group. Raises one of START_FAILURES."""
    from config.celery import app

    # What is wrong with the settings is found before another worker is fenced.
    transformer = config_transformer()
    with _broker(config):
        ensure_topics(config.kafka, (config.config_topic, config.offset_topic, config.status_topic), config.membership_topic)
    me = Member(config.worker_id, new_life())
    group = _group(config, me)
    writer = KafkaWriter(config.kafka, f"connect-cluster-{config.group_id}", group.holds)
    configs = ConfigStore(KafkaLog(config.kafka, config.config_topic.name), writer)
    statuses = StatusStore(KafkaLog(config.kafka, config.status_topic.name))
    topics = ActiveTopics(statuses, lambda name: configs.entry(name) is not None, config.topic_tracking)
    offset_topic = config.offset_topic.name
    group_offsets = OffsetStore(KafkaLog(config.kafka, offset_topic))
    offsets = OffsetStores(group_offsets, partial(_offset_store, config), own_topic=offset_topic)
    found = find()
    plugins = InstalledPlugins(
        found.connectors, config.client_rules, transformer, config.converters, creates_topics=config.creates_topics
    )
    recorder = WorkerRecorder()
    engine = _engine(config, offsets, plugins, may_write=group.holds, record_topics=topics.record, recorder=recorder)
    herder = DistributedHerder(
        configs,
        statuses,
        AssignmentStore(KafkaLog(config.kafka, config.membership_topic.name, partition=0), writer),
        writer,
        group,
        plugins,
        engine,
        offsets=offsets,
        consumer_groups=engine.groups_of,
        topics=topics,
        homecoming=config.homecoming,
        stop_timeout=config.stop_timeout,
        about=_about(found.failed),
        on_lead=on_lead,
        recorder=recorder,
        loggers=engine.loggers,
    )
    service = HerderService(herder, Replies(app, config.redis_url, str(me)), config.worker_queue)
    publisher = Publisher(recorder, board(config), config.worker_id)
    return Worker(config, service, herder, offsets, engine, publisher)


def _group(config: WorkerConfig, me: Member) -> KafkaGroup:
    return KafkaGroup(
        config.kafka,
        config.group_id,
        config.membership_topic.name,
        config.membership_topic.partitions,
        me,
        session_timeout=config.session_timeout,
        heartbeat=config.heartbeat,
    )


@dataclass(slots=True)
class Standalone:
    """What a standalone worker's one process hosts. `herder.ready` is the caller's to call, when what it is to run is created."""

    config: WorkerConfig
    herder: StandaloneHerder
    _offsets: OffsetStores
    _engine: "JobEngine"
    board: OwnBoard

    def start(self) -> None:
        self.herder.start()

    def stop(self) -> None:
        self.herder.stop()
        self._offsets.stop()
        self._engine.shut_down()


def standalone(config: WorkerConfig, offsets_file: Path | str) -> Standalone:
    """Opens the file of offsets and starts the Spark driver. Neither Redis nor a topic of Drover's own is needed. Raises one of
    START_FAILURES."""
    with _broker(config):
        cluster = cluster_id(config.kafka)
    # Alone it is in no group that a sink could get into.
    found = find()
    rules = replace(config.client_rules, worker_group=None)
    plugins = InstalledPlugins(
        found.connectors, rules, config_transformer(), config.converters, creates_topics=config.creates_topics
    )
    # A topic of a source's own has no effect here, as in Kafka Connect.
    offsets = OffsetStores(OffsetStore(FileLog(offsets_file)))
    # The default file lies in a folder above this one.
    Path(config.data_dir).mkdir(parents=True, exist_ok=True)
    # First, as it costs nothing: a wrong name is told before anybody has waited for Spark.
    offsets.start()

    def record_topics(task: TaskId, topics: Iterable[str]) -> None:
        # The herder is made of the engine, and no task runs before it.
        herder.active_topics.record(task, topics)

    recorder = WorkerRecorder()
    try:
        engine = _engine(
            config,
            offsets,
            plugins,
            may_write=lambda: True,
            record_topics=record_topics,
            recorder=recorder,
        )
    except BaseException:
        offsets.stop()
        raise
    herder = StandaloneHerder(
        config.worker_id,
        plugins,
        engine,
        lambda: cluster,
        offsets=offsets,
        consumer_groups=engine.groups_of,
        stop_timeout=config.stop_timeout,
        request_timeout=config.request_timeout,
        topic_tracking=config.topic_tracking,
        about=_about(found.failed),
        recorder=recorder,
        loggers=engine.loggers,
    )
    return Standalone(config, herder, offsets, engine, OwnBoard(recorder, config.worker_id))


def _offset_store(config: WorkerConfig, topic: str) -> OffsetStore:
    """Of a topic that a source names for itself; it is made if it is not there. Raises LogError, TopicRefused, KafkaException."""
    ensure_topic(config.kafka, replace(config.offset_topic, name=topic, setting="offsets.storage.topic"))
    store = OffsetStore(KafkaLog(config.kafka, topic))
    store.start()
    return store


def _engine(
    config: WorkerConfig,
    offsets: OffsetStores,
    plugins: InstalledPlugins,
    *,
    may_write: Callable[[], bool],
    record_topics: RecordTopics,
    recorder: WorkerRecorder,
) -> "JobEngine":
    from workers.runtime.job_engine import JobEngine
    from workers.runtime.session import start_session

    return JobEngine(
        start_session(config),
        config.kafka,
        offsets,
        plugins,
        scratch=Path(config.data_dir) / "tasks",
        threads=config.job_threads,
        interval=config.poll_interval,
        realtime_slots=config.realtime_slots,
        may_write=may_write,
        on_lost_driver=lambda: _give_up("Spark's driver process has died"),
        record_topics=record_topics,
        recorder=recorder,
    )


def _about(failed_plugins: Iterable[FailedPlugin]) -> dict[str, object]:
    """What a worker tells of itself."""
    return {
        "started": round(time.time() * 1000),
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "failed_plugins": [asdict(plugin) for plugin in failed_plugins],
    }


@contextmanager
def _broker(config: WorkerConfig) -> Iterator[None]:
    """Around the first calls to Kafka. Raises CannotStart when nobody answers."""
    try:
        yield
    except KafkaException as error:
        if not passes_by_itself(error.args[0]):
            raise
        raise CannotStart(f"no Kafka broker answers at {config.kafka.bootstrap_servers}") from error


def _give_up(reason: str) -> None:
    """Ends the process on the spot. Whoever supervises it starts it anew, and it takes up its tasks where Kafka says they
    stand; anything gentler would first have to work with what is broken."""
    logger.critical("This worker cannot go on: %s", reason)
    os._exit(1)
