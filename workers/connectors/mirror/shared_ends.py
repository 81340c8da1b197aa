"""Where the partitions of a source cluster end, asked for all mirrors that read from it together."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from workers.connectors.base import RetriableError
from workers.connectors.mirror.client_settings import client_settings
from workers.connectors.mirror.cluster import Cluster
from workers.herder.values import Config, Partition

logger = logging.getLogger(__name__)

_AGE = 0.15
#: How long a topic is not asked for that was not there.
_MISSING_AGE = 5.0
#: How long nobody waits for a cluster again that did not answer.
_SILENT_AGE = 2.0
_TIMEOUT_MS = 3_000


class _Ends(Protocol):
    def ends(self, partitions: Iterable[Partition]) -> dict[Partition, int]: ...
    def begins(self, partitions: Iterable[Partition]) -> dict[Partition, int]: ...
    def topics(self, wanted: Callable[[str], bool]) -> Mapping[str, int]: ...
    def close(self) -> None: ...


class SharedEnds:
    """Thread-safe. `watch` and `unwatch` what is then asked for by `ends`."""

    def __init__(self, cluster: _Ends, clock: Callable[[], float] = time.monotonic) -> None:
        self._cluster = cluster
        self._clock = clock
        self._lock = threading.Lock()
        self._watched: dict[Partition, int] = {}
        self._ends: dict[Partition, int] = {}
        self._ends_at = -1e9
        self._missing: set[Partition] = set()
        self._missing_at = -1e9
        self._silent_at = -1e9

    def watch(self, partitions: Iterable[Partition]) -> None:
        with self._lock:
            for partition in partitions:
                self._watched[partition] = self._watched.get(partition, 0) + 1
            self._ends_at = -1e9

    def unwatch(self, partitions: Iterable[Partition]) -> bool:
        """Whether nobody watches anything any more."""
        with self._lock:
            for partition in partitions:
                self._watched[partition] -= 1
                if not self._watched[partition]:
                    del self._watched[partition]
            return not self._watched

    def ends(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        """Of those that exist, as of a moment ago. Raises what the cluster raises, or RetriableError for those that ask while
        another has just waited in vain."""
        with self._lock:
            if self._clock() - self._silent_at < _SILENT_AGE:
                raise RetriableError("The source cluster did not answer a moment ago")
            if self._clock() - self._ends_at > _AGE:
                try:
                    self._ends = self._ask()
                except BaseException:
                    self._silent_at = self._clock()
                    raise
                self._ends_at = self._clock()
            return {partition: self._ends[partition] for partition in partitions if partition in self._ends}

    def _ask(self) -> dict[Partition, int]:
        if self._clock() - self._missing_at > _MISSING_AGE:
            self._missing = set()
        wanted = [partition for partition in self._watched if partition not in self._missing]
        try:
            return self._cluster.ends(wanted) if wanted else {}
        except Exception:
            # One whose topic was deleted would keep all others from being known.
            missing = self._not_there(wanted)
            if not missing:
                raise
            logger.warning("Not in the source cluster any more: %s", ", ".join(f"{p.topic}-{p.number}" for p in sorted(missing)))
            self._missing |= missing
            self._missing_at = self._clock()
            return self._cluster.ends([partition for partition in wanted if partition not in missing])

    def _not_there(self, wanted: Iterable[Partition]) -> set[Partition]:
        names = {partition.topic for partition in wanted}
        topics = self._cluster.topics(names.__contains__)
        return {partition for partition in wanted if partition.number >= topics.get(partition.topic, 0)}

    def begins(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        return self._cluster.begins(partitions)

    def close(self) -> None:
        self._cluster.close()


_shared: dict[frozenset[tuple[str, str]], SharedEnds] = {}
_lock = threading.Lock()


def join(config: Config, partitions: Iterable[Partition]) -> SharedEnds:
    """Those of the cluster that a connector's config names as its source, with these partitions watched. `leave` is to follow."""
    with _lock:
        key = _key(config)
        if key not in _shared:
            _shared[key] = SharedEnds(Cluster(config, "source", timeout=_TIMEOUT_MS))
        _shared[key].watch(partitions)
        return _shared[key]


def leave(config: Config, partitions: Iterable[Partition]) -> None:
    with _lock:
        shared = _shared.get(_key(config))
        if shared is not None and shared.unwatch(partitions):
            del _shared[_key(config)]
            shared.close()


def _key(config: Config) -> frozenset[tuple[str, str]]:
    return frozenset(client_settings(config, "source", "consumer").items())
