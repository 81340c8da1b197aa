"""The JSON of Kafka Connect's REST API: field names and their order are the contract."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from workers.herder.interface import GroupInfo, Health
from workers.herder.offsets import OFFSET, PARTITION, TOPIC
from workers.herder.values import Config, ConnectorInfo, ConnectorStatus, PartitionOffset, Plugin, Position, Status, TaskId
from workers.loggers.levels import LoggerLevel


def task_id(task: TaskId) -> dict[str, Any]:
    return {"connector": task.connector, "task": task.task}


def connector_info(info: ConnectorInfo) -> dict[str, Any]:
    return {
        "name": info.name,
        "config": dict(info.config),
        "tasks": [task_id(task) for task in info.tasks],
        "type": info.type,
    }


def _instance(status: Status) -> dict[str, Any]:
    shape: dict[str, Any] = {"state": status.state, "worker_id": status.worker_id, "version": status.version}
    return {**shape, "trace": status.trace} if status.trace else shape


def task_status(number: int, status: Status) -> dict[str, Any]:
    return {"id": number, **_instance(status)}


def connector_status(status: ConnectorStatus) -> dict[str, Any]:
    return {
        "name": status.name,
        "connector": _instance(status.connector),
        "tasks": [task_status(number, task) for number, task in status.tasks.items()],
        "type": status.type,
    }


def task_config(task: TaskId, config: Config) -> dict[str, Any]:
    return {"id": task_id(task), "config": dict(config)}


def connector_topics(name: str, topics: Sequence[str]) -> dict[str, Any]:
    return {name: {"topics": list(topics)}}


def offsets(found: Sequence[PartitionOffset]) -> dict[str, Any]:
    return {"offsets": [{"partition": item.partition, "offset": item.offset} for item in found]}


def positions(found: Sequence[Position]) -> dict[str, Any]:
    """Drover's own."""
    return {
        "positions": [
            {
                "partition": {PARTITION: one.partition, TOPIC: one.topic},
                "offset": None if one.offset is None else {OFFSET: one.offset},
                "beginning": one.beginning,
                "end": one.end,
                "at": one.at,
            }
            for one in found
        ]
    }


def message(text: str) -> dict[str, Any]:
    return {"message": text}


def plugin(found: Plugin) -> dict[str, Any]:
    return {"class": found.name, "type": found.type, "version": found.version}


def logger_level(found: LoggerLevel) -> dict[str, Any]:
    return {"level": found.level, "last_modified": found.last_modified}


def health(found: Health) -> dict[str, Any]:
    return {"status": found.status, "message": found.message}


def group(found: GroupInfo) -> dict[str, Any]:
    """Drover's own: Kafka Connect does not tell."""
    return {
        "epoch": found.epoch,
        "leader": found.leader,
        "workers": [
            {
                "worker_id": worker.worker_id,
                "leader": worker.leads,
                "host": worker.host,
                "pid": worker.pid,
                "started": worker.started,
                "connectors": list(worker.connectors),
                "tasks": [task_id(task) for task in worker.tasks],
                "failed_plugins": [asdict(plugin) for plugin in worker.failed_plugins],
            }
            for worker in found.workers
        ],
        "moving": [task_id(i) if isinstance(i, TaskId) else {"connector": i, "task": None} for i in found.moving],
    }


def error(status: int, message: str | None) -> dict[str, Any]:
    return {"error_code": status, "message": message}
