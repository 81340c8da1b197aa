"""The internal topics: made once, and refused in any shape that would lose what is in them."""

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import NewTopic

from workers.storage.kafka import ADMIN_TIMEOUT, COMPACT, Kafka, answered, cleanup_policy

logger = logging.getLogger(__name__)

_AGAIN = 0.05


class TopicRefused(Exception):
    """An internal topic is gone, or in a shape that would lose records. The message names it, and the setting that names it."""


@dataclass(frozen=True, slots=True)
class TopicSpec:
    """One of the internal topics. `purpose` and `setting` are for the refusal's wording."""

    name: str
    partitions: int
    setting: str
    purpose: str
    #: Not more of them and not less.
    exactly: bool = False
    replication_factor: int = -1


def ensure_topics(kafka: Kafka, specs: Sequence[TopicSpec], last: TopicSpec) -> None:
    """Creates what is missing and checks what is there. `last` is made after all others: where it is there, this group has run
    before, and another one that is missing has been lost. Raises TopicRefused, KafkaException."""
    has_run = _partitions(kafka, last.name) is not None
    for spec in specs:
        if has_run and _partitions(kafka, spec.name) is None:
            raise TopicRefused(_lost(spec, last))
        ensure_topic(kafka, spec)
    ensure_topic(kafka, last)


def _lost(spec: TopicSpec, last: TopicSpec) -> str:
    return (
        f"Topic '{spec.name}' supplied via the '{spec.setting}' property does not exist, but this group has run before: its "
        f"topic '{last.name}' is there. Made anew it would be empty, and all {spec.purpose} lost: restore it. If an empty one is "
        f"what is wanted, create it with 'cleanup.policy={COMPACT}' and {_count(spec)}."
    )


def _count(spec: TopicSpec) -> str:
    return "a single partition" if spec.partitions == 1 else f"{spec.partitions} partitions"


def ensure_topic(kafka: Kafka, spec: TopicSpec) -> None:
    """Creates the topic compacted, or checks the one that is there. Raises TopicRefused, KafkaException."""
    topic = NewTopic(
        spec.name,
        num_partitions=spec.partitions,
        replication_factor=spec.replication_factor,
        config={"cleanup.policy": COMPACT},
    )
    try:
        answered(kafka.admin.create_topics([topic], request_timeout=ADMIN_TIMEOUT)[spec.name])
        _await(kafka, spec.name)
        logger.info("Created topic %s with %d compacted partition(s)", spec.name, spec.partitions)
    except KafkaException as error:
        if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
            raise
        check_topic(spec, _await(kafka, spec.name), cleanup_policy(answered(kafka.settings(spec.name))))


def _await(kafka: Kafka, topic: str) -> int:
    """How many partitions it has. A broker hears of a topic a moment after the controller has made it, and whoever reads it next
    is to find it. Raises KafkaException."""
    deadline = time.monotonic() + ADMIN_TIMEOUT
    while (found := _partitions(kafka, topic)) is None:
        if time.monotonic() > deadline:
            raise KafkaException(KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART, f"The brokers do not know of topic {topic}"))
        time.sleep(_AGAIN)
    return found


def check_topic(spec: TopicSpec, partitions: int, policy: str) -> None:
    """Refuses a topic that cannot keep the truth, in Kafka Connect's words. Raises TopicRefused."""
    if spec.exactly and partitions != spec.partitions:
        raise TopicRefused(
            f"Topic '{spec.name}' supplied via the '{spec.setting}' property is required to have {_count(spec)} in order "
            f"to guarantee consistency of {spec.purpose}, but found {partitions} partitions."
        )
    if policy != COMPACT:
        raise TopicRefused(
            f"Topic '{spec.name}' supplied via the '{spec.setting}' property is required to have 'cleanup.policy=compact' to "
            f"guarantee consistency and durability of {spec.purpose}, but found the topic currently has "
            f"'cleanup.policy={policy}'. Continuing would likely result in eventually losing {spec.purpose} and "
            f"problems restarting this Connect cluster in the future. Change the '{spec.setting}' property in the Connect "
            f"worker configurations to use a topic with 'cleanup.policy=compact'."
        )


def _partitions(kafka: Kafka, topic: str) -> int | None:
    """How many there are; None without the topic."""
    try:
        return len(answered(kafka.describe(topic)).partitions)
    except KafkaException as error:
        if error.args[0].code() == KafkaError.UNKNOWN_TOPIC_OR_PART:
            return None
        raise
