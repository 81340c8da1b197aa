"""Settings → Alerts, and `/api/v1/alerts`."""

from typing import Any

import pytest
from django.test import Client

from dashboard.models import Activity, Alert, AlertDelivery, AlertRule, Cluster
from dashboard.sealed import seal, unseal
from tests.dashboard.alerts.conftest import NOW, MakeRule
from tests.dashboard.alerts.receivers import Receiver
from tests.dashboard.alerts.test_watch import Room
from tests.dashboard.conftest import PaperCluster

RULES = "/api/v1/alerts/rules"
WHOLE: dict[str, Any] = {
    "name": "nights",
    "enabled": True,
    "cluster": "eu",
    "connectors": "orders-*",
    "states": ["FAILED", "UNREACHABLE"],
    "lasting_seconds": 90,
    "text": "disk",
    "channel": "slack",
    "address": "https://hooks.slack.com/services/T0/B0/geheim",
}


def body(client: Client, path: str = "/ui/settings/alerts/") -> str:
    return client.get(path).content.decode()


def sent(client: Client, path: str, method: str = "post", **values: Any) -> Any:
    return getattr(client, method)(path, values, content_type="application/json")


def test_first_there_is_nothing(room: Client, db: None) -> None:
    page = body(room)
    assert "Nobody is told of anything yet." in page
    assert 'aria-current="page">Alerts</a>' in page


def test_a_rule_by_form(room: Client, cluster: Cluster) -> None:
    assert "Add a rule" in body(room, "/ui/settings/alerts/add")
    form = {key: value for key, value in WHOLE.items() if key != "enabled"}
    response = room.post("/ui/settings/alerts/add", {**form, "enabled": "on"})
    assert (response.status_code, response.headers["Location"]) == (302, "/ui/settings/alerts/")
    rule = AlertRule.objects.get()
    assert (rule.cluster, rule.pattern, rule.states, rule.lasting_seconds) == (cluster, "orders-*", ["FAILED", "UNREACHABLE"], 90)
    assert unseal(rule.address) == WHOLE["address"]
    page = body(room)
    assert "orders-* in eu is FAILED, with “disk”; or cluster eu cannot be reached; for 90 s" in page
    assert "hooks.slack.com" in page
    assert "geheim" not in page + body(room, f"/ui/settings/alerts/{rule.pk}") + str(list(Activity.objects.values()))


def test_a_form_that_cannot_be_used_keeps_what_was_typed(room: Client, cluster: Cluster) -> None:
    response = room.post("/ui/settings/alerts/add", {**WHOLE, "name": "x", "lasting_seconds": "soon"})
    page = response.content.decode()
    assert response.status_code == 422
    assert "Nothing was saved." in page
    assert "A valid integer is required." in page
    assert 'value="soon"' in page
    assert 'value="orders-*"' in page
    assert not AlertRule.objects.exists()


def test_an_address_is_kept_unless_another_is_typed(room: Client, make_rule: MakeRule, hook: Receiver) -> None:
    rule = make_rule()
    path = f"/ui/settings/alerts/{rule.pk}"
    AlertRule.objects.update(claimed_by="somebody")
    form = {"name": "renamed", "connectors": "*", "states": ["FAILED"], "lasting_seconds": 5, "channel": "webhook", "address": ""}
    assert room.post(path, form).status_code == 302
    rule.refresh_from_db()
    assert (rule.name, unseal(rule.address), rule.enabled, rule.claimed_by) == ("renamed", hook.url, False, "somebody")
    assert room.post(path, {**form, "channel": "slack"}).status_code == 422
    assert room.post(path, {**form, "channel": "slack", "address": "https://chat.example/x"}).status_code == 302
    rule.refresh_from_db()
    assert unseal(rule.address) == "https://chat.example/x"


def test_a_test_shows_what_the_receiver_says(room: Client, make_rule: MakeRule, hook: Receiver) -> None:
    rule = make_rule()
    path = f"/ui/settings/alerts/{rule.pk}/test"
    hook.body = b"thank you"
    assert "127.0.0.1 answered 200 OK: thank you" in room.post(path).content.decode()
    assert hook.got[0]["event"] == "test"
    hook.status = 403
    page = room.post(path, headers={"HX-Request": "true"}).content.decode()
    assert "“failed” was not taken." in page
    assert "403 Forbidden" in page
    assert [one.outcome for one in Activity.objects.filter(verb="test-alert-rule").order_by("pk")] == ["done", "refused"]


def test_what_fires_and_what_is_over(
    room: Client, cluster: Cluster, paper: PaperCluster, make_rule: MakeRule, hook: Receiver
) -> None:
    make_rule()
    world = Room(cluster, paper)
    paper.put("orders", "FAILED", "FAILED")
    hook.status = 500
    world.round()
    page = body(room)
    assert "1 alert now" in page
    assert "java.io.IOException: disk full" in page
    assert "not yet, 1 attempt" in page
    assert "not taken yet: 127.0.0.1 answered 500" in page
    hook.status = 200
    paper.entries.clear()
    world.round(60)
    assert "not any more" in body(room)
    world.round(30)
    page = body(room)
    assert "Nothing to tell of now" in page
    assert "of the end " in page


def test_queries_are_few_however_much_there_is(room: Client, make_rule: MakeRule, django_assert_num_queries: Any) -> None:
    body(room)
    for number in range(5):
        rule = make_rule(f"rule {number}")
        for connector in range(5):
            message = AlertDelivery.objects.create(rule=rule, ended=False, made_at=NOW, next_try_at=NOW)
            Alert.objects.create(
                rule=rule, cluster="eu", connector=f"c{connector}", since=NOW, began_at=NOW, began_message=message
            )
    with django_assert_num_queries(7):
        body(room)


def test_deleting_wants_its_name(room: Client, make_rule: MakeRule, hook: Receiver) -> None:
    rule = make_rule()
    path = f"/ui/settings/alerts/{rule.pk}/delete"
    assert room.post(path, {"confirm": "fail"}).status_code == 422
    assert AlertRule.objects.exists()
    assert room.post(path, {"confirm": "failed"}).status_code == 302
    assert not AlertRule.objects.exists()


@pytest.mark.parametrize(("deed", "status"), [("on", 302), ("off", 302), ("frobnicate", 404)])
def test_switching(room: Client, make_rule: MakeRule, hook: Receiver, deed: str, status: int) -> None:
    rule = make_rule()
    assert room.post(f"/ui/settings/alerts/{rule.pk}/{deed}").status_code == status
    rule.refresh_from_db()
    assert rule.enabled is (deed != "off")


def test_by_api(room: Client, cluster: Cluster) -> None:
    made = sent(room, RULES, **WHOLE)
    assert made.status_code == 201
    told = {key: value for key, value in WHOLE.items() if key != "address"}
    assert made.json() == {**told, "id": made.json()["id"], "receiver": "hooks.slack.com"}
    path = f"{RULES}/{made.json()['id']}"
    assert room.get(RULES).json() == [made.json()] == [room.get(path).json()]
    changed = sent(room, path, "put", **told | {"cluster": None, "text": ""})
    assert changed.json() == {**made.json(), "cluster": None, "text": ""}
    assert unseal(AlertRule.objects.get().address) == WHOLE["address"]
    assert room.get("/api/v1/alerts").json() == {"firing": [], "ended": []}
    assert room.delete(path).status_code == 204
    gone = room.get(path)
    assert (gone.status_code, gone.json()["message"]) == (404, f"There is no alert rule {made.json()['id']}")
    assert [one.verb for one in Activity.objects.order_by("pk")] == [
        "create-alert-rule",
        "change-alert-rule",
        "delete-alert-rule",
    ]
    assert "geheim" not in str(list(Activity.objects.values()))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"name": ""}, "name: "),
        ({"name": "taken"}, "name: There is a rule of this name already."),
        ({"cluster": "nowhere"}, "cluster: "),
        ({"states": []}, "states: "),
        ({"states": ["BROKEN"]}, "states: "),
        ({"states": "FAILED"}, "states: "),
        ({"lasting_seconds": -1}, "lasting_seconds: "),
        ({"lasting_seconds": 604801}, "lasting_seconds: "),
        ({"channel": "fax"}, "channel: "),
        ({"channel": "email", "address": "ann@example.org"}, "channel: No mail server is set: DROVER_SMTP_URL."),
        ({"channel": "pagerduty"}, "key: PagerDuty asks for the routing key"),
        ({"key": "x"}, "key: Only PagerDuty has one."),
        ({"address": ""}, "address: This must be a URL"),
        ({"address": "ftp://x/y"}, "address: This must be a URL"),
        ({"address": "https:///y"}, "address: This must be a URL"),
        ({"address": "https://x:99999/"}, "address: This must be a URL"),
        ({"address": "https://x/a b"}, "address: This must be a URL"),
    ],
)
def test_what_is_no_rule(room: Client, cluster: Cluster, change: dict[str, Any], told: str) -> None:
    AlertRule.objects.create(name="taken", address=seal("http://x"))
    response = sent(room, RULES, **(WHOLE | change))
    assert response.status_code == 400
    assert response.json()["error_code"] == 400
    assert response.json()["message"].startswith(told), response.json()
    assert AlertRule.objects.count() == 1


@pytest.mark.parametrize(
    ("address", "good"),
    [("ann@example.org, bob@example.org", True), ("ann", False), ("@x", False), ("ann@", False), ("", False), ("a b@c", False)],
)
def test_mail_addresses(room: Client, cluster: Cluster, settings: Any, address: str, good: bool) -> None:
    settings.EMAIL_HOST = "mail"
    response = sent(room, RULES, **(WHOLE | {"channel": "email", "address": address}))
    assert response.status_code == (201 if good else 400), response.json()


def test_pagerduty_s_address_is_known(room: Client, cluster: Cluster) -> None:
    made = sent(room, RULES, **(WHOLE | {"channel": "pagerduty", "address": "", "key": "k"}))
    assert made.json()["receiver"] == "events.pagerduty.com"
    rule = AlertRule.objects.get()
    assert unseal(rule.key) == "k"
    sent(room, f"{RULES}/{rule.pk}", "put", **(WHOLE | {"channel": "pagerduty", "address": ""}))
    rule.refresh_from_db()
    assert unseal(rule.key) == "k"


def test_a_test_by_api(room: Client, make_rule: MakeRule, hook: Receiver) -> None:
    rule = make_rule()
    answer = sent(room, f"{RULES}/{rule.pk}/test")
    assert answer.json() == {"taken": True, "answer": "127.0.0.1 answered 200 OK: ok"}


def test_alerts_by_api(room: Client, cluster: Cluster, paper: PaperCluster, make_rule: MakeRule, hook: Receiver) -> None:
    make_rule()
    world = Room(cluster, paper)
    paper.put("orders", "FAILED", "FAILED")
    world.round()
    (told,) = room.get("/api/v1/alerts").json()["firing"]
    assert (told["connector"], told["state"], told["rule"]) == ("orders", "FAILED", "failed")
    assert told["began_message"]["gave_up"] is False
    assert told["began_message"]["told_at"]
