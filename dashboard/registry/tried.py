"""What came of trying to reach a cluster, address by address."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tried:
    """`error` is empty where it answered."""

    url: str
    milliseconds: int
    version: str = ""
    kafka_cluster_id: str = ""
    error: str = ""


def remarks(tried: Sequence[Tried]) -> tuple[str, ...]:
    """What is odd of answers that are fine each by itself."""
    found = []
    if len({one.kafka_cluster_id for one in tried if one.kafka_cluster_id}) > 1:
        found.append("These addresses lead to workers of different Kafka clusters: they cannot be one Connect cluster.")
    if len({one.version for one in tried if one.version}) > 1:
        found.append("The workers at these addresses are of different versions.")
    return tuple(found)
