"""Many connectors at once, as somebody does it: over clusters that are dictionaries, in a real browser."""

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Page, expect

from tests.browser.paper import Paper, paper_cluster
from tests.chromium import OpenPage
from tests.running import RunningDrover
from tests.waiting import eventually


@pytest.fixture
def fleet(drover: RunningDrover) -> Iterator[dict[str, Paper]]:
    """Two clusters with sixty failed tasks."""
    eu = Paper({f"eu-{number:02}": "RUNNING FAILED FAILED RUNNING" for number in range(20)}, ("eu-07",))
    us = Paper({f"us-{number:02}": "RUNNING FAILED" for number in range(20)} | {"fine": "RUNNING RUNNING"}, ("us-11",))
    with ExitStack() as stack:
        for name, paper in (("eu", eu), ("us", us)):
            stack.enter_context(paper_cluster(drover, name, paper.answers, paper.does))
        yield {"eu": eu, "us": us}


def test_the_one_click(open_page: OpenPage, fleet: dict[str, Paper]) -> None:
    page = open_page()
    button = page.get_by_role("button", name="Restart 60 failed")
    expect(button).to_be_visible()
    page.evaluate("window.notReloaded = true")
    page.keyboard.press("Shift+R")
    drawer = page.locator("#drawer")
    expect(drawer).to_contain_text("Restart 60 failed in 40 connectors")
    expect(drawer).to_contain_text("20 in eu, 20 in us")
    assert not fleet["eu"].asked
    # The button that begins it has the focus.
    page.keyboard.press("Enter")
    expect(drawer.locator(".sentence")).to_contain_text("to go")
    expect(drawer.locator(".sentence")).to_contain_text("Done · 2 failed again · 38 running again")
    drawer.get_by_role("link", name="only failed").click()
    expect(drawer.locator("[data-item]")).to_have_count(2)
    expect(drawer.locator('[data-item="eu/eu-07"]')).to_contain_text("task 0: java.io.IOException: disk full")
    expect(page.locator(".head .primary")).to_contain_text("Restart 3 failed")
    assert page.evaluate("window.notReloaded")
    assert len(fleet["eu"].asked) == len(set(fleet["eu"].asked)) == 20
    page.keyboard.press("Escape")
    expect(drawer).to_be_hidden()
    page.get_by_role("link", name="Jobs").click()
    page.get_by_role("link", name="Restart 60 failed in 40 connectors").first.click()
    expect(page.locator("h1")).to_have_text("Restart 60 failed in 40 connectors")


def test_it_goes_on_when_the_page_is_closed(open_page: OpenPage, fleet: dict[str, Paper]) -> None:
    page = open_page()
    page.get_by_role("button", name="Restart 60 failed").click()
    page.locator("#drawer .primary").click()
    address = page.locator("#drawer").get_by_role("link", name="Open as a page").get_attribute("href") or ""
    page.close()
    other = open_page()
    other.goto(address)
    expect(other.locator(".sentence").first).to_contain_text("Done · 2 failed again · 38 running again")


def test_a_killed_control_process_loses_nothing(open_page: OpenPage, drover: RunningDrover, fleet: dict[str, Paper]) -> None:
    page = open_page()
    page.get_by_role("button", name="Restart 60 failed").click()
    page.locator("#drawer .primary").click()
    eventually(lambda: len(fleet["eu"].asked) > 2)
    os.kill(drover.process_pid("control"), signal.SIGKILL)
    expect(page.locator("#drawer .sentence")).to_contain_text("Done · 2 failed again · 38 running again")
    assert {f"POST /connectors/eu-{number:02}/restart?includeTasks=true&onlyFailed=true" for number in range(20)} == set(
        fleet["eu"].asked
    )


def test_cancelling(open_page: OpenPage, fleet: dict[str, Paper]) -> None:
    page = open_page()
    page.get_by_role("button", name="Restart 60 failed").click()
    page.locator("#drawer .primary").click()
    page.get_by_role("button", name="Cancel the rest").click()
    expect(page.locator("#drawer .sentence")).to_contain_text("Cancelled · ")
    assert len(fleet["eu"].asked) < 20


def names(page: Page) -> list[str]:
    return [text or "" for text in page.locator(".row:has(.pick:checked) .name").all_text_contents()]


def test_selecting(open_page: OpenPage, fleet: dict[str, Paper]) -> None:
    page = open_page()
    # Rows keep their places on a page that is open: it is opened when the cluster has been read.
    expect(page.get_by_role("button", name="Restart 60 failed")).to_be_visible()
    # Those with one failed task each on top.
    page.goto("/ui/?sort=-name&q=cluster:us")
    expect(page.locator("tbody[data-key]")).to_have_count(21)
    boxes = page.locator("input.pick")
    boxes.nth(0).click()
    boxes.nth(3).click(modifiers=["Shift"])
    bar = page.locator("#chosen")
    expect(bar).to_contain_text("4 selected")
    expect(bar.get_by_role("button", name="Restart 4 failed in 4")).to_be_enabled()
    expect(bar.get_by_role("button", name="Resume")).to_be_disabled()
    before = names(page)
    boxes.nth(3).focus()
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(bar).to_contain_text("5 selected")
    page.keyboard.press("x")
    # Live updates and other pages leave it as it is.
    fleet["us"].set("fine", "RUNNING FAILED")
    expect(page.locator('[data-key="us/fine"] .c-state .state')).to_have_attribute("data-state", "FAILED")
    assert names(page) == before
    page.goto("/ui/?q=us-")
    expect(page.locator("#chosen")).to_contain_text("4 selected")
    page.get_by_role("button", name="Select the other 16, too").click()
    expect(page.locator("#chosen")).to_contain_text("20 selected")
    page.locator("#chosen").get_by_role("button", name="Pause 20").click()
    page.locator("#drawer").get_by_role("button", name="Pause 20 connectors").click()
    expect(page.locator("#drawer .sentence")).to_contain_text("Done · 20 paused")
    expect(page.locator("#chosen")).to_be_hidden()
    assert not fleet["eu"].asked


def test_deleting_has_to_be_typed(open_page: OpenPage, fleet: dict[str, Paper]) -> None:
    page = open_page()
    page.locator("input.pick").first.click()
    page.get_by_role("button", name="Delete 1").click()
    button = page.locator("#drawer .primary")
    page.keyboard.type("delete")
    button.click()
    expect(page.locator("#drawer input[name=typed]:invalid")).to_have_count(1)
    page.locator("#drawer").get_by_role("button", name="Cancel").click()
    assert not fleet["eu"].asked


def test_export(open_page: OpenPage, fleet: dict[str, Paper]) -> None:
    page = open_page()
    page.locator("input.pick").first.click()
    page.get_by_role("button", name="Export 1").click()
    with page.expect_download() as download:
        page.locator("#drawer .primary").click()
    assert download.value.suggested_filename == "connectors.json"
    assert "geheim" not in download.value.path().read_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone(open_page: OpenPage, fleet: dict[str, Paper], scheme: str) -> None:
    page = open_page(viewport={"width": 360, "height": 740}, color_scheme=scheme)
    page.locator("input.pick").first.click()
    expect(page.locator("#chosen")).to_contain_text("1 selected")
    page.get_by_role("button", name="Restart 60 failed").click()
    expect(page.locator("#drawer .primary")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
