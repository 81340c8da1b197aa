"""FileStreamSink: appends each record's value to a file as a line, in the order of the topic's partitions."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workers import VERSION
from workers.connectors.base import ConnectError, KafkaRange, SinkConnector, SinkTask, TaskContext
from workers.connectors.configdef import ConfigDef, Importance, Key, Type
from workers.connectors.file.journal import Journal, append_once

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class FileStreamSinkTask(SinkTask):
    """Spark writes the lines of a range into parts, all cores at once; then the parts go into the file one after another.

    Without `file` the lines go to the worker's standard output.
    """

    def start(self, context: TaskContext) -> None:
        self._path = self.config.get("file")
        self._parts = context.scratch / "parts"
        self._journal = Journal(context.scratch / "journal.json")
        if self._path is not None:
            try:
                os.close(os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666))
            except OSError as error:
                raise ConnectError(
                    f"Couldn't find or create file '{self._path}' for FileStreamSinkTask: {error.strerror}"
                ) from error

    def unfinished(self) -> Sequence[KafkaRange]:
        return self._journal.ranges() if self._path is not None else ()

    def write(self, records: DataFrame, ranges: Sequence[KafkaRange]) -> None:
        from pyspark.sql.functions import coalesce, col, lit

        shutil.rmtree(self._parts, ignore_errors=True)
        # A record without a value is the line that Java prints for it.
        lines = records.select(coalesce(col("value").cast("string"), lit("null")).alias("value"))
        lines.write.text(self._parts.as_uri())
        try:
            self._append(sorted(self._parts.glob("part-*")), ranges)
        finally:
            shutil.rmtree(self._parts, ignore_errors=True)

    def committed(self) -> None:
        self._journal.clear()

    def _append(self, parts: Sequence[Path], ranges: Sequence[KafkaRange]) -> None:
        if self._path is not None:
            append_once(self._path, parts, ranges, self._journal)
            return
        for part in parts:
            sys.stdout.buffer.write(part.read_bytes())
        sys.stdout.flush()


class FileStreamSinkConnector(SinkConnector):
    version = VERSION
    java_class = "org.apache.kafka.connect.file.FileStreamSinkConnector"
    java_task_class = "org.apache.kafka.connect.file.FileStreamSinkTask"
    task_class = FileStreamSinkTask
    config_def = ConfigDef(
        (
            Key(
                "file",
                Type.STRING,
                default=None,
                importance=Importance.HIGH,
                documentation="Destination filename, on the worker's machine. If not specified, the standard output is used.",
            ),
        )
    )

    def task_configs(self, max_tasks: int) -> list[dict[str, str]]:
        return [dict(self.config) for _ in range(max_tasks)]
