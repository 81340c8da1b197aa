"""The ends of a source's partitions, asked once for all."""

from collections.abc import Callable, Iterable, Mapping

import pytest

from workers.connectors.base import RetriableError
from workers.connectors.mirror.shared_ends import SharedEnds
from workers.herder.values import Partition

A, B = Partition("a", 0), Partition("b", 0)


class Source:
    """A cluster that times out where one is asked for that is not there, as Kafka's client does."""

    def __init__(self) -> None:
        self.there = {A: 5, B: 7}
        self.asked: list[list[Partition]] = []
        self.closed = False

    def ends(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        wanted = list(partitions)
        self.asked.append(wanted)
        if not self.there.keys() >= set(wanted):
            raise TimeoutError
        return {partition: self.there[partition] for partition in wanted}

    def begins(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        return dict.fromkeys(partitions, 0)

    def topics(self, wanted: Callable[[str], bool]) -> Mapping[str, int]:
        return {partition.topic: 1 for partition in self.there if wanted(partition.topic)}

    def close(self) -> None:
        self.closed = True


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def source() -> Source:
    return Source()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ends(source: Source, clock: Clock) -> SharedEnds:
    return SharedEnds(source, clock)


def test_one_question_serves_all_for_a_moment(ends: SharedEnds, source: Source, clock: Clock) -> None:
    ends.watch([A])
    ends.watch([B])
    assert (ends.ends([A]), ends.ends([B])) == ({A: 5}, {B: 7})
    assert source.asked == [[A, B]]
    source.there[A] = 6
    assert ends.ends([A]) == {A: 5}
    clock.now += 1
    assert ends.ends([A]) == {A: 6}


def test_a_deleted_topic_is_nobody_elses_trouble(ends: SharedEnds, source: Source, clock: Clock) -> None:
    ends.watch([A, B])
    del source.there[B]
    assert ends.ends([A, B]) == {A: 5}
    clock.now += 1
    assert ends.ends([A, B]) == {A: 5}
    assert source.asked == [[A, B], [A], [A]], "it is not asked for again at once"
    source.there[B] = 0
    clock.now += 10
    assert ends.ends([A, B]) == {A: 5, B: 0}


def test_a_cluster_that_does_not_answer_is_told(ends: SharedEnds, source: Source, clock: Clock) -> None:
    ends.watch([A])

    def fail(partitions: Iterable[Partition]) -> dict[Partition, int]:
        raise TimeoutError

    source.ends = fail  # type: ignore[method-assign]
    with pytest.raises(TimeoutError):
        ends.ends([A])
    # Who asks next need not wait for it again.
    with pytest.raises(RetriableError, match="did not answer a moment ago"):
        ends.ends([A])
    clock.now += 3
    with pytest.raises(TimeoutError):
        ends.ends([A])


def test_who_leaves_last_is_told(ends: SharedEnds) -> None:
    ends.watch([A])
    ends.watch([A, B])
    assert not ends.unwatch([A])
    assert ends.unwatch([A, B])
