"""A mirror's task: partitions of the source's topics, each copied into the partition of the same number."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, cast

from workers.connectors.base import KafkaRange, SourceRange, SourceTask
from workers.connectors.mirror import shared_ends
from workers.connectors.mirror.client_settings import Side, client_settings, offset_reset
from workers.connectors.mirror.cluster import Cluster
from workers.connectors.mirror.config_defs import SOURCE
from workers.connectors.mirror.few import Wanted, read_small, small_reads
from workers.connectors.mirror.offset_syncs import PartitionSyncs
from workers.connectors.mirror.settings import number, offset_syncs_topic, replication_policy
from workers.connectors.mirror.source_offsets import position, source_offset, source_partition
from workers.herder.values import Config, Fields, Partition

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

logger = logging.getLogger(__name__)

#: Of a task's config: its partitions.
ASSIGNED = "task.assigned.partitions"
# What is not due at once is written down this often. MirrorMaker does it when it commits offsets, once a minute.
_SYNC_SECONDS = 10.0


def assigned(text: str) -> list[Partition]:
    """`topic-0,another-1`."""
    parts = (item.rpartition("-") for item in text.split(",") if item)
    return [Partition(topic, int(number)) for topic, _, number in parts]


def as_text(partitions: Iterable[Partition]) -> str:
    return ",".join(f"{topic}-{number}" for topic, number in partitions)


class MirrorSourceTask(SourceTask):
    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self._partitions = assigned(config[ASSIGNED])
        self._alias = config["source.cluster.alias"]
        self._policy = replication_policy(config)
        self._reset = offset_reset(config)
        self._consumer = client_settings(config, "source", "consumer")
        self._positions: dict[Partition, int] = {}
        self._ends: shared_ends.SharedEnds | None = None
        self._syncs: OffsetSyncWriter | None = None
        self._records: int | None = None

    def start(self, committed: Callable[[Fields], Fields | None]) -> None:
        stored = {p: position(committed(source_partition(self._alias, p))) for p in self._partitions}
        self._ends = shared_ends.join(self.config, self._partitions)
        try:
            ends = self._ends.ends(self._partitions)
            begins = self._ends.begins(ends)
        except BaseException:
            # It may be tried again, or given up.
            self.stop()
            raise
        self._positions = {p: self._first(p, stored[p], begins[p], end) for p, end in ends.items()}
        if SOURCE.parse(self.config)["emit.offset-syncs.enabled"]:
            self._syncs = OffsetSyncWriter(self.config, self._remote)

    def _first(self, partition: Partition, stored: int | None, begin: int, end: int) -> int:
        from workers.runtime.ranges import start_offset

        if stored is None:
            return end if self._reset == "latest" else begin
        return start_offset(self._reset, partition, stored, begin, end)

    def _remote(self, topic: str) -> str:
        return self._policy.remote_topic(self._alias, topic)

    def next_range(self) -> SourceRange | None:
        from workers.runtime.ranges import next_ranges

        assert self._ends is not None
        ends = self._ends.ends(self._positions)
        self._begin_anew({partition for partition, end in ends.items() if end < self._positions[partition]})
        if self._syncs is not None:
            self._syncs.follow(self._positions)
        ranges = next_ranges(self._positions, ends)
        if not ranges:
            return None
        offsets = [
            (source_partition(self._alias, Partition(item.topic, item.partition)), source_offset(item.end)) for item in ranges
        ]
        return SourceRange(None, ranges, offsets, sorted({self._remote(item.topic) for item in ranges}))

    def _begin_anew(self, partitions: Iterable[Partition]) -> None:
        """Their topics were deleted and made anew."""
        assert self._ends is not None
        for partition, begin in self._ends.begins(partitions).items() if partitions else ():
            logger.warning("%s-%d ends before %d by now: reading it anew", *partition, self._positions[partition])
            self._positions[partition] = begin
            if self._syncs is not None:
                self._syncs.forget(partition)

    def coalescing_key(self, new: SourceRange) -> Hashable | None:
        """Few records are read here, of one cluster for all its mirrors at once."""
        from workers.runtime.ranges import are_few

        few = small_reads(self._consumer) is not None and are_few(cast(Sequence[KafkaRange], new.end))
        return frozenset(self._consumer.items()) if few else None

    @classmethod
    def read_all(cls, spark: SparkSession, ranges: Sequence[tuple[Self, SourceRange]]) -> DataFrame:
        first, _ = ranges[0]
        small = small_reads(first._consumer)
        assert small is not None
        wanted: list[Wanted] = []
        for task, new in ranges:
            found = cast(Sequence[KafkaRange], new.end)
            task._records = _count(found)
            wanted += [Wanted(item, task._remote(item.topic)) for item in found]
        return read_small(spark, small, wanted)

    def read(self, spark: SparkSession, new: SourceRange) -> DataFrame:
        from workers.runtime.kafka_frames import read_ranges

        ranges = cast(Sequence[KafkaRange], new.end)
        self._records = _count(ranges)
        group = f"mirror-{self.config.get('name', '')}"
        records = read_ranges(spark, None, group, ranges, self._consumer, split=False)
        topic = _topic_expression({item.topic: self._remote(item.topic) for item in ranges})
        return records.selectExpr(f"{topic} AS topic", "key", "value", "partition", "timestamp", "headers")

    def records(self) -> int | None:
        return self._records

    def committed(self, new: SourceRange) -> None:
        for item in cast(Sequence[KafkaRange], new.end):
            self._positions[Partition(item.topic, item.partition)] = item.end
        if self._syncs is not None:
            self._syncs.follow(self._positions)

    def stop(self) -> None:
        if self._ends is not None:
            self._ends = None
            shared_ends.leave(self.config, self._partitions)
        if self._syncs is not None:
            self._syncs.close(self._positions)
            self._syncs = None


def _count(ranges: Sequence[KafkaRange]) -> int:
    return sum(item.end - item.start for item in ranges)


def _topic_expression(names: Mapping[str, str]) -> str:
    """SQL that makes the target's names of the source's. A topic's name holds no quotes; an alias or a separator may."""
    if all(name == topic for topic, name in names.items()):
        return "topic"
    prefixes = {name.removesuffix(topic) for topic, name in names.items() if name.endswith(topic)}
    if len(prefixes) == 1 and all(name == f"{next(iter(prefixes))}{topic}" for topic, name in names.items()):
        return f"concat({_literal(prefixes.pop())}, topic)"
    cases = " ".join(f"WHEN {_literal(topic)} THEN {_literal(name)}" for topic, name in names.items())
    return f"CASE topic {cases} END"


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


class OffsetSyncWriter:
    """Writes the offset syncs of a task's partitions. What fails is told, and no record waits for it: the next sync says more.

    `remote` gives the target's topic.
    """

    def __init__(self, config: Config, remote: Callable[[str], str], clock: Callable[[], float] = time.monotonic) -> None:
        self._remote = remote
        self._clock = clock
        self._topic = offset_syncs_topic(config)
        self._most = number(SOURCE.parse(config), "offset.lag.max")
        clusters: dict[Side, Cluster] = {"source": Cluster(config, "source"), "target": Cluster(config, "target")}
        self._target = clusters["target"]
        self._writer = clusters["source" if config.get("offset-syncs.topic.location", "source") == "source" else "target"]
        self._clusters = clusters
        self._syncs: dict[Partition, PartitionSyncs] = {}
        self._looked_at = clock()
        self._not_before = -1e9

    def follow(self, positions: Mapping[Partition, int]) -> None:
        """`positions` is how far the source has been read, and all of it written."""
        if self._clock() < self._not_before:
            return
        new = [partition for partition in positions if partition not in self._syncs]
        due = [p for p, syncs in self._syncs.items() if p in positions and syncs.is_due(positions[p])]
        if self._clock() - self._looked_at >= _SYNC_SECONDS:
            due = [p for p, syncs in self._syncs.items() if p in positions and syncs.lag(positions[p]) > 0]
            self._looked_at = self._clock()
        if new or due:
            self._try(positions, new, due)

    def forget(self, partition: Partition) -> None:
        self._syncs.pop(partition, None)

    def _try(self, positions: Mapping[Partition, int], new: Sequence[Partition], due: Sequence[Partition]) -> None:
        from py4j.protocol import Py4JJavaError

        try:
            ends = self._target.ends([self._copy(partition) for partition in (*new, *due)])
            for partition in new:
                if (end := ends.get(self._copy(partition))) is not None:
                    self._syncs[partition] = PartitionSyncs(partition, positions[partition], end, self._most)
            found = [
                sync for p in due if self._copy(p) in ends for sync in self._syncs[p].look(positions[p], ends[self._copy(p)])
            ]
            if found:
                self._writer.send(self._topic, [(sync.key(), sync.value()) for sync in found])
        except Py4JJavaError as error:
            self._not_before = self._clock() + _SYNC_SECONDS
            logger.warning("Offset syncs could not be written: %s", error.java_exception)

    def _copy(self, partition: Partition) -> Partition:
        return Partition(self._remote(partition.topic), partition.number)

    def close(self, positions: Mapping[Partition, int]) -> None:
        due: list[Any] = [p for p, syncs in self._syncs.items() if p in positions and syncs.lag(positions[p]) > 0]
        if due:
            self._try(positions, [], due)
        for cluster in self._clusters.values():
            cluster.close()
