"""What can be done to a connector, and what of it makes sense in the state it is in."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from connect_client import ConnectorStatus, calls
from connect_client.calls import Call
from connect_client.features import Feature, supports
from connect_client.restarts import one_by_one
from connect_client.states import State, failures, own_state


class Verb(StrEnum):
    """As in the URL of the button."""

    RESTART_FAILED = "restart-failed"
    RESTART = "restart"
    PAUSE = "pause"
    RESUME = "resume"
    STOP = "stop"


CALLS: dict[Verb, Callable[[str], Call]] = {
    Verb.RESTART_FAILED: lambda name: calls.restart(name, only_failed=True),
    Verb.RESTART: lambda name: calls.restart(name, only_failed=False),
    Verb.PAUSE: calls.pause,
    Verb.RESUME: calls.resume,
    Verb.STOP: calls.stop,
}


@dataclass(frozen=True, slots=True)
class Offer:
    """A button: its verb, and its words in short for a row and in full for a reader who cannot see the row."""

    verb: Verb
    label: str
    title: str


def offers(status: ConnectorStatus | None, name: str, version: str = "") -> tuple[Offer, ...]:
    """The first is the one that a person most likely came for. `version`: of the cluster, which may be too old for some."""
    if status is None:
        return ()
    state = own_state(status.connector.state)
    found = _restarts(status, state, name) + _target_states(state, name)
    return tuple(offer for offer in found if offer.verb is not Verb.STOP or supports(version, Feature.STOP))


def requests(verb: Verb, status: ConnectorStatus, name: str, version: str = "") -> tuple[Call, ...]:
    """What a verb sends: more than one where the cluster is too old to restart tasks with their connector."""
    if verb not in (Verb.RESTART, Verb.RESTART_FAILED) or supports(version, Feature.RESTART_IN_ONE_CALL):
        return (CALLS[verb](name),)
    instances = one_by_one(status, only_failed=verb is Verb.RESTART_FAILED)
    return tuple(calls.restart_instance(name) if each.task is None else calls.restart_task(name, each.task) for each in instances)


def _restarts(status: ConnectorStatus, state: State, name: str) -> list[Offer]:
    if state is State.STOPPED:
        return []
    failed = failures(status)
    some = [Offer(Verb.RESTART_FAILED, f"Restart {failed} failed", f"Restart {failed} failed of {name}")] if failed else []
    return [*some, Offer(Verb.RESTART, "Restart all" if failed else "Restart", f"Restart {name} and all of its tasks")]


def _target_states(state: State, name: str) -> list[Offer]:
    """A failed connector is not offered a pause: Connect accepts it and nothing is seen of it. Stopping one works."""
    stop = Offer(Verb.STOP, "Stop", f"Stop {name}: its tasks end, its offsets stay")
    resume = Offer(Verb.RESUME, "Resume", f"Resume {name}")
    match state:
        case State.STOPPED:
            return [resume]
        case State.PAUSED:
            return [resume, stop]
        case State.FAILED:
            return [stop]
        case _:
            return [Offer(Verb.PAUSE, "Pause", f"Pause {name}"), stop]
