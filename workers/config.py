"""The worker's own settings, under Kafka Connect's names: `group.id` comes from `CONNECT_GROUP_ID` and so on."""

import socket
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from config import env
from workers.connectors.forbidden import LOGIN_MODULES, Permitted
from workers.connectors.overrides import ClientRules, UnknownPolicy, policy
from workers.folders import folder_name
from workers.herder.topics import TopicTracking
from workers.storage.kafka import Kafka, TopicSpec


class CannotStart(Exception):
    """What keeps a worker from starting, in one sentence for whoever can mend it."""


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """`data_dir` is the worker's own and holds only what may be lost: staging files and Spark's scratch space. `offsets_file` is
    a standalone worker's, which has no use for the topics, the group and Redis."""

    group_id: str
    worker_id: str
    kafka: Kafka
    redis_url: str
    spark_master: str
    spark_memory: str
    data_dir: str
    config_topic: TopicSpec
    offset_topic: TopicSpec
    status_topic: TopicSpec
    membership_topic: TopicSpec
    offsets_file: str
    session_timeout: float
    heartbeat: float
    homecoming: float
    stop_timeout: float
    key_converter: str
    value_converter: str
    request_timeout: float
    job_threads: int
    poll_interval: float
    topic_tracking: TopicTracking
    client_rules: ClientRules

    @property
    def queue(self) -> str:
        """The Redis queue that the leader takes requests from."""
        return f"{self.group_id}.herder"

    def worker_queue(self, worker_id: str) -> str:
        """The Redis queue of what only that worker can do."""
        return f"{self.group_id}.worker.{worker_id}"


def _topic(kind: str, partitions: int, purpose: str, *, single_partition: bool = False) -> TopicSpec:
    prefix = f"CONNECT_{kind.upper()}_STORAGE"
    plural = {"config": "configs", "offset": "offsets", "status": "status"}[kind]
    return TopicSpec(
        name=env.text(f"{prefix}_TOPIC", f"connect-{plural}"),
        partitions=partitions if single_partition else env.integer(f"{prefix}_PARTITIONS", partitions, minimum=1),
        setting=f"{kind}.storage.topic",
        purpose=purpose,
        single_partition=single_partition,
        replication_factor=env.integer(f"{prefix}_REPLICATION_FACTOR", -1, minimum=-1),
    )


@cache
def worker_config() -> WorkerConfig:
    """Raises ImproperlyConfigured, naming the variable."""
    group_id = env.text("CONNECT_GROUP_ID", "connect-cluster")
    worker_id = env.text("DROVER_WORKER_ID", f"{socket.gethostname()}:{settings.PORT}")
    return WorkerConfig(
        group_id=group_id,
        worker_id=worker_id,
        kafka=Kafka(settings.KAFKA_BOOTSTRAP_SERVERS, client_id=group_id),
        redis_url=settings.REDIS_URL,
        spark_master=settings.SPARK_MASTER,
        spark_memory=env.text("DROVER_SPARK_DRIVER_MEMORY", "1g"),
        data_dir=str(Path(settings.DATA_DIR) / "workers" / folder_name(worker_id)),
        config_topic=_topic("config", 1, "connector configurations", single_partition=True),
        offset_topic=_topic("offset", 25, "source connector offsets"),
        status_topic=_topic("status", 5, "connector and task statuses"),
        membership_topic=TopicSpec(
            name=env.text("CONNECT_MEMBERSHIP_TOPIC", f"{group_id}-membership"),
            # A member owns one at least, so that these are the most workers that a group may have.
            partitions=64,
            setting="membership.topic",
            purpose="the assignment of connectors and tasks to workers",
            replication_factor=env.integer("CONNECT_CONFIG_STORAGE_REPLICATION_FACTOR", -1, minimum=-1),
        ),
        offsets_file=env.text("CONNECT_OFFSET_STORAGE_FILE_FILENAME", str(Path(settings.DATA_DIR) / "connect.offsets")),
        session_timeout=env.integer("CONNECT_SESSION_TIMEOUT_MS", 10_000, minimum=1000) / 1000,
        heartbeat=env.integer("CONNECT_HEARTBEAT_INTERVAL_MS", 1000, minimum=100) / 1000,
        homecoming=env.integer("CONNECT_SCHEDULED_REBALANCE_MAX_DELAY_MS", 300_000, minimum=0) / 1000,
        stop_timeout=env.integer("CONNECT_TASK_SHUTDOWN_GRACEFUL_TIMEOUT_MS", 5000, minimum=0) / 1000,
        key_converter=env.text("CONNECT_KEY_CONVERTER", "org.apache.kafka.connect.storage.StringConverter"),
        value_converter=env.text("CONNECT_VALUE_CONVERTER", "org.apache.kafka.connect.storage.StringConverter"),
        request_timeout=env.integer("DROVER_REQUEST_TIMEOUT_MS", 90_000, minimum=100) / 1000,
        job_threads=env.integer("DROVER_JOB_THREADS", 4, minimum=1, maximum=64),
        poll_interval=env.integer("DROVER_POLL_INTERVAL_MS", 200, minimum=10) / 1000,
        topic_tracking=TopicTracking(
            enabled=env.boolean("CONNECT_TOPIC_TRACKING_ENABLE", True),
            allow_reset=env.boolean("CONNECT_TOPIC_TRACKING_ALLOW_RESET", True),
        ),
        client_rules=_client_rules(),
    )


def _client_rules() -> ClientRules:
    name = "CONNECT_CONNECTOR_CLIENT_CONFIG_OVERRIDE_POLICY"
    try:
        found = policy(env.text(name, "All"), env.words("CONNECT_CONNECTOR_CLIENT_CONFIG_OVERRIDE_ALLOWLIST"))
    except UnknownPolicy as error:
        raise ImproperlyConfigured(f"{name} {error}") from error
    permitted = Permitted(
        login_modules=frozenset(env.words("DROVER_ALLOWED_LOGIN_MODULES", sorted(LOGIN_MODULES))),
        oauthbearer_urls=frozenset(env.words("DROVER_ALLOWED_OAUTHBEARER_URLS")),
    )
    return ClientRules(found, permitted)
