"""The fleet by its filters: typed, chosen, live, and without JavaScript."""

import uuid
from typing import Any

import pytest
from playwright.sync_api import APIResponse, Browser, Page, Route, expect

from tests.browser.paper import paper_cluster
from tests.running import RunningDrover
from tests.waiting import eventually

# What a connector's chip shows from now on.
SEEN = """key => {
  const chip = document.querySelector(`[data-key="${key}"] .c-state .state`);
  window.seen = [chip.dataset.state];
  const note = () => chip.dataset.state !== window.seen.at(-1) && window.seen.push(chip.dataset.state);
  new MutationObserver(note).observe(chip, {attributes: true});
}"""


@pytest.fixture
def name() -> str:
    return f"f-{uuid.uuid4().hex[:6]}"


def lakes(**states: str) -> dict[str, Any]:
    """Connectors by name, each of one task in that state."""

    def told(connector: str, state: str) -> dict[str, Any]:
        config = {"connector.class": "x.LakeSink" if connector < "c" else "x.PondSink", "topics": f"in-{connector}"}
        task = {"id": 0, "state": state, "worker_id": "w:1"} | ({"trace": "Lake: dry"} if state == "FAILED" else {})
        status = {"name": connector, "connector": {"state": "RUNNING", "worker_id": "w:1"}, "tasks": [task], "type": "sink"}
        return {"info": {"name": connector, "config": config, "tasks": [], "type": "sink"}, "status": status}

    return {connector: told(connector, state) for connector, state in states.items()}


def rows(page: Page) -> list[str]:
    keys: list[str] = page.locator("tbody[data-key]").evaluate_all("rows => rows.map(row => row.dataset.key.split('/')[1])")
    return keys


def test_what_fits_a_filter_comes_and_waits_for_its_place(page: Page, drover: RunningDrover, name: str) -> None:
    answers: dict[str, Any] = {"/": {"version": "4.3.0"}, "/connectors": lakes(a="RUNNING", b="FAILED", c="RUNNING")}
    with paper_cluster(drover, name, answers):
        page.wait_for_selector(f'[data-key="{name}/b"]')
        page.goto(f"/ui/?cluster={name}&state=failed")
        page.wait_for_selector('#link[data-link="live"]')
        assert rows(page) == ["b"]
        page.evaluate("window.notReloaded = true")
        answers["/connectors"] = lakes(a="FAILED", b="FAILED", c="RUNNING")
        expect(page.locator("tbody[data-key]")).to_have_count(2)
        assert rows(page) == ["b", "a"]
        expect(page.locator("#resort")).to_have_text("1 change, re-sort")
        # What does not fit any more stays where it is, too.
        answers["/connectors"] = lakes(a="FAILED", b="RUNNING", c="RUNNING")
        expect(page.locator(f'[data-key="{name}/b"] .c-state .state')).to_have_attribute("data-state", "RUNNING")
        assert rows(page) == ["b", "a"]
        assert page.evaluate("window.notReloaded")
        expect(page.locator("#resort")).to_be_visible()
        page.keyboard.press("s")
        expect(page.locator("tbody[data-key]")).to_have_count(1)
        assert rows(page) == ["a"]


def test_a_drawing_that_is_late_takes_nothing_back(page: Page, drover: RunningDrover, name: str) -> None:
    """One that was on its way when an event told that the restart was over."""
    answers: dict[str, Any] = {"/": {"version": "4.3.0"}, "/connectors": lakes(a="FAILED")}
    held: list[tuple[Route, APIResponse]] = []
    with paper_cluster(drover, name, answers):
        page.goto(f"/ui/?cluster={name}")
        chip = page.locator(f'[data-key="{name}/a"] .c-state .state')
        expect(chip).to_have_attribute("data-state", "FAILED")
        page.wait_for_selector('#link[data-link="live"]')
        answers["/connectors"] = lakes(a="RESTARTING")
        expect(chip).to_have_attribute("data-state", "RESTARTING")
        page.route("**/ui/?*", lambda route: held.append((route, route.fetch())))
        with page.expect_request("**/ui/?*"):
            page.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
        eventually(lambda: page.evaluate("true") and held, "what was drawn")
        answers["/connectors"] = lakes(a="RUNNING")
        expect(chip).to_have_attribute("data-state", "RUNNING")
        page.evaluate(SEEN, f"{name}/a")
        (late, drawn), *_ = held
        assert 'data-state="RESTARTING"' in drawn.text()
        with page.expect_request("**/ui/?*"):
            late.fulfill(response=drawn)
        page.unroute_all(behavior="ignoreErrors")
        assert page.evaluate("window.seen") == ["RUNNING"]


def test_what_is_typed_is_chosen_and_taken_out_again(page: Page, drover: RunningDrover, name: str) -> None:
    answers: dict[str, Any] = {"/": {"version": "4.3.0"}, "/connectors": lakes(a="RUNNING", b="FAILED", c="RUNNING")}
    with paper_cluster(drover, name, answers):
        page.wait_for_selector(f'[data-key="{name}/b"]')
        page.keyboard.press("/")
        page.keyboard.type(f"cluster:{name} config:topics=in-*")
        expect(page.locator("tbody[data-key]")).to_have_count(3)
        page.keyboard.type(" class:LakeSink")
        expect(page.locator("tbody[data-key]")).to_have_count(2)
        page.get_by_role("link", name="Without class LakeSink").click()
        expect(page.locator("tbody[data-key]")).to_have_count(3)
        expect(page.locator("#search")).to_have_value(f"cluster:{name} config:topics=in-*")
        page.locator("#choose-class summary").click()
        page.locator("#choose-class").get_by_role("link", name="PondSink").click()
        expect(page.locator("tbody[data-key]")).to_have_count(1)
        assert rows(page) == ["c"]
        page.get_by_role("link", name="Clear filter").click()
        expect(page.locator(".active")).to_have_count(0)


def test_without_javascript(browser: Browser, page: Page, drover: RunningDrover, name: str) -> None:
    answers: dict[str, Any] = {"/": {"version": "4.3.0"}, "/connectors": lakes(a="RUNNING", b="FAILED", c="RUNNING")}
    with paper_cluster(drover, name, answers):
        page.wait_for_selector(f'[data-key="{name}/b"]')
        context = browser.new_context(base_url=drover.url, java_script_enabled=False, storage_state=page.context.storage_state())
        plain = context.new_page()
        plain.goto("/ui/?sort=-name")
        plain.fill("#search", f"cluster:{name}")
        plain.press("#search", "Enter")
        expect(plain.locator("tbody[data-key] .name")).to_have_text(["c", "b", "a"])
        plain.locator("#choose-class summary").click()
        plain.locator("#choose-class").get_by_role("link", name="LakeSink").click()
        expect(plain.locator("tbody[data-key] .name")).to_have_text(["b", "a"])
        plain.locator("thead").get_by_role("link", name="Connector").click()
        expect(plain.locator("tbody[data-key] .name")).to_have_text(["a", "b"])
        context.close()
