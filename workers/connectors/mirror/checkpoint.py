"""MirrorCheckpoint: where consumer groups of another Kafka cluster would go on in the mirrored topics."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from workers import VERSION
from workers.connectors.base import SourceConnector
from workers.connectors.configdef import ConfigValue
from workers.connectors.mirror.checkpoint_task import ASSIGNED, MirrorCheckpointTask
from workers.connectors.mirror.checkpoints import share_groups
from workers.connectors.mirror.cluster import Cluster
from workers.connectors.mirror.config_defs import CHECKPOINT, TOPICS, add_error, require_address
from workers.connectors.mirror.filters import Filter
from workers.connectors.mirror.internal_topics import ensure_compacted
from workers.connectors.mirror.settings import BYTES, number, replication_policy, seconds, strings, topic_filter
from workers.connectors.mirror.source_offsets import require
from workers.herder.values import Config, PartitionOffset

logger = logging.getLogger(__name__)

_NEEDED = {
    "emit.checkpoints.enabled": "MirrorCheckpointConnector can't run with emit.checkpoints.enabled set to false",
    "emit.offset-syncs.enabled": "MirrorCheckpointConnector can't run without offset syncs",
}


class MirrorCheckpointConnector(SourceConnector):
    version = VERSION
    java_class = "org.apache.kafka.connect.mirror.MirrorCheckpointConnector"
    java_task_class = "org.apache.kafka.connect.mirror.MirrorCheckpointTask"
    task_class = MirrorCheckpointTask
    config_def = CHECKPOINT
    default_converters = {"key": BYTES, "value": BYTES}
    has_framework_keys = True

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self._groups: set[str] = set()
        self._source: Cluster | None = None

    @classmethod
    def validate(cls, config: Config) -> list[ConfigValue]:
        values = super().validate(config)
        values += [value for value in TOPICS.validate(config) if value.errors]
        for side in ("source", "target"):
            require_address(values, config, f"{side}.cluster.bootstrap.servers")
        if config.get("enabled", "true") != "false":
            for key, message in _NEEDED.items():
                if config.get(key) == "false":
                    add_error(values, key, message)
        return values

    def start(self) -> None:
        if not self.settings["enabled"]:
            return
        included, excluded = (strings(self.settings, key) for key in ("groups", "groups.exclude"))
        self._accepted = Filter.of(included, excluded)
        self._topics = topic_filter(self.config)
        target = Cluster(self.config, "target")
        try:
            topic = replication_policy(self.config).checkpoints_topic(self.config["source.cluster.alias"])
            ensure_compacted(target, topic, number(self.settings, "checkpoints.topic.replication.factor"))
        finally:
            target.close()
        self._source = Cluster(self.config, "source")
        self._groups = self._find(self._source)
        if (pause := seconds(self.settings, "refresh.groups")) is not None:
            self.context.every(pause, self._refresh)

    def _find(self, source: Cluster) -> set[str]:
        """Those that have read a topic that is mirrored."""
        groups = [group for group in source.groups() if self._accepted.accepts(group)]
        return {group for group in groups if any(self._topics.accepts(at.topic) for at in source.group_offsets(group))}

    def _refresh(self) -> None:
        if self._source is None:
            return
        found = self._find(self._source)
        if found != self._groups:
            self._groups = found
            logger.info("Consumer groups of the source have changed: there are %d to follow", len(found))
            self.context.request_task_reconfiguration()

    def stop(self) -> None:
        source, self._source = self._source, None
        if source is not None:
            source.close()

    def task_configs(self, max_tasks: int) -> list[dict[str, str]]:
        if not self.settings["enabled"] or seconds(self.settings, "emit.checkpoints") is None:
            return []
        shares = share_groups(self._groups, max_tasks)
        return [{**self.config, ASSIGNED: ",".join(share), "task.index": str(index)} for index, share in enumerate(shares)]

    def alter_offsets(self, offsets: Sequence[PartitionOffset]) -> bool:
        require(offsets, ["group", "topic"], number=True, only_zero=True)
        return True
