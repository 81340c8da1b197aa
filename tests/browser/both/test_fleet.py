"""The fleet of both clusters: the worst first, found by whatever is known of it, and as it is without a reload."""

import pytest
from playwright.sync_api import Page, Route, expect

from connect_client import ConnectClient
from tests.browser.both.site import Site, search
from tests.chromium import OpenPage
from tests.room import Room
from tests.waiting import eventually


@pytest.fixture
def fleet(sites: tuple[Site, Site], name: str) -> tuple[Site, Site]:
    """Of each cluster a sink that has failed, a source that runs and one that is paused."""
    for site in sites:
        site.client.create(f"{name}-sink", site.sink_config(f"{name}-sink"))
        site.client.create(f"{name}-runs", site.source_config(f"{name}-runs"))
        site.client.create(f"{name}-waits", site.source_config(f"{name}-waits"))
        site.client.pause(f"{name}-waits")
    return sites


def keys(page: Page) -> list[str]:
    found: list[str] = page.locator("tbody[data-key]").evaluate_all("rows => rows.map(row => row.dataset.key)")
    return found


def test_what_is_wrong_comes_first_and_is_found(page: Page, fleet: tuple[Site, Site], name: str) -> None:
    local, apache = fleet
    search(page, name)
    for site in fleet:
        for what, state in (("sink", "FAILED"), ("runs", "RUNNING"), ("waits", "PAUSED")):
            site.shows(page, f"{name}-{what}", state)
    search(page, name)
    both = ("apache", "local")
    assert keys(page)[:2] == [f"{cluster}/{name}-sink" for cluster in both]
    assert sorted(keys(page)[2:]) == sorted(f"{cluster}/{name}-{what}" for cluster in both for what in ("runs", "waits"))
    for site in fleet:
        expect(site.row(page, f"{name}-sink").locator(".cause")).to_contain_text(str(site.file(f"{name}-sink")))

    # Counters are filters; so are menus; and both are the address.
    states = page.get_by_role("navigation", name="Filter by state")
    failed = states.get_by_role("link", name="failed")
    expect(failed).to_have_text("failed 2")
    expect(states.get_by_role("link", name="paused")).to_have_text("paused 2")
    failed.click()
    expect(page.locator("tbody[data-key]")).to_have_count(2)
    page.locator("#choose-cluster summary").click()
    page.locator("#choose-cluster").get_by_role("link", name="apache").click()
    expect(page.locator("tbody[data-key]")).to_have_count(1)
    assert keys(page) == [apache.key(f"{name}-sink")]
    page.reload()
    assert keys(page) == [apache.key(f"{name}-sink")]

    for words, found in (
        (f"worker:{local.worker_of(f'{name}-sink')}", {local.key(f"{name}-{what}") for what in ("sink", "runs", "waits")}),
        (f'failure:"{apache.file(f"{name}-sink")}"', {apache.key(f"{name}-sink")}),
        ("type:source state:running", {site.key(f"{name}-runs") for site in fleet}),
        (f"config:file={apache.folder}/apache/* state:paused", {apache.key(f"{name}-waits")}),
        ("class:FileStreamSink", {site.key(f"{name}-sink") for site in fleet}),
    ):
        page.fill("#search", f"{name} {words}")
        eventually(lambda found=found: set(keys(page)) == found, what=words)  # type: ignore[misc]
    page.get_by_role("link", name="Clear filter").click()
    search(page, name)
    page.locator("thead").get_by_role("link", name="Cluster").click()
    eventually(lambda: [key.partition("/")[0] for key in keys(page)] == ["apache"] * 3 + ["local"] * 3)


def test_what_others_do_is_seen_without_a_reload(page: Page, site: Site, name: str) -> None:
    """Drover tells at once; Apache Kafka Connect is asked once a second."""
    search(page, name)
    site.source(name)
    site.shows(page, name, "RUNNING")
    client = site.client
    for act, state in ((ConnectClient.pause, "PAUSED"), (ConnectClient.stop, "STOPPED"), (ConnectClient.resume, "RUNNING")):
        act(client, name)
        site.shows(page, name, state)
    client.delete(name)
    expect(page.locator("tbody.gone")).to_contain_text("deleted")
    assert page.evaluate("window.notReloaded")


def test_what_happened_before_the_page_was_live(page: Page, room: Room, site: Site, name: str) -> None:
    """Nothing of it was on the page when it was drawn, and it was over when the page began to hear."""

    def after_all_of_it(route: Route) -> None:
        site.source(name)
        room.knows(site.cluster, name)
        route.continue_()

    page.route("**/ui/live", after_all_of_it, times=1)
    page.goto(f"/ui/?q={name}")
    site.shows(page, name, "RUNNING")


def test_some_of_its_tasks(page: Page, site: Site, name: str) -> None:
    """Connect says RUNNING of a connector whose tasks have failed, some or all."""
    site.failing_sink(name, tasks=2)
    search(page, name)
    site.shows(page, name, "FAILED")
    site.mend(name)
    site.client.restart_task(name, 1)
    site.wait_for(name, "RUNNING", "FAILED", "RUNNING")
    site.shows(page, name, "DEGRADED")
    row = site.row(page, name)
    for task, state in enumerate(("FAILED", "RUNNING")):
        expect(row.locator(f'[data-task="{task}"]')).to_have_attribute("data-state", state)
    assert page.evaluate("window.notReloaded")
    row.get_by_role("link", name=name, exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("DEGRADED")
    expect(page.get_by_role("button", name="Restart 1 failed")).to_be_enabled()


def test_an_address_is_shared(page: Page, open_page: OpenPage, fleet: tuple[Site, Site], name: str) -> None:
    """With whatever was searched for, and its order."""
    search(page, name)
    for site in fleet:
        for what, state in (("sink", "FAILED"), ("runs", "RUNNING"), ("waits", "PAUSED")):
            site.shows(page, f"{name}-{what}", state)
    folder = fleet[0].folder
    page.goto(f"/ui/?q=config:={folder}/*+state:running,paused&sort=-name")
    there = [site.key(f"{name}-{what}") for what in ("waits", "runs") for site in reversed(fleet)]
    assert keys(page) == there
    other = open_page()
    other.goto(page.url)
    assert keys(other) == there
    page.locator("thead").get_by_role("link", name="Connector").click()
    expect(page.locator("tbody[data-key] .name")).to_have_text([f"{name}-{what}" for what in ("runs", "runs", "waits", "waits")])
    assert "sort=name" in page.url
