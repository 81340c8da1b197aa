"""SqlTransform, Drover's own: Spark's SQL over a record."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from workers.connectors.configdef import ConfigDef, Key, Type
from workers.connectors.validators import non_empty
from workers.data.records import Data, DataError, Effect, Record, Routing
from workers.data.spark_types import data_of, spark_type
from workers.transforms.base import ILLEGAL_ARGUMENT, RecordTransform, Settings, TransformConfigError, text_or_none

if TYPE_CHECKING:
    from pyspark.sql.types import DataType

#: Tells an expression's type, by the types of the columns that it may name. Raises DataError if it makes no sense.
TypeOf = Callable[[str, Mapping[str, str]], "DataType"]


def by_the_session(expression: str, columns: Mapping[str, str]) -> DataType:
    """Asks the process' own Spark, wherever it was started."""
    from pyspark.sql import SparkSession

    from workers.transforms.spark_answers import type_of

    return type_of(SparkSession.active())(expression, columns)


_COMMON = {
    "topic": "string",
    "partition": "int",
    "offset": "bigint",
    "timestamp": "timestamp",
    "headers": "array<struct<key: string, value: binary>>",
}
_TOKEN = re.compile(
    r"""'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`(?:[^`]|``)*`|--[^\n]*|/\*.*?\*/|[A-Za-z_]\w*|\s+|.""", re.DOTALL
)


def _key(name: str, text: str) -> Key:
    return Key(name, Type.STRING, default=None, documentation=text, validator=non_empty)


class SqlTransform(RecordTransform):
    """The record as it was is seen by all of its expressions."""

    class_name = "drover.SqlTransform"
    config_def = ConfigDef(
        (
            _key("value", "SQL of the new value, over key, value, topic, partition, offset, timestamp and headers."),
            _key("key", "SQL of the new key."),
            _key("topic", "SQL of the new topic; where it is null, the topic stays."),
            _key("where", "SQL of a condition: a record for which it is not true goes no further."),
        )
    )

    def configure(self, settings: Settings) -> None:
        self._value, self._key, self._topic, self._where = (
            text_or_none(settings[name]) for name in ("value", "key", "topic", "where")
        )
        if not any((self._value, self._key, self._topic, self._where)):
            raise TransformConfigError("SqlTransform needs value, key, topic or where.")
        self.routing = Routing.NONE if self._topic is None else Routing.RECORD
        self._type_of: TypeOf = by_the_session
        #: A chain is compiled for each batch, its expressions stay the same.
        self._known: dict[tuple[str, str, str], DataType] = {}

    def ask(self, type_of: TypeOf) -> None:
        """What Spark makes of an expression is Spark's to say."""
        self._type_of = type_of

    def apply(self, record: Record) -> Effect:
        topic, where = self._plain("topic", self._topic, "string", record), self._plain("where", self._where, "boolean", record)
        return Effect(
            key=self._typed(self._key, record),
            value=self._typed(self._value, record),
            topic=None if topic is None else f"coalesce({topic}, {record.topic})",
            drop=None if where is None else f"NOT coalesce({where}, false)",
        )

    def _plain(self, name: str, expression: str | None, wanted: str, record: Record) -> str | None:
        data = self._typed(expression, record)
        if data is not None and spark_type(data.schema).lower() != wanted:
            raise DataError(f"{name} must be a {wanted}", ILLEGAL_ARGUMENT)
        return None if data is None else data.sql

    def _typed(self, expression: str | None, record: Record) -> Data | None:
        if expression is None:
            return None
        said = f"({_over(expression, record)})"
        key, value = spark_type(record.key.schema), spark_type(record.value.schema)
        if (said, key, value) not in self._known:
            self._known[said, key, value] = self._type_of(said, {**_COMMON, record.key.sql: key, record.value.sql: value})
        return data_of(said, self._known[said, key, value])


def _over(expression: str, record: Record) -> str:
    """With `key` and `value` called what they are called in the record's columns. They are no such names behind a dot or AS."""
    names = {"key": record.key.sql, "value": record.value.sql}
    said, before = "", ""
    for match in _TOKEN.finditer(expression):
        token = match.group()
        if before not in (".", "as"):
            said += names.get(token.lower(), token)
        else:
            said += token
        if not token.isspace():
            before = token.lower()
    # A comment at the end must not swallow what follows.
    return f"{said}\n" if "--" in said else said
