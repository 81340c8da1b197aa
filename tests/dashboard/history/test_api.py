"""`…/history`"""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dashboard.follow.recorder import Recorder
from dashboard.models import Cluster, Grant
from dashboard.rights.roles import Role
from tests.dashboard.conftest import PaperCluster

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
ADDRESS = "/api/v1/connectors/eu/orders/history"


@pytest.fixture
def seen(cluster: Cluster, paper: PaperCluster) -> None:
    recorder = Recorder(cluster)
    for minute, task in enumerate(("RUNNING", "FAILED", "RUNNING")):
        paper.put("orders", "RUNNING", task)
        recorder.listing(paper.entries, NOW + timedelta(minutes=minute))


def get(room: Client, **asked: str) -> dict[str, Any]:
    response = room.get(ADDRESS, asked)
    assert response.status_code == 200, response.content
    found: dict[str, Any] = response.json()
    return found


def test_newest_first(room: Client, seen: None) -> None:
    answer = get(room)
    assert [(change["task"], change["was"], change["state"]) for change in answer["changes"]] == [
        (0, "FAILED", "RUNNING"),
        (0, "RUNNING", "FAILED"),
        (0, "", "RUNNING"),
        (None, "", "RUNNING"),
    ]
    failure = answer["changes"][1]
    assert (failure["at"], failure["cause"], failure["worker"]) == (
        "2026-11-21T12:01:00Z",
        "java.io.IOException: disk full",
        "w1:8083",
    )
    assert (len(failure["kind"]), failure["trace"][:5], answer["next"]) == (16, "Outer", None)


def test_paged_by_time(room: Client, seen: None) -> None:
    first = get(room, limit="2")
    assert (len(first["changes"]), first["next"]) == (2, "2026-11-21T12:01:00Z")
    # Both of one moment, though one was asked for.
    rest = get(room, limit="1", before=first["next"])
    assert (len(rest["changes"]), rest["next"]) == (2, None)
    assert len(get(room, after="2026-11-21T12:01:00Z")["changes"]) == 2


def test_of_one_that_is_gone(room: Client, cluster: Cluster, seen: None) -> None:
    Recorder(cluster).listing({}, NOW + timedelta(hours=1))
    assert get(room)["changes"][0]["state"] == ""


@pytest.mark.parametrize("asked", [{"limit": "0"}, {"limit": "x"}, {"before": "yesterday"}, {"limit": "1001"}])
def test_what_cannot_be_meant(room: Client, seen: None, asked: dict[str, str]) -> None:
    response = room.get(ADDRESS, asked)
    assert response.status_code == 400
    assert next(iter(asked)) in response.json()["message"]


@pytest.mark.parametrize("address", ["/api/v1/connectors/eu/nobody/history", "/api/v1/connectors/mars/orders/history"])
def test_nothing_there(room: Client, seen: None, address: str) -> None:
    assert room.get(address).status_code == 404


def test_rights(seen: None, cluster: Cluster) -> None:
    user = User.objects.create_user("reader")
    client = Client()
    assert client.get(ADDRESS).status_code == 401
    client.force_login(user)
    assert client.get(ADDRESS).status_code == 404
    Grant.objects.create(user=user, role=Role.VIEWER, cluster=cluster, pattern="ord*")
    assert client.get(ADDRESS).status_code == 200
