"""Records on their way between a connector and Kafka, as columns of a DataFrame, and what a step of that way does to them. Pure.

Kafka Connect gives every record a schema of its own; a column of Spark has one type. So the records of one DataFrame are of one
or several *alternatives*: each has its own schemas, and its own two columns for key and value. The column `shape` says which
one a record is of. Without a schema (Connect's schemaless data: JSON without an envelope) a column is a VARIANT: an object for a
map, whatever its keys.

Every record has, beside its alternative's columns:

| column | type | |
|---|---|---|
| `topic` | string | |
| `partition` | int | of a sink's record where it stands, of a source's where it is to go; null: the producer chooses |
| `offset` | bigint | of a sink's record; null of a source's |
| `timestamp` | timestamp | may be null |
| `headers` | array<struct<key: string, value: binary>> | may be null |
| `shape` | int | number of its alternative |
| `error` | `ERROR` | null as long as nothing is wrong with it; where it is set, no later step touches the record |
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Protocol

from workers.data import sql
from workers.data.schema import Schema

#: `stage` is Kafka Connect's (KIP-298): TRANSFORMATION, KEY_CONVERTER, …; `class` the Java class at work; `exception` that of the
#: failure.
ERROR = "struct<stage: string, class: string, exception: string, message: string>"
DATA_EXCEPTION = "org.apache.kafka.connect.errors.DataException"


class DataError(Exception):
    """What is wrong with every record of an alternative, whatever its data: a field that its schema does not have."""

    def __init__(self, message: str, exception: str = DATA_EXCEPTION) -> None:
        super().__init__(message)
        self.exception = exception


@dataclass(frozen=True, slots=True)
class Data:
    """`sql` gives it; it is of the Spark type that stands for `schema` (`spark_types.py`), VARIANT where that is None. A null is
    SQL's NULL, also in a VARIANT column as a whole (inside a variant it is the variant's own null)."""

    sql: str
    schema: Schema | None


@dataclass(frozen=True, slots=True)
class Record:
    """What a transform gets to see: records of one alternative."""

    key: Data
    value: Data
    topic: str = "topic"
    partition: str = "partition"
    offset: str = "offset"
    timestamp: str = "timestamp"
    headers: str = "headers"


@dataclass(frozen=True, slots=True)
class Failure:
    """Tells what is wrong with a record: SQL of a text, null where nothing is."""

    message: str
    exception: str = DATA_EXCEPTION


@dataclass(frozen=True, slots=True)
class Effect:
    """What becomes of a record: SQL over the record as it was, None for what stays. Expressions never raise, and count for
    nothing where one of the `failures` (the first that is not null) tells of one. `drop` says which records go no further: true
    or false, never null."""

    key: Data | None = None
    value: Data | None = None
    topic: str | None = None
    partition: str | None = None
    timestamp: str | None = None
    headers: str | None = None
    drop: str | None = None
    failures: tuple[Failure, ...] = ()


class Routing(Enum):
    """What says which topic a transform sends a record to."""

    #: It stays where it is.
    NONE = auto()
    #: The topic that it has.
    TOPIC = auto()
    #: Whatever it holds.
    RECORD = auto()


class Transform(Protocol):
    """A transform with its configuration (`org.apache.kafka.connect.transforms.Transformation`)."""

    #: Its class, by Kafka Connect's name.
    name: str

    @property
    def routing(self) -> Routing: ...

    def apply(self, record: Record) -> Effect:
        """Raises DataError."""
        ...


class Predicate(Protocol):
    """A predicate with its configuration (`org.apache.kafka.connect.transforms.predicates.Predicate`)."""

    name: str

    def test(self, record: Record) -> str:
        """SQL, true or false, never null."""
        ...


def error(stage: str, class_name: str, exception: str, message: str) -> str:
    """SQL of a record's `error`; `message` is SQL of a text."""
    return sql.named_struct(
        [
            ("stage", sql.text(stage)),
            ("class", sql.text(class_name)),
            ("exception", sql.text(exception)),
            ("message", message),
        ]
    )
