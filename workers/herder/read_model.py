"""REST answers from the two snapshots. Pure."""

from collections.abc import Mapping, Sequence

from workers.herder.errors import NotFound
from workers.herder.interface import GroupInfo, WorkerView
from workers.herder.membership import Member
from workers.herder.ports import Plugins
from workers.herder.values import (
    Config,
    ConnectorEntry,
    ConnectorInfo,
    ConnectorStatus,
    FailedPlugin,
    InstanceId,
    Status,
    TaskId,
    connector_of,
)
from workers.storage.assignment_store import Assignments
from workers.storage.config_tables import ConfigSnapshot
from workers.storage.status_store import StatusSnapshot


def entry(configs: ConfigSnapshot, name: str, message: str = "Connector {} not found") -> ConnectorEntry:
    """Raises NotFound with `message`; Kafka Connect words it in several ways."""
    found = configs.connectors.get(name)
    if found is None:
        raise NotFound(message.format(name))
    return found


def connector_info(found: ConnectorEntry, plugins: Plugins) -> ConnectorInfo:
    config = found.config or {}
    return ConnectorInfo(found.name, config, found.task_ids(), plugins.type_of(config))


def connector_status(configs: ConfigSnapshot, statuses: StatusSnapshot, name: str, plugins: Plugins) -> ConnectorStatus:
    """Raises NotFound until the first status has been read: right after a creation there is a config and no status."""
    status = statuses.connectors.get(name)
    if status is None:
        raise NotFound(f"No status found for connector {name}")
    known = configs.connectors.get(name)
    kind = plugins.type_of(known.config or {}) if known else "unknown"
    return ConnectorStatus(name, status, _sorted(statuses.tasks.get(name, {})), kind)


def task_status(statuses: StatusSnapshot, task: TaskId) -> Status:
    status = statuses.tasks.get(task.connector, {}).get(task.task)
    if status is None:
        raise NotFound(f"No status found for task {task}")
    return status


def task_configs(configs: ConfigSnapshot, name: str) -> list[tuple[TaskId, Config]]:
    found = entry(configs, name)
    return list(zip(found.task_ids(), found.task_configs(), strict=True))


def group_info(assignments: Assignments) -> GroupInfo:
    """Who is there and what runs where."""
    runs: dict[Member, list[InstanceId]] = {member: [] for member in assignments.members}
    moving: list[InstanceId] = []
    for instance, place in sorted(assignments.places.items(), key=lambda item: (connector_of(item[0]), str(item[0]))):
        if place.owner in runs:
            runs[place.owner].append(instance)
        elif place.worker is not None or place.awaited is None:
            moving.append(instance)
    workers = [_worker(member, assignments, runs[member]) for member in sorted(runs)]
    return GroupInfo(assignments.epoch, assignments.leader.worker_id if assignments.leader else None, workers, moving)


def _worker(member: Member, assignments: Assignments, runs: Sequence[InstanceId]) -> WorkerView:
    about = assignments.workers.get(member, {})
    return WorkerView(
        member.worker_id,
        member == assignments.leader,
        str(about.get("host", "")),
        int(str(about.get("pid", 0))),
        int(str(about.get("started", 0))),
        [instance for instance in runs if isinstance(instance, str)],
        [instance for instance in runs if isinstance(instance, TaskId)],
        _failed_plugins(about.get("failed_plugins")),
    )


def _failed_plugins(told: object) -> tuple[FailedPlugin, ...]:
    """A worker of another version may tell nothing, or more."""
    items = told if isinstance(told, list) else []
    return tuple(FailedPlugin(*(str(item.get(key, "")) for key in ("name", "value", "reason"))) for item in items)


def connector_topics(configs: ConfigSnapshot, statuses: StatusSnapshot, name: str) -> list[str]:
    """Of an unknown connector none, whatever a deletion may have left."""
    return sorted(statuses.topics.get(name, ())) if name in configs.connectors else []


def _sorted(tasks: Mapping[int, Status]) -> dict[int, Status]:
    return dict(sorted(tasks.items()))
