"""Who may only look, and who may act in one of the clusters."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.both.site import Site, open_tab, search
from tests.chromium import OpenPage
from tests.room import Room

SignedIn = Callable[[dict[str, Any]], Page]
PASSWORD = "quite a long one"


@pytest.fixture
def signed_in(open_page: OpenPage, room: Room, name: str) -> SignedIn:
    """Somebody new with that role, who has followed their invitation."""

    def signed_in(grant: dict[str, Any]) -> Page:
        link = room.post("users", {"name": name})["link"]
        room.post("grants", {"user": name, **grant})
        page = open_page(sign_in=False)
        page.goto(link)
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_label("The same again").fill(PASSWORD)
        page.get_by_role("button", name="Keep it and sign in").click()
        page.wait_for_url("**/ui/")
        return page

    return signed_in


@pytest.fixture
def failed(sites: tuple[Site, Site], name: str) -> tuple[Site, Site]:
    for site in sites:
        site.failing_sink(name)
    return sites


def test_a_viewer_only_looks(signed_in: SignedIn, failed: tuple[Site, Site], name: str) -> None:
    page = signed_in({"role": "viewer"})
    search(page, name)
    for site in failed:
        site.shows(page, name, "FAILED")
    expect(page.locator(".c-actions button:enabled")).to_have_count(0)
    expect(page.locator(".c-actions button").first).to_have_attribute("title", "You need the role operator for this")
    expect(page.locator("#restart-failed")).to_have_count(0)
    expect(page.get_by_role("link", name="Create")).to_have_count(0)
    for site in failed:
        page.goto(site.address(name, "tasks"))
        assert page.locator("main button[data-verb]:enabled").count() == 0
        page.goto(site.address(name, "config"))
        expect(page.locator("table.config")).to_contain_text("FileStreamSink")
        expect(page.get_by_label("JSON", exact=True)).to_have_count(0)


def test_an_operator_of_one_cluster_acts_there(signed_in: SignedIn, failed: tuple[Site, Site], name: str) -> None:
    local, apache = failed
    signed = signed_in({"role": "operator", "cluster": "apache"})
    search(signed, name)
    # The other cluster is nowhere for them.
    apache.shows(signed, name, "FAILED")
    expect(signed.locator("tbody[data-key]")).to_have_count(1)
    assert signed.goto(local.address(name)).status == 404  # type: ignore[union-attr]
    search(signed, name)
    apache.mend(name)
    apache.row(signed, name).locator('[data-verb="restart-failed"]').click()
    apache.shows(signed, name, "RUNNING")
    assert local.states(name) == ["RUNNING", "FAILED"]
    # To change it takes more than to restart it.
    signed.goto(apache.address(name, "config"))
    expect(signed.locator("table.config")).to_be_visible()
    expect(signed.get_by_label("JSON", exact=True)).to_have_count(0)


def test_an_operator_of_some_names_acts_on_those(signed_in: SignedIn, failed: tuple[Site, Site], name: str) -> None:
    """In both clusters; others are nowhere for them."""
    for site in failed:
        site.failing_sink(f"{name}-mine")
    signed = signed_in({"role": "operator", "connectors": f"{name}-m*"})
    search(signed, name)
    for site in failed:
        site.shows(signed, f"{name}-mine", "FAILED")
    expect(signed.locator("tbody[data-key]")).to_have_count(2)
    signed.get_by_role("button", name="Restart 2 failed").click()
    drawer = signed.locator("#drawer")
    expect(drawer).to_contain_text("1 in apache, 1 in local")
    for site in failed:
        site.mend(f"{name}-mine")
    drawer.locator("button.primary").click()
    expect(drawer.locator(".sentence")).to_contain_text("Done · 2 running again")
    for site in failed:
        assert site.states(name) == ["RUNNING", "FAILED"]
        assert signed.goto(site.address(name)).status == 404  # type: ignore[union-attr]


def test_an_editor_of_some_names_changes_those(signed_in: SignedIn, sites: tuple[Site, Site], name: str) -> None:
    """In both clusters; which clusters there are is not theirs to say."""
    for site in sites:
        site.source(name)
        site.source(f"{name}-mine")
    signed = signed_in({"role": "editor", "connectors": f"{name}-m*"})
    for site in sites:
        open_tab(signed, site, f"{name}-mine", "config")
        signed.locator('.fields [data-key="tasks.max"]').fill("2")
        signed.get_by_role("button", name="Review changes").click()
        signed.get_by_role("button", name="Save 1 change").click()
        expect(signed.locator("#notices")).to_contain_text("was saved")
        assert site.client.config(f"{name}-mine")["tasks.max"] == "2"
        assert signed.goto(site.address(name, "config")).status == 404  # type: ignore[union-attr]
    assert signed.goto("/ui/settings/clusters/").status == 403  # type: ignore[union-attr]
