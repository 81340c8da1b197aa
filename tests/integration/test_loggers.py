"""The loggers of a real JVM's log4j2, with the configuration that Spark's driver has here."""

from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.conf import SparkConf
from pyspark.java_gateway import launch_gateway

from workers.runtime.java_loggers import JavaLoggers
from workers.runtime.session import LOGGING

KEPT = "org.apache.spark.executor.Executor"


@pytest.fixture(scope="module")
def jvm() -> Iterator[Any]:
    conf = SparkConf().set("spark.driver.extraJavaOptions", f"-Dlog4j2.configurationFile={LOGGING.as_uri()}")
    gateway: Any = launch_gateway(conf)  # type: ignore[no-untyped-call]
    yield gateway.jvm
    gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait(30)


@pytest.fixture
def loggers(jvm: Any) -> JavaLoggers:
    return JavaLoggers(jvm)


def test_those_of_the_configuration_are_there(loggers: JavaLoggers) -> None:
    levels = loggers.levels()
    assert levels["root"] == "WARN"
    assert levels["org.apache.spark.SparkConf"] == "ERROR"
    assert levels[KEPT] == "OFF"


def test_a_namespace_and_those_below(jvm: Any, loggers: JavaLoggers) -> None:
    log = jvm.org.apache.logging.log4j.LogManager.getLogger("org.example.x.Y")
    assert not log.isInfoEnabled()
    loggers.create("org.example")
    loggers.set("org.example", "DEBUG")
    levels = loggers.levels()
    assert (levels["org.example"], levels["org.example.x.Y"]) == ("DEBUG", "DEBUG")
    assert log.isDebugEnabled()
    loggers.set("org.exam", "ERROR")
    assert loggers.levels()["org.example.x.Y"] == "ERROR"


def test_what_is_off_for_a_reason_stays_off(loggers: JavaLoggers) -> None:
    for namespace in (KEPT, "org.apache.spark", "root"):
        loggers.set(namespace, "INFO")
        assert loggers.levels()[KEPT] == "OFF"
    assert loggers.levels()["root"] == "INFO"
    assert loggers.levels()["org.apache.spark.SparkConf"] == "INFO"
