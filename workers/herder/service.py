"""The answering side of `requests`: turns a message into a call of the herder and its outcome into an answer."""

import logging
import time
from collections.abc import Callable
from typing import Any

from workers.herder import wire
from workers.herder.actions import Done
from workers.herder.distributed import DistributedHerder
from workers.herder.errors import BadRequest
from workers.herder.requests import Replies
from workers.herder.states import TargetState
from workers.herder.values import RestartRequest, TaskId

logger = logging.getLogger(__name__)

Arguments = dict[str, Any]


class HerderService:
    """One of them in each worker. `handle` runs on a thread of Celery's pool and may wait."""

    def __init__(self, herder: DistributedHerder, replies: Replies):
        self._herder = herder
        self._replies = replies

    def handle(self, request: str, action: str, arguments: Arguments, deadline: float) -> None:
        if time.time() > deadline:
            logger.warning("Request %s (%s) came too late and is dropped: its caller was told of a time-out", request, action)
            return
        try:
            answer = wire.answer(self._carry_out(action, arguments, deadline))
        except Exception as error:
            logger.info("Request %s (%s) refused: %s", request, action, error)
            answer = wire.failure(error)
        self._replies.send(request, answer)

    def _carry_out(self, action: str, arguments: Arguments, deadline: float) -> Done:
        handler = _HANDLERS.get(action)
        if handler is None:
            raise BadRequest(f"This worker does not know the action {action}; do all workers run the same version?")
        if "config" in arguments:
            self._herder.actions.validate(arguments["config"])
        call = handler(self._herder, arguments)
        # After that nobody waits for the answer, and a connector that hangs must not keep this thread.
        result: Done = self._herder.call(lambda: _in_time(call, deadline)).result(max(0.0, deadline - time.time()))
        return result


def _in_time(call: Callable[[], Done], deadline: float) -> Done:
    """Checked again where the write happens: the herder's thread may have been busy with others."""
    if time.time() > deadline:
        raise TimeoutError("The request's time was over before its turn came")
    return call()


def _initial_state(arguments: Arguments) -> TargetState | None:
    raw = arguments["initial_state"]
    return None if raw is None else TargetState(raw)


_HANDLERS: dict[str, Callable[[DistributedHerder, Arguments], Callable[[], Any]]] = {
    "health": lambda herder, a: Done,
    "create_connector": lambda herder, a: lambda: herder.actions.create_connector(a["name"], a["config"], _initial_state(a)),
    "put_connector_config": lambda herder, a: lambda: herder.actions.put_connector_config(a["name"], a["config"]),
    "delete_connector": lambda herder, a: lambda: herder.actions.delete_connector(a["name"]),
    "set_target_state": lambda herder, a: lambda: herder.actions.set_target_state(a["name"], TargetState(a["state"])),
    "reset_topics": lambda herder, a: lambda: herder.actions.reset_topics(a["name"]),
    "restart_connector": lambda herder, a: lambda: herder.actions.restart_connector(RestartRequest(**a)),
    "restart_task": lambda herder, a: lambda: herder.actions.restart_task(TaskId(**a)),
}
