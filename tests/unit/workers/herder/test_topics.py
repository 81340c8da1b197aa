"""Which topics a connector is said to use (KIP-558)."""

import pytest

from tests.fakes import Herding
from workers.herder.errors import Forbidden
from workers.herder.states import TargetState
from workers.herder.topics import TRACKING, ActiveTopics, TopicTracking
from workers.herder.values import TaskId
from workers.storage.memory_log import MemoryLog, MemoryTopic
from workers.storage.status_store import StatusStore

A0, A1, B0 = TaskId("a", 0), TaskId("a", 1), TaskId("b", 0)


class Tracked:
    """Active topics on a status topic of their own; `existing` are the connectors that there are."""

    def __init__(self, tracking: TopicTracking = TRACKING) -> None:
        self.topic = MemoryTopic()
        self.statuses = StatusStore(MemoryLog(self.topic))
        self.statuses.start()
        self.existing = {"a", "b"}
        self.topics = ActiveTopics(self.statuses, lambda name: name in self.existing, tracking, clock=lambda: 1795.25)

    def written(self) -> list[tuple[str, bool]]:
        return [(record.key.decode(), record.value is not None) for record in self.topic.records]


def test_a_topic_is_written_once_whoever_uses_it() -> None:
    tracked = Tracked()
    for task, topics in [(A0, ["t"]), (A0, ["t"]), (A1, ["t", "u"]), (B0, ["t"]), (A0, [])]:
        tracked.topics.record(task, topics)
    assert tracked.written() == [
        ("status-topic-t:connector-a", True),
        ("status-topic-u:connector-a", True),
        ("status-topic-t:connector-b", True),
    ]
    assert tracked.topic.records[1].value == (b'{"topic":{"name":"u","connector":"a","task":1,"discoverTimestamp":1795250}}')
    assert tracked.statuses.topics("a") == {"t", "u"}
    assert tracked.statuses.snapshot().topics == {"a": {"t", "u"}, "b": {"t"}}


def test_what_was_forgotten_comes_back_with_the_next_record() -> None:
    tracked = Tracked()
    tracked.topics.record(A0, ["t", "u"])
    tracked.topics.record(B0, ["t"])
    tracked.topics.forget("a")
    assert tracked.statuses.snapshot().topics == {"b": {"t"}}
    tracked.topics.record(A0, ["u"])
    assert tracked.statuses.topics("a") == {"u"}


def test_what_another_worker_reset_comes_back_too() -> None:
    tracked = Tracked()
    other = StatusStore(MemoryLog(tracked.topic))
    other.start()
    tracked.topics.record(A0, ["t"])
    ActiveTopics(other, lambda _: True).forget("a")
    assert tracked.statuses.topics("a") == set()
    tracked.topics.record(A0, ["t"])
    assert other.topics("a") == {"t"}


def test_what_was_not_read_back_yet_is_forgotten_all_the_same() -> None:
    tracked = Tracked()
    # Its reader has gone: nothing that is written shows.
    tracked.statuses.stop()
    tracked.topics.record(A0, ["t"])
    tracked.topics.forget("a")
    assert tracked.written() == [("status-topic-t:connector-a", True), ("status-topic-t:connector-a", False)]


def test_a_task_of_a_deleted_connector_writes_nothing_any_more() -> None:
    tracked = Tracked()
    tracked.existing.remove("a")
    tracked.topics.record(A0, ["t"])
    assert tracked.written() == []


def test_where_topics_are_not_tracked_none_are_written() -> None:
    tracked = Tracked(TopicTracking(enabled=False))
    tracked.topics.record(A0, ["t"])
    assert tracked.written() == []


@pytest.mark.parametrize(
    ("enabled", "allow_reset", "check", "reset"),
    [
        (True, True, None, None),
        (True, False, None, "Topic tracking reset is disabled."),
        (False, True, "Topic tracking is disabled.", "Topic tracking is disabled."),
        (False, False, "Topic tracking is disabled.", "Topic tracking is disabled."),
    ],
)
def test_refusals(enabled: bool, allow_reset: bool, check: str | None, reset: str | None) -> None:
    tracking = TopicTracking(enabled=enabled, allow_reset=allow_reset)
    for call, message in ((tracking.check, check), (tracking.check_reset, reset)):
        if message is None:
            call()
            continue
        with pytest.raises(Forbidden) as raised:
            call()
        assert (raised.value.status, raised.value.message) == (403, message)


# --- in the herder ----------------------------------------------------------------------------------------------------


def create(herding: Herding) -> None:
    config = {"name": "a", "connector.class": "fake.Source"}
    herding.call(lambda: herding.herder.actions.create_connector("a", config, None))
    herding.settle()


def test_deleting_a_connector_deletes_its_topics(herding: Herding) -> None:
    create(herding)
    herding.topics.record(A0, ["t"])
    herding.call(lambda: herding.herder.actions.delete_connector("a"))
    herding.settle()
    herding.topics.record(A0, ["t"])
    assert herding.statuses.topics("a") == set()


def test_one_created_right_after_the_deletion_has_none(herding: Herding) -> None:
    create(herding)
    herding.topics.record(A0, ["t"])
    actions = herding.herder.actions

    def replace() -> None:
        """In one turn of the herder's thread, so that it meets the deletion when it is over."""
        actions.delete_connector("a")
        actions.create_connector("a", {"name": "a", "connector.class": "fake.Source"}, None)

    herding.call(replace)
    herding.settle()
    assert herding.statuses.topics("a") == set()


@pytest.mark.parametrize("state", [TargetState.PAUSED, TargetState.STOPPED])
def test_pausing_and_stopping_keep_them(herding: Herding, state: TargetState) -> None:
    create(herding)
    herding.topics.record(A0, ["t"])
    herding.call(lambda: herding.herder.actions.set_target_state("a", state))
    herding.settle()
    assert herding.statuses.topics("a") == {"t"}


def test_what_a_deletion_left_while_nobody_was_there_is_deleted_at_the_start() -> None:
    herding = Herding()
    before = StatusStore(MemoryLog(herding.status_topic))
    before.start()
    ActiveTopics(before, lambda _: True).record(B0, ["t"])
    with herding.started():
        herding.settle()
        assert herding.statuses.snapshot().topics == {}
