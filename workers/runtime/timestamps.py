"""Records that keep their timestamps: Spark's Kafka sink takes topic, partition, key, value and headers of a row, and no more.

So a record's timestamp travels as a header, and an interceptor of the producer's turns it into what it is.
"""

from pyspark.sql import DataFrame

from workers.runtime import java_classes

_HEADERS = "array<struct<key:string,value:binary>>"
_TIMESTAMP = "named_struct('key', 'drover.timestamp', 'value', cast(cast(unix_millis(timestamp) AS string) AS binary))"
_WITH_TIMESTAMP = f"""
CASE WHEN coalesce(unix_millis(timestamp), -1) < 0 THEN headers WHEN headers IS NULL THEN array({_TIMESTAMP})
ELSE concat(headers, array({_TIMESTAMP})) END AS headers
"""


def as_headers(records: DataFrame) -> tuple[DataFrame, dict[str, str]]:
    """The rows, their `timestamp` among their headers, and the producer's properties that make it what it was."""
    if "timestamp" not in records.columns:
        return records, {}
    interceptor = java_classes.for_executors(records.sparkSession, "RecordTimestamp")
    others = [f"`{name}`" for name in records.columns if name not in ("timestamp", "headers")]
    given = records if "headers" in records.columns else records.selectExpr("*", f"cast(null AS {_HEADERS}) AS headers")
    return given.selectExpr(*others, _WITH_TIMESTAMP), {"interceptor.classes": interceptor}
