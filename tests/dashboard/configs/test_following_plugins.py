"""Keeping up with what plug-ins a cluster has: one small question at a time."""

from datetime import UTC, datetime, timedelta

import httpx

from dashboard.follow.plugins import PluginFollower
from dashboard.follow.recorder import Recorder
from dashboard.index import Index
from dashboard.models import Cluster
from tests.dashboard.configs.paper import SINK, ConfigPaper

NOW = datetime(2026, 11, 22, tzinfo=UTC)


def defined(cluster: Cluster) -> int:
    return cluster.plugins.filter(definitions__isnull=False).count()


def test_the_list_and_then_one_after_the_other(cluster: Cluster, paper: ConfigPaper) -> None:
    follower = PluginFollower(cluster, paper.client())
    follower.step(NOW)
    assert paper.asked == ["GET /connector-plugins?connectorsOnly=false"]
    assert (cluster.plugins.count(), defined(cluster)) == (4, 0)
    for _ in range(6):
        follower.step(NOW)
    assert (len(paper.asked), defined(cluster)) == (5, 4)
    assert cluster.plugins.get(class_name=SINK).passwords == ["pin"]


def test_a_plugin_is_asked_again_when_its_version_changes(cluster: Cluster, paper: ConfigPaper) -> None:
    follower = PluginFollower(cluster, paper.client())
    for _ in range(5):
        follower.step(NOW)
    paper.plugins = [{**one, "version": "2"} if one["class"] == SINK else one for one in paper.plugins[:3]]
    follower.step(NOW + timedelta(minutes=9))
    assert len(paper.asked) == 5
    for _ in range(3):
        follower.step(NOW + timedelta(minutes=10))
    assert len(paper.asked) == 7
    assert list(cluster.plugins.order_by("class_name").values_list("class_name", "version")) == [
        ("org.x.Mask", "4.3.0"),
        (SINK, "2"),
        ("org.x.OrdersSource", "1.2"),
    ]
    assert defined(cluster) == 3


def test_a_dead_cluster_loses_nothing(cluster: Cluster, paper: ConfigPaper) -> None:
    follower = PluginFollower(cluster, paper.client())
    follower.step(NOW)
    paper.down = httpx.ConnectError("Connection refused")
    follower.step(NOW)
    follower.step(NOW + timedelta(hours=1))
    assert cluster.plugins.count() == 4
    # What answers next may be other workers.
    follower.forget()
    paper.down = None
    follower.step(NOW + timedelta(hours=1))
    assert paper.asked[-1] == "GET /connector-plugins?connectorsOnly=false"


def test_what_a_plug_in_calls_a_password_is_not_found_by_a_search(cluster: Cluster, paper: ConfigPaper) -> None:
    """From the moment on that its definition is known, also in what was read before."""
    Recorder(cluster).listing(paper.entries, NOW)
    follower, index = PluginFollower(cluster, paper.client()), Index()

    def pins() -> set[str]:
        return {entry.config["pin"] for entry in index.entries({cluster.pk: cluster.name})}

    assert pins() == {"vierstellig"}
    for _ in range(6):
        follower.step(NOW)
    assert pins() == {""}
