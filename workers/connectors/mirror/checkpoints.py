"""Where groups stand in the target: which checkpoints are new, and which offsets a group there is given. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from workers.connectors.mirror.cluster import GroupOffset
from workers.connectors.mirror.policies import ReplicationPolicy
from workers.connectors.mirror.records import Checkpoint
from workers.connectors.mirror.sync_store import OffsetSyncStore
from workers.herder.values import Partition


@dataclass(slots=True)
class CheckpointStore:
    """The newest checkpoint of each group and partition of the target."""

    known: dict[str, dict[Partition, Checkpoint]] = field(default_factory=dict)

    def add(self, checkpoints: Iterable[Checkpoint]) -> None:
        for checkpoint in checkpoints:
            self.known.setdefault(checkpoint.group, {})[checkpoint.partition] = checkpoint

    def is_news(self, checkpoint: Checkpoint) -> bool:
        """A group that went back in the source goes back in the target, but none does because less is known of it."""
        last = self.known.get(checkpoint.group, {}).get(checkpoint.partition)
        return last is None or checkpoint.upstream < last.upstream or checkpoint.downstream > last.downstream

    def ahead_of(self, group: str, target: Mapping[Partition, GroupOffset]) -> dict[Partition, GroupOffset]:
        """What the group's offsets in the target are to be set to: forward only."""
        return {
            partition: GroupOffset(checkpoint.downstream, checkpoint.metadata)
            for partition, checkpoint in self.known.get(group, {}).items()
            if partition not in target or target[partition].offset < checkpoint.downstream
        }


@dataclass(frozen=True, slots=True)
class Translation:
    """From the cluster `source` to the cluster `target`."""

    source: str
    target: str
    policy: ReplicationPolicy
    syncs: OffsetSyncStore

    def checkpoints(self, group: str, offsets: Mapping[Partition, GroupOffset]) -> list[Checkpoint]:
        """Of the partitions whose offsets can be translated."""
        translated = ((partition, at, self.syncs.translate(partition, at.offset)) for partition, at in offsets.items())
        return [
            Checkpoint(group, self._copy(partition), at.offset, downstream, at.metadata)
            for partition, at, downstream in translated
            if downstream is not None and downstream >= 0
        ]

    def _copy(self, partition: Partition) -> Partition:
        if self.policy.source_of(partition.topic) == self.target:
            # It came from there.
            return partition._replace(topic=self.policy.original_topic(partition.topic))
        return partition._replace(topic=self.policy.remote_topic(self.source, partition.topic))


def share_groups(groups: Iterable[str], tasks: int) -> list[list[str]]:
    """In pieces of the same length, or one more."""
    names = sorted(groups)
    count = min(tasks, len(names))
    ends = [len(names) * index // count for index in range(count + 1)] if count else []
    return [names[start:end] for start, end in pairwise(ends)]
