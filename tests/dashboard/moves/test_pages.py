"""Choosing, checking, beginning; how it goes; and who may."""

import json
import re
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dashboard.models import Activity, Cluster, Grant, Move
from dashboard.moves.plan import Options
from dashboard.rights.roles import Role
from tests.dashboard.moves.conftest import Begin, Carry
from tests.dashboard.moves.paper import Memory

FORM = "/ui/clusters/old/move/orders"


def fields(page: str) -> dict[str, str]:
    """Of the last form: what a browser would send."""
    form = page.rpartition('<form class="tools"')[2].partition("</form>")[0]
    return {name: unescape(value) for name, value in re.findall(r'name="([^"]+)" value="([^"]*)"', form)}


def check(room: Client, **sent: str) -> tuple[int, str]:
    page = room.get(FORM).content.decode()
    config = unescape(page.partition('aria-label="Config there">')[2].partition("</textarea>")[0])
    body = {"step": "check", "to": "new", "mode": "move", "config": config, "carry_offsets": "on", "start": "on", **sent}
    answer = room.post(FORM, {key: value for key, value in body.items() if value})
    return answer.status_code, answer.content.decode()


def test_a_move_is_chosen_checked_and_begun(room: Client, old: Memory, new: Memory, carried_out: Carry) -> None:
    page = room.get(FORM).content.decode()
    assert old.asked + new.asked == [], "nobody is asked while it is drawn"
    assert "geheim" not in page
    status, page = check(room)
    assert status == 200
    assert "geheim" not in page
    assert page.count('data-outcome="good"') == 10
    assert "The config goes over as it is." in page
    assert old.writes + new.writes == []
    answer = room.post(FORM, fields(page))
    move = Move.objects.get()
    assert answer.headers["Location"] == f"/ui/moves/{move.pk}"
    assert "Waiting to be begun" in room.get(answer.headers["Location"]).content.decode()
    carried_out(move)
    assert new.connectors["orders"].config["db.password"] == "geheim"
    page = room.get(f"/ui/moves/{move.pk}").content.decode()
    assert "orders in new runs. The one in old is STOPPED." in page
    assert page.count('data-look="done"') == 7
    assert "geheim" not in page

    room.post(f"/ui/moves/{move.pk}/undo")
    carried_out(Move.objects.get())
    page = room.get(f"/ui/moves/{move.pk}").content.decode()
    assert "Put back: orders in old is as it was before." in page
    assert "Move orders from old to new" in room.get("/ui/moves/").content.decode()
    assert {one.by for one in Activity.objects.all()} == {"operator"}


def test_keys_are_changed_on_the_way(room: Client, old: Memory, new: Memory, carried_out: Carry) -> None:
    config = {**old.connectors["orders"].config, "topic": "other", "db.password": "••••••••", "more": "x"}
    _, page = check(room, config=json.dumps(config), new_name="orders-2")
    rows = re.findall(r'<th scope="row" class="mono">([^<]*)</th>', page)
    assert set(rows) == {"topic", "name", "more"}
    room.post(FORM, fields(page))
    carried_out(Move.objects.get())
    made = new.connectors["orders-2"].config
    assert (made["topic"], made["db.password"], made["more"], made["name"]) == ("other", "geheim", "x", "orders-2")
    assert old.connectors["orders"].config["topic"] == "lines"


def test_what_was_not_looked_at_is_not_begun(room: Client, old: Memory) -> None:
    _, page = check(room)
    sent = fields(page)
    old.connectors["orders"].config["topic"] = "else"
    answer = room.post(FORM, sent)
    assert answer.status_code == 409
    assert "The config is not what was checked." in answer.content.decode()
    assert not Move.objects.exists()


@pytest.mark.parametrize(
    ("sent", "status", "words"),
    [
        ({"to": "nowhere"}, 422, "Choose a cluster."),
        ({"to": "old"}, 422, "Choose a cluster."),
        ({"config": "{"}, 422, "This is not JSON"),
        ({"start": "", "delete_source": "on"}, 422, "is deleted only when the new connector runs"),
        ({"config": '{"connector.class": "org.x.Nothing"}'}, 200, "new has no org.x.Nothing."),
        (
            {"config": '{"connector.class": "FileStreamSource", "x.token": "••••••••", "y.token": "••••••••"}'},
            200,
            "there is no stored secret to keep",
        ),
    ],
)
def test_what_cannot_be_meant(room: Client, sent: dict[str, str], status: int, words: str) -> None:
    answered, page = check(room, **sent)
    assert (answered, words in unescape(page)) == (status, True)
    assert "reviewed" not in fields(page)


def test_a_cluster_that_hides_its_secrets(room: Client, old: Memory) -> None:
    old.connectors["orders"].config["db.password"] = "********"
    _, page = check(room)
    assert "a mask was written in place of the secret" in page or "hides db.password" in page
    assert "reviewed" not in fields(page)


def test_a_dead_cluster_is_said(room: Client, new: Memory) -> None:
    new.down = True
    _, page = check(room)
    assert "http://new cannot be reached" in page
    assert "It cannot be done like this: 1 thing in the way." in page


def test_it_is_taken_by_another_move(room: Client, begun: Begin) -> None:
    _, page = check(room)
    sent = fields(page)
    begun(new_name="elsewhere")
    answer = room.post(FORM, sent)
    assert answer.status_code == 409
    assert "has to do with it, and has not ended" in unescape(answer.content.decode())


def test_what_is_typed_stays(room: Client) -> None:
    page = room.get(f"{FORM}?shown=move", headers={"HX-Request": "true"}).content.decode()
    assert 'data-kept="move"' in page
    assert "<form" not in page


def limited(*given: tuple[Role, str, str]) -> Client:
    user = User.objects.create_user(f"limited-{len(given)}")
    for role, cluster, pattern in given:
        Grant.objects.create(user=user, role=role, cluster=Cluster.objects.get(name=cluster), pattern=pattern)
    client = Client()
    client.force_login(user)
    return client


def test_both_sides_have_to_be_allowed(begun: Begin, new: Memory) -> None:
    here_only = limited((Role.EDITOR, "old", "*"))
    assert "There is no other cluster." in here_only.get(FORM).content.decode()
    viewer_there = limited((Role.EDITOR, "old", "*"), (Role.VIEWER, "new", "*"))
    assert "you need the role editor there" in viewer_there.get(FORM).content.decode()
    _, page = check(viewer_there)
    assert "You need the role editor for orders in new." in page
    assert new.asked == []
    assert viewer_there.get("/ui/clusters/new/move/orders").status_code == 404
    move = begun()
    assert here_only.get(f"/ui/moves/{move.pk}").status_code == 404
    assert "Move orders" not in here_only.get("/ui/moves/").content.decode()
    assert viewer_there.get(f"/ui/moves/{move.pk}").status_code == 200
    assert viewer_there.post(f"/ui/moves/{move.pk}/cancel").status_code == 403


def test_a_failed_one_says_what_was_done(room: Client, begun: Begin, carried_out: Carry, new: Memory) -> None:
    new.says.append(("PATCH offsets", 400, "The position is wrong"))
    move = carried_out(begun())
    page = room.get(f"/ui/moves/{move.pk}").content.decode()
    assert page.count('data-look="done"') == 4
    assert page.count('data-look="failed"') == 1
    assert page.count('data-look="not done"') == 2
    assert "What is marked ✓ below was done, the rest was not." in page


def test_cancelled_before_it_was_begun(room: Client, begun: Begin, carried_out: Carry, old: Memory) -> None:
    move = begun()
    page = room.post(f"/ui/moves/{move.pk}/cancel", headers={"HX-Request": "true"}).content.decode()
    assert "It stops before its next step." in page or "Waiting" in page
    carried_out(move)
    assert (move.state, old.writes) == ("cancelled", [])


def test_queries(room: Client, begun: Begin, carried_out: Carry, django_assert_num_queries: Any) -> None:
    carried_out(begun())
    room.get("/ui/moves/")
    with django_assert_num_queries(4) as few:
        room.get("/ui/moves/")
    for number in range(5):
        carried_out(begun(Options(start=False), new_name=f"o{number}"))
    with django_assert_num_queries(len(few)):
        room.get("/ui/moves/")


# --- /api/v1/ ---------------------------------------------------------------------------------------------------------

BODY = {"source": {"cluster": "old", "connector": "orders"}, "target": {"cluster": "new"}}


def post(room: Client, path: str, body: Any = None) -> tuple[int, Any]:
    answer = room.post(f"/api/v1/moves{path}", body, content_type="application/json")
    return answer.status_code, answer.json()


def test_by_the_api(room: Client, old: Memory, new: Memory, carried_out: Carry) -> None:
    status, told = post(room, "", {**BODY, "dry_run": True, "changes": {"topic": "other", "db.password": "anders"}})
    assert (status, told["possible"]) == (200, True)
    assert told["changes"] == [
        {"key": "topic", "from": "lines", "to": "other"},
        {"key": "db.password", "from": "••••••••", "to": "••••••••"},
    ]
    assert not Move.objects.exists()
    status, told = post(room, "", {**BODY, "changes": {"topic": "other"}, "options": {"delete_source": True}})
    assert (status, told["state"], told["options"]["delete_source"]) == (201, "waiting", True)
    carried_out(Move.objects.get())
    told = room.get(f"/api/v1/moves/{told['id']}").json()
    assert (told["state"], [step["outcome"] for step in told["steps"]]) == ("done", ["done"] * 8)
    assert room.get("/api/v1/moves").json()["moves"][0]["id"] == told["id"]
    assert post(room, f"/{told['id']}/undo") == (
        409,
        {"error_code": 409, "message": "orders in old was deleted: move orders in new to there instead."},
    )
    assert post(room, f"/{told['id']}/cancel")[0] == 409


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({}, 400, "source: "),
        ({**BODY, "config": {}, "changes": {}}, 400, "not both"),
        ({**BODY, "options": {"mode": "copy", "delete_source": True}}, 400, "A copy leaves the source as it is"),
        ({**BODY, "options": {"mode": "fly"}}, 400, "fly"),
        ({**BODY, "source": {"cluster": "old", "connector": "nobody"}}, 404, "no connector nobody"),
        ({**BODY, "target": {"cluster": "nowhere"}}, 404, "no cluster nowhere"),
        ({**BODY, "target": {"cluster": "old", "connector": "x"}}, 409, "from one cluster to another"),
        ({**BODY, "changes": {"connector.class": "org.x.Nothing"}}, 409, "new has no org.x.Nothing."),
    ],
)
def test_what_the_api_refuses(room: Client, old: Memory, new: Memory, body: Any, status: int, words: str) -> None:
    answered, told = post(room, "", body)
    assert (answered, told["error_code"]) == (status, status)
    assert words in told["message"]
    assert old.writes + new.writes == []
    assert not Move.objects.exists()


def test_undone_and_cancelled_by_the_api(room: Client, begun: Begin, carried_out: Carry, old: Memory, new: Memory) -> None:
    move = carried_out(begun())
    status, told = post(room, f"/{move.pk}/undo")
    assert (status, told["state"]) == (202, "undoing")
    carried_out(move)
    assert (old.connectors["orders"].wanted, new.connectors) == ("RUNNING", {})
    again = begun()
    status, told = post(room, f"/{again.pk}/cancel")
    assert (status, told["cancelling"]) == (202, True)
    assert carried_out(again).state == "cancelled"
