"""The values on the wire. Unknown fields are ignored, and what older versions of Connect leave out is None."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self, TypeAlias

Json: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """`GET /`"""

    version: str
    commit: str
    kafka_cluster_id: str | None

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(body["version"], body.get("commit", ""), body.get("kafka_cluster_id"))


@dataclass(frozen=True, slots=True)
class Health:
    """`GET /health` (KIP-1017): `healthy`, `starting` or `unhealthy`."""

    status: str
    message: str

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(body["status"], body.get("message", ""))

    @property
    def healthy(self) -> bool:
        return self.status == "healthy"


@dataclass(frozen=True, slots=True)
class InstanceStatus:
    """The connector's own half of a status. `version` came with 4.1 (KIP-891); `trace` is absent while all is well."""

    state: str
    worker_id: str
    version: str | None = None
    trace: str | None = None

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(body["state"], body.get("worker_id") or "", body.get("version"), body.get("trace"))


@dataclass(frozen=True, slots=True)
class TaskStatus:
    id: int
    state: str
    worker_id: str
    version: str | None = None
    trace: str | None = None

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(body["id"], body["state"], body.get("worker_id") or "", body.get("version"), body.get("trace"))


@dataclass(frozen=True, slots=True)
class ConnectorStatus:
    """`GET /connectors/{c}/status`, and the answer to a restart, whose tasks come unsorted; here they are sorted by id."""

    name: str
    connector: InstanceStatus
    tasks: tuple[TaskStatus, ...]
    type: str | None = None

    @classmethod
    def from_json(cls, body: Json) -> Self:
        tasks = sorted((TaskStatus.from_json(task) for task in body.get("tasks", ())), key=lambda task: task.id)
        return cls(body["name"], InstanceStatus.from_json(body["connector"]), tuple(tasks), body.get("type"))

    def to_json(self) -> dict[str, Any]:
        """As it was on the wire, for keeping."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ConnectorInfo:
    """`GET /connectors/{c}`; `tasks` are the numbers of the tasks that the connector last asked for."""

    name: str
    config: Mapping[str, str | None] = field(hash=False)
    tasks: tuple[int, ...]
    type: str | None = None

    @classmethod
    def from_json(cls, body: Json) -> Self:
        tasks = sorted(task["task"] for task in body.get("tasks", ()))
        return cls(body["name"], dict(body.get("config", {})), tuple(tasks), body.get("type"))


@dataclass(frozen=True, slots=True)
class Connector:
    """An entry of `GET /connectors?expand=info&expand=status`. A connector just created has an info and no status yet."""

    name: str
    info: ConnectorInfo | None
    status: ConnectorStatus | None

    @classmethod
    def from_json(cls, name: str, body: Json) -> Self:
        info, status = body.get("info"), body.get("status")
        return cls(name, ConnectorInfo.from_json(info) if info else None, ConnectorStatus.from_json(status) if status else None)


@dataclass(frozen=True, slots=True)
class Instance:
    """A connector instance (`task` is None) or one of its tasks, by name."""

    connector: str
    task: int | None

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(body["connector"], body["task"])


@dataclass(frozen=True, slots=True)
class FailedPlugin:
    """A connector plug-in that a worker could not load: an entry point's name, what it points to, and why."""

    name: str
    value: str
    reason: str


@dataclass(frozen=True, slots=True)
class Worker:
    """A member of a worker group, and what it runs. `started` is in milliseconds since the epoch; 0 if it has not said."""

    worker_id: str
    leader: bool = False
    host: str = ""
    pid: int = 0
    started: int = 0
    connectors: tuple[str, ...] = ()
    tasks: tuple[Instance, ...] = ()
    failed_plugins: tuple[FailedPlugin, ...] = ()

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(
            body["worker_id"],
            body["leader"],
            body["host"],
            body["pid"],
            body["started"],
            tuple(body["connectors"]),
            tuple(Instance.from_json(task) for task in body["tasks"]),
            tuple(FailedPlugin(**plugin) for plugin in body.get("failed_plugins", ())),
        )

    def to_json(self) -> dict[str, Any]:
        """As it was on the wire, for keeping."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Group:
    """`GET /api/v1/workers` of Drover. `moving`: what nobody runs at this moment. `etag` is of the answer, for asking again."""

    epoch: int
    leader: str | None
    workers: tuple[Worker, ...]
    moving: tuple[Instance, ...]
    etag: str | None = None

    @classmethod
    def from_json(cls, body: Json) -> Self:
        workers = tuple(Worker.from_json(worker) for worker in body["workers"])
        return cls(body["epoch"], body["leader"], workers, tuple(Instance.from_json(item) for item in body["moving"]))


@dataclass(frozen=True, slots=True)
class PartitionOffset:
    """An entry of `GET /connectors/{c}/offsets` (KIP-875): a source's own fields, or `{"kafka_topic", "kafka_partition"}` and
    `{"kafka_offset"}` of a sink. In what is to be written, an offset of None resets the partition."""

    partition: Mapping[str, Any] | None = field(hash=False)
    offset: Mapping[str, Any] | None = field(hash=False)

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(body["partition"], body["offset"])

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Position:
    """An entry of Drover's `GET /api/v1/connectors/{c}/positions`: what a sink has committed in a partition, the first offset
    that the log still has, the one behind its last, and the first one as of the moment asked for, if any."""

    topic: str
    partition: int
    offset: int | None
    beginning: int
    end: int
    at: int | None = None

    @classmethod
    def from_json(cls, body: Json) -> Self:
        partition, offset = body["partition"], body["offset"]
        return cls(
            partition["kafka_topic"],
            partition["kafka_partition"],
            offset and offset["kafka_offset"],
            body["beginning"],
            body["end"],
            body["at"],
        )


@dataclass(frozen=True, slots=True)
class Logger:
    """An entry of `GET /admin/loggers` (KIP-495). `last_modified` is in milliseconds since the epoch; None: not since the worker
    started, or not told, which it is as of KIP-976."""

    name: str
    level: str
    last_modified: int | None

    @classmethod
    def from_json(cls, name: str, body: Json) -> Self:
        return cls(name, body["level"], body.get("last_modified"))


@dataclass(frozen=True, slots=True)
class Plugin:
    """An entry of `GET /connector-plugins`; `class` on the wire."""

    class_name: str
    type: str | None
    version: str | None

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(body["class"], body.get("type"), body.get("version"))
