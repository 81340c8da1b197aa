"""Which policy means a connector, and what quiet hours are."""

from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

import pytest

from dashboard.restarting.decide import Plan, Schedule
from dashboard.restarting.policies import Override, Policy, Subject, plan_of, policy_of
from dashboard.restarting.quiet import Quiet

SUBJECT = Subject("eu", "orders-1", "io.aiven.connect.jdbc.JdbcSinkConnector", "caused by: java.io.ioexception: disk full")


@pytest.mark.parametrize(
    ("policy", "means"),
    [
        (Policy(), True),
        (Policy(cluster="eu"), True),
        (Policy(cluster="us"), False),
        (Policy(pattern="orders-*"), True),
        (Policy(pattern="orders-?"), True),
        (Policy(pattern="orders"), False),
        (Policy(pattern="orders-[1]"), False),
        (Policy(class_pattern="JdbcSink"), True),
        (Policy(class_pattern="*.JdbcSinkConnector"), True),
        (Policy(class_pattern="JdbcSource*"), False),
        (Policy(text="disk full"), True),
        (Policy(text="timeout"), False),
        (Policy(pattern="orders-*", text="timeout"), False),
    ],
)
def test_what_a_policy_means(policy: Policy, means: bool) -> None:
    assert policy.means(SUBJECT) is means


def test_the_first_counts() -> None:
    never = Policy("never", None, text="disk full")
    always = Policy("always", Schedule.STRIMZI)
    assert policy_of((never, always), SUBJECT) is never
    assert policy_of((always, never), SUBJECT) is always
    assert policy_of((never,), Subject("eu", "a")) is None


NIGHTS = Quiet(time(22), time(6), ZoneInfo("UTC"))
NEVER = Policy("never", None)


@pytest.mark.parametrize(
    ("policy", "override", "expected"),
    [
        (None, Override(), None),
        (NEVER, Override(), None),
        (Policy(), Override(), Plan(Schedule.PROPOSAL, 6)),
        (Policy(limit=2), Override(), Plan(Schedule.PROPOSAL, 2)),
        (Policy(limit=2), Override(limit=0), Plan(Schedule.PROPOSAL, 0)),
        (Policy(schedule=Schedule.STRIMZI, quiet=NIGHTS), Override(), Plan(Schedule.STRIMZI, None, NIGHTS)),
        (Policy(schedule=Schedule.STRIMZI), Override(True, 7), Plan(Schedule.STRIMZI, 7)),
        (Policy(), Override(False), None),
        (Policy(), Override(False, 7), None),
        (None, Override(True), Plan(Schedule.PROPOSAL, 6)),
        (NEVER, Override(True, 3), Plan(Schedule.PROPOSAL, 3)),
    ],
)
def test_what_is_wanted(policy: Policy | None, override: Override, expected: Plan | None) -> None:
    assert plan_of(policy, override) == expected


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("quiet", "moment", "until"),
    [
        (NIGHTS, "2026-11-22T21:59", None),
        (NIGHTS, "2026-11-22T22:00", "2026-11-23T06:00"),
        (NIGHTS, "2026-11-23T05:59", "2026-11-23T06:00"),
        (NIGHTS, "2026-11-23T06:00", None),
        (Quiet(time(9), time(17), ZoneInfo("UTC")), "2026-11-22T16:59", "2026-11-22T17:00"),
        (Quiet(time(9), time(17), ZoneInfo("UTC")), "2026-11-22T17:00", None),
        # All day.
        (Quiet(time(9), time(9), ZoneInfo("UTC")), "2026-11-22T08:59", "2026-11-22T09:00"),
        (Quiet(time(9), time(9), ZoneInfo("UTC")), "2026-11-22T09:00", "2026-11-23T09:00"),
        # Vienna is an hour ahead in winter, and the day begins in the evening before.
        (Quiet(time(0), time(6), ZoneInfo("Europe/Vienna")), "2026-11-22T23:30", "2026-11-23T05:00"),
        (Quiet(time(22), time(6), ZoneInfo("America/New_York")), "2026-11-22T02:59", None),
        (Quiet(time(22), time(6), ZoneInfo("America/New_York")), "2026-11-22T03:00", "2026-11-22T11:00"),
        # The night in which clocks are put back has an hour more, the one in which they are put forward one less.
        (Quiet(time(22), time(6), ZoneInfo("Europe/Vienna")), "2026-10-24T20:00", "2026-10-25T05:00"),
        (Quiet(time(22), time(6), ZoneInfo("Europe/Vienna")), "2026-03-28T21:00", "2026-03-29T04:00"),
        # It ends at an hour that there is not.
        (Quiet(time(22), time(2, 30), ZoneInfo("Europe/Vienna")), "2026-03-28T21:00", "2026-03-29T01:30"),
    ],
)
def test_quiet_hours(quiet: Quiet, moment: str, until: str | None) -> None:
    assert quiet.until(at(moment)) == (at(until) if until else None)
