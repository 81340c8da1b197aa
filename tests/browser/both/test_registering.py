"""A real Apache Kafka Connect is added in Settings: first with a wrong address, then tried, followed and removed; or by another
hand while somebody looks."""

from playwright.sync_api import Page, expect

from tests.browser.both.site import Site, search, stays
from tests.room import Room

NOBODY = "http://127.0.0.1:1"


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
