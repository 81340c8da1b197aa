"""A Python data source, as a package that somebody has installed: it counts, two numbers at a time."""

from collections.abc import Iterator

from pyspark.sql.datasource import DataSource, SimpleDataSourceStreamReader
from pyspark.sql.types import StructType

# The names are PySpark's.
# ruff: noqa: N802

END = 7
Offset = dict[str, int]


class Counter(SimpleDataSourceStreamReader):
    def initialOffset(self) -> Offset:
        return {"next": 0}

    def read(self, start: Offset) -> tuple[Iterator[tuple[int]], Offset]:
        end = {"next": min(start["next"] + 2, END)}
        return self.readBetweenOffsets(start, end), end

    def readBetweenOffsets(self, start: Offset, end: Offset) -> Iterator[tuple[int]]:
        return iter([(number,) for number in range(start["next"], end["next"])])


class CounterSource(DataSource):
    @classmethod
    def name(cls) -> str:
        return "counter"

    def schema(self) -> str:
        return "id INT"

    def simpleStreamReader(self, schema: StructType) -> Counter:
        return Counter()
