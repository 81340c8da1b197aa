"""Records between a connector and Kafka, through a Spark of the tests' own."""

import datetime
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from workers.converters.base import SESSION_OPTIONS, Converter, Decoded, Encoded, OneSchema
from workers.converters.catalogue import create
from workers.data.chain import Link
from workers.data.records import Data, DataError, Effect, Failure, Record, Routing
from workers.data.schema import STRING, Schema, SchemaType, struct
from workers.pipeline.conversion import Conversion
from workers.pipeline.failures import RecordFailure, failure_in
from workers.pipeline.pipeline import SinkPipeline, SourcePipeline
from workers.transforms.plugins import chain_of

AT = datetime.datetime(2026, 1, 2)
COLUMNS = (
    "topic string, partition int, offset long, timestamp timestamp, timestampType int, "
    "headers array<struct<key:string,value:binary>>, key binary, value binary"
)
INTEGER = create("value", {"value.converter": "org.apache.kafka.connect.converters.IntegerConverter"})
TEXT = create("value", {"value.converter": "StringConverter"})
BYTES = create("value", {"value.converter": "ByteArrayConverter"})
ONE, TWO, POISON = b"\0\0\0\1", b"\0\0\0\2", b"poison"


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    options = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.local.dir": str(tmp_path_factory.mktemp("spark")),
        "spark.sql.adaptive.enabled": "false",
        **SESSION_OPTIONS,
    }
    builder = SparkSession.builder.master("local[1]").appName("pipeline")
    for key, value in options.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def consumed(spark: SparkSession, *values: bytes | None) -> DataFrame:
    rows = [("t", 0, number, AT, 0, [("h", b"1")], b"k", value) for number, value in enumerate(values, 10)]
    return spark.createDataFrame(rows, COLUMNS)


def column(records: DataFrame, name: str = "value") -> list[Any]:
    return [row[name] for row in records.collect()]


class Suffixed:
    """A transform: a text at the end of the value; `bad` is one that it cannot do this to."""

    name = "example.Suffixed"
    routing = Routing.NONE

    def __init__(self, suffix: str = "!", *, drop: str | None = None) -> None:
        self._suffix = suffix
        self._drop = drop

    def apply(self, record: Record) -> Effect:
        value = record.value.sql
        failure = Failure(f"CASE WHEN {value} = 'bad' THEN concat('not ', {value}) END")
        drop = None if self._drop is None else f"coalesce({value} = '{self._drop}', false)"
        return Effect(value=Data(f"concat({value}, '{self._suffix}')", STRING), drop=drop, failures=(failure,))


# --- to a sink --------------------------------------------------------------------------------------------------------


def test_a_sink_gets_the_columns_of_the_contract(spark: SparkSession) -> None:
    shaped = SinkPipeline(Conversion(TEXT, INTEGER)).incoming(consumed(spark, ONE))
    assert shaped.frame.dtypes == [
        ("topic", "string"),
        ("partition", "int"),
        ("offset", "bigint"),
        ("timestamp", "timestamp"),
        ("headers", "array<struct<key:string,value:binary>>"),
        ("key", "string"),
        ("value", "int"),
    ]
    assert [tuple(row) for row in shaped.frame.collect()] == [("t", 0, 10, AT, [("h", b"1")], "k", 1)]
    assert shaped.failed() == 0


def test_a_text_that_nobody_looks_into_keeps_its_bytes(spark: SparkSession) -> None:
    frame = SinkPipeline(Conversion(TEXT, TEXT)).incoming(consumed(spark, b"\xff raw", None)).frame
    assert column(frame.selectExpr("CAST(value AS BINARY) AS value")) == [b"\xff raw", None]


def test_whoever_tolerates_all_gets_the_others_in_order_and_their_number(spark: SparkSession) -> None:
    pipeline = SinkPipeline(Conversion(TEXT, INTEGER), tolerates_all=True)
    batch = consumed(spark, ONE, POISON, None, POISON, TWO)
    shaped = pipeline.incoming(batch)
    assert shaped.failed() is None, "nobody has looked yet"
    assert column(shaped.frame) == [1, None, 2]
    assert shaped.failed() == 2
    failing = pipeline.failing(batch).collect()
    assert [row.origin.offset for row in failing] == [11, 13]
    assert [(row.raw_key, row.raw_value, row.raw_headers) for row in failing] == [(b"k", POISON, [("h", b"1")])] * 2
    assert {row.error.stage for row in failing} == {"VALUE_CONVERTER"}


def test_where_nothing_is_wrong_nothing_is_counted_twice(spark: SparkSession) -> None:
    shaped = SinkPipeline(Conversion(TEXT, INTEGER), tolerates_all=True).incoming(consumed(spark, ONE))
    assert column(shaped.frame) == [1]
    assert shaped.failed() == 0


def test_however_it_is_written_it_is_counted(spark: SparkSession, tmp_path: Path) -> None:
    """To files, and by a way on which Spark makes a plan of its own."""
    pipeline = SinkPipeline(Conversion(TEXT, TEXT, [Link(Suffixed())]), tolerates_all=True)
    shaped = pipeline.incoming(consumed(spark, b"a", b"bad"))
    shaped.frame.select("value").write.text((tmp_path / "out").as_uri())
    assert shaped.failed() == 1
    shaped = pipeline.incoming(consumed(spark, b"a", b"bad"))
    shaped.frame.rdd.map(lambda row: row.value).count()
    assert shaped.failed() == 1


def failure(records: DataFrame) -> RecordFailure:
    with pytest.raises(Exception, match="USER_RAISED_EXCEPTION") as caught:
        records.select("value").collect()
    found = failure_in(caught.value)
    assert found is not None
    return found


def test_without_tolerance_the_record_is_named(spark: SparkSession) -> None:
    found = failure(SinkPipeline(Conversion(TEXT, INTEGER)).incoming(consumed(spark, ONE, POISON)).frame)
    assert (found.at.topic, found.at.partition, found.at.start) == ("t", 0, 11)
    assert (found.stage, found.class_name) == ("VALUE_CONVERTER", INTEGER.name)
    assert found.origin["timestampType"] == "CreateTime"


def test_a_transforms_failure_is_of_its_stage_and_class(spark: SparkSession) -> None:
    links = [Link(Suffixed()), Link(Suffixed("?"))]
    found = failure(SinkPipeline(Conversion(TEXT, TEXT, links)).incoming(consumed(spark, b"bad")).frame)
    assert (found.stage, found.class_name, found.message) == ("TRANSFORMATION", Suffixed.name, "not bad")


def test_filtered_records_go_nowhere_and_are_no_failures(spark: SparkSession) -> None:
    conversion = Conversion(TEXT, TEXT, [Link(Suffixed(drop="b")), Link(Suffixed("?", drop="c!"))])
    pipeline = SinkPipeline(conversion, tolerates_all=True)
    shaped = pipeline.incoming(consumed(spark, b"a", b"b", b"c", b"bad"))
    assert column(shaped.frame) == ["a!?"]
    assert shaped.failed() == 1


class ByFirstLetter(OneSchema):
    """A converter with a schema for each first letter: a struct with a field of that name."""

    name = "example.ByFirstLetter"

    def schema_text(self, parsed: str) -> str | None:
        return f"left(CAST({parsed} AS STRING), 1)"

    def decode(self, parsed: str, schema_text: str | None = None) -> Decoded:
        if schema_text is None:
            return Decoded(Data("CAST(NULL AS VARIANT)", None))
        if schema_text == "x":
            raise DataError("x has no schema")
        text = f"CAST({parsed} AS STRING)"
        made = f"CASE WHEN {parsed} IS NOT NULL THEN named_struct('{schema_text}', {text}, 'n', length({text})) END"
        return Decoded(Data(made, struct({schema_text: STRING, "n": Schema(SchemaType.INT32)}, optional=True)))

    def encode(self, data: Data) -> Encoded:
        raise NotImplementedError


def test_several_schemas_become_one(spark: SparkSession) -> None:
    pipeline = SinkPipeline(Conversion(TEXT, ByFirstLetter()))
    frame = pipeline.incoming(consumed(spark, b"a1", b"b22", None, b"a3")).frame
    assert dict(frame.dtypes)["value"] == "struct<a:string,n:int,b:string>"
    assert column(frame) == [("a1", 2, None), (None, 3, "b22"), None, ("a3", 2, None)]


def test_a_schema_that_comes_later_is_learnt(spark: SparkSession) -> None:
    pipeline = SinkPipeline(Conversion(TEXT, ByFirstLetter()))
    assert column(pipeline.incoming(consumed(spark, b"a1")).frame) == [("a1", 2)]
    later = consumed(spark, b"a2", b"b1")
    with pytest.raises(Exception, match="unknown-schema") as caught:
        pipeline.incoming(later).frame.collect()
    assert pipeline.learns(caught.value, lambda: later)
    assert column(pipeline.incoming(later).frame) == [("a2", 2, None), (None, 2, "b1")]
    assert not pipeline.learns(caught.value, lambda: later), "there was nothing more to learn"
    assert not pipeline.learns(RuntimeError("something else"), lambda: later)


def test_what_no_record_of_a_schema_can_be_is_of_its_records_alone(spark: SparkSession) -> None:
    pipeline = SinkPipeline(Conversion(TEXT, ByFirstLetter()), tolerates_all=True)
    shaped = pipeline.incoming(consumed(spark, b"x", b"a1"))
    assert [row["a"] for row in column(shaped.frame)] == ["a1"]
    assert shaped.failed() == 1


# --- from a source ----------------------------------------------------------------------------------------------------


def given(spark: SparkSession, columns: str, *rows: tuple[Any, ...]) -> DataFrame:
    return spark.createDataFrame(list(rows), columns)


@pytest.mark.parametrize("kind", ["string", "binary"])
def test_what_kafka_takes_as_it_is_is_left_alone(spark: SparkSession, kind: str) -> None:
    records = given(spark, f"topic string, key {kind}, value {kind}")
    converter = TEXT if kind == "string" else BYTES
    assert SourcePipeline(Conversion(converter, converter)).outgoing(records).frame is records


def renames(regex: str, replacement: str, **more: str) -> dict[str, str]:
    return {"type": "RegexRouter", "regex": regex, "replacement": replacement, **more}


@pytest.mark.parametrize(
    ("transforms", "by_record", "expected"),
    [
        ([], False, ["a", "it's"]),
        ([{"type": "InsertHeader", "header": "h", "value.literal": "x"}], False, ["a", "it's"]),
        ([renames("(.*)", "$1-x"), renames("a(.*)", "b$1")], False, ["b-x", "it's-x"]),
        ([renames("a", "$9")], False, ["a", "it's"]),
        ([{"type": "drover.SqlTransform", "value": "'x'"}], False, ["a", "it's"]),
        ([{"type": "drover.SqlTransform", "topic": "value"}], True, None),
        ([renames("a", "b"), {"type": "TimestampRouter"}], True, None),
        ([renames("a", "b", predicate="p")], True, None),
    ],
)
def test_where_records_go(
    spark: SparkSession, transforms: list[dict[str, str]], by_record: bool, expected: list[str] | None
) -> None:
    config = {"transforms": ",".join(f"t{number}" for number in range(len(transforms))), "predicates": "p"}
    config |= {"predicates.p.type": "RecordIsTombstone"}
    config |= {f"transforms.t{number}.{key}": value for number, one in enumerate(transforms) for key, value in one.items()}
    pipeline = SourcePipeline(Conversion(TEXT, TEXT, chain_of(config)))
    assert pipeline.routes_records is by_record
    if expected is not None:
        for _ in range(2):
            assert pipeline.destinations(spark, ["a", "it's"]) == expected


def test_a_source_is_encoded_and_keeps_what_it_says(spark: SparkSession) -> None:
    records = given(
        spark,
        "topic string, partition int, key string, value int, headers array<struct<key:string,value:binary>>, other int",
        ("t", 3, None, 1, [("h", None)], 0),
    )
    frame = SourcePipeline(Conversion(TEXT, INTEGER)).outgoing(records).frame
    assert [row.asDict() for row in frame.collect()] == [
        {"topic": "t", "key": None, "value": ONE, "partition": 3, "headers": [("h", None)]}
    ]


def test_a_key_that_is_null_always_is_null_in_kafka(spark: SparkSession) -> None:
    records = spark.sql("SELECT 't' AS topic, NULL AS key, 'v' AS value")
    for links in ([], [Link(Suffixed())]):
        frame = SourcePipeline(Conversion(TEXT, TEXT, links)).outgoing(records).frame
        rows = frame.selectExpr("key", "CAST(value AS STRING) AS value").collect()
        assert [tuple(row) for row in rows] == [(None, "v!" if links else "v")]


def test_of_a_source_too(spark: SparkSession) -> None:
    records = given(spark, "topic string, key string, value string", ("t", "k", "a"), ("t", "k", "bad"), ("t", "k", "c"))
    conversion = Conversion(TEXT, TEXT, [Link(Suffixed())])
    pipeline = SourcePipeline(conversion, tolerates_all=True, shows_records=True)
    shaped = pipeline.outgoing(records)
    assert column(shaped.frame) == [b"a!", b"c!"]
    assert shaped.failed() == 1
    (row,) = pipeline.failing(records).collect()
    assert row.origin.asDict() == {"topic": "t", "partition": None, "key": "k", "value": "bad"}
    assert failure(SourcePipeline(conversion).outgoing(records).frame).origin == {"topic": "t"}


# --- with JSON --------------------------------------------------------------------------------------------------------


def json_converter(**settings: str) -> Converter:
    return create("value", {"value.converter": "JsonConverter", **{f"value.converter.{k}": v for k, v in settings.items()}})


def enveloped(payload: str, **fields: str) -> bytes:
    inner = ",".join(f'{{"field":"{name}","type":"{kind}","optional":true}}' for name, kind in fields.items())
    return f'{{"schema":{{"type":"struct","optional":true,"fields":[{inner}]}},"payload":{payload}}}'.encode()


def test_json_with_schemas_that_change_a_tombstone_and_a_poisoned_one(spark: SparkSession) -> None:
    pipeline = SinkPipeline(Conversion(TEXT, json_converter()), tolerates_all=True)
    old, new = enveloped('{"a":1}', a="int32"), enveloped('{"a":2,"b":"x"}', a="int32", b="string")
    shaped = pipeline.incoming(consumed(spark, old, None, b"{no json", new))
    assert dict(shaped.frame.dtypes)["value"] == "struct<a:int,b:string>"
    assert column(shaped.frame) == [(1, None), None, (2, "x")]
    assert shaped.failed() == 1


def test_json_without_schemas_stays_as_it_is(spark: SparkSession) -> None:
    pipeline = SinkPipeline(Conversion(TEXT, json_converter(**{"schemas.enable": "false"})))
    frame = pipeline.incoming(consumed(spark, b'{"a":[1,"x"]}', None)).frame
    assert dict(frame.dtypes)["value"] == "variant"
    assert column(frame.selectExpr("to_json(value) AS value")) == ['{"a":[1,"x"]}', None]


def test_a_line_in_kafka_connects_envelope(spark: SparkSession) -> None:
    """As FileStreamSource has it: a text that is never null, and no key."""
    records = spark.sql("SELECT 't' AS topic, NULL AS key, 'line' AS value")
    frame = SourcePipeline(Conversion(json_converter(), json_converter())).outgoing(records).frame
    (row,) = frame.selectExpr("key", "CAST(value AS STRING) AS value").collect()
    assert (row.key, row.value) == (None, '{"schema":{"type":"string","optional":false},"payload":"line"}')
