"""Grouping by kind."""

from datetime import UTC, datetime, timedelta

import pytest

from dashboard.failures.groups import Failed, Failing, groups, headline
from dashboard.failures.kinds import kind

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
DISK, NET = "java.io.IOException: disk full", "java.net.ConnectException: refused"


def failing(connector: str, task: int | None = 0, cause: str = DISK, cluster: str = "eu") -> Failing:
    return Failing(cluster, connector, task, kind(cause), cause)


def failed(connector: str, times: int = 1, cause: str = DISK, minutes_ago: int = 5) -> Failed:
    last = NOW - timedelta(minutes=minutes_ago)
    return Failed("eu", connector, kind(cause), cause, times, last - timedelta(hours=1), last)


def test_one_reason_in_many_connectors_is_one_group() -> None:
    (group,) = groups([failing("a"), failing("a", 1), failing("b"), failing("c", cluster="us")], [failed("a", 3)], now_only=True)
    assert (group.class_name, group.message, group.now, group.connectors_now) == ("IOException", "disk full", 4, 3)
    assert [(hit.connector, hit.now, hit.tasks, hit.times) for hit in group.hits] == [
        ("a", 2, (0, 1), 3),
        ("b", 1, (0,), 0),
        ("c", 1, (0,), 0),
    ]
    assert (group.times, group.clusters) == (3, ("eu", "us"))
    assert group.last == NOW - timedelta(minutes=5)


def test_what_hurts_most_comes_first() -> None:
    found = groups(
        [failing("a", cause=NET), failing("b", cause=NET), failing("c")],
        [failed("d", cause="E: old", minutes_ago=90), failed("e", cause="X: new", minutes_ago=1)],
        now_only=False,
    )
    assert [group.cause for group in found] == [NET, DISK, "X: new", "E: old"]


def test_what_runs_again_is_left_out_of_now() -> None:
    assert groups([], [failed("a")], now_only=True) == ()
    assert len(groups([], [failed("a")], now_only=False)) == 1
    assert groups([], [failed("a", times=0)], now_only=False) == ()
    (group,) = groups([failing("a")], [failed("a"), failed("b")], now_only=True)
    assert [hit.connector for hit in group.hits] == ["a"]


def test_the_connector_itself_and_no_trace() -> None:
    (group,) = groups([failing("a", None, cause="")], [], now_only=True)
    assert (group.cause, group.class_name, group.words, group.first, group.hits[0].tasks) == ("", "", "", None, ())


@pytest.mark.parametrize(
    ("lately", "expected"),
    [("", "3 failed in 2 connectors, for 2 reasons"), ("24 h", "4 failures of 2 kinds in 24 h")],
)
def test_headline(lately: str, expected: str) -> None:
    found = groups([failing("a"), failing("a", 1), failing("b", cause=NET)], [failed("a", 4)], now_only=False)
    assert headline(found, lately=lately) == expected


def test_headline_of_nothing() -> None:
    assert headline([]) == "Nothing has failed"
    assert headline([], lately="7 d") == "Nothing failed in 7 d"
