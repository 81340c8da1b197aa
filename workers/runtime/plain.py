"""Records as Kafka takes them, where no converter has made bytes of them: texts and bytes as they are, structs as JSON."""

from pyspark.sql import DataFrame
from pyspark.sql.types import ArrayType, BinaryType, DataType, MapType, StructType, VariantType


def as_kafka_takes_them(records: DataFrame) -> DataFrame:
    columns = [f"{_plain(field.dataType, field.name)} AS `{field.name}`" for field in records.schema.fields]
    return records.selectExpr(*columns)


def _plain(kind: DataType, name: str) -> str:
    if name not in ("key", "value") or isinstance(kind, BinaryType):
        return f"`{name}`"
    nested = isinstance(kind, StructType | MapType | ArrayType | VariantType)
    return f"to_json(`{name}`)" if nested else f"CAST(`{name}` AS STRING)"
