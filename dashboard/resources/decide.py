"""What is to be done next to a connector, so that it becomes what its document wants: a decision over values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from connect_client import ConnectorStatus
from dashboard.configs import pairs
from dashboard.models import ResourceAnnotation
from dashboard.resources import orders, spec
from dashboard.resources.orders import Order
from dashboard.resources.spec import Wanted

AnnotationState = ResourceAnnotation.State
#: What was not done is tried again after as long, once.
CYCLE = timedelta(seconds=120)
#: A state that was asked for is given as long to show; the cluster answers before it is so.
SETTLING = timedelta(seconds=30)
#: A request whose end nobody has seen may be under way for as long.
GRACE = timedelta(seconds=20)

_PAUSED_WHILE_FAILED = "Connector {} cannot be paused since it is in failed state."
#: What has to be asked for, by state and the state that is wanted; what is not here needs nothing, or cannot be asked for now.
_CHANGES: Mapping[tuple[str, str], Literal["pause", "resume", "stop"]] = {
    ("RUNNING", spec.PAUSED): "pause",
    ("RUNNING", spec.STOPPED): "stop",
    ("PAUSED", spec.RUNNING): "resume",
    ("PAUSED", spec.STOPPED): "stop",
    ("STOPPED", spec.RUNNING): "resume",
    ("STOPPED", spec.PAUSED): "pause",
    ("FAILED", spec.STOPPED): "stop",
}


@dataclass(frozen=True, slots=True)
class Seen:
    """A connector as its cluster tells it at this moment; None: there is none, or no status of it yet."""

    config: Mapping[str, str | None] | None
    status: ConnectorStatus | None


@dataclass(frozen=True, slots=True)
class Memory:
    """What is known of what was done to it: see `ResourceConnector`. `configured`: in this very pass."""

    written: str = ""
    told: str = ""
    state_asked: str = ""
    state_asked_at: datetime | None = None
    configured: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """An order, and how far it has come: see `ResourceAnnotation`. `restarted`: whether a restart of what it is about was seen
    since it was asked for."""

    order: Order
    state: str = AnnotationState.FRESH
    tried_at: datetime | None = None
    restarted: bool = False


# --- deeds ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Create:
    """With an initial state, so that it never runs before it is to."""


@dataclass(frozen=True, slots=True)
class Configure:
    """`drift`: others have changed it since it was written."""

    drift: bool


@dataclass(frozen=True, slots=True)
class Change:
    verb: Literal["pause", "resume", "stop"]


@dataclass(frozen=True, slots=True)
class Obey:
    order: Order


@dataclass(frozen=True, slots=True)
class Settle:
    """Without asking: it was `done`, or nobody will ever know."""

    order: Order
    done: bool


Deed = Create | Configure | Change | Obey | Settle


def next_deed(wanted: Wanted, seen: Seen, memory: Memory, standings: Sequence[Standing], now: datetime) -> Deed | None:
    """None: nothing, for now."""
    if seen.config is None:
        return Create()
    if not in_sync(wanted.config, seen.config, memory):
        return Configure(drift=memory.written == pairs.digest(wanted.config))
    verb = change(seen.status, wanted.state)
    if verb and not (memory.state_asked == wanted.state and _since(memory.state_asked_at, now) < SETTLING):
        return Change(verb)
    if memory.configured:
        # As Strimzi: what annotations ask for waits for the next pass, when it runs with what it was given.
        return None
    # Offsets are changed of what has stopped: a stop that was asked for is waited for.
    ready = [one for one in standings if verb is None or not isinstance(one.order.deed, orders.ManageOffsets)]
    decisions = (_of_order(standing, seen.status, now) for standing in ready)
    return next((deed for deed in decisions if deed), None)


def in_sync(wanted: Mapping[str, str], seen: Mapping[str, str | None], memory: Memory) -> bool:
    """Whether the cluster has the config. One that adds keys of its own, or writes values in another way, has it for as long
    as it says what it said when it was written: otherwise it would be written again for ever."""
    if dict(wanted) == dict(seen):
        return True
    return bool(memory.told) and memory.written == pairs.digest(wanted) and memory.told == pairs.digest(seen)


def change(status: ConnectorStatus | None, wanted: str) -> Literal["pause", "resume", "stop"] | None:
    return _CHANGES.get((status.connector.state, wanted)) if status else None


def impossible(name: str, status: ConnectorStatus | None, wanted: str) -> str:
    """Why its state cannot be had; empty, if it can."""
    failed = status is not None and status.connector.state == "FAILED"
    return _PAUSED_WHILE_FAILED.format(name) if failed and wanted == spec.PAUSED else ""


def settled(wanted: Wanted, seen: Seen) -> bool:
    """Whether there is nothing to wait for that was asked for."""
    return seen.status is not None and change(seen.status, wanted.state) is None


def _of_order(standing: Standing, status: ConnectorStatus | None, now: datetime) -> Deed | None:
    match standing.state:
        case AnnotationState.FRESH:
            return Obey(standing.order)
        case AnnotationState.FAILED:
            return Obey(standing.order) if _since(standing.tried_at, now) >= CYCLE else None
        case AnnotationState.ASKING if _since(standing.tried_at, now) >= GRACE:
            return _after_silence(standing, status)
    return None


def _after_silence(standing: Standing, status: ConnectorStatus | None) -> Deed:
    """It may have been asked for: whoever asked ended before there was an answer. A restart of what runs is not asked for twice;
    of what has failed it does no harm. Offsets are the same however often they are set."""
    deed = standing.order.deed
    if isinstance(deed, orders.ManageOffsets):
        return Obey(standing.order)
    if standing.restarted:
        return Settle(standing.order, done=True)
    if _has_failed(deed, status):
        return Obey(standing.order)
    return Settle(standing.order, done=False)


def _has_failed(deed: orders.Restart | orders.RestartTask, status: ConnectorStatus | None) -> bool:
    """All that it is about."""
    if status is None:
        return False
    tasks = {task.id: task.state == "FAILED" for task in status.tasks}
    if isinstance(deed, orders.RestartTask):
        return tasks.get(deed.task, False)
    if deed.only_failed:
        return True
    own = status.connector.state == "FAILED"
    return own and (not deed.include_tasks or all(tasks.values()))


def _since(at: datetime | None, now: datetime) -> timedelta:
    return now - at if at else timedelta.max
