"""A move in a browser: chosen, checked, begun, watched, failed, put back. Two clusters in memory, a real control process."""

from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest
from playwright.sync_api import Page, expect

from tests.browser.paper import registered, served
from tests.dashboard.moves.paper import Memory
from tests.running import RunningDrover


@pytest.fixture
def clusters(drover: RunningDrover) -> Iterator[tuple[Memory, Memory]]:
    """Berlin has orders, paris nothing."""
    berlin, paris = Memory("berlin"), Memory("paris")
    berlin.put("orders")
    with ExitStack() as stack:
        for memory in (berlin, paris):
            stack.enter_context(registered(drover, memory.name, stack.enter_context(served(memory))))
        yield berlin, paris


def to_form(page: Page) -> None:
    expect(page.locator("body")).to_contain_text("orders")
    page.goto("/ui/clusters/berlin/connectors/orders")
    page.get_by_role("link", name="Move or copy…").click()


def test_a_move_is_begun_watched_and_put_back(page: Page, clusters: tuple[Memory, Memory]) -> None:
    berlin, paris = clusters
    to_form(page)
    page.get_by_role("radio", name="paris").check()
    typed = page.get_by_label("Config there")
    expect(typed).not_to_have_value("geheim")
    typed.fill(typed.input_value().replace('"lines"', '"lines-in-paris"'))
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_role("heading", name="It can be done.")).to_be_visible()
    expect(page.get_by_role("table", name="What is different there")).to_contain_text("lines-in-paris")
    assert berlin.writes + paris.writes == []

    page.get_by_role("button", name="Move orders to paris").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Move orders from berlin to paris")
    page.evaluate("window.notReloaded = true")
    expect(page.locator(".banner.good")).to_contain_text("orders in paris runs. The one in berlin is STOPPED.")
    assert page.locator('[data-look="done"]').count() == 7
    assert paris.connectors["orders"].config["topic"] == "lines-in-paris"
    assert paris.connectors["orders"].config["db.password"] == "geheim"

    page.get_by_role("button", name="Put back").click()
    expect(page.locator(".banner.good")).to_contain_text("Put back: orders in berlin is as it was before.")
    assert (paris.connectors, berlin.connectors["orders"].wanted) == ({}, "RUNNING")
    assert page.evaluate("window.notReloaded")


def test_cancelled_while_it_waits(page: Page, clusters: tuple[Memory, Memory]) -> None:
    berlin, paris = clusters
    berlin.slow = 40
    to_form(page)
    page.get_by_role("radio", name="paris").check()
    page.get_by_role("button", name="Check").click()
    page.get_by_role("button", name="Move orders to paris").click()
    expect(page.locator('[data-look="now"]')).to_contain_text("orders in berlin is RUNNING.")
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("cancelled")
    expect(page.locator(".banner")).to_contain_text("What was done until then stands below.")
    berlin.slow = 1
    page.get_by_role("button", name="Put back").click()
    expect(page.locator(".banner.good")).to_contain_text("Put back")
    assert paris.writes == []


def test_without_javascript(page: Page, clusters: tuple[Memory, Memory], drover: RunningDrover) -> None:
    browser = page.context.browser
    assert browser is not None
    to_form(page)
    with closing(browser.new_context(base_url=drover.url, java_script_enabled=False)) as context:
        context.add_cookies(page.context.cookies())  # type: ignore[arg-type]
        plain = context.new_page()
        plain.goto("/ui/clusters/berlin/move/orders?to=paris")
        plain.get_by_role("button", name="Check").click()
        plain.get_by_role("button", name="Move orders to paris").click()
        plain.wait_for_url("**/ui/moves/*")
        expect(plain.get_by_role("heading", level=1)).to_contain_text("Move orders from berlin to paris")
