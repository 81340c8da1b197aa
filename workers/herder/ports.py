"""What the herder needs of others: plug-ins to ask and a runner to hand tasks to. Implemented in `workers.connectors` and
`workers.runtime`, which import from here and never the other way round."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from workers.herder.values import (
    Config,
    ConfigInfos,
    ConfigKeyInfo,
    ConnectorType,
    Partition,
    PartitionOffset,
    Plugin,
    Position,
    TaskId,
)


@dataclass(frozen=True, slots=True)
class ConnectorContext:
    """What a connector may ask of its worker from its `start` to its `stop`, from any thread; later nothing comes of it.

    `request_task_reconfiguration()`: the tasks that it wants may be others by now. `task_configs` is asked again, soon, and if it
    says something else the tasks are replaced.

    `every(seconds, work)` calls `work` again and again, for the first time after so many seconds: never while another of the
    connector's own methods is at work. What it raises is logged, and does not keep it from being called again.
    """

    request_task_reconfiguration: Callable[[], None]
    every: Callable[[float, Callable[[], None]], None]


class ConnectorInstance(Protocol):
    """A connector at work. Any method may raise or hang; both hurt this connector only."""

    @property
    def config(self) -> Config:
        """Its variables resolved (KIP-297): not to be stored or shown."""
        ...

    def start(self, context: ConnectorContext) -> None: ...
    def stop(self) -> None: ...
    def task_configs(self, max_tasks: int) -> list[dict[str, str]]: ...

    def alter_offsets(self, offsets: Sequence[PartitionOffset]) -> bool:
        """Asked of an instance that was not started, before these offsets are written (KIP-875). Whether the plug-in has an eye
        on its offsets itself. Raises NotImplementedError where they cannot be changed, HerderError for what it refuses."""
        ...


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """A task to run. `config` is the task's own, `connector_config` its connector's (converters, errors, …); `tasks` says
    how many tasks the connector has in all, `epoch` by which assignment it runs: what it commits bears that."""

    id: TaskId
    config: Config
    connector_config: Config
    tasks: int
    epoch: int = field(default=0, compare=False)


#: Called by a task for the topics that it has just written to or read from (KIP-558); after every job, so it has to be cheap.
RecordTopics = Callable[[TaskId, Iterable[str]], None]


class Plugins(Protocol):
    def list(self, *, connectors_only: bool = True) -> Sequence[Plugin]: ...

    def config_keys(self, name: str, version: str | None = None) -> Sequence[ConfigKeyInfo]:
        """Of a plug-in by its class or an alias (KIP-769), as asked for by version (KIP-891). Raises NotFound, BadRequest."""
        ...

    def type_of(self, config: Config) -> ConnectorType: ...

    def version_of(self, config: Config) -> str | None: ...

    def resolved(self, config: Config) -> Config:
        """With its variables' values: not to be stored or shown."""
        ...

    def validate(self, config: Mapping[str, str | None]) -> ConfigInfos:
        """All that is to be said of a connector's config. Raises BadRequest when its class cannot be told."""
        ...

    def create(self, config: Config) -> ConnectorInstance:
        """A new instance. Raises BadRequest, or whatever its constructor raises."""
        ...


class RunningTask(Protocol):
    """One life of a task, from its start to its stop."""

    def pause(self, timeout: float) -> None:
        """Begins nothing further; returns when what is running is over, or after `timeout` seconds."""
        ...

    def resume(self) -> None: ...

    def stop(self, timeout: float) -> None:
        """Returns when the task does nothing any more, or after `timeout` seconds with what it does abandoned: that commits
        nothing any more."""
        ...


class TaskRunner(Protocol):
    def start(self, spec: TaskSpec, *, started: Callable[[], None], failed: Callable[[BaseException], None]) -> RunningTask:
        """Makes a task and returns. It is paused: its own start comes when it is resumed. Called from any thread, each
        at most once: `started` when its own start is over, `failed` when it can go on no longer. Raises whatever makes it
        impossible to make the task."""
        ...


#: The groups in the Kafka cluster that a sink reads from, by its config, whose variables are resolved.
GroupsOf = Callable[[Config], "ConsumerGroups"]


class GroupError(Exception):
    """Kafka refused what was asked of a consumer group, or did not answer."""


class GroupInUse(GroupError):
    """The group has members: only they may commit."""


class ConsumerGroups(Protocol):
    """The consumer groups that sinks keep their offsets in. Every method waits for Kafka, and raises GroupError."""

    def offsets(self, group: str) -> Mapping[Partition, int]:
        """What is committed; of a group that does not exist nothing."""
        ...

    def positions(self, group: str, config: Config, time: int | None) -> Sequence[Position]:
        """Of every partition of the topics that a sink's config names or its group has committed, as far as they exist. `time`:
        milliseconds since 1970."""
        ...

    def alter(self, group: str, offsets: Mapping[Partition, int | None]) -> None:
        """Commits these, and deletes what is to be None. Where one of the partitions does not exist nothing is changed. Raises
        GroupInUse."""
        ...

    def delete(self, group: str) -> None:
        """With all its offsets. One that does not exist is deleted already. Raises GroupInUse."""
        ...
