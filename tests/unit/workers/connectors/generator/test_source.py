"""What a generator has to make, and when. What comes out of Spark is compared in tests/integration/test_generator.py."""

import re
from collections.abc import Mapping

import pytest

from workers.connectors.base import ConnectError
from workers.connectors.configdef import Invalid
from workers.connectors.generator import source
from workers.connectors.generator.schemas import READY_MADE, expressions
from workers.connectors.generator.source import GeneratorSourceConnector, GeneratorSourceTask
from workers.herder.values import Fields, PartitionOffset

PARTITION = {"generator": "t", "task": 0, "tasks": 1}


def task(number: int = 0, tasks: int = 1, offset: Fields | None = None, **config: str) -> GeneratorSourceTask:
    given = {"topic": "t", "rate": "-1", **config, "generator.task": str(number), "generator.tasks": str(tasks)}
    made = GeneratorSourceTask(given)

    def committed(partition: Fields) -> Fields | None:
        assert partition == {"generator": "t", "task": number, "tasks": tasks}
        return offset

    made.start(committed)
    return made


def spans(made: GeneratorSourceTask, most: int = 20) -> list[tuple[object, object]]:
    found: list[tuple[object, object]] = []
    while (new := made.next_range()) is not None and len(found) < most:
        assert made.next_range() == new, "it comes again until it is committed"
        made.committed(new)
        found.append((new.start, new.end))
    return found


def test_a_range_has_its_offset_and_topic() -> None:
    new = task(records="3").next_range()
    assert new is not None
    assert (new.start, new.end, list(new.offsets), new.topics) == (0, 3, [(PARTITION, {"position": 3})], ["t"])


def test_as_fast_as_possible_in_jobs_that_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "RANGE_RECORDS", 4)
    assert spans(task(records="9")) == [(0, 4), (4, 8), (8, 9)]
    assert len(spans(task(), most=7)) == 7


def test_it_goes_on_where_the_offset_says() -> None:
    assert spans(task(records="9", offset={"position": 7})) == [(7, 9)]
    assert spans(task(records="9", offset={"position": 10})) == []


@pytest.mark.parametrize("records", [0, 1, 2, 3, 10])
@pytest.mark.parametrize("tasks", [1, 2, 3, 4])
def test_all_tasks_together_make_each_record_once(records: int, tasks: int) -> None:
    numbers: list[int] = []
    for number in range(tasks):
        for start, end in spans(task(number, tasks, records=str(records))):
            numbers += [position * tasks + number for position in range(int(str(start)), int(str(end)))]
    assert sorted(numbers) == list(range(records))


def test_the_rate_is_that_of_all_tasks_together(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("workers.connectors.generator.source.time.monotonic", lambda: now)
    made = task(1, 2, rate="20")
    assert spans(made) == [(0, 1)]
    now += 1
    assert spans(made) == [(1, 11)]
    now += 0.05
    assert spans(made) == []


@pytest.mark.parametrize("offset", [{}, {"position": "1"}, {"position": -1}, {"position": True}])
def test_an_offset_that_is_none_is_refused(offset: Fields) -> None:
    with pytest.raises(ConnectError, match="An offset of a generator is how many records"):
        task(offset=offset)


@pytest.mark.parametrize(
    ("config", "key", "message"),
    [
        ({"topic": ""}, "topic", "Invalid value  for configuration topic: String must be non-empty"),
        (
            {"schema": "order"},
            "schema",
            "Invalid value order for configuration schema: It is neither one of orders, clicks, users nor a list of fields: "
            "a type is missing after 'order'",
        ),
        (
            {"rate": "0"},
            "rate",
            "Invalid value 0.0 for configuration rate: Value must be more than 0, or -1 for as fast as possible",
        ),
        (
            {"rate": "NaN"},
            "rate",
            "Invalid value nan for configuration rate: Value must be more than 0, or -1 for as fast as possible",
        ),
        ({"records": "-2"}, "records", "Invalid value -2 for configuration records: Value must be at least -1"),
        ({"seed": "x"}, "seed", "Invalid value x for configuration seed: Not a number of type LONG"),
        (
            {"key.field": "b", "schema": "a INT"},
            "key.field",
            "Invalid value b for configuration key.field: The schema has no such field; it has a",
        ),
        (
            {"value.format": "avro"},
            "value.format",
            "Invalid value avro for configuration value.format: String must be one of: json, struct",
        ),
    ],
)
def test_which_key_is_wrong(config: Mapping[str, str], key: str, message: str) -> None:
    given = {"topic": "t", **config}
    assert {one.name: one.errors for one in GeneratorSourceConnector.validate(given) if one.errors} == {key: [message]}
    with pytest.raises((Invalid, ConnectError), match=re.escape(message)):
        GeneratorSourceConnector(given)


def test_it_has_as_many_tasks_as_it_may() -> None:
    assert GeneratorSourceConnector({"topic": "t"}).task_configs(2) == [
        {"topic": "t", "generator.task": str(number), "generator.tasks": "2"} for number in range(2)
    ]


@pytest.mark.parametrize("schema", [*READY_MADE, "a DOUBLE, b STRING, c STRUCT<a DOUBLE>"])
def test_fields_of_one_schema_are_independent_and_another_seed_is_another_record(schema: str) -> None:
    texts = [text for _, text in expressions(schema, 1)]
    assert len(set(texts)) == len(texts)
    assert texts != [text for _, text in expressions(schema, 2)]


# --- offsets by hand (KIP-875) ----------------------------------------------------------------------------------------


def alter(partition: Fields | None, offset: Fields | None) -> bool:
    return GeneratorSourceConnector({"topic": "t"}).alter_offsets([PartitionOffset(partition, offset)])


@pytest.mark.parametrize(
    ("partition", "offset"), [(PARTITION, {"position": 0}), (PARTITION, {"position": 2**40}), (PARTITION, None), ({"x": 1}, None)]
)
def test_offsets_that_it_takes(partition: Fields | None, offset: Fields | None) -> None:
    assert alter(partition, offset)


@pytest.mark.parametrize(
    ("partition", "offset", "message"),
    [
        (PARTITION, {"position": -1}, "An offset of a generator is how many records its task has made"),
        (PARTITION, {}, "An offset of a generator is how many records its task has made"),
        (None, {"position": 1}, "A partition of a generator is one of its tasks"),
        ({**PARTITION, "x": 1}, {"position": 1}, "A partition of a generator is one of its tasks"),
        ({**PARTITION, "task": "0"}, {"position": 1}, "A partition of a generator is one of its tasks"),
    ],
)
def test_offsets_that_it_refuses(partition: Fields | None, offset: Fields | None, message: str) -> None:
    with pytest.raises(ConnectError, match=message):
        alter(partition, offset)
