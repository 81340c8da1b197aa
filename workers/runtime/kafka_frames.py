"""Kafka as DataFrames."""

import json
from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame, SparkSession

from workers.connectors.base import KafkaRange
from workers.herder.values import Partition
from workers.runtime import real_time
from workers.runtime.timestamps import as_headers
from workers.storage.kafka import Kafka

# Below this a second core costs more than it gives.
_SPLIT_FROM = 50_000
# After every poll Spark looks for the log's ends, and with that throws away what was fetched but not handed over. So a poll has
# to empty a fetch: with Kafka's own 500 records, nineteen twentieths of all that a broker sends are for nothing.
_POLL_RECORDS = 20_000
_FETCH_BYTES = 2 << 20

NONE: Mapping[str, str] = {}


def read_ranges(
    spark: SparkSession,
    kafka: Kafka | None,
    group: str,
    ranges: Sequence[KafkaRange],
    properties: Mapping[str, str] = NONE,
    *,
    split: bool = True,
) -> DataFrame:
    """The records of exactly these ranges. Long ones are split over the cores; Spark's partitions keep the order. Who writes all
    partitions at once, and needs the order, does without the `split`.

    `group` is never joined: Spark's executors keep their clients by its name, for the next job of the same task.
    `properties` are the consumer's, in place of those that are set here; without `kafka` they say which cluster it is.
    """
    total = sum(item.end - item.start for item in ranges)
    cores = spark.sparkContext.defaultParallelism
    partitions = max(len(ranges), cores) if split and total >= _SPLIT_FROM else len(ranges)
    return (
        spark.read.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers if kafka is not None else "")
        .option("assign", _by_topic({(r.topic, r.partition): r.partition for r in ranges}, as_list=True))
        .option("startingOffsets", _by_topic({(r.topic, r.partition): r.start for r in ranges}))
        .option("endingOffsets", _by_topic({(r.topic, r.partition): r.end for r in ranges}))
        .option("minPartitions", partitions)
        .option("failOnDataLoss", "true")
        .option("includeHeaders", "true")
        # Who reads a topic that was deleted must not make an empty one in its place: Spark keeps clients, and the warm-up's reads
        # the config topic.
        .option("kafka.allow.auto.create.topics", "false")
        # Spark asks for the log's end on the connection whose newest fetch waits there for more: half a second a job.
        .option("kafka.fetch.max.wait.ms", "10")
        .option("kafka.max.poll.records", str(_POLL_RECORDS))
        .option("kafka.max.partition.fetch.bytes", str(_FETCH_BYTES))
        .options(**_options(properties))
        .option("kafka.group.id", _client_name(group, properties))
        .load()
    )


def stream(spark: SparkSession, partitions: Sequence[Partition], properties: Mapping[str, str]) -> DataFrame:
    """What comes into these partitions, in real time, of the cluster that the consumer's `properties` name."""
    return (
        spark.readStream.format(real_time.source(spark))
        .option("assign", _by_topic({(at.topic, at.number): at.number for at in partitions}, as_list=True))
        .option("failOnDataLoss", "true")
        .option("includeHeaders", "true")
        .option("kafka.allow.auto.create.topics", "false")
        .options(**_options(properties))
        .load()
    )


def _options(properties: Mapping[str, str]) -> dict[str, str]:
    return {f"kafka.{key}": value for key, value in properties.items()}


def _client_name(group: str, properties: Mapping[str, str]) -> str:
    """Another one for other properties: a client that is kept under a name keeps those that it was made with."""
    return f"{group}-{hash(frozenset(properties.items())) & 0xFFFFFFFF:08x}" if properties else group


def _by_topic(values: dict[tuple[str, int], int], *, as_list: bool = False) -> str:
    topics: dict[str, dict[str, int]] = {}
    for (topic, partition), value in values.items():
        topics.setdefault(topic, {})[str(partition)] = value
    return json.dumps({topic: list(found.values()) for topic, found in topics.items()} if as_list else topics)


def write_records(records: DataFrame, kafka: Kafka, properties: Mapping[str, str] = NONE) -> None:
    """Produces the rows' `topic`, `key` and `value` and, where they have them, `partition`, `headers` and `timestamp`; returns
    when Kafka has acknowledged all of them. `properties` are the producer's, in place of those that are set here."""
    rows, more = as_headers(records)
    rows.write.format("kafka").options(**producer_options(kafka, {**properties, **more})).save()


def topics_of(records: DataFrame) -> list[str]:
    """Those that the rows name, by reading them once more: for who cannot know."""
    return [str(row.topic) for row in records.select("topic").distinct().collect()]


def producer_options(kafka: Kafka, properties: Mapping[str, str] = NONE) -> dict[str, str]:
    """Of Spark's Kafka sink; `properties` as for `write_records`."""
    return {
        "kafka.bootstrap.servers": kafka.bootstrap_servers,
        "kafka.acks": "all",
        # Idempotence is the producer's default. Not asked for, it gives way to properties that exclude it, as `acks=1`.
        "kafka.batch.size": str(256 << 10),
        "kafka.linger.ms": "0",
        "kafka.max.request.size": str(8 << 20),
        **_options(properties),
    }
