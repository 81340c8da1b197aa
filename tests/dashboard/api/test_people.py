"""`/api/v1/users`, `/grants`, `/tokens` and `/activity`: the same as the pages, for automation."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dashboard.activity import Who, note
from dashboard.api import authentication
from dashboard.follow.recorder import Recorder
from dashboard.models import Activity, Cluster, Grant, Token
from dashboard.rights.roles import Role
from tests.dashboard.conftest import PaperCluster


@pytest.fixture
def root(db: None) -> User:
    root = User.objects.create(username="root", password="x")
    Grant.objects.create(user=root, role=Role.ADMIN)
    return root


def api(user: User, method: str, path: str, body: Any = None, limit: Role = Role.ADMIN) -> tuple[int, Any]:
    _, text = authentication.made(user, str(Token.objects.count()), limit, None, datetime.now(UTC))
    client = Client(headers={"Authorization": f"Bearer {text}"})
    response = client.generic(method, f"/api/v1/{path}", json.dumps(body) if body is not None else "", "application/json")
    return response.status_code, response.json() if response.content else None


def test_users(root: User) -> None:
    status, added = api(root, "POST", "users", {"name": "ann"})
    assert (status, added["name"], added["invited"], added["grants"]) == (201, "ann", True, [])
    assert Client().get(added["link"]).status_code == 200
    assert [user["name"] for user in api(root, "GET", "users")[1]] == ["ann", "root"]
    assert api(root, "PATCH", "users/ann", {"active": False})[1]["active"] is False
    assert api(root, "GET", "users/ann")[1]["active"] is False
    status, reset = api(root, "POST", "users/ann/reset-password")
    assert (status, reset["link"] != added["link"]) == (200, True)
    assert set(Activity.objects.values_list("by", "via")) == {("root", "api")}


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "users", {"name": "root"}, 409),
        ("POST", "users", {"name": "a b"}, 400),
        ("POST", "users", {}, 400),
        ("GET", "users/nobody", None, 404),
        ("PATCH", "users/root", {"active": False}, 409),
        ("PATCH", "users/root", {"active": "perhaps"}, 400),
        ("POST", "users/root/reset-password", None, 409),
        ("POST", "grants", {"user": "root", "role": "admin"}, 409),
        ("POST", "grants", {"user": "root", "role": "king"}, 400),
        ("POST", "grants", {"user": "root", "role": "viewer", "cluster": "mars"}, 404),
        ("POST", "grants", {"user": "nobody", "role": "viewer"}, 404),
        ("DELETE", "grants/1", None, 409),
        ("DELETE", "grants/99", None, 404),
        ("POST", "tokens", {"name": "", "role": "viewer"}, 400),
        ("POST", "tokens", {"name": "x", "role": "viewer", "days": 0}, 400),
        ("DELETE", "tokens/99", None, 404),
        ("GET", "activity?since=yesterday", None, 400),
        ("GET", "activity?outcome=odd", None, 400),
        ("GET", "activity?limit=0", None, 400),
        ("GET", "activity?limit=1001", None, 400),
        ("GET", "activity?before=x", None, 400),
        ("GET", "activity/xls", None, 404),
    ],
)
def test_what_cannot_be(root: User, method: str, path: str, body: Any, status: int) -> None:
    before = list(User.objects.values()), list(Grant.objects.values())
    code, told = api(root, method, path, body)
    assert (code, told["error_code"], bool(told["message"])) == (status, status, True)
    assert (list(User.objects.values()), list(Grant.objects.values())) == before
    assert not Activity.objects.exists()


def test_grants(root: User, cluster: Cluster, paper: PaperCluster) -> None:
    User.objects.create(username="ann")
    asked = {"user": "ann", "role": "editor", "cluster": "eu", "connectors": "orders-*"}
    status, given = api(root, "POST", "grants", asked)
    assert (status, given) == (201, {"id": given["id"], **asked})
    assert given in api(root, "GET", "grants")[1]
    assert api(root, "DELETE", f"grants/{given['id']}") == (204, None)
    paper.put("orders-1", "RUNNING")
    paper.put("lake", "RUNNING")
    Recorder(cluster).listing(paper.entries, datetime.now(UTC))
    assert api(root, "GET", "grants/matches?connectors=orders-*")[1] == {"count": 1, "connectors": ["eu/orders-1"]}


def test_tokens(root: User) -> None:
    ann = User.objects.create(username="ann")
    Grant.objects.create(user=ann, role=Role.OPERATOR)
    status, made = api(ann, "POST", "tokens", {"name": "ci", "role": "operator", "days": 7})
    assert (status, made["user"], made["token"].startswith(made["start"])) == (201, "ann", True)
    assert {one["user"] for one in api(ann, "GET", "tokens")[1]} == {"ann"}
    assert {one["user"] for one in api(root, "GET", "tokens")[1]} == {"ann", "root"}
    assert all("token" not in one for one in api(root, "GET", "tokens")[1])
    assert api(ann, "DELETE", f"tokens/{made['id']}") == (204, None)


def test_a_token_makes_no_token_that_may_do_more(root: User) -> None:
    assert api(root, "POST", "tokens", {"name": "more", "role": "admin"}, Role.VIEWER)[0] == 403
    assert api(root, "POST", "tokens", {"name": "same", "role": "viewer"}, Role.VIEWER)[0] == 201
    assert api(root, "POST", "users", {"name": "ann"}, Role.EDITOR)[0] == 403


def test_activity_goes_on_where_it_ended(root: User) -> None:
    for number in range(5):
        note(Who("ann"), "stop", cluster="eu", connector=f"c{number}", before={"password": "geheim"})
    first = api(root, "GET", "activity?limit=3&person=ann")[1]
    assert [one["connector"] for one in first["activity"]] == ["c4", "c3", "c2"]
    rest = api(root, "GET", f"activity?limit=3&before={first['next']}")[1]
    assert ([one["connector"] for one in rest["activity"]], rest["next"]) == (["c1", "c0"], None)
    assert "geheim" not in str(first)
    assert api(root, "GET", "activity", limit=Role.VIEWER)[1]["activity"]
