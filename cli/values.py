"""What both kinds of targets tell, in one shape. `cluster` is empty where there is only one."""

from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeAlias

from connect_client.states import State


@dataclass(frozen=True, slots=True, order=True)
class Ref:
    """A connector."""

    cluster: str
    name: str

    def __str__(self) -> str:
        return f"{self.cluster}/{self.name}" if self.cluster else self.name


@dataclass(frozen=True, slots=True)
class Instance:
    state: str
    worker_id: str


@dataclass(frozen=True, slots=True)
class Task(Instance):
    id: int


@dataclass(frozen=True, slots=True)
class Row:
    """A connector as it stands. `state` is of it all, `connector` its own instance's; `cause`: a failure's root cause in one
    line; `live` is false for what was last seen of a cluster that does not answer."""

    ref: Ref
    state: State
    type: str = ""
    class_name: str = ""
    connector: Instance | None = None
    tasks: tuple[Task, ...] = ()
    cause: str = ""
    since: datetime | None = None
    live: bool = True

    def to_json(self) -> dict[str, Any]:
        """As `/api/v1/fleet` has it; without a cluster where there is only one."""
        where = {"cluster": self.ref.cluster} if self.ref.cluster else {}
        return {
            **where,
            "name": self.ref.name,
            "state": self.state.value,
            "since": self.since.isoformat() if self.since else None,
            "type": self.type,
            "class": self.class_name,
            "connector": asdict(self.connector) if self.connector else None,
            "tasks": [{"id": task.id, "state": task.state, "worker_id": task.worker_id} for task in self.tasks],
            "cause": self.cause,
            "live": self.live,
        }


@dataclass(frozen=True, slots=True)
class Filter:
    """`query` is the control room's own language; what else is said narrows it."""

    query: str = ""
    clusters: tuple[str, ...] = ()
    states: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.query or self.clusters or self.states)


@dataclass(frozen=True, slots=True)
class Described:
    """`config` has no secrets in it; `traces`: of what failed, by `connector` or `task 3`."""

    row: Row
    config: Mapping[str, str | None] | None
    traces: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Config:
    """`base` is what a change of it says that it was made from, where that can be said."""

    values: Mapping[str, str | None]
    base: str = ""


class Verb(StrEnum):
    RESTART = "restart"
    PAUSE = "pause"
    RESUME = "resume"
    STOP = "stop"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class Options:
    """Of a restart (KIP-745), as the control room's jobs have them."""

    only_failed: bool = True
    include_tasks: bool = True


class ItemState(StrEnum):
    """As in the control room's jobs; LEFT_OUT: it was not even tried."""

    WAITING = "waiting"
    ASKED = "asked"
    UNDER_WAY = "under way"
    DONE = "done"
    FAILED_AGAIN = "failed again"
    REFUSED = "refused"
    UNKNOWN = "unknown"
    CANCELLED = "cancelled"
    LEFT_OUT = "left out"

    @property
    def ended(self) -> bool:
        return self not in (ItemState.WAITING, ItemState.ASKED, ItemState.UNDER_WAY)


@dataclass(frozen=True, slots=True)
class Item:
    """A connector that something is done to. `fine`: it is as it was wanted, by this or before."""

    ref: Ref
    state: ItemState
    cause: str = ""
    back_after: float | None = None
    already: bool = False

    @property
    def fine(self) -> bool:
        return self.state is ItemState.DONE or self.already

    def to_json(self) -> dict[str, Any]:
        where = {"cluster": self.ref.cluster} if self.ref.cluster else {}
        told = {"state": self.state.value, "cause": self.cause, "back_after": self.back_after, "ok": self.fine}
        return {**where, "name": self.ref.name, **told}


@dataclass(frozen=True, slots=True)
class Progress:
    """`counts` are of all, `items` may be the first of them while it goes on. `trouble`: why nothing new is known."""

    verb: Verb
    items: Sequence[Item]
    counts: Mapping[str, int]
    over: bool = False
    where: str = ""
    trouble: str = ""

    @property
    def fine(self) -> bool:
        return self.over and all(item.fine for item in self.items)


#: How something goes, until it is over. KeyboardInterrupt that is thrown into it ends it, saying what goes on.
Run: TypeAlias = Generator[Progress, None, None]


def counts(items: Iterable[Item]) -> dict[str, int]:
    """By state."""
    return dict(Counter(item.state.value for item in items))


@dataclass(frozen=True, slots=True)
class Sight:
    """What is to be watched. `trouble`: why it is not of now."""

    rows: Sequence[Row]
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Level:
    name: str
    level: str
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class PluginLine:
    """`where`: cluster → versions; the cluster is empty where there is only one. `used` is None where it is not told."""

    class_name: str
    type: str
    where: Mapping[str, Sequence[str]] = field(default_factory=dict)
    used: int | None = None

    def to_json(self) -> dict[str, Any]:
        told: dict[str, Any] = {"class": self.class_name, "type": self.type}
        if self.used is None:
            return {**told, "versions": list(self.where.get("", ()))}
        places = [{"cluster": cluster, "versions": list(versions)} for cluster, versions in self.where.items()]
        return {**told, "clusters": places, "connectors": self.used}
