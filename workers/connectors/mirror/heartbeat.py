"""MirrorHeartbeat: a record every second that says the way is free, for whoever mirrors the target onwards to see."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Self, cast

from workers import VERSION
from workers.connectors.base import SourceConnector, SourceRange, SourceTask
from workers.connectors.configdef import ConfigValue
from workers.connectors.mirror.cluster import Cluster
from workers.connectors.mirror.config_defs import HEARTBEAT, require_address
from workers.connectors.mirror.internal_topics import ensure_compacted
from workers.connectors.mirror.policies import HEARTBEATS
from workers.connectors.mirror.records import Heartbeat
from workers.connectors.mirror.rows import OwnRecord, frame
from workers.connectors.mirror.settings import BYTES, number, seconds, target_alias
from workers.connectors.mirror.source_offsets import require
from workers.herder.values import Config, Fields, PartitionOffset

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class MirrorHeartbeatTask(SourceTask):
    def __init__(self, config: Config, clock: Callable[[], float] = time.monotonic, now: Callable[[], float] = time.time) -> None:
        super().__init__(config)
        self._clock = clock
        self._now = now
        self._pause = seconds(HEARTBEAT.parse(config), "emit.heartbeats")
        self._due = clock() + (self._pause or 0)

    def start(self, committed: Callable[[Fields], Fields | None]) -> None:
        """It goes on from nowhere."""

    def next_range(self) -> SourceRange | None:
        if self._pause is None or self._clock() < self._due:
            return None
        heartbeat = Heartbeat(self.config["source.cluster.alias"], target_alias(self.config), round(self._now() * 1000))
        return SourceRange(None, heartbeat, [(heartbeat.source_partition(), {"offset": 0})], [HEARTBEATS])

    def coalescing_key(self, new: SourceRange) -> Hashable | None:
        return ""

    @classmethod
    def read_all(cls, spark: SparkSession, ranges: Sequence[tuple[Self, SourceRange]]) -> DataFrame:
        beats = [cast(Heartbeat, new.end) for _, new in ranges]
        return frame(spark, [OwnRecord(HEARTBEATS, beat.key(), beat.value(), beat.timestamp) for beat in beats])

    def read(self, spark: SparkSession, new: SourceRange) -> DataFrame:
        return self.read_all(spark, [(self, new)])

    def records(self) -> int | None:
        return 1

    def committed(self, new: SourceRange) -> None:
        assert self._pause is not None
        # What was missed while nothing could be written is not made up for.
        self._due = max(self._due + self._pause, self._clock())


class MirrorHeartbeatConnector(SourceConnector):
    version = VERSION
    java_class = "org.apache.kafka.connect.mirror.MirrorHeartbeatConnector"
    java_task_class = "org.apache.kafka.connect.mirror.MirrorHeartbeatTask"
    task_class = MirrorHeartbeatTask
    config_def = HEARTBEAT
    default_converters = {"key": BYTES, "value": BYTES}
    has_framework_keys = True

    @classmethod
    def validate(cls, config: Config) -> list[ConfigValue]:
        values = super().validate(config)
        require_address(values, config, "target.cluster.bootstrap.servers")
        return values

    def start(self) -> None:
        target = Cluster(self.config, "target")
        try:
            ensure_compacted(target, HEARTBEATS, number(self.settings, "heartbeats.topic.replication.factor"))
        finally:
            target.close()

    def task_configs(self, max_tasks: int) -> list[dict[str, str]]:
        return [] if seconds(self.settings, "emit.heartbeats") is None else [dict(self.config)]

    def alter_offsets(self, offsets: Sequence[PartitionOffset]) -> bool:
        require(offsets, ["sourceClusterAlias", "targetClusterAlias"], only_zero=True)
        return True
