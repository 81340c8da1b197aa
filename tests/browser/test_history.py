"""A connector's overview, its charts and the failures of the fleet, while things happen."""

import json
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.paper import paper_cluster
from tests.chromium import OpenPage
from tests.running import RunningDrover
from tests.waiting import eventually

TRACE = "org.apache.kafka.connect.errors.ConnectException: o\nCaused by: java.io.IOException: disk {} full"
LIST = "/connectors"


class Paper:
    """A cluster of one sink that a test fails and repairs."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.answers: dict[str, object] = {"/": {"version": "4.3.0", "commit": "", "kafka_cluster_id": None}}
        self.put("RUNNING", "RUNNING")

    def put(self, *tasks: str) -> None:
        def instance(state: str, number: int) -> dict[str, str]:
            return {"state": state, "worker_id": "w1:8083"} | ({"trace": TRACE.format(number)} if state == "FAILED" else {})

        config = {"name": "lake", "connector.class": "FileStreamSink"}
        told = [{"id": number, **instance(state, number)} for number, state in enumerate(tasks)]
        status = {"name": "lake", "connector": instance("RUNNING", 0), "tasks": told, "type": "sink"}
        self.answers[LIST] = {"lake": {"info": {"name": "lake", "config": config, "tasks": [], "type": "sink"}, "status": status}}


@pytest.fixture
def paper(drover: RunningDrover) -> Iterator[Paper]:
    paper = Paper(f"paper-{uuid.uuid4().hex[:6]}")
    with paper_cluster(drover, paper.name, paper.answers):
        yield paper


def stay(page: Page, address: str) -> None:
    """Opens it, once its connector has been seen."""
    page.goto(address)
    eventually(lambda: page.reload() and page.locator("article.connector, .failures").count())
    page.wait_for_selector('#link[data-link="live"]')
    page.evaluate("window.notReloaded = true")


def test_a_failure_is_drawn_while_one_looks(page: Page, paper: Paper) -> None:
    stay(page, f"/ui/clusters/{paper.name}/connectors/lake?window=1h")
    expect(page.locator(".timeline .lane:not(.axis)")).to_have_count(3)
    expect(page.locator(".sentence strong")).to_contain_text("Has not failed")
    first = page.locator('.lane:has-text("task 0") rect[data-was="not known"]')
    first.focus()
    expect(page.locator("[data-tell]")).to_contain_text("Not known from before")

    paper.put("RUNNING", "FAILED")
    expect(page.locator(".sentence strong")).to_have_text("Failed once in 1 h")
    expect(page.locator('.lane:has-text("task 1") rect[data-was="FAILED"]')).to_have_count(1)
    expect(page.locator(".causes")).to_contain_text("disk 1 full")
    expect(page.locator("#failed")).not_to_be_empty()

    page.locator("details.exactly summary").click()
    expect(page.locator(".exactly tbody tr").first).to_contain_text("FAILED")
    paper.put("RUNNING", "RUNNING")
    expect(page.locator(".causes")).to_contain_text("runs again")
    # What was open stays open, and what was told stays told.
    expect(page.locator(".exactly table")).to_be_visible()
    assert page.evaluate("window.notReloaded")

    page.locator(".tabs").get_by_role("link", name="Activity").click()
    expect(page.locator("table.events tbody tr").first).to_contain_text("task 1: FAILED → RUNNING")


def test_failures_of_one_kind_are_one_group(page: Page, paper: Paper) -> None:
    stay(page, f"/ui/clusters/{paper.name}/connectors/lake")
    paper.put("FAILED", "FAILED")
    expect(page.locator(".sentence strong")).to_have_text("Failed once in 24 h")
    page.goto(f"/ui/failures/?cluster={paper.name}")
    expect(page.locator(".failure")).to_have_count(1)
    expect(page.locator(".failure")).to_contain_text("tasks 0, 1")
    page.evaluate("window.notReloaded = true")
    paper.put("RUNNING", "RUNNING")
    expect(page.locator(".empty")).to_contain_text("Nothing has failed")
    page.locator(".filters").get_by_role("link", name="24 h").click()
    expect(page.locator(".failure")).to_contain_text("runs again")


def test_charts_are_drawn_when_they_come_into_view(open_page: OpenPage, drover: RunningDrover, paper: Paper) -> None:
    page = open_page(viewport={"width": 1000, "height": 420})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    address = f"/ui/clusters/{paper.name}/connectors/lake?window=1h"
    stay(page, address)
    expect(page.locator(".charts .missing")).to_have_count(2)
    assert not [url for url in asked if "uPlot" in url]
    figures(drover, paper)
    page.goto(address)
    expect(page.locator(".charts figcaption").first).to_contain_text("at most 1,020 records")
    page.locator(".charts").scroll_into_view_if_needed()
    expect(page.locator(".charts canvas")).to_have_count(2)
    assert len([url for url in asked if "uPlot.iife" in url]) == 1
    assert len([url for url in asked if "/metrics?" in url]) == 1
    # It is not drawn anew with every refresh.
    page.evaluate("document.querySelector('.charts canvas').dataset.same = 'yes'")
    paper.put("RUNNING", "FAILED")
    expect(page.locator(".causes")).to_be_visible()
    expect(page.locator(".charts canvas").first).to_have_attribute("data-same", "yes")


def figures(drover: RunningDrover, paper: Paper) -> None:
    """As the sampler writes them."""
    now = datetime.now(UTC)
    with closing(sqlite3.connect(drover.data_dir / "drover.sqlite3", timeout=20)) as database, database:
        (cluster,) = database.execute("SELECT id FROM dashboard_cluster WHERE name = ?", (paper.name,)).fetchone()
        for hours in (1, 0):
            hour = now.replace(minute=0, second=0, microsecond=0) - timedelta(hours=hours)
            points: list[list[Any]] = [[minute * 60, 10.5, 10.0, 20 * minute if minute < 52 else 5] for minute in range(60)]
            row = (cluster, "lake", f"{hour:%Y-%m-%d %H:%M:%S}", 60, json.dumps(points))
            database.execute(
                "INSERT INTO dashboard_readings (cluster_id, connector, hour, step, points) VALUES (?, ?, ?, ?, ?)", row
            )
