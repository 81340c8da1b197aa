"""A query's position as source partitions and offsets, both ways."""

import json

import pytest

from workers.connectors.base import ConnectError, StreamPosition
from workers.connectors.spark.positions import check, identity, offsets, position, start_of
from workers.herder.values import Fields, PartitionOffset

OF = {"format": "delta", "source": "/table"}
FILES = {"format": "json", "source": "/in"}
NOW = 1_000_000
A, B = "file:///in/a.json", "file:///in/b%20b.json"


def log(batch: int, *files: tuple[str, int]) -> str:
    entries = (json.dumps({"path": path, "timestamp": time, "batchId": batch}, separators=(",", ":")) for path, time in files)
    return "\n".join(["v1", *entries])


@pytest.mark.parametrize(
    ("config", "source"),
    [
        ({"spark.option.path": "/in"}, "/in"),
        ({"spark.option.subscribe": "t", "spark.option.kafka.bootstrap.servers": "b"}, "t"),
        ({"spark.option.rowsPerSecond": "1"}, ""),
    ],
)
def test_identity(config: dict[str, str], source: str) -> None:
    assert identity({"spark.format": "f", **config}) == {"format": "f", "source": source}


@pytest.mark.parametrize(
    ("reached", "start"),
    [
        (StreamPosition('{"sourceVersion":1,"index":-1}'), None),
        (StreamPosition("12", {"0": "v1\n1700000000000"}), "v1\n1700000000000"),
    ],
    ids=["delta", "rate"],
)
def test_what_is_one_text_is_one_offset(reached: StreamPosition, start: str | None) -> None:
    assert start_of(OF, reached) == start
    (stored,) = offsets(OF, reached, start)
    assert stored == (OF, {"offset": reached.offset} | ({"start": start} if start else {}))
    assert position(OF, [PartitionOffset(*stored)], NOW) == reached


def test_partitions_of_kafka_are_partitions() -> None:
    """What its source noted at its beginning is in them already."""
    of = {"format": "kafka", "source": "t"}
    reached = StreamPosition('{"t":{"0":5,"1":0}}', {"0": "v1\n{}"})
    assert start_of(of, reached) is None
    stored = offsets(of, reached, None)
    assert stored == [
        ({**of, "topic": "t", "partition": 0}, {"offset": 5}),
        ({**of, "topic": "t", "partition": 1}, {"offset": 0}),
    ]
    assert position(of, [PartitionOffset(*item) for item in stored], NOW) == StreamPosition(reached.offset)
    assert position(of, [PartitionOffset(*stored[0])], NOW) == StreamPosition('{"t":{"0":5}}')


def test_files_are_partitions_of_their_own() -> None:
    first = offsets(FILES, StreamPosition('{"logOffset":0}', {"0": log(0, (A, 17), (B, 18))}), None)
    assert first == [({**FILES, "file": A}, {"timestamp": 17}), ({**FILES, "file": B}, {"timestamp": 18})]
    assert position(FILES, [PartitionOffset(*item) for item in first], NOW) == StreamPosition(
        '{"logOffset":0}', {"0": log(0, (A, 18), (B, 18))}
    )


@pytest.mark.parametrize(("times", "seeded"), [((0, 18), 18), ((18, NOW + 1), NOW), ((0, 0), 0)])
def test_whatever_time_a_file_was_given_it_is_remembered_and_makes_no_other_old(times: tuple[int, int], seeded: int) -> None:
    stored = [PartitionOffset({**FILES, "file": file}, {"timestamp": time}) for file, time in zip((A, B), times, strict=True)]
    found = position(FILES, stored, NOW)
    assert found is not None
    assert found.log == {"0": log(0, (A, seeded), (B, seeded))}


def test_a_file_that_spark_has_listed_for_a_later_batch_is_not_read_yet() -> None:
    reached = StreamPosition(
        '{"logOffset":9}', {"9.compact": "\n".join([log(8, (A, 17)), log(10, (B, 18)).removeprefix("v1\n")])}
    )
    assert offsets(FILES, reached, None) == [({**FILES, "file": A}, {"timestamp": 17})]


@pytest.mark.parametrize(
    "stored",
    [
        [],
        [PartitionOffset({**OF, "source": "/another"}, {"offset": "1"})],
        [PartitionOffset({**OF, "format": "json"}, {"offset": "1"})],
        [PartitionOffset(None, {"offset": "1"})],
    ],
)
def test_what_is_stored_of_another_source_does_not_count(stored: list[PartitionOffset]) -> None:
    assert position(OF, stored, NOW) is None


@pytest.mark.parametrize(
    ("partition", "offset"),
    [
        (OF, {"offset": "1"}),
        (OF, {"offset": '{"a":1}', "start": "v1"}),
        ({**FILES, "file": A}, {"timestamp": 0}),
        ({"format": "kafka", "source": "t", "topic": "t", "partition": 0}, {"offset": 0}),
    ],
)
def test_what_may_be_an_offset(partition: Fields, offset: Fields) -> None:
    check(partition, offset)


@pytest.mark.parametrize(
    ("partition", "offset", "said"),
    [
        (None, {"offset": "1"}, "Partition objects cannot be null"),
        ({}, {"offset": "1"}, "Partition objects should contain the keys 'format' and 'source'"),
        ({**OF, "more": "x"}, {"offset": "1"}, "Partition objects should contain the keys"),
        ({**OF, "source": 1}, {"offset": "1"}, "with texts as values"),
        (OF, {}, "The value for the 'offset' key is to be Spark's offset, a JSON text"),
        (OF, {"offset": 1}, "Offset objects should contain the key 'offset'"),
        (OF, {"offset": "{"}, "The value for the 'offset' key is to be Spark's offset, a JSON text"),
        (OF, {"offset": "1", "position": "2"}, "Offset objects should contain the key 'offset'"),
        ({**FILES, "file": A}, {"offset": "1"}, "The offset of a file should be its 'timestamp'"),
        ({**FILES, "file": A}, {"timestamp": -1}, "The offset of a file should be its 'timestamp'"),
        ({"format": "kafka", "source": "t"}, {"offset": 0}, "of kafka also 'topic' and 'partition', a number"),
        ({"format": "kafka", "source": "t", "topic": "t", "partition": "0"}, {"offset": 0}, "of kafka also 'topic'"),
        ({"format": "kafka", "source": "t", "topic": "t", "partition": -1}, {"offset": 0}, "of kafka also 'topic'"),
        ({"format": "kafka", "source": "t", "topic": "t", "partition": 0}, {"offset": "0"}, "the next one to be read, a number"),
        ({"format": "kafka", "source": "t", "topic": "t", "partition": 0}, {"offset": -1}, "the next one to be read, a number"),
        ({**FILES, "file": A}, {"timestamp": True}, "The offset of a file should be its 'timestamp'"),
    ],
)
def test_what_cannot_be_one(partition: Fields | None, offset: Fields, said: str) -> None:
    with pytest.raises(ConnectError, match=said):
        check(partition, offset)
