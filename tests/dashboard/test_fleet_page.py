"""The fleet's page by its address: filters, menus, order, what is said when nothing is found, and who sees what of it."""

import gzip
import re
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dashboard import rights
from dashboard.fleet.overlay import LONGEST
from dashboard.fleet.query import parse
from dashboard.fleet_queries import matching
from dashboard.follow.recorder import Recorder
from dashboard.models import Cluster, ConnectorSnapshot, Grant
from dashboard.rights.roles import Role
from tests.dashboard.conftest import PaperCluster

HTMX = {"HX-Request": "true"}


def now() -> datetime:
    return datetime.now(UTC)


@pytest.fixture
def us(db: None) -> Cluster:
    return Cluster.objects.create(name="us", urls=["http://us"])


@pytest.fixture
def fleet(cluster: Cluster, us: Cluster, paper: PaperCluster) -> PaperCluster:
    """In eu: orders fails in part, lake rests, vault runs. In us: orders, failed, and web."""
    paper.put("orders", "RUNNING", "FAILED", "RUNNING")
    paper.put("lake", "PAUSED", "PAUSED")
    paper.put("vault", "RUNNING", "RUNNING", type="source")
    see(cluster, paper, now() - timedelta(minutes=1))
    other = PaperCluster()
    other.put("orders", "FAILED", trace="Outer: o\nCaused by: Timeout: 30 s")
    other.put("web", "RUNNING", "RUNNING")
    see(us, other, now() - timedelta(minutes=1))
    return paper


@pytest.fixture
def ann(db: None) -> User:
    return User.objects.create_user("ann")


def see(cluster: Cluster, paper: PaperCluster, at: datetime) -> None:
    Recorder(cluster).listing(paper.entries, at)


def shown(page: str) -> list[str]:
    """The keys of the rows, in their order."""
    return [unescape(key) for key in re.findall(r'data-key="([^"]*)"', page)]


def get(browser: Client, address: str, **headers: str) -> str:
    response = browser.get(address, headers=headers)
    assert response.status_code == 200, response.content
    return response.content.decode()


def of(user: User) -> Client:
    browser = Client()
    browser.force_login(user)
    return browser


@pytest.mark.parametrize(
    ("address", "rows"),
    [
        ("", ["us/orders", "eu/orders", "eu/lake", "eu/vault", "us/web"]),
        ("?state=failed&state=paused", ["us/orders", "eu/lake"]),
        ("?state=failed,degraded", ["us/orders", "eu/orders"]),
        ("?cluster=eu&type=sink", ["eu/orders", "eu/lake"]),
        ("?q=cluster:eu+disk", ["eu/orders"]),
        ("?q=timeout", ["us/orders"]),
        ("?q=geheim", []),
        ("?config==geheim", []),
        ("?config=db.password", ["us/orders", "eu/orders", "eu/lake", "eu/vault", "us/web"]),
        ("?class=FileStreamSink&name=*a*&cluster=eu", ["eu/lake", "eu/vault"]),
        ("?sort=name", ["eu/lake", "eu/orders", "us/orders", "eu/vault", "us/web"]),
        ("?sort=-cluster&q=orders", ["us/orders", "eu/orders"]),
    ],
)
def test_rows(room: Client, fleet: PaperCluster, address: str, rows: list[str]) -> None:
    assert shown(get(room, f"/ui/{address}")) == rows


def test_what_is_filtered_by_is_said_and_can_be_taken_out(room: Client, fleet: PaperCluster) -> None:
    page = get(room, '/ui/?state=paused&q=cluster:eu+"disk+full"&sort=name')
    assert 'value="state:paused cluster:eu &quot;disk full&quot;"' in page
    assert '<input type="hidden" name="sort" value="name">' in page
    for address, label in (
        ("?cluster=eu&q=%22disk+full%22&sort=name", "Without state paused"),
        ("?state=paused&q=%22disk+full%22&sort=name", "Without cluster eu"),
        ("?state=paused&cluster=eu&sort=name", "Without  disk full"),
    ):
        assert f'<a href="{address.replace("&", "&amp;")}" aria-label="{label}">' in page
    assert '<a href="?sort=name">Clear filter</a>' in page
    assert "None of 5 connectors is like that." in page


def test_menus_count_what_choosing_would_show(room: Client, fleet: PaperCluster) -> None:
    page = get(room, "/ui/?cluster=eu")
    choices = re.findall(r'<li><a href="([^"]*)"( aria-current="true")?><span>([^<]*)</span><b>(\d+)</b>', page)
    assert [(unescape(address), bool(on), word, int(count)) for address, on, word, count in choices] == [
        ("?", True, "eu", 3),
        ("?cluster=eu&cluster=us", False, "us", 2),
        ("?cluster=eu&type=sink", False, "sink", 2),
        ("?cluster=eu&type=source", False, "source", 1),
    ]


def test_headings_say_how_the_list_is_sorted(room: Client, fleet: PaperCluster) -> None:
    page = get(room, "/ui/?sort=-since&q=orders")
    assert '<th scope="col" aria-sort="descending"><a href="?q=orders&amp;sort=since">Last change</a></th>' in page
    assert '<a href="?q=orders">State</a></th>' in page


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("?state=odd", "There is no state “odd”"),
        ("?sort=odd", "The list cannot be sorted by “odd”"),
        ("?q=clutser:eu", "There is no filter “clutser”"),
        ("?page=9", "There is no page 9."),
        ("?page=-9", "“-9” is no page"),
        ("?state=%3Cb%3E", "There is no state “&lt;b&gt;”"),
        ("?shown=9999999999999999,x,-1", "connector failed"),
        ("?q=%00", "None of 5"),
    ],
)
def test_what_cannot_be_understood_is_said_on_the_page(room: Client, fleet: PaperCluster, address: str, said: str) -> None:
    assert said in get(room, f"/ui/{address}")


def test_what_was_shown_stays_though_it_does_not_fit_any_more(room: Client, cluster: Cluster, fleet: PaperCluster) -> None:
    ids = {f"{row.cluster.name}/{row.name}": row.pk for row in ConnectorSnapshot.objects.select_related("cluster")}
    address = f"/ui/?state=degraded&shown={ids['eu/orders']}t"
    fleet.put("orders", "RUNNING", "RUNNING", "RUNNING")
    see(cluster, fleet, now())
    page = get(room, address, **HTMX)
    assert shown(page) == ["eu/orders"]
    assert "1 change, re-sort" in page
    # And what fits now comes below it.
    fleet.put("vault", "RUNNING", "FAILED", "RUNNING")
    see(cluster, fleet, now())
    page = get(room, address, **HTMX)
    assert shown(page) == ["eu/orders", "eu/vault"]
    assert "1 change, re-sort" in page
    assert shown(get(room, "/ui/?state=degraded")) == ["eu/vault"]


def test_what_may_not_be_seen_is_nowhere(ann: User, us: Cluster, fleet: PaperCluster) -> None:
    ids = ",".join(str(pk) for pk in ConnectorSnapshot.objects.order_by("pk").values_list("pk", flat=True))
    browser = of(ann)
    assert "There is no connector that you may see." in get(browser, "/ui/")
    Grant.objects.create(user=ann, role=Role.VIEWER, cluster=us, pattern="o*")
    Grant.objects.create(user=ann, role=Role.OPERATOR, cluster=Cluster.objects.get(name="eu"), pattern="lake")
    for address in ("/ui/", "/ui/?sort=name"):
        assert sorted(shown(get(browser, address))) == ["eu/lake", "us/orders"]
    page = get(browser, f"/ui/?shown={ids}", **HTMX)
    assert sorted(shown(page)) == ["eu/lake", "us/orders"]
    assert page.count(">deleted<") == 3
    for unseen in ("vault", "web", "IOException"):
        assert unseen not in page
    assert "1 connector failed</strong><span> · 1 paused</span>" in page
    assert re.findall(r"<b>(\d+)</b></a>\s", page) == ["2", "1", "1"]
    # What failed is not ann's to restart.
    assert "Restart 1 failed</span></button>\n  " not in page
    assert page.count('disabled title="You need the role operator for this"') == 1
    Grant.objects.filter(pattern="lake").delete()
    page = get(browser, "/ui/")
    assert (shown(page), "c-cluster" in page) == (["us/orders"], False)


def test_all_that_a_query_means(ann: User, fleet: PaperCluster) -> None:
    for pattern in ("o*", "w*"):
        Grant.objects.create(user=ann, role=Role.VIEWER, pattern=pattern)
    found = matching(parse({"q": "cluster:us", "sort": "-name"}), rights.of_user(ann), now())
    assert [ConnectorSnapshot.objects.get(pk=pk).name for pk in found] == ["web", "orders"]


def test_a_restart_that_was_just_asked_for_counts_as_one(room: Client, fleet: PaperCluster) -> None:
    row = ConnectorSnapshot.objects.get(name="orders", cluster__name="eu")
    answer = {**(row.status or {}), "tasks": [{"id": 0, "state": "RESTARTING", "worker_id": "w1:8083"}]}
    ConnectorSnapshot.objects.filter(pk=row.pk).update(restart_asked_at=now(), restart_answered_at=now(), restart_answer=answer)
    assert shown(get(room, "/ui/?state=restarting")) == ["eu/orders"]
    ConnectorSnapshot.objects.filter(pk=row.pk).update(restart_asked_at=now() - LONGEST, restart_answered_at=now() - LONGEST)
    assert shown(get(room, "/ui/?state=restarting")) == []


def test_large_pages_go_out_compressed(room: Client, fleet: PaperCluster, cluster: Cluster) -> None:
    for number in range(100):
        fleet.put(f"c{number}", "RUNNING", "RUNNING")
    see(cluster, fleet, now())
    answers = [room.get("/ui/", headers={"Accept-Encoding": "gzip"}) for _ in range(20)]
    assert len(shown(gzip.decompress(answers[0].content).decode())) == 100
    assert answers[0].headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in answers[0].headers["Vary"]
    assert len(answers[0].content) < len(get(room, "/ui/")) / 5
    # Their lengths do not tell what of what was asked is on them already.
    assert len({len(answer.content) for answer in answers}) > 1
