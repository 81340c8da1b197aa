"""A mirror's task: partitions of the source's topics, each copied into the partition of the same number. As a loop of jobs, or in
real time as one streaming query."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Self, cast

from workers.connectors import kafka_offsets, triggers
from workers.connectors.base import (
    KafkaRange,
    RetriableError,
    SourceRange,
    SourceTask,
    StreamingSource,
    StreamPosition,
    Trigger,
)
from workers.connectors.mirror import shared_ends
from workers.connectors.mirror.client_settings import client_settings, offset_reset
from workers.connectors.mirror.config_defs import SOURCE
from workers.connectors.mirror.few import Wanted, read_small, small_reads
from workers.connectors.mirror.settings import replication_policy
from workers.connectors.mirror.source_offsets import position, source_offset, source_partition
from workers.connectors.mirror.sync_writer import OffsetSyncWriter
from workers.herder.values import Config, Fields, Partition, PartitionOffset

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

logger = logging.getLogger(__name__)

#: Of a task's config: its partitions.
ASSIGNED = "task.assigned.partitions"


def assigned(text: str) -> list[Partition]:
    """`topic-0,another-1`."""
    parts = (item.rpartition("-") for item in text.split(",") if item)
    return [Partition(topic, int(number)) for topic, _, number in parts]


def as_text(partitions: Iterable[Partition]) -> str:
    return ",".join(f"{topic}-{number}" for topic, number in partitions)


class MirrorSourceTask(SourceTask, StreamingSource):
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
            self._syncs.at_rest(self._positions)
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
        return self._renamed(read_ranges(spark, None, group, ranges, self._consumer, split=False))

    def _renamed(self, records: DataFrame) -> DataFrame:
        topic = _topic_expression({at.topic: self._remote(at.topic) for at in self._partitions})
        return records.selectExpr(f"{topic} AS topic", "key", "value", "partition", "timestamp", "headers")

    def records(self) -> int | None:
        return self._records

    def committed(self, new: SourceRange) -> None:
        for item in cast(Sequence[KafkaRange], new.end):
            self._positions[Partition(item.topic, item.partition)] = item.end
        if self._syncs is not None:
            self._syncs.at_rest(self._positions)

    # --- as a query -------------------------------------------------------------------------------------------------------

    def trigger(self) -> Trigger | None:
        found = triggers.trigger(self.config)
        return found if found.kind == triggers.REALTIME else None

    def slots(self) -> int:
        return len(self._positions)

    def stream(self, spark: SparkSession) -> DataFrame:
        from workers.runtime.kafka_frames import stream

        if not self._positions:
            raise RetriableError(f"Not in the source cluster: {as_text(self._partitions)}")
        if self._syncs is not None:
            # Nothing is written yet, or what is will be written again.
            self._syncs.at_rest(self._positions)
        return self._renamed(stream(spark, list(self._positions), self._consumer))

    def topics(self) -> Sequence[str]:
        return sorted({self._remote(partition.topic) for partition in self._partitions})

    def position(self, stored: Sequence[PartitionOffset]) -> StreamPosition | None:
        """Of all partitions, also those of which nothing is stored: Spark would take them for new ones. `start` has asked."""
        return StreamPosition(kafka_offsets.as_spark(self._positions))

    def offsets(self, reached: StreamPosition) -> Sequence[tuple[Fields, Fields]]:
        found = kafka_offsets.from_spark(reached.offset)
        gone_on = {at: end for at, end in found.items() if end != self._positions[at]}
        return [(source_partition(self._alias, at), source_offset(end)) for at, end in gone_on.items()]

    def passed(self, reached: StreamPosition) -> None:
        before, self._positions = self._positions, kafka_offsets.from_spark(reached.offset)
        if self._syncs is not None:
            self._syncs.passed(before, self._positions)

    def under_way(self) -> None:
        if self._syncs is not None:
            self._syncs.under_way(self._positions)

    def begins_anew(self) -> bool:
        assert self._ends is not None
        ends = self._ends.ends(self._positions)
        if missing := self._positions.keys() - ends.keys():
            raise RetriableError(f"Not in the source cluster at the moment: {as_text(sorted(missing))}")
        anew = {partition for partition, end in ends.items() if end < self._positions[partition]}
        self._begin_anew(anew)
        return bool(anew)

    # ----------------------------------------------------------------------------------------------------------------------

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
