"""By the keyboard alone, over the connectors of both clusters in one list."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.both.site import Site, search, stays

Sites = tuple[Site, Site]


@pytest.fixture
def rows(page: Page, sites: Sites, name: str) -> Sites:
    """The only two, found by keys: a sink of each cluster that has failed and can be restarted. From top to bottom."""
    local, apache = sites
    for site in sites:
        site.failing_sink(name)
        site.source(f"{name}-other")
    search(page, name)
    for site in sites:
        site.shows(page, name, "FAILED")
        site.shows(page, f"{name}-other", "RUNNING")
        site.mend(name)
    page.goto("/ui/")
    stays(page)
    page.keyboard.press("/")
    # None of these letters is a key here.
    page.keyboard.type(f"name:{name}")
    expect(page.locator("tbody[data-key]")).to_have_count(2)
    page.keyboard.press("Escape")
    expect(page.locator("#search")).not_to_be_focused()
    return apache, local


def at(page: Page, site: Site, name: str) -> None:
    """The cursor is."""
    expect(site.row(page, name).locator("a").first).to_be_focused()


def selected(page: Page, name: str, *those: Site) -> None:
    expect(page.locator("input.pick:checked")).to_have_count(len(those))
    for site in those:
        expect(site.row(page, name).locator("input.pick")).to_be_checked()
    expect(page.locator("#chosen")).to_contain_text(f"{len(those)} selected")


def test_what_is_under_the_cursor(page: Page, rows: Sites, name: str) -> None:
    press = page.keyboard.press
    first, second = rows
    press("j")
    at(page, first, name)
    press("k")
    at(page, first, name)
    press("j")
    press("j")
    at(page, second, name)

    # That is restarted, and nothing else; and the cursor stays.
    press("r")
    second.shows(page, name, "RUNNING")
    at(page, second, name)
    assert first.states(name) == ["RUNNING", "FAILED"]
    press("k")
    at(page, first, name)
    press("r")
    first.shows(page, name, "RUNNING")
    for site in rows:
        site.wait_for(name, "RUNNING", "RUNNING")
    for site, key in ((first, "k"), (second, "j")):
        press(key)
        for verb, state in (("pause", "PAUSED"), ("resume", "RUNNING")):
            expect(site.row(page, name).locator(f'[data-verb="{verb}"]')).to_be_enabled()
            press("p")
            site.shows(page, name, state)
            at(page, site, name)
    assert page.evaluate("window.notReloaded")
    press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text(name)
    assert page.url.endswith(f"/ui/clusters/{second.cluster}/connectors/{name}")


def test_what_is_selected_and_which_keys_there_are(page: Page, rows: Sites, name: str) -> None:
    press = page.keyboard.press
    first, second = rows
    press("j")
    press("x")
    selected(page, name, first)
    press("j")
    press("x")
    selected(page, name, first, second)
    press("x")
    selected(page, name, first)
    press("x")
    selected(page, name, first, second)

    drawer = page.locator("#drawer")
    begin = drawer.locator("button.primary")
    press("Shift+R")
    expect(drawer).to_contain_text("1 in apache, 1 in local")
    expect(begin).to_be_focused()
    press("Escape")
    expect(drawer).to_be_hidden()
    for site in rows:
        assert site.states(name) == ["RUNNING", "FAILED"]
    selected(page, name, first, second)
    press("Shift+R")
    expect(begin).to_be_focused()
    press("Enter")
    expect(drawer.locator(".sentence")).to_contain_text("Done · 2 running again")
    press("Escape")
    expect(drawer).to_be_hidden()

    # The cursor is back where it was. A list of keys is open, and they do nothing meanwhile.
    at(page, second, name)
    told = page.get_by_role("dialog", name="Keys")
    press("?")
    expect(told).to_be_visible()
    press("x")
    press("Escape")
    expect(told).to_be_hidden()
    expect(page.locator("input.pick:checked")).to_have_count(0)
    assert page.evaluate("window.notReloaded")
