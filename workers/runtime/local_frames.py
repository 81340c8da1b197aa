"""A few records that are in the worker's memory already, as DataFrames."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession


def frame(spark: SparkSession, rows: pyarrow.Table) -> DataFrame:
    """What is made of its columns is made in Spark's driver, without a job, when it is collected. Who writes it by a job keeps
    its order by `coalesce(1)`."""
    return spark.createDataFrame(rows)
