"""Jobs from the browser's side: the preview, beginning one, watching it, ending it, the selection, and what takes which right."""

import io
import json
import re
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dashboard.jobs.export import Exported, as_properties
from dashboard.models import Activity, ConnectorSnapshot, Grant, Job, JobItem, PluginSnapshot
from dashboard.rights.roles import Role
from tests.dashboard.jobs.conftest import Clock, Fleet, items, run_of
from tests.dashboard.jobs.test_run import drive

DRAWER = {"HX-Request": "true", "HX-Target": "aside#drawer"}


@pytest.fixture
def seen(fleet: Fleet) -> Fleet:
    fleet.add("eu", orders="RUNNING FAILED RUNNING", lake="FAILED", fine="RUNNING RUNNING", resting="PAUSED PAUSED")
    fleet.add("us", **{"orders-us": "RUNNING FAILED FAILED"})
    fleet.look()
    return fleet


def ids(*names: str) -> str:
    return ",".join(str(ConnectorSnapshot.objects.get(name=name).pk) for name in names)


def text(page: str) -> str:
    """What is on a page, as it is read."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def post(room: Client, address: str, status: int = 200, headers: dict[str, str] = DRAWER, **values: str) -> str:
    response = room.post(address, values, headers=headers)
    assert response.status_code == status, response.content.decode()[:2000]
    return response.content.decode()


def hidden(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found, page
    return found[1]


def begin(room: Client, preview: str) -> str:
    return post(room, "/ui/jobs/", verb=hidden(preview, "verb"), ids=hidden(preview, "ids"), key=hidden(preview, "key"))


def test_the_one_click(room: Client, seen: Fleet, clock: Clock) -> None:
    assert "Restart 4 failed" in room.get("/ui/").content.decode()
    preview = post(room, "/ui/jobs/preview/restart?")
    assert "Restart 4 failed in 3 connectors · 2 in eu , 1 in us" in text(preview)
    assert "orders-us us tasks 0 and 1" in text(preview)
    assert seen.asked == []
    drawer = begin(room, preview)
    job = Job.objects.get()
    assert f'data-job="{job.pk}"' in drawer
    assert "Under way, 3 of 3 connectors to go" in text(drawer)
    seen.stubborn.add("lake")
    drive(run_of(job, clock), seen, clock)
    page = text(room.get(f"/ui/jobs/{job.pk}").content.decode())
    assert "Done · 1 failed again · 2 running again" in page
    assert "java.io.IOException: disk full failed again" in page
    failed = room.get(f"/ui/jobs/{job.pk}?show=failed").content.decode()
    assert "lake eu" in text(failed)
    # The help of every page names orders; the connectors that are listed are this one alone.
    assert failed.count("data-item=") == 1
    assert "Restart 4 failed in 3 connectors" in text(room.get("/ui/jobs/").content.decode())


def test_over_the_filter_of_the_page(room: Client, seen: Fleet) -> None:
    assert "Restart 3 failed" in text(room.get("/ui/?q=orders").content.decode())
    assert "Restart 3 failed in 2 connectors" in text(post(room, "/ui/jobs/preview/restart?q=orders"))
    assert "Restart 1 failed in 1 connector" in text(post(room, "/ui/jobs/preview/restart?state=failed&q=lak"))


def test_without_a_script(room: Client, seen: Fleet) -> None:
    """Boxes, buttons and whole pages."""
    chosen = [int(id) for id in ids("orders", "fine").split(",")]
    preview = room.post("/ui/jobs/preview/restart", {"id": chosen}).content.decode()
    assert "<html" in preview
    assert "Restart 1 failed in 1 connector" in text(preview)
    assert "1 left out: it has nothing that failed" in text(preview)
    begun = room.post("/ui/jobs/", {"verb": "restart", "ids": hidden(preview, "ids")})
    assert begun.headers["Location"] == f"/ui/jobs/{Job.objects.get().pk}"
    assert list(items(Job.objects.get())) == ["orders"]
    cancelled = room.post(f"/ui/jobs/{Job.objects.get().pk}/cancel")
    assert cancelled.headers["Location"] == f"/ui/jobs/{Job.objects.get().pk}"


def test_one_press_is_one_job(room: Client, seen: Fleet) -> None:
    preview = post(room, "/ui/jobs/preview/restart?")
    assert begin(room, preview) == begin(room, preview)
    assert Job.objects.count() == 1


def test_what_runs_again_meanwhile_is_not_restarted(room: Client, seen: Fleet) -> None:
    preview = post(room, "/ui/jobs/preview/restart?q=orders-us")
    seen.set("us", "orders-us", "RUNNING RUNNING RUNNING")
    seen.look()
    page = post(room, "/ui/jobs/", 409, verb="restart", ids=hidden(preview, "ids"))
    assert "Nothing was begun: there is nothing to do any more." in text(page)
    # What it is told to be then is of the same connectors.
    assert "Restart 1 connector" in text(post(room, "/ui/jobs/preview/restart", of=hidden(page, "of"), only_failed="false"))
    assert not Job.objects.exists()


@pytest.mark.parametrize(
    ("scope", "only_failed", "expected"),
    [
        ("both", "true", "Restart 4 failed in 3 connectors"),
        ("tasks", "true", "Restart 3 failed in 2 connectors"),
        ("connectors", "true", "Restart 1 failed in 1 connector"),
        ("both", "false", "Restart 5 connectors"),
    ],
)
def test_how_to_restart(room: Client, seen: Fleet, scope: str, only_failed: str, expected: str) -> None:
    found = text(post(room, "/ui/jobs/preview/restart?", scope=scope, only_failed=only_failed))
    assert expected in found


@pytest.mark.parametrize(("of", "expected"), [("", "Restart 5 connectors"), ("orders", "Restart 1 connector")])
def test_a_preview_that_is_told_otherwise(room: Client, seen: Fleet, of: str, expected: str) -> None:
    """Its form comes with what it was about; what it becomes is of all that it was taken from."""
    taken = {"of": ids(of)} if of else {}

    def previewed(**form: str) -> str:
        return room.post("/ui/jobs/preview/restart?", {**form, **taken}, headers=DRAWER).content.decode()

    preview = previewed()
    for scope in ("connectors", "both"):
        assert not of or hidden(preview, "of") == taken["of"]
        preview = previewed(ids=hidden(preview, "ids"), key=hidden(preview, "key"), scope=scope, only_failed="false")
    assert expected in text(preview)


def test_deleting_has_to_be_typed(room: Client, seen: Fleet) -> None:
    preview = post(room, "/ui/jobs/preview/delete", of=ids("fine", "resting"))
    assert "delete 2 connectors" in preview
    those = hidden(preview, "ids")
    refused = post(room, "/ui/jobs/", 400, verb="delete", ids=those, typed="delete")
    assert "Nothing was begun: type “delete 2 connectors” first." in text(refused)
    assert not Job.objects.exists()
    post(room, "/ui/jobs/", verb="delete", ids=those, typed=" delete 2 connectors ")
    assert Job.objects.get().about == "Delete 2 connectors"


def test_the_bar_says_how_many_of_what(room: Client, seen: Fleet) -> None:
    found = post(room, "/ui/jobs/selection?q=", of=ids("orders", "fine", "resting"))
    words = text(found)
    for part in (
        "3 selected",
        "Select the other 2, too",
        "Restart 1 failed in 1",
        "Pause 2",
        "Resume 1",
        "Stop 3",
        "Delete 3",
        "Export 3",
    ):
        assert part in words
    found = post(room, "/ui/jobs/selection?", of=ids("fine"))
    assert 'disabled title="Each runs already"' in found
    assert "Restart 1 " in text(found)
    everything = post(room, "/ui/jobs/selection?q=orders", of=ids("fine"), all="1")
    assert hidden(everything, "of") == ids("orders", "orders-us")
    gone = post(room, "/ui/jobs/selection", of=f"{ids('fine')},999999,x,²")
    assert hidden(gone, "of") == ids("fine")


def test_cancelling(room: Client, seen: Fleet) -> None:
    begin(room, post(room, "/ui/jobs/preview/restart?"))
    job = Job.objects.get()
    drawer = post(room, f"/ui/jobs/{job.pk}/cancel")
    assert "Nothing more is begun" in text(drawer)
    assert room.post("/ui/jobs/999/cancel").status_code == 404


@pytest.fixture
def operator(db: None) -> Client:
    """Of `orders…` in every cluster; looks at all of eu's."""
    user = User.objects.create_user("olga")
    Grant.objects.create(user=user, role=Role.OPERATOR, pattern="orders*")
    client = Client()
    client.force_login(user)
    return client


def test_what_may_not_be_seen_is_not_there(operator: Client, room: Client, seen: Fleet) -> None:
    preview = text(post(operator, "/ui/jobs/preview/restart?"))
    assert "Restart 3 failed in 2 connectors" in preview
    assert "lake" not in preview
    begin(room, post(room, "/ui/jobs/preview/restart", of=ids("lake")))
    begin(room, post(room, "/ui/jobs/preview/restart", of=ids("lake", "orders")))
    hidden_from_her, partly = Job.objects.order_by("pk")
    assert operator.get(f"/ui/jobs/{hidden_from_her.pk}").status_code == 404
    page = text(operator.get(f"/ui/jobs/{partly.pk}").content.decode())
    assert "1 of 1 connector to go" in page
    assert "lake" not in page
    assert operator.get("/ui/jobs/").content.decode().count('id="job-') == 1
    # She might have asked for all that she sees of it.
    post(operator, f"/ui/jobs/{partly.pk}/cancel")
    assert post(operator, f"/ui/jobs/{hidden_from_her.pk}/cancel", 404)


def test_what_may_not_be_done_is_left_out_and_refused(seen: Fleet, room: Client) -> None:
    user = User.objects.create_user("vera")
    Grant.objects.create(user=user, role=Role.VIEWER)
    viewer = Client()
    viewer.force_login(user)
    found = post(viewer, "/ui/jobs/preview/restart", of=ids("orders", "lake"))
    assert "2 left out: each needs the role operator" in text(found)
    assert "primary" not in found
    post(viewer, "/ui/jobs/", 403, verb="restart", ids=ids("orders", "lake"))
    assert not Job.objects.exists()
    bar = post(viewer, "/ui/jobs/selection", of=ids("fine"))
    assert 'disabled title="Each needs the role operator"' in bar
    begin(room, post(room, "/ui/jobs/preview/restart", of=ids("orders")))
    job = Job.objects.get()
    refused = post(viewer, f"/ui/jobs/{job.pk}/cancel", 403)
    assert "Takes the role operator for each of its connectors, or to be operator" in text(refused)
    job.refresh_from_db()
    assert job.state == "waiting"


@pytest.mark.parametrize("verb", ["explode", "export"])
def test_there_are_no_other_verbs(room: Client, seen: Fleet, verb: str) -> None:
    assert room.post("/ui/jobs/", {"verb": verb, "ids": ids("lake")}).status_code == 404
    assert not Job.objects.exists()


def test_nothing_here(room: Client, seen: Fleet) -> None:
    assert room.post("/ui/jobs/preview/explode").status_code == 404
    assert room.get("/ui/jobs/1").status_code == 404
    assert room.get("/ui/jobs/preview/restart").status_code == 405
    assert "No job yet" in room.get("/ui/jobs/").content.decode()


def test_export(room: Client, seen: Fleet) -> None:
    dialog = post(room, "/ui/jobs/preview/export", of=ids("orders", "lake"))
    assert "The configs of 2 connectors" in text(dialog)
    response = room.post("/ui/jobs/export", {"ids": ids("orders", "lake"), "format": "json"})
    assert response.headers["Content-Disposition"] == 'attachment; filename="connectors.json"'
    found = {one["name"]: one for one in json.loads(response.content)}
    assert found["orders"]["cluster"] == "eu"
    assert found["orders"]["config"]["db.password"] != "geheim"
    assert not Activity.objects.filter(verb="export").exists()
    whole = room.post("/ui/jobs/export", {"ids": ids("orders"), "secrets": "true"})
    assert b"geheim" in whole.content
    assert Activity.objects.get(verb="export").connector == "orders"


def test_export_hides_what_only_the_plug_in_knows_for_a_secret(room: Client, seen: Fleet) -> None:
    row = ConnectorSnapshot.objects.get(name="orders")
    assert row.info
    row.info["config"]["pin"] = "4711"
    row.save()
    key = {"class_name": "Sink", "type": "sink", "definitions": [], "passwords": ["pin"]}
    PluginSnapshot.objects.create(cluster=row.cluster, told_at=datetime.now(UTC), **key)
    assert b"4711" not in room.post("/ui/jobs/export", {"ids": ids("orders"), "format": "json"}).content
    assert b"4711" in room.post("/ui/jobs/export", {"ids": ids("orders"), "secrets": "true"}).content


def test_export_of_secrets_takes_an_admin(operator: Client, seen: Fleet) -> None:
    assert "disabled" in post(operator, "/ui/jobs/preview/export", of=ids("orders"))
    found = operator.post("/ui/jobs/export", {"ids": ids("orders", "lake"), "secrets": "true"})
    assert b"geheim" not in found.content
    assert [one["name"] for one in json.loads(found.content)] == ["orders"]


def test_export_as_properties(room: Client, seen: Fleet) -> None:
    response = room.post("/ui/jobs/export", {"ids": ids("orders", "orders-us"), "format": "properties"})
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        assert archive.namelist() == ["eu/orders.properties", "us/orders-us.properties"]
        assert "connector.class=Sink\n" in archive.read("eu/orders.properties").decode()


def test_files_of_odd_names() -> None:
    names = ["a/b", "a\\b", "A_b", "..", "x"]
    with zipfile.ZipFile(io.BytesIO(as_properties(Exported("eu", name, {}) for name in names))) as archive:
        assert archive.namelist() == [f"eu/{name}.properties" for name in ("a_b", "a_b-2", "A_b-3", "_", "x")]


def test_pages_of_many_ask_the_database_few_questions(
    room: Client, fleet: Fleet, django_assert_max_num_queries: Callable[[int], object]
) -> None:
    fleet.add("eu", **{f"c{number:03}": "RUNNING FAILED" for number in range(250)})
    begin(room, post(room, "/ui/jobs/preview/restart?"))
    job = Job.objects.get()
    with django_assert_max_num_queries(6):  # type: ignore[attr-defined]
        page = room.get(f"/ui/jobs/{job.pk}?page=3").content.decode()
    assert page.count("data-item=") == 50
    for _ in range(20):
        copy = Job.objects.create(verb="pause", about="x", by="ann", via="ui", asked_at=job.asked_at)
        JobItem.objects.create(job=copy, cluster_name="eu", connector="c000")
    with django_assert_max_num_queries(6):  # type: ignore[attr-defined]
        assert room.get("/ui/jobs/").content.decode().count('id="job-') == 21
