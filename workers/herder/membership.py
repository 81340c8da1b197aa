"""Who is in the worker group, and who leads it. `workers.storage.kafka_group` asks Kafka's group coordinator."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, order=True)
class Member:
    """One life of a worker. A worker that comes back under its own id is another member: what the one before still does
    or says is not the new one's."""

    worker_id: str
    life: str

    def __str__(self) -> str:
        return f"{self.worker_id}@{self.life}"


def member_of(text: str) -> Member | None:
    worker_id, at, life = text.rpartition("@")
    return Member(worker_id, life) if at and worker_id and life else None


@dataclass(frozen=True, slots=True)
class GroupView:
    """The group as one member knows it.

    `joined` is false while this member is cut off: it must then host nothing, as its instances may be given to others.
    `members` and `settled` (no rebalance is under way) are known to the leader only.
    """

    joined: bool = False
    leads: bool = False
    settled: bool = False
    members: frozenset[Member] = frozenset()


class Group(Protocol):
    """Membership of this process. `join` returns at once; `listener` hears of each change, on the group's own thread."""

    @property
    def me(self) -> Member: ...

    def join(self, listener: Callable[[GroupView], None]) -> None: ...

    def holds(self) -> bool:
        """Whether the group is sure to count this process as a member now. Cheap: asked before each write of a task."""
        ...

    def stopped(self) -> None:
        """What this member ran when it was cut off has stopped. Until then it holds nothing, though it may have joined again."""
        ...

    def leave(self) -> None: ...


class SoloGroup:
    """The group of a worker that is alone. See `Group`."""

    def __init__(self, me: Member):
        self.me = me

    def join(self, listener: Callable[[GroupView], None]) -> None:
        listener(GroupView(joined=True, leads=True, settled=True, members=frozenset({self.me})))

    def holds(self) -> bool:
        return True

    def stopped(self) -> None: ...

    def leave(self) -> None:
        pass
