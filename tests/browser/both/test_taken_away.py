"""What is taken away from both clusters at once: configs, activities; and what a token's owner does from elsewhere."""

import csv
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.both.site import Site, search, stays
from tests.running import RunningDrover

SECRET = "geheim-und-lang"
MASK = "••••••••"


@pytest.fixture
def configs(page: Page, sites: tuple[Site, Site], name: str) -> dict[str, dict[str, str]]:
    """By cluster, of a source with a secret that runs there and is on the page."""
    configs = {}
    for site in sites:
        configs[site.cluster] = {**site.source_config(name), "db.password": SECRET}
        site.client.create(name, configs[site.cluster])
    for site in sites:
        site.wait_for(name, "RUNNING", "RUNNING")
    search(page, name)
    for site in sites:
        site.shows(page, name, "RUNNING")
    return configs


def downloaded(page: Page, press: Callable[[], object]) -> Path:
    with page.expect_download() as download:
        press()
    return download.value.path()


def lines(page: Page) -> Locator:
    return page.locator("table.activity tbody.row")


def test_configs(page: Page, configs: dict[str, dict[str, str]], name: str) -> None:
    page.get_by_label("Select all on this page").check()
    page.locator("#chosen").get_by_role("button", name="Export 2").click()
    drawer = page.locator("#drawer")
    begin = drawer.get_by_role("button", name="Export 2")
    told = json.loads(downloaded(page, begin.click).read_text())
    assert {(one["cluster"], one["name"]) for one in told} == {(cluster, name) for cluster in configs}
    for one in told:
        assert one["config"] == {**configs[one["cluster"]], "name": name, "db.password": MASK}

    drawer.locator("select[name=format]").select_option("properties files in a zip")
    drawer.get_by_label("with secrets as they are").check()
    with zipfile.ZipFile(downloaded(page, begin.click)) as files:
        assert sorted(files.namelist()) == sorted(f"{cluster}/{name}.properties" for cluster in configs)
        for cluster, config in configs.items():
            found = files.read(f"{cluster}/{name}.properties").decode().splitlines()
            assert {f"db.password={SECRET}", f"name={name}", f"topic={config['topic']}"} <= set(found)
    # That secrets were given away is noted, without them.
    page.goto(f"/ui/activity/?connector={name}&verb=export")
    expect(lines(page)).to_have_count(2)
    assert SECRET not in page.content()


def test_activities(page: Page, sites: tuple[Site, Site], configs: dict[str, dict[str, str]], name: str) -> None:
    for site in sites:
        site.row(page, name).locator('[data-verb="pause"]').click()
        site.shows(page, name, "PAUSED")
    page.goto(f"/ui/activity/?connector={name}")
    expect(lines(page)).to_have_count(2)
    files = page.locator(".files")
    in_csv = csv.DictReader(io.StringIO(downloaded(page, files.get_by_role("link", name="CSV").click).read_text()))
    assert {(one["person"], one["verb"], one["cluster"], one["connector"]) for one in in_csv} == {
        ("admin", "pause", cluster, name) for cluster in configs
    }
    page.locator("#activity-filter select[name=cluster]").select_option("apache")
    page.locator("#activity-filter select[name=verb]").select_option("pause")
    page.get_by_role("button", name="Filter", exact=True).click()
    page.wait_for_url("**cluster=apache**")
    expect(lines(page)).to_have_count(1)
    expect(lines(page)).to_contain_text("apache")
    (one,) = json.loads(downloaded(page, files.get_by_role("link", name="JSON").click).read_text())
    assert (one["verb"], one["cluster"], one["connector"], one["outcome"]) == ("pause", "apache", name, "done")


def test_from_elsewhere(
    page: Page, drover: RunningDrover, sites: tuple[Site, Site], configs: dict[str, dict[str, str]], name: str
) -> None:
    """By a token that was made here, up to its role and until it is revoked; it is seen on the page that is open."""
    other = page.context.new_page()
    other.goto("/ui/settings/tokens/")
    other.get_by_label("Name", exact=True).fill(name)
    other.get_by_label("Role at most").select_option("operator")
    other.get_by_role("button", name="Make token").click()
    made = other.locator("#made").text_content()
    with httpx.Client(base_url=f"{drover.url}/api/v1/", headers={"Authorization": f"Bearer {made}"}, trust_env=False) as api:
        wanted = {"verb": "pause", "filter": f"q=name:{name}"}
        assert api.post("jobs", json={**wanted, "dry_run": True}).json()["about"] == "Pause 2 connectors"
        job = api.post("jobs", json=wanted)
        assert job.status_code == 202, job.text
        for site in sites:
            site.shows(page, name, "PAUSED")
            assert site.states(name)[0] == "PAUSED"
        assert page.evaluate("window.notReloaded")
        assert api.post("jobs", json={**wanted, "verb": "delete"}).status_code == 403
        page.goto(f"/ui/jobs/{job.json()['id']}")
        stays(page)
        expect(page.locator(".sentence").first).to_contain_text("Done · 2 paused")
        expect(page.locator(".facts").first).to_contain_text("by admin (")
        other.get_by_role("button", name=f"Revoke {name}").click()
        expect(other.get_by_role("button", name=f"Revoke {name}")).to_have_count(0)
        assert api.post("jobs", json=wanted).status_code == 401
