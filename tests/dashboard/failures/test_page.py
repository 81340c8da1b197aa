"""The failures page, its API and the number in the rail."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dashboard.follow.recorder import Recorder
from dashboard.models import Cluster, ConnectorSnapshot, Grant
from dashboard.rights.roles import Role
from tests.dashboard.conftest import PaperCluster

HTMX = {"HX-Request": "true"}


def now() -> datetime:
    return datetime.now(UTC)


@pytest.fixture
def seen(cluster: Cluster, paper: PaperCluster) -> PaperCluster:
    """`broken` failed three hours ago and `archive` runs again; `stuck` failed for another reason."""
    for name in ("broken", "archive", "stuck", "calm"):
        paper.put(name, "RUNNING", "RUNNING", "RUNNING")
    recorder = Recorder(cluster)
    recorder.listing(paper.entries, now() - timedelta(hours=4))
    paper.put("broken", "RUNNING", "FAILED", "FAILED", trace="E: no file /data/1")
    paper.put("archive", "RUNNING", "FAILED", "RUNNING", trace="E: no file /data/2")
    recorder.listing(paper.entries, now() - timedelta(hours=3))
    paper.put("archive", "RUNNING", "RUNNING", "RUNNING")
    paper.put("stuck", "FAILED", trace="java.net.ConnectException: refused")
    recorder.listing(paper.entries, now())
    return paper


def get(room: Client, address: str, **headers: str) -> str:
    response = room.get(address, headers=headers)
    assert response.status_code == 200, response.content
    return response.content.decode()


def test_now(room: Client, seen: PaperCluster) -> None:
    page = get(room, "/ui/failures/")
    assert "3 failed in 2 connectors, for 2 reasons" in page
    assert page.count('class="failure"') == 2
    assert page.index("/data/1") < page.index("refused")
    assert "tasks 0, 1" in page
    assert "the connector itself" in page
    assert "archive" not in page
    assert 'href="/ui/?failure=java.net.ConnectException%3A%20refused"' in page
    assert 'aria-current="page"' in page.split('href="/ui/failures/"')[1][:40]


def test_restart_these_leads_to_them_in_the_fleet(room: Client, seen: PaperCluster) -> None:
    links = re.findall(r'href="(/ui/\?failure=[^"]+)"', get(room, "/ui/failures/"))
    found = [re.findall(r'data-key="eu/([^"]+)"', get(room, link)) for link in links]
    assert found == [["broken"], ["stuck"]]


def test_lately(room: Client, seen: PaperCluster) -> None:
    page = get(room, "/ui/failures/?window=24h")
    assert "4 failures of 2 kinds in 24 h" in page
    assert "archive" in page
    assert "runs again" in page


def test_of_one_cluster(room: Client, seen: PaperCluster) -> None:
    us = Cluster.objects.create(name="us", urls=["http://us"])
    Recorder(us).listing({}, now())
    assert "Nothing has failed" in get(room, "/ui/failures/?cluster=us")
    assert "3 failed" in get(room, "/ui/failures/?cluster=eu")
    assert "3 failed" in get(room, "/ui/failures/?window=never")


def test_nothing_failed(room: Client, cluster: Cluster, paper: PaperCluster) -> None:
    paper.put("calm", "RUNNING", "RUNNING")
    Recorder(cluster).listing(paper.entries, now())
    assert "Nothing has failed." in get(room, "/ui/failures/")
    assert "Nothing failed in 7 d." in get(room, "/ui/failures/?window=7d")
    assert '<b id="failed"></b>' in get(room, "/ui/failures/")


def test_the_number_in_the_rail(room: Client, seen: PaperCluster) -> None:
    assert '<b id="failed">3<' in get(room, "/ui/")
    assert '<hx-partial hx-target="#failed">3<' in get(room, "/ui/", **HTMX)
    # What is being restarted is not failed any more.
    ConnectorSnapshot.objects.filter(name="broken").update(
        restart_asked_at=now() + timedelta(seconds=1), restart_answered_at=now() + timedelta(seconds=1), restart_answer={}
    )
    assert '<b id="failed">1<' in get(room, "/ui/")


@pytest.mark.parametrize("address", ["/ui/failures/", "/ui/failures/?window=7d"])
def test_queries_stay_as_many(
    room: Client, cluster: Cluster, seen: PaperCluster, address: str, django_assert_num_queries: Any
) -> None:
    """Session, user, the failing, their past, its causes, clusters, the number in the rail."""
    with django_assert_num_queries(7):
        room.get(address)
    for number in range(50):
        seen.put(f"more-{number}", "RUNNING", "FAILED", trace=f"E{'x' * number}: no file")
    Recorder(cluster).listing(seen.entries, now())
    with django_assert_num_queries(7):
        room.get(address)


def test_api(room: Client, seen: PaperCluster) -> None:
    answer = room.get("/api/v1/failures").json()
    assert answer["counted"] == "24h"
    first, second = answer["failures"]
    assert (first["class"], first["cause"], first["failed_now"], first["times"]) == ("E", "E: no file /data/1", 2, 2)
    assert [(hit["connector"], hit["tasks"]) for hit in first["connectors"]] == [("broken", [0, 1])]
    assert second["class"] == "ConnectException"
    lately = room.get("/api/v1/failures?window=7d&cluster=eu").json()["failures"]
    assert [hit["connector"] for hit in lately[0]["connectors"]] == ["broken", "archive"]
    assert room.get("/api/v1/failures?cluster=mars").json()["failures"] == []
    wrong = room.get("/api/v1/failures?window=1y")
    assert (wrong.status_code, wrong.json()["error_code"]) == (400, 400)


def test_rights(seen: PaperCluster, cluster: Cluster) -> None:
    user = User.objects.create_user("reader")
    client = Client()
    assert client.get("/api/v1/failures").status_code == 401
    client.force_login(user)
    assert client.get("/api/v1/failures").json()["failures"] == []
    Grant.objects.create(user=user, role=Role.VIEWER, cluster=cluster, pattern="st*")
    assert "1 failed in 1 connector, for 1 reason" in get(client, "/ui/failures/")
    assert "broken" not in get(client, "/ui/failures/?window=7d")
    assert '<b id="failed">1<' in get(client, "/ui/failures/")
