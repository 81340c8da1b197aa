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
class Plugin:
    """An entry of `GET /connector-plugins`; `class` on the wire."""

    class_name: str
    type: str | None
    version: str | None

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(body["class"], body.get("type"), body.get("version"))
