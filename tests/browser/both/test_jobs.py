"""Many connectors of both clusters at once: selected, paused, resumed, stopped, restarted, deleted."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.both.site import Site, made, search


@pytest.fixture
def names(sites: tuple[Site, Site], name: str) -> list[str]:
    """Of two sources that run in each cluster."""
    names = [f"{name}-{number}" for number in range(2)]
    made(sites, names, Site.source_config, "RUNNING", "RUNNING")
    return names


def chosen(page: Page, name: str) -> Locator:
    """All four are, anew."""
    search(page, name)
    expect(page.locator("tbody[data-key]")).to_have_count(4)
    page.get_by_label("Select all on this page").check()
    bar = page.locator("#chosen")
    expect(bar).to_contain_text("4 selected")
    return bar


def test_what_is_selected(page: Page, sites: tuple[Site, Site], names: list[str], name: str) -> None:
    search(page, name)
    for site in sites:
        for each in names:
            site.shows(page, each, "RUNNING")
    drawer = page.locator("#drawer")
    for verb, done, states in (
        ("Pause", "paused", ("PAUSED", "PAUSED")),
        ("Resume", "running", ("RUNNING", "RUNNING")),
        ("Restart", "running again", ("RUNNING", "RUNNING")),
        ("Stop", "stopped", ("STOPPED",)),
    ):
        bar = chosen(page, name)
        bar.get_by_role("button", name=f"{verb} 4").click()
        expect(drawer).to_contain_text("2 in apache, 2 in local")
        drawer.locator("button.primary").click()
        expect(drawer.locator(".sentence")).to_contain_text(f"Done · 4 {done}")
        for site in sites:
            for each in names:
                site.wait_for(each, *states)

    chosen(page, name).get_by_role("button", name="Delete 4").click()
    drawer.locator("input[name=typed]").fill("delete")
    drawer.locator("button.primary").click()
    expect(drawer.locator("input[name=typed]:invalid")).to_have_count(1)
    for site in sites:
        assert set(names) <= set(site.client.connectors())
    drawer.locator("input[name=typed]").fill(drawer.locator("strong.mono").text_content() or "")
    drawer.locator("button.primary").click()
    expect(drawer.locator(".sentence")).to_contain_text("Done · 4 deleted")
    for site in sites:
        assert not set(names) & set(site.client.connectors())
