"""What is written of where a partition and its copy stand, and that no group would miss a record by it."""

import random

import pytest

from workers.connectors.mirror.offset_syncs import PartitionSyncs
from workers.connectors.mirror.records import OffsetSync
from workers.connectors.mirror.sync_store import OffsetSyncStore
from workers.herder.values import Partition

ONE = Partition("t", 0)


def pairs(syncs: list[OffsetSync]) -> list[tuple[int, int]]:
    return [(sync.upstream, sync.downstream) for sync in syncs]


def test_the_first_look_tells_the_first_record_and_the_last_and_some_between() -> None:
    syncs = PartitionSyncs(ONE, 1000, 0, most=100)
    assert pairs(syncs.look(2000, 1000)) == [(1000, 0), (1199, 199), (1599, 599), (1799, 799), (1899, 899), (1999, 999)]


def test_a_later_one_tells_the_last_record() -> None:
    syncs = PartitionSyncs(ONE, 0, 5, most=100)
    assert pairs(syncs.look(1, 6)) == [(0, 5)]
    assert pairs(syncs.look(2, 7)) == [(1, 6)]
    assert syncs.look(2, 7) == []


@pytest.mark.parametrize("end", [9, 11, 5])
def test_when_not_all_of_it_is_known_it_is_one_record_early(end: int) -> None:
    """Something is missing in the source, or somebody else has written too, or the copy was made anew."""
    syncs = PartitionSyncs(ONE, 0, 0, most=100)
    assert pairs(syncs.look(10, end)) == [(10, end - 1)]
    assert pairs(syncs.look(11, end + 1)) == [(10, end)]


def test_nothing_is_said_of_a_copy_that_is_empty() -> None:
    assert PartitionSyncs(ONE, 0, 0, most=100).look(10, 0) == []


@pytest.mark.parametrize(
    ("position", "synced", "due"), [(0, False, False), (1, False, True), (1, True, False), (100, True, True)]
)
def test_it_is_due_for_the_first_record_and_after_as_many_as_are_allowed(position: int, synced: bool, due: bool) -> None:
    assert PartitionSyncs(ONE, 0, 0, most=100, synced=synced).is_due(position) is due


@pytest.mark.parametrize("seed", range(20))
def test_a_group_that_fails_over_misses_no_record(seed: int) -> None:
    """The source has gaps, as transactions and compaction leave them, or others write to the copy, at any time."""
    chance = random.Random(seed)
    gaps, foreign = chance.choice([(0.0, 0.0), (0.3, 0.0), (0.0, 0.3)])
    copies: dict[int, int] = {}
    upstream = downstream = chance.randint(0, 50)
    syncs, store = PartitionSyncs(ONE, upstream, downstream, most=4), OffsetSyncStore(keep_older=True)
    store.read_to_end()
    first = upstream
    for _ in range(30):
        for _ in range(chance.randint(1, 40)):
            if chance.random() >= gaps:
                copies[upstream] = downstream
                downstream += 1
            upstream += 1
            downstream += chance.random() < foreign
        for sync in syncs.look(upstream, downstream):
            store.add(sync)
        for group in range(first, upstream + 1):
            translated = store.translate(ONE, group)
            missed = [copy for record, copy in copies.items() if record >= group and translated and copy < translated]
            assert missed == [], f"group at {group} would begin at {translated}"
        at_end = store.translate(ONE, upstream)
        assert at_end is not None
        assert at_end >= downstream - (gaps > 0 or foreign > 0), "one that has read all reads one record again at most"


# --- in real time -----------------------------------------------------------------------------------------------------


def test_while_records_come_it_is_told_a_span_later_and_one_record_early() -> None:
    syncs = PartitionSyncs(ONE, 0, 5, most=100)
    assert pairs(syncs.look_within(10, 12)) == [(0, 4)], "before there is more, what comes is behind what was there"
    assert pairs(syncs.look_within(20, 23)) == [(10, 11)]
    assert pairs(syncs.look_within(30, 31)) == [(20, 22)]


def test_the_first_rest_tells_all_that_was_not_told_exactly() -> None:
    syncs = PartitionSyncs(ONE, 0, 5, most=100)
    syncs.look_within(1000, 805)
    syncs.look_within(1100, 1055)
    assert pairs(syncs.look(1100, 1105)) == [(1099, 1104)]
    assert syncs.lag(1100) == 0
    assert pairs(syncs.look_within(1110, 1107)) == []
    assert pairs(syncs.look(1110, 1115)) == [(1109, 1114)]


@pytest.mark.parametrize("seed", range(20))
def test_in_real_time_a_group_that_fails_over_misses_no_record(seed: int) -> None:
    """As above, with the copy's end looked at anywhere within a span. No sync goes back: all before would be forgotten."""
    chance = random.Random(seed)
    gaps, foreign = chance.choice([(0.0, 0.0), (0.3, 0.0), (0.0, 0.3)])
    copies: dict[int, int] = {}
    upstream = downstream = chance.randint(0, 50)
    first = told = upstream
    syncs, store = PartitionSyncs(ONE, upstream, downstream, most=4), OffsetSyncStore(keep_older=True)
    store.read_to_end()
    for _ in range(60):
        span = chance.choice([0, 0, 1, chance.randint(1, 40)])
        looked_after, before = chance.randint(0, span), upstream
        end = downstream
        for number in range(span):
            if chance.random() >= gaps:
                copies[upstream] = downstream
                downstream += 1
            upstream += 1
            downstream += chance.random() < foreign
            if number < looked_after:
                end = downstream
        if syncs.lag(upstream) == 0:
            # Nobody looks.
            continue
        for sync in syncs.look(upstream, end) if upstream == before else syncs.look_within(upstream, end):
            assert sync.upstream >= told
            told = sync.upstream
            store.add(sync)
        for group in range(first, upstream + 1):
            translated = store.translate(ONE, group)
            missed = [copy for record, copy in copies.items() if record >= group and translated and copy < translated]
            assert missed == [], f"group at {group} would begin at {translated}"
        if upstream == before:
            at_end = store.translate(ONE, upstream)
            assert at_end is not None
            assert at_end >= downstream - (gaps > 0 or foreign > 0), "after a rest it is known as if nothing had been written"
