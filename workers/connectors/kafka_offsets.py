"""The offsets of Kafka's partitions as Spark writes them in one JSON text, both ways. Pure."""

import json
from collections.abc import Mapping

from workers.herder.values import Partition


def as_spark(offsets: Mapping[Partition, int]) -> str:
    """`offsets` are the next ones to be read. A partition that is not among them is read from its beginning."""
    topics: dict[str, dict[str, int]] = {}
    for partition, offset in sorted(offsets.items()):
        topics.setdefault(partition.topic, {})[str(partition.number)] = offset
    return json.dumps(topics, separators=(",", ":"))


def from_spark(text: str) -> dict[Partition, int]:
    topics: dict[str, dict[str, int]] = json.loads(text)
    return {Partition(topic, int(number)): offset for topic, found in topics.items() for number, offset in found.items()}
