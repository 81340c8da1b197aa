"""The activity page: who sees what, filters, files, and a page that stands still."""

import json
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client

from dashboard import activity
from dashboard.activity import Who, note
from dashboard.models import Activity, Cluster, Grant
from dashboard.rights.roles import Role

HTMX = {"HX-Request": "true"}


@pytest.fixture
def past(cluster: Cluster) -> None:
    note(Who("ann"), "stop", cluster="eu", connector="orders-1")
    note(Who("bob", "api"), "restart", cluster="eu", connector="lake", task=3, refused="409: rebalance")
    note(Who("root"), "change-cluster", cluster="eu", before={"urls": ["http://a"]}, after={"urls": ["http://b"]})
    note(Who("root"), "give-role", after={"user": "ann", "role": "viewer"})
    note(Who("ann"), "restart-failed", job=7, after={"about": "everything"})


def seen(browser: Client, **filters: str) -> list[tuple[str, str]]:
    """Of the newest first, who and what."""
    response = browser.get("/ui/activity/json", filters)
    return [(one["person"], one["verb"]) for one in json.loads(b"".join(response))]


ALL = [("ann", "restart-failed"), ("root", "give-role"), ("root", "change-cluster"), ("bob", "restart"), ("ann", "stop")]


def browser_of(name: str, *grants: dict[str, Any]) -> Client:
    user = User.objects.create(username=name)
    for one in grants:
        Grant.objects.create(user=user, **one)
    browser = Client()
    browser.force_login(user)
    return browser


def test_who_sees_what(past: None, room: Client, cluster: Cluster) -> None:
    assert seen(room) == ALL
    assert seen(browser_of("viewer", {"role": Role.VIEWER})) == [ALL[0], ALL[3], ALL[4]]
    assert seen(browser_of("narrow", {"role": Role.EDITOR, "cluster": cluster, "pattern": "orders-*"})) == [ALL[4]]
    assert seen(browser_of("elsewhere", {"role": Role.EDITOR, "pattern": "pay-*"})) == []
    # One's own, whatever one may see by now.
    assert seen(browser_of("ann")) == [ALL[0], ALL[4]]


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"person": "ann"}, [0, 4]),
        ({"verb": "restart"}, [3]),
        ({"cluster": "eu"}, [2, 3, 4]),
        ({"connector": "ORDERS"}, [4]),
        ({"outcome": "refused"}, [3]),
        ({"person": "ann", "outcome": "refused"}, []),
        ({"since": "2026-01-01"}, [0, 1, 2, 3, 4]),
        ({"until": "2000-01-01"}, []),
    ],
)
def test_filters(past: None, room: Client, filters: dict[str, str], found: list[int]) -> None:
    assert seen(room, **filters) == [ALL[index] for index in found]
    page = unescape(room.get("/ui/activity/", filters).content.decode())
    assert page.count('<tbody class="row"') == len(found)


def test_a_line_says_all_of_it(past: None, room: Client) -> None:
    page = unescape(room.get("/ui/activity/").content.decode())
    for text in ("409: rebalance", "task 3", '["http://a"]', '["http://b"]', "orders-1", "change cluster", ">api<"):
        assert text in page


def test_what_comes_while_somebody_reads_waits_for_a_press(past: None, room: Client) -> None:
    newest = Activity.objects.latest("pk").pk
    assert 'id="resort" href="?" aria-live="polite" hidden' in room.get("/ui/activity/").content.decode()
    note(Who("mallory"), "stop", cluster="eu", connector="orders-2")
    page = room.get("/ui/activity/", {"shown": str(newest)}, headers=HTMX).content.decode()
    assert ">1 new</a>" in page
    assert "mallory" not in page
    assert "mallory" in room.get("/ui/activity/").content.decode()


def test_pages(room: Client, django_assert_num_queries: Any) -> None:
    for number in range(120):
        note(Who("ann"), "stop", cluster="eu", connector=f"c{number:03}")
    with django_assert_num_queries(9):
        first = room.get("/ui/activity/").content.decode()
    assert first.count('<tbody class="row"') == 50
    last = room.get("/ui/activity/?page=3").content.decode()
    assert (last.count('<tbody class="row"'), "Page 3 of 3" in last, "c000" in last) == (20, True, True)
    assert room.get("/ui/activity/?page=99").content.decode().count('<tbody class="row"') == 0


def test_files(past: None, room: Client) -> None:
    response = room.get("/ui/activity/csv", {"person": "ann"})
    assert response.headers["Content-Disposition"].startswith('attachment; filename="activity-')
    assert len(b"".join(response).decode().splitlines()) == 3
    assert room.get("/ui/activity/xls").status_code == 404


def test_what_is_too_old_goes(db: None, settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(activity, "_LET_GO_EVERY", 1)
    old = note(Who("ann"), "stop")
    Activity.objects.filter(pk=old.pk).update(at=old.at - timedelta(days=settings.ACTIVITY_DAYS, minutes=1))
    new = note(Who("ann"), "stop")
    assert list(Activity.objects.all()) == [new]
