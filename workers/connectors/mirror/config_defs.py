"""The keys of the three connectors. Names, types, defaults and importance are MirrorMaker 2's."""

import re
from collections.abc import Collection, Mapping
from functools import partial

from workers.connectors import triggers
from workers.connectors.configdef import ConfigDef, ConfigValue, Importance, Invalid, Key, Type, Validator
from workers.connectors.mirror.policies import POLICIES, DefaultReplicationPolicy
from workers.connectors.mirror.security_keys import security_keys
from workers.connectors.validators import no_duplicates, non_empty, one_of, one_of_any_case
from workers.herder.values import Config

_PACKAGE = "org.apache.kafka.connect.mirror."
_PROTOCOLS = ("SASL_SSL", "PLAINTEXT", "SSL", "SASL_PLAINTEXT")


def _one_class(names: Collection[str], name: str) -> object:
    """What else MirrorMaker would load is Java."""
    if name not in names:
        raise Invalid(f"Class {name} could not be found.")
    return name


def _class(name: str, default: str, documentation: str, names: Collection[str] = ()) -> Key:
    known = partial(_one_class, [*(names or [default])])
    return Key(name, Type.CLASS, default, Importance.LOW, documentation, lookup=known)


def _patterns(name: str, default: list[str], documentation: str) -> Key:
    def check(value: object) -> None:
        no_duplicates(name)(value)
        assert isinstance(value, list)
        for pattern in value:
            try:
                re.compile(pattern)
            except re.error as error:
                raise Invalid(f"Invalid regex: {error}") from error

    return Key(name, Type.LIST, default, Importance.HIGH, documentation, check)


def _low(name: str, kind: Type, default: object, documentation: str, validator: Validator | None = None) -> Key:
    return Key(name, kind, default, Importance.LOW, documentation, validator)


def _enabled(what: str, documentation: str) -> Key:
    return _low(f"{what}.enabled", Type.BOOLEAN, True, documentation)


def _interval(what: str, seconds: int, documentation: str) -> Key:
    return _low(f"{what}.interval.seconds", Type.LONG, seconds, documentation)


def _replication_factor(topic: str) -> Key:
    return _low(f"{topic}.topic.replication.factor", Type.SHORT, 3, f"Of the {topic} topic, when it is made.")


def _no_duplicates(name: str, default: list[str], documentation: str, *choices: str) -> Key:
    return _low(name, Type.LIST, default, documentation, no_duplicates(name, *choices))


_METRIC_NAMES = _no_duplicates("metric.names.formats", ["legacy"], "No effect: metrics are /metrics.", "legacy", "new")
_POLL_TIMEOUT = _low("consumer.poll.timeout.ms", Type.LONG, 1000, "No effect: the source is asked for its ends all the time.")
_TOPIC_FILTER = _class(
    "topic.filter.class",
    f"{_PACKAGE}DefaultTopicFilter",
    "What decides which topics are mirrored; it reads topics and topics.exclude.",
)
_SYNCS_LOCATION = _low(
    "offset-syncs.topic.location",
    Type.STRING,
    "source",
    "In which of the two clusters the offset-syncs topic is.",
    one_of("source", "target"),
)

COMMON = ConfigDef(
    (
        _low("enabled", Type.BOOLEAN, True, "Whether anything is done at all."),
        Key(
            "source.cluster.alias",
            Type.STRING,
            importance=Importance.HIGH,
            documentation="What the cluster that is read from is called, in the names of topics too.",
            validator=non_empty,
        ),
        Key(
            "target.cluster.alias",
            Type.STRING,
            "target",
            Importance.HIGH,
            "What the cluster that is written to is called: nothing that came from there is mirrored back.",
        ),
        _low("admin.timeout.ms", Type.LONG, 60000, "How long a question to a cluster may take, in milliseconds."),
        _class(
            "replication.policy.class",
            DefaultReplicationPolicy.name,
            "What topics are called in the target: the default policy puts the source's alias before their names, "
            "the identity policy leaves them.",
            POLICIES,
        ),
        _low("replication.policy.separator", Type.STRING, ".", "What stands between alias and topic.", non_empty),
        _low(
            "replication.policy.internal.topic.separator.enabled",
            Type.BOOLEAN,
            True,
            "Whether the separator is that of the offset-syncs and checkpoints topics, too; if not, theirs is a dot.",
        ),
        _class(
            "forwarding.admin.class",
            "org.apache.kafka.clients.admin.ForwardingAdmin",
            "What makes and alters topics in the clusters: Kafka's admin client.",
        ),
        _no_duplicates("metric.reporters", ["org.apache.kafka.common.metrics.JmxReporter"], "No effect: metrics are /metrics."),
        Key(
            "security.protocol",
            Type.STRING,
            "PLAINTEXT",
            Importance.MEDIUM,
            "Without effect: it is set for each cluster, as in source.cluster.security.protocol.",
            one_of_any_case(*_PROTOCOLS),
        ),
        _no_duplicates("config.providers", [], "Refused: the worker's own are the only ones."),
        *security_keys(),
    )
)

#: Drover's own.
_TRIGGER = (
    Key(
        triggers.TRIGGER.name,
        Type.STRING,
        triggers.INTERVAL,
        Importance.MEDIUM,
        "When records are copied. interval: what is new is looked for all the time, and copied by a job. realtime: each record "
        "as soon as it is there, within milliseconds, at the price of a slot of the worker's for each partition.",
        one_of(triggers.INTERVAL, triggers.REALTIME),
    ),
    _low(
        triggers.INTERVAL_MS.name,
        Type.LONG,
        None,
        "With trigger=realtime, milliseconds after which offsets are committed at the latest: 60000 if not given.",
        triggers.INTERVAL_MS.validator,
    ),
)

SOURCE = COMMON.with_keys(
    _patterns("topics", [".*"], "Which topics are mirrored: names and regular expressions."),
    _patterns(
        "topics.exclude",
        [r"mm2.*\.internal", r".*\.replica", "__.*"],
        "Which are not, whatever topics says: names and regular expressions.",
    ),
    _patterns(
        "config.properties.exclude",
        [
            "follower.replication.throttled.replicas",
            "leader.replication.throttled.replicas",
            "message.timestamp.difference.max.ms",
            "log.message.timestamp.before.max.ms",
            "log.message.timestamp.after.max.ms",
            "message.timestamp.type",
            "unclean.leader.election.enable",
            "min.insync.replicas",
        ],
        "Which settings of topics the target's do not take over: names and regular expressions.",
    ),
    _TOPIC_FILTER,
    _class(
        "config.property.filter.class",
        f"{_PACKAGE}DefaultConfigPropertyFilter",
        "What decides which settings of topics are taken over; it reads config.properties.exclude.",
    ),
    _POLL_TIMEOUT,
    _enabled("refresh.topics", "Whether new topics and partitions are looked for."),
    _interval("refresh.topics", 600, "How often they are looked for."),
    _enabled("sync.topic.configs", "Whether the target's topics are given the settings of the source's."),
    _interval("sync.topic.configs", 600, "How often that is done."),
    _enabled("sync.topic.acls", "Whether the target's topics are given the access rules of the source's."),
    _interval("sync.topic.acls", 600, "How often that is done."),
    _low("replication.factor", Type.INT, 2, "Of the topics that are made in the target."),
    _replication_factor("offset-syncs"),
    _low(
        "offset.lag.max",
        Type.LONG,
        100,
        "After how many records it is written down again which of the target's offsets belongs to which of the source's.",
    ),
    _SYNCS_LOCATION,
    _enabled("emit.offset-syncs", "Whether that is written down at all. Without it there are no checkpoints."),
    _enabled("heartbeats.replication", "Whether heartbeats are mirrored whatever topics says."),
    _METRIC_NAMES,
    *_TRIGGER,
)

CHECKPOINT = COMMON.with_keys(
    _POLL_TIMEOUT,
    _patterns("groups", [".*"], "Which consumer groups: names and regular expressions."),
    _patterns(
        "groups.exclude",
        ["console-consumer-.*", "connect-.*", "__.*"],
        "Which not, whatever groups says: names and regular expressions.",
    ),
    _class(
        "group.filter.class",
        f"{_PACKAGE}DefaultGroupFilter",
        "What decides which groups are meant; it reads groups and groups.exclude.",
    ),
    _enabled("refresh.groups", "Whether new groups are looked for."),
    _interval("refresh.groups", 600, "How often they are looked for."),
    _enabled("emit.checkpoints", "Whether checkpoints are written."),
    _interval("emit.checkpoints", 60, "How often they are written."),
    _low(
        "sync.group.offsets.enabled",
        Type.BOOLEAN,
        False,
        "Whether the groups' own offsets in the target are set, as long as nobody there is in the group.",
    ),
    _interval("sync.group.offsets", 60, "How often they are set."),
    _replication_factor("checkpoints"),
    _SYNCS_LOCATION,
    _TOPIC_FILTER,
    _METRIC_NAMES,
)

HEARTBEAT = COMMON.with_keys(
    _enabled("emit.heartbeats", "Whether heartbeats are written."),
    _interval("emit.heartbeats", 1, "How often they are written."),
    _replication_factor("heartbeats"),
)

#: The keys that its filter reads from a checkpoint connector's config, which are not among its own.
TOPICS = ConfigDef((SOURCE["topics"], SOURCE["topics.exclude"]))


def require_address(values: list[ConfigValue], config: Config, key: str) -> None:
    """Adds to what is said of a config that a cluster's address is missing: Kafka Connect finds out when it starts."""
    if not config.get(key, "").strip():
        message = f'Missing required configuration "{key}" which has no default value.'
        values.append(ConfigValue(key, config.get(key), errors=[message]))


def add_error(values: list[ConfigValue], key: str, message: str) -> None:
    found: Mapping[str, ConfigValue] = {value.name: value for value in values}
    if key in found:
        found[key].errors.append(message)
    else:
        values.append(ConfigValue(key, errors=[message]))
