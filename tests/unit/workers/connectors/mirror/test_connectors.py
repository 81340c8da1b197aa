"""What is said of the mirrors' configs, and what they do without a cluster."""

from collections.abc import Iterable
from dataclasses import dataclass

import pytest

from workers.connectors.base import ConnectError, RetriableError, SourceConnector, StreamPosition, Trigger
from workers.connectors.mirror.checkpoint import MirrorCheckpointConnector
from workers.connectors.mirror.heartbeat import MirrorHeartbeatConnector, MirrorHeartbeatTask
from workers.connectors.mirror.records import Heartbeat
from workers.connectors.mirror.source import MirrorSourceConnector
from workers.connectors.mirror.source_offsets import position
from workers.connectors.mirror.source_task import MirrorSourceTask
from workers.herder.values import Partition

GOOD = {
    "name": "a->b",
    "source.cluster.alias": "a",
    "source.cluster.bootstrap.servers": "a:1",
    "target.cluster.alias": "b",
    "target.cluster.bootstrap.servers": "b:1",
}
BOTH = (MirrorSourceConnector, MirrorCheckpointConnector)
ALL = (*BOTH, MirrorHeartbeatConnector)


def errors(connector: type[SourceConnector], config: dict[str, str]) -> dict[str, list[str]]:
    return {value.name: value.errors for value in connector.validate(config) if value.errors}


@pytest.mark.parametrize("connector", ALL)
def test_a_good_config_is_good(connector: type[SourceConnector]) -> None:
    assert errors(connector, GOOD) == {}


@pytest.mark.parametrize(
    ("connectors", "wrong", "key"),
    [
        (ALL, {"source.cluster.alias": ""}, "source.cluster.alias"),
        (ALL, {"target.cluster.bootstrap.servers": " "}, "target.cluster.bootstrap.servers"),
        (BOTH, {"source.cluster.bootstrap.servers": ""}, "source.cluster.bootstrap.servers"),
        (ALL, {"replication.policy.class": "org.example.Mine"}, "replication.policy.class"),
        (BOTH, {"topic.filter.class": "org.example.Mine"}, "topic.filter.class"),
        (BOTH, {"topics": "a,[b"}, "topics"),
        (BOTH, {"topics": "a,a"}, "topics"),
        (BOTH, {"offset-syncs.topic.location": "elsewhere"}, "offset-syncs.topic.location"),
        ([MirrorSourceConnector], {"config.properties.exclude": "("}, "config.properties.exclude"),
        ([MirrorSourceConnector], {"offset.lag.max": "many"}, "offset.lag.max"),
        (
            [MirrorSourceConnector],
            {"emit.offset-syncs.enabled": "false", "offset-syncs.topic.location": "target"},
            "emit.offset-syncs.enabled",
        ),
        ([MirrorSourceConnector], {"trigger": "available-now"}, "trigger"),
        ([MirrorSourceConnector], {"trigger": "realtime", "errors.tolerance": "all"}, "trigger"),
        ([MirrorSourceConnector], {"trigger.interval.ms": "0"}, "trigger.interval.ms"),
        ([MirrorCheckpointConnector], {"groups": "*"}, "groups"),
        ([MirrorCheckpointConnector], {"emit.checkpoints.enabled": "false"}, "emit.checkpoints.enabled"),
        ([MirrorCheckpointConnector], {"emit.offset-syncs.enabled": "false"}, "emit.offset-syncs.enabled"),
        ([MirrorHeartbeatConnector], {"emit.heartbeats.interval.seconds": "x"}, "emit.heartbeats.interval.seconds"),
    ],
)
def test_what_is_wrong_is_said_of_its_key(connectors: list[type[SourceConnector]], wrong: dict[str, str], key: str) -> None:
    for connector in connectors:
        assert list(errors(connector, {**GOOD, **wrong})) == [key], connector


def test_a_missing_address_is_named() -> None:
    config = {key: value for key, value in GOOD.items() if not key.endswith("bootstrap.servers")}
    assert errors(MirrorSourceConnector, config) == {
        f"{side}.cluster.bootstrap.servers": [
            f'Missing required configuration "{side}.cluster.bootstrap.servers" which has no default value.'
        ]
        for side in ("source", "target")
    }


@pytest.mark.parametrize("connector", BOTH)
def test_one_that_is_not_enabled_asks_nobody_and_has_no_tasks(connector: type[SourceConnector]) -> None:
    made = connector({**GOOD, "enabled": "false"})
    made.start()
    assert made.task_configs(3) == []
    made.stop()


def test_heartbeats_that_are_off_have_no_task() -> None:
    assert MirrorHeartbeatConnector({**GOOD, "emit.heartbeats.enabled": "false"}).task_configs(3) == []
    assert MirrorHeartbeatConnector(GOOD).task_configs(3) == [GOOD]


def test_a_heart_beats_in_time() -> None:
    now = 50.0
    task = MirrorHeartbeatTask({**GOOD, "emit.heartbeats.interval.seconds": "2"}, lambda: now, lambda: 1_700_000_000.5)
    assert task.next_range() is None
    now = 52.0
    new = task.next_range()
    assert new is not None
    assert (new.end, new.topics) == (Heartbeat("a", "b", 1_700_000_000_500), ["heartbeats"])
    assert new.offsets == [({"sourceClusterAlias": "a", "targetClusterAlias": "b"}, {"offset": 0})]
    task.committed(new)
    assert task.next_range() is None
    now = 60.0
    assert task.next_range() is not None, "what was missed is not made up for"
    task.committed(new)
    assert task.next_range() is not None
    task.committed(new)
    assert task.next_range() is None


@pytest.mark.parametrize(
    ("stored", "next_one"), [(None, None), ({}, None), ({"offset": 0}, 1), ({"offset": 41}, 42), ({"offset": -1}, None)]
)
def test_what_is_stored_is_the_last_that_was_read(stored: dict[str, object] | None, next_one: int | None) -> None:
    assert position(stored) == next_one


def test_an_offset_of_another_kind_is_told() -> None:
    with pytest.raises(ConnectError, match="The stored offset is none"):
        position({"offset": "x"})


# --- in real time -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "trigger"),
    [
        ({}, None),
        ({"trigger": "interval"}, None),
        ({"trigger": "realtime"}, Trigger("realtime", 60.0)),
        ({"trigger": "realtime", "trigger.interval.ms": "500"}, Trigger("realtime", 0.5)),
    ],
)
def test_a_task_is_a_query_in_real_time_alone(more: dict[str, str], trigger: Trigger | None) -> None:
    assert task(**more).trigger() == trigger


def task(**more: str) -> MirrorSourceTask:
    return MirrorSourceTask({**GOOD, "task.assigned.partitions": "t-0,t-1,x-y-0", **more})


def test_a_query_goes_on_where_each_partition_stands_and_tells_those_that_have_gone_on() -> None:
    made = task(trigger="realtime")
    made.passed(StreamPosition('{"t":{"0":0,"1":7},"x-y":{"0":3}}'))
    assert made.slots() == 3
    assert made.topics() == ["a.t", "a.x-y"]
    assert made.position([]) == StreamPosition('{"t":{"0":0,"1":7},"x-y":{"0":3}}')
    reached = StreamPosition('{"t":{"0":0,"1":8},"x-y":{"0":5}}')
    assert made.offsets(reached) == [
        ({"cluster": "a", "partition": 1, "topic": "t"}, {"offset": 7}),
        ({"cluster": "a", "partition": 0, "topic": "x-y"}, {"offset": 4}),
    ]
    made.passed(reached)
    assert made.offsets(reached) == []


@dataclass
class Ends:
    """Where the source's partitions end. All of them begin at 0."""

    now: dict[Partition, int]

    def ends(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        return {one: self.now[one] for one in partitions if one in self.now}

    def begins(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        return dict.fromkeys(partitions, 0)


@pytest.mark.parametrize(
    ("now", "anew", "position"),
    [
        ({"0": 4, "1": 9}, False, '{"t":{"0":4,"1":7}}'),
        ({"0": 4, "1": 7}, False, '{"t":{"0":4,"1":7}}'),
        ({"0": 4, "1": 6}, True, '{"t":{"0":4,"1":0}}'),
        ({"0": 0, "1": 0}, True, '{"t":{"0":0,"1":0}}'),
    ],
)
def test_a_query_that_failed_begins_anew_where_a_topic_was_made_anew(now: dict[str, int], anew: bool, position: str) -> None:
    made = task(trigger="realtime", **{"task.assigned.partitions": "t-0,t-1"})
    made.passed(StreamPosition('{"t":{"0":4,"1":7}}'))
    made._ends = Ends({Partition("t", int(number)): end for number, end in now.items()})  # type: ignore[assignment]
    assert made.begins_anew() is anew
    assert made.position([]) == StreamPosition(position)


def test_a_query_whose_topic_is_not_there_is_tried_again() -> None:
    made = task(trigger="realtime", **{"task.assigned.partitions": "t-0,t-1"})
    made.passed(StreamPosition('{"t":{"0":4,"1":7}}'))
    made._ends = Ends({Partition("t", 0): 4})  # type: ignore[assignment]
    with pytest.raises(RetriableError, match="Not in the source cluster at the moment: t-1"):
        made.begins_anew()
