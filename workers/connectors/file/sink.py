"""FileStreamSink: appends each record's value to a file as a line, in the order of the topic's partitions."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

from workers import VERSION
from workers.connectors.base import ConnectError, KafkaRange, SinkConnector, SinkTask, TaskContext
from workers.connectors.configdef import ConfigDef, ConfigValue, Importance, Key, Type
from workers.connectors.file.journal import Journal, append_once
from workers.connectors.file.rotation import Limits, RotatingFile
from workers.connectors.validators import at_least, one_of
from workers.data.java_text import as_text
from workers.data.records import Data
from workers.data.spark_types import schema_of
from workers.herder.values import Config, Partition

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def _line(records: DataFrame) -> str:
    """SQL of the value's text, as Java prints it; bytes stay what they are. Java prints a line of a record without one, too."""
    kind = records.schema["value"].dataType
    text = "CAST(value AS STRING)" if kind.typeName() in ("string", "binary") else as_text(Data("value", schema_of(kind)))
    return f"coalesce({text}, 'null')"


_SIZE, _INTERVAL, _COMPRESSION = "file.rotate.bytes", "file.rotate.interval.ms", "file.rotate.compression"


class FileStreamSinkTask(SinkTask):
    """Spark writes the lines of a range into parts, all cores at once; then the parts go into the file one after another. A few
    lines come from one job for many files, and are a part without Spark.

    Without `file` the lines go to the worker's standard output.
    """

    def start(self, context: TaskContext) -> None:
        self._path = self.config.get("file")
        self._parts = context.scratch / "parts"
        self._journal = Journal(context.scratch / "journal.json")
        self._rotating: RotatingFile | None = None
        if self._path is not None:
            try:
                os.close(os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666))
            except OSError as error:
                raise ConnectError(
                    f"Couldn't find or create file '{self._path}' for FileStreamSinkTask: {error.strerror}"
                ) from error
            if (limits := _limits(self.config)) is not None:
                compress = self.config.get(_COMPRESSION) == "gzip"
                self._rotating = RotatingFile(Path(self._path), limits, self._journal, compress=compress)
                self._rotating.start()

    def unfinished(self) -> Sequence[KafkaRange]:
        return self._journal.newest().ranges if self._path is not None else ()

    def coalescing_key(self) -> Hashable | None:
        return ""

    @classmethod
    def write_all(cls, records: DataFrame, writes: Sequence[tuple[Self, Sequence[KafkaRange]]]) -> None:
        lines: dict[Partition, list[tuple[int, bytes]]] = {}
        rows = records.selectExpr("topic", "partition", "offset", f"CAST({_line(records)} AS BINARY)").collect()
        for topic, number, offset, line in rows:
            lines.setdefault(Partition(topic, number), []).append((offset, bytes(line)))
        for task, ranges in writes:
            found = [
                line
                for item in ranges
                for offset, line in lines.get(Partition(item.topic, item.partition), [])
                if item.start <= offset < item.end
            ]
            task._make_part(found)

    def _make_part(self, lines: Sequence[bytes]) -> None:
        shutil.rmtree(self._parts, ignore_errors=True)
        self._parts.mkdir(parents=True)
        (self._parts / "part-0").write_bytes(b"".join(line + b"\n" for line in lines))

    def write(self, records: DataFrame, ranges: Sequence[KafkaRange]) -> None:
        shutil.rmtree(self._parts, ignore_errors=True)
        records.selectExpr(f"{_line(records)} AS value").write.text(self._parts.as_uri())

    def finish(self, ranges: Sequence[KafkaRange]) -> None:
        try:
            self._append(sorted(self._parts.glob("part-*")), ranges)
        finally:
            shutil.rmtree(self._parts, ignore_errors=True)

    def committed(self) -> None:
        self._journal.clear()

    def idle(self) -> None:
        if self._rotating is not None:
            self._rotating.idle()

    def _append(self, parts: Sequence[Path], ranges: Sequence[KafkaRange]) -> None:
        if self._rotating is not None:
            self._rotating.append(parts, ranges)
        elif self._path is not None:
            append_once(self._path, parts, ranges, self._journal)
        else:
            for part in parts:
                sys.stdout.buffer.write(part.read_bytes())
            sys.stdout.flush()


def _limits(config: Config) -> Limits | None:
    size, interval = (int(config.get(key, "0")) or None for key in (_SIZE, _INTERVAL))
    return None if size is None and interval is None else Limits(size, interval)


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
            Key(
                _SIZE,
                Type.LONG,
                default=0,
                importance=Importance.LOW,
                validator=at_least(0),
                documentation="How large the file may become, in bytes: what follows begins a new one; 0 for no limit. The full "
                "one gets a name with the time of its last line and a number. Rotated files are written by one task.",
            ),
            Key(
                _INTERVAL,
                Type.LONG,
                default=0,
                importance=Importance.LOW,
                validator=at_least(0),
                documentation="Of how long a time a file has the lines, in milliseconds: 3600000 for a file an hour, 0 for all. "
                "Intervals are counted from 1970 on, UTC.",
            ),
            Key(
                _COMPRESSION,
                Type.STRING,
                default="none",
                importance=Importance.LOW,
                validator=one_of("none", "gzip"),
                documentation="What becomes of a file that is rotated away: `none` leaves it as it is, `gzip` compresses it.",
            ),
        )
    )

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        for message in _wrong_together(self.settings).values():
            raise ConnectError(message)

    @classmethod
    def validate(cls, config: Config) -> list[ConfigValue]:
        values = super().validate(config)
        wrong = _wrong_together({value.name: value.value for value in values})
        for value in values:
            if value.name in wrong:
                value.errors.append(wrong[value.name])
        return values

    def task_configs(self, max_tasks: int) -> list[dict[str, str]]:
        """Only one task can say when a file is full."""
        if _limits(self.config) is not None:
            return [dict(self.config)]
        return [dict(self.config) for _ in range(max_tasks)]

    def alter_offsets(self, offsets: Mapping[Partition, int | None]) -> bool:
        return True


def _wrong_together(settings: Mapping[str, object]) -> dict[str, str]:
    """Which keys ask for what the others do not allow."""
    rotation = [key for key in (_SIZE, _INTERVAL) if settings[key]]
    if settings["file"] is None:
        return {key: f"{key} needs a file: standard output cannot be rotated." for key in rotation}
    if settings[_COMPRESSION] == "gzip" and not rotation:
        return {_COMPRESSION: f"{_COMPRESSION} needs {_SIZE} or {_INTERVAL}: nothing is rotated without."}
    return {}
