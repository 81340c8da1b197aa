"""The Kafka clusters that sinks read from: the worker's own, and those that connectors name for themselves (KIP-458)."""

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from workers.herder.values import Partition
from workers.runtime.group_offsets import GroupOffsets

_TOPICS_AGE = 2.0


class TopicPartitions(Protocol):
    """What a sink has to know of Kafka's topics. Every method may raise what passes by itself."""

    def topics(self) -> Mapping[str, int]:
        """Each topic's number of partitions, as of some seconds ago."""
        ...

    def watch(self, partitions: Iterable[Partition]) -> None:
        """Their ends will be asked for, until `unwatch`."""
        ...

    def unwatch(self, partitions: Iterable[Partition]) -> None: ...

    def ends(self, partitions: Iterable[Partition]) -> dict[Partition, int]: ...

    def begins(self, partitions: Iterable[Partition]) -> dict[Partition, int]: ...


class ForeignPartitions:
    """See `TopicPartitions`. Of a cluster whose settings are Java's: through Kafka's own client, each task for itself. There are
    few of them."""

    def __init__(self, admin: GroupOffsets, clock: Callable[[], float] = time.monotonic) -> None:
        self._admin = admin
        self._clock = clock
        self._lock = threading.Lock()
        self._topics: Mapping[str, int] = {}
        self._topics_at = -1e9

    def topics(self) -> Mapping[str, int]:
        with self._lock:
            if self._clock() - self._topics_at > _TOPICS_AGE:
                self._topics, self._topics_at = self._admin.topics(), self._clock()
            return self._topics

    def watch(self, partitions: Iterable[Partition]) -> None: ...

    def unwatch(self, partitions: Iterable[Partition]) -> None: ...

    def ends(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        return self._admin.log_offsets(partitions, latest=True)

    def begins(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        return self._admin.log_offsets(partitions, latest=False)


@dataclass(frozen=True, slots=True)
class Cluster:
    partitions: TopicPartitions
    groups: GroupOffsets


class Clusters:
    """`connect` makes the access to a cluster that a connector names; nothing is asked of it yet. Thread-safe."""

    def __init__(self, own: Cluster, connect: Callable[[Mapping[str, str]], GroupOffsets]) -> None:
        self._own = own
        self._connect = connect
        self._others: dict[frozenset[tuple[str, str]], Cluster] = {}
        self._lock = threading.Lock()

    def of(self, properties: Mapping[str, str]) -> Cluster:
        """For a sink whose consumer has these properties."""
        if "bootstrap.servers" not in properties:
            return self._own
        key = frozenset(properties.items())
        with self._lock:
            if key not in self._others:
                groups = self._connect(properties)
                self._others[key] = Cluster(ForeignPartitions(groups), groups)
            return self._others[key]

    def close(self) -> None:
        for cluster in (self._own, *self._others.values()):
            cluster.groups.close()
