"""WCAG 2.2 AA, as far as axe can tell: every page, light and dark, wide and on a phone."""

from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from dashboard.people import users
from tests.browser.conftest import browser as browser  # noqa: PLC0414
from tests.browser.world import furnish
from tests.dashboard.configs.paper import SINK, ConfigPaper

WIDTHS = (1280, 360)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text()
TAGS = ("wcag2a", "wcag2aa", "wcag21aa", "wcag22aa")
# The size of targets is new in 2.2, and switched off unless it is asked for by name.
OPTIONS = {"runOnly": list(TAGS), "rules": {"target-size": {"enabled": True}}, "resultTypes": ["violations"]}
LOOK = """async (options) => {
  const found = await axe.run(document, options);
  // What is open lies over the page until it is closed: what it half covers is no target until then. Beside it, 24 px count too.
  const open = [...document.querySelectorAll('.drawer:has(*), .menu[open] > .sheet')];
  const near = (a, b) => a.left < b.right + 24 && b.left < a.right + 24 && a.top < b.bottom + 24 && b.top < a.bottom + 24;
  const covered = (node) =>
    open.some((over) => !over.contains(node) && near(over.getBoundingClientRect(), node.getBoundingClientRect()));
  const counts = (id) => ({target}) => id != 'target-size' || !covered(document.querySelector(target[0]));
  const told = ({id, help, nodes}) =>
    [id, help, nodes.filter(counts(id)).map((node) => `${node.target}: ${node.failureSummary}`)];
  const violations = found.violations.map(told).filter(([, , nodes]) => nodes.length);
  return {violations, held: found.passes.map(({id}) => id)};
}"""
FOCUS = """async () => {
  // What is scrolled is drawn with the next frame.
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  const at = document.activeElement;
  const {left, top, width, height} = at.getBoundingClientRect();
  const shares = [0.1, 0.5, 0.9];
  const points = shares.flatMap((x) => shares.map((y) => [left + x * width, top + y * height]));
  const seen = (point) => at.contains(document.elementFromPoint(...point));
  return [at.outerHTML.slice(0, 200), at === document.body || points.some(seen)];
}"""
#: What has to be done on a page before there is all of it to look at.
Act = Callable[[Page], None]


@pytest.fixture(scope="module", autouse=True)
def beside_playwright() -> Iterator[None]:
    """Its loop runs in this thread, and Django takes that for a mistake."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        yield


@pytest.fixture
def context(browser: Browser, live_server: LiveServer) -> Iterator[BrowserContext]:
    """Nothing moves in it: a colour on its way to another is neither."""
    context = browser.new_context(base_url=live_server.url, reduced_motion="reduce")
    context.add_init_script(AXE)
    context.set_default_timeout(10_000)
    yield context
    context.close()


@pytest.fixture
def paper(monkeypatch: pytest.MonkeyPatch, transactional_db: None) -> ConfigPaper:
    paper = ConfigPaper()
    monkeypatch.setattr("dashboard.clusters._client", lambda _access: paper.client())
    return paper


def sign_in(context: BrowserContext, live_server: LiveServer, user: User) -> None:
    client = Client()
    client.force_login(user)
    cookie = next(iter(client.cookies.values()))
    context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": live_server.url}])


class Looked:
    """What axe has found, by page, width and scheme; and which rules held somewhere."""

    def __init__(self) -> None:
        self.violations: dict[str, Any] = {}
        self.held: set[str] = set()

    def at(self, page: Page, name: str) -> None:
        for width in WIDTHS:
            self._unroll(page, width)
            for scheme in SCHEMES:
                page.emulate_media(color_scheme=scheme)
                found = page.evaluate(LOOK, OPTIONS)
                self.held.update(found["held"])
                if found["violations"]:
                    self.violations[f"{name}, {width}, {scheme}"] = found["violations"]
        page.set_viewport_size({"width": WIDTHS[0], "height": 800})

    @staticmethod
    def _unroll(page: Page, width: int) -> None:
        """To its whole height: a bar that sticks to the window's edge would half cover something, and the next turn of the wheel
        something else. Once more, because some of it is higher in a higher window."""
        height = 800
        for _ in range(3):
            page.set_viewport_size({"width": width, "height": height})
            height = max(height, page.evaluate("document.documentElement.scrollHeight"))

    def each(self, page: Page, pages: dict[str, Act | None]) -> None:
        """By their addresses; of the same address with several acts each has a name behind a blank."""
        for name, act in pages.items():
            page.goto(name.partition(" ")[0])
            if act:
                act(page)
            self.at(page, name)


def click(selector: str, then: str) -> Act:
    def act(page: Page) -> None:
        page.locator(selector).first.click()
        page.wait_for_selector(then)

    return act


def verdict(page: Page) -> None:
    expect(page.locator("[data-verdict]")).to_have_attribute("data-good", "true")


def selection(page: Page) -> None:
    # It may be selected from before.
    page.locator("input.pick").first.check()
    page.wait_for_selector("#chosen [data-verb]")


def export(page: Page) -> None:
    selection(page)
    page.locator("#chosen").get_by_role("button", name="Export 1").click()
    page.wait_for_selector("#drawer .primary")


def config_review(page: Page) -> None:
    verdict(page)
    page.locator('[data-key="file"]').fill("/tmp/else")
    page.get_by_role("button", name="Review changes").click()
    page.wait_for_selector(".diff")


def pasted(page: Page) -> None:
    page.fill("#pasted", '[{"name": "a", "config": {"topics": "t"}}, {"name": "b", "config": {}}]')
    page.get_by_role("button", name="Go on with it").click()
    page.wait_for_selector("#others")


def bad_values(page: Page) -> None:
    page.get_by_label("New offset of").first.fill("x")
    page.get_by_role("button", name="Review changes").click()
    page.wait_for_selector(".error")


def crossed_out(page: Page) -> None:
    page.locator('[name^="reset-"]:enabled').first.check()


def offsets_review(page: Page) -> None:
    page.get_by_label("New offset of").first.fill("5")
    page.get_by_role("button", name="Review changes").click()
    page.wait_for_selector(".diff")


def keys(page: Page) -> None:
    page.keyboard.press("?")
    page.wait_for_selector("#help[open]")


def empty_form(page: Page) -> None:
    page.locator("form.registry-form .primary").click()
    page.wait_for_selector("text=Nothing was saved")


def resource_review(page: Page) -> None:
    page.get_by_role("button", name="Review changes").click()
    page.wait_for_selector("text=It will be created")


ORDERS, STOPPED, SETTINGS = "/ui/clusters/eu/connectors/orders", "/ui/clusters/eu/connectors/stopped", "/ui/settings"
FLEET_PAGES: dict[str, Act | None] = {
    "/ui/": None,
    "/ui/ selection": selection,
    "/ui/ preview": click("#restart-failed", "#drawer .primary"),
    "/ui/ export": export,
    "/ui/ menu": click("#choose-cluster summary", "#choose-cluster[open]"),
    "/ui/ how-to-search": click("#choose-help summary", "#choose-help[open]"),
    "/ui/ user": click(".user summary", ".user[open]"),
    "/ui/ keys": keys,
    "/ui/?state=failed&q=disk&sort=-since": None,
    "/ui/?state=odd&q=nothing-like-it": None,
    "/ui/failures/": None,
    "/ui/failures/?window=24h": None,
    "/ui/workers/": None,
    "/ui/clusters/eu/loggers/": None,
    "/ui/jobs/": None,
    "/ui/jobs/1": None,
    "/ui/jobs/2": None,
    "/ui/activity/": None,
    "/ui/plugins/": None,
    f"/ui/plugins/eu/{SINK}": None,
    "/ui/moves/": None,
    "/ui/moves/1": None,
    "/ui/moves/2": None,
    "/ui/moves/3": None,
    "/ui/nowhere": None,
}
CONNECTOR_PAGES: dict[str, Act | None] = {
    ORDERS: None,
    f"{ORDERS}?window=7d exactly": click("details.exactly summary", "details.exactly[open]"),
    f"{ORDERS}?tab=tasks": None,
    f"{ORDERS}?tab=tasks curl": click('.actions [aria-label="The same with curl"]', ".actions .menu[open]"),
    f"{ORDERS}?tab=config": verdict,
    f"{ORDERS}?tab=config review": config_review,
    f"{ORDERS}?tab=config&view=history&older=1&newer=2": click(".versions summary", ".versions details[open]"),
    f"{ORDERS}?tab=offsets": None,
    f"{STOPPED}?tab=offsets": None,
    f"{STOPPED}?tab=offsets bad": bad_values,
    f"{STOPPED}?tab=offsets reset": crossed_out,
    f"{STOPPED}?tab=offsets review": offsets_review,
    f"{ORDERS}?tab=activity": None,
    "/ui/clusters/eu/connectors/wide?tab=tasks": None,
    "/ui/clusters/eu/connectors/broken?tab=tasks": None,
    "/ui/clusters/us/connectors/lake": None,
    "/ui/clusters/eu/move/lake": None,
    "/ui/create": None,
    "/ui/create pasted": pasted,
    f"/ui/create?cluster=eu&class={SINK}": click("[data-form] details summary", "[data-form] details[open]"),
    f"{SETTINGS}/account": None,
    f"{SETTINGS}/tokens/": None,
    f"{SETTINGS}/people/": None,
    f"{SETTINGS}/people/1": None,
    f"{SETTINGS}/clusters/": None,
    f"{SETTINGS}/clusters/add": None,
    f"{SETTINGS}/clusters/add bad": empty_form,
    f"{SETTINGS}/clusters/of/new": click("form.registry-form summary", "form.registry-form details[open]"),
    f"{SETTINGS}/alerts/": None,
    f"{SETTINGS}/alerts/add": None,
    f"{SETTINGS}/alerts/add bad": empty_form,
    f"{SETTINGS}/alerts/1": None,
    f"{SETTINGS}/restarting/": None,
    f"{SETTINGS}/restarting/add": None,
    f"{SETTINGS}/restarting/add bad": empty_form,
    f"{SETTINGS}/restarting/1": None,
    "/ui/resources/": None,
    "/ui/resources/new": None,
    "/ui/resources/new review": resource_review,
    "/ui/resources/of/kafkaconnector/orders": None,
    "/ui/resources/of/kafkaconnector/lake": None,
    "/ui/resources/of/kafkaconnector/gone": None,
}


def test_axe_finds_what_is_wrong(browser: Browser) -> None:
    """And knows of WCAG 2.2."""
    page = browser.new_page()
    page.evaluate(AXE)
    assert page.evaluate("(tags) => tags.every((tag) => axe.getRules([tag]).length)", list(TAGS))
    small = '<button style="padding:0;border:0;height:10px;width:10px" aria-label=x></button>'
    page.set_content(f'<html lang=en><title>x</title><main><img src=x><p style="color:#ccc">some words</p>{small * 2}')
    found = page.evaluate(LOOK, OPTIONS)
    assert {"image-alt", "color-contrast", "target-size"} <= {id for id, *_ in found["violations"]}
    page.close()


@pytest.mark.parametrize("pages", [FLEET_PAGES, CONNECTOR_PAGES], ids=["fleet", "connectors and settings"])
def test_pages(context: BrowserContext, live_server: LiveServer, paper: ConfigPaper, pages: dict[str, Act | None]) -> None:
    furnish(paper)
    sign_in(context, live_server, User.objects.get(username="operator"))
    looked = Looked()
    looked.each(context.new_page(), pages)
    assert looked.violations == {}
    assert {"color-contrast", "target-size", "label", "button-name"} <= looked.held


@pytest.mark.parametrize("address", ["/ui/", f"{ORDERS}?tab=config"])
def test_what_has_the_focus_is_seen(context: BrowserContext, live_server: LiveServer, paper: ConfigPaper, address: str) -> None:
    """Not under the bars that stick to the edge of a phone's window (WCAG 2.4.11, which axe does not look at)."""
    furnish(paper)
    sign_in(context, live_server, User.objects.get(username="operator"))
    page = context.new_page()
    page.set_viewport_size({"width": WIDTHS[-1], "height": 600})
    page.goto(address)
    if address == "/ui/":
        selection(page)
    page.locator("#view").focus()
    looks = []
    for _ in range(40):
        page.keyboard.press("Tab")
        looks.append(page.evaluate(FOCUS))
    assert len({name for name, _ in looks}) > 20
    assert [name for name, seen in looks if not seen] == []


def test_with_few_rights_and_with_none(context: BrowserContext, live_server: LiveServer, paper: ConfigPaper) -> None:
    furnish(paper)
    page, looked = context.new_page(), Looked()
    sign_in(context, live_server, User.objects.get(username="ann"))
    pages = ("/ui/", f"{ORDERS}?tab=tasks", f"{ORDERS}?tab=config", f"{STOPPED}?tab=offsets", f"{SETTINGS}/people/")
    looked.each(page, dict.fromkeys(pages))
    sign_in(context, live_server, User.objects.create_user("nobody"))
    looked.each(page, {"/ui/": None})
    assert looked.violations == {}


def test_signing_in(
    context: BrowserContext, live_server: LiveServer, paper: ConfigPaper, settings: LazySettings, tmp_path: Path
) -> None:
    """From the first administrator to an invitation that is too old."""
    settings.DATA_DIR = tmp_path
    (tmp_path / "setup-code").write_text("the-code\n")
    page, looked = context.new_page(), Looked()

    def wrong(page: Page) -> None:
        page.fill("input[name=username]", "ann")
        page.fill("input[name=password]", "wrong")
        page.click("text=Sign in")
        page.wait_for_selector("[role=alert]")

    looked.each(page, {"/ui/setup": None, "/ui/setup?code=x": None, "/ui/setup?code=the-code": None})
    ann = User.objects.create_user("ann", password="correct horse battery")
    looked.each(page, {"/ui/login": None, "/ui/login wrong": wrong, users.invitation(ann): None, "/ui/welcome/MQ/x": None})
    assert looked.violations == {}


def test_with_nothing_there(context: BrowserContext, live_server: LiveServer, paper: ConfigPaper) -> None:
    sign_in(context, live_server, User.objects.create_superuser("operator"))
    pages = (
        "",
        "failures/",
        "workers/",
        "jobs/",
        "activity/",
        "plugins/",
        "moves/",
        "create",
        "settings/alerts/",
        "settings/clusters/",
        "settings/restarting/",
        "resources/",
    )
    looked = Looked()
    looked.each(context.new_page(), {f"/ui/{page}": None for page in pages})
    assert looked.violations == {}
