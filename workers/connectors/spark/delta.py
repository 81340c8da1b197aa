"""What a Delta table tells of a sink's newest writes, so that nothing is in it twice.

Each write notes in its own commit (`userMetadata`) which offsets it brings. A write whose offsets did not get committed in Kafka,
because the worker was killed or Kafka was away, comes again from the same offsets on; then the table says what it has already,
whoever asks and wherever. Offsets that were changed by hand are noted too: from there on everything is wanted again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workers.connectors.base import KafkaRange
from workers.herder.values import Partition

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FORMAT = "delta"
#: How many of a table's newest commits are looked at: those of others come between.
COMMITS = 200
_NOWHERE = -1

#: The newest write of each partition: its first offset, and the one behind its last.
Writes = Mapping[Partition, tuple[int, int]]


def note(connector: str, ranges: Iterable[KafkaRange]) -> str:
    return json.dumps({"connector": connector, "ranges": [[r.topic, r.partition, r.start, r.end] for r in ranges]})


def newest(connector: str, notes: Iterable[str | None]) -> Writes:
    """Of the notes of a table's commits, newest first; those of others may be anything."""
    writes: dict[Partition, tuple[int, int]] = {}
    for text in notes:
        for topic, partition, start, end in _ranges(connector, text):
            writes.setdefault(Partition(topic, partition), (start, end))
    return writes


def _ranges(connector: str, text: str | None) -> list[tuple[str, int, int, int]]:
    try:
        found = json.loads(text or "")
        return [(str(t), int(p), int(s), int(e)) for t, p, s, e in found["ranges"]] if found["connector"] == connector else []
    except (ValueError, TypeError, KeyError):
        return []


def missing(ranges: Sequence[KafkaRange], writes: Writes) -> list[KafkaRange]:
    """What is not in the table yet, where a range goes on from within the newest write."""
    left = []
    for item in ranges:
        start, end = writes.get(Partition(item.topic, item.partition), (_NOWHERE, _NOWHERE))
        begin = end if start <= item.start < end else item.start
        if begin < item.end:
            left.append(KafkaRange(item.topic, item.partition, begin, item.end))
    return left


def together(ranges: Sequence[KafkaRange], writes: Writes) -> list[KafkaRange]:
    """What the table has once these ranges are in it, as far as its newest writes are to be known: one that comes again in
    shorter pieces stays known to its end."""
    known = []
    for item in ranges:
        start, end = writes.get(Partition(item.topic, item.partition), (_NOWHERE, _NOWHERE))
        again = start <= item.start < end
        known.append(KafkaRange(item.topic, item.partition, start if again else item.start, max(item.end, end if again else 0)))
    return known


def condition(ranges: Iterable[KafkaRange]) -> str:
    """In SQL, of a job's records those of these ranges. What Kafka allows in a topic's name needs no quoting."""
    return " OR ".join(
        f"(topic = '{r.topic}' AND partition = {r.partition} AND offset >= {r.start} AND offset < {r.end})" for r in ranges
    )


@dataclass(frozen=True, slots=True)
class Table:
    """By its path, or by its name in Spark's catalog."""

    path: str | None
    name: str | None

    def writes(self, spark: SparkSession, connector: str) -> Writes:
        if not self.exists(spark):
            return {}
        history = spark.sql(f"DESCRIBE HISTORY {self._in_sql()} LIMIT {COMMITS}")
        return newest(connector, [row.userMetadata for row in history.select("userMetadata").collect()])

    def forget(self, spark: SparkSession, connector: str, partitions: Iterable[Partition]) -> None:
        """From here on all that comes of them is wanted."""
        if self.exists(spark):
            session = spark.newSession()
            ranges = [KafkaRange(*partition, _NOWHERE, _NOWHERE) for partition in partitions]
            session.conf.set("spark.databricks.delta.commitInfo.userMetadata", note(connector, ranges))
            # An append of nothing would not be a commit.
            session.sql(f"ALTER TABLE {self._in_sql()} SET TBLPROPERTIES ('drover.offsets.altered' = '{time.time_ns()}')")

    def exists(self, spark: SparkSession) -> bool:
        if self.name is not None:
            return spark.catalog.tableExists(self.name)
        jvm = spark._jvm
        assert jvm is not None
        return bool(jvm.io.delta.tables.DeltaTable.isDeltaTable(spark._jsparkSession, self.path))

    def _in_sql(self) -> str:
        return self.name if self.name is not None else f"delta.`{(self.path or '').replace('`', '``')}`"
