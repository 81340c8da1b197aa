"""Settings → Clusters and /api/v1/clusters: the same deeds, in the browser and for automation."""

import json
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from dashboard.api.clusters import ClusterWish
from dashboard.clusters import register_own
from dashboard.models import Activity, Cluster, Grant
from dashboard.registry.wish import FIELDS
from dashboard.rights.roles import Role
from dashboard.sealed import seal, unseal
from tests.certificates import authority, certified
from tests.dashboard.conftest import PaperCluster
from tests.dashboard.test_pages import HTMX, get, see
from tests.dashboard.test_pages import now as this_moment

LIST, ADD, TRY = "/ui/settings/clusters/", "/ui/settings/clusters/add", "/ui/settings/clusters/try"
API = "/api/v1/clusters"
GUARDED = {"name": "eu", "urls": "https://one:8083", "auth": "basic", "username": "ann", "secret": "geheim"}


@pytest.fixture
def guarded(db: None) -> Cluster:
    mine = certified(ca := authority())
    return Cluster.objects.create(
        name="eu",
        urls=["https://one:8083"],
        auth="basic",
        username="ann",
        secret=seal("geheim"),
        authorities=ca.certificate_pem(),
        certificate=mine.certificate_pem(),
        private_key=seal(mine.key_pem()),
    )


def text(response: Any) -> str:
    return unescape(response.content.decode())


def sent(cluster: Cluster, **more: object) -> dict[str, object]:
    """What a browser sends of the form as it was drawn."""
    return {
        "name": cluster.name,
        "urls": "\n".join(cluster.urls),
        "auth": cluster.auth,
        "username": cluster.username,
        "secret": "",
        "authorities": cluster.authorities.replace("\n", "\r\n"),
        "certificate": cluster.certificate,
        "private_key": "",
        "poll_seconds": "1",
        "bootstrap_servers": "",
        **more,
    }


def ask(client: Client, method: str, path: str, body: object = None) -> tuple[int, Any]:
    response: Any = client.generic(method, path, "" if body is None else json.dumps(body), "application/json")
    return response.status_code, response.json() if response.content else None


# --- pages ------------------------------------------------------------------------------------------------------------


def test_the_list(room: Client, cluster: Cluster, paper: PaperCluster, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    paper.put("orders", "RUNNING", "RUNNING")
    see(cluster, paper, this_moment())
    with CaptureQueriesContext(connection) as few:
        page = get(room, LIST)
    assert "http://paper" in page
    assert 'data-contact="live"' in page
    for number in range(5):
        Cluster.objects.create(name=f"more-{number}", urls=["http://a", "http://b"])
    with django_assert_num_queries(len(few)):
        page = get(room, LIST)
    assert page.count("and 1 more") == 5
    assert "6 clusters" in page


def test_a_cluster_is_added(room: Client) -> None:
    assert 'name="urls"' in get(room, ADD)
    added = room.post(ADD, GUARDED)
    assert (added.status_code, added.headers["Location"]) == (302, LIST)
    cluster = Cluster.objects.get()
    assert (cluster.name, cluster.urls, cluster.username, cluster.origin) == ("eu", ["https://one:8083"], "ann", "room")
    assert "geheim" not in cluster.secret
    assert unseal(cluster.secret) == "geheim"
    noted = Activity.objects.get()
    assert (noted.by, noted.verb, noted.cluster, noted.before) == ("operator", "add-cluster", "eu", None)
    assert noted.after is not None
    assert noted.after["secret_is_set"] is True
    assert "geheim" not in str(noted.after)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"name": "local"}, "local is the name of Drover's own cluster."),
        ({"name": "US"}, "There is a cluster us already."),
        ({"urls": "one"}, "one is no address"),
        ({"authorities": "hello"}, "This is no certificate in PEM"),
        ({"bootstrap_servers": "one"}, "one is no broker"),
        ({"auth": "what"}, "This is one of none, basic and bearer."),
    ],
)
def test_bad_input_is_told_at_its_field_and_saves_nothing(room: Client, more: dict[str, str], words: str) -> None:
    Cluster.objects.create(name="us", urls=["http://us"])
    response = room.post(ADD, {**GUARDED, "bootstrap_servers": "broker:9092", **more})
    page = text(response)
    assert response.status_code == 422
    assert "Nothing was saved." in page
    assert words in page.partition('class="error"')[2]
    # What was typed is still there, but for the secret.
    assert next(iter(more.values())) in page
    assert "geheim" not in page
    assert Cluster.objects.count() == 1
    assert not Activity.objects.exists()


def test_secrets_are_not_sent_and_kept_when_left_empty(room: Client, guarded: Cluster) -> None:
    page = get(room, "/ui/settings/clusters/of/eu")
    assert "geheim" not in page
    assert "PRIVATE KEY" not in page
    assert guarded.secret not in page
    assert page.count("leave it empty to keep it") == 2
    assert "CN=127.0.0.1, until" in page
    changed = room.post("/ui/settings/clusters/of/eu", sent(guarded, poll_seconds="7", username="bob"))
    assert changed.status_code == 302
    now = Cluster.objects.get()
    assert (now.poll_seconds, now.username, now.secret, now.private_key) == (7, "bob", guarded.secret, guarded.private_key)
    assert now.authorities == guarded.authorities


def test_a_password_is_not_kept_for_other_addresses(room: Client, guarded: Cluster) -> None:
    for path in ("/ui/settings/clusters/of/eu", TRY):
        response = room.post(path, {**sent(guarded, urls="https://mine:8083"), "of": "eu"})
        assert response.status_code == 422
        assert "One that was given for other addresses is not kept for new ones." in text(response)
    assert Cluster.objects.get().urls == ["https://one:8083"]
    room.post("/ui/settings/clusters/of/eu", sent(guarded, urls="https://mine:8083", secret="neu"))
    assert unseal(Cluster.objects.get().secret) == "neu"


def test_what_is_taken_away_is_gone(room: Client, guarded: Cluster) -> None:
    room.post("/ui/settings/clusters/of/eu", sent(guarded, auth="none", certificate="", authorities=""))
    now = Cluster.objects.get()
    assert [now.username, now.secret, now.certificate, now.private_key, now.authorities] == [""] * 5


def test_a_key_that_does_not_fit_the_certificate(room: Client, guarded: Cluster) -> None:
    other = certified(authority())
    for more in ({"private_key": other.key_pem()}, {"certificate": other.certificate_pem()}):
        response = room.post("/ui/settings/clusters/of/eu", sent(guarded, **more))
        assert response.status_code == 422
        assert "This key does not belong to the certificate." in text(response)
        assert "PRIVATE KEY" not in text(response).replace("-----BEGIN PRIVATE KEY-----.", "")


def test_a_name_stays(room: Client, guarded: Cluster) -> None:
    assert "A cluster keeps its name" in text(room.post("/ui/settings/clusters/of/eu", sent(guarded, name="us")))
    assert room.post("/ui/settings/clusters/of/nobody", sent(guarded)).status_code == 404


def test_removing_wants_the_name(room: Client, cluster: Cluster, paper: PaperCluster) -> None:
    paper.put("orders", "RUNNING")
    see(cluster, paper, this_moment())
    address = "/ui/settings/clusters/of/eu/remove"
    for typed in ("", "EU"):
        response = room.post(address, {"confirm": typed})
        assert (response.status_code, Cluster.objects.count()) == (422, 1)
        assert "Type eu, exactly" in text(response)
    assert room.post(address, {"confirm": "eu"}).headers["Location"] == LIST
    assert not Cluster.objects.exists()
    assert Activity.objects.get().verb == "remove-cluster"
    assert paper.asked == []
    assert "No cluster is registered yet" in get(room, LIST)


def test_trying_saves_nothing_and_tells_each_address(room: Client, cluster: Cluster) -> None:
    fields = {"name": "x", "urls": "http://127.0.0.1:1 http://127.0.0.1:2"}
    fragment = room.post(TRY, fields, headers=HTMX)
    assert text(fragment).count("cannot be reached: Connection refused") == 2
    assert "Nothing was saved" in text(fragment)
    assert "<form" not in text(fragment)
    whole = text(room.post(TRY, fields))
    assert "Connection refused" in whole
    assert "http://127.0.0.1:1 http://127.0.0.1:2" in whole
    wrong = room.post(TRY, {**fields, "urls": "x"}, headers=HTMX)
    assert wrong.status_code == 422
    assert "Nobody was asked." in text(wrong)
    assert room.post(TRY, {**fields, "of": "nobody"}).status_code == 404
    assert Cluster.objects.count() == 1


def test_what_is_somebody_else_s_is_shown_and_not_changed(room: Client, settings: Any, tmp_path: Path) -> None:
    register_own()
    settings.CLUSTERS_FILE = "/etc/drover/clusters.yaml"
    Cluster.objects.create(name="eu", urls=["http://127.0.0.1:1"], origin="file")
    before = list(Cluster.objects.values())
    for name, why in (("local", "This is Drover's own cluster."), ("eu", "comes from /etc/drover/clusters.yaml")):
        address = f"/ui/settings/clusters/of/{name}"
        page = unescape(get(room, address))
        assert why in page
        assert f"Save {name}" not in page
        assert "Remove" not in page
        assert room.post(address, {"urls": "http://elsewhere"}).status_code == 409
        assert room.post(f"{address}/remove", {"confirm": name}).status_code == 409
        assert ask(room, "PUT", f"{API}/{name}", {"urls": ["http://elsewhere"]})[0] == 409
        assert ask(room, "DELETE", f"{API}/{name}")[0] == 409
        assert ask(room, "POST", f"{API}/{name}/try", {"urls": ["http://elsewhere"]})[0] == 409
    assert list(Cluster.objects.values()) == before
    assert not Activity.objects.exists()
    assert "Connection refused" in text(room.post(TRY, {"of": "eu"}, headers=HTMX))


def test_a_file_that_is_named_no_more_leaves_its_clusters_to_the_room(room: Client) -> None:
    cluster = Cluster.objects.create(name="eu", urls=["http://eu"], origin="file")
    assert room.post("/ui/settings/clusters/of/eu", sent(cluster, poll_seconds="2")).status_code == 302
    assert Cluster.objects.get().origin == "room"


def test_drover_s_own_need_not_be_shown(db: None, settings: Any) -> None:
    register_own()
    Cluster.objects.create(name="eu", urls=["http://eu"])
    settings.OWN_CLUSTER = False
    register_own()
    assert list(Cluster.objects.values_list("name", flat=True)) == ["eu"]
    settings.OWN_CLUSTER = True
    register_own()
    assert Cluster.objects.filter(name="local", origin="own").exists()


# --- API --------------------------------------------------------------------------------------------------------------


def test_the_same_for_automation(room: Client) -> None:
    body = {**GUARDED, "urls": ["https://one:8083", "https://two:8083/"]}
    status, told = ask(room, "POST", API, body)
    assert (status, told["name"], told["contact"], told["connectors"]) == (201, "eu", "awaited", 0)
    assert told["settings"]["urls"] == ["https://one:8083", "https://two:8083"]
    assert (told["settings"]["secret_is_set"], told["settings"]["private_key_is_set"]) == (True, False)
    assert "geheim" not in json.dumps(told)
    assert ask(room, "GET", f"{API}/eu") == (200, told)
    assert ask(room, "GET", API) == (200, [told])

    del body["secret"]
    status, told = ask(room, "PUT", f"{API}/eu", {**body, "poll_seconds": 3})
    assert (status, told["settings"]["poll_seconds"]) == (200, 3)
    assert unseal(Cluster.objects.get().secret) == "geheim"
    assert ask(room, "DELETE", f"{API}/eu") == (204, None)
    assert ask(room, "GET", f"{API}/eu") == (404, {"error_code": 404, "message": "There is no cluster eu"})
    assert list(Activity.objects.values_list("via", flat=True).distinct()) == ["api"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"name": "eu"}, "urls: Give at least one address."),
        ({"name": "eu", "urls": ["http://a"], "password": "x"}, "password: There is no such field."),
        ({"name": "eu", "urls": "http://a", "poll_seconds": "x"}, "poll_seconds: This has to be a number."),
        ([1], "The body has to be a JSON object"),
    ],
)
def test_a_bad_body_is_told_and_changes_nothing(room: Client, body: object, message: str) -> None:
    status, told = ask(room, "POST", API, body)
    assert (status, told["error_code"]) == (400, 400)
    assert message in told["message"]
    assert not Cluster.objects.exists()


def test_a_place_is_there_once(room: Client, guarded: Cluster) -> None:
    assert ask(room, "POST", API, {"name": "eu", "urls": ["http://a"]})[0] == 400
    assert Cluster.objects.get().urls == ["https://one:8083"]


def test_trying_as_it_is_and_as_it_would_be(room: Client) -> None:
    Cluster.objects.create(name="eu", urls=["http://127.0.0.1:1"])
    for name, body in (("eu", None), ("eu", {"urls": ["http://127.0.0.1:1"]}), ("new", {"urls": ["http://127.0.0.1:1"]})):
        status, told = ask(room, "POST", f"{API}/{name}/try", body)
        assert status == 200
        assert "Connection refused" in told["addresses"][0]["error"]
    assert ask(room, "POST", f"{API}/nobody/try")[0] == 404
    assert ask(room, "POST", f"{API}/local/try", {"urls": ["http://a"]})[0] == 400


def test_who_sees_what(guarded: Cluster) -> None:
    Cluster.objects.create(name="us", urls=["http://us"])
    user = User.objects.create_user("ann")
    Grant.objects.create(user=user, role=Role.ADMIN, cluster=guarded, pattern="*")
    client = Client()
    client.force_login(user)
    assert [(one["name"], one["settings"]) for one in ask(client, "GET", API)[1]] == [("eu", None)]
    assert ask(client, "GET", f"{API}/us")[0] == 404
    for method, path in (("POST", API), ("PUT", f"{API}/eu"), ("DELETE", f"{API}/eu"), ("POST", f"{API}/eu/try")):
        assert ask(client, method, path, {})[0] == 403
    assert client.get(LIST).status_code == 403
    assert Cluster.objects.count() == 2


def test_the_body_is_documented_as_it_is() -> None:
    assert set(ClusterWish().fields) == set(FIELDS)
