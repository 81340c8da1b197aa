"""Which Kafka cluster a sink reads from, and what is asked of one that is not the worker's own."""

from collections.abc import Iterable, Mapping
from typing import Any, cast

from workers.herder.values import Partition
from workers.runtime.clusters import Cluster, Clusters, ForeignPartitions


class Admin:
    """Takes the place of `GroupOffsets`."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.closed = False

    def topics(self) -> dict[str, int]:
        self.asked.append("topics")
        return {"t": 2}

    def log_offsets(self, partitions: Iterable[Partition], *, latest: bool) -> dict[Partition, int]:
        return dict.fromkeys(partitions, 9 if latest else 1)

    def close(self) -> None:
        self.closed = True


def test_clusters_by_their_properties() -> None:
    own, made = Cluster(cast(Any, None), cast(Any, Admin())), list[Admin]()

    def connect(properties: Mapping[str, str]) -> Any:
        made.append(Admin())
        return made[-1]

    clusters = Clusters(own, connect)
    elsewhere = {"bootstrap.servers": "x:1"}
    assert clusters.of({}) is clusters.of({"max.poll.records": "5"}) is own
    assert clusters.of(elsewhere) is clusters.of(dict(elsewhere)) is not own
    assert clusters.of({**elsewhere, "sasl.mechanism": "PLAIN"}) is not clusters.of(elsewhere)
    assert len(made) == 2
    clusters.close()
    assert all(admin.closed for admin in [*made, cast(Any, own.groups)])


def test_topics_are_asked_for_now_and_then() -> None:
    admin, now = Admin(), [0.0]
    partitions = ForeignPartitions(cast(Any, admin), lambda: now[0])
    for _ in range(2):
        assert partitions.topics() == {"t": 2}
    assert admin.asked == ["topics"]
    now[0] = 3.0
    partitions.topics()
    assert admin.asked == ["topics"] * 2


def test_ends_and_begins() -> None:
    partitions, wanted = ForeignPartitions(cast(Any, Admin())), [Partition("t", 0)]
    partitions.watch(wanted)
    assert (partitions.ends(wanted), partitions.begins(wanted)) == ({wanted[0]: 9}, {wanted[0]: 1})
    partitions.unwatch(wanted)
