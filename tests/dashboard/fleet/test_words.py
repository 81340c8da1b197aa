"""The sentence, durations, notices: what a person reads."""

from datetime import UTC, datetime, timedelta

import pytest

from connect_client import ConnectConflict, ConnectError, ConnectRefused, ConnectUnreachable
from connect_client.states import State
from dashboard.fleet.durations import ago, span
from dashboard.fleet.notices import refused
from dashboard.fleet.sentence import Tally, summary
from dashboard.fleet.verbs import Verb

HEALTHY = Tally(State.RUNNING, 0, False)


@pytest.mark.parametrize(
    ("tallies", "headline", "rest", "failures"),
    [
        ([], "Nothing has failed", (), 0),
        ([HEALTHY, HEALTHY], "Nothing has failed", ("2 healthy",), 0),
        ([Tally(State.FAILED, 1, False)], "1 task failed in 1 connector", (), 1),
        (
            [Tally(State.FAILED, 3, False), Tally(State.DEGRADED, 2, False), HEALTHY],
            "5 tasks failed in 2 connectors",
            ("1 healthy",),
            5,
        ),
        ([Tally(State.FAILED, 0, True)], "1 connector failed", (), 1),
        ([Tally(State.FAILED, 2, True), HEALTHY], "1 connector failed, 2 tasks failed in 1 connector", ("1 healthy",), 3),
        # What restarts is on its way: the button does not promise to restart it again.
        ([Tally(State.RESTARTING, 2, False), HEALTHY], "Nothing has failed", ("1 restarting", "1 healthy"), 0),
        ([Tally(State.PAUSED, 0, False), Tally(State.STOPPED, 0, False)], "Nothing has failed", ("1 paused", "1 stopped"), 0),
        ([HEALTHY] * 1200, "Nothing has failed", ("1,200 healthy",), 0),
    ],
)
def test_sentence(tallies: list[Tally], headline: str, rest: tuple[str, ...], failures: int) -> None:
    whole = summary(tallies)
    assert (whole.headline, whole.rest, whole.failures) == (headline, rest, failures)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "0 s"),
        (0, "0 s"),
        (59.9, "59 s"),
        (60, "1 min"),
        (3599, "59 min"),
        (3600, "1 h"),
        (86399, "23 h"),
        (86400 * 9, "9 d"),
    ],
)
def test_span(seconds: float, words: str) -> None:
    assert span(timedelta(seconds=seconds)) == words


def test_ago() -> None:
    now = datetime(2026, 11, 21, tzinfo=UTC)
    assert ago(now - timedelta(minutes=3), now) == "3 min ago"


@pytest.mark.parametrize(
    ("error", "text", "advice"),
    [
        (
            ConnectUnreachable("No answer."),
            "It is not known whether a was paused: No answer.",
            "Watch its state before you try again.",
        ),
        (ConnectConflict(409, 409, "stale"), "a was not paused: stale", "rebalancing"),
        (ConnectRefused(500, 500, "Oops"), "a was not paused: the cluster answered 500, Oops", "Nothing was changed."),
        (ConnectError("odd"), "a was not paused: odd", "Nothing was changed."),
    ],
)
def test_refusals_say_what_was_not_changed(error: ConnectError, text: str, advice: str) -> None:
    notice = refused("a", Verb.PAUSE, error)
    assert (notice.text, notice.bad) == (text, True)
    assert advice in notice.details[0]
