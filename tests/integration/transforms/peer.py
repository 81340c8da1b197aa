"""The transforms of Apache Kafka Connect itself, in a Java process of the test's own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from py4j.java_collections import JavaList
from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway
from py4j.protocol import Py4JJavaError

from local import java
from tests.integration.transforms.records import Outcome, Problem, Rec, Side, Table
from tests.integration.transforms.schemas import envelope, schema_of
from tests.jvm import own_errors
from tests.running import PROJECT
from workers.connectors.configdef import Given
from workers.data.schema import DATE, DECIMAL, TIME, TIMESTAMP, Schema, SchemaType, struct

_LOGICAL = (DECIMAL, DATE, TIME, TIMESTAMP)
_SMT = "org.apache.kafka.connect.transforms"


@contextmanager
def connect() -> Iterator[Peer]:
    jars = ":".join(str(jar) for jar in sorted((PROJECT / ".jars" / "peer").glob("*.jar")))
    port, token = launch_gateway(
        classpath=jars,
        java_path=str(java.find().executable),
        javaopts=["-Duser.timezone=UTC", "-Duser.language=en", "-Xmx256m"],
        die_on_exit=True,
        enable_auth=True,
    )
    gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port, auth_token=token, auto_convert=True))
    try:
        yield Peer(gateway)
    finally:
        gateway.shutdown()


@dataclass
class Peer:
    gateway: Any
    _converters: dict[bool, Any] = field(default_factory=dict)
    _records: dict[tuple[str, bool], list[Any]] = field(default_factory=dict)

    def outcomes(self, config: Given, table: Table, *, source: bool) -> list[Outcome]:
        """What becomes of each of the table's records; None in place of one that is dropped."""
        links = [self._link(config, alias) for alias in str(config["transforms"]).split(",")]
        records = self._records.setdefault((table.name, source), [])
        if not records:
            records += [self._record(table, record, source) for record in table.records]
        with own_errors():
            return [self._outcome(links, record) for record in records]

    # --- what there is in Java ------------------------------------------------------------------------------------------

    def new(self, name: str) -> Any:
        return (
            self.gateway.jvm.java.lang.Class.forName(name)
            .getDeclaredConstructor(self._array("Class"))
            .newInstance(self._array("Object"))
        )

    def _array(self, name: str) -> Any:
        return self.gateway.new_array(getattr(self.gateway.jvm.java.lang, name), 0)

    def _configured(self, name: str, config: Mapping[str, str]) -> Any:
        made = self.new(name if "." in name else f"{_SMT}.{name}")
        made.configure(dict(config))
        return made

    def _link(self, config: Given, alias: str) -> tuple[Any, Any, bool]:
        own = _below(config, f"transforms.{alias}.")
        predicate = None
        if "predicate" in own:
            of_predicate = _below(config, f"predicates.{own['predicate']}.")
            kind = of_predicate.pop("type")
            predicate = self._configured(kind if "." in kind else f"{_SMT}.predicates.{kind}", of_predicate)
        negate = own.pop("negate", "false") == "true"
        own.pop("predicate", None)
        return self._configured(own.pop("type"), own), predicate, negate

    def converter(self, *, schemas: bool) -> Any:
        if schemas not in self._converters:
            made = self.new("org.apache.kafka.connect.json.JsonConverter")
            settings = {"schemas.enable": str(schemas).lower(), "replace.null.with.default": "false", "converter.type": "value"}
            made.configure(settings)
            self._converters[schemas] = made
        return self._converters[schemas]

    # --- records --------------------------------------------------------------------------------------------------------

    def _record(self, table: Table, record: Rec, source: bool) -> Any:
        """What JSON says, never by way of Python's numbers: those have not Java's types."""
        key = self._wrapped(table.key.schema, record.key)
        value = self._wrapped(table.value.schema, record.value)
        jvm, headers = self.gateway.jvm, self.new("org.apache.kafka.connect.header.ConnectHeaders")
        for name, text in record.headers:
            headers.addString(name, text)
        data = (key.schema(), key.value(), value.schema(), value.value())
        if source:
            made = jvm.org.apache.kafka.connect.source.SourceRecord(
                None, None, record.topic, record.partition, *data, record.timestamp, headers
            )
        else:
            stamped = jvm.org.apache.kafka.common.record.TimestampType.CREATE_TIME
            made = jvm.org.apache.kafka.connect.sink.SinkRecord(
                record.topic, record.partition or 0, *data, record.offset, record.timestamp, stamped, headers
            )
        for part in ("Key", "Value"):
            made = self._configured(f"ExtractField${part}", {"field": "v", "replace.null.with.default": "false"}).apply(made)
        return made

    def _wrapped(self, schema: Any, value: object) -> Any:
        text: object = {"v": value}
        if schema is not None:
            text = {"schema": envelope(_hoisted(schema)), "payload": text}
        return self.converter(schemas=schema is not None).toConnectData("t", json.dumps(text).encode())

    def _outcome(self, links: Sequence[tuple[Any, Any, bool]], record: Any) -> Outcome:
        try:
            for transform, predicate, negate in links:
                if predicate is None or predicate.test(record) != negate:
                    record = transform.apply(record)
                    if record is None:
                        return None
        except Py4JJavaError as error:
            thrown = error.java_exception
            # TimestampRouter shows the record as well.
            return Problem(thrown.getClass().getName(), str(thrown.getMessage()).partition(": SinkRecord{")[0])
        return self._told(record)

    def _told(self, record: Any) -> Outcome:
        sides = []
        for part, schema, data in (
            ("Key", record.keySchema(), record.key()),
            ("Value", record.valueSchema(), record.value()),
        ):
            if data is None:
                sides.append(Side(None, None))
                continue
            if schema is not None and schema.name() in _LOGICAL and isinstance(data, int | float | str):
                # What Cast made of a whole value: the name is still there, and no converter takes that.
                sides.append(Side(Schema(SchemaType(str(schema.type())), optional=schema.isOptional()), data))
                continue
            hoisted = self._configured(f"HoistField${part}", {"field": "v"}).apply(record)
            value = hoisted.key() if part == "Key" else hoisted.value()
            if schema is None:
                sides.append(Side(None, _plain(value["v"])))
                continue
            of_hoisted = hoisted.keySchema() if part == "Key" else hoisted.valueSchema()
            said = json.loads(bytes(self.converter(schemas=True).fromConnectData("t", of_hoisted, value)))
            sides.append(Side(schema_of(said["schema"]).fields[0].schema, said["payload"]["v"]))
        written = self.new("org.apache.kafka.connect.storage.SimpleHeaderConverter")
        headers = []
        left = record.headers().iterator()
        while left.hasNext():
            header = left.next()
            text = written.fromConnectHeader(record.topic(), header.key(), header.schema(), header.value())
            headers.append((header.key(), None if text is None else bytes(text).decode()))
        return Rec(sides[0], sides[1], record.topic(), record.kafkaPartition(), None, record.timestamp(), tuple(headers))


def _below(config: Given, prefix: str) -> dict[str, str]:
    return {key.removeprefix(prefix): str(value) for key, value in config.items() if key.startswith(prefix)}


def _hoisted(schema: Any) -> Any:
    return struct({"v": schema})


def _plain(value: Any) -> object:
    """A schemaless value as Python has it; an instant as milliseconds."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, str | bytes | int | float | type(None)):
        return value
    if isinstance(value, JavaList):
        return [_plain(item) for item in value]
    return value.getTime()
