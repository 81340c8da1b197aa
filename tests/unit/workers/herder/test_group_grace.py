"""What a worker ran that has left without a word: nobody starts it before that worker is sure to write no more."""

import time

from tests.fakes import until
from tests.unit.workers.herder.group import Workers, all_of, tasks_of, workers
from workers.herder.states import State
from workers.herder.values import InstanceId

EVER = 3600.0


def on(group: Workers, name: str) -> set[InstanceId]:
    return {instance for instance in all_of("a", 6) if group.owner(instance).worker_id == name}


def ownerless(group: Workers) -> set[InstanceId]:
    return {instance for instance, place in group.leader.assignments.snapshot().places.items() if place.owner is None}


def test_what_it_ran_stands_still_meanwhile_and_is_shown_to() -> None:
    with workers("x", "y", "z", grace=EVER) as group:
        group.create()
        had = on(group, "y")
        group.crash("y")
        assert ownerless(group) == had
        assert {group.leader.state(instance) for instance in had} == {State.UNASSIGNED}
        assert sum(group.starts(task) for task in tasks_of("a", 6)) == 6


def test_afterwards_it_runs_elsewhere() -> None:
    with workers("x", "y", "z", grace=0.3) as group:
        group.create()
        had = on(group, "y")
        missed = time.monotonic()
        group.crash("y")
        until(lambda: not ownerless(group), "Everything has an owner")
        assert time.monotonic() - missed >= 0.3
        group.settle()
        group.check()
        assert {group.shown(instance) for instance in had} <= {"RUNNING on x", "RUNNING on z"}


def test_two_that_die_one_after_the_other_are_each_waited_for() -> None:
    with workers("x", "y", "z", grace=0.3) as group:
        group.create()
        group.crash("y")
        group.crash("z")
        until(lambda: not ownerless(group), "Everything has an owner")
        group.settle()
        group.check()
        assert group.counts() == [6]


def test_who_takes_leave_is_not_waited_for() -> None:
    with workers("x", "y", "z", grace=EVER) as group:
        group.create()
        group.stop("y")
        group.check()
        assert group.counts() == [3, 3]
        assert {member.worker_id for member in group.leader.assignments.snapshot().workers} == {"x", "z"}


def test_its_next_life_waits_like_anybody_else() -> None:
    with workers("x", "y", "z", grace=EVER) as group:
        group.create()
        had = on(group, "y")
        group.crash("y")
        group.start("y", "2")
        assert ownerless(group) == had
        assert group["y"].runner.running == {}


def test_the_next_leader_waits_anew() -> None:
    with workers("x", "y", "z", grace=EVER) as group:
        group.create()
        had = on(group, "x") | on(group, "y")
        group.crash("y")
        group.crash("x")
        assert ownerless(group) == had


def test_nothing_is_kept_of_those_who_are_gone() -> None:
    with workers("x", "y", "z", grace=0.1) as group:
        group.create()
        group.crash("y")
        until(
            lambda: {member.worker_id for member in group.leader.assignments.snapshot().workers} == {"x", "z"}, "y is forgotten"
        )


def test_where_something_waited_for_its_own_worker_is_not_its_home() -> None:
    """Its worker went, the one that ran it meanwhile went, both come back: it is where it was in the beginning."""
    with workers("x", "y", "z") as group:
        group.create()
        had = {name: on(group, name) for name in "xyz"}
        group.stop("y")
        group.stop("z")
        group.start("y", "2")
        group.start("z", "2")
        assert {name: on(group, name) for name in "xyz"} == had
