"""The worker's one Spark driver."""

import os
import shutil
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from django.conf import settings
from pyspark.sql import SparkSession

from workers.config import CannotStart, WorkerConfig
from workers.converters.base import SESSION_OPTIONS as OF_CONVERTERS
from workers.runtime import pyspark_loggers
from workers.runtime.warm_up import warm_up_later
from workers.transforms.base import SESSION_OPTIONS as OF_TRANSFORMS

LOGGING = Path(__file__).resolve().parent / "log4j2.properties"
# What a backlog took goes back to the machine once it is worked off.
_HEAP_OPTIONS = "-XX:+UseG1GC -XX:MaxHeapFreeRatio=30 -XX:MinHeapFreeRatio=10"


def _jars() -> str:
    jars = sorted((Path(settings.BASE_DIR) / ".jars" / "spark").glob("*.jar"))
    if not jars:
        raise CannotStart("Spark's Kafka jars are missing: `manage.py jars` fetches them.")
    return ",".join(map(str, jars))


# What PySpark brings itself, and packages name as well.
_HERE_ALREADY = ("org.apache.hadoop", "org.apache.logging.log4j", "org.apache.parquet", "org.scala-lang", "org.slf4j")


def master(wanted: str, realtime_slots: int, cores: int) -> str:
    """`local[*]` with slots for the queries that keep theirs (`trigger=realtime`) besides one for each core."""
    return f"local[{cores + realtime_slots}]" if wanted == "local[*]" else wanted


def packages(names: Sequence[str]) -> dict[str, str]:
    if not names:
        return {}
    return {
        "spark.jars.packages": ",".join(names),
        "spark.jars.excludes": ",".join(f"{group}:*" for group in _HERE_ALREADY),
    }


def _options(config: WorkerConfig) -> dict[str, str]:
    scratch = Path(config.data_dir) / "spark"
    # What a killed driver left behind.
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    return {
        "spark.app.name": f"drover {config.group_id} {config.worker_id}",
        "spark.jars": _jars(),
        "spark.driver.memory": config.spark_memory,
        "spark.driver.extraJavaOptions": f"{_HEAP_OPTIONS} -Dlog4j2.configurationFile={LOGGING.as_uri()}",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.local.dir": str(scratch),
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        # A backlog must not keep small jobs waiting.
        "spark.scheduler.mode": "FAIR",
        # What is read in parallel is read by the cores that there are, not by all slots.
        **({"spark.default.parallelism": str(_cores())} if config.spark_master == "local[*]" else {}),
        # Small jobs are most jobs: what plans at run time costs them more than it gives (docs/performance.md).
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
        "spark.hadoop.mapreduce.fileoutputcommitter.algorithm.version": "2",
        "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
        # What a finished job has fetched too much is of use to the next one, at once or never; it is megabytes.
        "spark.kafka.consumer.fetchedData.cache.timeout": "2s",
        "spark.kafka.consumer.fetchedData.cache.evictorThreadRunInterval": "1s",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        **OF_CONVERTERS,
        **OF_TRANSFORMS,
        "spark.sql.ui.retainedExecutions": "10",
        "spark.ui.retainedJobs": "10",
        "spark.ui.retainedStages": "10",
        "spark.ui.retainedTasks": "100",
        **packages(config.spark_packages),
        **config.spark_conf,
    }


def _cores() -> int:
    return os.cpu_count() or 1


def start_session(config: WorkerConfig) -> SparkSession:
    """Starts the driver. Made on a thread of its own: on the main thread PySpark would take over Ctrl-C. Raises CannotStart."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    pyspark_loggers.silence()
    builder = SparkSession.builder.master(master(config.spark_master, config.realtime_slots, _cores()))
    for key, value in _options(config).items():
        builder = builder.config(key, value)
    made: list[SparkSession] = []
    failed: list[BaseException] = []

    def make() -> None:
        try:
            made.append(builder.getOrCreate())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=make, name="spark-start")
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    warm_up_later(made[0], config)
    return made[0]
