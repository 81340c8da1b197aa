"""Settings → Clusters as an administrator uses it: one is tried, added, dies, comes back and is removed, without a reload."""

import uuid

from playwright.sync_api import Page, expect

from tests.browser.paper import paper_server
from tests.browser.test_control_room import LAKE
from tests.chromium import OpenPage
from tests.running import RunningDrover

ANSWERS = {"/": {"version": "3.9.0", "commit": "x", "kafka_cluster_id": "k"}, "/connectors": LAKE}


def to_add(page: Page) -> None:
    page.get_by_role("link", name="Settings").click()
    page.get_by_role("link", name="Clusters").click()
    page.get_by_role("link", name="Add a cluster").click()


def test_a_cluster_s_life(page: Page, drover: RunningDrover) -> None:
    name = f"paper-{uuid.uuid4().hex[:6]}"
    with paper_server(ANSWERS) as server:
        port = server.server_port
        to_add(page)
        page.get_by_label("Name", exact=True).fill(name)
        page.get_by_label("Addresses").fill(f"http://127.0.0.1:1\nhttp://127.0.0.1:{port}")
        page.get_by_role("button", name="Try it").click()
        tried = page.locator("#tried li")
        expect(tried.nth(0)).to_contain_text("Connection refused")
        expect(tried.nth(1)).to_contain_text("Kafka Connect 3.9.0")
        page.get_by_role("button", name="Add", exact=True).click()

        row = page.locator(f"#cluster-{name}")
        page.wait_for_selector('#link[data-link="live"]')
        page.evaluate("window.notReloaded = true")
        expect(row.locator('[data-contact="live"]')).to_be_visible()
        expect(row).to_contain_text("3.9.0")
        server.shutdown()
        server.server_close()
        expect(row.locator('[data-contact="unreachable"]')).to_be_visible()
        expect(row).to_contain_text("cannot be reached: Connection refused")
    with paper_server(ANSWERS, port=port):
        expect(row.locator('[data-contact="live"]')).to_be_visible()
        assert page.evaluate("window.notReloaded")

        row.get_by_role("link", name=f"Change {name}").click()
        page.get_by_label("Type its name").fill("something else")
        page.get_by_role("button", name=f"Remove {name}").click()
        expect(page.locator("#confirm-error")).to_contain_text(f"Type {name}, exactly")
        page.get_by_label("Type its name").fill(name)
        page.get_by_role("button", name=f"Remove {name}").click()
        expect(page.locator("table.registry")).to_be_visible()
        expect(row).to_have_count(0)


def test_what_cannot_be_used_is_told_and_kept(page: Page) -> None:
    to_add(page)
    page.get_by_label("Name", exact=True).fill("half")
    page.get_by_label("user name and password").check()
    page.get_by_role("textbox", name="User name").fill("ann")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("#urls-error")).to_contain_text("at least one address")
    expect(page.locator("#secret-error")).to_contain_text("Give the password")
    expect(page.get_by_label("Name", exact=True)).to_have_value("half")
    expect(page.get_by_role("textbox", name="User name")).to_have_value("ann")


def test_drover_s_own_is_shown_and_not_changed(open_page: OpenPage) -> None:
    page = open_page(viewport={"width": 360, "height": 740})
    page.goto("/ui/settings/clusters/of/local")
    expect(page.locator(".sentence")).to_contain_text("This is Drover's own cluster")
    expect(page.get_by_label("Addresses")).to_be_disabled()
    assert page.get_by_role("button", name="Save").count() == 0
    page.get_by_role("button", name="Try it").click()
    expect(page.locator("#tried li")).to_contain_text("answered in")
    for address in ("/ui/settings/clusters/", "/ui/settings/clusters/add"):
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
