"""FileStreamSource: each line of a text file becomes a record, in order. Positions in the text are the offsets."""

from __future__ import annotations

import glob
import logging
import os
import time
import zlib
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Self

from workers import VERSION
from workers.connectors.base import ConnectError, RetriableError, SourceConnector, SourceRange, SourceTask
from workers.connectors.configdef import ConfigDef, ConfigValue, Importance, Key, Type, parse_value
from workers.connectors.file.followed import KINDS, MEMBER_OFFSET, MEMBER_POSITION, Followed, Span, followed
from workers.connectors.file.lines import in_lines
from workers.connectors.validators import at_least, no_duplicates, non_empty, one_of
from workers.data.sql import text
from workers.herder.values import Config, Fields, PartitionOffset

if TYPE_CHECKING:
    import pyarrow
    from pyspark import Accumulator
    from pyspark.sql import DataFrame, SparkSession

logger = logging.getLogger(__name__)

#: What one job reads at most, in bytes: enough that a job's fixed cost does not matter, little enough to stop soon.
RANGE_BYTES = 48 << 20
#: What is no more than this is read by who finds it, and written together with what others found.
FEW_BYTES = 64 << 10
_NO_FILE = 'Missing required configuration "file" which has no default value.'
_BOTH = "Only one of file and files can be given."
_REFRESH = 5000
# Keys have no schema. Bytes that are no UTF-8 stay as they are.
_KEY_AND_VALUE = ("NULL AS key", "CAST(value AS STRING) AS value")
#: What a task of several is told in its config beside the connector's.
_TASK, _TASKS = "files.task", "files.tasks"


class FileStreamSourceTask(SourceTask):
    """Its files are read by one Spark partition: several would reach Kafka in any order. A few lines are read here, and
    written by one job together with those of other tasks."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self._topic = config["topic"]
        self._compression = config.get("file.compression", "auto")
        self._matching = _matching(config)
        self._files: dict[str, Followed] = {}
        #: Those that a pattern is not asked for.
        self._missing: set[str] = set()
        self._list_again = 0.0
        #: The file that was read last: the next ones come first.
        self._last = ""
        self._committed: Callable[[Fields], Fields | None] = lambda partition: None
        #: Those of the newest range, if they are few.
        self._few: list[bytes] | None = None
        self._lines: Accumulator[int] | None = None
        self._lines_before = 0

    def start(self, committed: Callable[[Fields], Fields | None]) -> None:
        self._committed = committed
        if "file" in self.config:
            self._follow(self.config["file"])

    def _follow(self, path: str) -> None:
        self._files[path] = file = followed(path, self._compression)
        if (offset := self._committed({"filename": path})) is not None:
            file.go_to(offset)

    def next_range(self) -> SourceRange | None:
        self._list()
        spans: list[Span] = []
        left = RANGE_BYTES
        paths = list(self._files)
        first = bisect_right(paths, self._last)
        for path in (*paths[first:], *paths[:first]):
            if (span := self._look(path, left)) is not None:
                spans.append(span)
                left -= span.end - span.start
                if left <= 0:
                    break
        if not spans:
            return None
        few = sum(span.end - span.start for span in spans) <= FEW_BYTES
        self._few = [line for span in spans for line in _read_now(span)] if few else None
        return SourceRange(
            {span.path: span.start for span in spans},
            spans,
            [({"filename": span.path}, span.offset) for span in spans],
            [self._topic],
        )

    def _list(self) -> None:
        """Follows what has come to match the patterns, and lets go of what is not there any more."""
        if self._matching is None or time.monotonic() < self._list_again:
            return
        found = self._matching()
        self._list_again = time.monotonic() + int(self.config.get("files.refresh.interval.ms", _REFRESH)) / 1000
        for path in found - self._files.keys():
            self._follow(path)
        self._files = {path: self._files[path] for path in sorted(found)}

    def _look(self, path: str, most: int) -> Span | None:
        try:
            span = self._files[path].look(most)
        except FileNotFoundError:
            if path not in self._missing and self._matching is None:
                logger.warning("Couldn't find file %s for FileStreamSourceTask, sleeping to wait for it to be created", path)
            self._missing.add(path)
            return None
        self._missing.discard(path)
        return span

    def coalescing_key(self, new: SourceRange) -> Hashable | None:
        return None if self._few is None else ""

    @classmethod
    def read_all(cls, spark: SparkSession, ranges: Sequence[tuple[Self, SourceRange]]) -> DataFrame:
        import pyarrow

        from workers.runtime.local_frames import frame

        tasks = [(task, task._few or []) for task, _ in ranges]
        topics = [task._topic for task, lines in tasks for _ in lines]
        values = [line for _, lines in tasks for line in lines]
        fields = [pyarrow.field("topic", pyarrow.string()), pyarrow.field("value", pyarrow.binary(), nullable=False)]
        rows = pyarrow.table([topics, values], pyarrow.schema(fields))
        return frame(spark, rows).selectExpr("topic", *_KEY_AND_VALUE)

    def read(self, spark: SparkSession, new: SourceRange) -> DataFrame:
        if self._few is not None:
            return self.read_all(spark, [(self, new)])
        if self._lines is None:
            # One for all jobs: PySpark never lets go of any.
            self._lines = spark.sparkContext.accumulator(0)
        self._lines_before = self._lines.value
        lines = spark.range(0, 1, 1, 1).mapInArrow(_reader(_spans(new), self._lines), "value binary NOT NULL")
        return lines.selectExpr(f"{text(self._topic)} AS topic", *_KEY_AND_VALUE)

    def records(self) -> int | None:
        if self._few is not None:
            return len(self._few)
        return None if self._lines is None else self._lines.value - self._lines_before

    def committed(self, new: SourceRange) -> None:
        for span in _spans(new):
            self._files[span.path].go_to(span.offset)
            self._last = span.path
        self._few = None


def _read_now(span: Span) -> list[bytes]:
    """Raises ConnectError."""
    try:
        return [line for lines in in_lines(span.pieces()) for line in lines]
    except FileNotFoundError as error:
        raise RetriableError(f"File {span.path} was taken away when it was about to be read") from error
    except EOFError as error:
        raise ConnectError(f"File {span.path} has become shorter while it was read") from error


def _spans(new: SourceRange) -> list[Span]:
    assert isinstance(new.end, list)
    return new.end


def _reader(
    spans: Sequence[Span], count: Accumulator[int]
) -> Callable[[Iterator[pyarrow.RecordBatch]], Iterator[pyarrow.RecordBatch]]:
    def read(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        import pyarrow

        # A Python worker whose input was not read to its end is thrown away, and the next job waits a second for a new one.
        for _ in batches:
            pass
        for span in spans:
            for lines in in_lines(span.pieces()):
                count.add(len(lines))
                yield pyarrow.RecordBatch.from_arrays([pyarrow.array(lines, pyarrow.binary())], ["value"])

    return read


def _matching(config: Config) -> Callable[[], set[str]] | None:
    """Finds a task's share of the files that match the patterns; None where there are no patterns. A file's name says which task
    it belongs to: so a new one leaves the others where they are."""
    if "file" in config:
        return None
    patterns = _patterns(config["files"])
    task, tasks = int(config[_TASK]), int(config[_TASKS])

    def find() -> set[str]:
        found = {path for pattern in patterns for path in glob.iglob(pattern, recursive=True)}
        return {path for path in found if zlib.crc32(os.fsencode(path)) % tasks == task and os.path.isfile(path)}

    return find


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
                default=None,
                importance=Importance.HIGH,
                validator=non_empty,
                documentation="Source filename, on the worker's machine.",
            ),
            Key(
                "topic",
                Type.STRING,
                importance=Importance.HIGH,
                validator=non_empty,
                documentation="The topic that the lines are written to.",
            ),
            Key(
                "files",
                Type.LIST,
                default=(),
                importance=Importance.HIGH,
                validator=no_duplicates("files"),
                documentation="Patterns of source filenames, in place of a filename: `*`, `?` and `[a-z]` within a folder, `**` "
                "for any number of folders. Each file has an offset of its own; the files are shared out over the tasks. Files "
                "that come to match later are read, too.",
            ),
            Key(
                "files.refresh.interval.ms",
                Type.LONG,
                default=_REFRESH,
                importance=Importance.LOW,
                validator=at_least(0),
                documentation="How often files are looked for that have come to match a pattern.",
            ),
            Key(
                "file.compression",
                Type.STRING,
                default="auto",
                importance=Importance.LOW,
                validator=one_of("auto", *KINDS),
                documentation="How the files are compressed: `gzip`, `none`, or `auto` for gzip where a name ends with `.gz`. An "
                "offset is a position in the text.",
            ),
            Key(
                "batch.size",
                Type.INT,
                default=2000,
                importance=Importance.LOW,
                documentation="Accepted for compatibility. Spark reads ranges of bytes, not batches of records.",
            ),
        )
    )

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        if wrong := _wrong_choice(self.settings):
            raise ConnectError(wrong[1])

    @classmethod
    def validate(cls, config: Config) -> list[ConfigValue]:
        """Kafka Connect reads its own standard input where no file is named; here there is none to read."""
        values = super().validate(config)
        if wrong := _wrong_choice({value.name: value.value for value in values}):
            for value in values:
                if value.name == wrong[0] and not value.errors:
                    value.errors.append(wrong[1])
        return values

    def task_configs(self, max_tasks: int) -> list[dict[str, str]]:
        """One file can only be read by one task."""
        if not self.settings["files"]:
            return [dict(self.config)]
        return [{**self.config, _TASK: str(task), _TASKS: str(max_tasks)} for task in range(max_tasks)]

    def alter_offsets(self, offsets: Sequence[PartitionOffset]) -> bool:
        """A file that an earlier config named may be among them. What is reset may be of any shape: so one gets rid of it."""
        for item in offsets:
            if item.offset is not None:
                _check_position(item.offset)
                _check_file(item.partition)
        return True


def _wrong_choice(settings: Mapping[str, object]) -> tuple[str, str] | None:
    """Which key is wrong, and why, if not one of both says what to read."""
    if settings["file"] is not None:
        return ("files", _BOTH) if settings["files"] else None
    return None if settings["files"] else ("file", _NO_FILE)


def _patterns(value: str) -> list[str]:
    patterns = parse_value(Type.LIST, value)
    assert isinstance(patterns, list)
    return patterns


def _check_position(offset: Fields) -> None:
    if "position" not in offset:
        raise ConnectError("Offset objects should either be null or contain the key 'position'")
    position = offset["position"]
    if not isinstance(position, int) or isinstance(position, bool):
        raise ConnectError("The value for the 'position' key in the offset is expected to be a Long value")
    if position < 0:
        raise ConnectError("The value for the 'position' key in the offset should be a non-negative value")
    where = [offset.get(key, 0) for key in (MEMBER_OFFSET, MEMBER_POSITION)]
    if not all(isinstance(number, int) and not isinstance(number, bool) and number >= 0 for number in where):
        raise ConnectError(
            f"The values for the '{MEMBER_OFFSET}' and '{MEMBER_POSITION}' keys should be non-negative Long values"
        )
    if where[1] > position:  # type: ignore[operator]
        raise ConnectError(f"The value for the '{MEMBER_POSITION}' key should not be greater than that for the 'position' key")


def _check_file(partition: Fields | None) -> None:
    if partition is None:
        raise ConnectError("Partition objects cannot be null")
    if "filename" not in partition:
        raise ConnectError("Partition objects should contain the key 'filename'")
