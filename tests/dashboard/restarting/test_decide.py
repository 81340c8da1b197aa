"""When something is restarted by itself: Strimzi's tables, the proposal's minutes, clocks that jump."""

from datetime import UTC, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.restarting.decide import (
    PACE,
    AskAgain,
    Condition,
    Decision,
    GiveUp,
    Healthy,
    Kept,
    Later,
    LeaveAlone,
    Over,
    Plan,
    Reset,
    Restart,
    Schedule,
    Sick,
    Sight,
    Wait,
    condition,
    decide,
    unanswered,
)
from dashboard.restarting.quiet import Quiet
from tests.dashboard.jobs.words import status

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
STRIMZI = Plan(Schedule.STRIMZI, None)


def failed(now: datetime = NOW) -> Sight:
    return Sight(Condition.FAILED, now)


def after(count: int, minutes: float, *, gave_up: bool = False) -> Kept:
    return Kept(count, NOW - minutes * MINUTE, gave_up=gave_up)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("RUNNING", Condition.HEALTHY),
        ("RUNNING RUNNING RUNNING", Condition.HEALTHY),
        ("FAILED", Condition.FAILED),
        ("FAILED RUNNING", Condition.FAILED),
        ("RUNNING RUNNING FAILED", Condition.FAILED),
        ("PAUSED PAUSED", Condition.LEFT_ALONE),
        ("PAUSED FAILED", Condition.LEFT_ALONE),
        ("STOPPED", Condition.LEFT_ALONE),
        ("RUNNING RESTARTING FAILED", Condition.MOVING),
        ("RESTARTING FAILED", Condition.MOVING),
        ("RUNNING UNASSIGNED FAILED", Condition.MOVING),
        ("UNASSIGNED", Condition.MOVING),
        ("RUNNING PAUSED", Condition.MOVING),
        ("RUNNING SOMETHING_NEW", Condition.MOVING),
        (None, Condition.MOVING),
    ],
)
def test_what_is_seen(words: str | None, expected: Condition) -> None:
    assert condition(status(words)) is expected


@pytest.mark.parametrize(
    ("plan", "kept", "restarted"),
    [
        # The tables of Strimzi's own tests.
        (STRIMZI, Kept(), True),
        (STRIMZI, after(1, 2), True),
        (STRIMZI, after(1, 1.99), False),
        (STRIMZI, after(2, 6), True),
        (STRIMZI, after(2, 5), False),
        (STRIMZI, after(3, 12), True),
        (STRIMZI, after(7, 56), True),
        (STRIMZI, after(7, 55), False),
        (STRIMZI, after(8, 60), True),
        (STRIMZI, after(25, 59), False),
        (STRIMZI, after(25, 60), True),
        (Plan(Schedule.STRIMZI, 7), after(7, 24 * 60), False),
        (Plan(Schedule.STRIMZI, 8), after(7, 24 * 60), True),
        # The proposal's.
        (Plan(), Kept(), True),
        (Plan(), after(1, 2), True),
        (Plan(), after(1, 1.99), False),
        (Plan(), after(5, 10), True),
        (Plan(), after(5, 9.99), False),
        (Plan(), after(6, 24 * 60), False),
        # None at all is none.
        (Plan(limit=0), Kept(), False),
        (None, Kept(), False),
        # What has been given up is tried again when more is allowed.
        (Plan(limit=8), after(6, 12, gave_up=True), True),
        (Plan(limit=8), after(6, 11, gave_up=True), False),
    ],
)
def test_when_it_is_restarted(plan: Plan | None, kept: Kept, restarted: bool) -> None:
    assert isinstance(decide(plan, kept, failed(), NOW), Restart) is restarted


@pytest.mark.parametrize(
    ("count", "minutes", "reset"), [(1, 3, True), (1, 1, False), (3, 13, True), (3, 10, False), (25, 61, True), (25, 59, False)]
)
def test_when_the_count_begins_anew(count: int, minutes: int, reset: bool) -> None:
    """Strimzi's table: well for more whole minutes than the interval has."""
    just_before = Kept(count, NOW - minutes * MINUTE, (minutes * 60 - 10) * timedelta(seconds=1), NOW - timedelta(seconds=10))
    decision = decide(STRIMZI, just_before, Sight(Condition.HEALTHY, NOW), NOW)
    assert decision == (Reset() if reset else Healthy(minutes * MINUTE))


def test_what_is_wanted_to_stand_still_is_left_alone() -> None:
    for seen in (Condition.LEFT_ALONE, Condition.MOVING):
        for kept in (Kept(), after(1, 60), after(6, 60, gave_up=True)):
            assert decide(Plan(), kept, Sight(seen, NOW), NOW) == LeaveAlone()


def test_what_has_been_given_up_is_left_alone() -> None:
    assert decide(Plan(), after(6, 1), failed(), NOW) == GiveUp()
    assert decide(Plan(), after(6, 1, gave_up=True), failed(), NOW) == LeaveAlone()


def test_what_is_seen_of_before_the_restart_is_not_believed() -> None:
    asked = NOW - timedelta(seconds=20)
    for seen_at in (None, asked - MINUTE, asked + timedelta(seconds=5)):
        assert isinstance(decide(Plan(), Kept(6, asked), Sight(Condition.FAILED, seen_at), NOW), Wait)
        # By whomever it was asked for.
        assert isinstance(decide(Plan(), Kept(), Sight(Condition.FAILED, seen_at, asked), NOW), Wait)
    fresh = asked + PACE.settle
    assert decide(Plan(), Kept(6, asked), Sight(Condition.FAILED, fresh), NOW) == GiveUp()
    assert decide(Plan(), Kept(), Sight(Condition.FAILED, fresh, asked), NOW) == Restart()


def test_what_was_well_for_a_while_begins_anew_when_it_is_not() -> None:
    kept = Kept(2, NOW - 5 * MINUTE, MINUTE, NOW - timedelta(seconds=5))
    assert decide(Plan(), kept, failed(), NOW) == Sick()


def test_it_waits_for_the_end_of_quiet_hours() -> None:
    quiet = Quiet(time(11), time(14, 30), ZoneInfo("UTC"))
    assert decide(Plan(quiet=quiet), Kept(), failed(), NOW) == Wait(NOW.replace(hour=14, minute=30))
    # It is due before they begin, and was not: nobody was there to do it.
    assert decide(Plan(quiet=quiet), after(1, 120), failed(), NOW) == Wait(NOW.replace(hour=14, minute=30))
    assert decide(Plan(quiet=Quiet(time(8), time(12), ZoneInfo("UTC"))), Kept(), failed(), NOW) == Restart()


# Over time


class Clock:
    """What the clock shows beside the time that really passes."""

    def __init__(self) -> None:
        self.real = timedelta()
        self.ahead = timedelta()

    @property
    def now(self) -> datetime:
        return NOW + self.real + self.ahead


def played(clock: Clock, kept: Kept, decision: Decision) -> Kept:
    """What `dashboard.restarting.record` makes of a decision."""
    match decision:
        case Restart():
            return Kept(kept.count + 1, clock.now)
        case GiveUp():
            return Kept(kept.count, kept.last_restart_at, gave_up=True)
        case Wait(_, counted_from) if counted_from:
            return Kept(kept.count, counted_from, gave_up=kept.gave_up)
        case Healthy(healthy):
            return Kept(kept.count, kept.last_restart_at, healthy, clock.now, kept.gave_up)
        case Sick():
            return Kept(kept.count, kept.last_restart_at, gave_up=kept.gave_up)
        case Reset():
            return Kept()
    return kept


def restarts(plan: Plan, looks: list[tuple[timedelta, timedelta, Condition]]) -> list[timedelta]:
    """When it was restarted, in real time. A look: how long after the one before, by how much the clock jumps, what is seen."""
    clock, kept, found = Clock(), Kept(), []
    for passed, jump, seen in looks:
        clock.real += passed
        clock.ahead += jump
        # A status is as new as it gets.
        sight = Sight(seen, clock.now)
        decision = decide(plan, kept, sight, clock.now)
        if decision == Restart():
            found.append(clock.real)
        kept = played(clock, kept, decision)
    return found


def every(seconds: int, minutes: int) -> list[tuple[timedelta, timedelta, Condition]]:
    step = timedelta(seconds=seconds)
    return [(step if number else timedelta(), timedelta(), Condition.FAILED) for number in range(minutes * 60 // seconds + 1)]


def test_the_proposal_s_minutes() -> None:
    assert restarts(Plan(), every(1, 120)) == [minutes * MINUTE for minutes in (0, 2, 6, 12, 20, 30)]


def test_strimzi_s_intervals() -> None:
    found = restarts(STRIMZI, every(1, 360))
    apart = [(late - early) // MINUTE for early, late in pairwise(found)]
    assert apart == [2, 6, 12, 20, 30, 42, 56, 60, 60, 60]
    assert restarts(Plan(Schedule.STRIMZI, 3), every(1, 360)) == [0 * MINUTE, 2 * MINUTE, 8 * MINUTE]


often = settings(max_examples=200, deadline=None, database=None)
_PASSES = st.timedeltas(timedelta(seconds=1), timedelta(minutes=3))
_SEEN = st.sampled_from((Condition.FAILED, Condition.FAILED, Condition.FAILED, *Condition))
_PLANS = st.sampled_from((Plan(), STRIMZI, Plan(Schedule.STRIMZI, 4), Plan(limit=2)))


@often
@given(
    _PLANS,
    st.lists(
        st.tuples(_PASSES, st.timedeltas(-timedelta(days=2), timedelta()) | st.just(timedelta()), st.just(Condition.FAILED)),
        max_size=150,
    ),
)
def test_a_clock_that_goes_back_makes_no_burst(plan: Plan, looks: list[tuple[timedelta, timedelta, Condition]]) -> None:
    found = restarts(plan, looks)
    for count, (early, late) in enumerate(pairwise(found), 1):
        assert late - early >= plan.schedule.minutes_after(count) * MINUTE
    assert plan.limit is None or len(found) <= plan.limit


@often
@given(st.integers(1, 5), st.timedeltas(timedelta(days=-30), timedelta(seconds=-1)))
def test_nor_does_it_make_it_wait_for_longer_than_its_interval(count: int, back: timedelta) -> None:
    """The clock goes back by more than has passed since the last restart."""
    kept = Kept(count, NOW)
    now = NOW + back
    decision = decide(Plan(), kept, Sight(Condition.FAILED, now), now)
    assert decision == Wait(now + 2 * count * MINUTE, counted_from=now)


@often
@given(
    st.lists(
        st.tuples(
            _PASSES,
            st.timedeltas(-timedelta(days=2), timedelta(days=2)) | st.just(timedelta()),
            st.sampled_from((Condition.FAILED, Condition.MOVING, Condition.LEFT_ALONE)),
        ),
        max_size=150,
    )
)
def test_no_jump_loses_the_limit(looks: list[tuple[timedelta, timedelta, Condition]]) -> None:
    assert len(restarts(Plan(), looks)) <= 6


@often
@given(st.lists(st.tuples(_PASSES, st.timedeltas(-timedelta(days=2), timedelta(days=2)), _SEEN), max_size=150))
def test_no_jump_makes_up_for_being_well(looks: list[tuple[timedelta, timedelta, Condition]]) -> None:
    """What is well for a minute in all is no reason to begin anew, whatever the clock shows."""
    well = timedelta()
    kept, clock = Kept(3, NOW - 7 * MINUTE), Clock()
    for number, (passed, jump, seen) in enumerate(looks):
        clock.real += passed
        clock.ahead += jump
        decision = decide(Plan(), kept, Sight(seen, clock.now), clock.now)
        well += PACE.gap if seen is Condition.HEALTHY else timedelta()
        kept = played(clock, kept, decision)
        if decision == Reset():
            assert well >= 7 * MINUTE, number
            return


@often
@given(_PLANS, st.lists(st.tuples(_PASSES, _SEEN), max_size=100))
def test_it_can_be_asked_at_any_time_and_says_the_same(plan: Plan, looks: list[tuple[timedelta, Condition]]) -> None:
    """Another process, with nothing but what is written down, decides as this one."""
    kept, clock = Kept(), Clock()
    for passed, seen in looks:
        clock.real += passed
        sight = Sight(seen, clock.now)
        decision = decide(plan, kept, sight, clock.now)
        assert decide(plan, kept, sight, clock.now) == decision
        kept = played(clock, kept, decision)
        if decision == Restart():
            assert not isinstance(decide(plan, kept, sight, clock.now), Restart), "whoever comes next does not do it again"


# What has no answer

ASKED = NOW - MINUTE


@pytest.mark.parametrize(
    ("next_try_at", "sight", "changed_at", "expected"),
    [
        # Whoever asked has ended, and nothing shows that it was heard.
        (None, failed(), ASKED - MINUTE, AskAgain()),
        (None, Sight(Condition.FAILED, ASKED + timedelta(seconds=1)), ASKED - MINUTE, Later()),
        (None, Sight(Condition.FAILED), ASKED - MINUTE, Later()),
        # It was heard, and did not help.
        (None, failed(), ASKED + MINUTE / 2, Over()),
        # It was heard, and is at it.
        (None, Sight(Condition.MOVING, NOW), ASKED + MINUTE / 2, Later()),
        (None, Sight(Condition.HEALTHY, NOW), ASKED + MINUTE / 2, Over()),
        (None, Sight(Condition.LEFT_ALONE, NOW), ASKED + MINUTE / 2, Over()),
        # The cluster said that it did not take it on.
        (NOW, failed(), ASKED - MINUTE, AskAgain()),
        (NOW + timedelta(seconds=1), failed(), ASKED - MINUTE, Later()),
        (NOW, failed(), ASKED + MINUTE / 2, AskAgain()),
        (NOW, Sight(Condition.HEALTHY, NOW), ASKED + MINUTE / 2, Over()),
        # The clock has gone back behind it.
        (NOW + 60 * MINUTE, failed(), ASKED, AskAgain()),
    ],
)
def test_what_becomes_of_a_restart_without_an_answer(
    next_try_at: datetime | None, sight: Sight, changed_at: datetime, expected: AskAgain | Later | Over
) -> None:
    assert unanswered(ASKED, next_try_at, sight, changed_at, NOW) == expected


def test_of_a_restart_that_is_to_come_by_the_clock_nothing_is_known() -> None:
    assert unanswered(NOW + MINUTE, None, failed(), ASKED, NOW) == Over()
