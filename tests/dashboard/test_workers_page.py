"""The workers' page, from the follower's steps to what a browser is sent."""

import re
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from django.test import Client

from dashboard.follow.follower import Follower
from dashboard.follow.pace import HOLD, HOLD_WITH_GROUP
from dashboard.models import Cluster, ClusterSnapshot, GroupSnapshot
from tests.dashboard.conftest import Notebook, PaperCluster

HTMX = {"HX-Request": "true"}


def get(room: Client, shown: str = "", **headers: str) -> str:
    """The page, white space evened out."""
    response = room.get("/ui/workers/", {"shown": shown} if shown else None, headers=headers)
    assert response.status_code == 200, response.content
    return re.sub(r"\s+", " ", re.sub(r"<time[^>]*>|</time>", "", response.content.decode()))


def panels(page: str) -> dict[str, str]:
    """By worker."""
    parts = [part.partition("</article>")[0] for part in page.split("<article class=")[1:]]
    return {part.split("</h3>")[0].rpartition(">")[2]: part for part in parts}


def cells(panel: str) -> list[tuple[str, str]]:
    return re.findall(r'data-task="(\d+)" data-state="(\w+)"', panel)


@pytest.fixture
def two(paper: PaperCluster, follower: Follower) -> PaperCluster:
    """Two workers that share three tasks, seen by the follower."""
    paper.put("orders", "RUNNING", "RUNNING", "FAILED")
    paper.put("lake", "PAUSED", "PAUSED")
    paper.place(w1="orders orders/0 orders/1", w2="lake lake/0")
    follower.step()
    return paper


def test_a_drover_shows_its_workers(room: Client, two: PaperCluster) -> None:
    page = get(room)
    assert "<strong>2 workers, 3 tasks</strong>" in page
    assert "balanced: 1 to 2 tasks each" in page
    assert "Nothing waits for a worker" in page
    shown = panels(page)
    assert list(shown) == ["w1:8083", "w2:8083"]
    assert ">leader<" in shown["w1:8083"]
    assert ">leader<" not in shown["w2:8083"]
    assert "on w1" in shown["w1:8083"]
    assert cells(shown["w1:8083"]) == [("0", "RUNNING"), ("1", "FAILED")]
    assert 'data-own data-state="PAUSED"' in shown["w2:8083"]
    assert 'href="/ui/clusters/eu/connectors/lake?tab=tasks#task-0" title="lake, task 0 · PAUSED"' in shown["w2:8083"]


def test_a_plugin_that_a_worker_could_not_load_is_shown_with_its_reason(
    room: Client, follower: Follower, two: PaperCluster
) -> None:
    reason = "ModuleNotFoundError: No module named '<acme>'"
    assert two.group is not None
    two.group["workers"][1]["failed_plugins"] = [{"name": "Acme", "value": "acme:Source", "reason": reason}]
    follower.step()
    shown = panels(get(room))
    said = "Plug-in Acme cannot be loaded: ModuleNotFoundError: No module named &#x27;&lt;acme&gt;&#x27;"
    assert said in shown["w2:8083"]
    assert "cannot be loaded" not in shown["w1:8083"]


def test_a_worker_that_is_killed_and_comes_back(room: Client, follower: Follower, two: PaperCluster, notebook: Notebook) -> None:
    two.place(w1="orders orders/0 orders/1", moving=(("lake", None), ("lake", 0)))
    notebook.messages.clear()
    follower.step()
    assert notebook.messages == [b'{"cluster":"eu","refresh":true}']
    page = get(room)
    assert "<strong>1 worker, 2 tasks</strong>" in page
    assert "left 0 s ago, its task waits for a worker" in page
    assert "<b>2</b> wait for a worker" in page
    assert "gone since" in panels(page)["w2:8083"]

    two.place(w1="orders orders/0 orders/1 lake lake/0")
    follower.step()
    page = get(room)
    assert "left 0 s ago, its task runs on w1:8083" in page
    assert "lake, task 0 · runs on w1:8083" in panels(page)["w2:8083"]
    assert len(cells(panels(page)["w1:8083"])) == 3

    two.place(w1="orders orders/0 orders/1", w2="lake lake/0")
    follower.step()
    page = get(room)
    assert "is back since" in page
    assert "gone since" not in page
    assert "back 0 s ago" in panels(page)["w2:8083"]


def test_lines_keep_their_places_on_an_open_page(room: Client, follower: Follower, two: PaperCluster) -> None:
    page = get(room)
    shown = ",".join(
        ".".join([re.findall(r'data-panel="(\d+)"', panel)[0], *re.findall(r'data-id="(\d+)"', panel)])
        for panel in panels(page).values()
    )
    two.place(w1="orders orders/0 lake lake/0", w2="orders/1")
    follower.step()
    held = panels(get(room, shown, **HTMX))
    assert re.findall(r'class="name">(\w+)<', held["w1:8083"]) == ["orders", "lake"]
    assert re.findall(r'class="name">(\w+)<', held["w2:8083"]) == ["lake", "orders"]
    assert 'class="moved"' in held["w2:8083"]
    assert "changes, re-sort" in get(room, shown, **HTMX)
    fresh = panels(get(room))
    assert re.findall(r'class="name">(\w+)<', fresh["w1:8083"]) == ["lake", "orders"]
    assert re.findall(r'class="name">(\w+)<', fresh["w2:8083"]) == ["orders"]


def test_workers_of_kafka_connect_come_from_statuses(room: Client, follower: Follower, paper: PaperCluster) -> None:
    paper.put("orders", "RUNNING", "RUNNING", "UNASSIGNED")
    follower.step()
    page = get(room)
    assert list(panels(page)) == ["w1:8083"]
    assert ">leader<" not in page
    assert "<b>1</b> waits for a worker" in page


def test_nobody_is_asked_again_for_what_is_not_there(follower: Follower, paper: PaperCluster, notebook: Notebook) -> None:
    follower.step()
    follower.step()
    assert paper.asked.count("GET /api/v1/workers") == 1
    # Whoever answers after an outage may be somebody else.
    paper.down = httpx.ConnectError("refused")
    follower.step()
    follower.step()
    paper.down = None
    paper.place(w1="")
    follower.step()
    assert GroupSnapshot.objects.get().workers[0]["worker"]["worker_id"] == "w1:8083"


def test_an_unchanged_group_is_written_and_told_once(follower: Follower, two: PaperCluster, notebook: Notebook) -> None:
    notebook.messages.clear()
    GroupSnapshot.objects.update(moving=[["mark", 1]])
    follower.step()
    assert (notebook.messages, GroupSnapshot.objects.get().moving) == ([], [["mark", 1]])


def test_a_list_is_held_for_a_shorter_time_where_a_group_is_told(follower: Follower, paper: PaperCluster) -> None:
    paper.place(w1="")
    assert follower._group.hold == HOLD
    follower.step()
    assert follower._group.hold == HOLD_WITH_GROUP


def test_an_address_that_is_not_a_drover_any_more(room: Client, follower: Follower, two: PaperCluster) -> None:
    two.group = None
    follower._group.forget()
    follower.step()
    assert not GroupSnapshot.objects.exists()
    assert ">leader<" not in get(room)


@pytest.mark.parametrize("odd", [{"workers": {}}, {"epoch": 1, "leader": None, "workers": [{}], "moving": []}])
def test_an_odd_answer_is_no_group(follower: Follower, paper: PaperCluster, odd: dict[str, object]) -> None:
    paper.group = odd
    follower.step()
    assert not GroupSnapshot.objects.exists()
    assert ClusterSnapshot.objects.get().unreachable_since is None


def test_without_clusters_without_answers_without_workers(room: Client, follower: Follower, paper: PaperCluster) -> None:
    page = get(room)
    assert "is being read" in page
    assert 'class="skeleton"' in page
    follower.step()
    assert "Kafka Connect tells of a worker only by what runs on it" in get(room)
    paper.place()
    follower._group.forget()
    follower.step()
    assert "No worker is in the group" in get(room)
    Cluster.objects.all().delete()
    assert "No cluster is registered yet" in get(room)


def test_a_dead_cluster_is_a_banner_over_what_was_last_seen(room: Client, follower: Follower, two: PaperCluster) -> None:
    two.down = httpx.ConnectError("refused")
    follower.step()
    follower.step()
    page = get(room)
    assert "Cluster eu cannot be reached" in page
    assert 'class="workers stale"' in page
    assert list(panels(page)) == ["w1:8083", "w2:8083"]


def test_silence_of_the_control_process_is_told(room: Client, two: PaperCluster) -> None:
    long_ago = datetime.now(UTC) - timedelta(minutes=5)
    ClusterSnapshot.objects.update(checked_at=long_ago, fetched_at=long_ago)
    assert "No word from the control process" in get(room)


def test_it_is_a_section_of_its_own(room: Client, two: PaperCluster) -> None:
    whole, fragment = get(room), get(room, **HTMX)
    assert '<a href="/ui/workers/" aria-current="page">' in whole
    assert "<html" not in fragment
    fleet = room.get("/ui/").content.decode()
    assert '<a href="/ui/" aria-current="page">' in fleet
    assert '<a href="/ui/workers/" >' in fleet


def test_a_large_group_asks_the_database_few_questions(
    room: Client, follower: Follower, paper: PaperCluster, django_assert_max_num_queries: object
) -> None:
    for number in range(150):
        paper.put(f"c{number:03}", "RUNNING", "RUNNING")
    paper.place(w1=" ".join(f"c{number:03} c{number:03}/0" for number in range(150)))
    follower.step()
    with django_assert_max_num_queries(6):  # type: ignore[operator]
        page = get(room)
    assert "and 90 connectors more" in page
