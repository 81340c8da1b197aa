"""Settings: people, their roles, and tokens."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dashboard.follow.recorder import Recorder
from dashboard.models import Activity, Cluster, Grant, Token
from dashboard.rights.roles import Role
from tests.dashboard.conftest import PaperCluster

PEOPLE = "/ui/settings/people/"


@pytest.fixture
def root(db: None) -> Client:
    """An administrator by a role, the only one."""
    return browser_of(User.objects.create(username="root", password="x"), Role.ADMIN)


def browser_of(user: User, role: Role) -> Client:
    Grant.objects.create(user=user, role=role)
    browser = Client()
    browser.force_login(user)
    return browser


def told(response: object) -> str:
    return unescape(response.content.decode())  # type: ignore[attr-defined]


def last() -> tuple[str, object, object]:
    activity = Activity.objects.latest("pk")
    return activity.verb, activity.before, activity.after


def test_somebody_is_added_invited_and_given_a_role(root: Client, cluster: Cluster) -> None:
    page = told(root.post(PEOPLE, {"username": " ann "}))
    link = re.search(r"http://testserver(/ui/welcome/\S+?)<", page)
    assert link is not None
    assert last() == ("add-user", None, {"user": "ann"})
    ann = User.objects.get(username="ann")
    browser = Client()
    assert browser.post(link[1], {"password": "correct horse", "again": "correct horse"}).status_code == 302
    assert "Nothing yet" in told(browser.get("/ui/settings/account"))
    assert root.post(f"{PEOPLE}{ann.pk}/give", {"role": "EDITOR", "cluster": "eu", "pattern": "orders-*"}).status_code == 302
    given = {"user": "ann", "role": "editor", "cluster": "eu", "connectors": "orders-*"}
    assert last() == ("give-role", None, given)
    assert "orders-*" in told(browser.get("/ui/settings/account"))
    assert "has this role already" in told(
        root.post(f"{PEOPLE}{ann.pk}/give", {"role": "EDITOR", "cluster": "eu", "pattern": "orders-*"})
    )
    grant = Grant.objects.get(user=ann)
    root.post(f"/ui/settings/grants/{grant.pk}/take")
    assert last() == ("take-role", given, None)
    assert not Grant.objects.filter(user=ann).exists()


@pytest.mark.parametrize("name", ["", "root", "a b", "x" * 151])
def test_names_that_cannot_be(root: Client, name: str) -> None:
    assert root.post(PEOPLE, {"username": name}).status_code == 422
    assert User.objects.count() == 1


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({"role": "KING", "pattern": "*"}, 404),
        ({"role": "VIEWER", "cluster": "mars", "pattern": "*"}, 404),
        ({"role": "VIEWER", "pattern": " "}, 422),
    ],
)
def test_roles_that_cannot_be(root: Client, sent: dict[str, str], status: int) -> None:
    assert root.post(f"{PEOPLE}{User.objects.get().pk}/give", sent).status_code == status
    assert Grant.objects.count() == 1


@pytest.mark.parametrize("deed", ["deactivate", "reset-password", "take"])
def test_the_last_administrator_stays(root: Client, deed: str) -> None:
    user, grant = User.objects.get(), Grant.objects.get()
    path = f"/ui/settings/grants/{grant.pk}/take" if deed == "take" else f"{PEOPLE}{user.pk}/{deed}"
    # Others that do not count: deactivated, invited, of one cluster, of some connectors.
    eu = Cluster.objects.create(name="eu", urls=[])
    Grant.objects.create(user=User.objects.create(username="a", password="x", is_active=False), role=Role.ADMIN)
    Grant.objects.create(user=User.objects.create(username="b", password="!"), role=Role.ADMIN)
    Grant.objects.create(user=User.objects.create(username="c", password="x"), role=Role.ADMIN, cluster=eu)
    Grant.objects.create(user=User.objects.create(username="d", password="x"), role=Role.ADMIN, pattern="a*")
    Grant.objects.create(user=User.objects.create(username="e", password="x"), role=Role.EDITOR)
    before = list(User.objects.order_by("pk").values())
    refused = root.post(path)
    assert (refused.status_code, "Nobody would be left" in told(refused)) == (422, True)
    assert list(User.objects.order_by("pk").values()) == before
    assert Grant.objects.filter(pk=grant.pk).exists()
    Grant.objects.create(user=User.objects.create(username="f", password="x"), role=Role.ADMIN)
    assert root.post(path).status_code in (200, 302)


def test_a_grant_says_what_it_would_match(root: Client, cluster: Cluster, paper: PaperCluster) -> None:
    for number in range(12):
        paper.put(f"orders-{number:02}", "RUNNING")
    paper.put("lake", "RUNNING")
    Recorder(cluster).listing(paper.entries, datetime.now(UTC))
    assert "Matches 12 connectors: " in told(root.get(PEOPLE + "matches", {"pattern": "orders-*"}))
    assert "eu/orders-07 and 4 more" in " ".join(
        told(root.get(PEOPLE + "matches", {"pattern": "orders-*"})).replace("</span>", "").split()
    )
    assert "Matches 1 connector: " in told(root.get(PEOPLE + "matches", {"pattern": "lake", "cluster": "eu"}))
    assert "Matches 0 connectors now" in told(root.get(PEOPLE + "matches", {"pattern": "*", "cluster": "us"}))


def test_the_list_asks_the_database_few_questions(root: Client, django_assert_num_queries: object) -> None:
    def queries(count: int) -> None:
        with django_assert_num_queries(count):  # type: ignore[operator]
            assert root.get(PEOPLE).status_code == 200

    queries(7)
    for number in range(30):
        Grant.objects.create(user=User.objects.create(username=f"u{number}"), role=Role.VIEWER)
    queries(7)


# Tokens


def make(browser: Client, **sent: str) -> tuple[int, str]:
    response = browser.post("/ui/settings/tokens/", {"name": "ci", "role": "EDITOR", "days": "30", **sent})
    found = re.search(r"drover_[\w-]{20,}", told(response))
    return response.status_code, found[0] if found else ""


def test_a_token_is_shown_once_and_works_until_it_is_revoked(root: Client) -> None:
    status, text = make(root)
    assert status == 200
    assert text not in told(root.get("/ui/settings/tokens/"))
    assert text[:11] in told(root.get("/ui/settings/tokens/"))
    headers = {"Authorization": f"Bearer {text}"}
    assert Client().get("/api/v1/me", headers=headers).json()["limit"] == "editor"
    token = Token.objects.get()
    assert abs(token.expires_at - datetime.now(UTC) - timedelta(days=30)) < timedelta(minutes=1)  # type: ignore[operator]
    assert last()[0] == "make-token"
    assert root.post(f"/ui/settings/tokens/{token.pk}/revoke").status_code == 302
    assert Client().get("/api/v1/me", headers=headers).status_code == 401
    assert last()[0] == "revoke-token"
    assert text not in str(list(Activity.objects.values()))


@pytest.mark.parametrize(
    ("sent", "status"),
    [({"name": " "}, 422), ({"name": "ci"}, 422), ({"role": "KING"}, 404), ({"days": "-1"}, 404), ({"days": "x"}, 404)],
)
def test_tokens_that_cannot_be(root: Client, sent: dict[str, str], status: int) -> None:
    make(root)
    assert make(root, **{"name": "other", **sent}) == (status, "")
    assert Token.objects.count() == 1


def test_one_sees_one_s_own_and_an_administrator_everybody_s(root: Client) -> None:
    ann, bob = (browser_of(User.objects.create(username=name), Role.VIEWER) for name in ("ann", "bob"))
    make(ann, name="of-ann", days="")
    make(bob, name="of-bob")
    assert "of-bob" not in told(ann.get("/ui/settings/tokens/"))
    page = told(root.get("/ui/settings/tokens/"))
    assert "of-ann" in page
    assert "of-bob" in page
    of_bob = Token.objects.get(name="of-bob")
    assert ann.post(f"/ui/settings/tokens/{of_bob.pk}/revoke").status_code == 404
    assert root.post(f"/ui/settings/tokens/{of_bob.pk}/revoke").status_code == 302
