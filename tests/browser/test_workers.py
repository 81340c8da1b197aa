"""The workers' page while things happen: what is created appears where it runs, and who leaves is seen leaving."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.paper import paper_cluster
from tests.chromium import OpenPage
from tests.running import RunningDrover

# Counts the states that are set in an element from now on.
MARK = """node => {
  window.marked = 0;
  new MutationObserver(changes => (window.marked += changes.length))
    .observe(node, {subtree: true, attributes: true, attributeFilter: ["data-state"]});
}"""
PLACES = "nodes => nodes.map(node => [node.id, node.getBoundingClientRect().top, node.getBoundingClientRect().left])"


@pytest.fixture
def name() -> str:
    return f"w-{uuid.uuid4().hex[:6]}"


def to_workers(page: Page) -> None:
    page.keyboard.press("g")
    page.keyboard.press("w")
    page.wait_for_url("**/ui/workers/")
    page.wait_for_selector('#link[data-link="live"]')
    page.evaluate("window.notReloaded = true")


def group(**runs: list[int]) -> dict[str, Any]:
    """Workers by name, each with the tasks of `lake` that it runs."""
    workers = [
        {
            "worker_id": worker,
            "leader": worker == "one",
            "host": "paper",
            "pid": 1,
            "started": 1_790_000_000_000,
            "connectors": ["lake"] if worker == "one" else [],
            "tasks": [{"connector": "lake", "task": task} for task in tasks],
        }
        for worker, tasks in runs.items()
    ]
    return {"epoch": 1, "leader": "one", "workers": workers, "moving": []}


def lake(*workers: str) -> dict[str, Any]:
    tasks = [{"id": task, "state": "RUNNING", "worker_id": worker} for task, worker in enumerate(workers)]
    status = {"name": "lake", "connector": {"state": "RUNNING", "worker_id": "one"}, "tasks": tasks, "type": "sink"}
    return {"lake": {"info": {"name": "lake", "config": {}, "tasks": [], "type": "sink"}, "status": status}}


def test_a_worker_leaves_and_comes_back_in_its_place(page: Page, drover: RunningDrover, name: str) -> None:
    answers: dict[str, Any] = {"/": {"version": "0.1"}, "/connectors": lake("one", "two", "two")}
    answers["/api/v1/workers"] = group(one=[0], two=[1, 2])
    with paper_cluster(drover, name, answers):
        to_workers(page)
        panels = page.locator(f"#workers-{name} .worker")
        one, two = panels.nth(0), panels.nth(1)
        expect(two.locator('[data-state="RUNNING"]')).to_have_count(2)
        before = panels.evaluate_all(PLACES)

        answers["/api/v1/workers"], answers["/connectors"] = group(one=[0, 1, 2]), lake("one", "one", "one")
        expect(two).to_contain_text("gone since")
        expect(one.locator('[data-task][data-state="RUNNING"]')).to_have_count(3)
        expect(page.locator(".sentence")).to_contain_text("its 2 tasks run on one")
        assert panels.evaluate_all(PLACES) == before

        # What ran on it runs elsewhere: what becomes of it there is not shown here.
        two.evaluate(MARK)
        answers["/connectors"] = lake("one", "one", "one")
        answers["/connectors"]["lake"]["status"]["tasks"][1]["state"] = "FAILED"
        expect(one.locator('[data-task="1"]')).to_have_attribute("data-state", "FAILED")
        assert page.evaluate("window.marked") == 0

        answers["/api/v1/workers"], answers["/connectors"] = group(one=[0], two=[1, 2]), lake("one", "two", "two")
        expect(two.locator(".mark")).to_contain_text("back")
        expect(two.locator('[data-task][data-state="RUNNING"]')).to_have_count(2)
        assert panels.evaluate_all(PLACES) == before
        assert page.evaluate("window.notReloaded")


def test_on_a_phone(open_page: OpenPage, make_source: Callable[[str], None], name: str) -> None:
    page = open_page(viewport={"width": 360, "height": 740})
    make_source(f"{name}-with-a-name-that-is-longer-than-a-phone-is-wide")
    page.get_by_role("link", name="Workers").click()
    expect(page.locator(".worker")).not_to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
