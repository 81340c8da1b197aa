"""Log levels: what is shown, what is asked for, and what is said where it cannot be had."""

from typing import Any

import httpx
import pytest
from django.test import Client

from dashboard.follow.follower import Follower
from dashboard.models import Activity, Cluster, ClusterSnapshot
from tests.dashboard.conftest import PaperCluster

HERE, API = "/ui/clusters/eu/loggers/", "/api/v1/clusters/eu/loggers"
SET = {"logger": "org.apache.kafka", "level": "DEBUG", "scope": "cluster"}


@pytest.fixture(autouse=True)
def seen(follower: Follower, paper: PaperCluster) -> PaperCluster:
    follower.step()
    paper.loggers = {
        "org.apache.kafka": {"level": "WARN", "last_modified": None},
        "org.z": {"level": "TRACE", "last_modified": 1_790_000_000_000},
        "root": {"level": "INFO", "last_modified": None},
    }
    paper.asked.clear()
    return paper


def version(version: str) -> None:
    ClusterSnapshot.objects.update(version=version)


def told(response: Any) -> str:
    text: str = response.content.decode()
    return text


def test_the_loggers_the_root_first(room: Client, paper: PaperCluster) -> None:
    page = told(room.get(HERE))
    names = [part.partition('"')[0] for part in page.split('data-name="')[1:]]
    assert names == ["root", "org.apache.kafka", "org.z"]
    assert "<strong>3 loggers</strong> of the worker that answered; others may have other levels · 1 set by somebody" in page
    assert paper.asked == ["GET /admin/loggers"]
    assert "Log levels" in told(room.get("/ui/workers/"))


def test_an_open_page_is_not_asked_for_again_with_each_event(room: Client, paper: PaperCluster) -> None:
    again = room.get(f"{HERE}?shown=loggers", headers={"HX-Request": "true"})
    assert (again.status_code, paper.asked) == (204, [])


def test_a_level_for_the_whole_cluster(room: Client, paper: PaperCluster) -> None:
    page = told(room.post(HERE, SET))
    assert paper.asked == ["PUT /admin/loggers/org.apache.kafka?scope=cluster", "GET /admin/loggers"]
    assert paper.body == {"level": "DEBUG"}
    assert "All workers of eu log org.apache.kafka at DEBUG in a moment." in page
    activity = Activity.objects.get()
    assert (activity.verb, activity.cluster, activity.outcome) == ("set-log-level", "eu", "done")
    assert activity.after == SET


def test_a_level_for_one_worker(room: Client, paper: PaperCluster) -> None:
    page = told(room.post(HERE, {**SET, "scope": "worker"}))
    assert paper.asked[0] == "PUT /admin/loggers/org.apache.kafka"
    assert "Logs org.apache.kafka at DEBUG." in page
    assert "1 logger changed." in page


def test_a_version_that_knows_no_scope(room: Client, paper: PaperCluster) -> None:
    version("3.6.1")
    page = told(room.get(HERE))
    assert "log levels of all workers at once as of 3.7; this cluster is 3.6.1. Only the worker that answers is changed." in page
    assert 'value="cluster"  disabled' in page
    told(room.post(HERE, SET))
    assert "PUT /admin/loggers/org.apache.kafka" in paper.asked


def test_one_that_says_nothing_of_its_version_and_knows_no_scope(room: Client, paper: PaperCluster) -> None:
    version("")
    paper.cluster_scope = False
    page = told(room.post(HERE, SET))
    assert "Only the worker that answered logs org.apache.kafka at DEBUG." in page


def test_too_old(room: Client, paper: PaperCluster) -> None:
    version("2.3.0")
    assert "Cluster eu is too old for log levels" in told(room.get(HERE))
    assert paper.asked == []


def test_away(room: Client, paper: PaperCluster, follower: Follower) -> None:
    paper.down = httpx.ConnectError("[Errno 111] Connection refused")
    follower.step()
    follower.step()
    page = told(room.get(HERE))
    assert "Cluster eu cannot be reached" in page
    assert "data-kept" not in page
    assert paper.asked == []
    paper.down = None
    follower.step()
    assert "3 loggers" in told(room.get(f"{HERE}", headers={"HX-Request": "true"}))


def test_no_answer(room: Client, paper: PaperCluster) -> None:
    paper.down = httpx.ReadTimeout("slow")
    page = told(room.get(HERE))
    assert "Cluster eu did not answer" in page
    response = room.post(HERE, SET)
    assert response.status_code == 502
    assert "It is not known whether org.apache.kafka was set to DEBUG" in told(response)
    assert Activity.objects.get().outcome == "refused"


@pytest.mark.parametrize(
    ("status", "message", "said"),
    [
        (404, "HTTP 404 Not Found", "Where admin.listeners is set, they are at another address, or nowhere."),
        (500, "Worker w2 did not answer", "did not tell its levels"),
    ],
)
def test_refused(room: Client, paper: PaperCluster, status: int, message: str, said: str) -> None:
    paper.refusals = {"GET loggers": (status, message), "PUT org.apache.kafka": (status, message)}
    page = told(room.get(HERE))
    assert said in page
    assert message in page
    assert message in told(room.post(HERE, SET))


@pytest.mark.parametrize("wrong", [{"logger": " "}, {"level": "LOUD"}, {"level": ""}, {"logger": "x" * 501}])
def test_what_cannot_be_asked_for(room: Client, paper: PaperCluster, wrong: dict[str, str]) -> None:
    assert room.post(HERE, SET | wrong).status_code == 422
    response = room.put(API, SET | wrong, content_type="application/json")
    assert response.status_code == 400
    assert response.json()["message"]
    assert not [asked for asked in paper.asked if asked.startswith("PUT")]
    assert not Activity.objects.exists()


def test_by_api(room: Client, paper: PaperCluster) -> None:
    assert room.get(API).json()["loggers"][:2] == [
        {"name": "root", "level": "INFO", "set_at": None},
        {"name": "org.apache.kafka", "level": "WARN", "set_at": None},
    ]
    assert room.put(API, SET, content_type="application/json").json() == {"scope": "cluster", "changed": None}
    one = room.put(API, {**SET, "scope": "worker"}, content_type="application/json")
    assert one.json() == {"scope": "worker", "changed": ["org.apache.kafka"]}
    assert Activity.objects.filter(via="api").count() == 2
    paper.refusals = {"GET loggers": (500, "No.")}
    assert room.get(API).json() == {"error_code": 500, "message": "No."}
    assert room.get("/api/v1/clusters/nowhere/loggers").status_code == 404
    assert room.get("/ui/clusters/nowhere/loggers/").status_code == 404


def test_names_of_any_kind(room: Client, paper: PaperCluster) -> None:
    name = 'a/b<script>"&$ü'
    page = told(room.post(HERE, {**SET, "logger": name}))
    assert "<script>&quot;" not in page.replace("&lt;script&gt;", "")
    assert name in paper.loggers


def test_there_is_nothing(room: Client, cluster: Cluster, paper: PaperCluster) -> None:
    paper.loggers = {}
    assert "The cluster tells of no logger." in told(room.get(HERE))
