"""Whose word about an instance counts: of which assignment, and of before or after a restart that was promised."""

import orjson
import pytest

from workers.herder.states import State
from workers.herder.values import InstanceId, Status, TaskId
from workers.storage import records
from workers.storage.memory_log import MemoryLog, MemoryTopic
from workers.storage.records import FOREIGN, KeyValue
from workers.storage.status_store import StatusStore, may_write, outdated

RUNNING, FAILED, UNASSIGNED, RESTARTING = State.RUNNING, State.FAILED, State.UNASSIGNED, State.RESTARTING
T0 = TaskId("a", 0)


def said(state: State, worker: str = "w1", generation: int = 5, acted_on: int | None = None) -> Status:
    return Status(state, worker, generation, acted_on=acted_on)


PROMISED = said(RESTARTING, acted_on=10)


@pytest.mark.parametrize(
    ("seen", "incoming", "expected"),
    [
        # Of which assignment: a newer one's word counts, an older one's of somebody else does not, whatever it says.
        (said(RUNNING, "w1", 5), said(RUNNING, "w2", 6), False),
        (said(RUNNING, "w1", 5), said(RUNNING, "w2", 5), False),
        (said(RUNNING, "w1", 5), said(RUNNING, "w2", 4), True),
        (said(FAILED, "w1", 5), said(RUNNING, "w2", 4), True),
        (said(UNASSIGNED, "w1", 5), said(RUNNING, "w2", 4), True),
        (said(RESTARTING, "w1", 5), said(RUNNING, "w2", 4), True),
        (said(RUNNING, "w1", 5), said(RESTARTING, "w2", 4), True),
        # Also of the same worker: what a former life of it still says.
        (said(RUNNING, "w1", 5), said(FAILED, "w1", 4), True),
        (said(RUNNING, "w1", 5), said(FAILED, "w1", 5), False),
        # Whoever leaves cannot unassign what runs elsewhere by now; who runs it may say that it does no longer.
        (None, said(UNASSIGNED), False),
        (said(RUNNING, "w1", 5), said(UNASSIGNED, "w2", 4), True),
        (said(RUNNING, "w1", 5), said(UNASSIGNED, "w2", 5), True),
        (said(RUNNING, "w1", 5), said(UNASSIGNED, "w2", 6), False),
        (said(RUNNING, "w1", 5), said(UNASSIGNED, "w1", 5), False),
        (said(FAILED, "w1", 5), said(UNASSIGNED, "w2", 4), True),
        (said(FAILED, "w1", 5), said(UNASSIGNED, "w2", 5), False),
        (said(RUNNING, "w1", 5), said(FAILED, "w2", 4), True),
        (said(RUNNING, "w1", 5), said(FAILED, "w2", 5), False),
        # Of before or after a promise.
        (PROMISED, said(RUNNING, acted_on=9), True),
        (PROMISED, said(FAILED, acted_on=9), True),
        (PROMISED, said(UNASSIGNED, acted_on=9), True),
        (PROMISED, said(RUNNING, acted_on=10), False),
        (PROMISED, said(FAILED, acted_on=11), False),
        (PROMISED, said(RUNNING, "w2", 6, acted_on=9), True),
        (PROMISED, said(RUNNING, "w2", 6, acted_on=10), False),
        (PROMISED, said(RESTARTING, acted_on=14), False),
        # A promise of its own kind is never of the past: it is the newest there is.
        (said(RUNNING, acted_on=20), said(RESTARTING, acted_on=10), False),
        # Who says nothing of it is not of ours: Kafka Connect, or a Drover of before.
        (PROMISED, said(RUNNING), False),
        (said(RESTARTING), said(RUNNING, acted_on=1), False),
        # The leader speaks for one that is gone.
        (said(RUNNING, "w1", 5, acted_on=7), said(UNASSIGNED, "w1", 6), False),
    ],
)
def test_what_is_of_the_past(seen: Status | None, incoming: Status, expected: bool) -> None:
    assert outdated(seen, incoming) is expected


@pytest.mark.parametrize(
    ("seen", "incoming", "expected"),
    [
        (None, said(RUNNING, "w2", 0), True),
        (said(RUNNING, "w1", 5), said(FAILED, "w1", 4), True),
        (said(RUNNING, "w1", 5), said(FAILED, "w2", 5), True),
        (said(RUNNING, "w1", 5), said(RUNNING, "w2", 6), True),
        (said(RUNNING, "w1", 5), said(FAILED, "w2", 4), False),
    ],
)
def test_who_may_write(seen: Status | None, incoming: Status, expected: bool) -> None:
    assert may_write(seen, incoming) is expected


class Reader:
    """A store, and what it told of."""

    def __init__(self) -> None:
        self.topic = MemoryTopic()
        self.told: list[tuple[InstanceId, Status | None]] = []
        self.disowned: list[InstanceId] = []
        self.store = StatusStore(MemoryLog(self.topic))
        self.store.start(lambda instance, status: self.told.append((instance, status)), self.disowned.append)

    def read(self, *statuses: Status | None, instance: InstanceId = T0) -> Status | None:
        self.topic.append([records.status_record(instance, status) for status in statuses])
        return self.store.get(instance)


@pytest.fixture
def reader() -> Reader:
    return Reader()


@pytest.mark.parametrize("instance", ["a", T0])
def test_what_is_of_the_past_changes_nothing_and_is_told_to_nobody(reader: Reader, instance: InstanceId) -> None:
    reader.read(said(RUNNING, "w1", 5), instance=instance)
    version, told = reader.store.snapshot().version, len(reader.told)
    assert reader.read(said(FAILED, "w2", 4), instance=instance) == said(RUNNING, "w1", 5)
    assert (reader.store.snapshot().version, len(reader.told)) == (version, told)


def test_between_a_promise_and_its_keeping_nothing_else_is_shown(reader: Reader) -> None:
    states = [reader.read(status) for status in (said(RUNNING, acted_on=3), PROMISED, said(RUNNING, acted_on=9))]
    assert [status and status.state for status in states] == [RUNNING, RESTARTING, RESTARTING]
    kept = reader.read(said(RUNNING, acted_on=12))
    assert kept is not None
    assert (kept.state, kept.acted_on) == (RUNNING, 12)


def test_how_far_somebody_has_acted_stands_in_the_record(reader: Reader) -> None:
    reader.read(said(RUNNING, acted_on=12), said(RUNNING))
    with_it, without = reader.topic.records
    assert dict(with_it.headers) == {"drover-epoch": b"5", "drover-acted-on": b"12"}
    assert dict(without.headers) == {"drover-epoch": b"5"}
    assert with_it.value == without.value, "Kafka Connect sees no difference"


@pytest.mark.parametrize("header", [b"", b"x", b"-1", b"1.5"])
def test_a_header_that_cannot_be_read_is_as_none(reader: Reader, header: bytes) -> None:
    record = records.status_record(T0, said(RUNNING))
    names = ("drover-acted-on", "drover-epoch", "other")
    reader.topic.append([KeyValue(record.key, record.value, tuple((name, header) for name in names))])
    status = reader.store.get(T0)
    assert status is not None
    assert (status.acted_on, status.generation) == (None, FOREIGN)


def test_what_another_hand_wrote_stands_until_somebody_of_ours_speaks(reader: Reader) -> None:
    """However high the generations are that Kafka Connect has counted."""
    foreign = KeyValue(b"status-task-a-0", b'{"state":"RUNNING","trace":null,"worker_id":"java","generation":99,"version":null}')
    reader.topic.append([foreign])
    assert reader.store.get(T0) == said(RUNNING, "java", FOREIGN)
    assert reader.read(said(FAILED, "w1", 1)) == said(FAILED, "w1", 1)
    reader.topic.append([foreign])
    assert reader.store.get(T0) == said(FAILED, "w1", 1)
    assert reader.disowned == [T0]


def test_kafka_connect_may_write_over_any_status_of_ours(reader: Reader) -> None:
    """It does not tell of a failure where a later generation than its own has spoken."""
    reader.read(said(RUNNING, "w1", 99))
    (record,) = reader.topic.records
    assert orjson.loads(record.value or b"")["generation"] == 0


def test_a_tombstone_always_counts(reader: Reader) -> None:
    assert reader.read(PROMISED, None) is None
    assert reader.told[-1] == (T0, None)
    assert reader.read(said(RUNNING, "w9", 0, acted_on=0)) == said(RUNNING, "w9", 0), "it is another one of that name"


def test_two_statuses_are_the_same_however_far_their_writers_had_acted() -> None:
    assert said(RUNNING, acted_on=1) == said(RUNNING, acted_on=2) == said(RUNNING)


def test_who_has_no_say_any_more_and_speaks_is_told_of(reader: Reader) -> None:
    """Its word is the last one in the topic: somebody has to say what is so again."""
    reader.read(said(RUNNING, "w1", 5), said(UNASSIGNED, "w2", 4))
    assert reader.disowned == [T0]


def test_ones_own_word_of_before_a_promise_is_no_matter(reader: Reader) -> None:
    reader.read(PROMISED, said(RUNNING, acted_on=9))
    assert reader.disowned == []
