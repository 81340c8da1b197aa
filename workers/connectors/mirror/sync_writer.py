"""Writes the offset syncs of a task: looks at the ends of the copies, and tells what follows from them."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from workers.connectors.mirror.client_settings import Side
from workers.connectors.mirror.cluster import Cluster
from workers.connectors.mirror.config_defs import SOURCE
from workers.connectors.mirror.offset_syncs import PartitionSyncs
from workers.connectors.mirror.records import OffsetSync
from workers.connectors.mirror.settings import number, offset_syncs_topic
from workers.herder.values import Config, Partition

if TYPE_CHECKING:
    from collections.abc import Iterator

logger = logging.getLogger(__name__)

# What is not due at once is written down this often. MirrorMaker does it when it commits offsets, once a minute.
_SYNC_SECONDS = 10.0
# How often the ends are looked at while records are on their way in real time.
_LOOK_SECONDS = 1.0

Positions = Mapping[Partition, int]


class OffsetSyncWriter:
    """What fails is told, and no record waits for it: the next sync says more. `remote` gives the target's topic.

    `positions` is how far the source has been read, with all before written. `at_rest` and `close` are for moments when nothing
    is being written; `under_way` and `passed` for all others.
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
        #: Where copies ended within the span that is under way; and where they did a moment ago, if no span has ended since.
        self._within: Positions = {}
        self._newest: Positions = {}

    # --- at rest ----------------------------------------------------------------------------------------------------------

    def at_rest(self, positions: Positions) -> None:
        if self._clock() < self._not_before:
            return
        new = [partition for partition in positions if partition not in self._syncs]
        due = [p for p, syncs in self._syncs.items() if p in positions and syncs.is_due(positions[p])]
        if self._clock() - self._looked_at >= _SYNC_SECONDS:
            due = self._behind(positions)
            self._looked_at = self._clock()
        if new or due:
            self._look(positions, new, due)

    def _look(self, positions: Positions, new: Iterable[Partition], due: Iterable[Partition]) -> None:
        with self._no_matter():
            ends = self._ends([*new, *due])
            for partition in new:
                if partition in ends:
                    self._syncs[partition] = PartitionSyncs(partition, positions[partition], ends[partition], self._most)
            self._send(sync for p in due if p in ends for sync in self._syncs[p].look(positions[p], ends[p]))

    def _behind(self, positions: Positions) -> list[Partition]:
        return [p for p, syncs in self._syncs.items() if p in positions and syncs.lag(positions[p]) > 0]

    def forget(self, partition: Partition) -> None:
        self._syncs.pop(partition, None)

    def close(self, positions: Positions) -> None:
        if due := self._behind(positions):
            self._look(positions, [], due)
        for cluster in self._clusters.values():
            cluster.close()

    # --- in real time -----------------------------------------------------------------------------------------------------

    def under_way(self, positions: Positions) -> None:
        """No span has ended since the call before, of this or of `passed`."""
        if self._newest:
            # So they are older than what the span will have read when it ends.
            self._within, self._newest = self._newest, {}
        if self._clock() - self._looked_at < _LOOK_SECONDS or self._clock() < self._not_before:
            return
        self._looked_at = self._clock()
        if behind := self._behind(positions):
            with self._no_matter():
                self._newest = self._ends(behind)

    def passed(self, before: Positions, positions: Positions) -> None:
        """A span has ended that went on from `before`."""
        ends, self._within, self._newest = self._within, {}, {}
        found: list[OffsetSync] = []
        for partition, end in ends.items():
            syncs, position = self._syncs[partition], positions[partition]
            rested = position == before[partition]
            found += syncs.look(position, end) if rested else syncs.look_within(position, end)
        with self._no_matter():
            self._send(found)

    # --- clusters ---------------------------------------------------------------------------------------------------------

    def _ends(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        """Of the copies that exist."""
        copies = {partition: Partition(self._remote(partition.topic), partition.number) for partition in partitions}
        ends = self._target.ends(copies.values())
        return {partition: ends[copy] for partition, copy in copies.items() if copy in ends}

    def _send(self, syncs: Iterable[OffsetSync]) -> None:
        if records := [(sync.key(), sync.value()) for sync in syncs]:
            self._writer.send(self._topic, records)

    @contextmanager
    def _no_matter(self) -> Iterator[None]:
        from py4j.protocol import Py4JJavaError

        try:
            yield
        except Py4JJavaError as error:
            self._not_before = self._clock() + _SYNC_SECONDS
            logger.warning("Offset syncs could not be written: %s", error.java_exception)
