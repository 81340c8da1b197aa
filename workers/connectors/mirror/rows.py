"""Records that a mirror makes itself, as rows: a few, made on the driver."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class OwnRecord(NamedTuple):
    """For the topic's first partition. `timestamp`: milliseconds since 1970."""

    topic: str
    key: bytes
    value: bytes
    timestamp: int


def frame(spark: SparkSession, records: Sequence[OwnRecord]) -> DataFrame:
    import pyarrow

    from workers.runtime import local_frames

    columns = {
        "topic": pyarrow.array([record.topic for record in records], pyarrow.string()),
        "key": pyarrow.array([record.key for record in records], pyarrow.binary()),
        "value": pyarrow.array([record.value for record in records], pyarrow.binary()),
        "partition": pyarrow.array([0] * len(records), pyarrow.int32()),
        "timestamp": pyarrow.array([record.timestamp * 1000 for record in records], pyarrow.timestamp("us", "UTC")),
    }
    return local_frames.frame(spark, pyarrow.table(columns))
