"""Which offsets a sink's next job reads. Pure."""

import logging
import re
from collections.abc import Collection, Mapping, Sequence

from workers.connectors.base import ConnectError, KafkaRange
from workers.herder.values import Config, Partition

logger = logging.getLogger(__name__)

#: What one job reads at most, in records.
RANGE_RECORDS = 500_000
#: What a task may bring into a job that it shares with others, in records: everybody in it waits for all of them.
FEW_RECORDS = 1_000


def subscribed(config: Config, topics: Mapping[str, int]) -> list[Partition]:
    """The partitions of the connector's topics that exist, in order."""
    return [Partition(name, number) for name in sorted(subscribed_topics(config, topics)) for number in range(topics[name])]


def subscribed_topics(config: Config, existing: Collection[str]) -> set[str]:
    """The connector's topics, as far as they exist."""
    if regex := config.get("topics.regex", "").strip():
        pattern = re.compile(regex)
        return {name for name in existing if pattern.fullmatch(name)}
    return {name for item in config.get("topics", "").split(",") if (name := item.strip()) in existing}


def share(partitions: Sequence[Partition], task: int, tasks: int) -> list[Partition]:
    """One task's partitions: every `tasks`-th, so that each belongs to exactly one task."""
    return list(partitions[task::tasks])


def start_offset(reset: str, partition: Partition, committed: int | None, begin: int, end: int) -> int:
    """Where to begin: at the committed offset while the log still has it, else as `auto.offset.reset` says.

    Raises ConnectError for `none`, and for anything that is not `earliest` or `latest`.
    """
    if committed is not None and begin <= committed <= end:
        return committed
    if reset not in ("earliest", "latest"):
        raise ConnectError(
            f"Topic {partition.topic} has offsets {begin} to {end} in partition {partition.number}, the committed one is "
            f"{committed}, and auto.offset.reset={reset} allows no other"
        )
    start = begin if reset == "earliest" else end
    if committed is not None:
        logger.warning(
            "Committed offset %d of %s-%d is gone (the log has %d to %d): going on at %d",
            committed,
            *partition,
            begin,
            end,
            start,
        )
    return start


def next_ranges(positions: Mapping[Partition, int], ends: Mapping[Partition, int], most: int = RANGE_RECORDS) -> list[KafkaRange]:
    """What is new, at most `most` records of it, shared evenly over the partitions that have any."""
    behind = {p: ends[p] - start for p, start in positions.items() if p in ends and ends[p] > start}
    ranges: list[KafkaRange] = []
    left, shares = most, len(behind)
    # The least behind first: what they do not need goes to the others.
    for partition in sorted(behind, key=lambda p: (behind[p], p)):
        take = min(behind[partition], max(1, left // shares))
        left, shares = left - take, shares - 1
        start = positions[partition]
        ranges.append(KafkaRange(partition.topic, partition.number, start, start + take))
    return sorted(ranges, key=lambda r: (r.topic, r.partition))


def are_few(ranges: Sequence[KafkaRange], most: int = FEW_RECORDS) -> bool:
    return sum(item.end - item.start for item in ranges) <= most


def merged(ranges: Sequence[KafkaRange]) -> list[KafkaRange]:
    """One for each partition, which holds all that these do of it, in order."""
    found: dict[Partition, KafkaRange] = {}
    for item in sorted(ranges, key=lambda r: (r.topic, r.partition, r.start)):
        at = Partition(item.topic, item.partition)
        before = found.get(at, item)
        found[at] = KafkaRange(item.topic, item.partition, before.start, max(before.end, item.end))
    return list(found.values())
