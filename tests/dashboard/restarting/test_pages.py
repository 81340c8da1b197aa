"""Policies and the switch of a connector, in the browser's pages and by `/api/v1/`."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from dashboard.follow.recorder import Recorder
from dashboard.models import Activity, AutoRestart, Cluster, RestartOverride, RestartPolicy
from tests.dashboard.conftest import PaperCluster

ORDERS = "/ui/clusters/eu/connectors/orders"
API = "/api/v1/connectors/eu/orders/auto-restart"


@pytest.fixture(autouse=True)
def policy(db: None) -> RestartPolicy:
    return RestartPolicy.objects.get_or_create(name="Everything")[0]


@pytest.fixture
def recorder(cluster: Cluster, paper: PaperCluster) -> Recorder:
    """orders has failed, fine has not."""
    paper.put("orders", "RUNNING", "FAILED", "RUNNING")
    paper.put("fine", "RUNNING", "RUNNING")
    recorder = Recorder(cluster)
    recorder.listing(paper.entries, datetime.now(UTC))
    recorder.reached("4.3.0", datetime.now(UTC))
    return recorder


def kept(cluster: Cluster, **fields: Any) -> AutoRestart:
    ago = datetime.now(UTC) - timedelta(seconds=70)
    defaults = {"connector": "orders", "count": 2, "last_restart_at": ago, "trace": "task 0:\njava.io.IOException: disk full"}
    return AutoRestart.objects.create(cluster=cluster, **defaults | fields)


def text(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


# A connector


def test_a_connector_says_whether_and_when(room: Client, recorder: Recorder) -> None:
    told = text(room, ORDERS)
    assert "Automatic restart on" in told
    assert "by policy “Everything”" in told
    assert "next at once" in told
    assert (
        "next" not in text(room, ORDERS.replace("orders", "fine")).partition('class="auto-restart"')[2].partition("</section>")[0]
    )


def test_and_how_often_and_of_what(room: Client, recorder: Recorder, cluster: Cluster) -> None:
    kept(cluster, message="HTTP 500")
    told = text(room, ORDERS)
    assert "restarted 2 times of 6 by itself" in told
    assert "in 2 min</time>" in told, "four minutes after the last"
    assert "the cluster said: HTTP 500" in told
    assert "java.io.IOException: disk full</pre>" in told
    assert "gave up" not in told
    fleet = text(room, "/ui/")
    assert "in 2 min</time></span>" in fleet
    assert "restarted 2 times until now" in fleet


def test_what_was_given_up_says_so_there_and_in_the_fleet(room: Client, recorder: Recorder, cluster: Cluster) -> None:
    kept(cluster, count=6, gave_up_at=datetime.now(UTC))
    assert "<b>gave up</b>" in text(room, ORDERS)
    fleet = text(room, "/ui/")
    assert fleet.count(">gave up</span>") == 1
    assert "It was restarted 6 times by itself" in fleet


def test_the_fleet_is_filtered_by_it(room: Client, recorder: Recorder, cluster: Cluster, paper: PaperCluster) -> None:
    paper.put("lake", "FAILED")
    recorder.listing(paper.entries, datetime.now(UTC))
    assert ">gave up <b>" not in text(room, "/ui/"), "no chip for what there is not"
    kept(cluster, count=6, gave_up_at=datetime.now(UTC))
    # Given up, and well again since.
    kept(cluster, connector="fine", count=6, gave_up_at=datetime.now(UTC))
    assert re.search(r'<a href="\?is=gave-up"\s*>gave up <b>1</b></a>', text(room, "/ui/"))

    def names(query: str) -> list[str]:
        return [one["name"] for one in room.get(f"/api/v1/fleet?{query}").json()["connectors"]]

    assert names("is=gave-up") == names("q=is:gave-up+cluster:eu") == ["orders"]
    assert names("is=gave-up&state=failed") == []
    assert 'aria-label="Without is gave-up"' in text(room, "/ui/?is=gave-up")


def test_what_runs_again_was_not_given_up(room: Client, recorder: Recorder, cluster: Cluster, paper: PaperCluster) -> None:
    kept(cluster, count=6, gave_up_at=datetime.now(UTC))
    paper.put("orders", "RUNNING", "RUNNING", "RUNNING")
    recorder.listing(paper.entries, datetime.now(UTC))
    assert "<b>gave up</b>" not in text(room, ORDERS)
    assert ">gave up</span>" not in text(room, "/ui/")


def test_it_is_switched_off_for_one_connector_and_on_again(room: Client, recorder: Recorder) -> None:
    switch = "/ui/clusters/eu/auto-restart/{}/orders"
    told = room.post(switch.format("off"), headers={"hx-request": "true"}).content.decode()
    assert "Automatic restart off" in told
    assert "switched for this connector alone" in told
    assert RestartOverride.objects.values_list("connector", "enabled", "source").get() == ("orders", False, "ui")
    assert room.post(switch.format("on")).status_code == 302
    assert RestartOverride.objects.get().enabled is True
    assert room.post(switch.format("policies")).status_code == 302
    assert not RestartOverride.objects.exists()
    assert room.post(switch.format("sideways")).status_code == 404
    noted = Activity.objects.order_by("pk").values_list("by", "verb", "cluster", "connector", "after")
    assert noted[0] == ("operator", "change-automatic-restart", "eu", "orders", {"enabled": False, "max_restarts": None})


def test_the_switch_leaves_the_limit(room: Client, recorder: Recorder, cluster: Cluster) -> None:
    RestartOverride.objects.create(cluster=cluster, connector="orders", max_restarts=3)
    room.post("/ui/clusters/eu/auto-restart/off/orders")
    assert RestartOverride.objects.values_list("enabled", "max_restarts").get() == (False, 3)


def test_one_connector_has_a_limit_of_its_own(room: Client, recorder: Recorder, cluster: Cluster) -> None:
    limit = "/ui/clusters/eu/auto-restart/limit/orders"
    assert 'name="max_restarts" min="0" max="100000" value="" placeholder="6"' in text(room, ORDERS)
    RestartOverride.objects.create(cluster=cluster, connector="orders", enabled=True)
    assert room.post(limit, {"max_restarts": " 1 "}).status_code == 302
    assert RestartOverride.objects.values_list("enabled", "max_restarts").get() == (True, 1)
    assert "1 restart at most, for this connector alone" in text(room, ORDERS)
    for wrong, told in (("-1", "greater than or equal to 0"), ("many", "A valid integer is required")):
        response = room.post(limit, {"max_restarts": wrong}, headers={"hx-request": "true"})
        assert response.status_code == 422
        assert told in response.content.decode()
    assert room.post(limit, {"max_restarts": ""}).status_code == 302
    assert RestartOverride.objects.values_list("enabled", "max_restarts").get() == (True, None)
    RestartOverride.objects.update(enabled=None)
    room.post(limit, {"max_restarts": "0"})
    assert "0 restarts at most" in text(room, ORDERS)
    room.post(limit, {})
    assert not RestartOverride.objects.exists()
    RestartOverride.objects.create(cluster=cluster, connector="orders", max_restarts=3, source="resource")
    assert "3 restarts at most, as its resource says" in text(room, ORDERS)
    assert 'name="max_restarts"' not in text(room, ORDERS)
    assert "change it there" in room.post(limit, {"max_restarts": "1"}).content.decode()


def test_what_a_resource_says_is_not_changed_here(room: Client, recorder: Recorder, cluster: Cluster) -> None:
    RestartOverride.objects.create(cluster=cluster, connector="orders", enabled=False, source="resource")
    assert "its resource says so" in text(room, ORDERS)
    told = room.post("/ui/clusters/eu/auto-restart/on/orders").content.decode()
    assert "The resource of orders says whether it is restarted by itself" in told
    assert room.put(API, {"enabled": True}, content_type="application/json").status_code == 409
    assert RestartOverride.objects.values_list("enabled", "source").get() == (False, "resource")


def test_an_installation_that_does_not_says_so(room: Client, recorder: Recorder, settings: Any) -> None:
    settings.AUTO_RESTART = False
    assert "this installation restarts nothing by itself" in text(room, ORDERS)
    assert "This installation restarts nothing by itself." in text(room, "/ui/settings/restarting/")


def test_the_same_by_the_api(room: Client, recorder: Recorder, cluster: Cluster) -> None:
    row = kept(cluster)
    told = room.get(API).json()
    assert row.last_restart_at is not None
    due = (row.last_restart_at + timedelta(minutes=4)).isoformat().replace("+00:00", "Z")
    assert (told["enabled"], told["policy"], told["max_restarts"], told["count"]) == (True, "Everything", 6, 2)
    assert (told["next_restart_at"], told["gave_up_at"], told["override"]) == (due, None, None)
    assert told["trace"].endswith("disk full")
    changed = room.put(API, {"enabled": None, "max_restarts": 2}, content_type="application/json").json()
    assert (changed["max_restarts"], changed["next_restart_at"]) == (2, None)
    assert changed["override"] == {"enabled": None, "max_restarts": 2, "source": "ui"}
    off = room.put(API, {"enabled": False}, content_type="application/json").json()
    assert (off["enabled"], off["override"]["max_restarts"]) == (False, None)
    assert room.put(API, {"max_restarts": -1}, content_type="application/json").status_code == 400
    assert room.get(API.replace("orders", "nothing")).status_code == 404


def test_a_failing_connector_costs_no_more_queries_than_another(
    room: Client, recorder: Recorder, cluster: Cluster, django_assert_num_queries: Any
) -> None:
    room.get(ORDERS)
    with django_assert_num_queries(11):
        room.get(ORDERS.replace("orders", "fine"))
    kept(cluster)
    with django_assert_num_queries(11):
        room.get(ORDERS)


# Policies

NIGHTS = {
    "name": "nights",
    "enabled": "on",
    "cluster": "",
    "connectors": "orders-*",
    "classes": "JdbcSink",
    "text": "timeout",
    "schedule": "strimzi",
    "max_restarts": "7",
    "quiet_from": "22:00",
    "quiet_until": "06:30",
    "zone": "Europe/Vienna",
}


def names() -> list[str]:
    return list(RestartPolicy.objects.values_list("name", flat=True))


def test_a_policy_is_added_before_the_others(room: Client, cluster: Cluster) -> None:
    response = room.post("/ui/settings/restarting/add", NIGHTS | {"cluster": "eu"})
    assert response.status_code == 302
    told = text(room, "/ui/settings/restarting/")
    assert names() == ["nights", "Everything"]
    assert "orders-* in eu, class JdbcSink, failed with “timeout”" in told
    assert "; 7 restarts at most; not from 22:00 to 06:30, Europe/Vienna" in told
    assert Activity.objects.values_list("by", "verb", "cluster").get() == ("operator", "create-restart-policy", "eu")


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"name": ""}, "may not be blank"),
        ({"name": "Everything"}, "There is a policy of this name already."),
        ({"schedule": "sometimes"}, "is not a valid choice"),
        ({"max_restarts": "-1"}, "greater than or equal to 0"),
        ({"quiet_until": ""}, "Quiet hours have a beginning and an end."),
        ({"quiet_from": "25:00"}, "Time has wrong format"),
        ({"zone": "Middle/Earth"}, "This must be the name of a time zone"),
        ({"cluster": "nowhere"}, "does not exist"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_saved(room: Client, wrong: dict[str, str], sentence: str) -> None:
    response = room.post("/ui/settings/restarting/add", NIGHTS | wrong)
    assert response.status_code == 422
    told = response.content.decode()
    assert sentence in told
    assert 'value="orders-*"' in told, "what was typed stays"
    assert names() == ["Everything"]


def test_a_policy_is_changed_ordered_switched_off_and_deleted(room: Client) -> None:
    room.post("/ui/settings/restarting/add", NIGHTS)
    nights = RestartPolicy.objects.get(name="nights")
    of = f"/ui/settings/restarting/{nights.pk}"
    assert 'value="22:00"' in text(room, of)
    assert room.post(of, NIGHTS | {"name": "days", "quiet_from": "", "quiet_until": "", "max_restarts": ""}).status_code == 302
    nights.refresh_from_db()
    assert (nights.name, nights.quiet_from, nights.max_restarts) == ("days", None, None)
    room.post(f"{of}/down")
    assert names() == ["Everything", "days"]
    room.post(f"{of}/down")
    assert names() == ["Everything", "days"]
    room.post(f"{of}/up")
    assert names() == ["days", "Everything"]
    room.post(f"{of}/off")
    nights.refresh_from_db()
    assert not nights.enabled
    assert room.post(f"{of}/sideways").status_code == 404
    assert room.post(f"{of}/delete").status_code == 302
    assert names() == ["Everything"]
    assert room.get(of).status_code == 404
    verbs = list(Activity.objects.order_by("pk").values_list("verb", flat=True))
    changed = ["change-restart-policy", "order-restart-policies", "order-restart-policies", "change-restart-policy"]
    assert verbs == ["create-restart-policy", *changed, "delete-restart-policy"]


def test_without_any_the_page_says_what_that_means(room: Client, policy: RestartPolicy) -> None:
    policy.delete()
    assert "Nothing is restarted by itself." in text(room, "/ui/settings/restarting/")


def test_policies_by_the_api(room: Client, cluster: Cluster, policy: RestartPolicy) -> None:
    body = {"name": "nights", "cluster": "eu", "quiet_from": "22:00", "quiet_until": "06:30", "schedule": "never"}
    made = room.post("/api/v1/restart-policies", body, content_type="application/json")
    assert made.status_code == 201
    first = made.json()
    assert (first["connectors"], first["quiet_until"], first["zone"]) == ("*", "06:30", "UTC")
    assert [one["name"] for one in room.get("/api/v1/restart-policies").json()] == ["nights", "Everything"]
    order = room.put("/api/v1/restart-policies/order", {"order": [policy.pk, first["id"]]}, content_type="application/json")
    assert [one["name"] for one in order.json()] == ["Everything", "nights"]
    wrong = room.put("/api/v1/restart-policies/order", {"order": [policy.pk]}, content_type="application/json")
    assert (wrong.status_code, names()) == (409, ["Everything", "nights"])
    one = f"/api/v1/restart-policies/{first['id']}"
    changed = room.put(one, {**first, "max_restarts": 3}, content_type="application/json")
    assert changed.json() == {**first, "max_restarts": 3} == room.get(one).json()
    assert room.post("/api/v1/restart-policies", {"name": "nights"}, content_type="application/json").status_code == 400
    assert room.delete(one).status_code == 204
    assert room.get(one).status_code == 404
