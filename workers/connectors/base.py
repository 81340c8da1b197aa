"""What a connector is to its author. No thread, offset commit, checkpoint or retry is written here: the runtime does that.

A connector says which tasks it wants; a source task says what is new and reads it as a DataFrame; a sink task writes one. Between
these DataFrames and Kafka stand the connector's transforms and converters, as the user configured them. The columns:

| column      | Spark type                             | of a source                                | of a sink                |
|-------------|----------------------------------------|--------------------------------------------|--------------------------|
| `topic`     | string                                 | always                                     | always                   |
| `key`       | any                                    | always; null where there is none           | as the converter made it |
| `value`     | any                                    | always; null for a tombstone               | as the converter made it |
| `partition` | int                                    | where it matters; null: producer's choice  | always                   |
| `offset`    | bigint                                 | never                                      | always                   |
| `timestamp` | timestamp                              | where it is known; null: when it is written | always                  |
| `headers`   | array<struct<key:string,value:binary>> | where there are any                        | always; null: none       |

A string is a STRING of Kafka Connect, binary is BYTES, a struct a STRUCT, a variant data without a schema, and so on (decision
0022); a sink gets a string of StringConverter, binary of ByteArrayConverter, …, and casts what it needs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from workers.connectors.configdef import ConfigDef, ConfigValue
from workers.herder.ports import ConnectorContext
from workers.herder.values import Config, Fields, Partition, PartitionOffset, TaskId

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from workers.converters.catalogue import Role


class ConnectError(Exception):
    """A failure that an operator can understand and mend; the task fails with it."""


class RetriableError(ConnectError):
    """A failure that will pass by itself: the same range is tried again, later and later."""


@dataclass(frozen=True, slots=True)
class SourceRange:
    """Something new to read. `offsets` are the source partitions with the offsets that hold once it has been written,
    `topics` all that its records go to, unless transforms send them elsewhere: they are made before (KIP-158), noted (KIP-558),
    and tell what a job that failed has left to do."""

    start: object
    end: object
    offsets: Sequence[tuple[Fields, Fields]]
    topics: Sequence[str]


class SourceTask(ABC):
    def __init__(self, config: Config) -> None:
        self.config = config

    @abstractmethod
    def start(self, committed: Callable[[Fields], Fields | None]) -> None:
        """Where to go on: `committed` gives a source partition's offset, None if there is none; it may be asked later, too, of
        what comes to be read later. Raises ConnectError."""

    @abstractmethod
    def next_range(self) -> SourceRange | None:
        """What is new, at most as much as one job should read; None when nothing is. Cheap: it is asked all the time."""

    @abstractmethod
    def read(self, spark: SparkSession, new: SourceRange) -> DataFrame:
        """The range's records, in order within a partition of what is read. The plan of it is all that is made here: the runtime
        runs it, and if that has to be done again asks again. Two reads of one range give the same records."""

    def coalescing_key(self, new: SourceRange) -> Hashable | None:
        """Ranges of tasks of this class that say the same here are read by one `read_all`, and written by one job, which costs as
        much as one for any of them: many tasks to which now and then a little comes need few jobs. None: a job of its own, as for
        a range that is long: everybody in a job waits for all of it."""
        return None

    @classmethod
    def read_all(cls, spark: SparkSession, ranges: Sequence[tuple[Self, SourceRange]]) -> DataFrame:
        """As `read`, all of these, one after another. Rows that are in memory (`local_frames`) need no job of Spark's. Should it
        fail, every range comes once more by itself."""
        raise NotImplementedError

    def records(self) -> int | None:
        """How many records the newest range had, asked when they have been written; None if the task cannot tell. For metrics: no
        job of its own may be spent on it."""
        return None

    @abstractmethod
    def committed(self, new: SourceRange) -> None:
        """The range has been written and its offsets committed: `next_range` goes on behind it."""

    def stop(self) -> None:
        """Frees what `start` took."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """When a streaming query makes a batch of what is new: every `seconds` (`interval`); once at its start, and again after so
    many seconds unless they are 0 (`available-now`); or never, record by record, with its offsets committed every `seconds`
    (`realtime`)."""

    kind: Literal["interval", "available-now", "realtime"]
    seconds: float


@dataclass(frozen=True, slots=True)
class StreamPosition:
    """Where a streaming query stands. `offset` is Spark's text (JSON), `log` what the source itself keeps beside it: the files of
    its folder in a checkpoint by their names, of which a source of files has one for each batch."""

    offset: str
    log: Mapping[str, str] = field(default_factory=dict)


class StreamingSource(ABC):
    """A source's task as one streaming query. A `SourceTask` may be one as well: `trigger` says which of both it is to be."""

    def __init__(self, config: Config) -> None:
        self.config = config

    def start(self, committed: Callable[[Fields], Fields | None]) -> None:
        """Takes what it needs. Where to go on is for `position` to say. Raises ConnectError."""

    def stop(self) -> None:
        """Frees what `start` took."""

    @abstractmethod
    def trigger(self) -> Trigger | None:
        """None: it is no query, but a loop of jobs."""

    @abstractmethod
    def stream(self, spark: SparkSession) -> DataFrame:
        """A streaming DataFrame of one source, in a session of its own: columns as `SourceTask.read` gives them. Raises
        ConnectError. Spark begins at `position`, whatever is said here of where to begin."""

    @abstractmethod
    def topics(self) -> Sequence[str]:
        """The topics that its records go to, as far as its config tells (KIP-558)."""

    @abstractmethod
    def position(self, stored: Sequence[PartitionOffset]) -> StreamPosition | None:
        """Where to go on, by all source partitions of the connector and their offsets; None: from the start. Pure. Raises
        ConnectError for what it cannot understand."""

    @abstractmethod
    def offsets(self, reached: StreamPosition) -> Sequence[tuple[Fields, Fields]]:
        """The other way round: what holds once all before `reached` is written; none where nothing has changed. Its log has the
        files that are new since the last time. Pure."""

    def slots(self) -> int:
        """How many partitions it will read, as far as it knows before Spark does: in real time each keeps a slot of Spark's."""
        return 1

    def passed(self, reached: StreamPosition) -> None:
        """All before `reached` is written, and its offsets are committed. In real time the next batch may have begun."""

    def under_way(self) -> None:
        """Of real time: called every now and then, and no batch has ended since the call before, of this or of `passed`."""

    def begins_anew(self) -> bool:
        """Of real time, after its query has failed: whether that is because what it reads is another by now, which `position`
        knows from here on. Raises RetriableError if it is not there at the moment."""
        return False


@dataclass(frozen=True, slots=True)
class KafkaRange:
    """Offsets of one partition, `end` excluded."""

    topic: str
    partition: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TaskContext:
    """`scratch` is a folder of the task's own on the worker's disk. What is in it may be gone after a move to another worker."""

    id: TaskId
    scratch: Path


class SinkTask(ABC):
    def __init__(self, config: Config) -> None:
        self.config = config

    def start(self, context: TaskContext) -> None:
        """Takes what `write` needs. Raises ConnectError when it never could work."""

    def unfinished(self) -> Sequence[KafkaRange]:
        """The ranges of the newest write, whose commit this task cannot know of. If they are still to be done, exactly
        they are written again first, so that a sink that keeps a record of its writes can recognise them."""
        return ()

    @abstractmethod
    def write(self, records: DataFrame, ranges: Sequence[KafkaRange]) -> None:
        """Writes exactly these ranges; what it has written when it returns is safe. Raises RetriableError for what passes by
        itself, anything else to fail the task.

        Called again with the same ranges when the commit that should have followed did not happen.
        """

    def coalescing_key(self) -> Hashable | None:
        """As a source's: where there are few new records, those of tasks of this class that say the same here are written by one
        `write_all`. None: a job of its own."""
        return None

    @classmethod
    def write_all(cls, records: DataFrame, writes: Sequence[tuple[Self, Sequence[KafkaRange]]]) -> None:
        """As `write`, all of these. A record is for each of them in whose ranges it is, which may be none: its `topic`,
        `partition` and `offset` tell, by which the rows are ordered. What can fail for one of them alone is better left to its
        `finish`. Should it fail, each comes again by itself."""
        raise NotImplementedError

    def finish(self, ranges: Sequence[KafkaRange]) -> None:
        """What a task does by itself after `write` or `write_all`, before the ranges are committed."""

    def committed(self) -> None:
        """The newest write's offsets are committed: it will not come again."""

    def idle(self) -> None:
        """Nothing new is there, and all that was written is committed. Cheap: it is called all the time."""

    def stop(self) -> None:
        """Frees what `start` took."""


TaskClass = type[SourceTask] | type[SinkTask] | type[StreamingSource]


class Connector(ABC):
    """`java_class` is the class of Kafka Connect that this one stands in for, so that its configs work unchanged."""

    type: ClassVar[Literal["source", "sink"]]
    version: ClassVar[str]
    config_def: ClassVar[ConfigDef]
    java_class: ClassVar[str | None] = None
    java_task_class: ClassVar[str | None] = None
    task_class: ClassVar[TaskClass]
    #: Of what is converted by a class of its own where the config names none, in place of the worker's.
    default_converters: ClassVar[Mapping[Role, str]] = {}
    #: Whether the class in Kafka Connect has the framework's keys among its own, plain as they are: they take the place of those
    #: that the framework enriches by the worker's converters and by the versions that there are.
    has_framework_keys: ClassVar[bool] = False
    #: There from before `start` on. One that need not look around for new work by itself leaves it alone.
    context: ConnectorContext

    def __init__(self, config: Config) -> None:
        self.config = config
        self.settings: Mapping[str, object] = self.config_def.parse(config)

    @classmethod
    def validate(cls, config: Config) -> list[ConfigValue]:
        """What is wrong with its own keys' values, and what is recommended. To be extended by what depends on several keys or
        on somebody else: it may take as long as a request may."""
        return cls.config_def.validate(config)

    def start(self) -> None:
        """Takes what `task_configs` needs. Raises ConnectError."""

    def stop(self) -> None:
        """Frees what `start` took."""

    @abstractmethod
    def task_configs(self, max_tasks: int) -> list[dict[str, str]]:
        """The config of each task, at most `max_tasks` of them."""


class SourceConnector(Connector):
    type = "source"

    def alter_offsets(self, offsets: Sequence[PartitionOffset]) -> bool:
        """Asked before the offsets of source partitions are changed by hand, of a connector that was not started (KIP-875); an
        offset of None is to be reset. What is asked may in the end not be done. A connector that need not check anything, and
        keeps its offsets nowhere else, returns True: that is what users are told.

        Raises ConnectError for what it refuses, NotImplementedError if its offsets cannot be changed at all.
        """
        return False


class SinkConnector(Connector):
    type = "sink"

    def alter_offsets(self, offsets: Mapping[Partition, int | None]) -> bool:
        """As a source's; of the partitions that it reads."""
        return False
