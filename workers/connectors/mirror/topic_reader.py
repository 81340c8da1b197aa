"""Reads one of the mirrors' own topics, from where it was read to before."""

from __future__ import annotations

from workers.connectors.base import KafkaRange
from workers.connectors.mirror.client_settings import Side, client_settings
from workers.connectors.mirror.cluster import Cluster
from workers.herder.values import Config, Partition


class TopicReader:
    """Of the first partition; there is no other."""

    def __init__(self, config: Config, side: Side, cluster: Cluster, topic: str) -> None:
        self._settings = client_settings(config, side, "consumer")
        self._name = f"mirror-{config.get('name', '')}-{topic}"
        self._cluster = cluster
        self._partition = Partition(topic, 0)
        self._position: int | None = None

    def read(self) -> list[tuple[bytes, bytes]]:
        """Keys and values of what is new, in order; tombstones are left out."""
        end = self._cluster.ends([self._partition]).get(self._partition, 0)
        if self._position is None or end < self._position:
            self._position = self._cluster.begins([self._partition]).get(self._partition, 0)
        if end <= self._position:
            return []
        records = self._records(KafkaRange(*self._partition, self._position, end))
        self._position = end
        return records

    def _records(self, new: KafkaRange) -> list[tuple[bytes, bytes]]:
        from pyspark.sql import SparkSession

        from workers.runtime.kafka_frames import read_ranges

        spark = SparkSession.builder.getOrCreate()
        # This thread's last job was another task's.
        spark.sparkContext.setJobGroup(self._name, self._name)
        rows = read_ranges(spark, None, self._name, [new], self._settings).selectExpr("offset", "key", "value").collect()
        found = sorted((row for row in rows if row.key is not None and row.value is not None), key=lambda row: row.offset)
        return [(bytes(row.key), bytes(row.value)) for row in found]
