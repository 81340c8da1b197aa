"""The assignment store on a log in memory: what stands in its records, and what its readers see."""

from collections.abc import Mapping
from contextlib import suppress

import orjson
import pytest

from workers.herder.assignment import Place, Release
from workers.herder.membership import Member
from workers.herder.values import InstanceId, TaskId
from workers.storage.assignment_store import AssignmentEvent, Assignments, AssignmentStore, WantedTasks
from workers.storage.log import Fenced, Part
from workers.storage.memory_log import MemoryLog, MemoryRight, MemoryTopic, MemoryWriter
from workers.storage.records import KeyValue

A, B = Member("host:8083", "a1"), Member("b", "b1")
T0, T1 = TaskId("x-y", 0), TaskId("x-y", 1)
MEMBERS = frozenset({A, B})
PLACES: Mapping[InstanceId, Place] = {"x-y": Place(A), T0: Place(B, Release(A, 4)), T1: Place(None, Release(B, 3))}


@pytest.fixture
def topic() -> MemoryTopic:
    return MemoryTopic()


def opened(topic: MemoryTopic, told: list[AssignmentEvent] | None = None) -> AssignmentStore:
    writer = MemoryWriter()
    writer.claim()
    store = AssignmentStore(MemoryLog(topic), writer)
    store.start(told.append if told is not None else None)
    return store


def put(store: AssignmentStore, epoch: int, places: Mapping[InstanceId, Place], *changed: str) -> None:
    store.put(epoch, A, MEMBERS, places, set(changed))


def written(topic: MemoryTopic) -> dict[str, object]:
    """Key to newest value, as compaction leaves it."""
    return {record.key.decode(): record.value and orjson.loads(record.value) for record in topic.records}


# --- records ----------------------------------------------------------------------------------------------------------


def test_an_assignment_is_one_record_per_connector_and_one_that_says_who_leads(topic: MemoryTopic) -> None:
    store = opened(topic)
    put(store, 4, PLACES, "x-y")
    assert written(topic) == {
        "leader": {"epoch": 4, "leader": "host:8083@a1", "members": ["b@b1", "host:8083@a1"]},
        "assignment-x-y": {
            "epoch": 4,
            "connector": "host:8083@a1",
            "tasks": {
                "0": {"worker": "b@b1", "awaited": "host:8083@a1", "epoch": 4},
                "1": {"worker": None, "awaited": "b@b1", "epoch": 3},
            },
        },
    }


def test_only_what_changed_is_written_and_what_has_no_places_is_deleted(topic: MemoryTopic) -> None:
    store = opened(topic)
    put(store, 1, {"u": Place(A), "v": Place(A)}, "u", "v")
    put(store, 2, {"u": Place(A), "v": Place(B)}, "v")
    put(store, 3, {"v": Place(B)}, "u")
    assert [record.key for record in topic.records].count(b"assignment-u") == 2
    assert [record.key for record in topic.records].count(b"assignment-v") == 2
    assert written(topic)["assignment-u"] is None


def test_tasks_may_be_left_when_their_connector_has_stopped(topic: MemoryTopic) -> None:
    put(opened(topic), 5, {T0: Place(None, Release(A, 4))}, "x-y")
    assert written(topic)["assignment-x-y"] == {
        "epoch": 5,
        "connector": None,
        "tasks": {"0": {"worker": None, "awaited": "host:8083@a1", "epoch": 4}},
    }
    assert opened(topic).snapshot().places == {T0: Place(None, Release(A, 4))}


def test_an_assignment_and_what_goes_with_it_are_one_write(topic: MemoryTopic) -> None:
    other, right = MemoryTopic(), MemoryRight()
    writer = MemoryWriter(right)
    store = AssignmentStore(MemoryLog(topic), writer)
    also = [Part(MemoryLog(other), [KeyValue(b"k", b"v")])]
    with pytest.raises(Fenced):
        store.put(1, A, MEMBERS, PLACES, {"x-y"}, also)
    assert (topic.records, other.records) == ([], [])
    writer.claim()
    store.put(1, A, MEMBERS, PLACES, {"x-y"}, also)
    assert (len(topic.records), len(other.records)) == (2, 1)


@pytest.mark.parametrize(
    "place",
    [Place(None), Place(A), Place(B, Release(A, 7)), Place(A, Release(A, 0)), Place(None, Release(B, 7))],
    ids=str,
)
@pytest.mark.parametrize("instance", ["x-y", T1])
def test_every_place_is_read_as_it_was_written(topic: MemoryTopic, instance: InstanceId, place: Place) -> None:
    put(opened(topic), 9, {instance: place}, "x-y")
    assert opened(topic).snapshot().places == {instance: place}


def test_what_workers_say_needs_no_right_to_write(topic: MemoryTopic) -> None:
    store = AssignmentStore(MemoryLog(topic))
    store.start()
    store.tell(B, {"pid": 7, "released": 3})
    store.want_tasks("x-y", 12, [{"k": "v"}, {}])
    assert written(topic) == {
        "worker-b@b1": {"pid": 7, "released": 3},
        "tasks-x-y": {"revision": 12, "tasks": [{"k": "v"}, {}]},
    }
    assert store.snapshot().released == {B: 3}
    assert store.snapshot().workers == {B: {"pid": 7, "released": 3}}
    assert store.wanted_tasks() == {"x-y": WantedTasks(12, [{"k": "v"}, {}])}


def test_a_worker_that_has_said_nothing_of_it_has_released_nothing(topic: MemoryTopic) -> None:
    store = opened(topic)
    store.tell(A, {"pid": 7})
    assert store.snapshot().released == {A: -1}


def test_what_is_forgotten_is_gone(topic: MemoryTopic) -> None:
    store = opened(topic)
    store.tell(A, {"released": 1})
    store.tell(B, {"released": 1})
    store.want_tasks("u", 1, [])
    store.want_tasks("v", 1, [])
    store.forget([A], ["u"])
    assert (set(store.snapshot().workers), set(store.wanted_tasks())) == ({B}, {"v"})
    assert (written(topic)["worker-host:8083@a1"], written(topic)["tasks-u"]) == (None, None)
    before = len(topic.records)
    store.forget([], [])
    assert len(topic.records) == before


# --- reading ----------------------------------------------------------------------------------------------------------


def test_a_reader_from_the_beginning_sees_what_the_writer_sees(topic: MemoryTopic) -> None:
    store = opened(topic)
    store.tell(A, {"released": 2})
    put(store, 1, {"u": Place(A), "x-y": Place(A)}, "u", "x-y")
    put(store, 4, PLACES, "u", "x-y")
    late = opened(topic)
    assert late.snapshot() == store.snapshot() == Assignments(4, A, MEMBERS, PLACES, {A: 2}, {A: {"released": 2}})
    assert (late.epoch, late.leader) == (4, A)


def test_snapshots_never_change(topic: MemoryTopic) -> None:
    store = opened(topic)
    put(store, 1, {"u": Place(A)}, "u")
    first, version = store.snapshot(), store.version
    put(store, 2, {}, "u")
    store.tell(A, {"released": 1})
    assert (first.epoch, first.places, first.released) == (1, {"u": Place(A)}, {})
    assert version < store.version


def test_an_owner_is_who_may_run_it(topic: MemoryTopic) -> None:
    store = opened(topic)
    put(store, 4, PLACES, "x-y")
    assert [store.owner(instance) for instance in ("x-y", T0, T1, "unknown", TaskId("x-y", 9))] == [A, None, None, None, None]
    assert (store.places("x-y"), store.places("unknown")) == (PLACES, {})


def test_a_listener_is_told_of_what_comes_after_the_start(topic: MemoryTopic) -> None:
    former = opened(topic)
    put(former, 1, {"u": Place(A)}, "u")
    told: list[AssignmentEvent] = []
    opened(topic, told)
    assert told == []
    put(former, 2, {"u": Place(B)}, "u")
    former.want_tasks("u", 1, [])
    former.tell(B, {"released": 2})
    assert AssignmentEvent("u") in told
    assert AssignmentEvent("u", wants=True) in told
    assert AssignmentEvent(worker=B) in told
    assert AssignmentEvent(complete=2) in told


def test_whoever_is_told_sees_it(topic: MemoryTopic) -> None:
    seen: list[tuple[int, Member | None]] = []
    store = AssignmentStore(MemoryLog(topic))
    store.start(lambda event: seen.append((store.epoch, store.owner("u"))) if event.connector else None)
    put(opened(topic), 3, {"u": Place(B)}, "u")
    assert seen == [(3, B)]


@pytest.mark.parametrize("value", [b"nonsense", b"[]", b'"x"', b"7", b""])
@pytest.mark.parametrize("key", ["leader", "assignment-x-y", "worker-host:8083@a1", "tasks-x-y"])
def test_what_is_not_readable_changes_nothing(topic: MemoryTopic, key: str, value: bytes) -> None:
    """One bad record must not stop what runs, nor make two workers run it."""
    store = opened(topic)
    put(store, 4, PLACES, "x-y")
    store.tell(A, {"released": 4})
    store.want_tasks("x-y", 1, [{}])
    before, wanted = store.snapshot(), store.wanted_tasks()
    MemoryLog(topic).write([KeyValue(key.encode(), value)])
    assert (store.snapshot(), store.wanted_tasks()) == (before, wanted)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("leader", b"{}"),
        ("leader", b'{"epoch":9}'),
        ("leader", b'{"epoch":"x","leader":"b@b1","members":[]}'),
        ("assignment-x-y", b"{}"),
        ("assignment-x-y", b'{"epoch":9}'),
        ("assignment-x-y", b'{"epoch":9,"connector":7,"tasks":{}}'),
        ("assignment-x-y", b'{"epoch":9,"connector":null,"tasks":{"one":"b@b1"}}'),
        ("worker-host:8083@a1", b'{"released":"x"}'),
        ("tasks-x-y", b"{}"),
        ("tasks-x-y", b'{"revision":null,"tasks":[]}'),
    ],
)
def test_what_has_another_shape_is_not_taken_over_by_halves(topic: MemoryTopic, key: str, value: bytes) -> None:
    """Whoever wrote it, it may raise: the log goes on with the next record. What was there stays."""
    store = opened(topic)
    put(store, 4, PLACES, "x-y")
    store.tell(A, {"released": 4})
    store.want_tasks("x-y", 1, [{}])
    before, wanted = store.snapshot(), store.wanted_tasks()
    with suppress(KeyError, TypeError, ValueError):
        MemoryLog(topic).write([KeyValue(key.encode(), value)])
    assert (store.snapshot(), store.wanted_tasks()) == (before, wanted)


@pytest.mark.parametrize("key", [b"", b"\xff", b"lead", b"leader-x", b"worker-nobody", b"connector-x-y", b"assignment"])
def test_foreign_keys_are_skipped(topic: MemoryTopic, key: bytes) -> None:
    store = opened(topic)
    put(store, 4, PLACES, "x-y")
    before = store.snapshot()
    MemoryLog(topic).write([KeyValue(key, b'{"epoch":9,"leader":"b@b1","members":[],"released":9}'), KeyValue(key, None)])
    assert store.snapshot() == before
