"""Puts the parts together: which implementation stands behind which interface is decided here and nowhere else."""

import logging
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from confluent_kafka import KafkaException

from workers.config import CannotStart, WorkerConfig
from workers.connectors.plugins import InstalledPlugins, discover
from workers.herder.distributed import DistributedHerder
from workers.herder.remote import RemoteHerder
from workers.herder.requests import Replies, Requests
from workers.herder.service import HerderService
from workers.herder.topics import ActiveTopics
from workers.provider_settings import config_transformer
from workers.storage.config_store import ConfigStore
from workers.storage.kafka import Kafka, TopicRefused, answered, ensure_topic, passes_by_itself
from workers.storage.kafka_log import KafkaLog
from workers.storage.log import LogError
from workers.storage.offset_store import OffsetStore
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
        InstalledPlugins(discover()),
        Requests(app, config.redis_url, config.queue, config.request_timeout),
        lambda: cluster_id(config.kafka),
        config.topic_tracking,
    )


def cluster_id(kafka: Kafka) -> str:
    return str(answered(kafka.admin.describe_cluster(request_timeout=10)).cluster_id)


@dataclass(slots=True)
class Worker:
    """What a worker process hosts. `start` and `stop` in the order that each part needs the others."""

    config: WorkerConfig
    service: HerderService
    _herder: DistributedHerder
    _offsets: OffsetStore
    _engine: "JobEngine"

    def start(self) -> None:
        self._offsets.start()
        self._herder.start()

    def stop(self) -> None:
        self._herder.stop()
        self._offsets.stop()
        self._engine.shut_down()


#: What an operator can mend: told in one sentence.
START_FAILURES = (TopicRefused, KafkaException, LogError, CannotStart)


def worker(config: WorkerConfig) -> Worker:
    """Makes the internal topics and starts the Spark driver. Raises one of START_FAILURES."""
    from workers.runtime.job_engine import JobEngine
    from workers.runtime.session import start_session

    # What is wrong with the settings is found before another worker is fenced.
    transformer = config_transformer()
    _ensure_topics(config)
    configs = KafkaLog(config.kafka, config.config_topic.name, transactional_id=f"connect-cluster-{config.group_id}")
    configs.claim()
    config_store, statuses = ConfigStore(configs), StatusStore(KafkaLog(config.kafka, config.status_topic.name))
    topics = ActiveTopics(statuses, lambda name: name in config_store.snapshot().connectors, config.topic_tracking)
    offsets = OffsetStore(KafkaLog(config.kafka, config.offset_topic.name))
    plugins = InstalledPlugins(discover(), config.client_rules, transformer)
    engine = JobEngine(
        start_session(config),
        config.kafka,
        offsets,
        plugins,
        scratch=Path(config.data_dir) / "tasks",
        threads=config.job_threads,
        interval=config.poll_interval,
        on_lost_driver=lambda: _give_up("Spark's driver process has died"),
        record_topics=topics.record,
    )
    herder = DistributedHerder(
        config_store,
        statuses,
        plugins,
        engine,
        topics=topics,
        worker_id=config.worker_id,
        on_fenced=lambda: _give_up("another worker leads this group now"),
    )
    return Worker(config, HerderService(herder, Replies(config.redis_url)), herder, offsets, engine)


def _ensure_topics(config: WorkerConfig) -> None:
    try:
        for topic in (config.config_topic, config.offset_topic, config.status_topic):
            ensure_topic(config.kafka.admin, topic)
    except KafkaException as error:
        if not passes_by_itself(error.args[0]):
            raise
        raise CannotStart(f"no Kafka broker answers at {config.kafka.bootstrap_servers}") from error


def _give_up(reason: str) -> None:
    """Ends the process on the spot. Whoever supervises it starts it anew, and it takes up its tasks where Kafka says they
    stand; anything gentler would first have to work with what is broken."""
    logger.critical("This worker cannot go on: %s", reason)
    os._exit(1)
