"""A real Apache Kafka Connect that is reached by HTTPS, with an authority and a client's certificate of our own."""

from collections.abc import Iterator

import pytest
from django.test import Client

from dashboard.clusters import access, connect
from dashboard.fleet.clusters import Contact
from dashboard.follow.follower import Follower
from dashboard.models import Cluster
from dashboard.queries import cluster_view
from dashboard.sealed import seal
from tests.certificates import authority, certified
from tests.dashboard.conftest import Notebook
from tests.dashboard.test_pages import now
from tests.guarded import Guarded, guarded_connect
from tests.waiting import eventually


@pytest.fixture(scope="module")
def guarded(kafka: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    with guarded_connect(kafka, tmp_path_factory.mktemp("guarded"), "guarded") as guarded:
        yield guarded


def test_it_is_added_tried_and_followed(guarded: Guarded, room: Client, notebook: Notebook) -> None:
    mine = certified(guarded.authority, "drover")
    fields = {"name": "guarded", "urls": guarded.url, "authorities": guarded.authority.certificate_pem()}
    shown = {"certificate": mine.certificate_pem(), "private_key": mine.key_pem()}

    def tried(**more: str) -> str:
        return room.post("/ui/settings/clusters/try", {**fields, **more}, headers={"HX-Request": "true"}).content.decode()

    assert "cannot be reached" in tried()
    assert "certificate verify failed" in tried(authorities=authority().certificate_pem(), **shown)
    assert "Kafka Connect <strong>4.3.0</strong>" in tried(**shown)
    assert not Cluster.objects.exists()

    assert room.post("/ui/settings/clusters/add", {**fields, **shown}).status_code == 302
    cluster = Cluster.objects.get()
    with connect(access(cluster)) as client:
        Follower(cluster, client, notebook).step()
    view = cluster_view(Cluster.objects.get(), now())
    assert (view.contact, view.version) == (Contact.LIVE, "4.3.0")


def test_an_address_that_is_dead_is_passed_over(guarded: Guarded, db: None) -> None:
    """By requests that change something, too: they never got anywhere."""
    mine = certified(guarded.authority, "drover")
    cluster = Cluster(name="guarded", urls=["https://127.0.0.1:1", guarded.url], authorities=guarded.authority.certificate_pem())
    cluster.certificate, cluster.private_key = mine.certificate_pem(), seal(mine.key_pem())
    config = {"connector.class": "FileStreamSource", "topic": "guarded", "file": "/nowhere"}
    with connect(access(cluster)) as client:
        client.create("guarded-source", config)
        eventually(lambda: "guarded-source" in client.connectors())
        client.delete("guarded-source")
