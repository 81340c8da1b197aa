"""The pages and buttons, from the browser's side: statuses, what is on them, and what a press sends to the cluster."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape

import httpx
import pytest
from django.test import Client

from connect_client.calls import segment
from dashboard.follow.recorder import Recorder
from dashboard.models import Activity, Cluster, ClusterSnapshot, ConnectorSnapshot
from tests.dashboard.conftest import PaperCluster

HTMX = {"HX-Request": "true"}
ROW = {**HTMX, "HX-Target": "tbody#c-1"}


def now() -> datetime:
    return datetime.now(UTC)


@pytest.fixture
def seen(cluster: Cluster, paper: PaperCluster) -> PaperCluster:
    """A fleet of four, seen a minute ago and again just now."""
    paper.put("orders", "RUNNING", "RUNNING")
    paper.put("archive", "RUNNING", "FAILED", "RUNNING")
    paper.put("broken", "FAILED")
    paper.put("resting", "PAUSED", "PAUSED")
    see(cluster, paper, now() - timedelta(minutes=1))
    see(cluster, paper, now())
    return paper


def see(cluster: Cluster, paper: PaperCluster, at: datetime) -> None:
    Recorder(cluster).listing(paper.entries, at)


def names(page: str) -> list[str]:
    """In the order of the rows."""
    return [unescape(part.partition("</span>")[0]) for part in page.split('class="name">')[1:]]


def get(room: Client, address: str, **headers: str) -> str:
    response = room.get(address, headers=headers)
    assert response.status_code == 200, response.content
    return response.content.decode()


def test_nobody_looks_in_without_signing_in(db: None) -> None:
    browser = Client()
    assert browser.get("/ui/", headers={"Accept": "text/html"}).headers["Location"] == "/ui/login?next=/ui/"
    assert browser.get("/ui/live", headers={"Accept": "text/event-stream"}).status_code == 401
    assert browser.post("/ui/clusters/eu/do/restart/orders").status_code == 302
    fragment = browser.get("/ui/", headers=HTMX)
    assert (fragment.status_code, fragment.headers["HX-Redirect"]) == (401, "/ui/login?next=/ui/")


def test_signing_in_and_out(db: None, django_user_model: type) -> None:
    django_user_model.objects.create_user("operator", password="right")  # type: ignore[attr-defined]
    browser = Client()
    assert b"do not go together" in browser.post("/ui/login", {"username": "operator", "password": "wrong"}).content
    assert browser.post("/ui/login", {"username": "operator", "password": "right"}).headers["Location"] == "/ui/"
    assert browser.get("/ui/").status_code == 200
    assert browser.get("/ui/logout").status_code == 405
    assert browser.post("/ui/logout").headers["Location"] == "/ui/login"
    assert browser.get("/ui/").status_code == 302


def test_a_press_needs_the_token(db: None, django_user_model: type) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(django_user_model.objects.create_user("operator"))  # type: ignore[attr-defined]
    assert browser.post("/ui/clusters/eu/do/restart/orders").status_code == 403


def test_pages_allow_no_inline_script_and_no_frame(room: Client) -> None:
    policy = room.get("/ui/").headers["Content-Security-Policy"]
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


def test_fleet_lists_failed_first(room: Client, seen: PaperCluster) -> None:
    page = get(room, "/ui/")
    assert names(page) == ["broken", "archive", "resting", "orders"]
    assert "1 connector failed, 1 task failed in 1 connector" in page
    assert "Restart 2 failed" in page
    assert "task 0: java.io.IOException: disk full" in page


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("/ui/?state=failed", ["broken"]),
        ("/ui/?state=running", ["orders"]),
        ("/ui/?q=OR", ["orders"]),
        ("/ui/?q=r&state=degraded", ["archive"]),
        ("/ui/?state=stopped", []),
        ("/ui/?page=2", []),
    ],
)
def test_filters(room: Client, seen: PaperCluster, address: str, shown: list[str]) -> None:
    assert names(get(room, address)) == shown


def test_rows_keep_their_places_and_heights(room: Client, cluster: Cluster, seen: PaperCluster) -> None:
    ids = {row.name: row.pk for row in ConnectorSnapshot.objects.all()}
    seen.put("archive", "RUNNING", "RUNNING", "RUNNING")
    del seen.entries["resting"]
    seen.put("new", "FAILED")
    see(cluster, seen, now())
    shown = f"{ids['broken']}t,{ids['archive']}t,{ids['resting']},{ids['orders']}"
    page = get(room, f"/ui/?shown={shown}", **HTMX)
    assert names(page) == ["broken", "archive", "orders", "new"]
    assert "runs again" in page
    assert ">deleted<" in page
    assert "2 changes, re-sort" in page


def test_a_fragment_is_the_page_without_its_frame(room: Client, seen: PaperCluster) -> None:
    whole, fragment = get(room, "/ui/"), get(room, "/ui/", **HTMX)
    assert "<html" in whole
    assert "<html" not in fragment
    assert names(whole) == names(fragment)


def test_without_clusters_and_without_connectors(room: Client) -> None:
    assert "No cluster is registered yet" in get(room, "/ui/")
    cluster = Cluster.objects.create(name="eu", urls=["http://eu:8083"])
    assert "is being read" in get(room, "/ui/")
    Recorder(cluster).listing({}, now())
    assert "curl -X PUT http://eu:8083/connectors/first/config" in get(room, "/ui/")


def test_connector_page(room: Client, seen: PaperCluster) -> None:
    page = get(room, "/ui/clusters/eu/connectors/archive")
    assert "java.io.IOException: disk full" in page
    assert "w1:8083" in page
    assert "Restart 1 failed" in page
    assert "curl -X POST" in page


def test_config_is_shown_without_its_secrets(room: Client, seen: PaperCluster) -> None:
    page = get(room, "/ui/clusters/eu/connectors/orders?tab=config")
    assert "FileStreamSink" in page
    assert "db.password" in page
    assert "geheim" not in page


NAMES = [
    "a b",
    "a/b",
    "/",
    "a//b",
    "50%",
    "%2F",
    "q?x#y",
    "größe",
    "a;b",
    "<b>",
    "\\",
    "{x}",
    "+",
    ".x",
    ".",
    "..",
    "a/../b",
    "...",
]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_has_a_page_and_buttons(room: Client, cluster: Cluster, paper: PaperCluster, name: str) -> None:
    paper.put(name, "RUNNING", "RUNNING")
    see(cluster, paper, now())
    page = get(room, "/ui/")
    assert names(page) == [name]
    href = unescape(page.split('<th scope="row" class="c-name"><div><a href="')[1].partition('"')[0])
    assert not {".", ".."}.intersection(re.sub("(?i)%2e", ".", href).split("/")), "browsers resolve these"
    assert names(get(room, href)) == [name]
    assert room.post(href.replace("/connectors/", "/do/pause/")).status_code == 302
    assert paper.asked[-1] == f"PUT /connectors/{segment(name)}/pause"


def test_nothing_here(room: Client, seen: PaperCluster) -> None:
    assert room.get("/ui/clusters/eu/connectors/nobody").status_code == 404
    assert room.get("/ui/clusters/mars/connectors/orders").status_code == 404
    assert room.get("/ui/what").status_code == 404
    assert room.post("/ui/clusters/eu/do/explode/orders").status_code == 404


def test_restarting_a_row_shows_it_restarting_at_once(room: Client, seen: PaperCluster) -> None:
    response = room.post("/ui/clusters/eu/do/restart-failed/archive", headers=ROW)
    row = response.content.decode()
    assert seen.asked == ["POST /connectors/archive/restart?includeTasks=true&onlyFailed=true"]
    assert names(row) == ["archive"]
    assert 'class="state" data-state="RESTARTING"' in row
    # And so does everybody else's page, until something newer is seen or it lapses.
    assert "1 restarting" in get(room, "/ui/")
    ConnectorSnapshot.objects.update(
        restart_asked_at=now() - timedelta(seconds=4), restart_answered_at=now() - timedelta(seconds=4)
    )
    assert "1 restarting" not in get(room, "/ui/")


def test_what_the_follower_sees_after_a_restart_counts(room: Client, cluster: Cluster, seen: PaperCluster) -> None:
    room.post("/ui/clusters/eu/do/restart-failed/archive", headers=ROW)
    seen.put("archive", "RUNNING", "RUNNING", "RUNNING")
    see(cluster, seen, now())
    assert 'data-state="RESTARTING"' not in get(room, "/ui/")


@pytest.mark.parametrize(
    ("verb", "request_line"),
    [
        ("restart", "POST /connectors/orders/restart?includeTasks=true&onlyFailed=false"),
        ("pause", "PUT /connectors/orders/pause"),
        ("resume", "PUT /connectors/orders/resume"),
        ("stop", "PUT /connectors/orders/stop"),
    ],
)
def test_verbs(room: Client, seen: PaperCluster, verb: str, request_line: str) -> None:
    response = room.post(f"/ui/clusters/eu/do/{verb}/orders")
    assert (response.status_code, response.headers["Location"]) == (302, "/ui/clusters/eu/connectors/orders")
    assert seen.asked == [request_line]


def test_restarting_one_task(room: Client, seen: PaperCluster) -> None:
    page = room.post("/ui/clusters/eu/restart-task/0/archive?tab=tasks", headers=HTMX).content.decode()
    assert seen.asked == ["POST /connectors/archive/tasks/0/restart"]
    assert page.count('class="state" data-state="RESTARTING"') == 2


def test_a_refusal_is_told_with_its_reason(room: Client, seen: PaperCluster) -> None:
    del seen.entries["archive"]
    page = room.post("/ui/clusters/eu/do/restart-failed/archive", headers=ROW).content.decode()
    assert unescape(page).count("archive was not restarted: the cluster answered 404, Unknown connector: archive") == 1
    assert "hx-partial" in page


def test_no_answer_is_told_as_what_it_is(room: Client, seen: PaperCluster) -> None:
    seen.down = httpx.ReadTimeout("slow")
    page = room.post("/ui/clusters/eu/do/stop/orders").content.decode()
    assert "It is not known whether orders was stopped" in page


def test_who_did_what_is_kept(room: Client, seen: PaperCluster) -> None:
    room.post("/ui/clusters/eu/do/stop/orders")
    room.post("/ui/clusters/eu/restart-task/1/orders")
    del seen.entries["archive"]
    room.post("/ui/clusters/eu/do/restart-failed/archive")
    kept = Activity.objects.order_by("at").values_list("by", "via", "verb", "cluster", "connector", "task", "outcome")
    assert list(kept) == [
        ("operator", "ui", "stop", "eu", "orders", None, "done"),
        ("operator", "ui", "restart", "eu", "orders", 1, "done"),
        ("operator", "ui", "restart-failed", "eu", "archive", None, "refused"),
    ]
    assert Activity.objects.latest("at").message == "Unknown connector: archive"


def test_a_dead_cluster_is_a_banner_over_what_was_last_seen(room: Client, cluster: Cluster, seen: PaperCluster) -> None:
    recorder = Recorder(cluster)
    recorder.unreachable("http://paper cannot be reached: Connection refused.", now())
    page = get(room, "/ui/")
    assert "Cluster eu cannot be reached" in page
    assert "http://paper cannot be reached: Connection refused." in page
    assert len(names(page)) == 4
    assert "Restart 2 failed" not in page
    assert page.count('disabled title="Cluster eu cannot be reached"') == page.count("data-verb=")
    assert "cannot be reached" in get(room, "/ui/clusters/eu/connectors/orders")


def test_silence_of_the_control_process_is_told(room: Client, seen: PaperCluster) -> None:
    long_ago = now() - timedelta(minutes=5)
    ClusterSnapshot.objects.update(checked_at=long_ago, fetched_at=long_ago)
    page = get(room, "/ui/")
    assert "No word from the control process" in page
    # The cluster may be well: its buttons stay.
    assert "disabled" not in page


def test_a_page_of_a_hundred_asks_the_database_few_questions(
    room: Client, cluster: Cluster, paper: PaperCluster, django_assert_num_queries: object
) -> None:
    recorder = Recorder(cluster)
    for number in range(150):
        paper.put(f"c{number:03}", "RUNNING", "RUNNING", "FAILED")
    # Session, user, clusters, what is being restarted, what was given up, whether something has changed, the rows, automatic
    # restarts (three), the number in the rail.
    # And where it has: which rows, what plug-ins call a password, and those rows.
    for _ in range(2):
        paper.put("c120", "RUNNING", "FAILED", trace=f"Odd: {now()}")
        recorder.listing(paper.entries, now())
        with django_assert_num_queries(11 + 3):  # type: ignore[operator]
            get(room, "/ui/?q=cluster:eu+odd")
        with django_assert_num_queries(11):  # type: ignore[operator]
            page = get(room, "/ui/?page=2&sort=-since")
    assert len(names(page)) == 50
    assert "Page 2 of 2" in page
