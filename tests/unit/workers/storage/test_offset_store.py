"""Which records count: a task that should long have stopped changes nothing of what was altered by hand."""

import pytest

from workers.herder.values import Fields, PartitionOffset
from workers.storage.memory_log import MemoryLog, MemoryTopic
from workers.storage.offset_store import OffsetStore
from workers.storage.records import KeyValue

P, Q = {"p": 1}, {"q": 1}


@pytest.fixture
def topic() -> MemoryTopic:
    return MemoryTopic()


def store_of(topic: MemoryTopic) -> OffsetStore:
    made = OffsetStore(MemoryLog(topic))
    made.start()
    return made


@pytest.fixture
def store(topic: MemoryTopic) -> OffsetStore:
    return store_of(topic)


def alter(store: OffsetStore, epoch: int, *offsets: tuple[Fields | None, Fields | None]) -> None:
    store.log.write(store.alteration("a", [PartitionOffset(*pair) for pair in offsets], epoch))


def known(topic: MemoryTopic) -> list[tuple[Fields | None, Fields | None]]:
    """To one who reads the topic from its beginning."""
    return [(item.partition, item.offset) for item in store_of(topic).offsets("a")]


def compacted(topic: MemoryTopic) -> MemoryTopic:
    """What compaction leaves of it, tombstones too."""
    newest = {record.key: KeyValue(record.key, record.value, tuple(record.headers.items())) for record in topic.records}
    left = MemoryTopic()
    left.append(list(newest.values()))
    return left


def test_what_is_altered_holds_against_tasks_of_before(topic: MemoryTopic, store: OffsetStore) -> None:
    store.commit("a", P, {"n": 1}, 3)
    alter(store, 5, (P, {"n": 100}))
    for epoch in (3, 5):
        store.commit("a", P, {"n": 2}, epoch)
        assert (store.offset("a", P), known(topic)) == ({"n": 100}, [(P, {"n": 100})])
    store.commit("a", P, {"n": 101}, 6)
    assert (store.offset("a", P), known(topic)) == ({"n": 101}, [(P, {"n": 101})])


def test_so_does_a_reset_and_of_partitions_it_did_not_know(topic: MemoryTopic, store: OffsetStore) -> None:
    store.commit("a", P, {"n": 1}, 3)
    alter(store, 5, (P, None))
    store.commit("a", P, {"n": 2}, 3)
    store.commit("a", Q, {"n": 2}, 3)
    assert (store.offsets("a"), known(topic)) == ([], [])


def test_other_connectors_and_other_hands_are_not_concerned(store: OffsetStore) -> None:
    alter(store, 5, (P, {"n": 100}))
    store.commit("b", P, {"n": 1}, 3)
    assert store.offset("b", P) == {"n": 1}
    store.commit("a", P, {"n": 1})
    assert store.offset("a", P) == {"n": 1}, "Kafka Connect's records have no epoch"


@pytest.mark.parametrize("altered", [{"n": 100}, None])
def test_what_counts_is_stated_again_and_is_what_compaction_leaves(
    topic: MemoryTopic, store: OffsetStore, altered: Fields | None
) -> None:
    heard: list[str] = []
    store.watch(lambda: heard.append("disowned"))
    alter(store, 5, (P, altered))
    assert store.restatements() == []
    store.commit("a", P, {"n": 2}, 3)
    store.commit("a", Q, {"n": 2}, 3)
    assert heard == ["disowned"] * 2
    expected = [] if altered is None else [(P, altered)]
    assert known(compacted(topic)) != expected, "the commit of the past would be all there is"

    store.log.write(store.restatements())

    assert (known(topic), known(compacted(topic))) == (expected, expected)
    assert (store.restatements(), heard) == ([], ["disowned"] * 2)


def test_a_restatement_keeps_the_running_tasks_mark(topic: MemoryTopic, store: OffsetStore) -> None:
    alter(store, 5, (P, {"n": 100}))
    store.commit("a", P, {"n": 101}, 6)
    store.commit("a", P, {"n": 2}, 3)
    store.log.write(store.restatements())
    assert (store.offset("a", P), known(compacted(topic))) == ({"n": 101}, [(P, {"n": 101})])
    store.commit("a", P, {"n": 102}, 6)
    assert store.offset("a", P) == {"n": 102}


@pytest.mark.parametrize("counted", [{"n": 101}, None])
def test_what_its_task_commits_meanwhile_is_not_undone_by_a_restatement(
    topic: MemoryTopic, store: OffsetStore, counted: Fields | None
) -> None:
    """It was on its way: what it says is of before."""
    alter(store, 5, (P, {"n": 100}))
    if counted is None:
        alter(store, 5, (P, None))
    else:
        store.commit("a", P, counted, 6)
    store.commit("a", P, {"n": 2}, 3)
    late = store.restatements()
    store.commit("a", P, {"n": 102}, 6)
    store.log.write(late)
    assert (store.offset("a", P), known(topic)) == ({"n": 102}, [(P, {"n": 102})])
    store.log.write(store.restatements())
    assert (store.restatements(), known(compacted(topic))) == ([], [(P, {"n": 102})])


def test_another_reader_knows_what_is_to_be_stated(topic: MemoryTopic, store: OffsetStore) -> None:
    """The next leader, if the one before did not get to it."""
    alter(store, 5, (P, {"n": 100}))
    store.commit("a", P, {"n": 2}, 3)
    assert store_of(topic).restatements() == store.restatements() != []


def test_the_newest_epoch_is_of_all_records(store: OffsetStore) -> None:
    assert store.newest_epoch == -1
    store.commit("a", P, {"n": 1})
    assert store.newest_epoch == -1
    store.commit("a", P, {"n": 1}, 3)
    assert store.newest_epoch == 3
    alter(store, 5, (P, None))
    assert store.newest_epoch == 5


def test_a_partition_is_written_as_it_stands_in_the_topic(topic: MemoryTopic, store: OffsetStore) -> None:
    """However the caller writes it: under another key there would be two truths."""
    store.commit("a", {"db": "d", "table": "t"}, {"n": 1}, 3)
    alter(store, 5, ({"table": "t", "db": "d"}, {"n": 9}))
    store.commit("a", {"table": "t", "db": "d"}, {"n": 10}, 6)
    assert {record.key for record in topic.records} == {b'["a",{"db":"d","table":"t"}]'}
    assert known(compacted(topic)) == [({"db": "d", "table": "t"}, {"n": 10})]


def test_where_it_stands_twice_both_are_written(topic: MemoryTopic) -> None:
    keys = [b'["a",{"x":1,"y":2}]', b'["a",{"y":2,"x":1}]']
    topic.append([KeyValue(key, b'{"n":1}') for key in keys])
    store = store_of(topic)
    alter(store, 5, ({"x": 1, "y": 2}, None))
    assert [(record.key, record.value) for record in topic.records[2:]] == [(key, None) for key in keys]
    assert store.offsets("a") == []
