"""The Activity tab: what happened and what was done, in one list."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from dashboard.activity import Who, note
from dashboard.follow.recorder import Recorder
from dashboard.history.events import Done, Some, Turned, interleaved, spans, together
from dashboard.models import Activity, Cluster, OffsetChange, StateChange
from tests.dashboard.conftest import PaperCluster

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
ADDRESS = "/ui/clusters/eu/connectors/orders?tab=activity"


def ago(minutes: int) -> datetime:
    return NOW - timedelta(minutes=minutes)


def turned(minutes: int, *tasks: int, state: str = "FAILED", cause: str = "") -> Turned:
    return Turned(ago(minutes), tasks or None, "RUNNING", state, cause, "w1")


def done(minutes: int) -> Done:
    return Done(ago(minutes), "ada", "ui", "restart")


def test_newest_first_down_to_where_all_is_known() -> None:
    page = interleaved((Some([turned(1), turned(5)], ago(5)), Some([done(2), done(9)]), Some([])), first=True)
    assert [event.at for event in page.events] == [ago(1), ago(2), ago(5)]
    assert page.next == ago(5)
    assert interleaved((Some([turned(1)]), Some([done(2)])), first=True).next is None


def test_tasks_that_went_the_same_way_are_one_line() -> None:
    turns = [turned(1), *[turned(1, task) for task in (0, 1, 2, 7)], turned(1, 8, cause="else"), turned(2, 3)]
    lines = [(line.which, line.cause, line.at) for line in together(turns)]
    assert sorted(lines) == sorted(
        [
            ("connector", "", ago(1)),
            ("tasks 0–2, 7", "", ago(1)),
            ("task 8", "else", ago(1)),
            ("task 3", "", ago(2)),
        ]
    )


@pytest.mark.parametrize(
    ("numbers", "words"), [((), ""), ((4,), "4"), ((0, 1), "0–1"), ((0, 1, 2, 3, 7), "0–3, 7"), ((1, 3, 5), "1, 3, 5")]
)
def test_spans(numbers: tuple[int, ...], words: str) -> None:
    assert spans(numbers) == words


def lines(page: str) -> list[str]:
    """The second and third cells of each row, as they are read."""
    body = page.split('<table class="events">')[1].partition("</table>")[0].partition("<tbody>")[2]
    words = [re.sub(r"<[^>]+>", "", row.partition("</td>")[2]) for row in body.split("<tr>")[1:]]
    return [" ".join(row.split()) for row in words]


def test_tab(room: Client, cluster: Cluster, paper: PaperCluster) -> None:
    now = datetime.now(UTC)
    recorder = Recorder(cluster)
    for minutes, task in ((3, "RUNNING"), (2, "FAILED"), (1, "RUNNING")):
        paper.put("orders", "RUNNING", task, task)
        recorder.listing(paper.entries, now - timedelta(minutes=minutes))
    note(Who("ada", "api"), "restart-failed", cluster="eu", connector="orders", job=7)
    note(Who("bob"), "stop", cluster="eu", connector="orders", refused="rebalancing")
    note(Who("bob"), "stop", cluster="eu", connector="other")
    OffsetChange.objects.create(
        cluster=cluster, connector="orders", asked_at=now - timedelta(hours=1), by="eve", deed="reset", before=[], after=[]
    )
    page = room.get(ADDRESS).content.decode()
    assert lines(page) == [
        "bob: stop refused rebalancing",
        "ada: restart failed by api in job 7",
        "tasks 0–1: FAILED → RUNNING",
        "tasks 0–1: RUNNING → FAILED java.io.IOException: disk full",
        "connector: first seen RUNNING",
        "tasks 0–1: first seen RUNNING",
        "eve: reset offsets unknown",
    ]
    # When the last restart was asked for, to the second.
    asked_at = Activity.objects.get(verb="restart-failed").at
    restart = page[: page.index("<b>ada</b>: restart failed")].rpartition("<tr>")[2]
    assert f'datetime="{asked_at.isoformat()}"' in restart, restart


def test_paged(room: Client, cluster: Cluster, paper: PaperCluster, django_assert_num_queries: Any) -> None:
    paper.put("orders", "RUNNING", "RUNNING")
    now = datetime.now(UTC)
    Recorder(cluster).listing(paper.entries, now)
    StateChange.objects.all().delete()
    rows = [StateChange(cluster=cluster, connector="orders", state="FAILED", at=now - timedelta(minutes=n)) for n in range(250)]
    StateChange.objects.bulk_create(rows)
    deeds = [
        Activity(at=now - timedelta(minutes=n, seconds=30), by="ada", via="ui", verb="stop", cluster="eu", connector="orders")
        for n in range(250)
    ]
    Activity.objects.bulk_create(deeds)
    seen, address = [], ADDRESS
    for _ in range(4):
        page = room.get(address).content.decode()
        seen += lines(page)
        older = re.search(r'href="(\?tab=activity&amp;before=[^"]+)">Older', page)
        if older is None:
            break
        address = ADDRESS.partition("?")[0] + older[1].replace("&amp;", "&")
    assert len(seen) == 500
    assert seen[:4] == ["connector: first seen FAILED", "ada: stop"] * 2
    with django_assert_num_queries(9):
        room.get(ADDRESS)


def test_nothing_yet(room: Client, cluster: Cluster, paper: PaperCluster) -> None:
    paper.put("orders", "RUNNING")
    Recorder(cluster).listing(paper.entries, NOW)
    StateChange.objects.all().delete()
    assert "Nothing has happened to it yet" in room.get(ADDRESS).content.decode()
    assert "Nothing older is kept" in room.get(f"{ADDRESS}&before=2020-01-01T00:00:00Z").content.decode()
    assert room.get(f"{ADDRESS}&before=yesterday").status_code == 200
