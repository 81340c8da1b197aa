"""What the herder needs of others: plug-ins to ask and a runner to hand tasks to. Implemented in `workers.connectors` and
`workers.runtime`, which import from here and never the other way round."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from workers.herder.values import Config, ConnectorType, Plugin, TaskId


class ConnectorInstance(Protocol):
    """A connector at work. Any method may raise or hang; both hurt this connector only."""

    @property
    def config(self) -> Config:
        """Its variables resolved (KIP-297): not to be stored or shown."""
        ...

    def start(self) -> None: ...
    def stop(self) -> None: ...
    def task_configs(self, max_tasks: int) -> list[dict[str, str]]: ...


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """A task to run. `config` is the task's own, `connector_config` its connector's (converters, errors, …); `tasks` says
    how many tasks the connector has in all."""

    id: TaskId
    config: Config
    connector_config: Config
    tasks: int


#: Called by a task for the topics that it has just written to or read from (KIP-558); after every job, so it has to be cheap.
RecordTopics = Callable[[TaskId, Iterable[str]], None]


class Plugins(Protocol):
    def list(self) -> Sequence[Plugin]: ...

    def type_of(self, config: Config) -> ConnectorType: ...

    def version_of(self, config: Config) -> str | None: ...

    def errors(self, config: Config) -> Sequence[str]:
        """What is wrong with a connector's config, one message each. Raises BadRequest when its class cannot be told."""
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
    def start(
        self, spec: TaskSpec, *, paused: bool, started: Callable[[], None], failed: Callable[[BaseException], None]
    ) -> RunningTask:
        """Makes a task and returns; its own start comes later, if `paused` not before it is resumed. Called from any thread, each
        at most once: `started` when its own start is over, `failed` when it can go on no longer. Raises whatever makes it
        impossible to make the task."""
        ...
