"""Who asks for which topics to be made, and how often."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from workers.connectors import topic_creation
from workers.connectors.base import ConnectError
from workers.connectors.topic_creation import TopicCreation
from workers.runtime.new_topics import NewTopics, ensure

ONE, TWO = (
    topic_creation.of({"topic.creation.default.replication.factor": "1", "topic.creation.default.partitions": count})
    for count in ("1", "2")
)


@dataclass
class Cluster:
    asked: list[Mapping[str, TopicCreation]] = field(default_factory=list)
    refuses: bool = False

    def make_topics(self, wanted: Mapping[str, TopicCreation]) -> None:
        self.asked.append(wanted)
        if self.refuses:
            raise ConnectError("no")


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


def test_all_tasks_of_a_job_ask_once(cluster: Cluster) -> None:
    a, b = NewTopics(ONE, lambda: cluster), NewTopics(TWO, lambda: cluster)
    ensure([(a, ["x", "y"]), (b, ["z"])])
    assert cluster.asked == [{"x": ONE, "y": ONE, "z": TWO}]


def test_a_task_asks_for_a_topic_once(cluster: Cluster) -> None:
    task = NewTopics(ONE, lambda: cluster)
    for topics in (["x"], ["x"], ["y", "x"], []):
        ensure([(task, topics)])
    assert cluster.asked == [{"x": ONE}, {"y": ONE}]


def test_another_life_asks_again(cluster: Cluster) -> None:
    for _ in range(2):
        ensure([(NewTopics(ONE, lambda: cluster), ["x"])])
    assert cluster.asked == [{"x": ONE}] * 2


def test_what_was_refused_is_asked_for_again(cluster: Cluster) -> None:
    task, cluster.refuses = NewTopics(ONE, lambda: cluster), True
    with pytest.raises(ConnectError):
        ensure([(task, ["x"])])
    cluster.refuses = False
    ensure([(task, ["x"])])
    assert cluster.asked == [{"x": ONE}] * 2


def test_nobody_asks_for_nothing() -> None:
    ensure([])
