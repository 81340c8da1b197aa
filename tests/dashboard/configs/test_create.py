"""Creating a connector in the browser, and the pages of plug-ins."""

import io
import json
import re
import zipfile
from collections.abc import Callable
from html import unescape
from typing import Any

import httpx
import pytest
from django.test import Client

from connect_client import Plugin
from connect_client.secrets import HIDDEN
from dashboard import plugins
from dashboard.models import Cluster, ConnectorSnapshot
from tests.dashboard.configs.paper import CONFIG, SINK, ConfigPaper
from tests.dashboard.configs.test_tab import in_editor, text

CREATE = "/ui/create"
HTMX = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def seen(see: Callable[[], None]) -> None:
    """The follower has looked."""


def send(room: Client, config: dict[str, str], **more: str) -> Any:
    return room.post(CREATE, {"step": "create", "cluster": "eu", "config": json.dumps(config), **more}, headers=HTMX)


def test_from_the_catalogue(room: Client, paper: ConfigPaper) -> None:
    start = text(room.get(CREATE))
    assert f"?cluster=eu&class={SINK}" in start
    assert "org.x.Mask" not in start
    page = text(room.get(f"{CREATE}?cluster=eu&class={SINK}"))
    assert in_editor(page) == {"name": "", "connector.class": SINK, "tasks.max": "1"}
    done = send(room, {"name": "new/one", "connector.class": SINK}, initial_state="PAUSED")
    assert done.headers["HX-Redirect"] == "/ui/clusters/eu/connectors/new/one"
    assert paper.body["initial_state"] == "PAUSED"


@pytest.mark.parametrize("pasted", ["name=new\ntopics=a", '{"name": "new", "config": {"topics": "a"}}'])
def test_from_a_paste(room: Client, pasted: str) -> None:
    assert in_editor(text(room.post(CREATE, {"step": "paste", "text": pasted}))) == {"name": "new", "topics": "a"}


@pytest.mark.parametrize("format", ["json", "properties"])
def test_an_export_is_taken_back(room: Client, paper: ConfigPaper, format: str) -> None:
    row = ConnectorSnapshot.objects.get(name="orders")
    file = room.post("/ui/jobs/export", {"ids": str(row.pk), "format": format, "secrets": "true"}).content
    if format == "properties":
        with zipfile.ZipFile(io.BytesIO(file)) as archive:
            file = archive.read("eu/orders.properties")
    room.post("/ui/clusters/eu/delete/orders", {"confirm": "orders"})
    page = unescape(room.post(CREATE, {"step": "paste", "text": file.decode()}).content.decode())
    send(room, in_editor(page))
    assert list(paper.config().items()) == list(CONFIG.items())


def test_an_export_without_secrets_is_not_taken_for_one_with_them(room: Client, paper: ConfigPaper) -> None:
    row = ConnectorSnapshot.objects.get(name="orders")
    file = room.post("/ui/jobs/export", {"ids": str(row.pk), "format": "json"}).content.decode()
    room.post("/ui/clusters/eu/delete/orders", {"confirm": "orders"})
    shown = in_editor(text(room.post(CREATE, {"step": "paste", "text": file})))
    assert shown == {**CONFIG, "pin": HIDDEN, "db.password": HIDDEN}
    refused = send(room, shown)
    assert refused.status_code == 422
    assert "there is no stored secret" in text(refused)
    assert "orders" not in paper.entries


def test_nothing_of_what_was_pasted_is_lost(room: Client) -> None:
    answer = room.post(CREATE, {"step": "paste", "text": '{"name": '})
    assert answer.status_code == 422
    assert "This is not JSON" in text(answer)
    assert '>{"name": </textarea>' in text(answer)


def test_a_copy_asks_for_a_name_and_takes_the_secrets_along(room: Client, paper: ConfigPaper) -> None:
    page = text(room.get(f"{CREATE}?copy_cluster=eu&copy_name=orders"))
    shown = in_editor(page)
    assert shown == {**CONFIG, "name": "", "pin": HIDDEN, "db.password": HIDDEN}
    done = send(room, {**shown, "name": "two"}, copy_cluster="eu", copy_name="orders")
    assert done.status_code == 200
    assert paper.config("two") == {**CONFIG, "name": "two"}


def test_what_was_deleted_is_created_again(room: Client, paper: ConfigPaper, see: Callable[[], None]) -> None:
    deleted = text(room.post("/ui/clusters/eu/delete/orders", {"confirm": "orders"}))
    see()
    link = re.search(r'href="(/ui/create[^"]+)"', deleted)
    assert link
    page = text(room.get(link[1]))
    sent = dict(re.findall(r'type="hidden" name="(copy_\w+)" value="([^"]*)"', page))
    send(room, in_editor(page), **sent)
    assert paper.config() == CONFIG


def test_refusals_leave_everything_as_it_is(room: Client, paper: ConfigPaper) -> None:
    taken = send(room, {"name": "orders", "connector.class": SINK})
    assert "Not created: Connector orders already exists" in text(taken)
    assert send(room, {"connector.class": SINK}).status_code == 422
    paper.refusals["POST connectors"] = (400, "Connector configuration is invalid")
    assert "did not create it: Connector configuration is invalid" in text(send(room, {"name": "x"}))
    paper.down = httpx.ReadTimeout("slow")
    assert "It is not known whether it was created" in text(send(room, {"name": "x"}))


def test_only_where_one_may(viewer: Client, editor_of_orders: Client, paper: ConfigPaper) -> None:
    assert viewer.get(CREATE).status_code == 403
    assert b"/ui/create" not in viewer.get("/ui/").content
    assert send(editor_of_orders, {"name": "lake", "connector.class": SINK}).status_code == 403
    assert send(editor_of_orders, {"name": "orders-2", "connector.class": SINK}).status_code == 200
    assert set(paper.entries) == {"orders", "orders-2"}


def test_plugins_of_all_clusters(room: Client, cluster: Cluster, paper: ConfigPaper) -> None:
    other = Cluster.objects.create(name="us", urls=["http://us"])
    told = [Plugin.from_json(one) for one in paper.plugins]
    plugins.record(other, [Plugin(SINK, "sink", "1.3"), *told[1:3]], cluster.plugins.latest("told_at").told_at)
    page = text(room.get("/ui/plugins/"))
    row = next(row for row in page.split("<tr") if f">{SINK}<" in row)
    assert 'class="differs"' in row
    assert "1.2, 1.3" in row
    assert "not in us" in next(row for row in page.split("<tr") if ">org.x.Json<" in row)
    assert "all alike" in next(row for row in page.split("<tr") if ">org.x.Mask<" in row)


def test_one_plugin(room: Client) -> None:
    page = text(room.get(f"/ui/plugins/eu/{SINK}"))
    assert "What pin is for." in page
    assert "Used by 1 connector" in page
    assert "[hidden]" not in page
    assert room.get("/ui/plugins/eu/Nope").status_code == 404


def test_a_dead_cluster_shows_the_last_known(room: Client, paper: ConfigPaper) -> None:
    paper.down = httpx.ConnectError("Connection refused")
    page = text(room.post("/ui/plugins/refresh", headers=HTMX))
    assert "Not every cluster told its plug-ins." in page
    assert SINK in page
    assert "What pin is for." in text(room.get(f"/ui/plugins/eu/{SINK}"))
    assert "did not tell it" in text(room.post(f"/ui/plugins/eu/{SINK}/ask", headers=HTMX))


def test_plugins_are_listed_anew(room: Client, paper: ConfigPaper) -> None:
    paper.plugins = [{"class": "org.x.NewSink", "type": "sink", "version": "2"}]
    page = text(room.post("/ui/plugins/refresh", headers=HTMX))
    assert "org.x.NewSink" in page
    assert SINK not in page


def test_questions_to_the_database_are_few(room: Client, django_assert_max_num_queries: Any) -> None:
    with django_assert_max_num_queries(6):
        room.get("/ui/plugins/")
