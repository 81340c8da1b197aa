"""Every address of the control room, asked by everybody: nobody gets further than `tests.dashboard.access` says."""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import product
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core import serializers
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, reverse

import dashboard.api.urls
import dashboard.urls
from dashboard.activity import Who
from dashboard.follow.recorder import Recorder
from dashboard.live.hub import Hub
from dashboard.models import (
    AlertRule,
    Cluster,
    Grant,
    Job,
    JobItem,
    Move,
    OffsetChange,
    PluginSnapshot,
    RestartPolicy,
    Token,
)
from dashboard.resources import apply, documents
from dashboard.rights.roles import Role
from dashboard.sealed import seal
from dashboard.views import live
from tests.dashboard.access import API, PAGES, Row, Where
from tests.dashboard.conftest import PaperCluster

NOBODY, VIEWER, LIMITED, EDITOR, ADMIN = "nobody", "viewer", "limited", "editor", "admin"
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
#: Of LIMITED: within its pattern, and not.
INSIDE, OUTSIDE = "orders-1", "lake"
NOTED = {"auth.user.last_login", "dashboard.token.used_at"}


@pytest.fixture(autouse=True)
def world(cluster: Cluster, paper: PaperCluster, monkeypatch: pytest.MonkeyPatch) -> PaperCluster:
    """Two connectors, people, one of each thing that an address names by its number: 1, and Drover's own cluster."""
    Cluster.objects.create(name="local", urls=["http://paper"], origin=Cluster.Origin.OWN)
    somebody = User.objects.create(username="somebody", password="x")
    Grant.objects.create(user=somebody, role=Role.VIEWER)
    Token.objects.create(user=somebody, name="x", role=Role.VIEWER, start="drover_x", digest="x", made_at=datetime.now(UTC))
    for name in (INSIDE, OUTSIDE):
        paper.put(name, "RUNNING", "RUNNING")
        now = datetime.now(UTC)
        OffsetChange.objects.create(cluster=cluster, connector=name, asked_at=now, by="x", deed="alter", before=[], after=[])
    sealed = {"source_config": seal("{}"), "config": seal("{}")}
    places = {"source": cluster, "source_name": "eu", "connector": INSIDE, "target": cluster, "target_name": "eu"}
    Move.objects.create(**places, **sealed, new_name=f"{INSIDE}-there", asked_at=now)
    Recorder(cluster).listing(paper.entries, now)
    for name in (INSIDE, OUTSIDE):
        document = {"metadata": {"labels": {"strimzi.io/cluster": "eu"}}, "spec": {"class": "x"}}
        apply.apply(documents.parse("kafkaconnector", name, document), Who("x"))
    job = Job.objects.create(pk=1, verb="pause", about="Pause 2 connectors", by="x", via="ui", asked_at=now)
    for name in (INSIDE, OUTSIDE):
        JobItem.objects.create(job=job, cluster=cluster, cluster_name="eu", connector=name)
    PluginSnapshot.objects.create(cluster=cluster, class_name="org.x.Sink", type="sink", definitions=[], told_at=now)
    for name in ("first", "second"):
        AlertRule.objects.create(name=name, channel=AlertRule.Channel.EMAIL, address=seal("ann@example.org"))
    RestartPolicy.objects.get_or_create(pk=1, defaults={"name": "Everything"})
    for name, role in ((VIEWER, Role.VIEWER), (EDITOR, Role.EDITOR), (ADMIN, Role.ADMIN)):
        Grant.objects.create(user=User.objects.create(username=name, password="x"), role=role)
    Grant.objects.create(user=User.objects.create(username=LIMITED), role=Role.OPERATOR, cluster=cluster, pattern="orders-*")
    hub = Hub("redis://127.0.0.1:1/0", 40)
    monkeypatch.setattr(live, "hub", lambda: hub)
    return paper


def expected(row: Row, who: str, connector: str) -> str:
    """`in`, `sign in`, `403` or `404`."""
    if row.where is Where.OPEN:
        return "in"
    if who == NOBODY:
        return "sign in"
    if row.where is Where.SIGNED_IN:
        return "in"
    if row.where is Where.OWN:
        return "in" if who == ADMIN else "404"
    if who == LIMITED:
        if row.where is Where.CONNECTOR and connector == OUTSIDE:
            return "404"
        return "in" if row.where is not Where.EVERYWHERE and row.role <= Role.OPERATOR else "403"
    has = {VIEWER: Role.VIEWER, EDITOR: Role.EDITOR, ADMIN: Role.ADMIN}[who]
    return "in" if has >= row.role else "403"


def outcome(response: HttpResponse) -> str:
    if response.status_code == 401 or response.headers.get("Location", "").startswith("/ui/login?next"):
        return "sign in"
    return str(response.status_code) if response.status_code in (403, 404, 405) else "in"


def ask(client: Client, method: str, path: str, row: Row) -> HttpResponse:
    body: dict[str, Any] = {"content_type": "application/json"} if path.startswith("/api/") and method != "GET" else {}
    response: Any = client.generic(method, path) if method != "POST" else client.post(path, row.body, **body)
    response.close()
    told: HttpResponse = response
    return told


def signed_in(who: str, *, strict: bool = False) -> Client:
    client = Client(enforce_csrf_checks=strict, headers={"accept": "text/html, application/json"})
    if who != NOBODY:
        client.force_login(User.objects.get(username=who))
    return client


def page_path(name: str, row: Row, connector: str) -> str:
    pattern = next(str(one.pattern) for one in dashboard.urls.urlpatterns if one.name == name)
    own = _words(row, connector)
    return reverse(name, kwargs={word: own[word] for word in re.findall(r"<(?:\w+:)?(\w+)>", pattern)})


def api_path(route: str, row: Row, connector: str) -> str:
    own = _words(row, connector)
    return "/api/v1/" + re.sub(r"<(?:\w+:)?(\w+)>", lambda word: str(own[word[1]]), route)


def _words(row: Row, connector: str) -> dict[str, Any]:
    own = {"cluster": "eu", "name": connector, **row.names}
    if connector == OUTSIDE and "change" in own:
        own["change"] = OffsetChange.objects.get(connector=OUTSIDE).pk
    return own


def _rows() -> Iterator[Any]:
    for (name, method), row in PAGES.items():
        yield pytest.param(method, page_path, name, row, id=f"{method} {name}")
    for (route, method), row in API.items():
        yield pytest.param(method, api_path, route, row, id=f"{method} /api/v1/{route}")


ROWS = list(_rows())
Path = Callable[[str, Row, str], str]


@pytest.mark.parametrize(("method", "path", "name", "row"), ROWS)
def test_who_gets_in(method: str, path: Path, name: str, row: Row) -> None:
    for who, connector in product((NOBODY, VIEWER, LIMITED, EDITOR, ADMIN), (INSIDE, OUTSIDE)):
        with transaction.atomic():
            response = ask(signed_in(who), method, path(name, row, connector), row)
            transaction.set_rollback(True)
            told = f"{who} {method} {name} of {connector}: {response.status_code}"
            assert outcome(response) == expected(row, who, connector), told


@pytest.mark.parametrize(("method", "path", "name", "row"), [row for row in ROWS if row.values[0] == "GET"])
def test_looking_changes_nothing(method: str, path: Path, name: str, row: Row, world: PaperCluster) -> None:
    client = signed_in(ADMIN)
    before = database()
    ask(client, method, path(name, row, INSIDE), row)
    assert database() == before
    assert not [asked for asked in world.asked if not asked.startswith("GET ")]


@pytest.mark.parametrize(("method", "path", "name", "row"), [row for row in ROWS if row.values[0] != "GET"])
def test_a_change_needs_more_than_a_cookie(method: str, path: Path, name: str, row: Row, world: PaperCluster) -> None:
    client = signed_in(NOBODY if row.where is Where.OPEN else ADMIN, strict=True)
    before = database()
    response = ask(client, method, path(name, row, INSIDE), row)
    assert response.status_code == 403
    assert b"CSRF" in response.content
    assert database() == before
    assert not world.asked


def database() -> dict[str, str]:
    """All that is kept, but for what is only noted of who was here when."""
    kept = {}
    for label in ("dashboard", "auth"):
        for model in apps.get_app_config(label).get_models():
            fields = [one.name for one in model._meta.concrete_fields if f"{model._meta.label_lower}.{one.name}" not in NOTED]
            kept[model.__name__] = serializers.serialize("json", model._default_manager.order_by("pk"), fields=fields)
    return kept


def test_every_address_has_a_row() -> None:
    """And every method that an address has none for is answered 405."""
    client = signed_in(ADMIN)
    for patterns, table, path in (
        (dashboard.urls.urlpatterns, PAGES, page_path),
        (dashboard.api.urls.urlpatterns, API, api_path),
    ):
        for pattern in patterns:
            assert isinstance(pattern, URLPattern)
            name = (pattern.name or "") if table is PAGES else str(pattern.pattern)
            if table is PAGES and not name:
                continue
            own = {method: row for (named, method), row in table.items() if named == name}
            assert own, f"{name} has no row in tests/dashboard/access.py"
            for method in METHODS:
                if method not in own:
                    row = next(iter(own.values()))
                    assert ask(client, method, path(name, row, INSIDE), row).status_code == 405, f"{method} {name} has no row"


def test_what_may_not_be_seen_is_nowhere(world: PaperCluster) -> None:
    world.place(w1="orders-1 orders-1/0 lake lake/0")
    client = signed_in(LIMITED)
    for path in (reverse("fleet"), reverse("workers"), reverse("fleet") + "?shown=1,2"):
        assert OUTSIDE not in client.get(path).content.decode()
    # A page repeats what it was asked for, and that is all.
    asked, nonsense = (client.get(f"{reverse('fleet')}?q={word}").content.decode() for word in (OUTSIDE, "nonsense"))
    assert asked.count(OUTSIDE) == nonsense.count("nonsense")


def test_a_button_that_one_may_not_press_says_why() -> None:
    tasks = reverse("connector", args=("eu", INSIDE)) + "?tab=tasks"
    page = signed_in(VIEWER).get(tasks).content.decode()
    # Besides the verbs the task's restart and the switch of automatic ones.
    assert page.count('disabled title="You need the role operator for this"') == page.count("data-verb=") + 2
    assert "You need the role operator" not in signed_in(LIMITED).get(tasks).content.decode()


def test_an_open_page_is_told_what_it_was_refused() -> None:
    headers = {"HX-Request": "true", "HX-Target": "tbody#c-1"}
    refused = signed_in(VIEWER).post(reverse("do", args=("eu", "pause", INSIDE)), headers=headers)
    assert (refused.status_code, refused.headers["HX-Retarget"]) == (403, "#notices")
    assert "You need the role operator for this." in refused.content.decode()
