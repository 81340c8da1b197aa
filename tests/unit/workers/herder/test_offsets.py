"""What is taken for an offset, and in which words the rest is refused (KIP-875)."""

import pytest

from workers.herder import offsets
from workers.herder.errors import HerderError
from workers.herder.offsets import Change, Verb
from workers.herder.states import TargetState
from workers.herder.values import ConnectorEntry, ConnectorType, Fields, Partition, PartitionOffset

ONE, TWO = Partition("t", 1), Partition("t", 2)


def altered(kind: ConnectorType, *wanted: tuple[Fields | None, Fields | None]) -> Change:
    return offsets.alteration("c", {}, kind, [PartitionOffset(*pair) for pair in wanted])


def refusal(kind: ConnectorType, partition: Fields | None, offset: Fields | None) -> tuple[int, str]:
    with pytest.raises(HerderError) as raised:
        altered(kind, (partition, offset))
    return raised.value.status, raised.value.message


@pytest.mark.parametrize(
    ("partition", "offset", "expected"),
    [
        ({"kafka_topic": "t", "kafka_partition": 1}, {"kafka_offset": 5}, 5),
        ({"kafka_topic": "t", "kafka_partition": "1"}, {"kafka_offset": "5"}, 5),
        ({"kafka_topic": "t", "kafka_partition": "+1"}, {"kafka_offset": 2**63 - 1}, 2**63 - 1),
        ({"kafka_topic": "t", "kafka_partition": 1, "more": 1}, {"kafka_offset": 0, "more": 1}, 0),
        ({"kafka_topic": "t", "kafka_partition": 1}, None, None),
    ],
)
def test_what_is_a_sinks_offset(partition: Fields, offset: Fields | None, expected: int | None) -> None:
    change = altered("sink", (partition, offset))
    assert change.sink == {ONE: expected}
    said = None if expected is None else {"kafka_offset": expected}
    assert change.given == [PartitionOffset({"kafka_partition": 1, "kafka_topic": "t"}, said)]


def test_a_topic_may_be_any_scalar() -> None:
    change = altered(
        "sink", ({"kafka_topic": 7, "kafka_partition": 1}, None), ({"kafka_topic": True, "kafka_partition": 1}, None)
    )
    assert set(change.sink) == {Partition("7", 1), Partition("true", 1)}


AT = {"kafka_topic": "t", "kafka_partition": 1}
KEYS = "The partition for a sink connector offset must contain the keys 'kafka_topic' and 'kafka_partition'"
NUMBER = (
    "Failed to parse the following Kafka {0} value in the provided offsets: '{1}'. "
    "{2} values for sink connectors need to be integers."
)


@pytest.mark.parametrize(
    ("partition", "offset", "message"),
    [
        (None, None, "The partition for a sink connector offset cannot be null or missing"),
        ({}, None, KEYS),
        ({"kafka_topic": "t"}, None, KEYS),
        ({"kafka_partition": 1}, None, KEYS),
        ({"kafka_topic": None, "kafka_partition": 1}, None, "Kafka topic names must be valid strings and may not be null"),
        ({"kafka_topic": "t", "kafka_partition": None}, None, "Kafka partitions must be valid numbers and may not be null"),
        ({"kafka_topic": "t", "kafka_partition": "x"}, None, NUMBER.format("partition", "x", "Partition")),
        ({"kafka_topic": "t", "kafka_partition": 1.5}, None, NUMBER.format("partition", "1.5", "Partition")),
        ({"kafka_topic": "t", "kafka_partition": 2**31}, None, NUMBER.format("partition", 2**31, "Partition")),
        (AT, {}, "The offset for a sink connector should either be null or contain the key 'kafka_offset'"),
        (AT, {"kafka_offset": "x"}, NUMBER.format("offset", "x", "Offset")),
        (AT, {"kafka_offset": " 5"}, NUMBER.format("offset", " 5", "Offset")),
        (AT, {"kafka_offset": 1.5}, NUMBER.format("offset", "1.5", "Offset")),
        (AT, {"kafka_offset": None}, NUMBER.format("offset", "null", "Offset")),
        (AT, {"kafka_offset": True}, NUMBER.format("offset", "true", "Offset")),
        (AT, {"kafka_offset": 2**63}, NUMBER.format("offset", 2**63, "Offset")),
    ],
)
def test_what_is_none(partition: Fields | None, offset: Fields | None, message: str) -> None:
    assert refusal("sink", partition, offset) == (400, message)


def test_a_negative_one_is_refused_as_kafka_connect_does() -> None:
    assert refusal("sink", AT, {"kafka_offset": -1}) == (500, "Failed to modify offsets for sink connector c")


@pytest.mark.parametrize(
    ("partition", "offset"),
    [({"a": "x", "b": 1, "c": 1.5, "d": True, "e": None}, {"n": 1}), ({"a": 1}, None), (None, None), (None, {"n": 1}), ({}, {})],
)
def test_what_is_a_sources_offset(partition: Fields | None, offset: Fields | None) -> None:
    assert altered("source", (partition, offset)).given == [PartitionOffset(partition, offset)]


@pytest.mark.parametrize(("value", "kind"), [({}, "MAP"), ([], "ARRAY")])
def test_a_sources_fields_are_primitive(value: object, kind: str) -> None:
    message = f"Offsets may only contain primitive types as values, but field a contains {kind}"
    assert refusal("source", {"b": 1, "a": value}, None) == (500, message)
    assert refusal("source", {"b": 1}, {"a": value}) == (500, message)


def test_of_several_for_one_partition_the_last_counts() -> None:
    change = altered("source", ({"a": 1, "b": 2}, {"n": 1}), ({"a": 2}, None), ({"b": 2, "a": 1}, {"n": 2}))
    assert change.given == [PartitionOffset({"b": 2, "a": 1}, {"n": 2}), PartitionOffset({"a": 2}, None)]
    sink = altered("sink", (AT, {"kafka_offset": 1}), ({**AT, "kafka_partition": "1"}, {"kafka_offset": 2}))
    assert sink.sink == {ONE: 2}


def test_a_reset_is_of_all_that_is_known() -> None:
    known = [PartitionOffset({"a": 1}, {"n": 1}), PartitionOffset(None, {"n": 2})]
    change = offsets.reset("c", {}, "source", known)
    assert (change.verb, change.given) == (Verb.RESET, [PartitionOffset({"a": 1}, None), PartitionOffset(None, None)])


@pytest.mark.parametrize(
    ("verb", "handled", "message"),
    [
        (Verb.ALTER, True, "The offsets for this connector have been altered successfully"),
        (Verb.RESET, True, "The offsets for this connector have been reset successfully"),
        (
            Verb.ALTER,
            False,
            "The Connect framework-managed offsets for this connector have been altered successfully. However, if this connector "
            "manages offsets externally, they will need to be manually altered in the system that the connector uses.",
        ),
        (
            Verb.RESET,
            False,
            "The Connect framework-managed offsets for this connector have been reset successfully. However, if this connector "
            "manages offsets externally, they will need to be manually reset in the system that the connector uses.",
        ),
    ],
)
def test_what_the_caller_is_told(verb: Verb, handled: bool, message: str) -> None:
    assert Change("c", {}, "source", verb, [], {}).message(handled) == message


@pytest.mark.parametrize(
    ("state", "tasks", "allowed"),
    [
        (TargetState.STOPPED, 0, True),
        (TargetState.STOPPED, 1, False),
        (TargetState.PAUSED, 0, False),
        (TargetState.STARTED, 0, False),
    ],
)
def test_only_of_a_stopped_connector_without_tasks(state: TargetState, tasks: int, allowed: bool) -> None:
    entry = ConnectorEntry("c", {}, target_state=state, task_count=tasks)
    assert offsets.is_stopped(entry) is allowed
    if allowed:
        offsets.require_stopped(entry)
        return
    with pytest.raises(HerderError) as raised:
        offsets.require_stopped(entry)
    assert (raised.value.status, raised.value.message) == (
        400,
        "Connectors must be in the STOPPED state before their offsets can be modified. This can be done for the specified "
        "connector by issuing a 'PUT' request to the '/connectors/c/stop' endpoint",
    )


@pytest.mark.parametrize(
    ("config", "group"),
    [({}, "connect-c"), ({"consumer.override.group.id": "g"}, "g"), ({"consumer.override.group.id": ""}, "connect-c")],
)
def test_a_sinks_group(config: dict[str, str], group: str) -> None:
    assert offsets.group_of("c", config) == group
