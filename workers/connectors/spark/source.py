"""SparkSource: whatever Spark can read as a stream, row by row into a topic."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workers import VERSION
from workers.connectors import triggers
from workers.connectors.base import ConnectError, SourceConnector, StreamingSource, StreamPosition, Trigger
from workers.connectors.configdef import ConfigDef, ConfigValue, Importance, Key, Type
from workers.connectors.spark import formats, positions
from workers.connectors.spark.columns import as_records
from workers.connectors.validators import non_empty
from workers.herder.values import Config, Fields, PartitionOffset

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: What one batch reads at most, unless options say otherwise: a first look at a full folder has to end some time.
_LIMITS = {name: {"maxFilesPerTrigger": "1000"} for name in formats.FILES} | {"kafka": {"maxOffsetsPerTrigger": "500000"}}
_HAVE_A_SCHEMA = {"text", "binaryFile"}
_NO_TOPIC = 'Missing required configuration "topic" which has no default value: it, or topic.field, says where the records go.'


class SparkSourceTask(StreamingSource):
    def __init__(self, config: Config) -> None:
        self.config = config
        self._identity = positions.identity(config)
        self._start: str | None = None

    def trigger(self) -> Trigger:
        return triggers.trigger(self.config)

    def stream(self, spark: SparkSession) -> DataFrame:
        from workers.runtime import real_time

        if self.trigger().kind == triggers.REALTIME:
            # Kafka, and there is nothing to be limited.
            name, limits = real_time.source(spark), {}
        else:
            name = formats.known_to(spark, self.config["spark.format"])
            limits = _LIMITS.get(name, {})
        reader = spark.readStream.format(name).options(**{**limits, **formats.options(self.config)})
        if schema := self.config.get("spark.schema"):
            reader = reader.schema(schema)
        rows = reader.load()
        return rows.selectExpr(*as_records(self.config, rows.columns))

    def topics(self) -> Sequence[str]:
        return [] if self.config.get("topic.field") else [self.config["topic"]]

    def position(self, stored: Sequence[PartitionOffset]) -> StreamPosition | None:
        found = positions.position(self._identity, stored, round(time.time() * 1000))
        self._start = positions.start_of(self._identity, found)
        return found

    def offsets(self, reached: StreamPosition) -> Sequence[tuple[Fields, Fields]]:
        self._start = self._start or positions.start_of(self._identity, reached)
        return positions.offsets(self._identity, reached, self._start)


class SparkSourceConnector(SourceConnector):
    version = VERSION
    task_class = SparkSourceTask
    config_def = ConfigDef(
        (
            formats.FORMAT,
            formats.schema_key("The columns with their types, as in SQL (id INT, name STRING). Files as a stream need it."),
            Key("topic", Type.STRING, None, Importance.HIGH, "The topic that the rows are written to.", non_empty),
            Key(
                "topic.field",
                Type.STRING,
                None,
                Importance.LOW,
                "The column that has each row's topic, in place of topic.",
                non_empty,
            ),
            Key(
                "key.columns",
                Type.LIST,
                (),
                Importance.MEDIUM,
                "The columns that a record's key is made of: one is the key itself, several are a struct. None: no key.",
            ),
            Key(
                "value.columns",
                Type.LIST,
                (),
                Importance.MEDIUM,
                "The columns that a record's value is made of, as its key. None: a struct of all, and of the formats text and "
                "kafka the column value.",
            ),
            *triggers.KEYS,
        )
    )

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        for value in self.validate(config):
            if value.errors:
                raise ConnectError(value.errors[0])

    @classmethod
    def validate(cls, config: Config) -> list[ConfigValue]:
        values = super().validate(config)
        given = config.get("spark.format", "")
        formats.check_path(config, values, lambda _: given in formats.FILES)
        if given in formats.FILES - _HAVE_A_SCHEMA and "spark.schema" not in config:
            formats.note(
                values,
                "spark.schema",
                f'Missing required configuration "spark.schema": Spark reads {given} files as a stream only with it.',
            )
        if "topic" not in config and "topic.field" not in config:
            formats.note(values, "topic", _NO_TOPIC)
        if config.get("trigger") == triggers.REALTIME and given != "kafka":
            formats.note(
                values, "trigger", f"Invalid value realtime for configuration trigger: Spark reads only kafka so, not {given}."
            )
        elif refused := triggers.refused(config):
            formats.note(values, "trigger", refused)
        return values

    def task_configs(self, max_tasks: int) -> list[dict[str, str]]:
        """One query."""
        return [dict(self.config)]

    def alter_offsets(self, offsets: Sequence[PartitionOffset]) -> bool:
        """What is reset may be of any shape: so one gets rid of it. What an earlier config read may be among them."""
        for item in offsets:
            if item.offset is not None:
                positions.check(item.partition, item.offset)
        return True
