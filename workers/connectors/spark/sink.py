"""SparkSink: appends a topic's values as rows to whatever Spark can write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from workers import VERSION
from workers.connectors.base import KafkaRange, SinkConnector, SinkTask, TaskContext
from workers.connectors.configdef import ConfigDef, ConfigValue, Importance, Key, Type
from workers.connectors.spark import delta, formats
from workers.connectors.spark.rows import as_rows
from workers.connectors.validators import non_empty
from workers.herder.values import Config, Partition

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class SparkSinkTask(SinkTask):
    """One write for all ranges of a job. Delta can tell what it has; of every other format nobody knows whether a write that was
    cut short has left something behind: at least once."""

    def start(self, context: TaskContext) -> None:
        self._connector = context.id.connector
        self._format = self.config["spark.format"]
        self._schema = self.config.get("spark.schema")
        self._table = self.config.get("spark.table")
        self._options = formats.options(self.config)
        self._by = [name for item in self.config.get("partition.by", "").split(",") if (name := item.strip())]
        #: Whether the newest write may be in the table without its offsets' being committed.
        self._in_doubt = True
        self._writes: delta.Writes = {}

    def write(self, records: DataFrame, ranges: Sequence[KafkaRange]) -> None:
        if self._format != delta.FORMAT:
            self._save(records)
            return
        if self._in_doubt:
            table = _delta_table(self.config)
            if self._table is not None and not table.exists(records.sparkSession):
                # The write that makes a table by its name cannot bear a note.
                self._save(records.limit(0))
            self._writes = table.writes(records.sparkSession, self._connector)
        self._in_doubt = True
        if left := delta.missing(ranges, self._writes):
            records = records if left == list(ranges) else records.where(delta.condition(left))
            self._save(records, userMetadata=delta.note(self._connector, delta.together(ranges, self._writes)))

    def committed(self) -> None:
        self._in_doubt = False

    def _save(self, records: DataFrame, **more: str) -> None:
        name = formats.known_to(records.sparkSession, self._format)
        writer = as_rows(records, name, self._schema).write.format(name).mode("append").options(**self._options, **more)
        if self._by:
            writer = writer.partitionBy(*self._by)
        with formats.active(records.sparkSession):
            if self._table is not None:
                writer.saveAsTable(self._table)
            else:
                writer.save()


def _delta_table(config: Config) -> delta.Table:
    return delta.Table(formats.options(config).get("path"), config.get("spark.table"))


class SparkSinkConnector(SinkConnector):
    version = VERSION
    task_class = SparkSinkTask
    config_def = ConfigDef(
        (
            formats.FORMAT,
            formats.schema_key(
                "The columns with their types, as in SQL (id INT, name STRING), of values that have no schema of their own: "
                "texts and bytes that are JSON, and schemaless data."
            ),
            Key(
                "spark.table",
                Type.STRING,
                None,
                Importance.MEDIUM,
                "The table to append to, by its name in Spark's catalog, in place of spark.option.path.",
                non_empty,
            ),
            Key("partition.by", Type.LIST, (), Importance.LOW, "Columns whose values become folders, or the table's partitions."),
        )
    )

    @classmethod
    def validate(cls, config: Config) -> list[ConfigValue]:
        values = super().validate(config)
        named = {*formats.FILES, delta.FORMAT}
        formats.check_path(config, values, lambda given: given.get("spark.format") in named and "spark.table" not in given)
        return values

    def task_configs(self, max_tasks: int) -> list[dict[str, str]]:
        return [dict(self.config) for _ in range(max_tasks)]

    def alter_offsets(self, offsets: Mapping[Partition, int | None]) -> bool:
        spark = formats.running()
        if spark is not None and self.config["spark.format"] == delta.FORMAT:
            _delta_table(self.config).forget(spark, self.config["name"], offsets)
        return True
