"""The same records through Apache Kafka Connect's transforms and through Drover's: the same comes out, record by record."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.integration.transforms import ours
from tests.integration.transforms.cases import CASES, Case
from tests.integration.transforms.peer import Peer
from tests.integration.transforms.records import Outcome, Rec, Side
from tests.integration.transforms.schemas import comparable
from workers.data.schema import Field, Schema


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
