"""The three stores on a log in memory: what they write, in which order, and what their readers see."""

from collections.abc import Callable, Sequence

import pytest

from workers.herder.states import State, TargetState
from workers.herder.values import InstanceId, PartitionOffset, RestartRequest, Status, TaskId
from workers.storage.config_store import ConfigStore
from workers.storage.config_tables import Change, ConfigEvent
from workers.storage.log import LogRecord
from workers.storage.memory_log import MemoryLog, MemoryTopic, MemoryWriter
from workers.storage.offset_store import OffsetStore
from workers.storage.records import KeyValue, status_record
from workers.storage.status_store import StatusStore

Written = list[tuple[str, str | None]]


def written(topic: MemoryTopic) -> Written:
    return [(r.key.decode(), None if r.value is None else r.value.decode()) for r in topic.records]


# --- the log in memory ------------------------------------------------------------------------------------------------


def test_a_memory_log_hands_over_what_was_there_then_what_is_new() -> None:
    topic = MemoryTopic()
    writer, seen = MemoryLog(topic), list[LogRecord]()
    writer.write([KeyValue(b"a", b"1")])
    reader = MemoryLog(topic)
    reader.start(seen.append)
    assert writer.write([KeyValue(b"b", None)]) == {0: 2}
    assert seen == [LogRecord(0, 0, b"a", b"1"), LogRecord(0, 1, b"b", None)]
    assert (reader.read_to_end(), reader.wait_for({0: 2}, 0), reader.wait_for({0: 3}, 0)) == ({0: 2}, True, False)
    reader.stop()
    writer.write([KeyValue(b"c", b"")])
    assert len(seen) == 2


# --- configs ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def topic() -> MemoryTopic:
    return MemoryTopic()


def config_store(topic: MemoryTopic, listener: Callable[[ConfigEvent], None] | None = None) -> ConfigStore:
    writer = MemoryWriter()
    writer.claim()
    store = ConfigStore(MemoryLog(topic), writer)
    store.start(listener)
    return store


def test_levels_are_told_as_they_come_and_those_of_the_past_are_not(topic: MemoryTopic) -> None:
    writer = config_store(topic)
    writer.put_logger_level("a", "DEBUG")
    told: list[tuple[str, str]] = []
    reader = ConfigStore(MemoryLog(topic))
    reader.start(on_level=lambda namespace, level: told.append((namespace, level)))
    assert writer.put_logger_level("a.b", "warn") == {0: 2}
    MemoryLog(topic).write([KeyValue(b"logger-cluster-c", b'{"level":5}'), KeyValue(b"logger-cluster-d", None)])
    assert told == [("a.b", "warn")]
    assert written(topic)[1] == ("logger-cluster-a.b", '{"level":"warn"}')


STARTED_RECORD = ("target-state-a", '{"state":"STARTED","state.v2":"STARTED"}')
STOPPED_RECORD = ("target-state-a", '{"state":"PAUSED","state.v2":"STOPPED"}')
CONNECTOR_RECORD = ("connector-a", '{"properties":{"name":"a"}}')


@pytest.mark.parametrize(
    ("write", "expected"),
    [
        (lambda store: store.put_connector("a", {"name": "a"}), [CONNECTOR_RECORD]),
        # No reader may see the connector before it can see the state that it is to be in (KIP-980).
        (lambda store: store.put_connector("a", {"name": "a"}, TargetState.STARTED), [STARTED_RECORD, CONNECTOR_RECORD]),
        (lambda store: store.put_connector("a", {"name": "a"}, TargetState.STOPPED), [STOPPED_RECORD, CONNECTOR_RECORD]),
        (lambda store: store.put_target_state("a", TargetState.STARTED), [STARTED_RECORD]),
        (lambda store: store.put_target_state("a", TargetState.STOPPED), [("commit-a", '{"tasks":0}'), STOPPED_RECORD]),
        (lambda store: store.remove_connector("a"), [("connector-a", None), ("target-state-a", None)]),
        (
            lambda store: store.put_tasks("a", [{"t": "0"}, {"t": "1"}]),
            [
                ("task-a-0", '{"properties":{"t":"0"}}'),
                ("task-a-1", '{"properties":{"t":"1"}}'),
                ("commit-a", '{"tasks":2}'),
            ],
        ),
        (lambda store: store.put_tasks("a", []), [("commit-a", '{"tasks":0}')]),
        (
            lambda store: store.put_restart(RestartRequest("a", only_failed=True, include_tasks=True)),
            [("restart-connector-a", '{"include-tasks":true,"only-failed":true}')],
        ),
    ],
)
def test_config_writes_and_their_order(topic: MemoryTopic, write: Callable[[ConfigStore], object], expected: Written) -> None:
    write(config_store(topic))
    assert written(topic) == expected


def test_one_write_is_one_transaction(topic: MemoryTopic, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kafka makes a transaction of each `write`: a stop or a creation must never be half there."""
    writes: list[int] = []
    append = topic.append

    def counted(records: Sequence[KeyValue]) -> int:
        writes.append(len(records))
        return append(records)

    monkeypatch.setattr(topic, "append", counted)
    store = config_store(topic)
    store.put_connector("a", {}, TargetState.PAUSED)
    store.put_tasks("a", [{}, {}])
    store.put_target_state("a", TargetState.STOPPED)
    store.remove_connector("a")
    assert writes == [2, 3, 2, 2]


def test_what_is_written_shows_at_once_and_snapshots_never_change(topic: MemoryTopic) -> None:
    store = config_store(topic)
    empty = store.snapshot()
    store.put_connector("a", {"name": "a"})
    first = store.snapshot()
    store.put_tasks("a", [{"t": "0"}])
    store.put_target_state("a", TargetState.PAUSED)
    second = store.snapshot()
    store.remove_connector("a")
    assert (empty.connectors, store.snapshot().connectors) == ({}, {})
    assert (first.connectors["a"].task_ids(), first.connectors["a"].target_state) == ([], TargetState.STARTED)
    assert (second.connectors["a"].task_ids(), second.connectors["a"].target_state) == ([TaskId("a", 0)], TargetState.PAUSED)
    assert empty.version < first.version < second.version < store.snapshot().version


def test_a_snapshot_is_made_once_for_each_version(topic: MemoryTopic) -> None:
    store = config_store(topic)
    store.put_connector("a", {})
    assert store.snapshot() is store.snapshot()


def test_what_was_there_at_the_start_is_in_the_snapshot_and_is_not_told(topic: MemoryTopic) -> None:
    """A restart request of the past must not run again."""
    former = config_store(topic)
    former.put_connector("a", {"name": "a"})
    former.put_restart(RestartRequest("a", include_tasks=True))
    told: list[ConfigEvent] = []
    store = config_store(topic, told.append)
    assert (list(store.snapshot().connectors), told) == (["a"], [])
    former.put_restart(RestartRequest("a"))
    former.put_target_state("a", TargetState.PAUSED)
    assert told == [ConfigEvent("a", restart=RestartRequest("a")), ConfigEvent("a", Change.TARGET_STATE)]


def test_a_listener_sees_the_change_that_it_is_told_of(topic: MemoryTopic) -> None:
    seen: list[bool] = []
    store = config_store(topic, lambda event: seen.append(event.connector in store.snapshot().connectors))
    store.put_connector("a", {})
    store.remove_connector("a")
    assert seen == [True, False]


def test_a_stopped_store_reads_no_more(topic: MemoryTopic) -> None:
    store = config_store(topic)
    store.stop()
    config_store(topic).put_connector("a", {})
    assert store.snapshot().connectors == {}


# --- statuses ---------------------------------------------------------------------------------------------------------


def status(state: State, worker: str = "w1", generation: int = 0) -> Status:
    return Status(state, worker, generation)


RUNNING, UNASSIGNED, FAILED = State.RUNNING, State.UNASSIGNED, State.FAILED


def status_store(topic: MemoryTopic) -> StatusStore:
    store = StatusStore(MemoryLog(topic))
    store.start()
    return store


def test_statuses_are_kept_by_instance_and_deleted_by_tombstones(topic: MemoryTopic) -> None:
    store = status_store(topic)
    store.put("a", status(RUNNING))
    store.put(TaskId("a", 1), status(RUNNING))
    store.put(TaskId("a", 0), status(FAILED))
    both = store.snapshot()
    store.put(TaskId("a", 1), None)
    one = store.snapshot()
    store.put(TaskId("a", 0), None)
    store.put("a", None)
    assert both.tasks == {"a": {1: status(RUNNING), 0: status(FAILED)}}, "an older snapshot does not change"
    assert one.tasks == {"a": {0: status(FAILED)}}
    assert (store.snapshot().connectors, store.snapshot().tasks) == ({}, {})
    assert both.version < one.version < store.snapshot().version
    assert (both.connectors, store.get("a"), store.get(TaskId("a", 9))) == ({"a": status(RUNNING)}, None, None)


def test_destroyed_is_as_good_as_a_tombstone(topic: MemoryTopic) -> None:
    store = status_store(topic)
    store.put("a", status(RUNNING))
    MemoryLog(topic).write([status_record("a", status(State.DESTROYED))])
    assert store.get("a") is None


def test_a_worker_that_no_longer_owns_an_instance_does_not_write(topic: MemoryTopic) -> None:
    store = status_store(topic)
    store.put("a", status(RUNNING, "w1", 5))
    store.put("a", status(FAILED, "w2", 4))
    assert [key for key, _ in written(topic)] == ["status-connector-a"]
    assert store.get("a") == status(RUNNING, "w1", 5)


def test_an_outdated_record_of_another_worker_is_not_believed(topic: MemoryTopic) -> None:
    store = status_store(topic)
    told: list[tuple[InstanceId, Status | None]] = []
    store.put("a", status(RUNNING, "w1", 5))
    version = store.snapshot().version
    MemoryLog(topic).write([status_record("a", status(UNASSIGNED, "w2", 4))])
    assert (store.get("a"), store.snapshot().version, told) == (status(RUNNING, "w1", 5), version, [])


def test_a_status_listener_is_told_of_what_comes_after_the_start(topic: MemoryTopic) -> None:
    status_store(topic).put("old", status(RUNNING))
    told: list[tuple[InstanceId, Status | None]] = []
    store = StatusStore(MemoryLog(topic))
    store.start(lambda instance, seen: told.append((instance, seen)))
    store.put(TaskId("a", 0), status(RUNNING))
    store.put(TaskId("a", 0), None)
    assert told == [(TaskId("a", 0), status(RUNNING)), (TaskId("a", 0), None)]


def test_unreadable_status_records_are_skipped(topic: MemoryTopic, caplog: pytest.LogCaptureFixture) -> None:
    store = status_store(topic)
    store.put("a", status(RUNNING))
    unreadable = [
        KeyValue(b"status-connector-a", b"nonsense"),
        KeyValue(b"status-connector-a", b'{"state":"X"}'),
        KeyValue(b"status-topic-t:connector-a", b"{}"),
        KeyValue(b"status-task-a-x", b"{}"),
        KeyValue(b"\xff\xfe", b"\xff\xfe"),
        KeyValue(b"", None),
    ]
    MemoryLog(topic).write(unreadable)
    assert store.get("a") == status(RUNNING)
    for offset in range(1, 1 + len(unreadable)):
        assert f"Record at offset {offset} of partition 0 of the status topic cannot be read and is ignored" in caplog.text


def test_flush_gives_positions_that_cover_every_put(topic: MemoryTopic) -> None:
    store = status_store(topic)
    store.put("a", status(RUNNING))
    store.put("b", status(RUNNING))
    assert store.flush() == {0: 2}


# --- offsets ----------------------------------------------------------------------------------------------------------


def offset_store(topic: MemoryTopic) -> OffsetStore:
    store = OffsetStore(MemoryLog(topic))
    store.start()
    return store


def test_offsets_by_connector_and_partition(topic: MemoryTopic) -> None:
    store = offset_store(topic)
    store.commit("a", {"file": "x"}, {"position": 1})
    store.commit("a", {"file": "x"}, {"position": 2})
    store.commit("a", {"file": "y"}, {"position": 3})
    store.commit("b", {"file": "x"}, {"position": 4})
    assert store.offset("a", {"file": "x"}) == {"position": 2}
    assert store.offset("a", {"file": "z"}) is None
    assert store.offsets("a") == [
        PartitionOffset({"file": "x"}, {"position": 2}),
        PartitionOffset({"file": "y"}, {"position": 3}),
    ]
    assert store.offsets("nobody") == []


def test_the_order_of_a_partitions_fields_does_not_matter(topic: MemoryTopic) -> None:
    store = offset_store(topic)
    store.commit("a", {"db": "d", "table": "t"}, {"n": 1})
    store.commit("a", {"table": "t", "db": "d"}, {"n": 2})
    assert store.offsets("a") == [PartitionOffset({"db": "d", "table": "t"}, {"n": 2})]
    assert store.offset("a", {"table": "t", "db": "d"}) == {"n": 2}
    assert {key for key, _ in written(topic)} == {'["a",{"db":"d","table":"t"}]'}, "one record is left of it"


def test_a_reset_forgets_the_partition_and_what_another_wrote_is_read(topic: MemoryTopic) -> None:
    store = offset_store(topic)
    offset_store(topic).commit("a", {"p": 1}, {"n": 1})
    store.refresh()
    assert store.offset("a", {"p": 1}) == {"n": 1}
    MemoryLog(topic).write([KeyValue(b'["a",{"p":1}]', None)])
    assert (store.offset("a", {"p": 1}), store.offsets("a"), written(topic)[-1]) == (None, [], ('["a",{"p":1}]', None))


@pytest.mark.parametrize("key", [b"x", b"[]", b'["a"]', b'["a",1]', b"[1,{}]", b'{"a":1}'])
def test_foreign_keys_in_the_offsets_topic_are_skipped(topic: MemoryTopic, key: bytes) -> None:
    store = offset_store(topic)
    MemoryLog(topic).write([KeyValue(key, b'{"n":1}'), KeyValue(b'["a",{"p":1}]', b'{"n":1}')])
    assert store.offsets("a") == [PartitionOffset({"p": 1}, {"n": 1})]


@pytest.mark.parametrize("value", [b"", b"\xff\x00", b"[1]", b"5", b'"x"', b'{"n":'])
def test_an_offset_that_cannot_be_read_is_no_reset(topic: MemoryTopic, caplog: pytest.LogCaptureFixture, value: bytes) -> None:
    """A source would begin anew, and write everything again."""
    store = offset_store(topic)
    store.commit("a", {"p": 1}, {"n": 1})
    MemoryLog(topic).write([KeyValue(b'["a",{"p":1}]', value)])
    assert (store.offset("a", {"p": 1}), offset_store(topic).offset("a", {"p": 1})) == ({"n": 1}, {"n": 1})
    assert "Record at offset 1 of partition 0 of the offsets topic cannot be read and is ignored" in caplog.text


def test_a_json_null_is_a_reset(topic: MemoryTopic) -> None:
    store = offset_store(topic)
    store.commit("a", {"p": 1}, {"n": 1})
    MemoryLog(topic).write([KeyValue(b'["a",{"p":1}]', b"null")])
    assert store.offset("a", {"p": 1}) is None
