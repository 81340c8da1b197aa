"""`/api/v1/jobs` and `/api/v1/exports`."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dashboard.models import Grant, Job
from dashboard.rights.roles import Role
from tests.dashboard.jobs.conftest import Clock, Fleet, run_of
from tests.dashboard.jobs.test_run import drive

JOBS = "/api/v1/jobs"


@pytest.fixture
def seen(fleet: Fleet) -> Fleet:
    fleet.add("eu", orders="RUNNING FAILED RUNNING", lake="FAILED", fine="RUNNING RUNNING")
    fleet.add("us", **{"orders-us": "RUNNING FAILED FAILED"})
    fleet.look()
    return fleet


def post(room: Client, path: str, body: Any, status: int = 202, key: str | None = None) -> Any:
    headers = {} if key is None else {"Idempotency-Key": key}
    response = room.post(path, body, content_type="application/json", headers=headers)
    assert response.status_code == status, response.content
    return response.json()


def names(told: dict[str, Any]) -> list[str]:
    return [item["connector"] for item in told["items"]]


def test_what_failed_is_restarted(room: Client, seen: Fleet, clock: Clock) -> None:
    told = post(room, JOBS, {"verb": "restart", "filter": ""})
    assert (told["about"], told["state"], told["by"], told["via"]) == (
        "Restart 4 failed in 3 connectors",
        "waiting",
        "operator",
        "api",
    )
    assert names(told) == ["lake", "orders", "orders-us"]
    seen.stubborn.add("lake")
    drive(run_of(Job.objects.get(), clock), seen, clock)
    done = room.get(f"{JOBS}/{told['id']}").json()
    assert (done["state"], done["counts"], done["next"]) == ("done", {"failed again": 1, "done": 2}, None)
    assert (done["items"][0]["state"], done["items"][0]["cause"]) == ("failed again", "java.io.IOException: disk full")
    assert isinstance(done["items"][1]["back_after"], float)
    failed = room.get(f"{JOBS}/{told['id']}?show=failed").json()
    assert names(failed) == ["lake"]
    assert [job["id"] for job in room.get(JOBS).json()["jobs"]] == [told["id"]]


def test_a_dry_run(room: Client, seen: Fleet) -> None:
    body = {
        "verb": "restart",
        "connectors": [{"cluster": "eu", "name": "orders"}, {"cluster": "eu", "name": "fine"}],
        "dry_run": True,
    }
    assert post(room, JOBS, body, 200) == {
        "verb": "restart",
        "options": {"only_failed": True, "include_tasks": True, "include_connector": True},
        "about": "Restart 1 failed in 1 connector",
        "connectors": [{"cluster": "eu", "name": "orders", "connector": False, "tasks": [0]}],
        "left_out": [{"cluster": "eu", "name": "fine", "reason": "has nothing that failed"}],
    }
    assert not Job.objects.exists()


def test_a_filter_is_that_of_the_fleet_page(room: Client, seen: Fleet) -> None:
    assert names(post(room, JOBS, {"verb": "pause", "filter": "?state=degraded&q=orders"})) == ["orders"]


def test_options(room: Client, seen: Fleet) -> None:
    options = {"only_failed": False, "include_connector": False}
    told = post(room, JOBS, {"verb": "restart", "connectors": [{"cluster": "us", "name": "orders-us"}], "options": options})
    assert told["options"] == {"only_failed": False, "include_tasks": True, "include_connector": False}


def test_a_repeated_request_makes_one_job(room: Client, seen: Fleet) -> None:
    body = {"verb": "restart", "filter": ""}
    first = post(room, JOBS, body, key="night-1")
    assert post(room, JOBS, body, key="night-1")["id"] == first["id"]
    assert post(room, JOBS, body, key="night-2")["id"] != first["id"]
    other = Client()
    other.force_login(User.objects.create_superuser("another"))
    assert post(other, JOBS, body, key="night-1")["id"] != first["id"]


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ({"verb": "explode", "filter": ""}, 400, 'verb: "explode" is not a valid choice.'),
        ({"verb": "restart"}, 400, "Either filter or connectors has to be there"),
        (
            {"verb": "restart", "filter": "", "connectors": [{"cluster": "eu", "name": "lake"}]},
            400,
            "Either filter or connectors",
        ),
        ({"verb": "restart", "connectors": []}, 400, "connectors"),
        ({"verb": "restart", "connectors": [{"cluster": "eu"}]}, 400, "name: This field is required."),
        ({"verb": "restart", "filter": "", "onlyFailed": True}, 400, "Not known: onlyFailed"),
        ({"verb": "restart", "filter": "", "options": {"includeTasks": True}}, 400, "Not known: options.includeTasks"),
        (
            {"verb": "restart", "filter": "", "options": {"include_tasks": False, "include_connector": False}},
            400,
            "Neither connectors nor tasks",
        ),
        ([], 400, "Invalid data"),
        (
            {"verb": "restart", "connectors": [{"cluster": "eu", "name": "nobody"}]},
            404,
            "There is no connector nobody in cluster eu",
        ),
        ({"verb": "restart", "filter": "q=fine"}, 409, "There is nothing to do"),
    ],
)
def test_refusals(room: Client, seen: Fleet, body: Any, status: int, message: str) -> None:
    told = post(room, JOBS, body, status)
    assert told["error_code"] == status
    assert message in told["message"]
    assert not Job.objects.exists()
    assert seen.asked == []


def test_keys_and_pages_that_make_no_sense(room: Client, seen: Fleet) -> None:
    post(room, JOBS, {"verb": "restart", "filter": ""}, 400, key="x" * 201)
    assert room.get(f"{JOBS}?page=0").status_code == 400
    assert room.get(f"{JOBS}/77").json() == {"error_code": 404, "message": "There is no job 77"}


def test_cancelling(room: Client, seen: Fleet, clock: Clock) -> None:
    job = post(room, JOBS, {"verb": "restart", "filter": ""})["id"]
    assert post(room, f"{JOBS}/{job}/cancel", None)["state"] == "cancelling"
    assert post(room, f"{JOBS}/{job}/cancel", None)["state"] == "cancelling"
    drive(run_of(Job.objects.get(), clock), seen, clock)
    assert room.get(f"{JOBS}/{job}").json()["state"] == "cancelled"
    assert post(room, f"{JOBS}/{job}/cancel", None, 409)["message"] == f"Job {job} is over"


def test_rights(seen: Fleet) -> None:
    user = User.objects.create_user("olga")
    Grant.objects.create(user=user, role=Role.OPERATOR, pattern="orders*")
    Grant.objects.create(user=user, role=Role.VIEWER, pattern="fine")
    olga = Client()
    olga.force_login(user)
    assert names(post(olga, JOBS, {"verb": "restart", "filter": ""})) == ["orders", "orders-us"]
    orders = [{"cluster": "eu", "name": "orders"}]
    assert post(olga, JOBS, {"verb": "delete", "connectors": orders}, 403)["message"] == "This needs the role editor"
    assert post(olga, JOBS, {"verb": "pause", "connectors": [{"cluster": "eu", "name": "fine"}]}, 403)["error_code"] == 403
    told = post(olga, JOBS, {"verb": "pause", "filter": "", "dry_run": True}, 200)
    assert told["left_out"] == [{"cluster": "eu", "name": "fine", "reason": "needs the role operator"}]
    post(olga, JOBS, {"verb": "restart", "connectors": [{"cluster": "eu", "name": "lake"}]}, 404)


def test_pages(room: Client, fleet: Fleet) -> None:
    fleet.add("eu", **{f"c{number:03}": "RUNNING FAILED" for number in range(150)})
    told = post(room, JOBS, {"verb": "restart", "filter": ""})
    assert (len(told["items"]), told["next"]) == (100, 2)
    second = room.get(f"{JOBS}/{told['id']}?page=2").json()
    assert (len(second["items"]), second["next"]) == (50, None)
    asked_at = Job.objects.get().asked_at
    for number in range(60):
        job = Job.objects.create(
            verb="pause",
            about="x",
            by="a",
            via="ui",
            state="done",
            asked_at=asked_at + timedelta(seconds=number),
            ended_at=asked_at,
        )
        job.items.create(cluster_name="eu", connector="c000", state="done")
    first = room.get(JOBS).json()
    assert (len(first["jobs"]), first["jobs"][0]["id"], first["next"]) == (51, told["id"], 2)
    assert room.get(f"{JOBS}?page=2").json()["next"] is None


def test_exports(room: Client, seen: Fleet) -> None:
    body = {"connectors": [{"cluster": "eu", "name": "lake"}]}
    told = post(room, "/api/v1/exports", body, 200)
    assert (told[0]["name"], told[0]["config"]["connector.class"]) == ("lake", "Sink")
    assert told[0]["config"]["db.password"] != "geheim"
    assert post(room, "/api/v1/exports", {**body, "secrets": True}, 200)[0]["config"]["db.password"] == "geheim"
    assert len(post(room, "/api/v1/exports", {"filter": ""}, 200)) == 4
    zipped = room.post("/api/v1/exports", {"filter": "", "format": "properties"}, content_type="application/json")
    assert (zipped.headers["Content-Type"], zipped.content[:2]) == ("application/zip", b"PK")
