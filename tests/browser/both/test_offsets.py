"""The offsets tab on both clusters: stop, edit, review, apply, resume; and then it begins exactly there."""

import re

from playwright.sync_api import Page, expect

from tests.browser.both.site import Site, open_tab
from tests.topics import values
from tests.waiting import eventually


def stop(page: Page, name: str) -> None:
    expect(page.locator("#offsets-moving")).to_contain_text(f"Nothing can be edited while {name} is RUNNING.")
    page.get_by_role("button", name=f"Stop {name} to edit its offsets").click()
    expect(page.get_by_role("button", name="Review changes")).to_be_visible()


def resume(page: Page, name: str) -> None:
    page.get_by_role("button", name=f"Resume {name}").last.click()
    expect(page.locator("#offsets-moving")).to_be_visible()


def test_a_source_begins_where_it_was_told_to(page: Page, site: Site, name: str) -> None:
    site.source(name, "one line\ntwo\nthree\n")
    eventually(lambda: [at.offset for at in site.client.offsets(name)] == [{"position": 19}])
    open_tab(page, site, name, "offsets")
    expect(page.locator(".offsets .facts")).to_have_text(re.compile(rf"Topics used so far:\s*{name}\s*$"))
    stop(page, name)
    position = page.get_by_label("New offset of")
    expect(position).to_have_value('{"position":19}')

    # What cannot be meant changes nothing and stays where it was typed.
    position.fill('{"position":')
    page.get_by_role("button", name="Review changes").click()
    expect(page.locator(".error")).to_contain_text("This is not JSON")
    expect(position).to_have_value('{"position":')
    expect(position).to_be_focused()

    position.fill('{"position": 9}')
    position.press("Enter")
    expect(page.get_by_role("heading", name="Review: 1 change")).to_be_focused()
    expect(page.locator(".diff .was")).to_have_text('{"position":19}')
    expect(page.locator(".diff .becomes")).to_have_text('{"position":9}')
    page.get_by_role("button", name="Apply 1 change").click()
    expect(page.locator(".banner.good")).to_contain_text("have been altered successfully")
    expect(page.locator(".past")).to_contain_text("by admin")
    resume(page, name)
    eventually(lambda: [at.offset for at in site.client.offsets(name)] == [{"position": 19}])
    assert values(site.bootstrap_servers, name) == [b"one line", b"two", b"three", b"two", b"three"]
    assert page.evaluate("window.notReloaded")


def test_a_sink_reads_again_and_begins_anew(page: Page, site: Site, name: str) -> None:
    lines = ["a", "b", "c", "d"]
    site.sink(name, lines)

    def written() -> list[str]:
        return site.file(name).read_text().splitlines()

    open_tab(page, site, name, "offsets")
    stop(page, name)
    page.get_by_label("New offset of").fill("1")
    page.get_by_role("button", name="Review changes").click()
    expect(page.locator(".diff .was")).to_have_text("4")
    page.get_by_role("button", name="Apply 1 change").click()
    expect(page.locator(".banner.good")).to_contain_text("have been altered successfully")
    resume(page, name)
    eventually(lambda: written() == [*lines, *lines[1:]], "What it reads again")

    stop(page, name)
    page.get_by_label("Type its name").fill("something else")
    page.get_by_role("button", name="Reset all").click()
    expect(page.locator("#confirm-error")).to_be_visible()
    page.get_by_label("Type its name").fill(name)
    page.get_by_role("button", name="Reset all").click()
    page.get_by_role("button", name="Reset the only offset").click()
    expect(page.locator(".banner.good")).to_contain_text("reset successfully")
    resume(page, name)
    eventually(lambda: written() == [*lines, *lines[1:], *lines], "What it reads anew")
    assert page.evaluate("window.notReloaded")
