"""MirrorSource: copies topics of another Kafka cluster, with their settings, under the names that a replication policy gives."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from workers import VERSION
from workers.connectors import triggers
from workers.connectors.base import SourceConnector
from workers.connectors.configdef import ConfigValue
from workers.connectors.mirror.cluster import Cluster, NoAuthorizer
from workers.connectors.mirror.config_defs import SOURCE, add_error, require_address
from workers.connectors.mirror.filters import Patterns
from workers.connectors.mirror.internal_topics import ensure_compacted
from workers.connectors.mirror.settings import (
    BYTES,
    mirrored_topics,
    number,
    offset_syncs_topic,
    seconds,
    strings,
)
from workers.connectors.mirror.source_offsets import require
from workers.connectors.mirror.source_task import ASSIGNED, MirrorSourceTask, as_text
from workers.connectors.mirror.topic_sync import SettingsFilter, copied_rules, growth, partitions, round_robin
from workers.herder.values import Config, PartitionOffset

logger = logging.getLogger(__name__)

_OFF = "emit.offset-syncs.enabled"
_NO_AUTHORIZER = (
    "No ACL authorizer is configured on the %s Kafka cluster, so no topic ACL syncing will take place. "
    "Consider disabling topic ACL syncing by setting sync.topic.acls.enabled to 'false'."
)


class MirrorSourceConnector(SourceConnector):
    version = VERSION
    java_class = "org.apache.kafka.connect.mirror.MirrorSourceConnector"
    java_task_class = "org.apache.kafka.connect.mirror.MirrorSourceTask"
    task_class = MirrorSourceTask
    config_def = SOURCE
    default_converters = {"key": BYTES, "value": BYTES}
    has_framework_keys = True

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self._topics: Mapping[str, int] = {}
        self._clusters: tuple[Cluster, Cluster] | None = None
        #: Whether it was said that there are no access rules.
        self._unguarded = False

    @classmethod
    def validate(cls, config: Config) -> list[ConfigValue]:
        values = super().validate(config)
        for side in ("source", "target"):
            require_address(values, config, f"{side}.cluster.bootstrap.servers")
        named = [key for key in config if key.startswith(("offset-syncs-", "offset-syncs.topic."))]
        if config.get(_OFF) == "false" and named:
            add_error(values, _OFF, f"MirrorSourceConnector can't setup offset-syncs feature while {_OFF} set to false")
        if refused := triggers.refused(config):
            add_error(values, "trigger", refused)
        return values

    # --- life -------------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        if not self.settings["enabled"]:
            return
        source, target = self._clusters = Cluster(self.config, "source"), Cluster(self.config, "target")
        self._mirrored = mirrored_topics(self.config)
        self._policy = self._mirrored.policy
        excluded = Patterns.of(strings(self.settings, "config.properties.exclude"))
        self._filter = SettingsFilter(excluded, self.config.get("use.defaults.from", "target") == "source")
        if self.settings[_OFF]:
            self._make_syncs_topic(source, target)
        self._topics = source.topics(self._mirrored.accepts)
        self._grow(source, target)
        if self.settings["sync.topic.configs.enabled"]:
            self._sync_settings()
        if self.settings["sync.topic.acls.enabled"]:
            self._sync_rules()
        for what, work in (
            ("refresh.topics", self._refresh),
            ("sync.topic.configs", self._sync_settings),
            ("sync.topic.acls", self._sync_rules),
        ):
            if (pause := seconds(self.settings, what)) is not None:
                self.context.every(pause, work)

    def stop(self) -> None:
        clusters, self._clusters = self._clusters, None
        for cluster in clusters or ():
            cluster.close()

    def task_configs(self, max_tasks: int) -> list[dict[str, str]]:
        shares = round_robin(partitions(self._topics), max_tasks)
        return [{**self.config, ASSIGNED: as_text(share), "task.index": str(index)} for index, share in enumerate(shares)]

    def alter_offsets(self, offsets: Sequence[PartitionOffset]) -> bool:
        require(offsets, ["cluster", "topic"], number=True)
        return True

    # --- topics -----------------------------------------------------------------------------------------------------------

    def _remote(self, topic: str) -> str:
        return self._policy.remote_topic(self.config["source.cluster.alias"], topic)

    def _make_syncs_topic(self, source: Cluster, target: Cluster) -> None:
        there = source if self.settings["offset-syncs.topic.location"] == "source" else target
        factor = number(self.settings, "offset-syncs.topic.replication.factor")
        ensure_compacted(there, offset_syncs_topic(self.config), factor)

    def _refresh(self) -> None:
        """Topics and partitions that are new, or gone."""
        if self._clusters is None:
            return
        source, target = self._clusters
        found = source.topics(self._mirrored.accepts)
        changed, self._topics = found != self._topics, found
        grown = self._grow(source, target)
        if changed or grown:
            logger.info("Topics of the source or the target have changed: %d are mirrored", len(found))
            self.context.request_task_reconfiguration()

    def _grow(self, source: Cluster, target: Cluster) -> bool:
        """Whether anything was missing in the target."""
        remote = {topic: self._remote(topic) for topic in self._topics}
        wanted = set(remote.values())
        missing = growth(self._topics, target.topics(wanted.__contains__), remote)
        settings = source.topic_settings(missing.new) if missing.new else {}
        factor = number(self.settings, "replication.factor")
        for topic, count in missing.new.items():
            made = partial(target.create_topic, remote[topic], count, factor, self._filter.of_new(settings[topic]))
            self._try(remote[topic], made)
        for copy, count in missing.longer.items():
            self._try(copy, partial(target.add_partitions, copy, count))
        return bool(missing.new or missing.longer)

    def _try(self, topic: str, work: Callable[[], object]) -> None:
        """One topic's trouble is not the others'."""
        from py4j.protocol import Py4JJavaError

        try:
            work()
        except Py4JJavaError as error:
            logger.warning("Topic %s of the target is not as it should be: %s", topic, error.java_exception)

    def _sync_settings(self) -> None:
        if self._clusters is None or not self._topics:
            return
        source, target = self._clusters
        there = target.topic_names()
        copied = [topic for topic in self._topics if self._remote(topic) in there]
        for topic, settings in source.topic_settings(copied).items():
            copy, wanted = self._remote(topic), self._filter.of_existing(settings)
            self._try(copy, partial(target.alter_topic_settings, copy, wanted))

    def _sync_rules(self) -> None:
        """Rules that were taken away in the source stay in the target, as with MirrorMaker. Without them records are copied all
        the same."""
        from py4j.protocol import Py4JJavaError

        if self._clusters is None:
            return
        source, target = self._clusters
        try:
            rules = copied_rules(source.topic_rules(), self._mirrored.accepts, self._remote)
            for rule, reason in target.add_topic_rules(rules):
                logger.warning("Could not sync ACL of topic %s: %s", rule.topic, reason)
        except NoAuthorizer as cluster:
            logger.log(logging.DEBUG if self._unguarded else logging.INFO, _NO_AUTHORIZER, cluster)
            self._unguarded = True
        except Py4JJavaError as error:
            logger.warning("The access rules of topics cannot be read: %s", error.java_exception)
