"""Which worker runs what, rule by rule. Whole histories of a group are in `test_assignment_histories`."""

from collections.abc import Collection, Mapping
from typing import Any

import pytest

from workers.herder.assignment import Place, Release, assign
from workers.herder.membership import Member
from workers.herder.values import InstanceId, TaskId

A, B, C = Member("a", "1"), Member("b", "1"), Member("c", "1")
#: The worker of `B`, come back.
B2 = Member("b", "2")
NOBODY = Place(None)


def tasks(count: int, connector: str = "x") -> list[TaskId]:
    return [TaskId(connector, number) for number in range(count)]


T = tasks(12)


def run(
    wanted: Collection[InstanceId],
    members: Collection[Member],
    places: Mapping[Any, Place] = {},
    released: Mapping[Member, int] = {},
    epoch: int = 7,
    homes: Mapping[Any, str] = {},
    lingering: Collection[Member] = (),
) -> dict[InstanceId, Place]:
    return assign(wanted, members, places, released, epoch, homes, lingering)


def held(places: Mapping[Any, Place], member: Member) -> set[InstanceId]:
    return {instance for instance, place in places.items() if place.worker == member}


# --- where there was nothing ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "members", "counts"),
    [
        ([], [A, B], [0, 0]),
        (T[:1], [A, B, C], [1, 0, 0]),
        (T[:4], [A], [4]),
        (T[:4], [A, B], [2, 2]),
        (T[:5], [A, B], [3, 2]),
        (T[:12], [A, B, C], [4, 4, 4]),
    ],
)
def test_what_is_new_is_spread_evenly_and_starts_at_once(
    wanted: Collection[InstanceId], members: list[Member], counts: list[int]
) -> None:
    places = run(wanted, members)
    assert set(places) == set(wanted)
    assert sorted((len(held(places, member)) for member in members), reverse=True) == counts
    assert all(place.owner == place.worker for place in places.values())


def test_connectors_and_tasks_are_balanced_each_by_themselves() -> None:
    """A connector costs little and a task much: neither evens out the other."""
    connectors = [f"c{number}" for number in range(4)]
    places = run([*connectors, *T[:4]], [A, B])
    for member in (A, B):
        assert len(held(places, member) & set(connectors)) == 2
        assert len(held(places, member) & set(T)) == 2


def test_the_same_question_has_the_same_answer_in_whatever_order_it_is_asked() -> None:
    wanted: list[InstanceId] = ["x", *T]
    assert run(wanted, [A, B, C]) == run(wanted[::-1], [C, A, B]) == run(set(wanted), {B, C, A})


# --- nobody there -----------------------------------------------------------------------------------------------------


def test_without_members_everything_wanted_has_a_place_that_is_nowhere() -> None:
    before = {T[0]: Place(A), T[1]: Place(B, Release(A, 3)), T[2]: Place(None, Release(A, 3))}
    assert run(T[:2], [], before) == {T[0]: NOBODY, T[1]: NOBODY}
    assert run(T[:2], [], {}) == {T[0]: NOBODY, T[1]: NOBODY}


def test_what_was_nowhere_is_placed_as_soon_as_somebody_is_there() -> None:
    assert run(T[:1], [A], {T[0]: NOBODY}) == {T[0]: Place(A)}


# --- what does not move -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "places",
    [
        {T[0]: Place(A), T[1]: Place(B)},
        {T[0]: Place(B), T[1]: Place(A)},
        {T[0]: Place(A), T[1]: Place(B), T[2]: Place(B)},
        {T[0]: Place(A), T[1]: Place(B, Release(A, 5))},
    ],
    ids=["even", "even the other way round", "as even as can be", "on its way"],
)
def test_nothing_moves_when_nothing_has_changed(places: dict[InstanceId, Place]) -> None:
    assert run(list(places), [A, B], places, epoch=8) == places


def test_a_newcomer_gets_its_share_and_nobody_else_anything() -> None:
    before = run(T[:9], [A, B])
    after = run(T[:9], [A, B, C], before, epoch=8)
    assert len(held(after, C)) == 3
    for member in (A, B):
        assert held(after, member) <= held(before, member)


def test_what_a_leaver_had_moves_and_nothing_else() -> None:
    before = run(T[:9], [A, B, C])
    after = run(T[:9], [A, C], before, epoch=8)
    assert held(after, A) >= held(before, A)
    assert held(after, C) >= held(before, C)
    assert abs(len(held(after, A)) - len(held(after, C))) <= 1
    assert all(place.awaited is None for place in after.values()), "who is gone is not waited for"


def test_a_new_connector_moves_nothing_that_runs() -> None:
    before = run(tasks(3), [A, B])
    after = run([*tasks(3), *tasks(3, "y")], [A, B], before, epoch=8)
    assert {task: after[task] for task in tasks(3)} == before
    assert len(held(after, A)) == len(held(after, B)) == 3


# --- moves in two phases ----------------------------------------------------------------------------------------------


def test_what_moves_has_no_owner_until_its_holder_has_let_go() -> None:
    before = {T[0]: Place(A), T[1]: Place(A)}
    moving = run(T[:2], [A, B], before, epoch=8)
    assert moving == {T[0]: Place(A), T[1]: Place(B, Release(A, 8))}
    assert moving[T[1]].owner is None
    assert run(T[:2], [A, B], moving, {A: 7}, epoch=9) == moving, "that was said of an earlier one"
    assert run(T[:2], [A, B], moving, {B: 8}, epoch=9) == moving, "somebody else has let go of something"
    for said in (8, 9):
        assert run(T[:2], [A, B], moving, {A: said}, epoch=9) == {T[0]: Place(A), T[1]: Place(B)}


def test_a_holder_that_is_gone_is_not_waited_for() -> None:
    moving = {T[0]: Place(B, Release(A, 5))}
    assert run(T[:1], [B], moving) == {T[0]: Place(B)}
    assert run(T[:1], [B, Member("a", "2")], moving) == {T[0]: Place(B)}, "its worker's next life is somebody else"


def test_when_the_target_is_gone_its_holder_is_still_waited_for() -> None:
    moving = {T[0]: Place(C, Release(A, 5)), T[1]: Place(A), T[2]: Place(A)}
    assert run(T[:3], [A, B], moving, epoch=8)[T[0]] == Place(B, Release(A, 5))


def test_a_move_that_is_turned_round_ends_where_it_began() -> None:
    """For one worker one thing happens after another: it starts again only after it has stopped."""
    moving = {T[0]: Place(B, Release(A, 5))}
    assert run(T[:1], [A], moving, epoch=8) == {T[0]: Place(A)}


def test_a_move_that_is_changed_on_its_way_waits_for_the_same_holder() -> None:
    moving = {T[0]: Place(B, Release(A, 5)), T[1]: Place(B), T[2]: Place(B), T[3]: Place(A), T[4]: Place(A)}
    after = run(T[:5], [A, B, C], moving, epoch=8)
    assert after[T[0]].awaited in (None, Release(A, 5))
    assert {place.awaited for task, place in after.items() if place.worker == C and task != T[0]} <= {
        Release(A, 8),
        Release(B, 8),
    }


# --- who is gone and may not know ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "after"),
    [
        (Place(C), Place(A, Release(C, 8))),
        (Place(B, Release(C, 5)), Place(B, Release(C, 5))),
        (Place(C, Release(B, 5)), Place(A, Release(B, 5))),
        (Place(C, Release(A, 5)), Place(A)),
        (Place(C, Release(Member("d", "1"), 5)), Place(A)),
        (Place(None, Release(C, 5)), Place(A, Release(C, 5))),
        (Place(A), Place(A)),
    ],
    ids=[
        "it ran it",
        "it was to stop it",
        "it was to get it from another",
        "it was to get it from who gets it back",
        "it was to get it from one that is gone for good",
        "it was to stop it for ever",
        "it had nothing to do with it",
    ],
)
def test_what_one_ran_that_is_gone_and_may_not_know_has_a_place_and_waits(place: Place, after: Place) -> None:
    """`C` it is; `B` has enough."""
    others = {T[1]: Place(B), T[2]: Place(B)}
    if place.worker == B:
        others = {T[1]: Place(A), T[2]: Place(A)}
    found = run(T[:3], [A, B], {T[0]: place, **others}, epoch=8, lingering=[C])
    assert found == {T[0]: after, **others}
    assert run(T[:3], [A, B], found, epoch=9, lingering=[C]) == found
    later = run(T[:3], [A, B], found, epoch=10)
    assert later[T[0]].awaited == (after.awaited if after.awaited and after.awaited.member == B else None), "its time is over"


def test_who_is_gone_is_waited_for_also_where_nothing_is_wanted_any_more() -> None:
    found = run([], [A], {T[0]: Place(C)}, epoch=8, lingering=[C])
    assert found == {T[0]: Place(None, Release(C, 8))}
    assert run([], [A], found, epoch=9, lingering=[C]) == found
    assert run([], [A], found, epoch=9) == {}


# --- wanted no more, wanted again -------------------------------------------------------------------------------------


def test_what_is_wanted_no_more_keeps_a_place_until_it_has_stopped() -> None:
    leaving = run([], [A], {"x": Place(A), T[0]: Place(A)}, epoch=8)
    assert leaving == {"x": Place(None, Release(A, 8)), T[0]: Place(None, Release(A, 8))}
    assert run([], [A], leaving, {A: 7}, epoch=9) == leaving
    assert run([], [A], leaving, {A: 8}, epoch=9) == {}
    assert run([], [B], leaving, epoch=9) == {}


@pytest.mark.parametrize(
    ("place", "left"),
    [
        (Place(A), Place(None, Release(A, 8))),
        (Place(B, Release(A, 5)), Place(None, Release(A, 5))),
        (Place(None, Release(A, 5)), Place(None, Release(A, 5))),
        (Place(C), None),
        (Place(C, Release(A, 5)), Place(None, Release(A, 5))),
        (Place(B, Release(C, 5)), Place(None, Release(B, 8))),
        (NOBODY, None),
    ],
)
def test_who_is_waited_for_when_an_instance_is_wanted_no_more(place: Place, left: Place | None) -> None:
    """`C` is not there."""
    assert run([], [A, B], {T[0]: place}, epoch=8) == ({} if left is None else {T[0]: left})


def test_what_is_created_again_while_it_is_being_stopped_waits_unless_it_stays() -> None:
    stopping = {T[0]: Place(None, Release(A, 5))}
    assert run(T[:1], [A], stopping, epoch=8) == {T[0]: Place(A)}
    assert run([*T[:1], *T[1:3]], [A, B], {**stopping, T[1]: Place(A), T[2]: Place(A)}, epoch=8)[T[0]] == (
        Place(B, Release(A, 5))
    )
    assert run(T[:1], [A, B], stopping, {A: 5}, epoch=8)[T[0]].owner is not None


def test_a_fewer_task_frees_its_place_for_others() -> None:
    before = {T[0]: Place(A), T[1]: Place(A), T[2]: Place(B), T[3]: Place(B)}
    after = run([T[0], T[1]], [A, B], before, epoch=8)
    assert after[T[2]] == after[T[3]] == Place(None, Release(B, 8))
    assert {after[T[0]].worker, after[T[1]].worker} == {A, B}, "what is left is spread again"


# --- homes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [3, 6, 12])
def test_a_worker_that_comes_back_gets_exactly_its_own(count: int) -> None:
    before = run(T[:count], [A, B, C])
    homes = dict.fromkeys(held(before, B), "b")
    without = run(T[:count], [A, C], before, epoch=8, homes=homes)
    back = run(T[:count], [A, B2, C], without, epoch=9, homes=homes)
    assert held(back, B2) == held(before, B)
    assert held(back, A) == held(before, A)
    assert all(back[task].awaited == Release(worker, 9) for task in held(back, B2) if (worker := without[task].worker))


def test_a_worker_that_is_back_before_anybody_noticed_goes_on_where_it_was() -> None:
    before = run(T[:6], [A, B, C])
    back = run(T[:6], [A, B2, C], before, epoch=8, homes=dict.fromkeys(held(before, B), "b"))
    assert held(back, B2) == held(before, B)
    assert all(place.awaited is None for place in back.values()), "its former life is gone"


def test_a_home_is_no_reason_to_be_uneven_nor_to_move_what_is_even() -> None:
    homes = dict.fromkeys(T[:4], "b")
    places = run(T[:4], [A, B], homes=homes)
    assert len(held(places, A)) == len(held(places, B)) == 2
    settled = {T[0]: Place(A), T[1]: Place(B)}
    assert run(T[:2], [A, B], settled, homes={T[0]: "b", T[1]: "a"}) == settled


def test_a_home_nobody_has_is_no_home() -> None:
    assert run(T[:1], [A], homes={T[0]: "elsewhere"}) == {T[0]: Place(A)}
