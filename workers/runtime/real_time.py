"""Spans of real-time queries that can be ended before their time.

Spark sets the end of a span when it plans it, and a reader of its Kafka source to whom nothing comes sleeps until then. So a
stop, which is clean only between two spans, would have to wait as long. In that source's place comes one around it, whose readers
look up ten times a second and see what is noted in the memory that they share with the driver. Where Spark's executors are
processes of their own there is none, and spans have to be short.
"""

from typing import Any

from pyspark.sql import SparkSession

from workers.runtime import java_classes

#: Seconds. Half of what a stop waits for at most by default.
_SHORT = 2.5


def source(spark: SparkSession) -> str:
    """The format by which a real-time query is to read Kafka."""
    return java_classes.for_driver(spark, "RealTimeKafka") if _shares_memory(spark) else "kafka"


def span(spark: SparkSession, wanted: float) -> float:
    """Seconds after which one ends at the latest."""
    return wanted if _shares_memory(spark) else min(wanted, _SHORT)


def end(spark: SparkSession, query: str) -> None:
    """The span that this query is in, at once."""
    if _shares_memory(spark):
        _spans(spark).end(query)


def rows(spark: SparkSession, query: str) -> int | None:
    """How many records this query has read so far, also of the span that it is in; None where nobody tells."""
    return int(_spans(spark).rows(query)) if _shares_memory(spark) else None


def forget(spark: SparkSession, query: str) -> None:
    """When it is over."""
    if _shares_memory(spark):
        _spans(spark).forget(query)


def _shares_memory(spark: SparkSession) -> bool:
    return bool(spark.sparkContext._jsc.sc().isLocal())


def _spans(spark: SparkSession) -> Any:
    jvm: Any = spark.sparkContext._jvm
    return getattr(jvm, java_classes.for_driver(spark, "RealTimeKafka"))
