"""What the config topic says of requests: whose record it is, what a restart has promised, and who may write at all."""

import threading

import pytest

from workers.herder.values import InstanceId, RestartRequest, TaskId
from workers.storage import config_store, records
from workers.storage.config_store import ConfigStore
from workers.storage.config_tables import ConfigEvent
from workers.storage.log import Fenced, LogRecord, Part
from workers.storage.memory_log import MemoryLog, MemoryRight, MemoryTopic, MemoryWriter
from workers.storage.records import KeyValue

T0, T12 = TaskId("a-b", 0), TaskId("a-b", 12)


@pytest.fixture
def topic() -> MemoryTopic:
    return MemoryTopic()


def opened(topic: MemoryTopic, told: list[ConfigEvent] | None = None) -> ConfigStore:
    writer = MemoryWriter()
    writer.claim()
    store = ConfigStore(MemoryLog(topic), writer)
    store.start(told.append if told is not None else None)
    return store


# --- marks ------------------------------------------------------------------------------------------------------------


def test_everything_that_a_request_leads_to_bears_its_mark(topic: MemoryTopic) -> None:
    store = opened(topic)
    with store.on_behalf_of("r1"):
        store.put_connector("a-b", {})
        store.put_tasks("a-b", [{}])
        store.remove_connector("a-b")
    store.put_connector("c", {})
    assert {dict(record.headers).get("drover-request") for record in topic.records[:-1]} == {b"r1"}
    assert dict(topic.records[-1].headers) == {}
    assert (store.has_seen("r1"), store.has_seen("r2")) == (True, False)


def test_one_that_wrote_nothing_has_left_no_mark(topic: MemoryTopic) -> None:
    store = opened(topic)
    with pytest.raises(ValueError, match="no"), store.on_behalf_of("r1"):
        raise ValueError("no")
    store.put_connector("a", {})
    assert not store.has_seen("r1")


def test_nothing_is_marked_for_nobody(topic: MemoryTopic) -> None:
    store = opened(topic)
    with store.on_behalf_of(None):
        store.put_connector("a", {})
    assert dict(topic.records[0].headers) == {}


def test_the_next_leader_knows_the_marks_of_the_last_one(topic: MemoryTopic) -> None:
    store = opened(topic)
    follower = opened(topic)
    with store.on_behalf_of("r1"):
        store.put_restart(RestartRequest("a"))
    assert follower.has_seen("r1"), "also where nothing came of it: there is no such connector"
    assert opened(topic).has_seen("r1")


def test_a_mark_that_cannot_be_read_does_not_keep_its_record_from_being_told(topic: MemoryTopic) -> None:
    told: list[ConfigEvent] = []
    opened(topic, told)
    record = records.connector_record("a", {"name": "a"})
    MemoryLog(topic).write([record._replace(headers=((records.REQUEST, b"\xff\xfe"),))])
    assert [event.connector for event in told] == ["a"]


def test_the_oldest_marks_are_forgotten(topic: MemoryTopic, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config_store, "_REQUESTS_REMEMBERED", 3)
    store = opened(topic)
    for number in range(5):
        with store.on_behalf_of(f"r{number}"):
            store.put_connector("a", {})
    assert [store.has_seen(f"r{number}") for number in range(5)] == [False, False, True, True, True]


# --- promises ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("promised", "header"),
    [
        (["a-b"], b"[null]"),
        ([T12], b"[12]"),
        (["a-b", T0, T12], b"[null,0,12]"),
        ([], None),
    ],
)
def test_what_a_restart_promises_stands_beside_the_record(promised: list[InstanceId], header: bytes | None) -> None:
    request = RestartRequest("a-b", only_failed=True, include_tasks=True)
    record = records.restart_record(request, promised)
    assert record[:2] == records.restart_record(request)[:2], "Kafka Connect sees no difference"
    assert dict(record.headers).get("drover-promised") == header
    assert records.promised_of("a-b", dict(record.headers)) == frozenset(promised)


@pytest.mark.parametrize("header", [b"", b"x", b"{}", b"7", b'"a"', b'["x"]', b"[{}]", b"[true,1.5]"])
def test_a_promise_that_cannot_be_read_promises_nothing_it_does_not_say(header: bytes) -> None:
    """One bad record must not stop the reading of the others."""
    promised = records.promised_of("a", {"drover-promised": header})
    assert promised <= {TaskId("a", 1), TaskId("a", 0)}


def test_a_reader_is_told_what_was_promised_and_where_it_stands(topic: MemoryTopic) -> None:
    told: list[ConfigEvent] = []
    store = opened(topic, told)
    store.put_connector("a-b", {})
    request = RestartRequest("a-b", include_tasks=True)
    store.put_restart(request, ["a-b", T0])
    assert told[-1] == ConfigEvent("a-b", restart=request, promised=frozenset({"a-b", T0}))
    assert [event.offset for event in told] == [0, 1]


def test_a_restart_and_what_is_shown_of_it_are_one_write(topic: MemoryTopic) -> None:
    statuses = MemoryTopic()
    right = MemoryRight()
    writer = MemoryWriter(right)
    store = ConfigStore(MemoryLog(topic), writer)
    store.start()
    also = [Part(MemoryLog(statuses), [KeyValue(b"k", b"v")])]
    with pytest.raises(Fenced):
        store.put_restart(RestartRequest("a"), ["a"], also)
    assert (topic.records, statuses.records) == ([], [])
    writer.claim()
    assert store.put_restart(RestartRequest("a"), ["a"], also) == [{0: 1}, {0: 1}]


# --- who may write ----------------------------------------------------------------------------------------------------


def test_one_that_only_reads_cannot_write(topic: MemoryTopic) -> None:
    store = ConfigStore(MemoryLog(topic))
    store.start()
    with pytest.raises(Fenced):
        store.put_connector("a", {})
    assert topic.records == []


def test_the_newest_claimant_alone_writes_until_it_gives_the_right_up(topic: MemoryTopic) -> None:
    right = MemoryRight()
    older, newer = MemoryWriter(right), MemoryWriter(right)
    log = MemoryLog(topic)

    def write(writer: MemoryWriter, key: bytes) -> bool:
        try:
            writer.write([Part(log, [KeyValue(key, b"")])])
        except Fenced:
            return False
        return True

    assert not write(older, b"unclaimed")
    older.claim()
    assert write(older, b"1")
    newer.claim()
    assert not write(older, b"fenced")
    older.release()
    assert write(newer, b"2"), "one that has lost it cannot give it up"
    newer.release()
    assert not write(newer, b"released")
    older.claim()
    assert write(older, b"3")
    assert [record.key for record in topic.records] == [b"1", b"2", b"3"]


def test_a_write_to_several_logs_says_how_far_to_read_in_each(topic: MemoryTopic) -> None:
    other = MemoryTopic()
    writer = MemoryWriter()
    writer.claim()
    writer.write([Part(MemoryLog(topic), [KeyValue(b"1", b"")])])
    parts = [Part(MemoryLog(other), [KeyValue(b"2", b"")]), Part(MemoryLog(topic), [KeyValue(b"3", b""), KeyValue(b"4", b"")])]
    assert writer.write(parts) == [{0: 1}, {0: 3}]


def test_whoever_answers_one_part_of_a_write_comes_after_all_of_it(topic: MemoryTopic) -> None:
    """A restart and the RESTARTING that it promises: an owner that reads the one must not be quicker than the other."""
    first, second, writer = MemoryLog(topic), MemoryTopic(), MemoryWriter()
    answering = threading.Thread(target=lambda: second.append([KeyValue(b"answer", b"")]))

    def answer(_: LogRecord) -> None:
        answering.start()
        answering.join(0.2)

    first.start(answer)
    writer.claim()
    writer.write([Part(first, [KeyValue(b"question", b"")]), Part(MemoryLog(second), [KeyValue(b"promise", b"")])])
    answering.join(5)
    assert [record.key for record in second.records] == [b"promise", b"answer"]
