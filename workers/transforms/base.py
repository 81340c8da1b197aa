"""What the transforms are made of: a class of Kafka Connect's with its keys, and the part of a record that it changes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import ClassVar

from workers.connectors.configdef import ConfigDef, Importance, Key, Type
from workers.data import sql
from workers.data.records import Data, DataError, Effect, Failure, Record, Routing
from workers.data.schema import Schema

#: Of the session that runs the transforms' SQL.
SESSION_OPTIONS = {
    # Where two fields of a schemaless map get the same name, the later one stays.
    "spark.sql.mapKeyDedupPolicy": "LAST_WIN",
    # What Spark's parser remembers of long SQL is hundreds of megabytes after a few dozen transforms, and never used again: in
    # per cent of the heap, when it is to be forgotten.
    "spark.sql.parser.manageParserCaches": "true",
    "spark.sql.parser.parserDfaCacheFlushRatio": "5.0",
}

PACKAGE = "org.apache.kafka.connect.transforms"
ILLEGAL_ARGUMENT = "java.lang.IllegalArgumentException"
NULL_POINTER = "java.lang.NullPointerException"
OUT_OF_BOUNDS = "java.lang.IndexOutOfBoundsException"
CONNECT_EXCEPTION = "org.apache.kafka.connect.errors.ConnectException"
SCHEMA_BUILDER = "org.apache.kafka.connect.errors.SchemaBuilderException"

Settings = Mapping[str, object]


class TransformConfigError(ValueError):
    """What the keys' values say together makes no sense: the task that is to have this transform cannot start."""


class Part(StrEnum):
    """Of a record; named as the classes are, `Cast$Key`."""

    KEY = "Key"
    VALUE = "Value"

    def of(self, record: Record) -> Data:
        return record.key if self is Part.KEY else record.value

    def effect(self, data: Data | None, *failures: Failure | None, headers: str | None = None) -> Effect:
        kept = tuple(failure for failure in failures if failure is not None)
        if self is Part.KEY:
            return Effect(key=data, headers=headers, failures=kept)
        return Effect(value=data, headers=headers, failures=kept)


class RecordTransform(ABC):
    """Of a whole record. `class_name` is Kafka Connect's."""

    class_name: ClassVar[str]
    config_def: ClassVar[ConfigDef]
    routing: Routing = Routing.NONE

    def __init__(self, settings: Settings) -> None:
        self.name = self.class_name
        self.configure(settings)

    def configure(self, settings: Settings) -> None:  # noqa: B027 - one without keys has nothing to take
        """Gets the typed values of `config_def`. Raises TransformConfigError."""

    @abstractmethod
    def apply(self, record: Record) -> Effect:
        """Raises DataError."""


class PartTransform(RecordTransform):
    """Of the key or the value; each is a class of its own in Kafka Connect, nested in `class_name`."""

    #: Whether a record without data just goes on.
    null_passes: ClassVar[bool] = False

    def __init__(self, part: Part, settings: Settings) -> None:
        super().__init__(settings)
        self.part = part
        self.name = f"{self.class_name}${part}"

    @abstractmethod
    def of_map(self, value: str, record: Record) -> Effect:
        """Of data without a schema, a VARIANT."""

    @abstractmethod
    def of_struct(self, data: Data, schema: Schema, record: Record) -> Effect:
        """Of data with a schema, which may also be no STRUCT. Raises DataError."""

    def apply(self, record: Record) -> Effect:
        data = self.part.of(record)
        if not self.null_passes:
            return self._applied(data, record)
        try:
            effect = self._applied(data, record)
        except DataError as wrong:
            effect = Effect(failures=(Failure(sql.text(str(wrong)), wrong.exception),))
        return replace(effect, failures=tuple(only_where(f"{data.sql} IS NOT NULL", failure) for failure in effect.failures))

    def _applied(self, data: Data, record: Record) -> Effect:
        return self.of_map(data.sql, record) if data.schema is None else self.of_struct(data, data.schema, record)


REPLACE_NULL = Key(
    "replace.null.with.default",
    Type.BOOLEAN,
    default=True,
    importance=Importance.MEDIUM,
    documentation="Whether a field that is null and has a default gets the default (KIP-1040).",
)


def texts(value: object) -> list[str]:
    """A list's setting."""
    assert isinstance(value, list | tuple)
    return [str(item) for item in value]


def text_or_none(value: object) -> str | None:
    return None if value is None else str(value)


def only_where(condition: str, failure: Failure) -> Failure:
    """Of the records alone for which the SQL is true."""
    return replace(failure, message=f"CASE WHEN {condition} THEN {failure.message} END")
