"""`/api/v1/fleet`: what it tells, what it refuses, and that nothing is sent twice."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dashboard.follow.recorder import Recorder
from dashboard.models import Cluster, ConnectorSnapshot, Grant
from dashboard.rights.roles import Role
from tests.dashboard.conftest import PaperCluster


def now() -> datetime:
    return datetime.now(UTC)


@pytest.fixture
def fleet(cluster: Cluster, paper: PaperCluster) -> PaperCluster:
    paper.put("lake", "RUNNING", "RUNNING", type="source")
    Recorder(cluster).listing(paper.entries, now() - timedelta(minutes=2))
    paper.put("orders", "RUNNING", "RUNNING", "FAILED")
    paper.entries["new"] = {"info": {"name": "new", "config": {}, "tasks": [], "type": None}, "status": None}
    Recorder(cluster).listing(paper.entries, now())
    return paper


def told(client: Client, query: str = "", **headers: str) -> dict[str, Any]:
    response = client.get(f"/api/v1/fleet{query}", headers=headers)
    assert response.status_code == 200, response.content
    body: dict[str, Any] = response.json()
    return body


def test_a_list(room: Client, fleet: PaperCluster) -> None:
    body = told(room)
    assert [connector["name"] for connector in body["connectors"]] == ["orders", "new", "lake"]
    assert body["connectors"][0] == {
        "cluster": "eu",
        "name": "orders",
        "state": "DEGRADED",
        "since": ConnectorSnapshot.objects.get(name="orders").changed_at.isoformat(),
        "type": "sink",
        "class": "FileStreamSink",
        "connector": {"state": "RUNNING", "worker_id": "w1:8083"},
        "tasks": [{"id": 0, "state": "RUNNING", "worker_id": "w1:8083"}, {"id": 1, "state": "FAILED", "worker_id": "w1:8083"}],
        "cause": "task 1: java.io.IOException: disk full",
        "live": True,
    }
    new, lake = body["connectors"][1:]
    assert (new["state"], new["connector"], new["tasks"], new["class"], new["type"]) == ("UNASSIGNED", None, [], "", "")
    assert (lake["since"], lake["cause"]) == (None, "")
    states = {"FAILED": 0, "DEGRADED": 1, "RESTARTING": 0, "PAUSED": 0, "STOPPED": 0, "UNASSIGNED": 1, "RUNNING": 1}
    assert body["counts"] == {"connectors": 3, "matching": 3, "failed": 1, "states": states}
    assert (body["page"], body["pages"], body["page_size"]) == (1, 1, 100)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("?state=degraded,running", ["orders", "lake"]),
        ("?q=type:sink", ["orders"]),
        ("?type=source&cluster=eu", ["lake"]),
        ("?sort=-name", ["orders", "new", "lake"]),
        ("?config=db.password&sort=name", ["lake", "orders"]),
        ("?config==geheim", []),
        ("?page=2", []),
    ],
)
def test_the_query_is_the_page_s(room: Client, fleet: PaperCluster, query: str, names: list[str]) -> None:
    body = told(room, query)
    assert [connector["name"] for connector in body["connectors"]] == names
    assert body["counts"]["connectors"] == 3
    assert "geheim" not in str(body)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("?stat=failed", "There is no parameter stat."),
        ("?state=odd", "There is no state “odd”"),
        ("?is=lost", "There is no mark “lost”, it was left out: there are gave-up."),
        ("?q=clutser:eu", "There is no filter “clutser”"),
        ("?sort=colour", "The list cannot be sorted by “colour”"),
        ("?page=x", "“x” is no page"),
    ],
)
def test_what_is_not_understood_is_refused(room: Client, fleet: PaperCluster, query: str, said: str) -> None:
    response = room.get(f"/api/v1/fleet{query}")
    assert (response.status_code, response.json()["error_code"]) == (400, 400)
    assert said in response.json()["message"]


def test_pages(room: Client, cluster: Cluster, fleet: PaperCluster, django_assert_num_queries: object) -> None:
    for number in range(150):
        fleet.put(f"c{number:03}", "RUNNING", "RUNNING")
    Recorder(cluster).listing(fleet.entries, now())
    first = told(room, "?q=c&sort=name")
    # Session, user, clusters, what has changed, what is being restarted, what was given up, the rows.
    with django_assert_num_queries(7):  # type: ignore[operator]
        second = told(room, "?name=c*&sort=name&page=2")
    assert [len(first["connectors"]), len(second["connectors"])] == [100, 50]
    assert (second["page"], second["pages"], second["counts"]["matching"]) == (2, 2, 150)
    assert second["connectors"][0]["name"] == "c100"


def test_the_same_list_is_not_sent_again(room: Client, cluster: Cluster, fleet: PaperCluster) -> None:
    first = room.get("/api/v1/fleet")
    etag = first.headers["ETag"]
    for known in (etag, f"W/{etag}", f'"other", {etag}', "*"):
        again = room.get("/api/v1/fleet", headers={"If-None-Match": known})
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", etag)
    fleet.put("lake", "FAILED")
    Recorder(cluster).listing(fleet.entries, now())
    changed = room.get("/api/v1/fleet", headers={"If-None-Match": etag})
    assert changed.status_code == 200
    assert changed.headers["ETag"] != etag


def test_only_what_may_be_seen(client: Client, fleet: PaperCluster) -> None:
    ann = User.objects.create_user("ann")
    client.force_login(ann)
    assert told(client)["counts"]["connectors"] == 0
    Grant.objects.create(user=ann, role=Role.VIEWER, pattern="l*")
    body = told(client)
    assert [connector["name"] for connector in body["connectors"]] == ["lake"]
    assert (body["counts"]["connectors"], body["counts"]["failed"]) == (1, 0)
    assert Client().get("/api/v1/fleet").status_code == 401


def test_a_restart_is_told_at_once(room: Client, fleet: PaperCluster) -> None:
    row = ConnectorSnapshot.objects.get(name="orders")
    answer = {**(row.status or {}), "tasks": [{"id": 1, "state": "RESTARTING", "worker_id": "w1:8083"}]}
    ConnectorSnapshot.objects.filter(pk=row.pk).update(
        restart_asked_at=datetime.now(UTC), restart_answered_at=datetime.now(UTC), restart_answer=answer
    )
    (connector,) = told(room, "?state=restarting")["connectors"]
    assert (connector["name"], connector["tasks"][0]["state"]) == ("orders", "RESTARTING")
