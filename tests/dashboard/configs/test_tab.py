"""The Config tab: what is on it, and what a save sends to the cluster."""

import json
import re
from collections.abc import Callable, Mapping
from html import unescape
from typing import Any

import httpx
import pytest
from django.test import Client

from connect_client.secrets import HIDDEN
from dashboard import versions
from dashboard.configs.pairs import digest
from dashboard.models import Activity, Cluster, ConfigVersion
from tests.dashboard.configs.paper import CONFIG, SINK, ConfigPaper

TAB = "/ui/clusters/eu/connectors/orders?tab=config"
CONFIG_URL = "/ui/clusters/eu/config/orders"
HTMX = {"HX-Request": "true"}
SECRETS = ("geheim", "vierstellig")


@pytest.fixture(autouse=True)
def seen(see: Callable[[], None]) -> None:
    """The follower has looked."""


def text(response: Any) -> str:
    page = unescape(response.content.decode())
    told = [page[max(0, page.index(secret) - 80) :][:120] for secret in SECRETS if secret in page]
    assert told == []
    return page


def in_editor(page: str) -> dict[str, str]:
    found: dict[str, str] = json.loads(page.partition('name="config"')[2].partition(">")[2].partition("</textarea>")[0])
    return found


def field(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found, page
    return found[1]


def review(room: Client, config: Mapping[str, str | None], **more: str) -> Any:
    sent = {"config": json.dumps(config), "opened": digest(CONFIG), "step": "review", **more}
    return room.post(CONFIG_URL, sent, headers=HTMX)


def save(room: Client, config: Mapping[str, str | None], **more: str) -> Any:
    """What was reviewed just before."""
    reviewed = text(review(room, config, **more))
    return review(room, config, **{"step": "save", "reviewed": field(reviewed, "reviewed"), **more})


MASKED: dict[str, str | None] = {**CONFIG, "pin": HIDDEN, "db.password": HIDDEN}


def test_an_editor_has_the_config_without_its_secrets(room: Client, paper: ConfigPaper) -> None:
    page = text(room.get(TAB))
    assert in_editor(page) == MASKED
    assert list(in_editor(page)) == list(CONFIG)
    # Drawn from what the follower knows.
    assert paper.asked == []


def test_a_viewer_has_a_table(viewer: Client) -> None:
    page = text(viewer.get(TAB))
    assert "textarea" not in page
    assert "You need the role editor to change it" in page
    assert f'<td class="mono">{HIDDEN}</td>' in page
    assert viewer.post(CONFIG_URL, {"config": "{}", "step": "save"}).status_code == 403


def test_nobody_else_sees_it(editor_of_orders: Client, paper: ConfigPaper, see: Callable[[], None]) -> None:
    paper.add("secret")
    see()
    assert editor_of_orders.get(TAB).status_code == 200
    assert editor_of_orders.get("/ui/clusters/eu/connectors/secret?tab=config").status_code == 404
    assert editor_of_orders.post("/ui/clusters/eu/config/secret", {"config": "{}"}).status_code == 404


def test_passwords_are_asked_for_where_they_are_not_known(room: Client, cluster: Cluster, paper: ConfigPaper) -> None:
    cluster.plugins.all().delete()
    assert in_editor(text(room.get(TAB))) == MASKED
    assert paper.asked == ["GET /connector-plugins?connectorsOnly=false", f"GET /connector-plugins/{SINK}/config"]
    room.get(TAB)
    assert len(paper.asked) == 2


def test_a_review_changes_nothing(room: Client, paper: ConfigPaper) -> None:
    page = text(review(room, {**MASKED, "file": "/tmp/new.txt", "pin": "neunundneunzig", "more": "x"} | {"unknown.key": "kept"}))
    assert "Save 3 changes" in page
    assert [re.findall(rf'data-kind="{kind}"', page) for kind in ("same", "removed")] == [[], []]
    assert "another secret" in page
    assert "neunundneunzig" not in page
    assert paper.asked == ["GET /connectors/orders/config"]


def test_a_save_keeps_secrets_and_unknown_keys_and_order(room: Client, cluster: Cluster, paper: ConfigPaper) -> None:
    answer = save(room, {**MASKED, "file": "/tmp/new.txt"}, note="the old disk was full")
    assert paper.body == {**CONFIG, "file": "/tmp/new.txt"}
    assert list(paper.body) == list(CONFIG)
    assert answer.headers["HX-Retarget"] == "#view"
    page = text(answer)
    assert "was saved, as version 2" in page
    # Before the follower has seen it.
    assert in_editor(page)["file"] == "/tmp/new.txt"
    last = versions.last(cluster, "orders")
    assert last is not None
    assert (last.number, last.by, last.note) == (2, "operator", "the old disk was full")
    done = Activity.objects.get()
    assert (done.verb, done.outcome, done.before, done.after) == ("config", "done", MASKED, {**MASKED, "file": "/tmp/new.txt"})


def test_a_save_asks_for_nothing_but_itself(room: Client, paper: ConfigPaper) -> None:
    """What has to restart for it is the cluster's to say: the tasks whose configs become others, and no more."""
    save(room, {**MASKED, "file": "/tmp/new.txt"})
    assert set(paper.asked) == {"GET /connectors/orders/config", "PUT /connectors/orders/config"}
    assert paper.asked.count("PUT /connectors/orders/config") == 1


def test_one_change_is_one_version(room: Client, cluster: Cluster, see: Callable[[], None]) -> None:
    save(room, {**MASKED, "file": "/tmp/new.txt"})
    see()
    assert [version.by for version in versions.of(cluster, "orders")] == ["operator", ""]


def test_secrets_can_be_changed_renamed_and_removed(room: Client, paper: ConfigPaper) -> None:
    without = {key: value for key, value in MASKED.items() if key not in ("db.password", "pin")}
    save(room, {**without, "database.password": HIDDEN, "pin": HIDDEN})
    assert (paper.config()["database.password"], paper.config()["pin"]) == ("geheim", "vierstellig")
    save(room, {**without, "database.password": "neu"}, opened=digest(paper.config()))
    assert paper.config() == {**{key: str(value) for key, value in without.items()}, "database.password": "neu"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"file": "********"}, "file: “********” is a mask"),
        ({"new.password": HIDDEN}, "new.password: there is no stored secret"),
        ({"file": "[hidden]"}, "file: “[hidden]” is a mask"),
        ({"file": None}, "Kafka Connect takes no null"),
        ({"name": "other"}, "A connector keeps its name"),
    ],
)
def test_what_is_not_written(room: Client, paper: ConfigPaper, change: dict[str, str | None], message: str) -> None:
    for step in ("review", "save"):
        answer = review(room, {**MASKED, **change}, step=step)
        assert answer.status_code == 422
        assert message in text(answer)
    assert paper.body is None


def test_what_is_no_config(room: Client, paper: ConfigPaper) -> None:
    answer = room.post(CONFIG_URL, {"config": '{"a": ', "step": "review"}, headers=HTMX)
    assert "This is not JSON: line 1" in text(answer)
    # Without scripts the page comes back with what was typed.
    page = text(room.post(CONFIG_URL, {"config": '{"a": ', "step": "review"}))
    assert '>{"a": </textarea>' in page
    assert paper.body is None


def test_without_scripts_it_goes_as_well(room: Client, paper: ConfigPaper) -> None:
    config = json.dumps({**MASKED, "file": "/tmp/new.txt"})
    page = text(room.post(CONFIG_URL, {"config": config, "opened": digest(CONFIG), "step": "review"}))
    assert in_editor(page)["file"] == "/tmp/new.txt"
    sent = {"config": config, "opened": digest(CONFIG), "reviewed": field(page, "reviewed"), "step": "save"}
    assert room.post(CONFIG_URL, sent).headers["Location"] == TAB
    assert paper.config()["file"] == "/tmp/new.txt"


def test_others_were_quicker(room: Client, paper: ConfigPaper) -> None:
    """What they changed is shown, and nothing is saved before that was seen."""
    opened = digest(CONFIG)
    paper.hold({**CONFIG, "topics": "elsewhere", "pin": "777"})
    mine = {**MASKED, "file": "/tmp/new.txt"}
    answer = review(room, mine, step="save", reviewed=digest({**CONFIG, "file": "/tmp/new.txt"}))
    assert answer.status_code == 409
    page = text(answer)
    assert "Somebody else has changed this config" in page
    assert re.findall(r'data-kind="changed"><td class="sign".*?<th scope="row" class="mono">([^<]+)', page) == [
        "topics", "pin", "topics", "file",
    ]  # fmt: skip
    assert paper.body is None
    # Having seen it.
    save(room, mine, opened=field(page, "opened"))
    assert paper.config() == {**CONFIG, "file": "/tmp/new.txt", "topics": "orders", "pin": "777"}
    assert opened != field(page, "opened")


def test_only_what_was_reviewed_is_saved(room: Client, paper: ConfigPaper) -> None:
    reviewed = field(text(review(room, {**MASKED, "file": "/tmp/a"})), "reviewed")
    page = text(review(room, {**MASKED, "file": "/tmp/b"}, step="save", reviewed=reviewed))
    assert "Save 1 change" in page
    assert paper.body is None


def test_a_refusal_tells_no_secret(room: Client, paper: ConfigPaper) -> None:
    page = text(review(room, {**MASKED, "file": "/x"}))
    paper.refusals["PUT config"] = (
        400,
        "Connector configuration is invalid: Invalid value geheim for db.password, vierstellig for pin",
    )
    answer = review(room, {**MASKED, "file": "/x"}, step="save", reviewed=field(page, "reviewed"))
    assert f"orders was not saved: Connector configuration is invalid: Invalid value {HIDDEN}" in text(answer)
    done = Activity.objects.get()
    assert (done.outcome, "geheim" in done.message) == ("refused", False)
    assert ConfigVersion.objects.count() == 1


def test_no_answer_is_told_as_what_it_is(room: Client, paper: ConfigPaper) -> None:
    paper.down = httpx.ReadTimeout("slow")
    assert "It is not known whether orders was saved" in text(review(room, MASKED))


def check(room: Client, config: dict[str, str | None], **more: str) -> dict[str, Any]:
    answer = room.post("/ui/clusters/eu/check", {"config": json.dumps(config), "name": "orders", **more})
    text(answer)
    found: dict[str, Any] = answer.json()
    return found


def test_a_check_is_the_cluster_s(room: Client, paper: ConfigPaper) -> None:
    paper.errors = {"file": "Invalid value geheim for configuration file: no such folder"}
    report = check(room, MASKED)
    assert report["errors"] == {"file": [f"Invalid value {HIDDEN} for configuration file: no such folder"]}
    assert (report["good"], report["sentence"]) == (False, report["errors"]["file"][0])
    assert paper.body == CONFIG
    assert paper.asked == [f"PUT /connector-plugins/{SINK}/config/validate"]
    assert [section["title"] for section in report["sections"]][:2] == ["General", "OrdersSink"]


@pytest.mark.parametrize(
    ("config", "good", "sentence"),
    [
        (MASKED, True, "Cluster eu would take it as it is."),
        ({"name": "orders"}, False, "It has no connector.class yet"),
        ({**MASKED, "name": "b"}, False, "A connector keeps its name"),
        ({**MASKED, "x.password": HIDDEN}, False, "there is no stored secret"),
    ],
)
def test_sentences(room: Client, config: dict[str, str | None], good: bool, sentence: str) -> None:
    report = check(room, config)
    assert sentence in report["sentence"]
    assert report["good"] is good


def test_a_dead_cluster_is_no_verdict(room: Client, paper: ConfigPaper) -> None:
    paper.down = httpx.ConnectError("Connection refused")
    report = check(room, MASKED)
    assert report["good"] is None
    assert report["sentence"].startswith("Nothing was checked")
    assert report["sections"] is None


def test_checking_is_for_editors(viewer: Client) -> None:
    assert viewer.post("/ui/clusters/eu/check", {"config": "{}", "name": "orders"}).status_code == 403
    assert viewer.post("/ui/clusters/eu/check", {"config": "{}"}).status_code == 403


def test_what_is_being_typed_stays(room: Client, paper: ConfigPaper, see: Callable[[], None]) -> None:
    key = field_of_panel(text(room.get(TAB)))
    fragment = text(room.get(f"{TAB}&shown={key}*", headers=HTMX))
    assert f'id="{key}"' in fragment
    assert "textarea" not in fragment
    assert "changed elsewhere" not in fragment
    paper.hold({**CONFIG, "topics": "elsewhere"})
    see()
    fragment = text(room.get(f"{TAB}&shown={key}*", headers=HTMX))
    assert "The config was changed elsewhere since you began" in fragment
    assert "textarea" not in fragment
    # Who has typed nothing gets the new one.
    assert in_editor(text(room.get(f"{TAB}&shown={key}", headers=HTMX)))["topics"] == "elsewhere"


def field_of_panel(page: str) -> str:
    found = re.search(r'data-kept="([^"]+)"', page)
    assert found
    return found[1]


def test_history_and_going_back(room: Client, paper: ConfigPaper, see: Callable[[], None]) -> None:
    paper.hold({**CONFIG, "file": "/tmp/elsewhere", "db.password": "anders"})
    see()
    page = text(room.get(f"{TAB}&view=history&older=1&newer=2"))
    assert "changed elsewhere" in page
    assert "2 changed: file, db.password" in page
    assert "Version 1 and version 2" in page
    assert "anders" not in page

    editor = text(room.get(f"{TAB}&version=1"))
    assert in_editor(editor)["file"] == "/tmp/orders.txt"
    assert "This is version 1, to go back to" in editor
    save(room, {**in_editor(editor)}, version="1", opened=field(editor, "opened"))
    # The secret of that version, too.
    assert paper.config() == CONFIG
    assert "by operator" in text(room.get(f"{TAB}&view=history"))


def test_a_connector_is_deleted_by_its_name(room: Client, cluster: Cluster, paper: ConfigPaper) -> None:
    wrong = room.post("/ui/clusters/eu/delete/orders", {"confirm": "order"})
    assert "was not deleted" in text(wrong)
    assert "orders" in paper.entries
    page = text(room.post("/ui/clusters/eu/delete/orders", {"confirm": "orders"}))
    assert "was deleted from cluster eu" in page
    assert "orders" not in paper.entries
    done = Activity.objects.get()
    assert (done.verb, done.before, done.after) == ("delete", MASKED, None)
    assert len(versions.of(cluster, "orders")) == 1


def test_questions_to_the_database_are_few(room: Client, django_assert_max_num_queries: Any) -> None:
    with django_assert_max_num_queries(9):
        room.get(TAB)
    with django_assert_max_num_queries(8):
        room.get(f"{TAB}&view=history")
