"""What the transforms have to ask Spark."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.types import DataType

from workers.data import sql
from workers.data.records import DataError
from workers.transforms.sql_transform import TypeOf


def type_of(spark: SparkSession) -> TypeOf:
    """Runs no job."""

    def ask(expression: str, columns: Mapping[str, str]) -> DataType:
        empty = spark.range(0).selectExpr(*(f"CAST(NULL AS {kind}) AS {sql.name(name)}" for name, kind in columns.items()))
        try:
            return empty.selectExpr(expression).schema[0].dataType
        except PySparkException as wrong:
            raise DataError(str(wrong).strip().splitlines()[0], "org.apache.spark.sql.AnalysisException") from wrong

    return ask
