"""The follower, step by step: what it writes down, what it passes on, and what it survives."""

from datetime import UTC, datetime, timedelta

import httpx
import pytest
from django.db import DatabaseError, OperationalError

from dashboard.follow.follower import Follower
from dashboard.follow.pace import after_answer, after_failures
from dashboard.follow.recorder import Recorder
from dashboard.models import Cluster, ClusterSnapshot, ConnectorSnapshot
from tests.dashboard.conftest import PACE, Notebook, PaperCluster

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize(("holds", "took", "delay"), [(True, 0.0, 0.05), (True, 2.0, 2.0), (False, 0.0, 1.0), (False, 3.0, 3.0)])
def test_pace_after_an_answer(holds: bool, took: float, delay: float) -> None:
    assert after_answer(PACE, holds=holds, took=took) == delay


@pytest.mark.parametrize(("failures", "delay"), [(1, 0.5), (2, 1.0), (3, 2.0), (9, 15.0), (900, 15.0)])
def test_pace_after_failures(failures: int, delay: float) -> None:
    assert after_failures(PACE, failures) == delay


def test_a_connector_is_written_down_and_passed_on(follower: Follower, paper: PaperCluster, notebook: Notebook) -> None:
    paper.put("orders", "RUNNING", "RUNNING", "FAILED")
    assert follower.step() == PACE.poll
    row = ConnectorSnapshot.objects.get()
    assert (row.name, row.state, row.tasks, row.tasks_failed, row.connector_failed) == ("orders", "DEGRADED", 2, 1, False)
    assert ClusterSnapshot.objects.get().version == "4.3.0"
    assert b'"state":"DEGRADED"' in notebook.messages[0]
    assert b'"tasks":{"0":"RUNNING","1":"FAILED"}' in notebook.messages[0]


def test_no_change_is_passed_on_to_nobody(follower: Follower, paper: PaperCluster, notebook: Notebook) -> None:
    paper.put("orders", "RUNNING", "RUNNING")
    follower.step()
    notebook.messages.clear()
    follower.step()
    assert notebook.messages == []


def test_since_is_unknown_until_a_change_is_seen(follower: Follower, paper: PaperCluster) -> None:
    paper.put("orders", "RUNNING", "RUNNING")
    follower.step()
    assert ConnectorSnapshot.objects.get().state_since is None
    paper.put("orders", "RUNNING", "FAILED")
    follower.step()
    assert ConnectorSnapshot.objects.get().state_since is not None


def test_since_stays_while_the_state_does(cluster: Cluster, paper: PaperCluster) -> None:
    recorder = Recorder(cluster)
    recorder.listing({}, NOW)
    paper.put("orders", "RUNNING", "FAILED", trace="one")
    recorder.listing(paper.entries, NOW)
    paper.put("orders", "RUNNING", "FAILED", trace="another")
    recorder.listing(paper.entries, NOW + timedelta(minutes=1))
    row = ConnectorSnapshot.objects.get()
    assert (row.state_since, row.changed_at) == (NOW, NOW + timedelta(minutes=1))


def test_a_deleted_connector_goes(follower: Follower, paper: PaperCluster, notebook: Notebook) -> None:
    paper.put("orders", "RUNNING", "RUNNING")
    follower.step()
    paper.entries.clear()
    follower.step()
    assert not ConnectorSnapshot.objects.exists()
    assert b'"gone":["orders"]' in notebook.messages[-1]


def test_what_a_restart_was_answered_is_not_overwritten(follower: Follower, paper: PaperCluster) -> None:
    paper.put("orders", "RUNNING", "FAILED")
    follower.step()
    ConnectorSnapshot.objects.update(restart_asked_at=NOW, restart_answered_at=NOW, restart_answer={"name": "orders"})
    paper.put("orders", "RUNNING", "RUNNING")
    follower.step()
    row = ConnectorSnapshot.objects.get()
    assert (row.state, row.restart_asked_at, row.restart_answer) == ("RUNNING", NOW, {"name": "orders"})


def test_one_failure_is_not_told_two_are(follower: Follower, paper: PaperCluster, notebook: Notebook) -> None:
    paper.put("orders", "RUNNING", "RUNNING")
    follower.step()
    notebook.messages.clear()
    paper.down = httpx.ConnectError("[Errno 111] Connection refused")
    assert follower.step() == PACE.retry_first
    assert ClusterSnapshot.objects.get().unreachable_since is None
    assert follower.step() == 2 * PACE.retry_first
    snapshot = ClusterSnapshot.objects.get()
    assert snapshot.unreachable_since is not None
    assert snapshot.error == "http://paper cannot be reached: Connection refused."
    assert notebook.messages == [b'{"cluster":"eu","refresh":true}']
    # What was last seen stays.
    assert ConnectorSnapshot.objects.get().name == "orders"


def test_a_cluster_comes_back(follower: Follower, paper: PaperCluster, notebook: Notebook) -> None:
    paper.down = httpx.ConnectError("refused")
    follower.step()
    follower.step()
    paper.down = None
    assert follower.step() == PACE.poll
    assert ClusterSnapshot.objects.get().unreachable_since is None
    assert notebook.messages[-1] == b'{"cluster":"eu","refresh":true}'


def test_many_changes_at_once_are_told_as_one(follower: Follower, paper: PaperCluster, notebook: Notebook) -> None:
    for number in range(101):
        paper.put(f"c{number}", "RUNNING", "RUNNING")
    follower.step()
    assert notebook.messages[0] == b'{"cluster":"eu","refresh":true}'
    assert ConnectorSnapshot.objects.count() == 101


def test_an_answer_that_cannot_be_written_down_is_asked_for_again(
    follower: Follower, paper: PaperCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise OperationalError("database is locked")

    paper.put("orders", "RUNNING", "RUNNING")
    with monkeypatch.context() as patch:
        patch.setattr("dashboard.follow.follower.connections.close_all", lambda: None)
        patch.setattr(ConnectorSnapshot.objects, "bulk_create", broken)
        assert follower.step() == PACE.retry_first
    assert follower.step() == PACE.poll
    assert ConnectorSnapshot.objects.get().name == "orders"


@pytest.mark.parametrize("told", ["lake", "orders"])
def test_a_cluster_that_is_removed_while_it_is_asked_is_no_error(
    transactional_db: None, follower: Follower, cluster: Cluster, paper: PaperCluster, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    paper.put("orders", "RUNNING")
    follower.step()
    paper.put(told, "FAILED")
    Cluster.objects.filter(pk=cluster.pk).delete()
    follower.step()
    assert [record.levelname for record in caplog.records if record.name == "dashboard.follow.follower"] == ["INFO", "INFO"]


def test_nor_is_one_that_is_removed_while_its_plugins_are_written_down(
    transactional_db: None,
    follower: Follower,
    cluster: Cluster,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def removed_meanwhile(*_: object) -> None:
        cluster.delete()
        raise DatabaseError("Save with update_fields did not affect any rows.")

    monkeypatch.setattr("dashboard.follow.plugins.PluginFollower.step", removed_meanwhile)
    follower.step()
    assert [record.levelname for record in caplog.records if record.name == "dashboard.follow.follower"] == ["INFO", "INFO"]


def test_an_answer_that_nothing_foresaw_does_not_end_the_following(follower: Follower, paper: PaperCluster) -> None:
    paper.entries["odd"] = {"status": {"name": "odd", "connector": "RUNNING"}}
    assert follower.step() == PACE.retry_longest
    paper.entries.clear()
    assert follower.step() == PACE.poll
