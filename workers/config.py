"""The worker's own settings, under Kafka Connect's names: `group.id` comes from `CONNECT_GROUP_ID` and so on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from config.declared import worker as declared
from config.declared.setting import Integer, Text
from workers.connectors.forbidden import LOGIN_MODULES, Permitted
from workers.connectors.overrides import ClientRules, UnknownPolicy, policy
from workers.converters import catalogue
from workers.folders import folder_name
from workers.herder.topics import TopicTracking
from workers.rest_config import advertised
from workers.storage.internal_topics import TopicSpec
from workers.storage.kafka import Kafka


class CannotStart(Exception):
    """What keeps a worker from starting, in one sentence for whoever can mend it."""


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """`data_dir` is the worker's own and holds only what may be lost: staging files and Spark's scratch space. `offsets_file` is
    a standalone worker's, which has no use for the topics, the group and Redis. `converters` are those for connectors that name
    none, with their settings, under Kafka Connect's keys; `creates_topics` says whether sources' `topic.creation.*` count."""

    group_id: str
    worker_id: str
    kafka: Kafka
    redis_url: str
    spark_master: str
    spark_memory: str
    spark_packages: Sequence[str]
    spark_conf: Mapping[str, str]
    realtime_slots: int
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
    converters: Mapping[str, str]
    request_timeout: float
    job_threads: int
    poll_interval: float
    topic_tracking: TopicTracking
    creates_topics: bool
    client_rules: ClientRules

    @property
    def queue(self) -> str:
        """The Redis queue that the leader takes requests from."""
        return f"{self.group_id}.herder"

    def worker_queue(self, worker_id: str) -> str:
        """The Redis queue of what only that worker can do."""
        return f"{self.group_id}.worker.{worker_id}"


def _converters() -> dict[str, str]:
    """What is set of the converters for connectors that name none, under Kafka Connect's keys."""
    found = {key: value for key, setting in declared.CONVERTERS.items() if (value := setting())}
    for role in catalogue.ROLES:
        key = f"{role}.converter"
        plugin = catalogue.asked_for(role, found)
        if plugin is None:
            # Records of another form than was asked for would be worse than none.
            known = ", ".join(catalogue.converters(role))
            raise ImproperlyConfigured(f"{declared.CONVERTERS[key].variable} must be one of {known}, not {found[key]!r}")
        for said in plugin.config_def.validate(catalogue.config_of(role, found)):
            if said.errors:
                raise ImproperlyConfigured(f"{declared.CONVERTERS[f'{key}.{said.name}'].variable} is wrong: {said.errors[0]}")
    return found


def _spark_conf() -> dict[str, str]:
    """Raises ImproperlyConfigured."""
    found: dict[str, str] = {}
    for word in declared.SPARK_CONF():
        key, separator, value = word.partition("=")
        if separator and key.startswith("spark."):
            found[key] = value
        elif found:
            found[next(reversed(found))] += f",{word}"
        else:
            raise ImproperlyConfigured(f"{declared.SPARK_CONF.variable} must be spark.<key>=<value>, not {word!r}")
    return found


def _config_topic() -> TopicSpec:
    return TopicSpec(
        name=declared.CONFIG_TOPIC(),
        partitions=1,
        setting=declared.CONFIG_TOPIC.key,
        purpose="connector configurations",
        exactly=True,
        replication_factor=declared.CONFIG_REPLICATION(),
    )


def _membership_topic(group_id: str) -> TopicSpec:
    return TopicSpec(
        name=declared.MEMBERSHIP_TOPIC(f"{group_id}-membership"),
        # A member owns one at least, so that these are the most workers that a group may have.
        partitions=64,
        setting="membership.topic",
        purpose="the assignment of connectors and tasks to workers",
        # The owner of the last one leads.
        exactly=True,
        replication_factor=declared.CONFIG_REPLICATION(),
    )


def _topic(topic: Text, partitions: Integer, replication: Integer, purpose: str) -> TopicSpec:
    return TopicSpec(
        name=topic(),
        partitions=partitions(),
        setting=topic.key,
        purpose=purpose,
        exactly=False,
        replication_factor=replication(),
    )


@cache
def worker_config() -> WorkerConfig:
    """Raises ImproperlyConfigured, naming the variable."""
    for only_one_value in (declared.EXACTLY_ONCE, declared.SECURITY_PROTOCOL, declared.REST_EXTENSIONS):
        only_one_value()
    group_id = declared.GROUP_ID()
    worker_id = declared.WORKER_ID(advertised())
    return WorkerConfig(
        group_id=group_id,
        worker_id=worker_id,
        kafka=Kafka(settings.KAFKA_BOOTSTRAP_SERVERS, client_id=group_id),
        redis_url=settings.REDIS_URL,
        spark_master=settings.SPARK_MASTER,
        spark_memory=declared.SPARK_MEMORY(),
        spark_packages=declared.SPARK_PACKAGES(),
        spark_conf=_spark_conf(),
        realtime_slots=declared.REALTIME_SLOTS(),
        data_dir=str(Path(settings.DATA_DIR) / "workers" / folder_name(worker_id)),
        config_topic=_config_topic(),
        offset_topic=_topic(
            declared.OFFSET_TOPIC, declared.OFFSET_PARTITIONS, declared.OFFSET_REPLICATION, "source connector offsets"
        ),
        status_topic=_topic(
            declared.STATUS_TOPIC, declared.STATUS_PARTITIONS, declared.STATUS_REPLICATION, "connector and task statuses"
        ),
        membership_topic=_membership_topic(group_id),
        offsets_file=declared.OFFSETS_FILE(str(Path(settings.DATA_DIR) / "connect.offsets")),
        session_timeout=declared.SESSION_TIMEOUT.seconds(),
        heartbeat=declared.HEARTBEAT.seconds(),
        homecoming=declared.HOMECOMING.seconds(),
        stop_timeout=declared.STOP_TIMEOUT.seconds(),
        converters=_converters(),
        request_timeout=declared.REQUEST_TIMEOUT.seconds(),
        job_threads=declared.JOB_THREADS(),
        poll_interval=declared.POLL_INTERVAL.seconds(),
        topic_tracking=TopicTracking(enabled=declared.TOPIC_TRACKING(), allow_reset=declared.TOPIC_TRACKING_RESET()),
        creates_topics=declared.TOPIC_CREATION(),
        client_rules=_client_rules(group_id),
    )


def _client_rules(group_id: str) -> ClientRules:
    try:
        found = policy(declared.OVERRIDE_POLICY(), declared.OVERRIDE_ALLOWLIST())
    except UnknownPolicy as error:
        raise ImproperlyConfigured(f"{declared.OVERRIDE_POLICY.variable} {error}") from error
    permitted = Permitted(
        login_modules=frozenset(declared.LOGIN_MODULES(sorted(LOGIN_MODULES))),
        oauthbearer_urls=frozenset(declared.OAUTHBEARER_URLS()),
    )
    return ClientRules(found, permitted, group_id)
