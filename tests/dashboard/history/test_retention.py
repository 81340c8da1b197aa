"""What is let go of, and what stays."""

from datetime import UTC, datetime, timedelta

import pytest

from dashboard.history import retention
from dashboard.history.retention import Retention, too_many, too_old
from dashboard.models import Cluster, Gap, StateChange

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
KEPT = Retention(days=30, per_connector=10)


def write(cluster: Cluster, connector: str, *days_ago: float) -> None:
    rows = [StateChange(cluster=cluster, connector=connector, state="FAILED", at=NOW - timedelta(days=ago)) for ago in days_ago]
    StateChange.objects.bulk_create(rows)


def left(connector: str = "orders") -> list[float]:
    found = StateChange.objects.filter(connector=connector).order_by("at")
    return [(NOW - change.at) / timedelta(days=1) for change in found]


def test_the_old_go(cluster: Cluster) -> None:
    write(cluster, "orders", 60, 31, 29, 0)
    for days in (40, 5):
        Gap.objects.create(cluster=cluster, until=NOW - timedelta(days=days))
    assert not too_old(KEPT, NOW)
    assert left() == [29, 0]
    assert Gap.objects.count() == 1


def test_the_oldest_of_too_many_go(cluster: Cluster) -> None:
    write(cluster, "orders", *range(15, 0, -1))
    write(cluster, "calm", *range(10, 0, -1))
    assert not too_many(KEPT)
    assert left() == list(range(10, 0, -1))
    assert len(left("calm")) == 10


def test_in_small_steps(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "BATCH", 4)
    write(cluster, "orders", *[40] * 9, *[1] * 12)
    assert [too_old(KEPT, NOW) for _ in range(3)] == [True, True, False]
    write(cluster, "orders", *[1] * 4)
    assert [too_many(KEPT), too_many(KEPT)] == [True, False]
    assert len(left()) == 10
