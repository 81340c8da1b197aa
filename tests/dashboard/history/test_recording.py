"""What the follower writes down of what has been."""

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from django.db import OperationalError

from dashboard.failures.kinds import kind
from dashboard.follow.follower import Follower
from dashboard.follow.recorder import Recorder
from dashboard.models import Cluster, ConnectorSnapshot, Gap, StateChange
from tests.dashboard.conftest import PaperCluster

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
CAUSE = "java.io.IOException: disk full"


def rows() -> list[tuple[Any, ...]]:
    return list(StateChange.objects.order_by("pk").values_list("connector", "task", "was", "state", "cause"))


@pytest.fixture
def recorder(cluster: Cluster) -> Recorder:
    return Recorder(cluster)


def test_a_failure_and_its_repair(recorder: Recorder, paper: PaperCluster) -> None:
    for minute, task in enumerate(("RUNNING", "FAILED", "RESTARTING", "RUNNING")):
        paper.put("orders", "RUNNING", task)
        recorder.listing(paper.entries, NOW + timedelta(minutes=minute))
    assert rows() == [
        ("orders", None, "", "RUNNING", ""),
        ("orders", 0, "", "RUNNING", ""),
        ("orders", 0, "RUNNING", "FAILED", CAUSE),
        ("orders", 0, "FAILED", "RESTARTING", ""),
        ("orders", 0, "RESTARTING", "RUNNING", ""),
    ]
    failure = StateChange.objects.get(state="FAILED")
    assert (failure.worker, failure.at, failure.kind) == ("w1:8083", NOW + timedelta(minutes=1), kind(CAUSE))
    assert failure.trace == "Outer: o\nCaused by: java.io.IOException: disk full"


def test_a_connector_that_goes(recorder: Recorder, paper: PaperCluster) -> None:
    paper.put("orders", "RUNNING", "RUNNING")
    recorder.listing(paper.entries, NOW)
    recorder.listing({}, NOW)
    assert rows()[2:] == [("orders", None, "RUNNING", "", ""), ("orders", 0, "RUNNING", "", "")]


def test_after_a_restart_of_the_control_process_nothing_is_written_twice(
    cluster: Cluster, recorder: Recorder, paper: PaperCluster
) -> None:
    paper.put("orders", "RUNNING", "FAILED")
    recorder.listing(paper.entries, NOW)
    Recorder(cluster).listing(paper.entries, NOW)
    assert len(rows()) == 2


def test_another_config_is_no_change_of_state(recorder: Recorder, paper: PaperCluster) -> None:
    paper.put("orders", "RUNNING", "RUNNING")
    recorder.listing(paper.entries, NOW)
    paper.put("orders", "RUNNING", "RUNNING")
    paper.entries["orders"]["info"]["config"]["topics"] = "other"
    assert recorder.listing(paper.entries, NOW).rows
    assert len(rows()) == 2


def test_snapshot_and_history_are_written_both_or_neither(
    recorder: Recorder, paper: PaperCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise OperationalError("database is locked")

    paper.put("orders", "RUNNING", "RUNNING")
    monkeypatch.setattr(StateChange.objects, "bulk_create", broken)
    with pytest.raises(OperationalError):
        recorder.listing(paper.entries, NOW)
    assert not ConnectorSnapshot.objects.exists()


def test_what_is_not_known(recorder: Recorder, paper: PaperCluster) -> None:
    """Before the first answer, while the cluster does not answer, and while nobody asks."""
    paper.put("orders", "RUNNING", "RUNNING")
    recorder.listing(paper.entries, NOW)
    recorder.unchanged(NOW + timedelta(seconds=20))
    recorder.unreachable("refused", NOW + timedelta(seconds=25))
    recorder.unchanged(NOW + timedelta(seconds=40))
    recorder.unchanged(NOW + timedelta(hours=1))
    gaps = [(gap.since, gap.until, gap.error) for gap in Gap.objects.order_by("pk")]
    assert gaps == [
        (None, NOW, ""),
        (NOW + timedelta(seconds=20), NOW + timedelta(seconds=40), "refused"),
        (NOW + timedelta(seconds=40), NOW + timedelta(hours=1), ""),
    ]


def test_an_outage_that_a_follower_sees(follower: Follower, paper: PaperCluster) -> None:
    follower.step()
    paper.down = httpx.ConnectError("[Errno 111] Connection refused")
    follower.step()
    follower.step()
    paper.down = None
    follower.step()
    assert "Connection refused" in Gap.objects.get(since__isnull=False).error


def test_a_round_of_a_thousand_that_all_failed(recorder: Recorder, paper: PaperCluster) -> None:
    for number in range(1000):
        paper.put(f"c{number}", "RUNNING", "RUNNING")
    recorder.listing(paper.entries, NOW)
    trace = "E: task 7 of orders\n" + "\tat org.apache.kafka.connect.runtime.A.b(A.java:1)\n" * 40
    for number in range(1000):
        paper.put(f"c{number}", "RUNNING", "FAILED", trace=trace + f"Caused by: java.io.IOException: disk {number} full")
    before = time.process_time()
    recorder.listing(paper.entries, NOW + timedelta(seconds=1))
    assert time.process_time() - before < 1.0
    assert StateChange.objects.filter(state="FAILED").values("kind").distinct().count() == 1


def test_an_unchanged_round_writes_nothing(recorder: Recorder, paper: PaperCluster, django_assert_num_queries: Any) -> None:
    paper.put("orders", "RUNNING", "FAILED")
    recorder.listing(paper.entries, NOW)
    with django_assert_num_queries(0):
        recorder.listing(paper.entries, NOW + timedelta(seconds=1))
