"""What topics are called in the target, and which there are MirrorMaker's own. Pure."""

from typing import ClassVar, Protocol

from workers.herder.values import Config

_PACKAGE = "org.apache.kafka.connect.mirror."
HEARTBEATS = "heartbeats"


class ReplicationPolicy(Protocol):
    def remote_topic(self, source: str, topic: str) -> str:
        """What a topic of the cluster `source` is called in the target."""
        ...

    def source_of(self, topic: str) -> str | None:
        """The alias of the cluster that a topic was mirrored from; None if it was not."""
        ...

    def upstream_topic(self, topic: str) -> str | None:
        """What it is called there."""
        ...

    def original_topic(self, topic: str) -> str:
        """What it is called where it was first written."""
        ...

    def is_internal(self, topic: str) -> bool: ...

    def offset_syncs_topic(self, cluster: str) -> str: ...

    def checkpoints_topic(self, cluster: str) -> str: ...


class DefaultReplicationPolicy:
    """`<source>.<topic>`, with the separator that is configured."""

    name: ClassVar[str] = f"{_PACKAGE}DefaultReplicationPolicy"

    def __init__(self, config: Config) -> None:
        self._separator = config.get("replication.policy.separator", ".")
        own = config.get("replication.policy.internal.topic.separator.enabled", "true").strip().lower() == "true"
        self._internal = self._separator if own else "."

    def remote_topic(self, source: str, topic: str) -> str:
        return f"{source}{self._separator}{topic}"

    def source_of(self, topic: str) -> str | None:
        source, separator, rest = topic.partition(self._separator)
        # Nothing but separators behind it counts as nothing.
        return source if separator and rest.replace(self._separator, "") else None

    def upstream_topic(self, topic: str) -> str | None:
        source = self.source_of(topic)
        return None if source is None else topic[len(source) + len(self._separator) :]

    def original_topic(self, topic: str) -> str:
        upstream = self.upstream_topic(topic)
        return topic if upstream is None else self.original_topic(upstream)

    def is_internal(self, topic: str) -> bool:
        return topic.startswith(("__", ".")) or self._is_mirror_makers(topic)

    def _is_mirror_makers(self, topic: str) -> bool:
        suffix = f"{self._internal}internal"
        return (topic.startswith("mm2") and topic.endswith(suffix)) or topic.endswith(f"{self._internal}checkpoints{suffix}")

    def offset_syncs_topic(self, cluster: str) -> str:
        return f"mm2-offset-syncs{self._internal}{cluster}{self._internal}internal"

    def checkpoints_topic(self, cluster: str) -> str:
        return f"{cluster}{self._internal}checkpoints{self._internal}internal"


class IdentityReplicationPolicy(DefaultReplicationPolicy):
    """Topics keep their names, so that a cycle cannot be seen; heartbeats alone are called as by default."""

    name: ClassVar[str] = f"{_PACKAGE}IdentityReplicationPolicy"

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self._source = config.get("source.cluster.alias")

    def remote_topic(self, source: str, topic: str) -> str:
        return super().remote_topic(source, topic) if _like_heartbeats(topic) else topic

    def source_of(self, topic: str) -> str | None:
        return super().source_of(topic) if _like_heartbeats(topic) else self._source

    def upstream_topic(self, topic: str) -> str | None:
        return super().upstream_topic(topic) if _like_heartbeats(topic) else topic

    def original_topic(self, topic: str) -> str:
        return super().original_topic(topic) if _like_heartbeats(topic) else topic


def _like_heartbeats(topic: str) -> bool:
    return topic.endswith(HEARTBEATS)


POLICIES: dict[str, type[DefaultReplicationPolicy]] = {
    policy.name: policy for policy in (DefaultReplicationPolicy, IdentityReplicationPolicy)
}


def is_heartbeats(policy: ReplicationPolicy, topic: str) -> bool:
    return policy.original_topic(topic) == HEARTBEATS


def is_cycle(policy: ReplicationPolicy, topic: str, target: str) -> bool:
    """Whether the topic comes, by whatever way, from the cluster `target`."""
    source = policy.source_of(topic)
    if source is None or source == target:
        return source == target
    upstream = policy.upstream_topic(topic)
    return upstream not in (None, topic) and is_cycle(policy, str(upstream), target)
