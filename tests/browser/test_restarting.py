"""Automatic restart as people set it up and see it: policies, what was given up, and one connector's own switch."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.paper import Paper, paper_cluster
from tests.running import RunningDrover, running

RESTART = "POST /connectors/{}/restart?includeTasks=true&onlyFailed=true"


@pytest.fixture(scope="module")
def drover(tmp_path_factory: pytest.TempPathFactory, kafka: str, redis_url: str) -> Iterator[RunningDrover]:
    """One whose control room restarts what fails by itself. The clusters that fail are paper."""
    settings = {
        "DROVER_AUTO_RESTART": "true",
        "CONNECT_GROUP_ID": "restarting",
        "CONNECT_CONFIG_STORAGE_TOPIC": "restarting-configs",
        "CONNECT_OFFSET_STORAGE_TOPIC": "restarting-offsets",
        "CONNECT_STATUS_STORAGE_TOPIC": "restarting-status",
    }
    folder = tmp_path_factory.mktemp("restarting")
    with running(folder, bootstrap_servers=kafka, redis_url=redis_url, settings=settings) as drover:
        yield drover


@pytest.fixture
def eu(drover: RunningDrover) -> Iterator[Paper]:
    """orders runs again when it is restarted, lake does not."""
    paper = Paper({"orders": "RUNNING RUNNING", "lake": "RUNNING RUNNING"}, ("lake",))
    with paper_cluster(drover, "eu", paper.answers, paper.does):
        yield paper


def to_policies(page: Page) -> None:
    page.get_by_role("link", name="Settings").click()
    page.get_by_role("link", name="Automatic restart").click()


def add(page: Page, name: str, pattern: str, most: str = "") -> None:
    page.get_by_role("link", name="Add a policy").first.click()
    page.get_by_label("Name of the policy").fill(name)
    page.get_by_label("Connectors named").fill(pattern)
    page.get_by_label("How often at most").fill(most)
    page.get_by_role("button", name="Add").click()


def test_policies(page: Page) -> None:
    to_policies(page)
    rows = page.get_by_role("table", name="Policies").locator("tbody tr")
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text("Everything")
    add(page, "payments", "pay-*")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("pay-* in every cluster")
    expect(rows.first).to_contain_text("at minute 0, 2, 6, 12, 20 and 30")

    rows.first.get_by_role("link", name="Change payments").click()
    page.get_by_label("How often at most").fill("3")
    page.get_by_label("Not from").fill("22:00")
    page.get_by_role("button", name="Save payments").click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing was saved.")
    expect(page.get_by_label("How often at most")).to_have_value("3")
    page.get_by_label("until").fill("06:00")
    page.get_by_role("button", name="Save payments").click()
    expect(rows.first).to_contain_text("3 restarts at most; not from 22:00 to 06:00, UTC")

    page.evaluate("window.notReloaded = true")
    page.get_by_role("button", name="Switch off payments").click()
    expect(rows.first.locator(".mark")).to_have_text("off")
    page.get_by_role("button", name="Move payments down").click()
    expect(rows.first).to_contain_text("Everything")
    page.get_by_role("button", name="Switch on payments").click()
    expect(rows.last.locator(".mark")).to_have_count(0)
    assert page.evaluate("window.notReloaded")
    page.get_by_role("link", name="Change payments").click()
    page.get_by_role("button", name="Delete payments").click()
    expect(rows).to_have_count(1)


def test_given_up_and_mended_by_hand(page: Page, eu: Paper) -> None:
    to_policies(page)
    add(page, "once", "lake", "1")
    page.goto("/ui/")
    lake, orders = (page.locator(f'[data-key="eu/{name}"]') for name in ("lake", "orders"))
    expect(lake).to_be_visible()
    page.evaluate("window.notReloaded = true")
    for name in ("orders", "lake"):
        eu.set(name, "RUNNING FAILED")
    expect(lake.locator(".cause .mark")).to_have_text("gave up")
    expect(orders.locator(".c-state .state")).to_have_attribute("data-state", "RUNNING")
    assert sorted(eu.asked) == [RESTART.format("lake"), RESTART.format("orders")]
    assert page.evaluate("window.notReloaded")

    page.goto("/ui/clusters/eu/connectors/lake")
    told = page.get_by_role("region", name="Automatic restart")
    expect(told).to_contain_text("by policy “once”")
    expect(told).to_contain_text("restarted 1 time of 1 by itself")
    expect(told).to_contain_text("gave up")
    eu.stubborn.clear()
    page.locator('.actions [data-verb="restart-failed"]').click()
    expect(page.locator("h1 .state")).to_have_attribute("data-state", "RUNNING")
    expect(told).not_to_contain_text("gave up")
    assert eu.asked.count(RESTART.format("lake")) == 2


def test_the_limit_of_one_connector(page: Page, eu: Paper) -> None:
    expect(page.locator('[data-key="eu/lake"]')).to_be_visible()
    page.goto("/ui/clusters/eu/connectors/lake")
    told = page.get_by_role("region", name="Automatic restart")
    page.evaluate("window.notReloaded = true")
    told.get_by_role("spinbutton", name="At most").fill("0")
    # What is typed stays while the page changes around it.
    eu.set("lake", "RUNNING RUNNING RUNNING")
    expect(page.get_by_role("link", name="Tasks")).to_contain_text("2")
    expect(told.get_by_role("spinbutton", name="At most")).to_have_value("0")
    told.get_by_role("button", name="Set how often").click()
    expect(told).to_contain_text("0 restarts at most, for this connector alone")
    eu.set("lake", "RUNNING FAILED")
    expect(told).to_contain_text("gave up")
    assert eu.asked == []
    page.goto("/ui/?is=gave-up")
    expect(page.locator("tbody[data-key]")).to_have_count(1)
    expect(page.locator("nav.filters [aria-current]").last).to_have_text("gave up 1")
    page.goto("/ui/clusters/eu/connectors/lake")
    told.get_by_role("spinbutton", name="At most").fill("")
    told.get_by_role("button", name="Set how often").click()
    expect(told).not_to_contain_text("for this connector alone")


def test_the_switch_of_one_connector(page: Page, eu: Paper) -> None:
    expect(page.locator('[data-key="eu/orders"]')).to_be_visible()
    page.goto("/ui/clusters/eu/connectors/orders")
    told = page.get_by_role("region", name="Automatic restart")
    expect(told).to_contain_text("Automatic restart on")
    page.get_by_role("button", name="Switch automatic restart of orders off").click()
    expect(told).to_contain_text("switched for this connector alone")
    eu.set("orders", "RUNNING FAILED")
    eu.set("lake", "RUNNING FAILED")
    expect(page.locator("h1 .state")).to_have_attribute("data-state", "FAILED")
    # Whoever restarts has looked at both by then.
    page.goto("/ui/")
    expect(page.locator('[data-key="eu/lake"] .cause .mark')).to_be_visible()
    assert RESTART.format("orders") not in eu.asked
    page.goto("/ui/clusters/eu/connectors/orders")
    page.get_by_role("button", name="As the policies say").click()
    expect(page.locator("h1 .state")).to_have_attribute("data-state", "RUNNING")
    assert RESTART.format("orders") in eu.asked
