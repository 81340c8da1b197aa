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
NOWHERE = Place(None)


def assign(
    wanted: Iterable[InstanceId],
    members: Collection[Member],
    places: Places,
    released: Mapping[Member, int],
    epoch: int,
    homes: Mapping[InstanceId, str] | None = None,
    lingering: Collection[Member] = (),
) -> dict[InstanceId, Place]:
    """The places of the assignment `epoch`.

    `released` says up to which epoch each member has stopped what was taken from it. `homes` names the worker that an instance
    ran on before that worker left: it is preferred, so that a worker that comes back gets its own. `lingering` are no members any
    more and may not know: nobody starts what one of them runs.
    """
    wanted = set(wanted)
    result: dict[InstanceId, Place] = {}
    gone: dict[InstanceId, Place] = {}
    for instance, place in places.items():
        settled = _settled(place, members, lingering, released, epoch)
        if instance in wanted:
            result[instance] = settled
        elif (left := _left(settled, epoch)) != NOWHERE:
            gone[instance] = left
    if members:
        for is_task in (False, True):
            kind = [instance for instance in wanted if isinstance(instance, TaskId) is is_task]
            if len(members) > 1:
                kind.sort(key=str)
            _Round(kind, members, result, epoch, homes or {}).run()
    for instance in wanted - result.keys():
        result[instance] = NOWHERE
    return result | gone


def changes(before: Places, after: Places) -> set[InstanceId]:
    """The instances that have another place now, or one only before or after."""
    changed = {instance for instance in before if instance not in after}
    for instance, place in after.items():
        was = before.get(instance)
        if was is not place and was != place:
            changed.add(instance)
    return changed


def _settled(
    place: Place, members: Collection[Member], lingering: Collection[Member], released: Mapping[Member, int], epoch: int
) -> Place:
    """The place without whoever is gone, and without waiting for what has been done."""
    awaited = place.awaited
    if awaited is None and place.worker in members:
        # As nearly all are, each time that something changes: the very same value, which costs nothing to make or compare.
        return place
    if awaited is None and place.worker is not None and place.worker in lingering:
        awaited = Release(place.worker, epoch)
    elif awaited and (awaited.member not in {*members, *lingering} or released.get(awaited.member, -1) >= awaited.epoch):
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
    ) -> None:
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
        before = self._places.get(instance, NOWHERE)
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
