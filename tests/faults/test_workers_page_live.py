"""The workers' page in a browser while one of three real workers is killed and comes back. Nobody reloads it."""

import sys
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.chromium import OpenPage, chromium, pages
from tests.faults.conftest import BACK, SESSION_TIMEOUT, Trio
from tests.faults.spread import Spread
from tests.waiting import eventually

SECONDS = 1000
PLACES = "nodes => nodes.map(node => [node.id, node.getBoundingClientRect().top, node.getBoundingClientRect().left])"
RUNS = "nodes => nodes.map(node => `${node.closest('[data-key]').dataset.key}/${node.dataset.task}`)"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def control(trio_installation: Trio) -> Iterator[None]:
    """Follows the cluster for the pages."""
    with trio_installation.beside(sys.executable, "manage.py", "control"):
        yield


@pytest.fixture
def page(browser: Browser, control: None, trio: Trio) -> Iterator[Page]:
    """The workers' page, with a mark that a reload would wipe out."""

    def opened(open_page: OpenPage) -> Page:
        page = open_page()
        page.get_by_role("link", name="Workers").click()
        page.wait_for_selector('#link[data-link="live"]')
        page.evaluate("window.notReloaded = true")
        return page

    with pages(browser, trio.drover) as open_page:
        yield opened(open_page)


def panel(page: Page, worker_id: str) -> Locator:
    name = page.get_by_role("heading", level=3, name=worker_id, exact=True)
    return page.locator("#workers-local .worker").filter(has=name)


def tasks(panel: Locator) -> set[str]:
    """The tasks that are shown there as running."""
    return set(panel.locator('[data-task][data-state="RUNNING"]').evaluate_all(RUNS))


def test_a_killed_worker_s_tasks_move_and_come_back_before_one_s_eyes(
    trio: Trio, make_spread: Callable[[str, int], Spread], page: Page
) -> None:
    for _ in range(3):
        make_spread("shown", 3)
    ids = sorted(trio.members())
    panels = page.locator("#workers-local .worker")
    expect(panels).to_have_count(3)
    eventually(lambda: [len(tasks(panel(page, id))) for id in ids] == [3, 3, 3], "Three tasks on each")
    expect(page.locator(".sentence")).to_contain_text("3 workers, 9 tasks")
    before, places = {id: tasks(panel(page, id)) for id in ids}, panels.evaluate_all(PLACES)

    name = trio.follower()
    victim = trio.worker_id(name)
    others = [id for id in ids if id != victim]
    trio.kill(name)

    expect(panel(page, victim)).to_contain_text("gone since", timeout=(SESSION_TIMEOUT + 10) * SECONDS)
    eventually(
        lambda: set().union(*[tasks(panel(page, id)) for id in others]) == set().union(*before.values()),
        seconds=SESSION_TIMEOUT + 10,
    )
    assert tasks(panel(page, victim)) == set()
    expect(page.locator(".sentence")).to_contain_text("2 workers, 9 tasks")
    expect(page.locator(".sentence")).to_contain_text("its 3 tasks run on 2 others")
    for id in others:
        assert before[id] < tasks(panel(page, id)), "what it had is still there"
    assert panels.evaluate_all(PLACES) == places

    expect(panel(page, victim).locator(".mark.back")).to_contain_text("back", timeout=BACK * SECONDS)
    eventually(lambda: {id: tasks(panel(page, id)) for id in ids} == before, "Everything where it was")
    expect(page.locator(".sentence")).to_contain_text("3 workers, 9 tasks")
    assert panels.evaluate_all(PLACES) == places
    assert page.evaluate("window.notReloaded")
