"""Configs on both clusters: what is typed is in form and JSON, the cluster's word is at the field, and nothing is lost."""

import json
import re

import pytest
from playwright.sync_api import Dialog, Locator, Page, expect

from tests.browser.both.site import Site, open_tab, stays

FILE_SOURCE = "org.apache.kafka.connect.file.FileStreamSourceConnector"
# As after a look at another tab, and until the page would have been fetched anew.
LOOKED_AT_AGAIN = """() => {
  document.dispatchEvent(new Event("visibilitychange"));
  return fetch("/ui/jobs/").then(() => true);
}"""
SECRET = "geheim-und-lang"


@pytest.fixture
def config(site: Site, name: str) -> dict[str, str]:
    """Of a source that runs, with a secret and a key that nobody defines."""
    config = {**site.source_config(name), "db.password": SECRET, "unknown.key": "kept"}
    site.client.create(name, config)
    site.wait_for(name, "RUNNING", "RUNNING")
    return {**config, "name": name}


def field(page: Page, key: str) -> Locator:
    """Where it is typed."""
    return page.locator(f'.fields [data-key="{key}"]')


def row(page: Page, key: str) -> Locator:
    return page.locator(f'[data-field="{key}"]')


def text_of(page: Page) -> Locator:
    return page.get_by_label("JSON", exact=True)


def is_good(page: Page) -> None:
    expect(page.locator("[data-verdict]")).to_have_attribute("data-good", "true")


def save(page: Page, changes: str) -> None:
    page.get_by_role("button", name="Review changes").click()
    page.get_by_role("button", name=f"Save {changes}").click()
    expect(page.locator("#notices")).to_contain_text("was saved")


def test_from_the_form_to_the_cluster(page: Page, site: Site, name: str, config: dict[str, str]) -> None:
    open_tab(page, site, name, "config")
    text = text_of(page)
    is_good(page)
    assert SECRET not in page.content()
    expect(field(page, "db.password")).to_have_value("••••••••")
    expect(field(page, "unknown.key")).to_have_value("kept")

    # What is typed into the form is in the JSON, and the cluster's word is at the field.
    field(page, "tasks.max").fill("0")
    expect(text).to_have_value(re.compile(r'"tasks.max": "0"'))
    expect(row(page, "tasks.max").locator(".error")).to_contain_text("Value must be at least 1")
    expect(page.locator("[data-verdict]")).to_have_attribute("data-good", "false")
    expect(row(page, "tasks.max")).to_have_attribute("data-changed", "")
    expect(field(page, "tasks.max")).to_be_focused()

    # And the other way round.
    text.fill(text.input_value().replace('"0"', '"2"').replace('"kept"', '"kept", "errors.tolerance": "all"'))
    expect(field(page, "tasks.max")).to_have_value("2")
    expect(field(page, "errors.tolerance")).to_have_value("all")
    is_good(page)

    page.get_by_role("button", name="Review changes").click()
    diff = page.locator(".diff")
    expect(diff.locator("tbody tr")).to_have_count(2)
    expect(diff.locator("tr", has_text="tasks.max").locator(".was")).to_have_text("1")
    expect(diff.locator("tr", has_text="tasks.max").locator(".becomes")).to_have_text("2")
    page.get_by_label("Why").fill("more of it")
    page.get_by_role("button", name="Save 2 changes").click()
    expect(page.locator("#notices")).to_contain_text("was saved, as version 2")
    assert site.client.config(name) == {**config, "tasks.max": "2", "errors.tolerance": "all"}
    expect(page.locator("form[data-dirty]")).to_have_count(0)
    assert SECRET not in page.content()

    # Who did what, where, from what to what.
    page.goto(f"/ui/activity/?connector={name}")
    line = page.locator("table.activity tbody").first
    expect(line).to_contain_text("admin")
    expect(line.get_by_role("link", name=name)).to_have_attribute("href", site.address(name).partition("?")[0])
    expect(line).to_contain_text(site.cluster)
    line.locator("summary").click()
    expect(line.locator("div", has_text="tasks.max").locator("del")).to_contain_text("1")
    expect(line.locator("div", has_text="tasks.max").locator("ins")).to_contain_text("2")
    page.get_by_label("Who").fill("nobody")
    page.get_by_role("button", name="Filter").click()
    expect(page.locator(".empty")).to_contain_text("Nothing fits this filter.")


def test_what_is_wrong_is_said_and_kept(page: Page, site: Site, name: str, config: dict[str, str]) -> None:
    open_tab(page, site, name, "config")
    text = text_of(page)
    is_good(page)
    text.fill(f'{{"name": "{name}",\n "file": }}')
    expect(page.locator("[data-verdict]")).to_contain_text("This is not JSON: line 2, column 10")
    page.get_by_role("button", name="Review changes").click()
    expect(page.locator("#review")).to_contain_text("This is not JSON")
    expect(text).to_have_value(f'{{"name": "{name}",\n "file": }}')

    # A mask of another tool is no value.
    text.fill(json.dumps({**config, "db.password": "********"}))
    expect(row(page, "db.password").locator(".error")).to_contain_text("is a mask, no value")
    page.get_by_role("button", name="Review changes").click()
    expect(page.locator("#review")).to_contain_text("is a mask, no value")

    # What the cluster does not take is refused in its words.
    text.fill(json.dumps({key: value for key, value in config.items() if key != "topic"}))
    page.get_by_role("button", name="Review changes").click()
    page.get_by_role("button", name="Save 1 change").click()
    expect(page.locator("#review").get_by_role("alert")).to_contain_text("topic")
    assert site.client.config(name) == config


def test_a_change_made_elsewhere(page: Page, site: Site, name: str, config: dict[str, str]) -> None:
    """It is a version like others, and takes away nothing of what somebody types meanwhile."""
    open_tab(page, site, name, "config")
    is_good(page)
    field(page, "file").fill("/tmp/mine")
    site.client.put_config(name, {**config, "batch.size": "7"})
    expect(page.locator("#overtaken")).to_contain_text("changed elsewhere")
    expect(field(page, "file")).to_have_value("/tmp/mine")
    page.get_by_role("button", name="Review changes").click()
    expect(page.locator("#review .banner")).to_contain_text("Somebody else has changed this config")
    assert page.evaluate("window.notReloaded")

    # Leaving is asked about.
    asked: list[str] = []

    def leave(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", leave)
    page.get_by_role("link", name="Fleet").first.click()
    page.wait_for_url("**/ui/")
    assert asked == ["beforeunload"]

    page.goto(site.address(name, "config") + "&view=history")
    versions = page.locator(".versions li")
    expect(versions).to_have_count(2)
    expect(versions.first).to_contain_text("Version 2")
    expect(versions.first).to_contain_text("elsewhere")
    expect(versions.first).to_contain_text("batch.size")
    versions.last.get_by_role("link", name="Roll back").click()
    expect(page.locator(".configs .banner")).to_contain_text("This is version 1, to go back to.")
    is_good(page)
    assert SECRET not in page.content()
    save(page, "1 change")
    assert site.client.config(name) == config


def test_a_connector_is_created_from_the_catalogue(page: Page, site: Site, name: str) -> None:
    config = site.source_config(name)
    page.goto("/ui/create")
    page.get_by_label("Find a plug-in").fill("filestreamsou")
    page.get_by_role("link", name=f"FileStreamSourceConnector in {site.cluster}").click()
    for key, value in (("name", name), ("topic", config["topic"]), ("file", config["file"])):
        field(page, key).fill(value)
    page.get_by_label("It begins").select_option("STOPPED")
    page.get_by_role("button", name="Create", exact=True).click()
    page.wait_for_url(f"**/{site.cluster}/connectors/{name}")
    site.wait_for(name, "STOPPED")
    assert site.client.config(name) == {**config, "name": name, "connector.class": FILE_SOURCE}
    expect(page.locator("h1 .state")).to_have_attribute("data-state", "STOPPED")


def test_one_is_pasted_and_copied_into_the_other_cluster(page: Page, sites: tuple[Site, Site], site: Site, name: str) -> None:
    (other,) = (one for one in sites if one is not site)
    config = {**site.source_config(name), "name": name, "db.password": SECRET}
    page.goto("/ui/create")
    page.get_by_label("JSON or .properties").fill("".join(f"{key}={value}\n" for key, value in config.items()))
    page.get_by_role("button", name="Go on with it").click()
    # What happens meanwhile takes nothing of it away.
    stays(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.evaluate(LOOKED_AT_AGAIN)
    assert not [url for url in asked if "/ui/create" in url]
    page.locator("select[name=cluster]").select_option(site.cluster)
    is_good(page)
    page.get_by_role("button", name="Create", exact=True).click()
    page.wait_for_url(f"**/{site.cluster}/connectors/{name}")
    site.wait_for(name, "RUNNING", "RUNNING")
    assert site.client.config(name) == config

    open_tab(page, site, name, "config")
    page.get_by_role("link", name="Create a copy").click()
    assert SECRET not in page.content()
    page.locator("select[name=cluster]").select_option(other.cluster)
    field(page, "name").fill(f"{name}-copy")
    page.get_by_label("It begins").select_option("PAUSED")
    page.get_by_role("button", name="Create", exact=True).click()
    page.wait_for_url(f"**/{other.cluster}/connectors/{name}-copy")
    assert other.client.config(f"{name}-copy") == {**config, "name": f"{name}-copy"}
    other.wait_for(f"{name}-copy", "PAUSED")
