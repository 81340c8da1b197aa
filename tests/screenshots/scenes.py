"""What is photographed: a name, and how one gets there."""

from collections.abc import Callable

from playwright.sync_api import Page, expect


def at(address: str, waiting_for: str = "") -> Callable[[Page], None]:
    """`waiting_for`: a selector of what is there late."""

    def go(page: Page) -> None:
        page.goto(address)
        if waiting_for:
            page.locator(waiting_for).first.wait_for()

    return go


def _unselected(page: Page, address: str) -> None:
    """A selection lasts as long as the browser's tab."""
    page.goto(address)
    page.evaluate("sessionStorage.clear()")
    page.reload()


def _fleet(page: Page) -> None:
    """Nothing moves in it."""
    _unselected(page, "/ui/")
    expect(page.locator("#view")).to_contain_text("gave up")
    expect(page.locator('#view .state[data-state="RESTARTING"]')).to_have_count(0)


def _preview(page: Page) -> None:
    _fleet(page)
    page.locator("#restart-failed").click()
    expect(page.locator("#drawer .primary")).to_be_visible()


def _selection(page: Page) -> None:
    _unselected(page, "/ui/?sort=name")
    boxes = page.locator("input.pick")
    boxes.nth(0).click()
    boxes.nth(2).click(modifiers=["Shift"])
    expect(page.locator("#chosen")).to_contain_text("3 selected")


def _selection_preview(page: Page) -> None:
    _selection(page)
    page.locator('[data-verb="delete-selected"]').click()
    expect(page.locator("#drawer .primary")).to_be_visible()


def _job_running(page: Page) -> None:
    _preview(page)
    page.locator("#drawer .primary").click()
    page.locator('#drawer .state[data-state="RESTARTING"]').first.wait_for()


def _newest(page: Page, address: str) -> None:
    page.goto(address)
    page.locator("#view tbody a, #view .list a").first.click()
    page.wait_for_load_state()


def _help(page: Page) -> None:
    _fleet(page)
    page.wait_for_selector('#link[data-link="live"]')
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()


def _config_review(page: Page) -> None:
    at(f"{_LOG}?tab=config", _VERDICT)(page)
    page.locator('[data-key="batch.size"]').fill("2000")
    page.get_by_role("button", name="Review changes").click()
    page.locator("#review .diff").wait_for()


def _offsets_review(page: Page) -> None:
    page.goto(f"{_STOPPED}?tab=offsets")
    page.get_by_label("New offset of").first.fill("10")
    page.get_by_role("button", name="Review changes").click()
    page.locator("#view .diff").wait_for()


def _move_checked(page: Page) -> None:
    page.goto("/ui/clusters/billing/move/billing-invoices")
    page.get_by_role("button", name="Check").click()
    page.locator("#checks").wait_for()


def _cluster_tried(page: Page) -> None:
    page.goto("/ui/settings/clusters/of/billing")
    page.get_by_role("button", name="Try it").click()
    page.locator(".tries").wait_for()


def _resource_review(page: Page) -> None:
    page.goto("/ui/resources/of/kafkaconnector/web-visits")
    text = page.locator("textarea[name=document]")
    text.fill(text.input_value().replace("tasksMax: 1", "tasksMax: 2"))
    page.get_by_role("button", name="Review changes").click()
    page.get_by_role("table", name="Changes").wait_for()


def _wrong(page: Page) -> None:
    page.goto("/ui/login")
    page.fill("input[name=username]", "ann")
    page.fill("input[name=password]", "not this one")
    page.click("text=Sign in")
    page.locator("[role=alert]").wait_for()


_HOUR = "?window=1h"
_SOURCE = "/ui/clusters/local/connectors/shop-orders"
_MENDED = "/ui/clusters/local/connectors/clicks-archive"
_FAILED = "/ui/clusters/local/connectors/orders-archive"
_GIVEN_UP = "/ui/clusters/local/connectors/users-audit"
_LOG = "/ui/clusters/local/connectors/access-log"
_STOPPED = "/ui/clusters/billing/connectors/crm-mirror"
_FILE_SINK = "org.apache.kafka.connect.file.FileStreamSinkConnector"
_VERDICT = '[data-verdict][data-good="true"]'
_CHART = ".chart canvas"

#: Before there is any connector.
EMPTY: dict[str, Callable[[Page], None]] = {
    "fleet-empty": at("/ui/", "#first"),
    "jobs-empty": at("/ui/jobs/"),
    "resources-empty": at("/ui/resources/"),
}
SCENES: dict[str, Callable[[Page], None]] = {
    "fleet": _fleet,
    "fleet-filtered": at("/ui/?state=failed&q=archive"),
    "fleet-nothing": at("/ui/?q=nobody"),
    "restart-preview": _preview,
    "help": _help,
    "fleet-selection": _selection,
    "fleet-selection-preview": _selection_preview,
    "connector": at(_SOURCE + _HOUR, _CHART),
    "connector-mended": at(_MENDED + _HOUR, _CHART),
    "connector-failed": at(_FAILED + _HOUR),
    "connector-gave-up": at(_GIVEN_UP + _HOUR),
    "connector-tasks": at(f"{_FAILED}?tab=tasks"),
    "connector-config": at(f"{_LOG}?tab=config", _VERDICT),
    "connector-config-review": _config_review,
    "connector-config-history": at(f"{_LOG}?tab=config&view=history"),
    "connector-offsets": at(f"{_SOURCE}?tab=offsets"),
    "connector-offsets-stopped": at(f"{_STOPPED}?tab=offsets"),
    "connector-offsets-review": _offsets_review,
    "connector-activity": at(f"{_FAILED}?tab=activity"),
    "connector-unknown": at("/ui/clusters/local/connectors/nobody"),
    "create": at("/ui/create"),
    "create-config": at(f"/ui/create?cluster=local&class={_FILE_SINK}", "[data-form] section"),
    "move": at("/ui/clusters/billing/move/billing-invoices"),
    "move-checked": _move_checked,
    "move-done": at("/ui/moves/1"),
    "moves": at("/ui/moves/"),
    "jobs": at("/ui/jobs/"),
    "job": lambda page: _newest(page, "/ui/jobs/"),
    "resources": at("/ui/resources/"),
    "resource": at("/ui/resources/of/kafkamirrormaker2/shop-to-dc2"),
    "resource-not-ready": at("/ui/resources/of/kafkaconnector/leads"),
    "resource-review": _resource_review,
    "resource-new": at("/ui/resources/new"),
    "failures": at("/ui/failures/"),
    "activity": at("/ui/activity/"),
    "plugins": at("/ui/plugins/"),
    "plugin": lambda page: _newest(page, "/ui/plugins/?find=file"),
    "workers": at("/ui/workers/"),
    "loggers": at("/ui/clusters/local/loggers/"),
    "settings-account": at("/ui/settings/account"),
    "settings-tokens": at("/ui/settings/tokens/"),
    "settings-people": at("/ui/settings/people/"),
    "settings-person": at("/ui/settings/people/2"),
    "settings-clusters": at("/ui/settings/clusters/"),
    "settings-cluster": at("/ui/settings/clusters/of/billing"),
    "settings-cluster-tried": _cluster_tried,
    "settings-cluster-add": at("/ui/settings/clusters/add"),
    "settings-alerts": at("/ui/settings/alerts/"),
    "settings-alert": at("/ui/settings/alerts/1"),
    "settings-alert-add": at("/ui/settings/alerts/add"),
    "settings-restarting": at("/ui/settings/restarting/"),
    "settings-restarting-policy": at("/ui/settings/restarting/1"),
    "settings-restarting-add": at("/ui/settings/restarting/add"),
    "not-found": at("/ui/no-such-page"),
    # Last, because what has failed is counted anew from then on.
    "job-running": _job_running,
}
#: Somebody who may look, and nothing else.
LOOKER: dict[str, Callable[[Page], None]] = {"connector-config-viewer": at(f"{_LOG}?tab=config")}
SIGNED_OUT: dict[str, Callable[[Page], None]] = {"sign-in": at("/ui/login"), "sign-in-wrong": _wrong}
#: Taken once Apache Kafka Connect has been killed.
DEAD: dict[str, Callable[[Page], None]] = {
    "fleet-dead-cluster": at("/ui/"),
    "connector-dead-cluster": at("/ui/clusters/billing/connectors/billing-export"),
    "workers-dead-cluster": at("/ui/workers/"),
}
