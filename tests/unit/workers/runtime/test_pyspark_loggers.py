import logging

import pytest
from pyspark.logger import PySparkLogger

from workers.runtime import pyspark_loggers


@pytest.mark.parametrize("name", ["SQLQueryContextLogger", "DataFrameQueryContextLogger"])
def test_errors_of_sql_are_not_written_past_the_worker_s_own_log(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    pyspark_loggers.silence()
    logger = PySparkLogger.getLogger(name)
    logger.propagate = False
    logger.exception("password='hidden' is no column", errorClass="UNRESOLVED_COLUMN")
    assert capfd.readouterr() == ("", "")
    handler = logging.NullHandler()
    logger.addHandler(handler)
    assert handler.formatter is None
