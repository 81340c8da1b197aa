"""What a web process holds of the connectors is what the database has, whoever changed it."""

from datetime import UTC, datetime, timedelta

import pytest

from dashboard.follow.recorder import Recorder
from dashboard.index import Index
from dashboard.models import Cluster, ConnectorSnapshot
from tests.dashboard.conftest import PaperCluster

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.fixture
def us(db: None) -> Cluster:
    return Cluster.objects.create(name="us", urls=["http://us"])


def told(index: Index, *clusters: Cluster) -> dict[str, str]:
    entries = index.entries({cluster.pk: cluster.name for cluster in clusters})
    return {f"{entry.cluster}/{entry.name}": entry.tally.state for entry in entries}


def test_it_follows_the_database(cluster: Cluster, us: Cluster, paper: PaperCluster) -> None:
    index, recorder = Index(), Recorder(cluster)
    assert told(index, cluster, us) == {}
    paper.put("orders", "RUNNING", "RUNNING")
    paper.put("lake", "RUNNING", "RUNNING")
    recorder.listing(paper.entries, NOW)
    Recorder(us).listing(paper.entries, NOW)
    assert told(index, cluster, us) == dict.fromkeys(("eu/orders", "eu/lake", "us/orders", "us/lake"), "RUNNING")
    paper.put("orders", "RUNNING", "FAILED")
    # The clock of whoever writes it stands still, or goes back.
    recorder.listing(paper.entries, NOW - timedelta(hours=1))
    assert told(index, cluster, us)["eu/orders"] == "FAILED"
    # One goes, and another comes.
    paper.entries["new"] = paper.entries.pop("orders")
    recorder.listing(paper.entries, NOW)
    assert told(index, cluster, us) == {"eu/lake": "RUNNING", "eu/new": "FAILED", "us/orders": "RUNNING", "us/lake": "RUNNING"}
    # Which clusters there are, and what they are called, is told by whoever asks.
    Cluster.objects.filter(pk=cluster.pk).update(name="europe")
    cluster.refresh_from_db()
    assert told(index, cluster) == {"europe/lake": "RUNNING", "europe/new": "FAILED"}
    us.delete()
    assert told(index, cluster).keys() == {"europe/lake", "europe/new"}


def test_more_than_can_be_asked_for_by_id(cluster: Cluster, paper: PaperCluster) -> None:
    for number in range(1200):
        paper.put(f"c{number}", "RUNNING")
    Recorder(cluster).listing(paper.entries, NOW)
    assert len(told(Index(), cluster)) == 1200


def test_only_what_has_changed_is_read(cluster: Cluster, paper: PaperCluster, django_assert_num_queries: object) -> None:
    index, recorder = Index(), Recorder(cluster)
    paper.put("orders", "RUNNING", "RUNNING")
    paper.put("lake", "RUNNING", "RUNNING")
    recorder.listing(paper.entries, NOW)
    names = {cluster.pk: cluster.name}
    before = {entry.name: entry for entry in index.entries(names)}
    with django_assert_num_queries(1):  # type: ignore[operator]
        index.entries(names)
    paper.put("orders", "RUNNING", "FAILED")
    recorder.listing(paper.entries, NOW)
    with django_assert_num_queries(4):  # type: ignore[operator]
        after = {entry.name: entry for entry in index.entries(names)}
    assert after["lake"] is before["lake"]
    assert after["orders"] is not before["orders"]


def test_a_restart_that_is_noted_is_no_change(cluster: Cluster, paper: PaperCluster) -> None:
    """It is laid over what was seen (`dashboard.fleet.overlay`), for seconds, by whoever asks."""
    index = Index()
    paper.put("orders", "RUNNING", "FAILED")
    Recorder(cluster).listing(paper.entries, NOW)
    assert told(index, cluster) == {"eu/orders": "FAILED"}
    ConnectorSnapshot.objects.update(restart_asked_at=NOW, restart_answered_at=NOW)
    assert told(index, cluster) == {"eu/orders": "FAILED"}
