"""How soon what happens is on the screen: at once of a Drover, with the next look at an Apache Kafka Connect; and how a lost
connection heals."""

import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from statistics import median

from playwright.sync_api import Page, expect

from connect_client import ConnectClient, ConnectorStatus
from connect_client.states import overall_state
from tests.browser.both.site import Site, Watched, search
from tests.chromium import may_lose_its_server
from tests.proxy import Asked
from tests.running import RunningDrover
from tests.topics import create_topic, produce
from tests.waiting import eventually

# What is shown in a row, and since when.
RECORD = """key => {
  window.seen = [];
  const note = () => {
    const state = document.querySelector(`[data-key="${key}"] .c-state .state`)?.dataset.state;
    if (state && state !== window.seen.at(-1)?.[0]) window.seen.push([state, Date.now() / 1000]);
  };
  new MutationObserver(note).observe(document.getElementById("view"), {subtree: true, childList: true, attributes: true});
  note();
}"""
RECORD_LINK = """() => {
  window.links = [];
  const link = document.getElementById("link");
  new MutationObserver(() => window.links.push(link.dataset.link)).observe(link, {attributes: true});
}"""
LOOK, GROUP = "GET /connectors", "GET /api/v1/workers"
Act = Callable[[ConnectClient, str], None]
PAUSED_AND_BACK: tuple[tuple[Act, str], ...] = ((ConnectClient.pause, "PAUSED"), (ConnectClient.resume, "RUNNING"))
# On a machine that does other things beside.
ROUNDS, TRIES = 4, 10


@contextmanager
def telling(site: Site, name: str) -> Iterator[list[tuple[str, float]]]:
    """Meanwhile the cluster is asked all the time: each of its states, and when what told it first was asked."""
    told: list[tuple[str, float]] = []
    over = threading.Event()

    def ask() -> None:
        while not over.wait(0.01):
            asked = time.time()
            state = str(overall_state(site.client.status(name)))
            if not told or told[-1][0] != state:
                told.append((state, asked))

    thread = threading.Thread(target=ask, name=f"asking for {name}")
    thread.start()
    try:
        yield told
    finally:
        over.set()
        thread.join()


def since(moment: float, state: str, told: list[tuple[str, float]]) -> float:
    """When it was told first after that."""
    return next(at for word, at in told if word == state and at >= moment)


def changes(page: Page, site: Site, name: str) -> tuple[float, float]:
    """Of some changes the seconds in the middle: from asking for them to the cluster's own word, and from that to the screen."""
    page.evaluate(RECORD, site.key(name))
    taken, shown = [], []
    with telling(site, name) as told:
        for act, state in PAUSED_AND_BACK * 3:
            begun = time.time()
            act(site.client, name)
            here = eventually(lambda begun=begun, state=state: since(begun, state, told), state)  # type: ignore[misc]
            site.shows(page, name, state)
            taken.append(here - begun)
            shown.append(since(begun, state, page.evaluate("window.seen")) - here)
    return median(taken), median(shown)


def as_told(look: Asked, name: str) -> ConnectorStatus | None:
    """Of a connector, by one that was answered with anything new."""
    return ConnectorStatus.from_json(look.answer[name]["status"]) if look.status == 200 else None


def test_within_a_second_of_a_drover(page: Page, sites: tuple[Site, Site], name: str) -> None:
    """On a machine that is so busy that the cluster takes longer than that for the change itself: within as long."""
    local, _ = sites
    local.source(name)
    search(page, name)
    local.shows(page, name, "RUNNING")
    found: list[tuple[float, float]] = []

    def soon() -> bool:
        return any(shown <= max(1, taken) for taken, shown in found)

    while not soon() and len(found) < ROUNDS:
        found.append(changes(page, local, name))
    assert soon(), found
    assert page.evaluate("window.notReloaded")


def test_with_no_other_look_at_a_drover(page: Page, watched: tuple[Watched, Watched], name: str) -> None:
    """The question that it has not answered yet is answered with the change, and that is enough. A task that fails is one change;
    a question that ended just before it is no try."""
    local, _ = watched
    site, proxy = local.site, local.proxy
    search(page, f"cluster:{site.cluster}", name)

    def tried(sink: str) -> bool:
        before = len(proxy.asked)
        create_topic(site.bootstrap_servers, sink, 1)
        site.mend(sink)
        site.client.create(sink, {**site.sink_config(sink), "value.converter": "org.apache.kafka.connect.json.JsonConverter"})
        site.wait_for(sink, "RUNNING", "RUNNING")
        site.shows(page, sink, "RUNNING")
        look = eventually(lambda: [one for one in proxy.asked[before:] if one.call == LOOK and not one.status], "a question")[-1]
        with proxy.hanging(LOOK):
            produce(site.bootstrap_servers, sink, (None, "no JSON"))
            site.wait_for(sink, "RUNNING", "FAILED")
            eventually(lambda: look.status, "its end")
            if overall_state(as_told(look, sink)) != "FAILED":
                return False
            site.shows(page, sink, "FAILED")
            return True

    # Else it would not be held for longer than two seconds.
    with proxy.refusing(GROUP, 404, "HTTP 404 Not Found"):
        eventually(lambda: [one for one in proxy.asked if one.call == GROUP and one.status == 404], "a look at the group")
        assert any(tried(f"{name}-{number}") for number in range(TRIES)), "each question ended before the change"
    assert page.evaluate("window.notReloaded")


def test_with_one_look_at_an_apache_connect(page: Page, watched: tuple[Watched, Watched], name: str) -> None:
    """However slow the machine is: there is no second look before it is on the screen."""
    _, apache = watched
    site, proxy = apache.site, apache.proxy
    site.source(name)
    search(page, f"cluster:{site.cluster}", name)
    site.shows(page, name, "RUNNING")
    for act, state in PAUSED_AND_BACK:
        with ExitStack() as held:
            with proxy.hanging(LOOK):
                act(site.client, name)
                site.wait_for(name, state, state)
                held.enter_context(proxy.hanging(LOOK, after=1))
            site.shows(page, name, state)
    assert page.evaluate("window.notReloaded")


def test_a_lost_connection_is_shown_and_heals(page: Page, drover: RunningDrover, sites: tuple[Site, Site], name: str) -> None:
    """The web process is killed; what happens meanwhile is there afterwards."""
    local, apache = sites
    for site in sites:
        site.source(name)
    search(page, name)
    for site in sites:
        site.shows(page, name, "RUNNING")
    page.evaluate(RECORD_LINK)
    may_lose_its_server(page)
    os.kill(drover.process_pid("web"), signal.SIGKILL)
    apache.client.pause(name)
    apache.shows(page, name, "PAUSED")
    expect(page.locator("#link")).to_have_attribute("data-link", "live")
    assert page.evaluate("window.links")[0] == "reconnecting"
    local.client.stop(name)
    local.shows(page, name, "STOPPED")
    assert page.evaluate("window.notReloaded")


def test_a_cluster_that_does_not_answer(
    page: Page, sites: tuple[Site, Site], watched: tuple[Watched, Watched], name: str
) -> None:
    """It takes each question and says nothing. What was last seen of it stays, with its age; everything else goes on."""
    local, _ = sites
    _, apache = watched
    slow = apache.site
    local.source(name)
    slow.source(f"{name}-slow")
    search(page, name, f"cluster:local,{slow.cluster}")
    local.shows(page, name, "RUNNING")
    slow.shows(page, f"{name}-slow", "RUNNING")
    banner = page.locator(f"#banner-{slow.cluster}")
    with apache.proxy.hanging():
        expect(banner).to_contain_text(re.compile("did not answer within .* s"))
        expect(banner).to_contain_text(re.compile("Its states are those of .* ago"))
        row = slow.row(page, f"{name}-slow")
        expect(row).to_have_class(re.compile("stale"))
        expect(row.locator(".c-actions button").first).to_be_disabled()
        for verb, state in (("pause", "PAUSED"), ("resume", "RUNNING")):
            local.row(page, name).locator(f'[data-verb="{verb}"]').click()
            local.shows(page, name, state)
        slow.client.stop(f"{name}-slow")
        slow.wait_for(f"{name}-slow", "STOPPED")
        slow.shows(page, f"{name}-slow", "RUNNING")
    expect(banner).to_have_count(0)
    slow.shows(page, f"{name}-slow", "STOPPED")
    expect(row).not_to_have_class(re.compile("stale"))
    assert page.evaluate("window.notReloaded")
