"""A few records of a source cluster, read in the worker itself, for all mirrors at once."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from workers.connectors.base import KafkaRange
from workers.storage.kafka import Kafka

if TYPE_CHECKING:
    from confluent_kafka import Message
    from pyspark.sql import DataFrame, SparkSession

    from workers.runtime.small_reads import SmallReads

_clients: dict[str, SmallReads] = {}
_lock = threading.Lock()


def small_reads(settings: Mapping[str, str]) -> SmallReads | None:
    """Of a cluster, by a consumer's settings. None where these say more than librdkafka can be told: Spark reads then."""
    from workers.runtime.small_reads import SmallReads

    plain = settings.get("security.protocol", "PLAINTEXT").upper() == "PLAINTEXT"
    uncommitted = settings.get("isolation.level", "read_uncommitted") == "read_uncommitted"
    if not plain or not uncommitted:
        return None
    servers = settings["bootstrap.servers"]
    with _lock:
        if servers not in _clients:
            _clients[servers] = SmallReads(Kafka(servers, "drover-mirrors"))
        return _clients[servers]


class Wanted(NamedTuple):
    """A range, and what its topic is called in the target."""

    range: KafkaRange
    topic: str


def read_small(spark: SparkSession, small: SmallReads, wanted: Sequence[Wanted]) -> DataFrame:
    """Each range's records, in order. Two mirrors may want the same ones."""
    import pyarrow

    from workers.runtime.local_frames import frame
    from workers.runtime.ranges import merged
    from workers.runtime.small_reads import table

    messages: dict[tuple[str | None, int | None], list[Message]] = defaultdict(list)
    for message in small.read(merged([item.range for item in wanted])):
        messages[message.topic(), message.partition()].append(message)
    tables = []
    for found, topic in wanted:
        mine = messages[found.topic, found.partition]
        rows = table([message for message in mine if found.start <= (message.offset() or 0) < found.end])
        names = pyarrow.array([topic] * len(rows), pyarrow.string())
        tables.append(rows.set_column(rows.schema.get_field_index("topic"), "topic", names))
    columns = ["topic", "key", "value", "partition", "timestamp", "headers"]
    return frame(spark, pyarrow.concat_tables(tables).select(columns))
