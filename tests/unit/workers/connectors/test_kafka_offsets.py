"""Offsets of Kafka's partitions as Spark writes them."""

import pytest

from workers.connectors.kafka_offsets import as_spark, from_spark
from workers.herder.values import Partition


@pytest.mark.parametrize(
    ("offsets", "text"),
    [
        ({}, "{}"),
        ({Partition("t", 0): 5}, '{"t":{"0":5}}'),
        ({Partition("t", 10): 1, Partition("t", 2): 2, Partition("s.x", 0): 3}, '{"s.x":{"0":3},"t":{"2":2,"10":1}}'),
    ],
)
def test_both_ways(offsets: dict[Partition, int], text: str) -> None:
    assert as_spark(offsets) == text
    assert from_spark(text) == offsets
