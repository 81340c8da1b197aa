"""What a job's verb means for one connector, in the state that it is in."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from connect_client import ConnectorStatus
from connect_client.states import State, own_state
from dashboard.rights.roles import Role


class JobVerb(StrEnum):
    RESTART = "restart"
    PAUSE = "pause"
    RESUME = "resume"
    STOP = "stop"
    DELETE = "delete"

    @property
    def role(self) -> Role:
        return Role.EDITOR if self is JobVerb.DELETE else Role.OPERATOR


@dataclass(frozen=True, slots=True)
class Options:
    """Of a restart (KIP-745): of what has failed only, or of everything; of the connector instances, their tasks, or both."""

    only_failed: bool = True
    include_tasks: bool = True
    include_connector: bool = True

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> "Options":
        return cls(**{key: told[key] for key in cls.__slots__ if key in told})

    def to_json(self) -> dict[str, bool]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class What:
    """Which of a connector's instances are meant. Pausing, resuming, stopping and deleting mean the connector and all it has."""

    connector: bool = True
    tasks: tuple[int, ...] = ()

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> "What":
        return cls(told["connector"], tuple(told["tasks"]))

    def to_json(self) -> dict[str, Any]:
        return {"connector": self.connector, "tasks": list(self.tasks)}

    @property
    def count(self) -> int:
        return self.connector + len(self.tasks)


@dataclass(frozen=True, slots=True)
class Nothing:
    """There is nothing to do, because it … (`is paused already`)."""

    reason: str


NOTHING_FAILED = Nothing("has nothing that failed")


def repeatable(verb: JobVerb, options: Options) -> bool:
    """Whether it does no harm to be asked for once more when nobody knows if it was carried out."""
    return verb is not JobVerb.RESTART or options.only_failed


def what_of(verb: JobVerb, options: Options, status: ConnectorStatus | None) -> What | Nothing:
    if verb is JobVerb.DELETE:
        return What(tasks=tuple(task.id for task in status.tasks) if status else ())
    if status is None:
        return Nothing("has not told a state yet")
    if verb is JobVerb.RESTART:
        return _restart(options, status)
    found = _TARGETS[verb](own_state(status.connector.state))
    return Nothing(found) if found else What(tasks=tuple(task.id for task in status.tasks))


def _restart(options: Options, status: ConnectorStatus) -> What | Nothing:
    if own_state(status.connector.state) is State.STOPPED:
        return Nothing("is stopped: resume it instead")

    def meant(state: str) -> bool:
        return own_state(state) is State.FAILED if options.only_failed else True

    tasks = tuple(task.id for task in status.tasks if options.include_tasks and meant(task.state))
    what = What(options.include_connector and meant(status.connector.state), tasks)
    if what.count:
        return what
    return NOTHING_FAILED if options.only_failed else Nothing("has no tasks")


def _pause(state: State) -> str:
    """Kafka Connect accepts the pause of a failed connector, and nothing is ever seen of it; that of a stopped one starts it."""
    words = {
        State.PAUSED: "is paused already",
        State.STOPPED: "is stopped",
        State.FAILED: "has failed: restart or stop it instead",
    }
    return words.get(state, "")


def _resume(state: State) -> str:
    words = {State.RUNNING: "runs already", State.RESTARTING: "is restarting", State.FAILED: "has failed: restart it instead"}
    return words.get(state, "")


def _stop(state: State) -> str:
    return "is stopped already" if state is State.STOPPED else ""


_TARGETS = {JobVerb.PAUSE: _pause, JobVerb.RESUME: _resume, JobVerb.STOP: _stop}
