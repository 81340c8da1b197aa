"""A cluster of many connectors: how little it is asked for, and how little a page of it takes."""

import time

import pytest
from django.test import Client

from dashboard.follow.follower import Follower
from tests.dashboard.conftest import PaperCluster
from tests.dashboard.test_pages import get, names

MANY = 600
LIST = "GET /connectors?expand=info&expand=status"


@pytest.fixture
def many(paper: PaperCluster) -> PaperCluster:
    for number in range(MANY):
        paper.put(f"c{number:03}", "RUNNING", "RUNNING", "FAILED" if number % 10 == 0 else "RUNNING")
    return paper


def test_a_round_is_one_request_however_many_there_are(follower: Follower, many: PaperCluster) -> None:
    follower.step()
    # Beside it, once: who it is, whether it tells its workers, what plug-ins it has.
    assert (many.asked.count(LIST), len(many.asked)) == (1, 4)
    many.asked.clear()
    for _ in range(3):
        follower.step()
    assert many.asked == [LIST] * 3


def test_a_page_asks_no_cluster_and_is_there_at_once(room: Client, follower: Follower, many: PaperCluster) -> None:
    follower.step()
    many.asked.clear()
    page = get(room, "/ui/")
    assert names(page)[:61] == [*[f"c{number:03}" for number in range(0, MANY, 10)], "c001"]
    assert "60 tasks failed in 60 connectors" in page

    def took() -> float:
        """Seconds of the processor's time: what else this machine does takes none of that."""
        began = time.thread_time()
        get(room, "/ui/?state=degraded")
        return time.thread_time() - began

    assert min(took() for _ in range(3)) < 1
    assert many.asked == []
