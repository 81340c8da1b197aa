"""Workers, plug-ins and failures of both clusters, side by side."""

import re

from playwright.sync_api import Page, expect

from tests.browser.both.site import NO_FOLDER, Site, search, stays
from tests.chromium import looked_at_again

FILE_SOURCE = "org.apache.kafka.connect.file.FileStreamSourceConnector"


def test_workers(page: Page, sites: tuple[Site, Site], name: str) -> None:
    page.goto("/ui/workers/")
    stays(page)
    for site in sites:
        site.source(name)
    for site in sites:
        worker = page.locator(f"#workers-{site.cluster} .worker", has_text=site.worker_of(name))
        line = worker.locator(f'[data-key="{site.key(name)}"]')
        expect(line.locator("[data-own]")).to_have_attribute("data-state", "RUNNING")
        expect(line.locator('[data-task="0"]')).to_have_attribute("data-state", "RUNNING")
        expect(line.locator('[data-task="0"] a')).to_have_attribute("title", f"{name}, task 0 · RUNNING")
        # Kafka Connect does not tell who leads.
        expect(worker.locator(".mark", has_text="leader")).to_have_count(1 if site.cluster == "local" else 0)
    assert page.evaluate("window.notReloaded")
    line.locator('[data-task="0"] a').click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(name)
    assert page.url.endswith("#task-0")

    page.goto("/ui/workers/")
    stays(page)
    for site in sites:
        site.client.stop(name)
        line = page.locator(f'#workers-{site.cluster} [data-key="{site.key(name)}"]')
        expect(line.locator("[data-task]")).to_have_count(0)
    assert page.evaluate("window.notReloaded")


def test_plugins(page: Page, sites: tuple[Site, Site], name: str) -> None:
    for site in sites:
        site.source(name)
    search(page, name)
    for site in sites:
        site.shows(page, name, "RUNNING")
    page.get_by_role("link", name="Plug-ins").click()
    page.get_by_role("button", name="Ask again").click()
    page.get_by_label("Find a class").fill("filestreamsource")
    row = page.locator(f'tr[data-name="{FILE_SOURCE}"]')
    expect(row).to_contain_text("4.3.0")
    expect(page.locator(".plugins tbody tr:visible")).to_have_count(1)
    looked_at_again(page)
    expect(page.locator(".plugins tbody tr:visible")).to_have_count(1)
    local, apache = (site.client.plugins() for site in sites)
    versions = {next(one.version for one in told if one.class_name == FILE_SOURCE) for told in (local, apache)}
    for version in filter(None, versions):
        expect(row.locator('[data-label="Version"]')).to_contain_text(version)
    # They are not of one version.
    expect(row).to_have_class("differs")
    row.get_by_role("link").click()
    for site in sites:
        expect(page.locator("table.places")).to_contain_text(site.cluster)
    users = page.get_by_role("region", name="Used by")
    expect(users.get_by_role("link", name=name)).to_have_count(2)
    for site in sites:
        page.goto(f"/ui/plugins/{site.cluster}/{FILE_SOURCE}")
        expect(page.locator("table.keys")).to_contain_text("batch.size")


def test_failures(page: Page, sites: tuple[Site, Site], name: str) -> None:
    for site in sites:
        site.failing_sink(name, tasks=2)
    page.goto("/ui/failures/")
    stays(page)
    for site in sites:
        link = page.locator(f'a[href="{site.address(name).partition("?")[0]}"]')
        expect(page.locator(".failure").filter(has=link)).to_be_visible()
        group = page.locator(".failure").filter(has=link)
        expect(group).to_contain_text(NO_FOLDER)
        expect(group.locator("li").filter(has=link)).to_contain_text("tasks 0, 1")
    page.get_by_role("navigation", name="Where").get_by_role("link", name="apache").click()
    _, apache = sites
    expect(page.locator(f'.failure a[href^="/ui/clusters/local/connectors/{name}"]')).to_have_count(0)
    group = page.locator(".failure").filter(has=page.get_by_role("link", name=name, exact=True))
    group.get_by_role("link", name="Restart these").click()
    expect(apache.row(page, name)).to_be_visible()

    page.goto("/ui/failures/")
    stays(page)
    for site in sites:
        site.mend(name)
        site.client.restart(name, only_failed=True)
        gone = page.locator(f'.failure a[href="{site.address(name).partition("?")[0]}"]')
        expect(gone).to_have_count(0)
    assert page.evaluate("window.notReloaded")


def test_since_when_and_how_often(page: Page, sites: tuple[Site, Site], name: str) -> None:
    """What has failed, was mended and has failed again."""
    search(page, name)
    for site in sites:
        site.source_config(name)
        site.client.create(name, site.sink_config(name))
        site.shows(page, name, "RUNNING")
    for _ in range(2):
        for site in sites:
            site.file(name).parent.rename(site.folder / f"{site.cluster}-elsewhere")
            site.client.restart_task(name, 0)
            site.shows(page, name, "FAILED")
        for site in sites:
            (site.folder / f"{site.cluster}-elsewhere").rename(site.file(name).parent)
            site.client.restart_task(name, 0)
            site.shows(page, name, "RUNNING")
    page.goto("/ui/failures/?window=24h")
    for site in sites:
        link = page.locator(f'a[href="{site.address(name).partition("?")[0]}"]')
        group = page.locator(".failure").filter(has=link)
        expect(group).to_contain_text(NO_FOLDER)
        expect(group.locator("li").filter(has=link)).to_contain_text("runs again")
        first, last = group.locator(".facts time").evaluate_all("times => times.map(time => Date.parse(time.dateTime))")
        assert first < last
        # With the moment itself for whoever points at it.
        expect(group.locator(".facts time").first).to_have_attribute("title", re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"))
        times = re.search(r"(\d+) times in 24 h", group.locator(".facts").text_content() or "")
        assert times
        assert int(times[1]) >= 2
