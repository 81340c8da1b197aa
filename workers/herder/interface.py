"""What the REST API may ask of a herder. `remote.RemoteHerder` asks the leader through Redis."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from workers.herder.states import TargetState
from workers.herder.values import (
    Config,
    ConfigInfos,
    ConfigKeyInfo,
    ConnectorInfo,
    ConnectorStatus,
    FailedPlugin,
    InstanceId,
    PartitionOffset,
    Plugin,
    Position,
    RestartRequest,
    Status,
    TaskId,
)
from workers.loggers.levels import LoggerLevel


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
    """A member of the group and what it runs. `started` is in milliseconds since the epoch; 0 if it has not said. Its
    `failed_plugins` are installed, but cannot be loaded."""

    worker_id: str
    leads: bool
    host: str
    pid: int
    started: int
    connectors: Sequence[str]
    tasks: Sequence[TaskId]
    failed_plugins: Sequence[FailedPlugin] = ()


@dataclass(frozen=True, slots=True)
class GroupInfo:
    """The worker group as of the assignment `epoch`. `moving` is what nobody runs at this moment: on its way from one worker to
    another, or waiting for one."""

    epoch: int
    leader: str | None
    workers: Sequence[WorkerView]
    moving: Sequence[InstanceId]


class Herder(Protocol):
    """Reads come from memory and never wait, except for that of offsets; writes return when they are durable and every read here
    shows them.

    Raises `HerderError`: NotFound, BadRequest, Conflict, Unavailable, or itself for what Connect answers with 500.
    """

    # --- reads --------------------------------------------------------------------------------------------------------

    def view(self) -> View: ...

    def made_of(self, name: str | None) -> tuple[object, ...]:
        """What the answers about a connector are made of, or those about all of them. None of that is ever changed, only
        replaced: while these are the very same objects the answers are the same. Raises HerderError."""

    def wait_for_change(self, etag: str, seconds: float) -> None:
        """Returns when `view().etag` is another one, or the time is over."""
        ...

    def connector_info(self, name: str) -> ConnectorInfo: ...

    def connector_status(self, name: str) -> ConnectorStatus: ...

    def task_status(self, task: TaskId) -> Status: ...

    def task_configs(self, name: str) -> list[tuple[TaskId, Config]]: ...

    def connector_topics(self, name: str) -> list[str]:
        """The topics in use, of an unknown connector none. Raises Forbidden where topics are not tracked."""
        ...

    def plugins(self, *, connectors_only: bool = True) -> Sequence[Plugin]: ...

    def plugin_config(self, name: str, version: str | None = None) -> Sequence[ConfigKeyInfo]:
        """The keys of a plug-in (KIP-769), which may be asked for by version (KIP-891)."""
        ...

    def group(self) -> GroupInfo: ...

    def health(self) -> Health: ...

    def kafka_cluster_id(self) -> str: ...

    def validate_connector_config(self, config: Mapping[str, str | None]) -> ConfigInfos:
        """All that is to be said of a config. Not from memory: a worker runs the connector's code for it."""
        ...

    # --- loggers (KIP-495, KIP-976) -----------------------------------------------------------------------------------

    def loggers(self) -> Mapping[str, LoggerLevel]:
        """All loggers of this process and of the workers that it can reach."""
        ...

    def set_logger_level(self, namespace: str, level: str) -> list[str]:
        """Of the same processes, until they end. The names of the loggers that have another level than before, sorted."""
        ...

    def set_cluster_level(self, namespace: str, level: str) -> None:
        """Of every process of the cluster that runs at this moment."""
        ...

    # --- writes -------------------------------------------------------------------------------------------------------

    def create_connector(
        self,
        name: str,
        config: Config,
        initial_state: TargetState | None,
        offsets: Sequence[PartitionOffset] | None = None,
    ) -> ConnectorInfo:
        """With `offsets` it begins there: whoever sees the connector sees them."""
        ...

    def put_connector_config(self, name: str, config: Config) -> tuple[bool, ConnectorInfo]:
        """Whether the connector is new, and how it is now."""
        ...

    def patch_connector_config(self, name: str, patch: Mapping[str, str | None]) -> ConnectorInfo:
        """These keys are changed, those with None removed; the others stay as the leader has them at that moment (KIP-477)."""
        ...

    def delete_connector(self, name: str, *, include_offsets: bool = False) -> None:
        """With its offsets it is stopped first, and waited for."""
        ...

    def set_target_state(self, name: str, state: TargetState) -> None: ...

    def connector_offsets(self, name: str) -> Sequence[PartitionOffset]:
        """Where the connector stands (KIP-875), asked of Kafka at this moment."""
        ...

    def connector_positions(self, name: str, time: int | None) -> Sequence[Position]:
        """The partitions that a sink reads, from where to where each has records, and, if `time` (milliseconds since 1970) is
        given, which offset that is; of a source none. Drover's own; asked of Kafka at this moment."""
        ...

    def alter_connector_offsets(self, name: str, offsets: Sequence[PartitionOffset]) -> str:
        """What the caller is to be told."""
        ...

    def reset_connector_offsets(self, name: str) -> str:
        """What the caller is to be told."""
        ...

    def reset_connector_topics(self, name: str) -> None:
        """Forgets the topics until they are used again. Raises Forbidden."""
        ...

    def restart_connector(self, request: RestartRequest) -> ConnectorStatus | None:
        """The plan's statuses; None for the plain restart of the connector instance alone, which is over on return."""
        ...

    def restart_task(self, task: TaskId) -> None: ...
