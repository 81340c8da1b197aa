"""How a cluster of the table is reached: with what it takes, by what its version can do, at its own pace."""

import threading
from html import unescape

import httpx
import pytest
from django.test import Client

from connect_client import Basic, Bearer, ConnectUnusable, Tls
from dashboard import clusters
from dashboard.clusters import access, connect
from dashboard.fleet.clusters import Contact
from dashboard.follow.follower import Follower
from dashboard.follow.recorder import Recorder
from dashboard.follow.supervisor import Followers
from dashboard.models import Activity, Cluster, ClusterSnapshot
from dashboard.queries import cluster_view
from dashboard.sealed import seal
from tests.certificates import authority, certified
from tests.dashboard.conftest import PACE, Notebook, PaperCluster
from tests.dashboard.test_pages import get, now

OLD_PAGE = "/ui/clusters/eu/connectors/lake"


def guarded(**more: object) -> Cluster:
    return Cluster(name="eu", urls=["http://127.0.0.1:1"], **more)


def test_secrets_are_unsealed_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[dict[str, object]] = []
    monkeypatch.setattr(clusters, "ConnectClient", lambda urls, **how: made.append({"urls": urls, **how}))
    mine = certified(ca := authority())
    connect(access(guarded(auth="basic", username="ann", secret=seal("geheim"))))
    connect(access(guarded(auth="bearer", secret=seal("t0ken"), authorities=ca.certificate_pem())))
    connect(access(guarded(certificate=mine.certificate_pem(), private_key=seal(mine.key_pem()))))
    basic, bearer, certificate = made
    assert (basic["credentials"], basic["tls"]) == (Basic("ann", "geheim"), None)
    assert (bearer["credentials"], bearer["tls"]) == (Bearer("t0ken"), Tls(ca.certificate_pem()))
    assert certificate["tls"] == Tls("", mine.certificate_pem(), mine.key_pem())


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"auth": "basic", "username": "ann", "secret": "sealed with another key"}, "another DROVER_SECRET_KEY"),
        ({"auth": "bearer", "secret": "x"}, "another DROVER_SECRET_KEY"),
        ({"certificate": "y", "private_key": "x"}, "another DROVER_SECRET_KEY"),
        ({"certificate": "y"}, "The certificates cannot be used"),
        ({"authorities": "no PEM"}, "The certificates cannot be used"),
    ],
)
def test_what_cannot_be_used_is_a_state_of_the_cluster(
    db: None, notebook: Notebook, room: Client, more: dict[str, str], why: str
) -> None:
    cluster = guarded(**more)
    cluster.save()
    client = connect(access(cluster))
    with pytest.raises(ConnectUnusable, match=why):
        client.pause("a")
    follower = Follower(cluster, client, notebook, PACE)
    assert (follower.step(), follower.step()) == (0.5, 1.0)
    view = cluster_view(cluster, now())
    assert view.contact is Contact.UNREACHABLE
    assert why in view.error
    assert why in get(room, "/ui/")


@pytest.fixture
def old(cluster: Cluster, paper: PaperCluster) -> PaperCluster:
    """A Kafka Connect of 2.8 with a task that failed."""
    paper.put("lake", "RUNNING", "RUNNING", "FAILED")
    recorder = Recorder(cluster)
    recorder.listing(paper.entries, now())
    recorder.reached("2.8.1", now())
    answer = paper.answer
    paper.answer = lambda request: (  # type: ignore[method-assign]
        httpx.Response(200, json=paper.entries["lake"]["status"]) if request.url.path.endswith("/status") else answer(request)
    )
    return paper


def test_an_old_cluster_s_tasks_are_restarted_one_by_one(room: Client, old: PaperCluster) -> None:
    page = get(room, OLD_PAGE)
    assert 'data-verb="stop"' not in page
    assert "/connectors/lake/tasks/1/restart" in page
    assert "onlyFailed" not in page
    room.post("/ui/clusters/eu/do/restart-failed/lake")
    assert [line for line in old.asked if line.startswith("POST")] == ["POST /connectors/lake/tasks/1/restart"]
    assert Activity.objects.filter(outcome="done").count() == 1


def test_an_old_cluster_is_not_asked_for_offsets(room: Client, old: PaperCluster) -> None:
    page = get(room, f"{OLD_PAGE}?tab=offsets")
    assert "Kafka Connect has offsets as of 3.5; this cluster is 2.8.1." in page
    assert old.asked == []


def test_offsets_that_can_be_looked_at_only(room: Client, cluster: Cluster, paper: PaperCluster) -> None:
    paper.put("lake", "STOPPED")
    paper.stand("lake", {("lake", 0): 12})
    Recorder(cluster).listing(paper.entries, now())
    Recorder(cluster).reached("3.5.2", now())
    page = get(room, f"{OLD_PAGE}?tab=offsets")
    assert "Kafka Connect has changing offsets as of 3.6; this cluster is 3.5.2." in page
    assert "Review changes" not in page
    Recorder(cluster).reached("3.6.0", now())
    assert "Review changes" in get(room, f"{OLD_PAGE}?tab=offsets")


def test_a_version_is_asked_for_again(follower: Follower, paper: PaperCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    follower.step()
    paper.version = "4.4.0"
    follower.step()
    assert (paper.asked.count("GET /"), ClusterSnapshot.objects.get().version) == (1, "4.3.0")
    monkeypatch.setattr(follower, "_version_holds_until", 0.0)
    follower.step()
    assert ClusterSnapshot.objects.get().version == "4.4.0"


def test_a_cluster_that_is_reached_otherwise_or_at_another_pace_is_followed_anew(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    followed: list[tuple[str, float]] = []

    def run(follower: Follower, stop: threading.Event) -> None:
        followed.append((follower.cluster.url, follower._pace.poll))

    monkeypatch.setattr(Follower, "run", run)
    monkeypatch.setattr("dashboard.follow.supervisor.register_own", lambda: None)
    supervisor = Followers()
    for change in ({}, {}, {"poll_seconds": 5.0}, {"urls": ["http://two"]}, {"bootstrap_servers": "k:9092"}):
        Cluster.objects.filter(pk=cluster.pk).update(**change) if change else None
        supervisor.step()
    for running in supervisor._running.values():
        running.stop.set()
    assert followed == [("http://paper", 1.0), ("http://paper", 5.0), ("http://two", 5.0)]


def test_curl_is_told_what_it_takes_without_secrets(room: Client, cluster: Cluster, paper: PaperCluster) -> None:
    paper.put("lake", "RUNNING", "RUNNING")
    Recorder(cluster).listing(paper.entries, now())
    Cluster.objects.update(auth="basic", username="o'brien", secret=seal("geheim"), authorities="x", certificate="y")
    page = unescape(get(room, OLD_PAGE))
    told = "-u 'o'\"'\"'brien' --cacert authorities.pem --cert certificate.pem --key private-key.pem -X"
    assert f"curl {told} PUT http://paper/connectors/lake/pause" in page
    assert "geheim" not in page
    Cluster.objects.update(auth="bearer", authorities="", certificate="")
    for tab in ("", "?tab=offsets"):
        assert 'curl -H "Authorization: Bearer $TOKEN" -X ' in unescape(get(room, f"{OLD_PAGE}{tab}"))
    Cluster.objects.update(auth="none")
    assert "curl -X PUT" in get(room, OLD_PAGE)
