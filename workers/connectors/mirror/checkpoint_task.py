"""A checkpoint connector's task: where its consumer groups stand, translated and written down again and again."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Self, TypeVar, cast

from workers.connectors.base import SourceRange, SourceTask
from workers.connectors.mirror.checkpoints import CheckpointStore, Translation
from workers.connectors.mirror.client_settings import Side
from workers.connectors.mirror.cluster import Cluster
from workers.connectors.mirror.config_defs import CHECKPOINT
from workers.connectors.mirror.records import Checkpoint, OffsetSync, Unreadable
from workers.connectors.mirror.rows import OwnRecord, frame
from workers.connectors.mirror.settings import offset_syncs_topic, replication_policy, seconds, target_alias, topic_filter
from workers.connectors.mirror.sync_store import OffsetSyncStore
from workers.connectors.mirror.topic_reader import TopicReader
from workers.herder.values import Config, Fields, Partition

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

logger = logging.getLogger(__name__)
T = TypeVar("T")

#: Of a task's config: its groups.
ASSIGNED = "task.assigned.groups"


class MirrorCheckpointTask(SourceTask):
    def __init__(self, config: Config, clock: Callable[[], float] = time.monotonic, now: Callable[[], float] = time.time) -> None:
        super().__init__(config)
        self._clock = clock
        self._now = now
        values = CHECKPOINT.parse(config)
        self._emit, self._sync = seconds(values, "emit.checkpoints"), seconds(values, "sync.group.offsets")
        self._groups = [group for group in config[ASSIGNED].split(",") if group]
        self._filter = topic_filter(config)
        self._topic = replication_policy(config).checkpoints_topic(config["source.cluster.alias"])
        self._clusters: dict[Side, Cluster] = {"source": Cluster(config, "source"), "target": Cluster(config, "target")}
        self._store = CheckpointStore()
        #: The source partitions whose offset is in the offsets topic: it is always the same.
        self._told: set[tuple[str, Partition]] = set()

    def start(self, committed: Callable[[Fields], Fields | None]) -> None:
        alias = self.config["source.cluster.alias"]
        self._store.add(self._written())
        # What was written before is known: nobody is sent back by using older syncs.
        self._syncs = OffsetSyncStore(keep_older=True)
        self._translation = Translation(alias, target_alias(self.config), replication_policy(self.config), self._syncs)
        place: Side = "source" if self.config.get("offset-syncs.topic.location", "source") == "source" else "target"
        self._reader = TopicReader(self.config, place, self._clusters[place], offset_syncs_topic(self.config))
        self._read_syncs()
        self._syncs.read_to_end()
        self._emit_at = self._clock() + (self._emit or 0)
        self._sync_at = self._clock() + (self._sync or 0)

    def _written(self) -> list[Checkpoint]:
        """What there is of this task's groups already."""
        reader = TopicReader(self.config, "target", self._clusters["target"], self._topic)
        found = (_read(Checkpoint.read, key, value) for key, value in reader.read())
        return [checkpoint for checkpoint in found if checkpoint is not None and checkpoint.group in self._groups]

    def _read_syncs(self) -> None:
        for key, value in self._reader.read():
            if (sync := _read(OffsetSync.read, key, value)) is not None:
                self._syncs.add(sync)

    def next_range(self) -> SourceRange | None:
        now = self._clock()
        if self._sync is not None and now >= self._sync_at:
            self._sync_groups()
            self._sync_at = now + self._sync
        if self._emit is None or now < self._emit_at:
            return None
        self._read_syncs()
        checkpoints = [checkpoint for group in self._groups for checkpoint in self._checkpoints(group)]
        if not checkpoints:
            self._emit_at = now + self._emit
            return None
        untold = [one for one in checkpoints if (one.group, one.partition) not in self._told]
        return SourceRange(
            round(self._now() * 1000), checkpoints, [(one.source_partition(), {"offset": 0}) for one in untold], [self._topic]
        )

    def _checkpoints(self, group: str) -> list[Checkpoint]:
        offsets = self._clusters["source"].group_offsets(group)
        accepted = {partition: at for partition, at in offsets.items() if self._filter.accepts(partition.topic)}
        return [one for one in self._translation.checkpoints(group, accepted) if self._store.is_news(one)]

    def _sync_groups(self) -> None:
        target = self._clusters["target"]
        for group in self._groups:
            if group not in self._store.known:
                continue
            offsets = self._store.ahead_of(group, target.group_offsets(group))
            if offsets and not target.alter_group_offsets(group, offsets):
                logger.info("Group %s is in use in the target: its offsets there are left alone", group)

    def coalescing_key(self, new: SourceRange) -> Hashable | None:
        return ""

    @classmethod
    def read_all(cls, spark: SparkSession, ranges: Sequence[tuple[Self, SourceRange]]) -> DataFrame:
        return frame(spark, [record for task, new in ranges for record in task._own_records(new)])

    def _own_records(self, new: SourceRange) -> list[OwnRecord]:
        now, written = cast(int, new.start), cast(Sequence[Checkpoint], new.end)
        return [OwnRecord(self._topic, one.key(), one.value(), now) for one in written]

    def read(self, spark: SparkSession, new: SourceRange) -> DataFrame:
        return self.read_all(spark, [(self, new)])

    def committed(self, new: SourceRange) -> None:
        assert self._emit is not None
        written = cast(Sequence[Checkpoint], new.end)
        self._store.add(written)
        self._told |= {(one.group, one.partition) for one in written}
        self._emit_at = self._clock() + self._emit

    def stop(self) -> None:
        for cluster in self._clusters.values():
            cluster.close()


def _read(read: Callable[[bytes, bytes], T], key: bytes, value: bytes) -> T | None:
    try:
        return read(key, value)
    except Unreadable as error:
        logger.warning("A record of the mirrors' own cannot be read: %s", error)
        return None
