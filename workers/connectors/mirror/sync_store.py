"""Offsets of the source translated into offsets of the target, by the offset syncs that were read. Pure.

A partition's syncs are kept so that the distance between them grows with their age, as in MirrorMaker 2: a group is translated
the more exactly the nearer it is to the end. These hold, of the 64 places of a partition (A is the newest):

* B: of places i < j with different syncs, `i.upstream <= j.upstream + 2^j - 2^i`;
* C: and `i.upstream >= j.upstream + 2^max(i - 2, 0)`.
"""

from workers.connectors.mirror.records import OffsetSync
from workers.herder.values import Partition

_PLACES = 64
_LONG = 2**63 - 1


class OffsetSyncStore:
    """`keep_older` is for who knows what was translated before: without, only the newest sync that there was at the start is
    used, so that no group is ever sent back."""

    def __init__(self, *, keep_older: bool) -> None:
        self._keep_older = keep_older
        self._read_to_end = False
        self._syncs: dict[Partition, list[OffsetSync]] = {}

    def read_to_end(self) -> None:
        """All that there was at the start has been added."""
        self._read_to_end = True

    def add(self, sync: OffsetSync) -> None:
        known = self._syncs.get(sync.partition)
        begins = known is None or (not self._read_to_end and not self._keep_older) or known[0].upstream > sync.upstream
        self._syncs[sync.partition] = [sync] * _PLACES if known is None or begins else _updated(known, sync)

    def translate(self, partition: Partition, upstream: int) -> int | None:
        """The first offset of the target's partition that a group may have to read which stands at `upstream`; -1 if that is too
        long ago to tell, None if nothing is known of the partition."""
        if not self._read_to_end or partition not in self._syncs:
            return None
        syncs = self._syncs[partition]
        sync = next((sync for sync in syncs if sync.upstream <= upstream), None)
        if sync is None:
            return -1
        # What follows the synced record comes behind it; how far is not known.
        return sync.downstream + (upstream > sync.upstream)


def _updated(original: list[OffsetSync], sync: OffsetSync) -> list[OffsetSync]:
    syncs = [sync, *original[1:]]
    replacement, candidate = sync, 0
    for current in range(1, _PLACES):
        previous = current - 1
        while True:
            old = original[candidate]
            apart = _apart(syncs[previous], old, previous)
            promoted = (
                _near(syncs[previous], old, previous, current)
                and apart
                and (current + 1 >= _PLACES or _apart(old, syncs[current + 1], current))
            )
            if promoted:
                replacement = old
            repeated = candidate + 1 < _PLACES and old is original[candidate + 1]
            skipped = repeated or not apart
            candidate += promoted or skipped
            if candidate >= current or not skipped:
                break
        if _near(syncs[previous], syncs[current], previous, current):
            # All behind it hold, too.
            break
        syncs[current] = replacement
    return syncs


def _near(one: OffsetSync, other: OffsetSync, i: int, j: int) -> bool:
    bound = other.upstream + 2**j - 2**i
    return one is other or bound > _LONG or one.upstream <= bound


def _apart(one: OffsetSync, other: OffsetSync, i: int) -> bool:
    bound = other.upstream + 2 ** max(i - 2, 0)
    return one is other or (bound <= _LONG and one.upstream >= bound)
