"""The control room as somebody at night sees it: what is wrong, why, and one press that puts it right, without a reload."""

import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from connect_client import ConnectClient
from tests.browser.paper import paper_cluster
from tests.chromium import OpenPage
from tests.running import RunningDrover

SECONDS = 1000

RECORD = """key => {
  window.notReloaded = true;
  window.states = [];
  const note = () => {
    const chip = document.querySelector(`[data-key="${key}"] .state`);
    if (chip && chip.dataset.state !== states.at(-1)?.state) states.push({state: chip.dataset.state, at: performance.now()});
  };
  new MutationObserver(note).observe(document.getElementById("view"), {subtree: true, childList: true, attributes: true});
  note();
}"""


@pytest.fixture
def name() -> str:
    return f"c-{uuid.uuid4().hex[:6]}"


def row(page: Page, name: str, state: str = "") -> str:
    """The selector of a connector's row, or of its chip in a state."""
    place = f'[data-key="local/{name}"]'
    return f'{place} .c-state .state[data-state="{state}"]' if state else place


def states(page: Page) -> list[str]:
    return [seen["state"] for seen in page.evaluate("window.states")]


def test_nobody_looks_in_without_signing_in(open_page: OpenPage, drover: RunningDrover) -> None:
    page = open_page(sign_in=False)
    expect(page).to_have_url(f"{drover.url}/ui/login?next=/ui/")
    page.fill("input[name=username]", drover.username)
    page.fill("input[name=password]", "wrong")
    page.click("text=Sign in")
    expect(page.get_by_role("alert")).to_be_visible()


def test_signing_out(page: Page, drover: RunningDrover) -> None:
    page.get_by_label("Signed in as admin").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page).to_have_url(f"{drover.url}/ui/login")


def test_a_repaired_sink_is_restarted_with_one_press(page: Page, make_sink: Callable[[str], Path], name: str) -> None:
    folder = make_sink(name)
    # It appears by itself, first in the list, and says why it failed.
    page.wait_for_selector(row(page, name, "FAILED"))
    page.reload()
    assert page.locator("tbody[data-key] .state").first.get_attribute("data-state") == "FAILED"
    expect(page.locator(f"{row(page, name)} .cause")).to_contain_text(str(folder / "out.txt"))

    folder.mkdir()
    page.evaluate(RECORD, f"local/{name}")
    page.click(f'{row(page, name)} button[data-verb="restart-failed"]')
    page.wait_for_selector(row(page, name, "RUNNING"))
    assert states(page) == ["FAILED", "RESTARTING", "RUNNING"]
    seen = page.evaluate("window.states")
    assert seen[2]["at"] - seen[1]["at"] > 550
    expect(page.locator(f'{row(page, name)} li[data-task="0"]')).to_have_attribute("data-state", "RUNNING")
    assert page.evaluate("window.notReloaded")


def test_a_restart_that_fails_again_says_so(page: Page, make_sink: Callable[[str], Path], name: str) -> None:
    make_sink(name)
    page.wait_for_selector(row(page, name, "FAILED"))
    page.evaluate(RECORD, f"local/{name}")
    page.click(f'{row(page, name)} button[data-verb="restart-failed"]')
    page.wait_for_selector(row(page, name, "RESTARTING"))
    page.wait_for_selector(row(page, name, "FAILED"))
    assert states(page) == ["FAILED", "RESTARTING", "FAILED"]


def test_all_that_failed_is_restarted_with_one_press(page: Page, make_sink: Callable[[str], Path], name: str) -> None:
    folders = {sink: make_sink(sink) for sink in (f"{name}-1", f"{name}-2")}
    for sink, folder in folders.items():
        page.wait_for_selector(row(page, sink, "FAILED"))
        folder.mkdir()
    page.click("#restart-failed")
    page.click("#drawer button.primary")
    for sink in folders:
        page.wait_for_selector(row(page, sink, "RUNNING"))
    expect(page.locator("#drawer .sentence")).to_contain_text("running again")


def test_nothing_moves_until_asked_to(page: Page, connect: ConnectClient, make_source: Callable[[str], None], name: str) -> None:
    for source in (f"{name}-1", f"{name}-2"):
        make_source(source)
        page.wait_for_selector(row(page, source, "RUNNING"))
    page.goto(f"/ui/?q={name}")
    keys = "nodes => nodes.map(node => node.dataset.key)"
    before = page.locator("tbody[data-key]").evaluate_all(keys)
    heights = page.locator("tbody[data-key]").evaluate_all("nodes => nodes.map(node => node.getBoundingClientRect().top)")
    connect.pause(f"{name}-2")
    page.wait_for_selector(row(page, f"{name}-2", "PAUSED"))
    page.wait_for_selector("#resort:not([hidden])")
    assert page.locator("tbody[data-key]").evaluate_all(keys) == before
    assert page.locator("tbody[data-key]").evaluate_all("nodes => nodes.map(node => node.getBoundingClientRect().top)") == heights
    expect(page.locator("#resort")).to_have_text("1 change, re-sort")
    page.click("#resort")
    expect(page.locator("tbody[data-key]").first).to_have_attribute("data-key", f"local/{name}-2")


def test_search_and_keys(page: Page, make_source: Callable[[str], None], name: str) -> None:
    make_source(f"{name}-1")
    make_source(f"{name}-2")
    page.wait_for_selector(row(page, f"{name}-2", "RUNNING"))
    page.wait_for_selector(row(page, f"{name}-1", "RUNNING"))
    page.keyboard.press("/")
    page.keyboard.type(f"{name}-2")
    expect(page.locator("tbody[data-key]")).to_have_count(1)
    assert page.url.endswith(f"?q={name}-2")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("p")
    page.wait_for_selector(row(page, f"{name}-2", "PAUSED"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"{name}-2")
    page.wait_for_selector('#link[data-link="live"]')  # the new page's scripts run
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()


@pytest.mark.parametrize(("scheme", "dark"), [("light", False), ("dark", True)])
def test_themes(open_page: OpenPage, scheme: str, dark: bool) -> None:
    page = open_page(color_scheme=scheme)

    def brightness() -> int:
        colour: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(int(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(", "))

    assert (brightness() < 200) is dark
    # From "auto" to "light" to "dark", whatever the system prefers; and it is remembered.
    page.click("#theme")
    assert brightness() > 600
    page.click("#theme")
    assert brightness() < 200
    page.reload()
    assert brightness() < 200


def test_a_phone(open_page: OpenPage, make_sink: Callable[[str], Path], name: str) -> None:
    page = open_page(viewport={"width": 360, "height": 740})
    make_sink(name)
    page.wait_for_selector(row(page, name, "FAILED"))
    for _ in ("fleet", "connector"):
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        page.click(f"{row(page, name)} a >> nth=0")


def test_a_dead_cluster_is_a_banner(page: Page, drover: RunningDrover, name: str) -> None:
    with paper_cluster(drover, name, {"/": {"version": "3.9.0"}, "/connectors": LAKE}) as server:
        place = f'[data-key="{name}/lake"]'
        page.wait_for_selector(f'{place} .state[data-state="FAILED"]')
        server.shutdown()
        server.server_close()
        banner = page.locator(f"#banner-{name}")
        expect(banner).to_contain_text(f"Cluster {name} cannot be reached")
        # What was last seen of it stays, and cannot be pressed.
        expect(page.locator(f'{place} .state[data-state="FAILED"]')).to_be_visible()
        expect(page.locator(f"{place} button").first).to_be_disabled()


LAKE = {
    "lake": {
        "info": {"name": "lake", "config": {"connector.class": "LakeSink"}, "tasks": [], "type": "sink"},
        "status": {
            "name": "lake",
            "connector": {"state": "FAILED", "worker_id": "w:1", "trace": "Lake: dry"},
            "tasks": [],
            "type": "sink",
        },
    }
}
