"""Which worker runs what. Pure: from what is wanted, who is there and where things run, to where they should run.

Balanced (connectors and tasks each differ by one at most between workers) and sticky: nothing moves that need not.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from workers.herder.membership import Member
from workers.herder.values import InstanceId, TaskId


class Release(NamedTuple):
    """What `member` was told to stop in the assignment of `epoch`."""

    member: Member
    epoch: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where an instance runs. While `awaited` has not been carried out nobody may start it: it may still run there."""

    worker: Member | None
    awaited: Release | None = None

    @property
    def owner(self) -> Member | None:
        """Who runs it now."""
        return self.worker if self.awaited is None else None


Places = Mapping[InstanceId, Place]


def assign(
    wanted: Iterable[InstanceId],
    members: Collection[Member],
    places: Places,
    released: Mapping[Member, int],
    epoch: int,
    homes: Mapping[InstanceId, str] | None = None,
) -> dict[InstanceId, Place]:
    """The places of the assignment `epoch`.

    `released` says up to which epoch each member has stopped what was taken from it. `homes` names the worker that an instance
    ran on before that worker left: it is preferred, so that a worker that comes back gets its own.
    """
    wanted = set(wanted)
    settled = {instance: _settled(place, members, released) for instance, place in places.items()}
    result = {instance: place for instance, place in settled.items() if instance in wanted}
    gone = {instance: _left(place, epoch) for instance, place in settled.items() if instance not in wanted}
    if members:
        for is_task in (False, True):
            kind = sorted((instance for instance in wanted if isinstance(instance, TaskId) is is_task), key=str)
            _Round(kind, members, result, epoch, homes or {}).run()
    nowhere = Place(None)
    return {
        instance: place
        for instance, place in ({i: result.get(i, nowhere) for i in wanted} | gone).items()
        if instance in wanted or place != nowhere
    }


def _settled(place: Place, members: Collection[Member], released: Mapping[Member, int]) -> Place:
    """The place without whoever is gone, and without waiting for what has been done."""
    awaited = place.awaited
    if awaited and (awaited.member not in members or released.get(awaited.member, -1) >= awaited.epoch):
        awaited = None
    return Place(place.worker if place.worker in members else None, awaited)


def _left(place: Place, epoch: int) -> Place:
    """The place of an instance that is to run nowhere: kept until it has stopped."""
    return Place(None, place.awaited or (Release(place.worker, epoch) if place.worker else None))


class _Round:
    """Places instances of one kind, connectors or tasks."""

    def __init__(
        self,
        instances: list[InstanceId],
        members: Collection[Member],
        places: dict[InstanceId, Place],
        epoch: int,
        homes: Mapping[InstanceId, str],
    ):
        self._places = places
        self._epoch = epoch
        self._homes = homes
        self._fresh: set[InstanceId] = set()
        self._held: dict[Member, list[InstanceId]] = {member: [] for member in sorted(members)}
        self._homeless: list[InstanceId] = []
        for instance in instances:
            place = places.get(instance)
            if place is not None and place.worker is not None:
                self._held[place.worker].append(instance)
            else:
                self._homeless.append(instance)
        self._fair = -(-len(instances) // len(members))

    def run(self) -> None:
        for instance in self._homeless:
            self._fresh.add(instance)
            self._put(instance, self._home(instance) or self._least())
        while move := self._next_move():
            instance, source, target = move
            self._held[source].remove(instance)
            self._put(instance, target)

    def _put(self, instance: InstanceId, target: Member) -> None:
        self._held[target].append(instance)
        before = self._places.get(instance, Place(None))
        awaited = before.awaited
        if awaited is None and before.worker is not None and instance not in self._fresh:
            awaited = Release(before.worker, self._epoch)
        # Who still has it may keep it: for one worker, one thing happens after another anyway.
        self._places[instance] = Place(target, None if awaited and awaited.member == target else awaited)

    def _least(self) -> Member:
        return min(self._held, key=lambda member: len(self._held[member]))

    def _home(self, instance: InstanceId) -> Member | None:
        home = self._homes.get(instance)
        at_home = (member for member, held in self._held.items() if member.worker_id == home and len(held) < self._fair)
        return next(at_home, None) if home else None

    def _next_move(self) -> tuple[InstanceId, Member, Member] | None:
        target = self._least()
        most = sorted(self._held, key=lambda member: -len(self._held[member]))
        crowded = [member for member in most if len(self._held[member]) > len(self._held[target]) + 1]
        if not crowded:
            return None
        for source in crowded:
            for instance in self._held[source]:
                if self._homes.get(instance) == target.worker_id:
                    return instance, source, target
        return self._held[crowded[0]][-1], crowded[0], target
