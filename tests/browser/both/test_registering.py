"""A real Apache Kafka Connect is added in Settings: first with a wrong address, then tried, followed and removed; by another hand
while somebody looks; or by a file."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import Page, expect

from tests.browser.both.site import Site, search, stays
from tests.room import Room
from tests.running import CLUSTERS_FILE, NO_CLUSTERS, RunningDrover
from tests.waiting import eventually

NOBODY = "http://127.0.0.1:1"


@pytest.fixture
def clusters_file(drover: RunningDrover, room: Room, name: str) -> Iterator[Path]:
    """It names none at the end."""
    file = drover.data_dir / CLUSTERS_FILE
    yield file
    file.write_text(NO_CLUSTERS)
    eventually(lambda: name not in [one["name"] for one in room.get("clusters")], "a file without it")


def test_a_cluster_is_added(page: Page, sites: tuple[Site, Site], name: str, kafka: str) -> None:
    _, apache = sites
    apache.failing_sink(name)
    page.goto("/ui/settings/clusters/")
    page.get_by_role("link", name="Add a cluster").click()
    page.get_by_label("Name", exact=True).fill(name)
    addresses = page.get_by_label("Addresses")
    addresses.fill(NOBODY)
    page.get_by_role("button", name="Try it").click()
    tried = page.locator("#tried li")
    expect(tried).to_contain_text("Connection refused")
    addresses.fill(f"{NOBODY}\n{apache.client.url}")
    page.get_by_label("Bootstrap servers").fill(kafka)
    page.get_by_role("button", name="Try it").click()
    expect(tried).to_have_count(2)
    expect(tried.nth(0)).to_contain_text("Connection refused")
    expect(tried.nth(1)).to_contain_text("Kafka Connect 4.3.0 of Kafka")
    page.get_by_role("button", name="Add", exact=True).click()

    # Nobody answers at the first address: the second is used.
    row = page.locator(f"#cluster-{name}")
    stays(page)
    expect(row.locator('[data-contact="live"]')).to_be_visible()
    expect(row).to_contain_text("4.3.0")
    expect(page.locator("#cluster-local")).to_contain_text("itself")
    assert page.evaluate("window.notReloaded")
    search(page, f"cluster:{name}", f"name:{name}")
    expect(page.locator(f'[data-key="{name}/{name}"] .c-state .state')).to_have_attribute("data-state", "FAILED")

    page.goto(f"/ui/settings/clusters/of/{name}")
    page.get_by_label("Type its name").fill(name)
    page.get_by_role("button", name=f"Remove {name}").click()
    expect(page.locator("table.registry")).to_be_visible()
    expect(row).to_have_count(0)
    assert apache.states(name) == ["RUNNING", "FAILED"]


def test_one_that_others_add_and_remove(page: Page, room: Room, sites: tuple[Site, Site], cluster: str) -> None:
    """By `/api/v1/`."""
    _, apache = sites
    page.goto("/ui/settings/clusters/")
    stays(page)
    room.post("clusters", {"name": cluster, "urls": [NOBODY, apache.client.url]})
    row = page.locator(f"#cluster-{cluster}")
    expect(row.locator('[data-contact="live"]')).to_be_visible()
    expect(row).to_contain_text("4.3.0")
    room.delete(f"clusters/{cluster}")
    expect(row).to_have_count(0)
    assert page.evaluate("window.notReloaded")


def test_one_of_a_file(page: Page, clusters_file: Path, sites: tuple[Site, Site], name: str, kafka: str) -> None:
    """It is followed and acted on as any other, and changed in the file alone; what is wrong with that changes nothing."""
    _, apache = sites
    apache.failing_sink(name)
    page.goto("/ui/settings/clusters/")
    stays(page)
    own = {"name": name, "urls": [NOBODY, apache.client.url], "bootstrap_servers": kafka}
    clusters_file.write_text(yaml.safe_dump({"clusters": [own]}))
    row = page.locator(f"#cluster-{name}")
    expect(row.locator('[data-contact="live"]')).to_be_visible()
    expect(row).to_contain_text("a file")
    clusters_file.write_text(yaml.safe_dump({"clusters": [{**own, "urls": ["ftp://nobody"]}]}))
    banner = page.locator(".banner", has_text="The file of clusters is not taken up")
    expect(banner).to_contain_text(f"{name}, urls: ftp://nobody is no address")
    expect(row.locator('[data-contact="live"]')).to_be_visible()
    clusters_file.write_text(yaml.safe_dump({"clusters": [own]}))
    expect(banner).to_have_count(0)
    assert page.evaluate("window.notReloaded")

    row.get_by_role("link", name=f"Look at {name}").click()
    expect(page.locator(".sentence")).to_contain_text(f"This cluster comes from {clusters_file}")
    expect(page.get_by_label("Addresses")).to_be_disabled()
    expect(page.get_by_role("button", name="Try it")).to_be_visible()
    for button in (f"Save {name}", f"Remove {name}"):
        expect(page.get_by_role("button", name=button)).to_have_count(0)

    apache.mend(name)
    search(page, f"cluster:{name}", f"name:{name}")
    shown = page.locator(f'[data-key="{name}/{name}"]')
    expect(shown.locator(".c-state .state")).to_have_attribute("data-state", "FAILED")
    shown.locator('[data-verb="restart-failed"]').click()
    expect(shown.locator(".c-state .state")).to_have_attribute("data-state", "RUNNING")
    clusters_file.write_text(NO_CLUSTERS)
    expect(shown).to_have_count(0)
    assert page.evaluate("window.notReloaded")
    assert apache.states(name) == ["RUNNING", "RUNNING"]
