"""How requests to the leader and its answers look in Redis: JSON, decoded into the same values on the other side."""

from collections.abc import Mapping
from typing import Any

import orjson

from config.concealment import concealment_of
from workers.herder.actions import Done
from workers.herder.errors import HerderError
from workers.herder.states import State
from workers.herder.values import (
    ConfigInfo,
    ConfigInfos,
    ConfigKeyInfo,
    ConfigValueInfo,
    ConnectorInfo,
    ConnectorStatus,
    PartitionOffset,
    Position,
    Status,
    TaskId,
)
from workers.loggers.levels import LoggerLevel


def answer(done: Done) -> bytes:
    body = {"result": done.result, "configs": done.configs, "statuses": done.statuses}
    return orjson.dumps(body, option=orjson.OPT_NON_STR_KEYS)


def failure(error: BaseException) -> bytes:
    """What a caller is told: a herder's error as it is, of anything else no more than its text. No secrets."""
    known = error if isinstance(error, HerderError) else HerderError(str(error) or type(error).__name__)
    return orjson.dumps({"error": {"status": known.status, "message": concealment_of(error).conceal(known.message)}})


def opened(body: bytes) -> Done:
    """The answer's content. Raises the HerderError that it carries."""
    answer = orjson.loads(body)
    if "error" in answer:
        raise HerderError(answer["error"]["message"], answer["error"]["status"])
    return Done(answer["result"], _positions(answer["configs"]), _positions(answer["statuses"]))


def _positions(raw: Mapping[str, int]) -> dict[int, int]:
    return {int(partition): offset for partition, offset in raw.items()}


def connector_info(raw: Mapping[str, Any]) -> ConnectorInfo:
    return ConnectorInfo(raw["name"], raw["config"], [TaskId(**task) for task in raw["tasks"]], raw["type"])


def config_infos(raw: Mapping[str, Any]) -> ConfigInfos:
    configs = [
        ConfigInfo(info["definition"] and ConfigKeyInfo(**info["definition"]), ConfigValueInfo(**info["value"]))
        for info in raw["configs"]
    ]
    return ConfigInfos(raw["name"], raw["error_count"], raw["groups"], configs)


def partition_offset(raw: Mapping[str, Any]) -> PartitionOffset:
    return PartitionOffset(raw["partition"], raw["offset"])


def position(raw: Mapping[str, Any]) -> Position:
    return Position(**raw)


def logger_levels(levels: Mapping[str, LoggerLevel]) -> dict[str, Any]:
    return {name: [level.level, level.last_modified] for name, level in levels.items()}


def opened_levels(raw: Mapping[str, Any]) -> dict[str, LoggerLevel]:
    return {name: LoggerLevel(*level) for name, level in raw.items()}


def connector_status(raw: Mapping[str, Any]) -> ConnectorStatus:
    tasks = {int(number): _status(task) for number, task in raw["tasks"].items()}
    return ConnectorStatus(raw["name"], _status(raw["connector"]), tasks, raw["type"])


def _status(raw: Mapping[str, Any]) -> Status:
    return Status(State(raw["state"]), raw["worker_id"], raw["generation"], raw["trace"], raw["version"])
