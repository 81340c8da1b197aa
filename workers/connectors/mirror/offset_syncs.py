"""Which offset syncs a mirror writes: where a partition of the source and its copy stood at the same moment. Pure.

Spark's Kafka sink does not tell the offsets of what it has written. But between two looks at the copy's end, at moments when
nothing is being written, it has grown by as many records as were read if nobody else writes to it and nothing is missing in the
source: then the offsets of all of them are known. Else only this is: what is read from now on comes behind the end. A sync that
says no more than that is written, one record early, so that a group that fails over may read a record twice but misses none.

In real time something is written all the time. Of a span in which nothing was read the end is known as above; of any other only
that what comes behind the span is behind the end that the copy had within it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from workers.connectors.mirror.records import OffsetSync
from workers.herder.values import Partition


@dataclass(slots=True)
class PartitionSyncs:
    """Of one partition: `upstream` and `downstream` are the next offsets, of the source and of its copy, at the newest look.

    `most` is `offset.lag.max`.
    """

    partition: Partition
    upstream: int
    downstream: int
    most: int
    synced: bool = False
    #: No sync may go back behind one that was written: whoever reads them would take the topic for a new one.
    told: int = -1
    _pending: OffsetSync | None = field(default=None, init=False)

    def lag(self, position: int) -> int:
        """How many of the source's offsets the newest sync is behind."""
        return position - self.upstream

    def is_due(self, position: int) -> bool:
        """At once: for the others it is enough to come now and then."""
        return self.lag(position) > 0 and (not self.synced or self.lag(position) >= self.most)

    def look(self, position: int, end: int) -> list[OffsetSync]:
        """What is to be written when the source has been read up to `position` and its copy ends at `end`."""
        if position == self.upstream:
            return []
        start, exact = self.upstream, position - self.upstream == end - self.downstream
        syncs = [self._sync(at, self.downstream + at - start) for at in self._offsets(start, position)] if exact else []
        if not exact and end > 0:
            syncs = [self._sync(position, end - 1)]
        self.upstream, self.downstream, self._pending = position, end, None
        return self._telling([sync for sync in syncs if sync.upstream >= self.told])

    def look_within(self, position: int, end: int) -> list[OffsetSync]:
        """What is to be written when the source has been read up to `position`, and its copy ended at `end` before that was
        reached: what is read from now on comes behind `end`. It is written a span later, and only if that is no span of rest:
        then `look` says it exactly, of the record before."""
        pending, self._pending = self._pending, self._sync(position, end - 1)
        # So that whoever stands between here and there is told something.
        first = [] if self.synced else [self._sync(self.upstream, self.downstream - 1)]
        return self._telling([*first, *([pending] if pending else [])])

    def _telling(self, syncs: list[OffsetSync]) -> list[OffsetSync]:
        if syncs:
            self.told, self.synced = syncs[-1].upstream, True
        return syncs

    def _offsets(self, start: int, position: int) -> Iterator[int]:
        """The first, unless it is known; then nearer and nearer to the last, and the last itself."""
        distances = [0]
        while (step := self.most << (len(distances) - 1)) < position - 1 - start and step > 0:
            distances.append(step)
        if not self.synced and position - 1 > start:
            yield start
        yield from (position - 1 - distance for distance in reversed(distances))

    def _sync(self, upstream: int, downstream: int) -> OffsetSync:
        return OffsetSync(self.partition, upstream, downstream)
