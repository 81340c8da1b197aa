"""The group on a real broker: who holds a lease while members come, go and die."""

import subprocess
import sys
import textwrap
import threading
import time
import uuid
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from confluent_kafka import Consumer

from tests.waiting import eventually
from workers.herder.membership import GroupView, Member, new_life
from workers.storage.internal_topics import TopicSpec, ensure_topic
from workers.storage.kafka import Kafka
from workers.storage.kafka_group import KafkaGroup

SESSION = 6.0
PARTITIONS = 8


@dataclass
class Joined:
    """A member and what it was told."""

    group: KafkaGroup
    views: list[GroupView] = field(default_factory=list)

    def join(self) -> None:
        self.group.join(self.hear)
        eventually(lambda: self.views and self.views[-1].joined and self.group.holds(), "A lease")

    def hear(self, view: GroupView) -> None:
        self.views.append(view)
        if not view.joined and len(self.views) > 1 and self.views[-2].joined:
            self.group.stopped()

    @property
    def members(self) -> set[str]:
        """As the leader sees them, once nobody comes or goes."""
        view = self.views[-1]
        return {member.worker_id for member in view.members} if view.settled else set()

    def close(self) -> None:
        self.group.leave()


@pytest.fixture
def cluster(kafka: str) -> Kafka:
    return Kafka(kafka, client_id="test-group")


@pytest.fixture
def group_id() -> str:
    return f"group-{uuid.uuid4().hex[:8]}"


@pytest.fixture
def made(cluster: Kafka, group_id: str) -> Iterator[Callable[[str], Joined]]:
    ensure_topic(cluster, TopicSpec(group_id, PARTITIONS, "DROVER_MEMBERSHIP_TOPIC", "who is a member"))
    members: list[Joined] = []

    def make(name: str) -> Joined:
        me = Member(name, new_life())
        group = KafkaGroup(cluster, group_id, group_id, PARTITIONS, me, session_timeout=SESSION, heartbeat=0.5)
        member = Joined(group)
        members.append(member)
        member.join()
        return member

    yield make
    for member in members:
        member.close()


@contextmanager
def watched(members: list[Joined]) -> Iterator[list[float]]:
    """The moments at which one of them had no lease."""
    without: list[float] = []
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.02):
            if not all(member.group.holds() for member in members):
                without.append(time.monotonic())

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield without
    finally:
        over.set()
        thread.join()


NEWCOMER = textwrap.dedent(
    """
    import sys, time
    from workers.herder.membership import Member
    from workers.storage.kafka import Kafka

    consumer = Kafka(sys.argv[1], client_id="newcomer").group_member(sys.argv[2], "newcomer@1", 6.0, 0.5, lambda *_: None)
    consumer.subscribe([sys.argv[2]])
    while True:
        consumer.poll(0.1)
    """
)


class Coordinator:
    """The group as the broker shows it."""

    def __init__(self, cluster: Kafka, group_id: str) -> None:
        self._admin = cluster.new_admin()
        self._group_id = group_id

    def look(self) -> tuple[str, set[str]]:
        """Its state, and the client ids of its members."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            (group,) = (group for group in self._admin.list_groups(self._group_id, timeout=5) if group.id == self._group_id)
        return str(group.state), {str(member.client_id) for member in group.members}

    def lists(self, client_id: str) -> bool:
        return client_id in self.look()[1]

    def await_end_of(self, client_id: str) -> float:
        """Returns when it is listed no more and nobody comes or goes. For how many seconds at a stretch somebody did."""
        longest, since = 0.0, None
        while True:
            (state, members), moment = self.look(), time.monotonic()
            if state != "Stable":
                since = since or moment
                longest = max(longest, moment - since)
            elif client_id in members:
                since = None
            else:
                return longest
            time.sleep(0.02)


def die_while_joining(cluster: Kafka, group_id: str, coordinator: Coordinator) -> float:
    """A newcomer that is killed as soon as the group lists it. For how many seconds the rebalance lasted that waited for it."""
    newcomer = subprocess.Popen([sys.executable, "-c", NEWCOMER, cluster.bootstrap_servers, group_id])
    try:
        eventually(lambda: coordinator.lists("newcomer@1"), "The newcomer is listed")
    finally:
        newcomer.kill()
        newcomer.wait()
    return coordinator.await_end_of("newcomer@1")


def test_members_of_another_kind_are_named_and_waited_for(
    cluster: Kafka, kafka: str, group_id: str, made: Callable[[str], Joined], caplog: pytest.LogCaptureFixture
) -> None:
    """A consumer of another assignor here; Kafka Connect's workers are told from ours by the same rule of Kafka's."""
    settings = {"bootstrap.servers": kafka, "group.id": group_id, "partition.assignment.strategy": "range"}
    stranger = Consumer(settings)
    stranger.subscribe([group_id])
    eventually(lambda: stranger.poll(0.1) is None and stranger.assignment(), what="A stranger is in the group")

    def leave() -> None:
        eventually(lambda: "workers of Kafka Connect perhaps" in caplog.text, "It is told")
        stranger.close()

    leaving = threading.Thread(target=leave)
    leaving.start()
    made("w")
    leaving.join()
    assert "Inconsistent group protocol" in caplog.text


def test_who_was_there_first_leads_and_sees_everybody(made: Callable[[str], Joined]) -> None:
    first, second = made("a"), made("b")
    eventually(lambda: first.members == {"a", "b"}, "The leader sees both")
    assert first.views[-1].leads
    assert not second.views[-1].leads
    second.close()
    eventually(lambda: first.members == {"a"}, "The leader sees that one has left")


def test_nobody_loses_its_lease_while_others_come_and_go(made: Callable[[str], Joined]) -> None:
    members = [made("a"), made("b")]
    with watched(members) as without:
        for name in "cde":
            newcomer = made(name)
            eventually(lambda name=name: members[0].members == {"a", "b", name}, f"{name} is there")  # type: ignore[misc]
            newcomer.close()
            eventually(lambda: members[0].members == {"a", "b"}, "And gone")
    assert without == []


def test_nobody_loses_its_lease_while_a_rebalance_waits_for_one_that_has_died(
    made: Callable[[str], Joined], cluster: Kafka, group_id: str
) -> None:
    """It waits for a whole session, in which nothing can be committed."""
    members, coordinator = [made("a"), made("b")], Coordinator(cluster, group_id)
    eventually(lambda: members[0].members == {"a", "b"}, "Both are there")
    with watched(members) as without:
        # It has to die between two rebalances: in one only it is counted as one that has answered.
        longest = max(die_while_joining(cluster, group_id, coordinator) for _ in range(3))
        assert longest > SESSION / 2, "no rebalance waited for it"
        eventually(lambda: members[0].members == {"a", "b"}, "Both go on")
    assert without == []
