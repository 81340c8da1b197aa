"""Who is in the worker group, and who leads it. `workers.storage.kafka_group` asks Kafka's group coordinator."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, order=True)
class Member:
    """One life of a worker in the group. A worker that comes back under its own id is another member, whether its process started
    anew or the group had given it up: what the one before was assigned is not the new one's, nor what it still does or says."""

    worker_id: str
    life: str

    def __str__(self) -> str:
        return f"{self.worker_id}@{self.life}"


def new_life() -> str:
    return uuid.uuid4().hex[:8]


def member_of(text: str) -> Member | None:
    worker_id, at, life = text.rpartition("@")
    return Member(worker_id, life) if at and worker_id and life else None


@dataclass(frozen=True, slots=True)
class GroupView:
    """The group as one member, `me`, knows it.

    `joined` is false while this member is cut off: it must then host nothing, as its instances may be given to others.
    `members` and `settled` (no rebalance is under way) are known to the leader only.
    """

    me: Member
    joined: bool = False
    leads: bool = False
    settled: bool = False
    members: frozenset[Member] = frozenset()


class Group(Protocol):
    """Membership of this process. `join` returns at once; `listener` hears of each change, on the group's own thread."""

    @property
    def me(self) -> Member:
        """Who this process is at this moment; each view says who it was then."""
        ...

    @property
    def grace(self) -> float:
        """For how many seconds a member may go on that the group has given up without its knowing."""
        ...

    def join(self, listener: Callable[[GroupView], None]) -> None: ...

    def holds(self) -> bool:
        """Whether the group is sure to count this process as a member now, or did so less than `grace` ago. Cheap: asked before
        each write of a task."""
        ...

    def stopped(self) -> None:
        """Called once for each time that the listener heard of a cut-off, when all that ran then has stopped. Until then this
        process holds nothing, and does not join in another life."""
        ...

    def leave(self) -> None: ...


class SoloGroup:
    """The group of a worker that is alone. See `Group`."""

    grace = 0.0

    def __init__(self, me: Member) -> None:
        self.me = me

    def join(self, listener: Callable[[GroupView], None]) -> None:
        listener(GroupView(self.me, joined=True, leads=True, settled=True, members=frozenset({self.me})))

    def holds(self) -> bool:
        return True

    def stopped(self) -> None: ...

    def leave(self) -> None:
        pass
