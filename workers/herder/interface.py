"""What the REST API may ask of a herder. `remote.RemoteHerder` asks the leader through Redis."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from workers.herder.states import TargetState
from workers.herder.values import Config, ConnectorInfo, ConnectorStatus, InstanceId, Plugin, RestartRequest, Status, TaskId


@dataclass(frozen=True, slots=True)
class Health:
    """`status` is healthy, starting or unhealthy."""

    status: str
    message: str


@dataclass(frozen=True, slots=True)
class View:
    """All connectors at one moment; `etag` changes whenever anything in it does."""

    etag: str
    infos: dict[str, ConnectorInfo]
    statuses: dict[str, ConnectorStatus]


@dataclass(frozen=True, slots=True)
class WorkerView:
    """A member of the group and what it runs. `started` is in milliseconds since the epoch; 0 if it has not said."""

    worker_id: str
    leads: bool
    host: str
    pid: int
    started: int
    connectors: Sequence[str]
    tasks: Sequence[TaskId]


@dataclass(frozen=True, slots=True)
class GroupInfo:
    """The worker group as of the assignment `epoch`. `moving` is what nobody runs at this moment: on its way from one worker to
    another, or waiting for one."""

    epoch: int
    leader: str | None
    workers: Sequence[WorkerView]
    moving: Sequence[InstanceId]


class Herder(Protocol):
    """Reads come from memory and never wait; writes return when they are durable and every read here shows them.

    Raises `HerderError`: NotFound, BadRequest, Conflict, Unavailable, or itself for what Connect answers with 500.
    """

    # --- reads --------------------------------------------------------------------------------------------------------

    def view(self) -> View: ...

    def wait_for_change(self, etag: str, seconds: float) -> None:
        """Returns when `view().etag` is another one, or the time is over."""
        ...

    def connector_info(self, name: str) -> ConnectorInfo: ...

    def connector_status(self, name: str) -> ConnectorStatus: ...

    def task_status(self, task: TaskId) -> Status: ...

    def task_configs(self, name: str) -> list[tuple[TaskId, Config]]: ...

    def plugins(self) -> Sequence[Plugin]: ...

    def group(self) -> GroupInfo: ...

    def health(self) -> Health: ...

    def kafka_cluster_id(self) -> str: ...

    # --- writes -------------------------------------------------------------------------------------------------------

    def create_connector(self, name: str, config: Config, initial_state: TargetState | None) -> ConnectorInfo: ...

    def put_connector_config(self, name: str, config: Config) -> tuple[bool, ConnectorInfo]:
        """Whether the connector is new, and how it is now."""
        ...

    def delete_connector(self, name: str) -> None: ...

    def set_target_state(self, name: str, state: TargetState) -> None: ...

    def restart_connector(self, request: RestartRequest) -> ConnectorStatus | None:
        """The plan's statuses; None for the plain restart of the connector instance alone, which is over on return."""
        ...

    def restart_task(self, task: TaskId) -> None: ...
