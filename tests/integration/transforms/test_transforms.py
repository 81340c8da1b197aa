"""The same records through Apache Kafka Connect's transforms and through Drover's: the same comes out, record by record."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from zipfile import ZipFile

import pytest
from pyspark.sql import SparkSession

from tests.integration.transforms import ours
from tests.integration.transforms.cases import CASES, Case
from tests.integration.transforms.peer import Peer
from tests.integration.transforms.records import Outcome, Rec, Side, Table
from tests.integration.transforms.schemas import comparable
from tests.running import PROJECT
from workers.data.schema import DECIMAL, TIMESTAMP, Field, Schema, SchemaType
from workers.transforms.base import PACKAGE


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_same(case: Case, peer: Peer, spark: SparkSession) -> None:
    differences = []
    for table in case.tables:
        expected = peer.outcomes(case.config, table, source=case.source)
        found = ours.outcomes(spark, case.config, table, source=case.source)
        for number, (wanted, got) in enumerate(zip(expected, found, strict=True)):
            if _told(got, wanted) != _told(wanted, wanted):
                differences.append(f"{table.name} {table.records[number]}\n  wanted {wanted}\n  but got {got}")
    assert not differences, "\n".join(differences)


def shipped() -> list[str]:
    """Transforms and predicates of Apache Kafka Connect, by their names below its package."""
    (jar,) = (PROJECT / ".jars" / "peer").glob("connect-transforms-*.jar")
    with ZipFile(jar) as classes:
        lists = [classes.read(name).decode() for name in classes.namelist() if name.startswith("META-INF/services/org.")]
    named = [line.strip().removeprefix(f"{PACKAGE}.") for text in lists for line in text.splitlines()]
    return sorted(name for name in named if name and not name.startswith("#"))


@pytest.mark.parametrize("name", shipped())
def test_it_is_asked_of_records_of_every_kind(name: str) -> None:
    """At least fifteen, which it is the first of its chain to see."""
    tables = {table.name: table for case in CASES if name in _first(case) for table in case.tables}.values()
    found: Counter[str] = Counter()
    for table in tables:
        for record in table.records:
            found.update({"records", *_kinds(table, record, of_keys=name.endswith("$Key"))})
    assert found["records"] >= 15
    assert found.keys() == {"records", "null", "nested", "array", "decimal", "timestamp", "tombstone"}


def _first(case: Case) -> list[str]:
    """The first transform of a chain and its predicate, as in `shipped`."""
    alias = case.config["transforms"].split(",")[0]
    predicate = case.config.get(f"transforms.{alias}.predicate")
    of_predicate = [f"predicates.{case.config[f'predicates.{predicate}.type']}"] if predicate else []
    return [case.config[f"transforms.{alias}.type"].removeprefix(f"{PACKAGE}."), *of_predicate]


def _kinds(table: Table, record: Rec, *, of_keys: bool) -> set[str]:
    schema, value = (table.key.schema, record.key) if of_keys else (table.value.schema, record.value)
    return set(_within(schema, value)) | ({"tombstone"} if record.value is None else set())


def _within(schema: Schema | None, value: Any, depth: int = 0) -> Iterator[str]:
    if value is None:
        yield "null"
    elif schema is not None and schema.name in (DECIMAL, TIMESTAMP):
        yield schema.name.rpartition(".")[2].lower()
    elif isinstance(value, list):
        yield "array"
    elif isinstance(value, dict) and (schema is None or schema.type is SchemaType.STRUCT):
        if depth:
            yield "nested"
        fields = {} if schema is None else {field.name: field.schema for field in schema.fields}
        for name, inner in value.items():
            yield from _within(fields.get(name), inner, depth + 1)


def _told(outcome: Outcome, expected: Outcome) -> Any:
    """To be compared: a null has in Drover the schema of the records that it is among, in Kafka Connect one of its own."""
    if not isinstance(outcome, Rec):
        return outcome
    of_peer = expected if isinstance(expected, Rec) else outcome
    key, value = _side(outcome.key, of_peer.key), _side(outcome.value, of_peer.value)
    return replace(outcome, key=key, value=value)


def _side(side: Side, expected: Side) -> Side:
    schema = None if expected.value is None or side.schema is None else _normal(side.schema)
    return Side(schema, comparable(side.value))


def _normal(schema: Schema) -> Schema:
    """With defaults in one way of writing."""
    default = schema.default
    if isinstance(default, str) and default[:1] in ("{", "["):
        default = json.dumps(json.loads(default), sort_keys=True)
    return replace(
        schema,
        default=default,
        key=schema.key and _normal(schema.key),
        value=schema.value and _normal(schema.value),
        fields=tuple(Field(field.name, _normal(field.schema)) for field in schema.fields),
    )
