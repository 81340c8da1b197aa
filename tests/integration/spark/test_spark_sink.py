"""The task of SparkSink on a real Spark: rows and their types, in files and in a Delta table."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.types import StructType

from workers.connectors.base import ConnectError, KafkaRange, TaskContext
from workers.connectors.spark.sink import SparkSinkConnector, SparkSinkTask
from workers.herder.values import Partition, TaskId

# The first test waits for Spark, and for Delta at its very first run.
Records = Callable[..., DataFrame]


@pytest.fixture
def records(spark: SparkSession) -> Records:
    """The rows that a sink gets: values by their offsets, of one partition, made by an expression of the offset `id`."""

    def make(start: int, end: int, value: str, topic: str = "t", partition: int = 0) -> DataFrame:
        return spark.range(start, end, 1, 1).selectExpr(
            f"'{topic}' AS topic",
            f"CAST({partition} AS INT) AS partition",
            "id AS offset",
            "timestamp_millis(id) AS timestamp",
            "CAST(NULL AS BINARY) AS key",
            f"{value} AS value",
        )

    return make


def task(tmp_path: Path, **config: str) -> SparkSinkTask:
    made = SparkSinkTask({"name": "c", **config})
    made.start(TaskContext(TaskId("c", 0), tmp_path / "scratch"))
    return made


def into(tmp_path: Path, format: str, **config: str) -> SparkSinkTask:
    return task(tmp_path, **{"spark.format": format, "spark.option.path": str(tmp_path / "out"), **config})


TEXTS = "to_json(struct(id, concat('name ', id) AS name))"
STRUCTS = "struct(id, concat('name ', id) AS name)"
COLUMNS = "id BIGINT, name STRING"


def rows(spark: SparkSession, folder: Path, format: str, schema: str = COLUMNS, **options: str) -> list[Row]:
    return sorted(spark.read.format(format).schema(schema).options(**options).load(str(folder / "out")).collect())


@pytest.mark.parametrize("format", ["json", "csv", "parquet", "orc"])
@pytest.mark.parametrize(
    ("value", "config"),
    [
        (STRUCTS, {}),
        (TEXTS, {"spark.schema": COLUMNS}),
        (f"CAST({TEXTS} AS BINARY)", {"spark.schema": COLUMNS}),
        (f"parse_json({TEXTS})", {"spark.schema": COLUMNS}),
    ],
    ids=["struct", "text", "bytes", "variant"],
)
def test_values_become_columns(
    spark: SparkSession, tmp_path: Path, records: Records, format: str, value: str, config: dict[str, str]
) -> None:
    sink = into(tmp_path, format, **config)
    sink.write(records(0, 3, value), [KafkaRange("t", 0, 0, 3)])
    sink.write(records(3, 4, value), [KafkaRange("t", 0, 3, 4)])
    assert rows(spark, tmp_path, format) == [(number, f"name {number}") for number in range(4)]


def test_options_and_folders_by_column(spark: SparkSession, tmp_path: Path, records: Records) -> None:
    sink = into(tmp_path, "csv", **{"spark.option.sep": "|", "spark.option.header": "true", "partition.by": "name"})
    sink.write(records(0, 2, STRUCTS), [KafkaRange("t", 0, 0, 2)])
    assert sorted(path.name for path in (tmp_path / "out").iterdir() if path.is_dir()) == ["name=name 0", "name=name 1"]
    assert rows(spark, tmp_path, "csv", sep="|", header="true") == [(0, "name 0"), (1, "name 1")]


@pytest.mark.parametrize("value", [TEXTS, f"CAST({TEXTS} AS BINARY)", f"parse_json({TEXTS})", STRUCTS])
def test_texts_are_lines(spark: SparkSession, tmp_path: Path, records: Records, value: str) -> None:
    into(tmp_path, "text").write(records(0, 2, value), [KafkaRange("t", 0, 0, 2)])
    assert rows(spark, tmp_path, "text", "value STRING") == [
        ('{"id":0,"name":"name 0"}',),
        ('{"id":1,"name":"name 1"}',),
    ]


def test_a_record_without_a_value_is_no_row(spark: SparkSession, tmp_path: Path, records: Records) -> None:
    into(tmp_path, "json").write(records(0, 4, f"if(id = 2, NULL, {STRUCTS})"), [KafkaRange("t", 0, 0, 4)])
    assert [row.id for row in rows(spark, tmp_path, "json")] == [0, 1, 3]


@pytest.mark.parametrize(
    ("value", "config", "said"),
    [
        (TEXTS, {}, "The values are of type string, and format json wants columns: name them with their types in spark.schema"),
        (f"parse_json({TEXTS})", {}, "The values are of type variant, and format json wants columns"),
        ("id", {"spark.schema": COLUMNS}, "Values of type bigint cannot be made columns by spark.schema"),
    ],
)
def test_what_is_no_columns_is_refused(tmp_path: Path, records: Records, value: str, config: dict[str, str], said: str) -> None:
    with pytest.raises(ConnectError) as refused:
        into(tmp_path, "json", **config).write(records(0, 1, value), [KafkaRange("t", 0, 0, 1)])
    assert str(refused.value).startswith(said)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("value", ["'no json'", '\'{"id": "x"}\'', 'parse_json(\'{"id": "x"}\')'])
def test_a_value_of_another_form_fails_instead_of_being_nulls(tmp_path: Path, records: Records, value: str) -> None:
    with pytest.raises(Exception, match=r"MALFORMED_RECORD|INVALID_VARIANT_CAST"):
        into(tmp_path, "json", **{"spark.schema": COLUMNS}).write(records(0, 1, value), [KafkaRange("t", 0, 0, 1)])


# --- Delta ------------------------------------------------------------------------------------------------------------


def ids(spark: SparkSession, folder: Path) -> list[int]:
    return sorted(row.id for row in spark.read.format("delta").load(str(folder / "out")).collect())


def both(records: Records, first: tuple[int, int], second: tuple[int, int]) -> tuple[DataFrame, list[KafkaRange]]:
    """A job's records of two partitions."""
    made = records(*first, STRUCTS).union(records(*second, STRUCTS, "u", 7))
    return made, [KafkaRange("t", 0, *first), KafkaRange("u", 7, *second)]


def test_a_delta_table_has_each_record_once(spark: SparkSession, tmp_path: Path, records: Records) -> None:
    """A write whose offsets were not committed comes again, from the same offsets on, as far as it pleases: the next life's, on
    another worker's disk."""
    into(tmp_path, "delta").write(*both(records, (0, 3), (100, 102)))
    into(tmp_path, "delta").write(*both(records, (0, 5), (100, 101)))
    assert ids(spark, tmp_path) == [0, 1, 2, 3, 4, 100, 101]
    again = into(tmp_path, "delta")
    again.write(*both(records, (0, 4), (100, 101)))
    again.committed()
    again.write(*both(records, (4, 6), (101, 103)))
    assert ids(spark, tmp_path) == [0, 1, 2, 3, 4, 5, 100, 101, 102]


def test_what_is_committed_is_not_asked_for_again(spark: SparkSession, tmp_path: Path, records: Records) -> None:
    sink = into(tmp_path, "delta")
    sink.write(*both(records, (0, 3), (100, 102)))
    sink.committed()
    sink.write(*both(records, (3, 4), (102, 103)))
    sink.committed()
    assert ids(spark, tmp_path) == [0, 1, 2, 3, 100, 101, 102]


def test_offsets_wound_back_by_hand_mean_what_they_say(spark: SparkSession, tmp_path: Path, records: Records) -> None:
    sink = into(tmp_path, "delta")
    sink.write(*both(records, (0, 3), (100, 102)))
    sink.committed()
    connector = SparkSinkConnector(
        {"name": "c", "connector.class": "SparkSink", "spark.format": "delta", "spark.option.path": str(tmp_path / "out")}
    )
    assert connector.alter_offsets({Partition("t", 0): 0})
    into(tmp_path, "delta").write(*both(records, (0, 3), (100, 102)))
    assert ids(spark, tmp_path) == [0, 0, 1, 1, 2, 2, 100, 101]


def test_a_delta_table_by_its_name(spark: SparkSession, tmp_path: Path, records: Records) -> None:
    for _ in range(2):
        task(tmp_path, **{"spark.format": "delta", "spark.table": "named"}).write(
            records(0, 3, STRUCTS), [KafkaRange("t", 0, 0, 3)]
        )
    assert sorted(row.id for row in spark.table("named").collect()) == [0, 1, 2]


# --- validation -------------------------------------------------------------------------------------------------------

VALID = {"connector.class": "SparkSink", "name": "c", "spark.format": "json", "spark.option.path": "/tmp/x"}


@pytest.mark.parametrize(
    ("change", "field", "said"),
    [
        (
            {"spark.format": "jsn"},
            "spark.format",
            "Invalid value jsn for configuration spark.format: Spark has no such data source.",
        ),
        ({"spark.format": ""}, "spark.format", "String must be non-empty"),
        ({"spark.format": "no_such_module:X"}, "spark.format", "Python data source no_such_module:X cannot be imported"),
        ({"spark.format": "pathlib:Path"}, "spark.format", "pathlib:Path is not a Python data source"),
        ({"spark.schema": "id INTT"}, "spark.schema", "Invalid value id INTT for configuration spark.schema"),
        ({"spark.schema": "id INT,"}, "spark.schema", "Invalid value id INT, for configuration spark.schema"),
        ({"spark.option.path": ""}, "spark.option.path", 'Missing required configuration "spark.option.path"'),
    ],
)
def test_a_wrong_config_is_told_by_its_field(spark: SparkSession, change: dict[str, str], field: str, said: str) -> None:
    found = {value.name: value.errors for value in SparkSinkConnector.validate({**VALID, **change}) if value.errors}
    assert list(found) == [field]
    assert said in found[field][0]


@pytest.mark.parametrize("format", ["json", "delta", "jdbc", "org.apache.spark.sql.kafka010.KafkaSourceProvider"])
def test_a_right_config_has_no_errors(spark: SparkSession, format: str) -> None:
    found = SparkSinkConnector.validate({**VALID, "spark.format": format, "spark.schema": COLUMNS})
    assert [value.errors for value in found if value.errors] == []


def test_the_schema_of_the_tests_is_one() -> None:
    assert isinstance(StructType.fromDDL(COLUMNS), StructType)
