"""Spark's data sources by name: `spark.format`, `spark.schema` and the options `spark.option.*` of a config.

A format is a name that Spark knows (`json`, `delta`, a Java class) or `module:Class`, a Python data source
(`pyspark.sql.datasource.DataSource`) that is importable where the worker runs. What a config says of them is checked as far as
somebody is there who knows: without a Spark in this process its names and schemas are taken as they are.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from workers.connectors.base import ConnectError
from workers.connectors.configdef import ConfigValue, Importance, Invalid, Key, Type, Width
from workers.connectors.validators import all_of, non_empty
from workers.herder.values import Config

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.datasource import DataSource

_OPTION = "spark.option."
_PATH = f"{_OPTION}path"
#: Formats that are files in a folder, which has to be named.
FILES = frozenset({"json", "csv", "parquet", "orc", "text", "avro", "xml", "binaryFile"})
_GROUP = "Spark"


def options(config: Config) -> dict[str, str]:
    return {key.removeprefix(_OPTION): value for key, value in config.items() if key.startswith(_OPTION)}


def known_to(spark: SparkSession, name: str) -> str:
    """What the format is called in this session, where a Python data source is made known first. Raises ConnectError."""
    if ":" not in name:
        return name
    source = _python_source(name)
    with active(spark):
        spark.dataSource.register(source)
    return source.name()


@contextmanager
def active(spark: SparkSession) -> Iterator[None]:
    """Who writes to a Python data source, or makes one known, looks for it in the session that this thread has in Java. A job's
    has none, or another one's."""
    sessions = spark._jvm.org.apache.spark.sql.classic.SparkSession  # type: ignore[union-attr]
    before = sessions.getActiveSession()
    sessions.setActiveSession(spark._jsparkSession)
    try:
        yield
    finally:
        if before.isDefined():
            sessions.setActiveSession(before.get())
        else:
            sessions.clearActiveSession()


def _python_source(name: str) -> type[DataSource]:
    from pyspark.sql.datasource import DataSource

    module, _, attribute = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConnectError(f"Python data source {name} cannot be imported: {error}") from error
    if not (isinstance(found, type) and issubclass(found, DataSource)):
        raise ConnectError(f"{name} is not a Python data source (pyspark.sql.datasource.DataSource)")
    return found


def running() -> SparkSession | None:
    """The worker's session. In a web process there is none, and none is to be started."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    if SparkContext._active_spark_context is None:
        return None
    return SparkSession._instantiatedSession


def _format(value: object) -> None:
    name = "" if value is None else str(value)
    if ":" in name:
        try:
            _python_source(name)
        except ConnectError as error:
            raise Invalid(str(error)) from error
    elif name and (spark := running()) is not None and not _is_known(spark, name):
        raise Invalid("Spark has no such data source. Its package may have to be named in the worker's DROVER_SPARK_PACKAGES.")


def _is_known(spark: SparkSession, name: str) -> bool:
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    state = spark._jsparkSession.sessionState()
    try:
        lookup = spark._jvm.org.apache.spark.sql.execution.datasources.DataSource  # type: ignore[union-attr]
        lookup.lookupDataSource(name, state.conf())
    except (Py4JJavaError, PySparkException):
        return bool(state.dataSourceManager().dataSourceExists(name))
    return True


def _ddl(value: object) -> None:
    if value is None or running() is None:
        return
    from pyspark.errors import PySparkException
    from pyspark.sql.types import StructType

    try:
        found = StructType.fromDDL(str(value))
    except PySparkException as error:
        raise Invalid(str(error).strip().splitlines()[0]) from error
    if not isinstance(found, StructType):
        raise Invalid("A schema is a list of columns: id INT, name STRING")


FORMAT = Key(
    "spark.format",
    Type.STRING,
    importance=Importance.HIGH,
    documentation="The data source: a name that Spark knows (json, csv, parquet, delta, a Java class), or module:Class for a "
    "Python data source. Its options are given as spark.option.<name>.",
    validator=all_of(non_empty, _format),
    group=_GROUP,
    order_in_group=1,
    width=Width.MEDIUM,
    display_name="Format",
)


def schema_key(documentation: str) -> Key:
    return Key(
        "spark.schema",
        Type.STRING,
        None,
        Importance.MEDIUM,
        documentation,
        all_of(non_empty, _ddl),
        _GROUP,
        2,
        Width.LONG,
        "Schema",
    )


def note(values: list[ConfigValue], name: str, error: str) -> None:
    """Adds to what is said of a key, which need not be a defined one."""
    for value in values:
        if value.name == name:
            value.errors.append(error)
            return
    values.append(ConfigValue(name, errors=[error]))


def check_path(config: Config, values: list[ConfigValue], needed: Callable[[Mapping[str, str]], bool]) -> None:
    """Files have to be somewhere."""
    if needed(config) and not config.get(_PATH, "").strip():
        note(values, _PATH, f'Missing required configuration "{_PATH}": the folder of the {config["spark.format"]} files.')
