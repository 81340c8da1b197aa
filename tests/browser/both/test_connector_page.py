"""A connector's page on both clusters: what failed and why, what can be done now, what was done by whom, and how far it is."""

from playwright.sync_api import Page, expect

from tests.browser.both.site import NO_FOLDER, Site, open_tab, search
from tests.topics import produce
from tests.waiting import eventually

RECORD = """() => {
  window.states = [];
  const note = () => {
    const state = document.querySelector("h1 .state")?.dataset.state;
    if (state && state !== window.states.at(-1)) window.states.push(state);
  };
  new MutationObserver(note).observe(document.getElementById("view"), {subtree: true, childList: true, attributes: true});
  note();
}"""
# A sample is taken once a minute.
MINUTE = 100


def offers(page: Page, *verbs: str) -> None:
    buttons = page.locator("header .actions [data-verb]")
    eventually(lambda: buttons.evaluate_all("nodes => nodes.map(node => node.dataset.verb)") == list(verbs), what=str(verbs))


def shows(page: Page, state: str) -> None:
    expect(page.locator("h1 .state")).to_have_attribute("data-state", state)


def press(page: Page, verb: str) -> None:
    page.locator(f'header .actions [data-verb="{verb}"]').click()


def test_what_failed_is_told_and_restarted(page: Page, site: Site, name: str) -> None:
    site.failing_sink(name, tasks=2)
    open_tab(page, site, name, "tasks")
    shows(page, "FAILED")
    for number in range(2):
        task = page.locator(f"#task-{number}")
        expect(task).to_contain_text(site.worker_of(name))
        # The root cause comes first.
        expect(task.locator(".trace-row summary").first).to_contain_text(NO_FOLDER)
        expect(task.locator(".trace-row summary").first).to_contain_text(str(site.file(name)))
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("#task-0").get_by_role("button", name="Copy trace").click()
    eventually(lambda: NO_FOLDER.search(page.evaluate("navigator.clipboard.readText()")), what="The trace in the clipboard")
    page.get_by_label("The same with curl").click()
    expect(page.locator("#curl-1")).to_contain_text(
        f"{site.client.url}/connectors/{name}/restart?includeTasks=true&onlyFailed=true"
    )
    page.get_by_label("The same with curl").click()

    site.mend(name)
    page.evaluate(RECORD)
    page.get_by_role("button", name="Restart 2 failed").click()
    shows(page, "RUNNING")
    assert page.evaluate("window.states") == ["FAILED", "RESTARTING", "RUNNING"]
    for number in range(2):
        expect(page.locator(f"#task-{number} .state")).to_have_attribute("data-state", "RUNNING")
    expect(page.locator(".trace")).to_have_count(0)
    page.get_by_role("button", name="Restart task 1").click()
    assert page.evaluate("window.notReloaded")

    page.get_by_role("link", name="Activity").last.click()
    events = page.locator("table.events")
    expect(events).to_contain_text("admin: restart failed")
    expect(events).to_contain_text("admin: restart task 1")
    expect(events).to_contain_text(NO_FOLDER)
    page.get_by_role("link", name="Overview").click()
    expect(page.locator(".timeline .lane:not(.axis)")).to_have_count(3)
    expect(page.locator('.lane:has-text("task 0") rect[data-was="FAILED"]')).to_have_count(1)
    expect(page.locator(".causes")).to_contain_text("runs again")


def test_actions_fit_the_state(page: Page, site: Site, name: str) -> None:
    site.failed_source(name)
    open_tab(page, site, name, "tasks")
    shows(page, "FAILED")
    expect(page.locator(".instance")).to_contain_text("The connector itself failed")
    expect(page.locator(".instance")).to_contain_text("topic")
    offers(page, "restart-failed", "restart", "stop")
    press(page, "stop")
    shows(page, "STOPPED")
    offers(page, "resume")
    expect(page.locator(".empty")).to_contain_text("Stopped: it has no tasks until it is resumed.")
    site.client.put_config(name, site.client.config(name) | {"topic": name})
    press(page, "resume")
    shows(page, "RUNNING")
    expect(page.locator("#task-0 .state")).to_have_attribute("data-state", "RUNNING")
    press(page, "pause")
    shows(page, "PAUSED")
    offers(page, "restart", "resume", "stop")
    assert page.evaluate("window.notReloaded")
    search(page, name)
    site.row(page, name).locator('[data-verb="resume"]').click()
    site.shows(page, name, "RUNNING")


def test_figures(page: Page, sites: tuple[Site, Site], name: str) -> None:
    """Drover tells them; of Apache Kafka Connect's sinks the lag is that of their consumer groups, also while nothing reads, and
    how much goes through them is nobody's to know."""
    local, apache = sites
    for site in sites:
        site.sink(f"{name}-{site.cluster}", ["a", "b", "c"])
    waiting = f"{name}-apache"
    apache.client.pause(waiting)
    apache.wait_for(waiting, "PAUSED", "PAUSED")
    produce(apache.bootstrap_servers, waiting, (None, "d"), (None, "e"))
    told = page.locator(".charts figcaption", has_text="Lag")
    for site, lag in zip(sites, (0, 2), strict=True):
        open_tab(page, site, f"{name}-{site.cluster}")
        wanted = f"{lag}, at most {lag} records"
        eventually(lambda wanted=wanted: page.reload() and wanted in (told.text_content() or ""), wanted, seconds=MINUTE)  # type: ignore[misc]
        page.locator(".charts").scroll_into_view_if_needed()
        expect(page.locator(".charts canvas")).to_have_count(2 if site is local else 1)
        flow = page.locator(".charts figure", has_text="Throughput")
        expect(flow).to_contain_text("records/s" if site is local else "No throughput: Kafka Connect tells it by JMX only")
