"""Which looks at a copy's end count while records are on their way in real time."""

from collections.abc import Iterable
from itertools import pairwise

import pytest

from workers.connectors.mirror import sync_writer
from workers.connectors.mirror.records import OffsetSync
from workers.connectors.mirror.sync_writer import OffsetSyncWriter
from workers.herder.values import Partition

ONE, COPY = Partition("t", 0), Partition("a.t", 0)
CONFIG = {"name": "m", "source.cluster.alias": "a", "target.cluster.alias": "b"}


class BothClusters:
    """Both clusters: where the copy ends, and the syncs that were written since somebody looked."""

    end = 0

    def __init__(self) -> None:
        self.sent: list[tuple[int, int]] = []
        self.now = 0.0

    def ends(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        return {partition: self.end for partition in partitions if partition == COPY}

    def send(self, topic: str, records: Iterable[tuple[bytes, bytes]]) -> None:
        found = [OffsetSync.read(key, value) for key, value in records]
        self.sent += [(sync.upstream, sync.downstream) for sync in found]

    def close(self) -> None: ...

    def clock(self) -> float:
        """A second passes."""
        self.now += 1
        return self.now

    def written(self) -> list[tuple[int, int]]:
        found, self.sent = self.sent, []
        return found


@pytest.fixture
def clusters(monkeypatch: pytest.MonkeyPatch) -> BothClusters:
    made = BothClusters()
    monkeypatch.setattr(sync_writer, "Cluster", lambda config, side: made)
    return made


@pytest.fixture
def writer(clusters: BothClusters) -> OffsetSyncWriter:
    """Of a partition that has been read up to 10, where its copy was empty."""
    made = OffsetSyncWriter(CONFIG, lambda topic: f"a.{topic}", clusters.clock)
    made.at_rest({ONE: 10})
    return made


def spans(writer: OffsetSyncWriter, clusters: BothClusters, *positions: int, looks: int = 2) -> list[list[tuple[int, int]]]:
    """What is written after each; half of its records are there when the copy is looked at, the others when it ends."""
    found = []
    for before, after in pairwise(positions):
        clusters.end += (after - before) // 2
        for _ in range(looks):
            writer.under_way({ONE: before})
        clusters.end += after - before - (after - before) // 2
        writer.passed({ONE: before}, {ONE: after})
        found.append(clusters.written())
    return found


def test_nobody_looks_while_there_is_nothing_new(writer: OffsetSyncWriter, clusters: BothClusters) -> None:
    assert spans(writer, clusters, 10, 10, 10) == [[], []]


def test_records_that_come_and_a_rest(writer: OffsetSyncWriter, clusters: BothClusters) -> None:
    assert spans(writer, clusters, 10, 20, 30, 40, 40, 40) == [[], [(10, -1)], [(30, 14)], [(39, 29)], []]


def test_a_look_that_may_have_come_after_its_span_does_not_count(writer: OffsetSyncWriter, clusters: BothClusters) -> None:
    assert spans(writer, clusters, 10, 20, 30, 40, 40, looks=1) == [[], [], [], []]


def test_what_is_still_to_be_told_is_told_at_the_end(writer: OffsetSyncWriter, clusters: BothClusters) -> None:
    spans(writer, clusters, 10, 20)
    writer.close({ONE: 20})
    assert clusters.written() == [(10, 0), (19, 9)]
