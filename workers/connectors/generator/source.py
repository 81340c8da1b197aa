"""GeneratorSource: made-up records at a rate, for demonstrations and load. Record n is a function of n and the seed alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from workers import VERSION
from workers.connectors.base import ConnectError, SourceConnector, SourceRange, SourceTask
from workers.connectors.configdef import ConfigDef, ConfigValue, Importance, Invalid, Key, Type
from workers.connectors.generator.pace import Pace
from workers.connectors.generator.schemas import READY_MADE, expressions
from workers.connectors.validators import at_least, non_empty, one_of
from workers.data import sql
from workers.herder.values import Config, Fields, PartitionOffset

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: What one job makes at most, in records.
RANGE_RECORDS = 200_000
_UNLIMITED = -1
#: What a task is told in its config beside the connector's.
_TASK, _TASKS = "generator.task", "generator.tasks"


class GeneratorSourceTask(SourceTask):
    """Of as many tasks as there are it makes every so-manieth record, in order."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self._settings = CONFIG_DEF.parse(config)
        self._task, self._tasks = int(config[_TASK]), int(config[_TASKS])
        self._partition = {"generator": config["topic"], "task": self._task, "tasks": self._tasks}
        self._position = 0
        self._pace: Pace | None = None
        self._newest = 0

    def start(self, committed: Callable[[Fields], Fields | None]) -> None:
        offset = committed(self._partition)
        if offset is not None:
            _check_position(offset)
            self._position = int(str(offset["position"]))
        rate = float(str(self._settings["rate"]))
        if rate != _UNLIMITED:
            self._pace = Pace(rate / self._tasks, time.monotonic())

    def next_range(self) -> SourceRange | None:
        count = min(RANGE_RECORDS, self._left())
        if self._pace is not None:
            self._pace = self._pace.now(time.monotonic())
            count = min(count, int(self._pace.due))
        if count <= 0:
            return None
        end = self._position + count
        return SourceRange(self._position, end, [(self._partition, {"position": end})], [self.config["topic"]])

    def _left(self) -> int:
        """Of this task's share."""
        records = int(str(self._settings["records"]))
        if records == _UNLIMITED:
            return RANGE_RECORDS
        return (records - self._task + self._tasks - 1) // self._tasks - self._position

    def read(self, spark: SparkSession, new: SourceRange) -> DataFrame:
        start, end = _bounds(new)
        self._newest = end - start
        fields = expressions(str(self._settings["schema"]), int(str(self._settings["seed"])))
        numbers = spark.range(start, end, 1, 1).selectExpr(f"id * {self._tasks}L + {self._task}L AS n")
        as_json = self._settings["value.format"] == "json"
        value, key = sql.named_struct(fields), dict(fields).get(str(self._settings["key.field"]), "CAST(NULL AS STRING)")
        if as_json:
            value = f"to_json({value}, map('ignoreNullFields', 'false', 'timeZone', 'UTC'))"
            key = f"CAST({key} AS STRING)"
        return numbers.selectExpr(f"{sql.text(self.config['topic'])} AS topic", f"{key} AS key", f"{value} AS value")

    def records(self) -> int | None:
        return self._newest

    def committed(self, new: SourceRange) -> None:
        start, self._position = _bounds(new)
        if self._pace is not None:
            self._pace = self._pace.less(self._position - start)


def _bounds(new: SourceRange) -> tuple[int, int]:
    assert isinstance(new.start, int)
    assert isinstance(new.end, int)
    return new.start, new.end


def _rate(value: object) -> None:
    if not isinstance(value, float) or not (0 < value < float("inf") or value == _UNLIMITED):
        raise Invalid("Value must be more than 0, or -1 for as fast as possible")


def _schema(value: object) -> None:
    try:
        expressions(str(value), 0)
    except ValueError as error:
        raise Invalid(f"It is neither one of {', '.join(READY_MADE)} nor a list of fields: {error}") from error


CONFIG_DEF = ConfigDef(
    (
        Key(
            "topic",
            Type.STRING,
            importance=Importance.HIGH,
            validator=non_empty,
            documentation="The topic that the records are written to.",
        ),
        Key(
            "schema",
            Type.STRING,
            default="orders",
            importance=Importance.HIGH,
            validator=_schema,
            documentation=f"What is generated: {', '.join(READY_MADE)}, or fields as Spark writes them: `id BIGINT, name STRING`."
            " An integer field `id` is the record's number.",
        ),
        Key(
            "rate",
            Type.DOUBLE,
            default=10.0,
            importance=Importance.HIGH,
            validator=_rate,
            documentation="Records per second, all tasks together; -1 for as fast as possible.",
        ),
        Key(
            "records",
            Type.LONG,
            default=_UNLIMITED,
            importance=Importance.MEDIUM,
            validator=at_least(_UNLIMITED),
            documentation="How many records there are, all tasks together; -1 for no end.",
        ),
        Key(
            "seed",
            Type.LONG,
            default=0,
            importance=Importance.LOW,
            documentation="With another seed the records are others; with the same they are the same.",
        ),
        Key(
            "key.field",
            Type.STRING,
            default=None,
            importance=Importance.MEDIUM,
            documentation="The field whose value is the record's key, too. Without it there is no key.",
        ),
        Key(
            "value.format",
            Type.STRING,
            default="json",
            importance=Importance.MEDIUM,
            validator=one_of("json", "struct"),
            documentation="`json`: the value is a STRING, the record as JSON. `struct`: it is a STRUCT with its schema, for "
            "converters and transforms.",
        ),
    )
)


def _wrong_key_field(settings: Mapping[str, object]) -> str | None:
    field, schema = settings["key.field"], settings["schema"]
    if field is None or schema is None:
        return None
    try:
        names = [name for name, _ in expressions(str(schema), 0)]
    except ValueError:
        return None
    if field in names:
        return None
    return f"Invalid value {field} for configuration key.field: The schema has no such field; it has {', '.join(names)}"


class GeneratorSourceConnector(SourceConnector):
    version = VERSION
    task_class = GeneratorSourceTask
    config_def = CONFIG_DEF

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        if wrong := _wrong_key_field(self.settings):
            raise ConnectError(wrong)

    @classmethod
    def validate(cls, config: Config) -> list[ConfigValue]:
        values = super().validate(config)
        if wrong := _wrong_key_field({value.name: value.value for value in values}):
            next(value for value in values if value.name == "key.field").errors.append(wrong)
        return values

    def task_configs(self, max_tasks: int) -> list[dict[str, str]]:
        return [{**self.config, _TASK: str(task), _TASKS: str(max_tasks)} for task in range(max_tasks)]

    def alter_offsets(self, offsets: Sequence[PartitionOffset]) -> bool:
        """What is reset may be of any shape: so one gets rid of it."""
        for item in offsets:
            if item.offset is not None:
                _check_position(item.offset)
                _check_partition(item.partition)
        return True


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _check_position(offset: Fields) -> None:
    if not _is_count(offset.get("position")):
        raise ConnectError(
            f"An offset of a generator is how many records its task has made, {{'position': 0}}, not {dict(offset)}"
        )


def _check_partition(partition: Fields | None) -> None:
    given = dict(partition or {})
    whole = given.keys() == {"generator", "task", "tasks"} and isinstance(given["generator"], str)
    if not whole or not (_is_count(given["task"]) and _is_count(given["tasks"])):
        raise ConnectError(
            f"A partition of a generator is one of its tasks, {{'generator': '<topic>', 'task': 0, 'tasks': 1}}, not {given}"
        )
