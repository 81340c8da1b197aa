"""What a worker may be told, under Kafka Connect's names: `group.id` is `CONNECT_GROUP_ID`."""

from collections.abc import Mapping
from typing import Any

from config.declared.setting import HIGH, LOW, MEDIUM, Boolean, Choice, Integer, Milliseconds, Setting, Text, Words

_REPLICATION = "copies of that topic when it is made; -1 is the broker's default"


#: What a converter may be told; which of them it knows is its own matter ([converters.md](converters.md)).
_CONVERTER_KEYS = (
    "converter.encoding",
    "schemas.enable",
    "schemas.cache.size",
    "schema.content",
    "decimal.format",
    "replace.null.with.default",
)


def _converter(of: str, default: str = "StringConverter", importance: str = HIGH) -> Text:
    return Text(
        f"CONNECT_{of.upper()}_CONVERTER",
        f"org.apache.kafka.connect.storage.{default}",
        f"of a record's {of}, for connectors that name none ([converters.md](converters.md))",
        key=f"{of}.converter",
        importance=importance,
        allowed="a Java class",
    )


def _converter_settings(of: str) -> tuple[Text, ...]:
    return tuple(
        Text(
            f"CONNECT_{of.upper()}_CONVERTER_{key.upper().replace('.', '_')}",
            "",
            "of that converter",
            key=f"{of}.converter.{key}",
        )
        for key in _CONVERTER_KEYS
    )


def _replication(kind: str) -> Integer:
    variable = f"CONNECT_{kind.upper()}_STORAGE_REPLICATION_FACTOR"
    return Integer(variable, -1, _REPLICATION, key=f"{kind}.storage.replication.factor", minimum=-1)


def _partitions(kind: str, default: int) -> Integer:
    variable = f"CONNECT_{kind.upper()}_STORAGE_PARTITIONS"
    return Integer(variable, default, "of that topic when it is made", key=f"{kind}.storage.partitions", minimum=1)


def _topic(kind: str, default: str, holds: str) -> Text:
    return Text(f"CONNECT_{kind.upper()}_STORAGE_TOPIC", default, holds, key=f"{kind}.storage.topic", importance=HIGH)


GROUP_ID = Text("CONNECT_GROUP_ID", "connect-cluster", "workers with one name are one group", key="group.id", importance=HIGH)
CONFIG_TOPIC = _topic("config", "connect-configs", "the topic of connectors, tasks and target states")
CONFIG_REPLICATION = _replication("config")
OFFSET_TOPIC = _topic("offset", "connect-offsets", "the topic of sources' offsets")
OFFSET_PARTITIONS = _partitions("offset", 25)
OFFSET_REPLICATION = _replication("offset")
STATUS_TOPIC = _topic("status", "connect-status", "the topic of states")
STATUS_PARTITIONS = _partitions("status", 5)
STATUS_REPLICATION = _replication("status")
OFFSETS_FILE = Text(
    "CONNECT_OFFSET_STORAGE_FILE_FILENAME",
    None,
    "where a standalone worker keeps the offsets of its sources; JSON lines, one worker at a time",
    key="offset.storage.file.filename",
    importance=HIGH,
    shown="`connect.offsets` in the data folder",
)
MEMBERSHIP_TOPIC = Text(
    "CONNECT_MEMBERSHIP_TOPIC",
    None,
    "who is in the group, who leads, what runs where ([herder.md](herder.md))",
    shown="`<group.id>-membership`",
)
#: By their keys.
CONVERTERS: Mapping[str, Text] = {
    setting.key: setting
    for setting in (
        *(_converter("key"), *_converter_settings("key")),
        *(_converter("value"), *_converter_settings("value")),
        *(_converter("header", "SimpleHeaderConverter", LOW), *_converter_settings("header")),
    )
}
EXACTLY_ONCE = Choice(
    "CONNECT_EXACTLY_ONCE_SOURCE_SUPPORT",
    "disabled",
    "`enabled` is refused ([offsets.md](offsets.md))",
    key="exactly.once.source.support",
    importance=HIGH,
    among=("disabled", "preparing"),
    why="sources are delivered at least once",
)
SECURITY_PROTOCOL = Choice(
    "CONNECT_SECURITY_PROTOCOL",
    "PLAINTEXT",
    "of connections to Kafka; that one so far",
    key="security.protocol",
    importance=MEDIUM,
    among=("PLAINTEXT",),
    why="connections to Kafka are neither encrypted nor signed in so far",
)
REST_EXTENSIONS = Choice(
    "CONNECT_REST_EXTENSION_CLASSES",
    "",
    "none: they are Java classes, and what one of them was to guard would be open",
    key="rest.extension.classes",
    among=("",),
    why="they are Java classes, and what one of them was to guard would be open",
)
TOPIC_TRACKING = Boolean(
    "CONNECT_TOPIC_TRACKING_ENABLE", True, "keep the topics that each connector uses (KIP-558)", key="topic.tracking.enable"
)
TOPIC_TRACKING_RESET = Boolean(
    "CONNECT_TOPIC_TRACKING_ALLOW_RESET", True, "they may be forgotten on demand", key="topic.tracking.allow.reset"
)
TOPIC_CREATION = Boolean(
    "CONNECT_TOPIC_CREATION_ENABLE",
    True,
    "sources make topics as their `topic.creation.*` say (KIP-158)",
    key="topic.creation.enable",
)
OVERRIDE_POLICY = Text(
    "CONNECT_CONNECTOR_CLIENT_CONFIG_OVERRIDE_POLICY",
    "All",
    "which client settings a connector may give",
    key="connector.client.config.override.policy",
    importance=MEDIUM,
    allowed="All, None, Principal, Allowlist, or the Java class of one",
)
OVERRIDE_ALLOWLIST = Words(
    "CONNECT_CONNECTOR_CLIENT_CONFIG_OVERRIDE_ALLOWLIST",
    (),
    "with the policy Allowlist: these",
    key="connector.client.config.override.allowlist",
    importance=MEDIUM,
)
LOGIN_MODULES = Words(
    "DROVER_ALLOWED_LOGIN_MODULES",
    None,
    "Java classes that a connector's `*.sasl.jaas.config` may name; replaces the default",
    shown="plain, SCRAM, OAuth and Kerberos",
)
OAUTHBEARER_URLS = Words("DROVER_ALLOWED_OAUTHBEARER_URLS", (), "what a connector's `*oauthbearer*url` may be")
CONFIG_PROVIDERS = Words("CONNECT_CONFIG_PROVIDERS", (), "names of config providers; see below", key="config.providers")
SESSION_TIMEOUT = Milliseconds(
    "CONNECT_SESSION_TIMEOUT_MS",
    10_000,
    "after that long without a word a worker is gone; its tasks run elsewhere half as long later",
    key="session.timeout.ms",
    importance=HIGH,
    minimum=1000,
)
HEARTBEAT = Milliseconds(
    "CONNECT_HEARTBEAT_INTERVAL_MS",
    1000,
    "how often a worker says that it is there",
    key="heartbeat.interval.ms",
    importance=HIGH,
    minimum=100,
)
HOMECOMING = Milliseconds(
    "CONNECT_SCHEDULED_REBALANCE_MAX_DELAY_MS",
    300_000,
    "a worker that comes back within that time gets its own tasks; they do not wait for it",
    key="scheduled.rebalance.max.delay.ms",
)
STOP_TIMEOUT = Milliseconds(
    "CONNECT_TASK_SHUTDOWN_GRACEFUL_TIMEOUT_MS",
    5000,
    "how long tasks are waited for when they stop",
    key="task.shutdown.graceful.timeout.ms",
)
WORKER_ID = Text(
    "DROVER_WORKER_ID",
    None,
    "`worker_id` in statuses; keep it the same over restarts, and different for each worker of a group",
    shown="`<host name>:<port>`",
)
REQUEST_TIMEOUT = Milliseconds("DROVER_REQUEST_TIMEOUT_MS", 90_000, "how long a REST call waits for the leader", minimum=100)
SPARK_MEMORY = Text("DROVER_SPARK_DRIVER_MEMORY", "1g", "heap of the Spark driver")
SPARK_PACKAGES = Words(
    "DROVER_SPARK_PACKAGES",
    (),
    "Maven coordinates (`group:artifact:version`) of what Spark is to have besides, as `io.delta:delta-spark_4.2_2.13:4.4.0`; "
    "fetched at the first start",
)
SPARK_CONF = Words(
    "DROVER_SPARK_CONF",
    (),
    "settings of the Spark driver, `key=value`, in place of Drover's own; what has no `=` belongs to the value before it",
)
REALTIME_SLOTS = Integer(
    "DROVER_REALTIME_SLOTS",
    16,
    "partitions that tasks with `trigger=realtime` may read at a time, each with a slot of Spark's to itself; with a master "
    "other than `local[*]`, see that it has that many to spare",
    maximum=1024,
)
JOB_THREADS = Integer("DROVER_JOB_THREADS", 4, "Spark jobs that run at once", minimum=1, maximum=64)
POLL_INTERVAL = Milliseconds(
    "DROVER_POLL_INTERVAL_MS",
    200,
    "how often an idle task looks for something new; a worker looks at all its tasks a thousand times a second at most, so with "
    "1,000 of them each is looked at every second",
    minimum=10,
)
WORKER: tuple[Setting[Any], ...] = (
    *(found for found in list(globals().values()) if isinstance(found, Setting)),
    *CONVERTERS.values(),
)
