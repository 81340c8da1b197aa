"""How requests to the leader and its answers look in Redis: JSON, decoded into the same values on the other side."""

from collections.abc import Mapping
from typing import Any

import orjson

from config.concealment import concealment_of
from workers.herder.actions import Done
from workers.herder.errors import HerderError
from workers.herder.states import State
from workers.herder.values import ConnectorInfo, ConnectorStatus, Status, TaskId


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


def connector_status(raw: Mapping[str, Any]) -> ConnectorStatus:
    tasks = {int(number): _status(task) for number, task in raw["tasks"].items()}
    return ConnectorStatus(raw["name"], _status(raw["connector"]), tasks, raw["type"])


def _status(raw: Mapping[str, Any]) -> Status:
    return Status(State(raw["state"]), raw["worker_id"], raw["generation"], raw["trace"], raw["version"])
