"""The overview of a connector: its sentence, its timeline, what it failed of."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from dashboard.follow.recorder import Recorder
from dashboard.history.overview import share
from dashboard.models import Cluster, Gap
from tests.dashboard.conftest import PaperCluster

ADDRESS = "/ui/clusters/eu/connectors/orders"
CAUSE = "java.io.IOException: disk full"


def now() -> datetime:
    return datetime.now(UTC)


def get(room: Client, address: str = ADDRESS) -> str:
    response = room.get(address)
    assert response.status_code == 200, response.content
    return response.content.decode()


def lanes(page: str) -> list[list[tuple[str, int]]]:
    """Each band as its states and their widths in percent."""
    bands = re.findall(r'<svg role="group".*?</svg>', page, re.S)
    return [
        [(state, round(float(width))) for state, width in re.findall(r'data-was="([^"]+)" x="[^"]+" width="([\d.]+)%', band)]
        for band in bands
    ]


@pytest.fixture
def recorder(cluster: Cluster) -> Recorder:
    return Recorder(cluster)


def see(recorder: Recorder, paper: PaperCluster, task: str, hours_ago: float) -> None:
    paper.put("orders", "RUNNING", task)
    recorder.listing(paper.entries, now() - timedelta(hours=hours_ago))


def keep_looking(recorder: Recorder, until: float = 0) -> None:
    """As a follower does: without it there would be a time of which nothing is known."""
    gaps = list(Gap.objects.values_list("pk", flat=True))
    recorder.unchanged(now() - timedelta(hours=until))
    Gap.objects.exclude(pk__in=gaps).delete()


def test_a_day_with_failures(room: Client, recorder: Recorder, paper: PaperCluster) -> None:
    see(recorder, paper, "RUNNING", 30)
    keep_looking(recorder, 12)
    see(recorder, paper, "FAILED", 12)
    keep_looking(recorder, 6)
    see(recorder, paper, "RUNNING", 6)
    keep_looking(recorder)
    page = get(room)
    assert lanes(page) == [[("RUNNING", 100)], [("RUNNING", 50), ("FAILED", 25), ("RUNNING", 25)]]
    assert "Failed once in 24 h" in page
    assert "uptime 75.0 %" in page
    assert "12 h ago" in page
    assert "task 0: failed 1 time, RUNNING 75.0 % of the time" in page
    assert page.count("disk full") >= 2
    assert "runs again" in page
    assert "style=" not in page


def test_what_is_failed_now_leads_to_its_trace(room: Client, recorder: Recorder, paper: PaperCluster) -> None:
    see(recorder, paper, "FAILED", 40)
    keep_looking(recorder)
    page = get(room)
    assert "FAILED for more than 1 d" in page
    assert 'href="/ui/clusters/eu/connectors/orders?tab=tasks#task-0"' in page
    assert "since more than 24 h" in page
    assert lanes(page) == [[("RUNNING", 100)], [("FAILED", 100)]]


def test_what_is_not_known_is_not_drawn_as_if_it_were(room: Client, recorder: Recorder, paper: PaperCluster) -> None:
    see(recorder, paper, "RUNNING", 18)
    keep_looking(recorder, 12)
    # The control process is away for six hours; then the cluster does not answer.
    recorder.unchanged(now() - timedelta(hours=6))
    keep_looking(recorder, 2.4)
    recorder.unreachable("refused", now())
    page = get(room)
    expected = [("not known", 25), ("RUNNING", 25), ("not known", 25), ("RUNNING", 15), ("not known", 10)]
    assert lanes(page) == [expected, expected]
    assert "Has not failed in the 9 h that are known" in page
    assert "Not known from" in page


@pytest.mark.parametrize(("window", "shares"), [("1h", [100]), ("24h", [50, 50]), ("7d", [93, 7])])
def test_windows(room: Client, recorder: Recorder, paper: PaperCluster, window: str, shares: list[int]) -> None:
    see(recorder, paper, "RUNNING", 12)
    keep_looking(recorder)
    page = get(room, f"{ADDRESS}?window={window}")
    assert [width for _, width in lanes(page)[1]] == shares
    assert f'href="?window={window}" aria-current="true"' in page


def test_a_connector_just_made_and_one_never_seen_to_run(room: Client, recorder: Recorder, paper: PaperCluster) -> None:
    recorder.listing({}, now() - timedelta(hours=30))
    keep_looking(recorder)
    paper.put("orders", "PAUSED")
    recorder.listing(paper.entries, now())
    page = get(room)
    assert "connector: never meant to run" in page
    assert "Nothing is known" in page or "Has not failed" in page


def test_hundreds_of_tasks(room: Client, recorder: Recorder, paper: PaperCluster) -> None:
    paper.put("orders", "RUNNING", *["RUNNING"] * 300, "FAILED")
    recorder.listing(paper.entries, now() - timedelta(hours=1))
    keep_looking(recorder)
    page = get(room)
    assert len(lanes(page)) == 26
    assert page.index("task 300") < page.index("task 0")
    assert "277 others" in page


def test_queries_stay_as_many(room: Client, recorder: Recorder, paper: PaperCluster, django_assert_num_queries: Any) -> None:
    see(recorder, paper, "FAILED", 1)
    get(room)
    with django_assert_num_queries(11):
        get(room)
    for minutes in range(59, 0, -1):
        paper.put("orders", "RUNNING", *["FAILED" if minutes % 2 else "RUNNING"] * 50, trace=f"E{minutes}: e")
        recorder.listing(paper.entries, now() - timedelta(minutes=minutes))
    with django_assert_num_queries(11):
        get(room)


@pytest.mark.parametrize(
    ("of_one", "words"),
    [(None, ""), (1.0, "100 %"), (0.0, "0 %"), (0.99999, "99.9 %"), (0.00001, "0.1 %"), (0.9876, "98.8 %")],
)
def test_share(of_one: float | None, words: str) -> None:
    assert share(of_one) == words
