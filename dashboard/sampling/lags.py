"""How far sinks are behind, from Kafka itself: for any cluster whose Kafka can be reached, whatever its Connect tells.

For the control process only: what asks here waits for brokers.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import islice

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec

logger = logging.getLogger(__name__)

# Seconds: brokers that do not answer cost the round no more than a few of them.
_TIMEOUT = 10.0
_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Lags:
    """By connector. `error`: why some are not among them, empty if none failed."""

    lags: Mapping[str, int]
    error: str = ""


class GroupLags:
    """Of one Kafka cluster. Keeps its connections open."""

    def __init__(self, bootstrap_servers: str) -> None:
        settings: dict[str, str | int | float | bool] = {
            "bootstrap.servers": bootstrap_servers,
            "client.id": "drover-control",
            "socket.timeout.ms": int(_TIMEOUT * 1000),
            # A broker that is away is told in `Lags.error`, not in the log each second.
            "log_level": 0,
        }
        self._admin = AdminClient(settings, logger=logger)

    def of(self, groups: Mapping[str, str]) -> Lags:
        """`groups`: the consumer group of each sink. Those that have committed nothing are left out."""
        committed, error = self._committed(groups)
        try:
            ends = self._ends({partition for offsets in committed.values() for partition in offsets})
        except KafkaException as failure:
            return Lags({}, _words(failure))
        lags = {
            connector: sum(max(0, ends[partition] - offset) for partition, offset in offsets.items() if partition in ends)
            for connector, offsets in committed.items()
        }
        return Lags(lags, error)

    def _committed(self, groups: Mapping[str, str]) -> tuple[dict[str, dict[tuple[str, int], int]], str]:
        """librdkafka takes one group at a time; but as many times at once as one likes."""
        found: dict[str, dict[tuple[str, int], int]] = {}
        error = ""
        for some in _batches(groups):
            asked = {connector: self._ask(group) for connector, group in some}
            for connector, answer in asked.items():
                try:
                    partitions = answer.result().topic_partitions or []
                except KafkaException as failure:
                    error = _words(failure)
                    continue
                offsets = {(one.topic, one.partition): one.offset for one in partitions if one.error is None and one.offset >= 0}
                if offsets:
                    found[connector] = offsets
        return found, error

    def _ask(self, group: str) -> "Future[ConsumerGroupTopicPartitions]":
        answers: dict[str, Future[ConsumerGroupTopicPartitions]] = self._admin.list_consumer_group_offsets(
            [ConsumerGroupTopicPartitions(group)], request_timeout=_TIMEOUT
        )
        return answers[group]

    def _ends(self, partitions: set[tuple[str, int]]) -> dict[tuple[str, int], int]:
        """A partition that is gone has no end. Raises KafkaException if none can be told."""
        if not partitions:
            return {}
        latest = {TopicPartition(topic, partition): OffsetSpec.latest() for topic, partition in partitions}
        ends: dict[tuple[str, int], int] = {}
        failures: list[KafkaException] = []
        for partition, answer in self._admin.list_offsets(latest, request_timeout=_TIMEOUT).items():
            try:
                ends[partition.topic, partition.partition] = answer.result().offset
            except KafkaException as failure:
                failures.append(failure)
        if failures and not ends:
            raise failures[0]
        return ends


def _batches(groups: Mapping[str, str]) -> Iterator[Sequence[tuple[str, str]]]:
    rest = iter(groups.items())
    while some := list(islice(rest, _AT_ONCE)):
        yield some


def _words(failure: KafkaException) -> str:
    return str(failure.args[0].str() if hasattr(failure.args[0], "str") else failure)
