"""A Spark driver in the tests' own process, set up like a worker's; no other service."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from workers.runtime.session import LOGGING, packages

DELTA = "io.delta:delta-spark_4.2_2.13:4.4.0"
DELTA_CONF = {
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}
#: Python data sources, where worker processes and Spark's Python workers find them.
PACKAGES = Path(__file__).resolve().parent / "packages"
JARS = Path(__file__).resolve().parents[3] / ".jars" / "spark"


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # Spark's Python workers have it from the driver, which has it from here.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(PACKAGES), os.environ.get("PYTHONPATH"))))
    sys.path.insert(0, str(PACKAGES))
    folder = tmp_path_factory.mktemp("spark")
    options = {
        "spark.jars": ",".join(map(str, sorted(JARS.glob("*.jar")))),
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={LOGGING.as_uri()}",
        "spark.local.dir": str(folder),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.scheduler.mode": "FAIR",
        "spark.sql.adaptive.enabled": "false",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        **packages([DELTA]),
        **DELTA_CONF,
    }
    builder = SparkSession.builder.master("local[4]")
    for key, value in options.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    yield session
    session.stop()
