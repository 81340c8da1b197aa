"""Keys and values of the internal topics, byte for byte as Kafka Connect 4.3 writes them."""

import pytest

from workers.herder.states import State, TargetState
from workers.herder.values import InstanceId, RestartRequest, Status, TaskId, TopicStatus
from workers.storage import records
from workers.storage.records import FOREIGN, KeyValue

STARTED, PAUSED, STOPPED = TargetState.STARTED, TargetState.PAUSED, TargetState.STOPPED


@pytest.mark.parametrize(
    ("record", "key", "value"),
    [
        (records.connector_record("a-b", {"name": "a-b", "ü": "…"}), "connector-a-b", '{"properties":{"name":"a-b","ü":"…"}}'),
        (records.connector_record("a", {}), "connector-a", '{"properties":{}}'),
        (records.connector_record("a", None), "connector-a", None),
        (records.task_record(TaskId("a-1", 10), {"k": "v"}), "task-a-1-10", '{"properties":{"k":"v"}}'),
        (records.commit_record("a", 0), "commit-a", '{"tasks":0}'),
        (records.target_state_record("a", STARTED), "target-state-a", '{"state":"STARTED","state.v2":"STARTED"}'),
        (records.target_state_record("a", PAUSED), "target-state-a", '{"state":"PAUSED","state.v2":"PAUSED"}'),
        # Readers from before KIP-875 know no STOPPED.
        (records.target_state_record("a", STOPPED), "target-state-a", '{"state":"PAUSED","state.v2":"STOPPED"}'),
        (records.target_state_record("a", None), "target-state-a", None),
        (
            records.restart_record(RestartRequest("a", only_failed=True, include_tasks=False)),
            "restart-connector-a",
            '{"include-tasks":false,"only-failed":true}',
        ),
        (
            records.topic_record(TopicStatus("t.1", TaskId("a-b", 2), 1795000000000)),
            "status-topic-t.1:connector-a-b",
            '{"topic":{"name":"t.1","connector":"a-b","task":2,"discoverTimestamp":1795000000000}}',
        ),
        (records.topic_tombstone("a:connector-b", "t"), "status-topic-t:connector-a:connector-b", None),
        (
            records.status_record("a", Status(State.RUNNING, "host:8083", 7)),
            "status-connector-a",
            '{"state":"RUNNING","trace":null,"worker_id":"host:8083","generation":0,"version":null}',
        ),
        (
            records.status_record(TaskId("a-b", 3), Status(State.FAILED, "w", 0, "Boom\n\tat x\n", "1.2")),
            "status-task-a-b-3",
            '{"state":"FAILED","trace":"Boom\\n\\tat x\\n","worker_id":"w","generation":0,"version":"1.2"}',
        ),
        (records.status_record(TaskId("a", 0), None), "status-task-a-0", None),
        (records.offset_record("a", {"filename": "/f"}, {"position": 12}), '["a",{"filename":"/f"}]', '{"position":12}'),
        (records.offset_record("a", None, {"n": 1}), '["a",null]', '{"n":1}'),
        (records.offset_record("a", {"p": 1}, None), '["a",{"p":1}]', None),
    ],
)
def test_records_are_written_as_kafka_connect_writes_them(record: KeyValue, key: str, value: str | None) -> None:
    assert record._replace(headers=()) == KeyValue(key.encode(), None if value is None else value.encode())


@pytest.mark.parametrize(
    ("rest", "task"),
    [
        ("a-0", TaskId("a", 0)),
        ("a-b-12", TaskId("a-b", 12)),
        ("a--1", TaskId("a-", 1)),
        ("-0", TaskId("", 0)),
        ("a", None),
        ("7", None),
        ("a-", None),
        ("a-x", None),
        ("a-1x", None),
        ("a-1.5", None),
    ],
)
def test_a_task_number_is_what_follows_the_last_dash(rest: str, task: TaskId | None) -> None:
    assert records.split_task_key(rest) == task


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b'{"state":"PAUSED","state.v2":"STOPPED"}', STOPPED),
        (b'{"state":"PAUSED"}', PAUSED),
        (b'{"state":"STARTED"}', STARTED),
        # Not text: as if it were absent. A text that is no state: the whole record is void.
        (b'{"state":"PAUSED","state.v2":null}', PAUSED),
        (b'{"state":"PAUSED","state.v2":5}', PAUSED),
        (b'{"state":"PAUSED","state.v2":"BOGUS"}', None),
        (b'{"state":"PAUSED","state.v2":"paused"}', None),
        (b'{"state":"BOGUS"}', None),
        (b'{"state":5}', None),
        (b"{}", None),
    ],
)
def test_target_state_prefers_v2_and_falls_back_only_when_it_is_not_text(value: bytes, expected: TargetState | None) -> None:
    fields = records.decode_map(value)
    assert fields is not None
    assert records.target_state_of(fields) is expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b'{"properties":{"a":"1"}}', {"a": "1"}),
        (b'{"properties":{},"more":1}', {}),
        (b'{"properties":{"n":1,"b":true,"x":null}}', {"n": "1", "b": "true", "x": "null"}),
        (None, None),
        (b"", None),
        (b"not json", None),
        (b"[1]", None),
        (b'"text"', None),
        (b"{}", None),
        (b'{"properties":[]}', None),
        (b'{"properties":"a"}', None),
        (b"\xff\xfe", None),
    ],
)
def test_properties_are_a_string_map_or_nothing(value: bytes | None, expected: dict[str, str] | None) -> None:
    assert records.properties_of(value) == expected


@pytest.mark.parametrize(
    ("key", "instance"),
    [
        (b"status-connector-a-b", "a-b"),
        (b"status-task-a-b-4", TaskId("a-b", 4)),
        # A connector may be named like a task.
        (b"status-connector-a-4", "a-4"),
        (b"status-task-a", None),
        (b"status-topic-t:connector-a", None),
        (b"connector-a", None),
        (b"", None),
        (b"\xff", None),
    ],
)
def test_status_keys(key: bytes, instance: InstanceId | None) -> None:
    assert records.status_instance(key) == instance


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (
            b'{"state":"FAILED","trace":"t","worker_id":"w","generation":3,"version":"1"}',
            Status(State.FAILED, "w", FOREIGN, "t", "1"),
        ),
        # Kafka Connect before 4.1 writes no version.
        (b'{"state":"RUNNING","trace":null,"worker_id":"w","generation":3}', Status(State.RUNNING, "w", FOREIGN)),
        (b'{"state":"RUNNING","trace":7,"worker_id":"w","generation":3,"version":8}', Status(State.RUNNING, "w", FOREIGN)),
        (b'{"state":"WHAT","worker_id":"w","generation":3}', None),
        (b'{"state":["RUNNING"],"worker_id":"w","generation":3}', None),
        (b'{"worker_id":"w","generation":3}', None),
        (b'{"state":"RUNNING","generation":3}', None),
        (b'{"state":"RUNNING","worker_id":"w","generation":"3"}', None),
        (b"{", None),
        (None, None),
    ],
)
def test_status_values_of_kafka_connects(value: bytes | None, expected: Status | None) -> None:
    assert records.status_of(value) == expected


def test_a_status_comes_back_as_it_was_written() -> None:
    status = Status(State.FAILED, "w", 2, 'a "quoted"\n\ttrace', "1")
    record = records.status_record("a", status)
    assert records.status_of(record.value, dict(record.headers)) == status


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (b'["a",{"p":1}]', ("a", {"p": 1})),
        (b'["a",null]', ("a", None)),
        (b'["a"]', None),
        (b'["a",{},1]', None),
        (b'[1,{"p":1}]', None),
        (b'["a","p"]', None),
        (b'{"a":1}', None),
        (b"a", None),
        (b"", None),
    ],
)
def test_offset_keys_of_another_shape_are_skipped(key: bytes, expected: object) -> None:
    assert records.offset_key(key) == expected


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("status-topic-t:connector-a", ("a", "t")),
        ("status-topic-t-1:connector-a-b", ("a-b", "t-1")),
        ("status-topic-t:connector-a:connector-b", ("a:connector-b", "t")),
        ("status-topic-:connector-a", None),
        ("status-topic-t:connector-", None),
        ("status-topic-t", None),
        ("status-topic-t:b:connector-a", None),
        ("status-connector-t:connector-a", None),
    ],
)
def test_topic_keys(key: str, expected: tuple[str, str] | None) -> None:
    assert records.topic_key(key.encode()) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b'{"topic":{"name":"t","connector":"a","task":1,"discoverTimestamp":5}}', TopicStatus("t", TaskId("a", 1), 5)),
        (b'{"topic":{"name":"t","connector":"a","task":1}}', None),
        (b'{"topic":{"name":"t","connector":"a","task":"1","discoverTimestamp":5}}', None),
        (b'{"topic":[]}', None),
        (b"[]", None),
        (b"x", None),
        (None, None),
    ],
)
def test_topic_values(value: bytes | None, expected: TopicStatus | None) -> None:
    assert records.topic_of(value) == expected


# --- levels of loggers (KIP-976) --------------------------------------------------------------------------------------


def test_a_level_is_written_as_kafka_connect_writes_it() -> None:
    assert records.logger_record("org.example", "debug") == (b"logger-cluster-org.example", b'{"level":"debug"}', ())


@pytest.mark.parametrize(
    ("key", "value", "found"),
    [
        (b"logger-cluster-a.b", b'{"level":"WARN"}', ("a.b", "WARN")),
        (b"logger-cluster-a-b", b'{"level":"HIGH","x":1}', ("a-b", "HIGH")),
        (b"logger-cluster-", b'{"level":"WARN"}', ("", "WARN")),
        (b"logger-cluster-a", b'{"level":5}', None),
        (b"logger-cluster-a", b"{}", None),
        (b"logger-cluster-a", b"[]", None),
        (b"logger-cluster-a", b"{", None),
        (b"logger-cluster-a", None, None),
        (b"connector-a", b'{"level":"WARN"}', None),
    ],
)
def test_which_level_a_record_sets(key: bytes, value: bytes | None, found: tuple[str, str] | None) -> None:
    assert records.logger_level(key, value) == found
