"""Watching what was asked for until it is over: round by round, over values."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from dashboard.jobs.verbs import JobVerb, What
from dashboard.jobs.watch import FailedAgain, Judgement, Progress, Sight, UnderWay, begun, judged
from tests.dashboard.jobs.words import status

T = datetime(2026, 11, 22, 7, tzinfo=UTC)
V = JobVerb
OWN, TASK, ALL = What(True), What(False, (0,)), What(True, (0,))


def at(seconds: float) -> datetime:
    return T + timedelta(seconds=seconds)


def rounds(verb: JobVerb, what: What, before: str, *seen: tuple[float, str | None], lost: bool = False) -> Judgement:
    """What is made of a connector that was asked for at 0, `before` as it was then, and that changed so at these seconds. None
    is a look without a change."""
    progress = begun(what, status(before))
    progress = Progress(progress.before, lost=lost)
    now_is, changed = before, -1000.0
    judgement: Judgement = UnderWay(progress)
    for second, words in seen:
        if words is not None:
            now_is, changed = words, second
        sight = Sight(True, status(now_is), at(changed), at(second))
        judgement = judged(verb, what, T, judgement.progress, sight, at(second))
        if not isinstance(judgement, UnderWay):
            return judgement
    return judgement


def outcome(judgement: Judgement) -> tuple[str, str]:
    return type(judgement).__name__, getattr(judgement, "cause", "")


DISK_FULL = "java.io.IOException: disk full"


@pytest.mark.parametrize(
    ("what", "before", "seen", "expected"),
    [
        # It restarts, runs, and stays so.
        (TASK, "RUNNING FAILED", [(0.1, "RUNNING RESTARTING")], ("UnderWay", "")),
        (TASK, "RUNNING FAILED", [(0.1, "RUNNING RESTARTING"), (0.3, "RUNNING RUNNING")], ("UnderWay", "")),
        (TASK, "RUNNING FAILED", [(0.1, "RUNNING RESTARTING"), (0.3, "RUNNING RUNNING"), (2.4, None)], ("Done", "")),
        # Its RESTARTING was between two looks.
        (TASK, "RUNNING FAILED", [(1, "RUNNING RUNNING"), (3.1, None)], ("Done", "")),
        # It runs for a moment and fails as before.
        (TASK, "RUNNING FAILED", [(0.3, "RUNNING RUNNING"), (0.4, "RUNNING FAILED")], ("FailedAgain", DISK_FULL)),
        (TASK, "RUNNING FAILED", [(0.3, "RUNNING RESTARTING"), (0.4, "RUNNING FAILED")], ("FailedAgain", DISK_FULL)),
        # Nothing is seen of that: it is believed when the cluster was read anew some seconds later.
        (TASK, "RUNNING FAILED", [(5, None)], ("UnderWay", "")),
        (TASK, "RUNNING FAILED", [(6, None)], ("FailedAgain", DISK_FULL)),
        # The other task is another worker's, and later: it has not failed again yet.
        (What(False, (0, 1)), "RUNNING FAILED FAILED", [(1, "RUNNING RUNNING FAILED"), (3.5, None)], ("UnderWay", "")),
        (
            What(False, (0, 1)),
            "RUNNING FAILED FAILED",
            [(1, "RUNNING RUNNING FAILED"), (7, None)],
            ("FailedAgain", f"task 1: {DISK_FULL}"),
        ),
        (
            What(False, (0, 1)),
            "RUNNING FAILED FAILED",
            [(1, "RUNNING RUNNING FAILED"), (2, "RUNNING RUNNING RESTARTING"), (3, "RUNNING RUNNING RUNNING"), (5, None)],
            ("Done", ""),
        ),
        # What was not asked for may fail meanwhile: that is another matter.
        (TASK, "RUNNING FAILED RUNNING", [(1, "RUNNING RUNNING FAILED"), (3, None)], ("Done", "")),
        (OWN, "FAILED", [(1, "RUNNING RUNNING"), (3, None)], ("Done", "")),
        # Paused ones restart into their pause.
        (TASK, "PAUSED FAILED", [(1, "PAUSED PAUSED"), (3, None)], ("Done", "")),
        # A restart of everything: too quick to be seen.
        (ALL, "RUNNING RUNNING", [(5, None)], ("UnderWay", "")),
        (ALL, "RUNNING RUNNING", [(6, None)], ("Done", "")),
        # A task that has gone, since there are fewer now.
        (What(False, (1,)), "RUNNING RUNNING FAILED", [(1, "RUNNING RUNNING"), (3, None)], ("Done", "")),
        (TASK, "RUNNING FAILED", [(100, "RUNNING UNASSIGNED"), (299, None)], ("UnderWay", "")),
        (
            TASK,
            "RUNNING FAILED",
            [(100, "RUNNING UNASSIGNED"), (301, None)],
            ("NotKnown", "Asked for, and after 5 minutes it is RUNNING still"),
        ),
    ],
)
def test_a_restart(what: What, before: str, seen: list[tuple[float, str | None]], expected: tuple[str, str]) -> None:
    assert outcome(rounds(V.RESTART, what, before, *seen)) == expected


def test_a_cluster_that_was_slow_to_take_it_on() -> None:
    """What shows nothing is over so much after the answer, not after the question."""
    asked = begun(TASK, status("RUNNING FAILED"))
    answered = replace(asked, answered_at=at(20))
    for seconds, expected in ((25.9, "UnderWay"), (26, "FailedAgain")):
        sight = Sight(True, status("RUNNING FAILED"), at(-5), at(seconds))
        assert type(judged(V.RESTART, TASK, T, answered, sight, at(seconds))).__name__ == expected
        assert isinstance(judged(V.RESTART, TASK, T, asked, sight, at(seconds)), FailedAgain)


def test_how_long_it_took_until_it_ran_again() -> None:
    judgement = rounds(V.RESTART, TASK, "RUNNING FAILED", (1.2, "RUNNING RESTARTING"), (3.4, "RUNNING RUNNING"), (9, None))
    assert judgement.progress.back_after == 3.4
    assert judgement.progress.states == {"0": "RUNNING"}


def test_a_restart_whose_answer_was_lost_and_of_which_nothing_is_seen() -> None:
    words = ("NotKnown", "The answer was lost, and nothing was seen to restart")
    assert outcome(rounds(V.RESTART, ALL, "RUNNING RUNNING", (7, None), lost=True)) == words
    seen = ((1, "RESTARTING RUNNING"), (2, "RUNNING RESTARTING"), (3, "RUNNING RUNNING"), (6, None))
    assert outcome(rounds(V.RESTART, ALL, "RUNNING RUNNING", *seen, lost=True)) == ("Done", "")


@pytest.mark.parametrize(
    ("verb", "before", "seen", "expected"),
    [
        (V.PAUSE, "RUNNING RUNNING", [(1, None)], ("UnderWay", "")),
        (V.PAUSE, "RUNNING RUNNING", [(1, "PAUSED RUNNING")], ("UnderWay", "")),
        (V.PAUSE, "RUNNING RUNNING", [(1, "PAUSED PAUSED")], ("Done", "")),
        (V.PAUSE, "RUNNING FAILED", [(1, "PAUSED FAILED")], ("Done", "")),
        (V.PAUSE, "RUNNING RUNNING", [(301, None)], ("NotKnown", "Asked for, and after 5 minutes it is RUNNING still")),
        (V.RESUME, "PAUSED PAUSED", [(1, "RUNNING PAUSED")], ("UnderWay", "")),
        (V.RESUME, "PAUSED PAUSED", [(1, "RUNNING RUNNING")], ("UnderWay", "")),
        (V.RESUME, "PAUSED PAUSED", [(1, "RUNNING RUNNING"), (3, None)], ("Done", "")),
        (V.RESUME, "STOPPED", [(1, "RUNNING"), (1.5, "RUNNING UNASSIGNED"), (4, None)], ("UnderWay", "")),
        (V.RESUME, "STOPPED", [(1, "RUNNING RUNNING"), (2, "RUNNING FAILED")], ("FailedAgain", f"task 0: {DISK_FULL}")),
        (V.STOP, "FAILED FAILED", [(1, "STOPPED FAILED")], ("UnderWay", "")),
        (V.STOP, "FAILED FAILED", [(1, "STOPPED")], ("Done", "")),
        (V.DELETE, "RUNNING RUNNING", [(1, None)], ("UnderWay", "")),
    ],
)
def test_other_verbs(verb: JobVerb, before: str, seen: list[tuple[float, str | None]], expected: tuple[str, str]) -> None:
    assert outcome(rounds(verb, ALL, before, *seen)) == expected


@pytest.mark.parametrize(
    ("verb", "expected"), [(V.DELETE, ("Done", "")), (V.RESTART, ("NotKnown", "It has been deleted meanwhile"))]
)
def test_what_is_gone(verb: JobVerb, expected: tuple[str, str]) -> None:
    assert outcome(judged(verb, ALL, T, Progress(), Sight(False), at(1))) == expected


def test_a_cluster_that_dies_meanwhile() -> None:
    sight = Sight(True, status("RUNNING FAILED"), at(-5), at(1), dead_since=at(2))
    assert outcome(judged(V.RESTART, TASK, T, begun(TASK, sight.status), sight, at(60))) == ("UnderWay", "")
    words = ("NotKnown", "Its cluster was asked for it and cannot be reached any more")
    assert outcome(judged(V.RESTART, TASK, T, begun(TASK, sight.status), sight, at(63))) == words


def test_progress_travels_as_json() -> None:
    progress = Progress({"": "a"}, {"": "RUNNING"}, frozenset({"", "1"}), (1,), 1.5, at(2), True)
    assert Progress.from_json(progress.to_json()) == progress
    assert Progress.from_json({}) == Progress()
