"""The same bytes through Apache Kafka Connect's converters and through Drover's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyspark
from py4j.java_gateway import JavaGateway
from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame, SparkSession

from local import java
from tests.jvm import own_errors
from tests.running import PROJECT
from workers.connectors.configdef import Given
from workers.converters import catalogue
from workers.converters.base import Converter
from workers.data import sql
from workers.data.records import DataError


@dataclass(frozen=True)
class Failed:
    exception: str
    message: str


#: What becomes of a record's bytes: other bytes, null, or a failure.
Outcome = bytes | Failed | None


def setting(name: str, **settings: str) -> dict[str, str]:
    """A config with the value converter `name`; `schemas_enable` is `schemas.enable`."""
    return {"value.converter": name} | {f"value.converter.{key.replace('_', '.')}": value for key, value in settings.items()}


class Peer:
    """Apache Kafka Connect's own classes in a JVM."""

    def __init__(self, gateway: JavaGateway) -> None:
        self._gateway = gateway

    def outcomes(self, records: Sequence[bytes | None], read: Given, write: Given) -> list[Outcome]:
        with own_errors():
            both = self._both(self._converter(read), self._converter(write))
            return [self._outcome(record, both) for record in records]

    def _outcome(self, record: bytes | None, both: Any) -> Outcome:
        arguments = self._gateway.jvm.java.util.ArrayList()
        arguments.add(record)
        try:
            return both.invokeWithArguments(arguments)  # type: ignore[no-any-return]
        except Py4JJavaError as error:
            thrown = error.java_exception
            return Failed(thrown.getClass().getName(), thrown.getMessage())

    def _both(self, reader: Any, writer: Any) -> Any:
        """A method handle from bytes to bytes: on a way through Python a long would become an int."""
        handles, types = self._gateway.jvm.java.lang.invoke.MethodHandles, self._gateway.jvm.java.lang.invoke.MethodType
        converter, data, schema = map(self._class, ("storage.Converter", "data.SchemaAndValue", "data.Schema"))
        text, anything = self._named("java.lang.String"), self._named("java.lang.Object")
        some_bytes = self._named("[B")
        lookup = handles.publicLookup()
        of_schema = lookup.findVirtual(data, "schema", types.methodType(schema))
        of_value = lookup.findVirtual(data, "value", types.methodType(anything))
        writing = types.methodType(some_bytes, self._array("Class", text, schema, anything))
        reading = types.methodType(data, self._array("Class", text, some_bytes))
        write = self._bound(lookup.findVirtual(converter, "fromConnectData", writing), writer)
        read = self._bound(lookup.findVirtual(converter, "toConnectData", reading), reader)
        apart = handles.filterArguments(write, 0, self._array("invoke.MethodHandle", of_schema, of_value))
        twice = self._gateway.new_array(self._gateway.jvm.int, 2)
        together = handles.permuteArguments(apart, types.methodType(some_bytes, data), twice)
        return handles.filterArguments(together, 0, self._array("invoke.MethodHandle", read))

    def _bound(self, handle: Any, converter: Any) -> Any:
        handles = self._gateway.jvm.java.lang.invoke.MethodHandles
        return handles.insertArguments(handle.bindTo(converter), 0, self._array("Object", "t"))

    def _array(self, kind: str, *items: Any) -> Any:
        package = self._gateway.jvm.java.lang
        for part in kind.split("."):
            package = getattr(package, part)
        made = self._gateway.new_array(package, len(items))
        for index, item in enumerate(items):
            made[index] = item
        return made

    def _class(self, name: str) -> Any:
        return self._named(f"org.apache.kafka.connect.{name}")

    def _named(self, name: str) -> Any:
        return self._gateway.jvm.java.lang.Class.forName(name)

    def _converter(self, config: Given) -> Any:
        plugin = catalogue.asked_for("value", config)
        assert plugin is not None
        jvm = self._gateway.jvm
        made = getattr(jvm, plugin.name)()
        settings = jvm.java.util.HashMap()
        for key, value in catalogue.config_of("value", config).items():
            settings.put(key, value)
        made.configure(settings, False)
        return made


@contextmanager
def running_peer() -> Iterator[Peer]:
    jars = ":".join(map(str, sorted((PROJECT / ".jars" / "peer").glob("*.jar"))))
    # Java prints a time in the zone of its machine.
    options = ["-Duser.timezone=UTC"]
    py4j = next((Path(pyspark.__file__).parent / "jars").glob("py4j*.jar"))
    gateway = JavaGateway.launch_gateway(
        classpath=jars, jarpath=str(py4j), java_path=str(java.find().executable), javaopts=options, die_on_exit=True
    )
    try:
        yield Peer(gateway)
    finally:
        gateway.shutdown()


def drovers(
    spark: SparkSession, records: Sequence[bytes | None], read: Given, write: Given, *, compiled: bool = False
) -> list[Outcome]:
    """As `Peer.outcomes`. What is not `compiled` is worked out by Spark while it plans, without a job: much faster for few
    records of many schemas."""
    reader, writer = catalogue.create("value", read), catalogue.create("value", write)
    if compiled:
        numbered = spark.createDataFrame(list(enumerate(records)), "number INT, value BINARY")
    else:
        values = (f"({number}, {_literal(record)})" for number, record in enumerate(records))
        numbered = spark.sql(f"SELECT * FROM VALUES {', '.join(values)} AS records(number, value)")
    parsed = numbered.selectExpr("number", f"{reader.parse('value')} AS parsed")
    text = reader.schema_text("parsed")
    parsed = parsed.selectExpr("number", "parsed", f"{text or 'CAST(NULL AS STRING)'} AS schema_text")
    found: dict[int, Outcome] = {}
    for one in {row.schema_text for row in parsed.collect()}:
        condition = "schema_text IS NULL" if one is None else f"schema_text = {sql.text(one)}"
        found |= _of_schema(parsed.where(condition), one, reader, writer)
    return [found[number] for number in range(len(records))]


def _literal(record: bytes | None) -> str:
    return "CAST(NULL AS BINARY)" if record is None else f"X'{record.hex()}'"


def _of_schema(parsed: DataFrame, text: str | None, reader: Converter, writer: Converter) -> Mapping[int, Outcome]:
    try:
        decoded = reader.decode("parsed", text)
        data = decoded.data
        rows = parsed.selectExpr("number", f"{data.sql} AS data", f"{_failure(decoded.failures)} AS wrong")
        encoded = writer.encode(type(data)("data", data.schema))
        rows = rows.selectExpr("number", f"{encoded.sql} AS data", f"coalesce(wrong, {_failure(encoded.failures)}) AS wrong")
    except DataError as error:
        return {row.number: Failed(error.exception, str(error)) for row in parsed.select("number").collect()}
    return {
        row.number: Failed(row.wrong.exception, row.wrong.message)
        if row.wrong is not None
        else None
        if row.data is None
        else bytes(row.data)
        for row in rows.collect()
    }


def _failure(failures: Sequence[Any]) -> str:
    kind = "STRUCT<exception: STRING, message: STRING>"
    told = [
        (
            f"({one.message}) IS NOT NULL",
            sql.named_struct([("exception", sql.text(one.exception)), ("message", f"({one.message})")]),
        )
        for one in failures
    ]
    return f"CAST({sql.case(told, sql.NULL)} AS {kind})"
