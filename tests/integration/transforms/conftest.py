"""A Spark of the tests' own, and Kafka Connect's classes beside it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.integration.transforms.peer import Peer, connect
from workers.converters.base import SESSION_OPTIONS as OF_CONVERTERS
from workers.transforms.base import SESSION_OPTIONS


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    scratch: Path = tmp_path_factory.mktemp("spark")
    options = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.local.dir": str(scratch),
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        "spark.sql.adaptive.enabled": "false",
        **OF_CONVERTERS,
        # Compiling costs more than it gives for some twenty records.
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        **SESSION_OPTIONS,
    }
    builder = SparkSession.builder.master("local[1]").appName("transforms")
    for key, value in options.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def peer() -> Iterator[Peer]:
    with connect() as peer:
        yield peer
