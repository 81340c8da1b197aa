"""SQLite tables to topics, and topics to a SQLite table. A table to be read has an integer primary key `id` that only grows."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from workers.connectors.base import (
    ConnectError,
    KafkaRange,
    RetriableError,
    SinkConnector,
    SinkTask,
    SourceConnector,
    SourceRange,
    SourceTask,
    TaskContext,
)
from workers.connectors.configdef import ConfigDef, ConfigValue, Importance, Key, Type, Width
from workers.connectors.validators import no_duplicates, non_empty
from workers.herder.values import Config, Fields, Partition, PartitionOffset

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: What one job reads at most, in rows of a table.
ROWS = 10_000
#: How often new tables are looked for, in seconds.
LOOK = 2.0


def ask(database: str, query: str, values: Iterable[object] = ()) -> list[sqlite3.Row]:
    """Raises RetriableError while somebody else has locked the database, ConnectError for anything else that goes wrong."""
    try:
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as opened:
            opened.row_factory = sqlite3.Row
            return opened.execute(query, tuple(values)).fetchall()
    except sqlite3.Error as error:
        locked = isinstance(error, sqlite3.OperationalError) and "locked" in str(error)
        raise (RetriableError if locked else ConnectError)(f"{database}: {error}") from error


def tables_of(database: str) -> list[str]:
    found = ask(database, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    return [row["name"] for row in found]


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


# --- source -----------------------------------------------------------------------------------------------------------


class Tables:
    """Recommends the tables that there are, once the database is given."""

    def valid_values(self, name: str, parsed: Mapping[str, object]) -> Sequence[object]:
        try:
            return tables_of(str(parsed["database"])) if parsed.get("database") else []
        except ConnectError:
            return []

    def visible(self, name: str, parsed: Mapping[str, object]) -> bool:
        return True


class SqliteSourceTask(SourceTask):
    """Reads its tables in the order of `id`: a row becomes a record, its id the key, its columns as JSON the value."""

    def start(self, committed: Callable[[Fields], Fields | None]) -> None:
        self._database, self._prefix = self.config["database"], self.config["topic.prefix"]
        offsets = {table: committed({"table": table}) for table in self.config["tables"].split(",")}
        self._read = {table: int(str(offset["id"])) if offset else 0 for table, offset in offsets.items()}

    def next_range(self) -> SourceRange | None:
        newest = "SELECT max(id) AS newest FROM (SELECT id FROM {} WHERE id > ? ORDER BY id LIMIT ?)"
        ends: dict[str, int] = {}
        for table, read in self._read.items():
            (row,) = ask(self._database, newest.format(quoted(table)), (read, ROWS))
            if row["newest"] is not None:
                ends[table] = row["newest"]
        if not ends:
            return None
        offsets = [({"table": table}, {"id": end}) for table, end in ends.items()]
        return SourceRange(dict(self._read), ends, offsets, [self._prefix + table for table in ends])

    def read(self, spark: SparkSession, new: SourceRange) -> DataFrame:
        assert isinstance(new.start, dict)
        assert isinstance(new.end, dict)
        records = []
        for table, end in new.end.items():
            query = f"SELECT * FROM {quoted(table)} WHERE id > ? AND id <= ? ORDER BY id"
            for row in ask(self._database, query, (new.start[table], end)):
                records.append((self._prefix + table, str(row["id"]), json.dumps(dict(row))))
        # One partition of Spark's: several would be written in any order.
        return spark.createDataFrame(records, "topic STRING, key STRING, value STRING").coalesce(1)

    def committed(self, new: SourceRange) -> None:
        assert isinstance(new.end, dict)
        self._read |= new.end


class SqliteSourceConnector(SourceConnector):
    version = "1.0"
    task_class = SqliteSourceTask
    config_def = ConfigDef(
        (
            Key(
                "database",
                Type.STRING,
                importance=Importance.HIGH,
                validator=non_empty,
                documentation="The database's file, on the worker's machine.",
                group="Database",
                order_in_group=1,
                width=Width.LONG,
                display_name="Database file",
                dependents=("tables",),
            ),
            Key(
                "tables",
                Type.LIST,
                default=(),
                validator=no_duplicates("tables"),
                documentation="The tables to read. Without them all are read, also those that come later.",
                group="Database",
                order_in_group=2,
                display_name="Tables",
                recommender=Tables(),
            ),
            Key(
                "topic.prefix",
                Type.STRING,
                default="",
                importance=Importance.LOW,
                documentation="What stands before a table's name in the name of its topic.",
                group="Kafka",
                order_in_group=1,
            ),
        )
    )

    @classmethod
    def validate(cls, config: Config) -> list[ConfigValue]:
        values = super().validate(config)
        database = values[0]
        if not database.errors and not Path(str(database.value)).is_file():
            database.errors.append(f"Invalid value {database.value} for configuration database: There is no such file")
        return values

    def start(self) -> None:
        self._database = str(self.settings["database"])
        self._tables = self._wanted()
        self.context.every(LOOK, self._look)

    def _wanted(self) -> list[str]:
        named = self.settings["tables"]
        return list(named) if isinstance(named, list) and named else tables_of(self._database)

    def _look(self) -> None:
        tables, self._tables = self._tables, self._wanted()
        if self._tables != tables:
            self.context.request_task_reconfiguration()

    def task_configs(self, max_tasks: int) -> list[dict[str, str]]:
        shares = [self._tables[task::max_tasks] for task in range(max_tasks)]
        return [{**self.config, "tables": ",".join(share)} for share in shares if share]

    def alter_offsets(self, offsets: Sequence[PartitionOffset]) -> bool:
        for item in offsets:
            if item.offset is not None and not isinstance(item.offset.get("id"), int):
                raise ConnectError(f"An offset of a table is the id that was read last, {{'id': 7}}, not {dict(item.offset)}")
        return True


# --- sink -------------------------------------------------------------------------------------------------------------


class SqliteSinkTask(SinkTask):
    """Inserts records under the place that they have in Kafka: what comes again changes nothing, so each is there once."""

    def start(self, context: TaskContext) -> None:
        self._database, self._table = self.config["database"], quoted(self.config["table"])
        columns = "topic TEXT, partition INTEGER, offset INTEGER, key TEXT, value TEXT, PRIMARY KEY (topic, partition, offset)"
        self._change(f"CREATE TABLE IF NOT EXISTS {self._table} ({columns})", [()])

    def write(self, records: DataFrame, ranges: Sequence[KafkaRange]) -> None:
        columns = ("topic", "partition", "offset", "CAST(key AS STRING)", "CAST(value AS STRING)")
        rows = records.selectExpr(*columns).toLocalIterator(prefetchPartitions=True)
        self._change(f"INSERT OR IGNORE INTO {self._table} VALUES (?, ?, ?, ?, ?)", rows)

    def _change(self, statement: str, rows: Iterable[tuple[object, ...]]) -> None:
        try:
            with closing(sqlite3.connect(self._database)) as opened, opened:
                opened.executemany(statement, rows)
        except sqlite3.OperationalError as error:
            raise (RetriableError if "locked" in str(error) else ConnectError)(f"{self._database}: {error}") from error


class SqliteSinkConnector(SinkConnector):
    version = "1.0"
    task_class = SqliteSinkTask
    config_def = ConfigDef(
        (
            Key("database", Type.STRING, importance=Importance.HIGH, validator=non_empty, documentation="The database's file."),
            Key("table", Type.STRING, importance=Importance.HIGH, validator=non_empty, documentation="It is made if need be."),
        )
    )

    def task_configs(self, max_tasks: int) -> list[dict[str, str]]:
        return [dict(self.config) for _ in range(max_tasks)]

    def alter_offsets(self, offsets: Mapping[Partition, int | None]) -> bool:
        return True
