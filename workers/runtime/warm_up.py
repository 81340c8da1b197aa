"""A worker's first job takes ten seconds where later ones take a tenth of one: classes are loaded, code is generated, Python
workers start. All of that can be had before anybody waits for it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession
from pyspark.sql.functions import coalesce, col, lit

from workers.config import WorkerConfig
from workers.connectors.base import KafkaRange
from workers.runtime import local_frames
from workers.runtime.kafka_frames import read_ranges, write_records

if TYPE_CHECKING:
    import pyarrow

logger = logging.getLogger(__name__)

# Until then the worker is on its way to be ready, and so are others on this machine.
_AFTER_SECONDS = 2.0
_RECORDS = 10


def warm_up_later(spark: SparkSession, config: WorkerConfig) -> None:
    """In the background: a job that comes meanwhile shares the cores with it, and what it has done so far."""
    thread = threading.Timer(_AFTER_SECONDS, _warm_up, (spark, config))
    thread.name, thread.daemon = "warm-up", True
    thread.start()


def _warm_up(spark: SparkSession, config: WorkerConfig) -> None:
    try:
        spark.sparkContext.setLocalProperty("spark.scheduler.pool", "warm-up")
        _as_common_batches_do(spark)
        _as_sources_do(spark, config)
        _as_sinks_do(spark, config)
    except Exception as error:
        # Nothing depends on it. Should something be wrong, the first job will tell in its own words.
        logger.debug("The warm-up came to nothing", exc_info=error)


def _as_common_batches_do(spark: SparkSession) -> None:
    """Rows in the driver's memory, converted there."""
    import pyarrow

    rows = pyarrow.table({"topic": ["warm-up"], "value": pyarrow.array([b""], pyarrow.binary())})
    local_frames.frame(spark, rows).selectExpr("topic", "CAST(value AS STRING) AS value").collect()


def _as_sources_do(spark: SparkSession, config: WorkerConfig) -> None:
    """Lines through a Python worker, and none of them left for the topic: Kafka gets to see a producer, but no record."""
    lines = spark.range(0, 1, 1, 1).mapInArrow(_reader(), "value binary")
    records = lines.select(lit("warm-up").alias("topic"), lit(None).cast("binary").alias("key"), "value")
    write_records(records.where(col("value") != lit(b"")), config.kafka)


def _reader() -> Callable[[Iterator[pyarrow.RecordBatch]], Iterator[pyarrow.RecordBatch]]:
    # A function inside a function travels to the Python worker by itself; else all that is imported here would have to.
    def read(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        import pyarrow

        for _ in batches:
            pass
        yield pyarrow.RecordBatch.from_arrays([pyarrow.array([b""], pyarrow.binary())], ["value"])

    return read


def _as_sinks_do(spark: SparkSession, config: WorkerConfig) -> None:
    """The config topic's newest records, if there are any, into text files that nobody looks at."""
    topic = config.config_topic.name
    end = config.kafka.end_offsets(topic, [0])[0]
    records = read_ranges(spark, config.kafka, "warm-up", [KafkaRange(topic, 0, max(0, end - _RECORDS), end)])
    lines = records.select(coalesce(col("value").cast("string"), lit("null")).alias("value"))
    with TemporaryDirectory() as folder:
        lines.write.mode("overwrite").text(Path(folder).as_uri())
