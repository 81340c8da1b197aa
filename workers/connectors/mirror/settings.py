"""What all three connectors read of their configs."""

from collections.abc import Mapping
from typing import cast

from workers.connectors.mirror.config_defs import SOURCE, TOPICS
from workers.connectors.mirror.filters import Filter, MirroredTopics
from workers.connectors.mirror.policies import POLICIES, ReplicationPolicy
from workers.herder.values import Config

BYTES = "org.apache.kafka.connect.converters.ByteArrayConverter"


def replication_policy(config: Config) -> ReplicationPolicy:
    name = config.get("replication.policy.class", next(iter(POLICIES))).strip()
    return POLICIES[name](config)


def target_alias(config: Config) -> str:
    return config.get("target.cluster.alias", "target")


def topic_filter(config: Config) -> Filter:
    values = TOPICS.parse(config)
    return Filter.of(strings(values, "topics"), strings(values, "topics.exclude"))


def mirrored_topics(config: Config) -> MirroredTopics:
    heartbeats = bool(SOURCE.parse(config)["heartbeats.replication.enabled"])
    return MirroredTopics(topic_filter(config), replication_policy(config), target_alias(config), heartbeats)


def offset_syncs_topic(config: Config) -> str:
    """It bears the name of the other cluster."""
    in_source = config.get("offset-syncs.topic.location", "source") == "source"
    other = target_alias(config) if in_source else config["source.cluster.alias"]
    return replication_policy(config).offset_syncs_topic(other)


def seconds(values: Mapping[str, object], what: str) -> float | None:
    """How often something is to be done; None if not at all."""
    return float(number(values, f"{what}.interval.seconds")) if values[f"{what}.enabled"] else None


def number(values: Mapping[str, object], key: str) -> int:
    return cast(int, values[key])


def strings(values: Mapping[str, object], key: str) -> list[str]:
    return cast(list[str], values[key])
