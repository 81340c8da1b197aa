"""What is photographed: a name, and how one gets there."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

SOON = 30_000


def _at(address: str) -> Callable[[Page], None]:
    def go(page: Page) -> None:
        page.goto(address)

    return go


def _preview(page: Page) -> None:
    page.goto("/ui/")
    page.locator("#restart-failed").click()
    expect(page.locator("#drawer .primary")).to_be_visible(timeout=SOON)


def _selection(page: Page) -> None:
    page.goto("/ui/?sort=name")
    boxes = page.locator("input.pick")
    boxes.nth(0).click()
    boxes.nth(2).click(modifiers=["Shift"])
    expect(page.locator("#chosen")).to_contain_text("3 selected", timeout=SOON)


def _newest(page: Page, address: str) -> None:
    page.goto(address)
    page.locator("#view tbody a, #view .list a").first.click()
    page.wait_for_load_state()


def _help(page: Page) -> None:
    page.goto("/ui/")
    page.wait_for_selector('#link[data-link="live"]', timeout=SOON)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()


_SINK = "/ui/clusters/local/connectors/orders-archive"
_SOURCE = "/ui/clusters/local/connectors/shop-orders"
_LOG = "/ui/clusters/local/connectors/access-log"

SCENES: dict[str, Callable[[Page], None]] = {
    "fleet": _at("/ui/"),
    "fleet-filtered": _at("/ui/?state=failed&q=archive"),
    "fleet-nothing": _at("/ui/?q=nobody"),
    "fleet-selection": _selection,
    "restart-preview": _preview,
    "connector": _at(_SOURCE),
    "connector-failed": _at(_SINK),
    "connector-tasks": _at(f"{_SINK}?tab=tasks"),
    "connector-config": _at(f"{_LOG}?tab=config"),
    "connector-config-history": _at(f"{_LOG}?tab=config&view=history"),
    "connector-offsets": _at(f"{_SOURCE}?tab=offsets"),
    "connector-activity": _at(f"{_SINK}?tab=activity"),
    "connector-unknown": _at("/ui/clusters/local/connectors/nobody"),
    "create": _at("/ui/create"),
    "move": _at("/ui/clusters/billing/move/billing-invoices"),
    "moves": _at("/ui/moves/"),
    "jobs": _at("/ui/jobs/"),
    "job": lambda page: _newest(page, "/ui/jobs/"),
    "resources": _at("/ui/resources/"),
    "settings-restarting": _at("/ui/settings/restarting/"),
    "failures": _at("/ui/failures/"),
    "activity": _at("/ui/activity/"),
    "plugins": _at("/ui/plugins/"),
    "plugin": lambda page: _newest(page, "/ui/plugins/?find=file"),
    "workers": _at("/ui/workers/"),
    "loggers": _at("/ui/clusters/local/loggers/"),
    "settings-clusters": _at("/ui/settings/clusters/"),
    "settings-cluster": _at("/ui/settings/clusters/of/billing"),
    "settings-cluster-add": _at("/ui/settings/clusters/add"),
    "settings-people": _at("/ui/settings/people/"),
    "settings-tokens": _at("/ui/settings/tokens/"),
    "settings-account": _at("/ui/settings/account"),
    "settings-alerts": _at("/ui/settings/alerts/"),
    "settings-alert-add": _at("/ui/settings/alerts/add"),
    "help": _help,
    "not-found": _at("/ui/no-such-page"),
}
SIGNED_OUT: dict[str, Callable[[Page], None]] = {"sign-in": _at("/ui/login")}
#: Taken once Apache Kafka Connect has been killed.
DEAD: dict[str, Callable[[Page], None]] = {"fleet-dead-cluster": _at("/ui/")}
