"""Kafka Connect's schemas and Spark's types."""

import pytest
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    CharType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    NullType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    VariantType,
)

from workers.data.records import Data, DataError
from workers.data.schema import DATE_SCHEMA, TIME_SCHEMA, TIMESTAMP_SCHEMA, Schema, SchemaType, decimal, struct
from workers.data.spark_types import data_of, schema_of, spark_type

INT = Schema(SchemaType.INT32)
TEXT = Schema(SchemaType.STRING, optional=True)


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        (None, "VARIANT"),
        (INT, "INT"),
        (Schema(SchemaType.INT8), "TINYINT"),
        (Schema(SchemaType.BYTES), "BINARY"),
        (decimal(7), "DECIMAL(38,7)"),
        (DATE_SCHEMA, "DATE"),
        # Milliseconds of the day.
        (TIME_SCHEMA, "INT"),
        (TIMESTAMP_SCHEMA, "TIMESTAMP"),
        (Schema(SchemaType.INT64, name="anything.else"), "BIGINT"),
        (Schema(SchemaType.ARRAY, value=TEXT), "ARRAY<STRING>"),
        (Schema(SchemaType.MAP, key=INT, value=Schema(SchemaType.ARRAY, value=INT)), "MAP<INT, ARRAY<INT>>"),
        (struct({"a": INT, "b`c": decimal(2)}), "STRUCT<`a`: INT, `b``c`: DECIMAL(38,2)>"),
        (struct({}), "STRUCT<>"),
    ],
)
def test_the_type_of_a_schema(schema: Schema | None, kind: str) -> None:
    assert spark_type(schema) == kind


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ((), "Invalid Decimal schema: scale parameter not found."),
        ((("scale", "x"),), "Invalid scale parameter found in Decimal schema: "),
        ((("scale", "39"),), "A decimal has 0 to 38 places here, not 39."),
        ((("scale", "-1"),), "A decimal has 0 to 38 places here, not -1."),
    ],
)
def test_decimals_that_spark_has_not(parameters: tuple[tuple[str, str], ...], message: str) -> None:
    schema = Schema(SchemaType.BYTES, name="org.apache.kafka.connect.data.Decimal", parameters=parameters)
    with pytest.raises(DataError, match=rf"^{message}$"):
        spark_type(schema)


@pytest.mark.parametrize(
    ("kind", "schema"),
    [
        (ByteType(), Schema(SchemaType.INT8)),
        (ShortType(), Schema(SchemaType.INT16)),
        (IntegerType(), INT),
        (LongType(), Schema(SchemaType.INT64)),
        (FloatType(), Schema(SchemaType.FLOAT32)),
        (DoubleType(), Schema(SchemaType.FLOAT64)),
        (BooleanType(), Schema(SchemaType.BOOLEAN)),
        (StringType(), Schema(SchemaType.STRING)),
        (CharType(3), Schema(SchemaType.STRING)),
        (BinaryType(), Schema(SchemaType.BYTES)),
        (DateType(), DATE_SCHEMA),
        (TimestampType(), TIMESTAMP_SCHEMA),
        (TimestampNTZType(), TIMESTAMP_SCHEMA),
        (DecimalType(10, 2), decimal(2)),
        (VariantType(), None),
        (NullType(), None),
        (ArrayType(StringType(), True), Schema(SchemaType.ARRAY, value=TEXT)),
        (MapType(IntegerType(), StringType(), True), Schema(SchemaType.MAP, key=INT, value=TEXT)),
        (
            StructType([StructField("a", IntegerType(), False), StructField("b", StringType())]),
            struct({"a": INT, "b": TEXT}),
        ),
    ],
)
def test_the_schema_of_a_column(kind: DataType, schema: Schema | None) -> None:
    assert schema_of(kind, nullable=False) == schema
    assert schema_of(kind) == (None if schema is None else schema.as_optional())


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (DayTimeIntervalType(), r"^Kafka Connect has no type for a column of Spark's interval day to second\.$"),
        (
            ArrayType(DayTimeIntervalType()),
            r"^Kafka Connect has no type for a column of Spark's array<interval day to second>\.$",
        ),
        (ArrayType(VariantType()), r"no variant may be within array<variant>\.$"),
    ],
)
def test_columns_that_kafka_connect_has_nothing_for(kind: DataType, message: str) -> None:
    with pytest.raises(DataError, match=message):
        schema_of(kind)


@pytest.mark.parametrize(
    ("kind", "sql"),
    [
        (StringType(), "c"),
        (IntegerType(), "c"),
        (DecimalType(38, 2), "c"),
        # Spark has several types for one schema.
        (DecimalType(10, 2), "CAST(c AS DECIMAL(38,2))"),
        (TimestampNTZType(), "CAST(c AS TIMESTAMP)"),
        (NullType(), "CAST(c AS VARIANT)"),
        (VariantType(), "c"),
        (ArrayType(IntegerType()), "CAST(c AS ARRAY<INT>)"),
    ],
)
def test_a_connectors_column(kind: DataType, sql: str) -> None:
    assert data_of("c", kind) == Data(sql, schema_of(kind))
