"""Whole histories of a group, made by chance from a fixed seed: joins, leaves, crashes, returns, connectors that come and go,
and workers that hear of it late. What must hold at every moment and in the end does not depend on how it went."""

import random
from collections import Counter
from collections.abc import Iterable

import pytest

from workers.herder.assignment import Place, assign
from workers.herder.membership import Member
from workers.herder.values import InstanceId, TaskId

SEEDS = range(40)


class Worker:
    """Hears of each assignment in its turn, and takes its time to stop what it lost."""

    def __init__(self) -> None:
        self.running: set[InstanceId] = set()
        self.stopping: set[InstanceId] = set()
        self.inbox: list[tuple[int, dict[InstanceId, Place]]] = []
        self.heard = -1


class History:
    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.members: dict[Member, Worker] = {}
        #: Gone without knowing it: they still run what they ran.
        self.lingering: dict[Member, Worker] = {}
        self.wanted: set[InstanceId] = set()
        self.places: dict[InstanceId, Place] = {}
        self.released: dict[Member, int] = {}
        self.homes: dict[InstanceId, str] = {}
        self.epoch = 0
        self.lives = 0

    # --- the leader -----------------------------------------------------------------------------------------------------

    def balance(self) -> bool:
        for instance, place in self.places.items():
            if place.worker is not None and place.worker not in self.members:
                self.homes[instance] = place.worker.worker_id
        epoch = self.epoch + 1
        places = assign(self.wanted, list(self.members), self.places, self.released, epoch, self.homes, list(self.lingering))
        if places == self.places:
            return False
        self.epoch, self.places = self.epoch + 1, places
        for worker in self.members.values():
            worker.inbox.append((self.epoch, places))
        return True

    # --- the workers ----------------------------------------------------------------------------------------------------

    def hear(self, member: Member) -> None:
        worker = self.members[member]
        if not worker.inbox:
            return
        worker.heard, places = worker.inbox.pop(0)
        mine = {instance for instance, place in places.items() if place.owner == member}
        worker.stopping |= worker.running - mine
        for instance in mine - worker.running:
            self.start(member, instance)
        # One that it has back is stopped and started in its own lane: it never runs twice there.
        worker.stopping -= mine

    def start(self, member: Member, instance: InstanceId) -> None:
        everybody = {**self.members, **self.lingering}
        others = [other for other, worker in everybody.items() if other != member and instance in worker.running]
        assert not others, f"{member} starts {instance}, which still runs on {others[0]} (epoch {self.epoch})"
        self.members[member].running.add(instance)

    def stop_all(self, member: Member) -> None:
        worker = self.members[member]
        worker.running -= worker.stopping
        worker.stopping.clear()
        self.released[member] = worker.heard

    # --- what happens to them -------------------------------------------------------------------------------------------

    def join(self, worker_id: str) -> None:
        self.lives += 1
        self.members[Member(worker_id, str(self.lives))] = Worker()

    def something(self) -> None:
        happenings = (self.change_members, self.change_wanted, self.let_one_hear, self.let_one_stop)
        self.chance.choices(happenings, (1, 1, 6, 6))[0]()
        self.balance()

    def change_members(self) -> None:
        if self.lingering and self.chance.random() < 0.5:
            del self.lingering[self.chance.choice(sorted(self.lingering))]
        elif self.members and self.chance.random() < 0.5:
            leaver = self.one()
            worker = self.members.pop(leaver)
            if self.chance.random() < 0.5:
                self.lingering[leaver] = worker
        elif len(self.members) < 6:
            self.join(self.chance.choice("abcdefgh"))

    def change_wanted(self) -> None:
        name = self.chance.choice("uvwxyz")
        self.wanted = {i for i in self.wanted if i != name and not (isinstance(i, TaskId) and i.connector == name)}
        if self.chance.random() < 0.7:
            self.wanted |= {name, *(TaskId(name, number) for number in range(self.chance.randrange(8)))}

    def let_one_hear(self) -> None:
        if self.members:
            self.hear(self.one())

    def let_one_stop(self) -> None:
        if self.members:
            self.stop_all(self.one())

    def one(self) -> Member:
        return self.chance.choice(sorted(self.members))

    def settle(self) -> None:
        self.lingering.clear()
        for _ in range(1000):
            for member in self.members:
                self.hear(member)
                self.stop_all(member)
            if not self.balance() and not any(worker.inbox for worker in self.members.values()):
                return
        raise AssertionError("it never comes to rest")


def spread(places: dict[InstanceId, Place], members: Iterable[Member], *, tasks: bool) -> list[int]:
    counts = Counter(place.worker for instance, place in places.items() if isinstance(instance, TaskId) is tasks)
    return [counts[member] for member in members]


def settled(seed: int) -> History:
    """Something of a past, come to rest, with two members at least."""
    history = History(seed)
    for _ in range(60):
        history.something()
    while len(history.members) < 2:
        history.join(f"late-{len(history.members)}")
    while len(history.wanted) < 9:
        history.change_wanted()
    history.homes.clear()
    history.settle()
    return history


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_ever_runs_twice_and_in_the_end_everything_runs_evenly(seed: int) -> None:
    history = History(seed)
    for _ in range(300):
        history.something()
    history.join("the last")
    history.settle()
    assert {i: place.owner for i, place in history.places.items()} == {
        instance: member for member, worker in history.members.items() for instance in worker.running
    }
    assert set(history.places) == history.wanted
    for tasks in (False, True):
        counts = spread(history.places, history.members, tasks=tasks)
        assert max(counts) - min(counts) <= 1


@pytest.mark.parametrize("seed", SEEDS)
def test_every_assignment_is_even_at_once_also_before_anybody_has_moved(seed: int) -> None:
    history = History(seed)
    for _ in range(200):
        history.something()
        for tasks in (False, True):
            counts = spread(history.places, history.members, tasks=tasks)
            assert not counts or max(counts) - min(counts) <= 1


@pytest.mark.parametrize("seed", SEEDS)
def test_a_newcomer_is_given_what_it_needs_and_nothing_else_moves(seed: int) -> None:
    history = settled(seed)
    before = dict(history.places)
    history.join("new")
    newcomer = max(history.members, key=lambda member: int(member.life))
    history.balance()
    moved = {instance for instance, place in history.places.items() if place != before[instance]}
    assert {history.places[instance].worker for instance in moved} <= {newcomer}
    for tasks in (False, True):
        kind = [instance for instance in before if isinstance(instance, TaskId) is tasks]
        assert len(moved & set(kind)) == len(kind) // len(history.members)


@pytest.mark.parametrize("seed", SEEDS)
def test_when_one_leaves_only_what_it_had_moves_and_on_its_return_it_gets_nothing_but_that(seed: int) -> None:
    history = settled(seed)
    before, leaver = dict(history.places), history.one()
    had = {instance for instance, place in before.items() if place.worker == leaver}
    del history.members[leaver]
    history.balance()
    assert {i for i, place in history.places.items() if place != before[i]} == had
    history.settle()
    without = dict(history.places)
    history.join(leaver.worker_id)
    history.settle()
    got = {i for i, place in history.places.items() if place != without[i]}
    assert got <= had
    for tasks in (False, True):
        mine = [i for i in got if isinstance(i, TaskId) is tasks]
        whole = [i for i in before if isinstance(i, TaskId) is tasks]
        assert len(mine) == len(whole) // len(history.members)


@pytest.mark.parametrize("seed", SEEDS)
def test_an_assignment_that_is_asked_for_again_is_the_same(seed: int) -> None:
    history = History(seed)
    for _ in range(100):
        history.something()
        assert not history.balance()
