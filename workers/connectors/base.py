"""What a connector is to its author. No thread, offset commit, checkpoint or retry is written here: the runtime does that.

A connector says which tasks it wants; a source task says what is new and reads it as a DataFrame; a sink task writes one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from workers.connectors.configdef import ConfigDef
from workers.herder.values import Config, Fields, TaskId

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class ConnectError(Exception):
    """A failure that an operator can understand and mend; the task fails with it."""


class RetriableError(ConnectError):
    """A failure that will pass by itself: the same range is tried again, later and later."""


@dataclass(frozen=True, slots=True)
class SourceRange:
    """Something new to read. `offsets` are the source partitions with the offsets that hold once it has been written,
    `topics` the ones that its records go to (KIP-558)."""

    start: object
    end: object
    offsets: Sequence[tuple[Fields, Fields]]
    topics: Sequence[str]


class SourceTask(ABC):
    def __init__(self, config: Config):
        self.config = config

    @abstractmethod
    def start(self, committed: Callable[[Fields], Fields | None]) -> None:
        """Where to go on: `committed` gives a source partition's offset, None if there is none. Raises ConnectError."""

    @abstractmethod
    def next_range(self) -> SourceRange | None:
        """What is new, at most as much as one job should read; None when nothing is. Cheap: it is asked all the time."""

    @abstractmethod
    def read(self, spark: SparkSession, new: SourceRange) -> DataFrame:
        """The range's records, in order within a partition: columns `topic` (string), `key` and `value` (binary)."""

    def records(self) -> int | None:
        """How many records the newest `read` gave, asked when they have been written; None if the task cannot tell. For metrics:
        no job of its own may be spent on it."""
        return None

    @abstractmethod
    def committed(self, new: SourceRange) -> None:
        """The range has been written and its offsets committed: `next_range` goes on behind it."""

    def stop(self) -> None:
        """Frees what `start` took."""


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
    def __init__(self, config: Config):
        self.config = config

    def start(self, context: TaskContext) -> None:
        """Takes what `write` needs. Raises ConnectError when it never could work."""

    def unfinished(self) -> Sequence[KafkaRange]:
        """The ranges of the newest write, whose commit this task cannot know of. If they are still to be done, exactly
        they are written again first, so that a sink that keeps a record of its writes can recognise them."""
        return ()

    @abstractmethod
    def write(self, records: DataFrame, ranges: Sequence[KafkaRange]) -> None:
        """Writes exactly these ranges: columns `topic`, `partition`, `offset`, `timestamp`, `key`, `value` (binary).

        Called again with the same ranges when the commit that should have followed did not happen.
        """

    def committed(self) -> None:
        """The newest write's offsets are committed: it will not come again."""

    def stop(self) -> None:
        """Frees what `start` took."""


TaskClass = type[SourceTask] | type[SinkTask]


class Connector(ABC):
    """`java_class` is the class of Kafka Connect that this one stands in for, so that its configs work unchanged."""

    type: ClassVar[Literal["source", "sink"]]
    version: ClassVar[str]
    config_def: ClassVar[ConfigDef]
    java_class: ClassVar[str | None] = None
    java_task_class: ClassVar[str | None] = None
    task_class: ClassVar[TaskClass]

    def __init__(self, config: Config):
        self.config = config
        self.settings: Mapping[str, object] = self.config_def.parse(config)

    def start(self) -> None:
        """Takes what `task_configs` needs. Raises ConnectError."""

    def stop(self) -> None:
        """Frees what `start` took."""

    @abstractmethod
    def task_configs(self, max_tasks: int) -> list[dict[str, str]]:
        """The config of each task, at most `max_tasks` of them."""


class SourceConnector(Connector):
    type = "source"


class SinkConnector(Connector):
    type = "sink"
