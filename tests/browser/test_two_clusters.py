"""Drover and a real Apache Kafka Connect on one screen: sixty tasks that really fail, one click; then Connect dies."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from connect_client import ConnectClient
from tests.browser.paper import registered
from tests.running import RunningDrover
from tests.two_clusters import HOPELESS, Apache, Side, apache_connect, failed_sides

WATCHED = (0, 5, 9, HOPELESS)

RECORD = """keys => {
  window.notReloaded = true;
  window.states = Object.fromEntries(keys.map(key => [key, []]));
  const note = () => {
    for (const key of keys) {
      const state = document.querySelector(`[data-key="${key}"] .c-state .state`)?.dataset.state;
      const seen = window.states[key];
      if (state && state !== seen.at(-1)?.[0]) seen.push([state, Math.round(performance.now())]);
    }
  };
  new MutationObserver(note).observe(document.getElementById("view"), {subtree: true, childList: true, attributes: true});
  note();
}"""


@pytest.fixture
def apache(kafka: str, drover: RunningDrover, tmp_path: Path) -> Iterator[Apache]:
    with apache_connect(kafka, tmp_path) as apache, registered(drover, "apache", apache.client.url):
        yield apache


@pytest.fixture
def sides(apache: Apache, connect: ConnectClient, tmp_path: Path) -> list[Side]:
    """Drover's and Apache Connect's: sixty tasks that have failed, and none that runs."""
    return failed_sides(tmp_path, local=connect, apache=apache.client)


def test_one_click_over_both(page: Page, sides: list[Side]) -> None:
    expect(page.get_by_role("button", name="Restart 60 failed")).to_be_visible()
    watched = [side.key(number) for side in sides for number in WATCHED]
    page.evaluate(RECORD, watched)
    for side in sides:
        side.mend()
    page.get_by_role("button", name="Restart 60 failed").click()
    drawer = page.locator("#drawer")
    expect(drawer).to_contain_text("Restart 60 failed in 24 connectors")
    expect(drawer).to_contain_text("12 in apache, 12 in local")
    drawer.get_by_role("button", name="Restart 60 failed").click()
    expect(drawer.locator(".sentence")).to_contain_text("Done · 2 failed again · 22 running again")
    drawer.get_by_role("link", name="only failed").click()
    expect(drawer.locator("[data-item]")).to_have_count(2)
    for side in sides:
        item = drawer.locator(f'[data-item="{side.key(HOPELESS)}"]')
        expect(item).to_contain_text(re.compile(f"(NoSuchFile|FileNotFound).*{re.escape(str(side.file(HOPELESS)))}", re.DOTALL))
    expect(page.locator("#restart-failed")).to_contain_text("Restart 2 failed")
    states = page.evaluate("window.states")
    for side in sides:
        seen = {number: [state for state, _ in states[side.key(number)]] for number in WATCHED}
        assert any("RESTARTING" in one for one in seen.values()), states
        # What is over between two updates of the page is not seen to be under way; nothing goes back and forth.
        for number, one in seen.items():
            whole = ["FAILED", "RESTARTING", "FAILED" if number == HOPELESS else "RUNNING"]
            assert one in (whole, list(dict.fromkeys([whole[0], whole[2]]))), states
    assert page.evaluate("window.notReloaded")
    for side in sides:
        assert sorted(side.states()) == ["FAILED"] + ["RUNNING"] * 29


def test_connect_is_killed_and_comes_back(page: Page, sides: list[Side], apache: Apache) -> None:
    ours, theirs = sides
    page.goto(f"/ui/?q={ours.prefix}")
    rows = page.locator('tbody[data-key^="apache/"]')
    expect(rows).to_have_count(12)
    page.evaluate("window.notReloaded = true")
    apache.kill()
    banner = page.locator("#banner-apache")
    expect(banner).to_contain_text("Cluster apache cannot be reached")
    expect(banner).to_contain_text(re.compile("Its states are those of .* ago"))
    expect(page.locator('tbody.stale[data-key^="apache/"]')).to_have_count(12)
    expect(page.locator(f'[data-key="{theirs.key(0)}"] .c-actions button').first).to_be_disabled()
    # The other cluster does what it is told.
    ours.mend()
    mended = page.locator(f'[data-key="{ours.key(0)}"]')
    mended.locator('button[data-verb="restart-failed"]').click()
    expect(mended.locator(".c-state .state")).to_have_attribute("data-state", "RUNNING")

    theirs.mend()
    again = apache.start()
    expect(banner).to_have_count(0)
    expect(page.locator('tbody.stale[data-key^="apache/"]')).to_have_count(0)
    # A worker that comes back starts its tasks anew: all but one find their folders now.
    expect(page.locator('tbody[data-key^="apache/"] .c-state .state[data-state="RUNNING"]')).to_have_count(11)
    hopeless = page.locator(f'[data-key="{theirs.key(HOPELESS)}"] button[data-verb="restart-failed"]')
    expect(hopeless).to_be_enabled()
    assert page.evaluate("window.notReloaded")
    again.delete(theirs.name(0))
    expect(page.locator(f'[data-key="{theirs.key(0)}"]')).to_have_count(0)
