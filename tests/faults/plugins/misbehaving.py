"""Connectors that misbehave where their config says. A Drover that has this folder on its path finds them by their entry points.

| key | |
|---|---|
| `where` | the call in which it happens, one of `SOURCE_CALLS` or `SINK_CALLS`; empty: nowhere |
| `how` | `hang` (the default): it comes back when the file `gate` is there. Else the name of what it raises |
| `gate.of.validation` | the file for which the validation of this value waits |
| `notes` | a folder: each call makes a file there, `<connector> <round> <call>`, and `… over` when it came to its end |
| `round` | what a source writes to `topic`, once in each life, and a sink to the file `out` |
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workers.connectors.base import KafkaRange, SinkConnector, SinkTask, SourceConnector, SourceRange, SourceTask, TaskContext
from workers.connectors.configdef import ConfigDef, Key, Type
from workers.herder.values import Config, Fields

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

_ERRORS: dict[str, type[BaseException]] = {error.__name__: error for error in (RuntimeError, SystemExit, MemoryError)}

CONNECTOR_CALLS = ("create", "start", "task_configs", "stop", "create task", "start task", "stop task")
SOURCE_CALLS = (*CONNECTOR_CALLS, "next_range", "read", "executor")
SINK_CALLS = (*CONNECTOR_CALLS, "write")


def wait_for(gate: object) -> None:
    while gate and not Path(str(gate)).exists():
        time.sleep(0.02)


def call(config: Config, name: str) -> None:
    """To be made in each call that has this name."""
    note = Path(config["notes"]) / f"{config['name']} {config['round']} {name}"
    note.touch()
    if config["where"] == name:
        how = config.get("how", "hang")
        if how != "hang":
            raise _ERRORS[how](f"as {config['name']} was told")
        wait_for(config["gate"])
    note.with_name(f"{note.name} over").touch()


DEFINITION = ConfigDef((Key("gate.of.validation", Type.STRING, default="", validator=wait_for),))


class MisbehavingSourceTask(SourceTask):
    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self._written = False
        call(config, "create task")

    def start(self, committed: Callable[[Fields], Fields | None]) -> None:
        call(self.config, "start task")

    def next_range(self) -> SourceRange | None:
        call(self.config, "next_range")
        return None if self._written else SourceRange(0, 1, [({}, {})], [self.config["topic"]])

    def read(self, spark: SparkSession, new: SourceRange) -> DataFrame:
        from pyspark.sql.functions import lit

        call(self.config, "read")
        value = spark.range(0, 1, 1, 1).mapInArrow(_reader(dict(self.config)), "value string")
        return value.select(lit(self.config["topic"]).alias("topic"), lit(None).cast("binary").alias("key"), "value")

    def committed(self, new: SourceRange) -> None:
        self._written = True

    def stop(self) -> None:
        call(self.config, "stop task")


def _reader(config: Config) -> Callable[[Iterator[pyarrow.RecordBatch]], Iterator[pyarrow.RecordBatch]]:
    def read(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        import pyarrow

        for _ in batches:
            pass
        call(config, "executor")
        yield pyarrow.RecordBatch.from_arrays([pyarrow.array([config["round"]], pyarrow.string())], ["value"])

    return read


class MisbehavingSinkTask(SinkTask):
    def __init__(self, config: Config) -> None:
        super().__init__(config)
        call(config, "create task")

    def start(self, context: TaskContext) -> None:
        call(self.config, "start task")

    def write(self, records: DataFrame, ranges: Sequence[KafkaRange]) -> None:
        call(self.config, "write")
        count = len(records.collect())
        with Path(self.config["out"]).open("a") as out:
            out.write(f"{self.config['round']}\n" * count)

    def stop(self) -> None:
        call(self.config, "stop task")


class _Misbehaving:
    """What both kinds do as connectors."""

    config: Config

    def start(self) -> None:
        call(self.config, "start")

    def stop(self) -> None:
        call(self.config, "stop")

    def task_configs(self, max_tasks: int) -> list[dict[str, str]]:
        call(self.config, "task_configs")
        return [dict(self.config)]


class MisbehavingSourceConnector(_Misbehaving, SourceConnector):
    version = "1.0"
    config_def = DEFINITION
    task_class = MisbehavingSourceTask

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        call(config, "create")


class MisbehavingSinkConnector(_Misbehaving, SinkConnector):
    version = "1.0"
    config_def = DEFINITION
    task_class = MisbehavingSinkTask

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        call(config, "create")
