"""A real Apache Kafka Connect that is reached by HTTPS, with an authority and a client's certificate of our own."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.test import Client

from dashboard.clusters import access, connect
from dashboard.fleet.clusters import Contact
from dashboard.follow.follower import Follower
from dashboard.models import Cluster
from dashboard.queries import cluster_view
from dashboard.sealed import seal
from tests.certificates import Certified, authority, certified, trusting
from tests.dashboard.conftest import Notebook
from tests.dashboard.test_pages import now
from tests.peer import connect_worker
from tests.running import free_port
from tests.waiting import eventually

PASSWORD = "changeit"


@dataclass(frozen=True)
class Guarded:
    url: str
    authority: Certified


@pytest.fixture(scope="module")
def guarded(kafka: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    folder: Path = tmp_path_factory.mktemp("guarded")
    ca = authority()
    (folder / "server.p12").write_bytes(certified(ca).store(PASSWORD))
    (folder / "trusted.p12").write_bytes(trusting(ca, password=PASSWORD))
    port = free_port()
    url = f"https://127.0.0.1:{port + 1}"
    stores = {"keystore": "server.p12", "truststore": "trusted.p12"}
    settings = {f"listeners.https.ssl.{store}.location": str(folder / file) for store, file in stores.items()}
    settings |= {f"listeners.https.ssl.{store}.type": "PKCS12" for store in stores}
    settings |= {
        f"listeners.https.ssl.{secret}": PASSWORD for secret in ("keystore.password", "truststore.password", "key.password")
    }
    settings |= {"listeners": f"http://127.0.0.1:{port},{url}", "listeners.https.ssl.client.auth": "required"}
    with connect_worker(kafka, folder, group="guarded", settings=settings, port=port):
        yield Guarded(url, ca)


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
