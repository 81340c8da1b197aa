"""Translation of offsets. (tests/integration/test_mirror_formats.py asks MirrorMaker itself.)"""

from workers.connectors.mirror.records import OffsetSync
from workers.connectors.mirror.sync_store import OffsetSyncStore
from workers.herder.values import Partition

ONE = Partition("t", 0)


def store(*syncs: tuple[int, int], keep_older: bool = False) -> OffsetSyncStore:
    made = OffsetSyncStore(keep_older=keep_older)
    for upstream, downstream in syncs:
        made.add(OffsetSync(ONE, upstream, downstream))
    return made


def test_nothing_is_translated_before_all_has_been_read() -> None:
    made = store((10, 5))
    assert made.translate(ONE, 10) is None
    made.read_to_end()
    assert made.translate(ONE, 10) == 5


def test_what_is_behind_a_sync_comes_behind_it() -> None:
    made = store((10, 5))
    made.read_to_end()
    assert [made.translate(ONE, at) for at in (9, 10, 11, 1000)] == [-1, 5, 6, 6]


def test_older_syncs_of_before_the_start_count_only_for_who_knows_what_was_translated() -> None:
    for keep_older, found in ((False, -1), (True, 6)):
        made = store((10, 5), (200, 195), keep_older=keep_older)
        made.read_to_end()
        assert made.translate(ONE, 100) == found


def test_a_source_that_begins_anew_is_all_that_counts() -> None:
    made = store((100, 100))
    made.read_to_end()
    made.add(OffsetSync(ONE, 3, 120))
    assert [made.translate(ONE, at) for at in (2, 3, 100)] == [-1, 120, 121]
