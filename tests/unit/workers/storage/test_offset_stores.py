"""A source with an offsets topic of its own, beside the group's."""

import pytest

from workers.herder.values import Fields, PartitionOffset
from workers.storage.log import LogError, Positions
from workers.storage.memory_log import MemoryLog, MemoryTopic
from workers.storage.offset_store import OffsetStore
from workers.storage.offset_stores import ConnectorOffsets, OffsetStores
from workers.storage.records import KeyValue

P, Q = {"p": 1}, {"q": 1}


class Topics:
    def __init__(self) -> None:
        self.by_name: dict[str, MemoryTopic] = {}
        self.opened: list[str] = []
        self.stores = OffsetStores(self.store("group"), self.open, own_topic="group")

    def store(self, topic: str) -> OffsetStore:
        made = OffsetStore(MemoryLog(self.by_name.setdefault(topic, MemoryTopic())))
        made.start()
        return made

    def open(self, topic: str) -> OffsetStore:
        self.opened.append(topic)
        return self.store(topic)

    def put(self, topic: str, partition: Fields, offset: Fields) -> None:
        self.store(topic).commit("a", partition, offset)

    def values(self, topic: str) -> list[bytes | None]:
        return [record.value for record in self.by_name[topic].records]


@pytest.fixture
def topics() -> Topics:
    return Topics()


@pytest.mark.parametrize("topic", [None, "group"])
def test_without_a_topic_of_its_own_it_is_the_groups(topics: Topics, topic: str | None) -> None:
    topics.stores.of(topic).commit("a", P, {"n": 1}, 1)
    assert (topics.opened, topics.values("group")) == ([], [b'{"n":1}'])


def test_where_there_are_no_topics_it_has_no_effect(topics: Topics) -> None:
    alone = OffsetStores(topics.store("group"))
    alone.of("mine").commit("a", P, {"n": 1}, 1)
    assert list(topics.by_name) == ["group"]


def test_its_own_topic_counts_and_the_groups_is_what_it_falls_back_to(topics: Topics) -> None:
    topics.put("group", P, {"n": 1})
    topics.put("group", Q, {"n": 2})
    topics.put("mine", P, {"n": 3})
    mine = topics.stores.of("mine")
    assert (mine.offset("a", P), mine.offset("a", Q), mine.offset("a", {"r": 1})) == ({"n": 3}, {"n": 2}, None)
    assert mine.offsets("a") == [PartitionOffset(P, {"n": 3}), PartitionOffset(Q, {"n": 2})]


def test_both_are_written(topics: Topics) -> None:
    mine = topics.stores.of("mine")
    mine.commit("a", P, {"n": 1}, 1)
    parts = mine.alteration("a", [PartitionOffset(P, None)], 1)
    assert [len(part.records) for part in parts] == [1, 1]
    for log, lines in parts:
        log.write(lines)
    assert topics.values("mine") == topics.values("group") == [b'{"n":1}', None]
    assert mine.alteration("a", [], 1) == []


class BrokenLog(MemoryLog):
    def write(self, records: object) -> Positions:
        raise LogError("no leader")


def test_only_its_own_has_to_take_a_commit(topics: Topics) -> None:
    broken = OffsetStore(BrokenLog())
    ConnectorOffsets([topics.store("mine"), broken]).commit("a", P, {"n": 1}, 1)
    assert topics.values("mine") == [b'{"n":1}']
    with pytest.raises(LogError):
        ConnectorOffsets([broken, topics.store("mine")]).commit("a", P, {"n": 2}, 1)
    assert topics.values("mine") == [b'{"n":1}']


def test_a_topic_is_opened_once(topics: Topics) -> None:
    for _ in range(2):
        topics.stores.of("mine")
    assert topics.opened == ["mine"]


def test_tasks_of_the_past_are_found_in_all_of_them(topics: Topics) -> None:
    heard: list[str] = []
    topics.stores.watch(lambda: heard.append("disowned"))
    mine = topics.stores.of("mine")
    for log, lines in mine.alteration("a", [PartitionOffset(P, {"n": 7})], 5):
        log.write(lines)
    mine.commit("a", P, {"n": 1}, 5)
    assert (heard, topics.stores.newest_epoch, mine.offset("a", P)) == (["disowned"] * 2, 5, {"n": 7})
    for log, lines in topics.stores.restatements():
        log.write(lines)
    assert topics.values("mine")[-1] == topics.values("group")[-1] == b'{"n":7}'
    assert topics.stores.restatements() == []


def test_a_key_is_written_as_each_topic_has_it(topics: Topics) -> None:
    MemoryLog(topics.by_name["group"]).write([KeyValue(b'["a",{"y":2,"x":1}]', b'{"n":1}')])
    mine = topics.stores.of("mine")
    mine.commit("a", {"x": 1, "y": 2}, {"n": 2}, 1)
    assert [record.key for record in topics.by_name["group"].records] == [b'["a",{"y":2,"x":1}]'] * 2
    assert mine.offsets("a") == [PartitionOffset({"x": 1, "y": 2}, {"n": 2})]
