"""Python data sources, as a package that somebody has installed: one counts, two numbers at a time, one keeps rows as lines of
JSON."""

import json
import uuid
from collections.abc import Iterator
from pathlib import Path

from pyspark.sql import Row
from pyspark.sql.datasource import DataSource, DataSourceWriter, SimpleDataSourceStreamReader, WriterCommitMessage
from pyspark.sql.types import StructType

# The names are PySpark's.
# ruff: noqa: N802

Offset = dict[str, int]


class Counter(SimpleDataSourceStreamReader):
    def __init__(self, end: int) -> None:
        self._end = end

    def initialOffset(self) -> Offset:
        return {"next": 0}

    def read(self, start: Offset) -> tuple[Iterator[tuple[int]], Offset]:
        end = {"next": min(start["next"] + 2, self._end)}
        return self.readBetweenOffsets(start, end), end

    def readBetweenOffsets(self, start: Offset, end: Offset) -> Iterator[tuple[int]]:
        return iter([(number,) for number in range(start["next"], end["next"])])


class CounterSource(DataSource):
    """Up to the option `end`, 7 if it is not given."""

    @classmethod
    def name(cls) -> str:
        return "counter"

    def schema(self) -> str:
        return "id INT"

    def simpleStreamReader(self, schema: StructType) -> Counter:
        return Counter(int(self.options.get("end", "7")))


class Lines(DataSourceWriter):
    def __init__(self, folder: str) -> None:
        self._folder = folder

    def write(self, iterator: Iterator[Row]) -> WriterCommitMessage:
        """In one go: a file that is there is whole."""
        folder = Path(self._folder)
        folder.mkdir(exist_ok=True)
        new = folder / f"{uuid.uuid4()}.new"
        new.write_text("".join(json.dumps(row.asDict()) + "\n" for row in iterator))
        new.rename(new.with_suffix(".json"))
        return WriterCommitMessage()


class LinesSink(DataSource):
    """Into the folder `path`."""

    @classmethod
    def name(cls) -> str:
        return "lines"

    def writer(self, schema: StructType, overwrite: bool) -> Lines:
        return Lines(self.options["path"])
