"""FileStreamSource: each line of a text file becomes a record, in order. Byte positions are the offsets."""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from workers import VERSION
from workers.connectors.base import ConnectError, SourceConnector, SourceRange, SourceTask
from workers.connectors.configdef import ConfigDef, Importance, Key, Type, at_least, not_empty
from workers.connectors.file.lines import end_of_last_line, read_lines
from workers.herder.values import Config, Fields

if TYPE_CHECKING:
    import pyarrow
    from pyspark import Accumulator
    from pyspark.sql import DataFrame, SparkSession

logger = logging.getLogger(__name__)

#: What one job reads at most, in bytes: enough that a job's fixed cost does not matter, little enough to stop soon.
RANGE_BYTES = 48 << 20


class FileStreamSourceTask(SourceTask):
    """One file, read by one Spark partition: several would reach Kafka in any order."""

    def __init__(self, config: Config):
        super().__init__(config)
        self._path = config["file"]
        self._topic = config["topic"]
        self._position = 0
        self._missing = False
        self._incomplete_at: int | None = None
        self._lines: Accumulator[int] | None = None
        self._lines_before = 0

    def start(self, committed: Callable[[Fields], Fields | None]) -> None:
        offset = committed({"filename": self._path})
        position = offset.get("position") if offset is not None else 0
        if not isinstance(position, int) or isinstance(position, bool) or position < 0:
            raise ConnectError(f"The offset stored for file {self._path} is not a position in it: {dict(offset or {})}")
        self._position = position

    def next_range(self) -> SourceRange | None:
        try:
            file = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK)
        except FileNotFoundError:
            if not self._missing:
                logger.warning(
                    "Couldn't find file %s for FileStreamSourceTask, sleeping to wait for it to be created", self._path
                )
            self._missing = True
            return None
        except OSError as error:
            raise ConnectError(f"File {self._path} cannot be read: {error.strerror}") from error
        self._missing = False
        try:
            return self._range(file)
        finally:
            os.close(file)

    def _range(self, file: int) -> SourceRange | None:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            raise ConnectError(f"{self._path} is not a regular file")
        size = status.st_size
        if size < self._position:
            raise ConnectError(
                f"File {self._path} has {size} bytes, but {self._position} have been read from it already: it was truncated or "
                f"replaced. Stop the connector and reset its offsets to read the file from its beginning."
            )
        if size in (self._position, self._incomplete_at):
            return None
        end = end_of_last_line(file, self._position, size, RANGE_BYTES)
        self._incomplete_at = size if end is None else None
        if end is None:
            return None
        return SourceRange(self._position, end, [({"filename": self._path}, {"position": end})], [self._topic])

    def read(self, spark: SparkSession, new: SourceRange) -> DataFrame:
        from pyspark.sql.functions import lit

        if self._lines is None:
            # One for all jobs: PySpark never lets go of any.
            self._lines = spark.sparkContext.accumulator(0)
        self._lines_before = self._lines.value
        lines = spark.range(0, 1, 1, 1).mapInArrow(_reader(self._path, new.start, new.end, self._lines), "value binary")
        return lines.select(lit(self._topic).alias("topic"), lit(None).cast("binary").alias("key"), "value")

    def records(self) -> int | None:
        return None if self._lines is None else self._lines.value - self._lines_before

    def committed(self, new: SourceRange) -> None:
        assert isinstance(new.end, int)
        self._position = new.end


def _reader(
    path: str, start: object, end: object, count: Accumulator[int]
) -> Callable[[Iterator[pyarrow.RecordBatch]], Iterator[pyarrow.RecordBatch]]:
    assert isinstance(start, int)
    assert isinstance(end, int)

    def read(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        import pyarrow

        # A Python worker whose input was not read to its end is thrown away, and the next job waits a second for a new one.
        for _ in batches:
            pass
        for lines in read_lines(path, start, end):
            count.add(len(lines))
            yield pyarrow.RecordBatch.from_arrays([pyarrow.array(lines, pyarrow.binary())], ["value"])

    return read


class FileStreamSourceConnector(SourceConnector):
    version = VERSION
    java_class = "org.apache.kafka.connect.file.FileStreamSourceConnector"
    java_task_class = "org.apache.kafka.connect.file.FileStreamSourceTask"
    task_class = FileStreamSourceTask
    config_def = ConfigDef(
        (
            Key(
                "file",
                Type.STRING,
                importance=Importance.HIGH,
                validator=not_empty,
                documentation="Source filename, on the worker's machine.",
            ),
            Key(
                "topic",
                Type.STRING,
                importance=Importance.HIGH,
                validator=not_empty,
                documentation="The topic to publish data to.",
            ),
            Key(
                "batch.size",
                Type.INT,
                default=2000,
                importance=Importance.LOW,
                validator=at_least(1),
                documentation="Accepted for compatibility. Spark reads ranges of bytes, not batches of records.",
            ),
        )
    )

    def task_configs(self, max_tasks: int) -> list[dict[str, str]]:
        """One file can only be read by one task."""
        return [dict(self.config)]
