"""The answering side of `requests`: turns a message into a call of the herder and its outcome into an answer."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from workers.herder import wire
from workers.herder.actions import Done, Forward
from workers.herder.distributed import DistributedHerder
from workers.herder.errors import BadRequest
from workers.herder.requests import Claim, Replies
from workers.herder.stages import STARTING_CONNECTOR
from workers.herder.states import TargetState
from workers.herder.values import InstanceId, PartitionOffset, RestartRequest, TaskId
from workers.storage.config_store import TargetStateSet

logger = logging.getLogger(__name__)

Arguments = dict[str, Any]
_ANSWERS_KEPT = 1000


class HerderService:
    """One of them in each worker. `handle` runs on a thread of Celery's pool and may wait. `queue_of` names a worker's queue."""

    def __init__(self, herder: DistributedHerder, replies: Replies, queue_of: Callable[[str], str]) -> None:
        self._herder = herder
        self._replies = replies
        self._queue_of = queue_of
        #: request → its answer, None until there is one; the newest of them.
        self._answers: dict[str, bytes | None] = {}
        self._lock = threading.Lock()

    def handle(self, request: str, action: str, arguments: Arguments, timeout: float, forwarded: bool) -> None:
        """`timeout`, in seconds, is how long the asker waits in all. The same request may come any number of times."""
        if self._knows(request) or self._replies.claim(request) is Claim.WITHDRAWN:
            return
        try:
            if self._herder.has_carried_out(request):
                # Whoever took it before wrote, and died before he could say so.
                result: Done | Forward = self._herder.actions.outcome(request, action, arguments)
            else:
                result = self._carry_out(request, action, arguments, timeout, forwarded)
            if isinstance(result, Forward):
                self._forget(request)
                self._replies.forward(request, self._queue_of(result.worker_id), action, arguments, timeout)
                return
            answer = wire.answer(result)
        except Exception as error:
            logger.info("Request %s (%s) refused: %s", request, action, error)
            answer = wire.failure(error)
        with self._lock:
            self._answers[request] = answer
        self._replies.send(request, answer)

    def _knows(self, request: str) -> bool:
        """Whether it has come before; if it has been answered it is answered again, should the answer have got lost."""
        with self._lock:
            known = request in self._answers
            answer = self._answers.setdefault(request, None)
            if len(self._answers) > _ANSWERS_KEPT:
                del self._answers[next(iter(self._answers))]
        if answer is not None:
            self._replies.send(request, answer)
        return known

    def _forget(self, request: str) -> None:
        """It is another's now. Coming again it is handed on again, and he knows it."""
        with self._lock:
            self._answers.pop(request, None)

    def _carry_out(self, request: str, action: str, arguments: Arguments, timeout: float, forwarded: bool) -> Done | Forward:
        if (at_once := _AT_ONCE.get(action)) is not None:
            return Done(at_once(self._herder, arguments))
        handler, waiting = (_FORWARDED if forwarded else _HANDLERS).get(action), _WAITING.get(action)
        if handler is None and waiting is None:
            raise BadRequest(f"This worker does not know the action {action}; do all workers run the same version?")
        deadline = time.monotonic() + timeout
        if "config" in arguments:
            self._herder.actions.validate(arguments["config"], deadline)
        if handler is None:
            assert waiting is not None, "one of the two knows it"
            return waiting(self._herder, request, arguments, deadline)
        # After that nobody waits for the answer, and a connector that hangs must not keep this thread.
        call = handler(self._herder, arguments)
        result: Done | Forward = self._herder.result(call, deadline, request, _lasting(arguments))
        return result


def _lasting(arguments: Arguments) -> str:
    """What goes on when the herder has done its part: only restarts are waited for."""
    instance = _instance(arguments) if "connector" in arguments else ""
    return f"restarting task {instance}" if isinstance(instance, TaskId) else STARTING_CONNECTOR


def _initial_state(arguments: Arguments) -> TargetState | None:
    raw = arguments["initial_state"]
    return None if raw is None else TargetState(raw)


def _offsets(arguments: Arguments) -> list[PartitionOffset]:
    return [wire.partition_offset(item) for item in arguments["offsets"]]


def _instance(arguments: Arguments) -> InstanceId:
    return TaskId(arguments["connector"], arguments["task"]) if "task" in arguments else arguments["connector"]


#: What needs nobody but the worker that is asked: its herder may be busy.
_AT_ONCE: dict[str, Callable[[DistributedHerder, Arguments], Any]] = {
    "stage": lambda herder, a: str(herder.stages.current or ""),
    "loggers": lambda herder, a: wire.logger_levels(herder.loggers.levels()),
    "set_logger_level": lambda herder, a: herder.loggers.set(a["namespace"], a["level"]),
}
_Handlers = dict[str, Callable[[DistributedHerder, Arguments], Callable[[], Any]]]

_HANDLERS: _Handlers = {
    "health": lambda herder, a: herder.actions.health,
    "create_connector": lambda herder, a: lambda: herder.actions.create_connector(a["name"], a["config"], _initial_state(a)),
    "put_connector_config": lambda herder, a: lambda: herder.actions.put_connector_config(a["name"], a["config"]),
    "delete_connector": lambda herder, a: lambda: herder.actions.delete_connector(a["name"]),
    "reset_topics": lambda herder, a: lambda: herder.actions.reset_topics(a["name"]),
    "set_cluster_level": lambda herder, a: lambda: herder.actions.set_cluster_level(a["namespace"], a["level"]),
    "restart_connector": lambda herder, a: lambda: herder.actions.restart_connector(RestartRequest(**a)),
    "restart_task": lambda herder, a: lambda: herder.actions.restart_task(TaskId(**a)),
}
#: What a worker does for a request that the leader has handed on: here or nowhere (KIP-52's loop guard).
_FORWARDED: _Handlers = {
    "restart_connector": lambda herder, a: lambda: herder.actions.restart_here(_instance(a)),
    "restart_task": lambda herder, a: lambda: herder.actions.restart_here(_instance(a)),
}
#: What waits for Kafka or for plug-ins, on the thread that took the request.
_WAITING: dict[str, Callable[[DistributedHerder, str, Arguments, float], Done]] = {
    "validate_connector_config": lambda herder, request, a, until: Done(herder.actions.validated(a["properties"], until)),
    "set_target_state": lambda herder, request, a, until: herder.set_target_state(
        TargetStateSet(a["name"], TargetState(a["state"]), request), until
    ),
    "patch_connector_config": lambda herder, request, a, until: herder.patches.patch(request, a["name"], a["patch"], until),
    "read_offsets": lambda herder, request, a, until: Done(herder.offsets.read(a["name"])),
    "read_positions": lambda herder, request, a, until: Done(herder.offsets.positions(a["name"], a["time"])),
    "alter_offsets": lambda herder, request, a, until: Done(herder.offsets.alter(a["name"], _offsets(a), until)),
    "reset_offsets": lambda herder, request, a, until: Done(herder.offsets.reset(a["name"], until)),
    "create_connector_at": lambda herder, request, a, until: herder.offsets.create(
        request, a["name"], a["config"], _initial_state(a), _offsets(a), until
    ),
    "delete_connector_and_offsets": lambda herder, request, a, until: herder.offsets.delete(request, a["name"], until),
}
