"""From changes to bands."""

from datetime import UTC, datetime, timedelta

import pytest

from dashboard.history.timeline import Band, Segment, Turn, Unknown, bands, condensed, drawn, uptime, worst_of
from dashboard.history.windows import Window, parse, ticks

START = datetime(2026, 11, 21, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
END = START + HOUR


def at(minutes: float) -> datetime:
    return START + timedelta(minutes=minutes)


def told(band: Band) -> list[tuple[str, float, float]]:
    minute = timedelta(minutes=1)
    return [(one.state, (one.since - START) / minute, (one.until - START) / minute) for one in band.segments]


def lay(*segments: tuple[str, float, float]) -> tuple[Segment, ...]:
    return tuple(Segment(state, at(since), at(until)) for state, since, until in segments)


FAILED = Turn(at(20), 0, "RUNNING", "FAILED", "disk full")
AGAIN = Turn(at(30), 0, "FAILED", "RUNNING")


@pytest.mark.parametrize(
    ("turns", "present", "unknown", "task", "expected"),
    [
        # Nothing has changed for longer than anything is kept of it.
        ([], {None: "RUNNING", 0: "FAILED"}, [], 0, [("FAILED", 0, 60)]),
        ([FAILED, AGAIN], {0: "RUNNING"}, [], 0, [("RUNNING", 0, 20), ("FAILED", 20, 30), ("RUNNING", 30, 60)]),
        # Created in the window, deleted in it.
        ([Turn(at(10), 0, "", "RUNNING")], {0: "RUNNING"}, [], 0, [("", 0, 10), ("RUNNING", 10, 60)]),
        ([Turn(at(50), 0, "RUNNING", "")], {}, [], 0, [("RUNNING", 0, 50), ("", 50, 60)]),
        # First seen: nobody knows what was before.
        (
            [Turn(at(10), 0, "", "RUNNING")],
            {0: "RUNNING"},
            [Unknown(None, at(10))],
            0,
            [("not known", 0, 10), ("RUNNING", 10, 60)],
        ),
        # What changed during an outage is seen at its end.
        (
            [Turn(at(30), 0, "RUNNING", "FAILED")],
            {0: "FAILED"},
            [Unknown(at(20), at(30), "refused")],
            0,
            [("RUNNING", 0, 20), ("not known", 20, 30), ("FAILED", 30, 60)],
        ),
        ([], {0: "RUNNING"}, [Unknown(at(50), END)], 0, [("RUNNING", 0, 50), ("not known", 50, 60)]),
        ([], {0: "RUNNING"}, [Unknown(at(-50), at(-10))], 0, [("RUNNING", 0, 60)]),
        ([], {0: "RUNNING"}, [Unknown(at(-50), at(70))], 0, [("not known", 0, 60)]),
        # A word that nobody knows yet.
        ([], {0: "DREAMING"}, [], 0, [("UNASSIGNED", 0, 60)]),
        ([FAILED], {None: "RUNNING", 0: "FAILED"}, [], None, [("RUNNING", 0, 60)]),
    ],
)
def test_band(
    turns: list[Turn],
    present: dict[int | None, str],
    unknown: list[Unknown],
    task: int | None,
    expected: list[tuple[str, float, float]],
) -> None:
    found = {band.task: band for band in bands(turns, present, unknown, START, END)}
    assert told(found[task]) == expected


def test_a_failure_has_its_cause_and_is_counted() -> None:
    _, task = bands([FAILED, AGAIN, Turn(at(40), 0, "RUNNING", "FAILED", "again")], {0: "FAILED"}, [], START, END)
    assert [one.cause for one in task.segments if one.state == "FAILED"] == ["disk full", "again"]
    assert task.failures == 2


def test_more_tasks_than_there_is_room_for() -> None:
    present: dict[int | None, str] = {None: "RUNNING", **dict.fromkeys(range(100), "RUNNING"), 77: "FAILED"}
    turns = [Turn(at(20), 50, "RUNNING", "FAILED"), Turn(at(25), 50, "FAILED", "RUNNING"), *[]]
    shown = drawn(bands(turns, present, [], START, END), HOUR)
    assert [band.label for band in shown[:4]] == ["connector", "task 77", "task 50", "task 0"]
    assert (len(shown), shown[-1].label) == (26, "76 others")
    assert told(shown[-1]) == [("RUNNING", 0, 60)]


def test_others_show_the_worst_of_them() -> None:
    one = lay(("RUNNING", 0, 60))
    other = lay(("RUNNING", 0, 10), ("FAILED", 10, 20), ("not known", 20, 30), ("", 30, 60))
    worst = worst_of([one, other])
    assert [(each.state, each.lasted) for each in worst] == [
        ("RUNNING", timedelta(minutes=10)),
        ("FAILED", timedelta(minutes=10)),
        ("not known", timedelta(minutes=10)),
        ("RUNNING", timedelta(minutes=30)),
    ]


@pytest.mark.parametrize(
    ("segments", "share"),
    [
        (lay(("RUNNING", 0, 60)), 1.0),
        (lay(("RUNNING", 0, 45), ("FAILED", 45, 60)), 0.75),
        (lay(("RUNNING", 0, 30), ("PAUSED", 30, 45), ("not known", 45, 60)), 1.0),
        (lay(("STOPPED", 0, 60)), None),
        (lay(("not known", 0, 60)), None),
        (lay(("FAILED", 0, 60)), 0.0),
        ((), None),
    ],
)
def test_uptime(segments: tuple[Segment, ...], share: float | None) -> None:
    assert uptime(segments) == share


def test_a_flapping_task_is_one_segment_where_it_cannot_be_told_apart() -> None:
    flapping = [("RUNNING" if number % 2 else "FAILED", 10 + number / 60, 10 + (number + 1) / 60) for number in range(600)]
    shown = condensed(lay(("RUNNING", 0, 10), *flapping, ("RUNNING", 20, 60)), HOUR)
    assert [(one.state, one.changes) for one in shown] == [("RUNNING", 1), ("FAILED", 600), ("RUNNING", 1)]
    # But a single short failure stays what it is.
    assert len(condensed(lay(("RUNNING", 0, 10), ("FAILED", 10, 10.01), ("RUNNING", 10.01, 60)), HOUR)) == 3


@pytest.mark.parametrize(("word", "window"), [("1h", Window.HOUR), ("7d", Window.WEEK), ("", Window.DAY), ("9y", Window.DAY)])
def test_window(word: str, window: Window) -> None:
    assert parse(word) is window


@pytest.mark.parametrize(
    ("window", "first", "count"), [(Window.HOUR, "11:10", 6), (Window.DAY, "16:00", 6), (Window.WEEK, "Sun 15", 7)]
)
def test_ticks_are_round(window: Window, first: str, count: int) -> None:
    found = ticks(window, START + timedelta(minutes=7))
    assert (found[0].label, len(found)) == (first, count)
    assert all(0 <= tick.at <= 100 for tick in found)
