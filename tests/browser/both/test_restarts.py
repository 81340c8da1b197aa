"""Restarts of many connectors of both clusters: of exactly what was chosen, and cancelled in the middle."""

import re
from fnmatch import fnmatchcase

from playwright.sync_api import Locator, Page, expect

from tests.browser.both.site import Site, Watched, made, search
from tests.waiting import eventually

# In one cluster, of which a job works on eight at once; so many of them get through.
MANY, THROUGH = 12, 3
CANCELLED = re.compile(r"(\d+) cancelled")
RESTART = "POST /connectors/*/restart"
# Kafka Connect's words.
REBALANCES = "Cannot complete request momentarily due to no known leader URL, likely because a rebalance was underway."


def begin(page: Page, name: str, watched: tuple[Watched, ...], failed: int) -> Locator:
    """The preview of restarting all of it, once the room knows how much of it has failed."""
    search(page, f"name:{name}*", "cluster:" + ",".join(one.site.cluster for one in watched))
    page.get_by_role("button", name=f"Restart {failed} failed").click()
    drawer = page.locator("#drawer")
    expect(drawer.locator("table.lines")).to_be_visible()
    return drawer


def chosen(drawer: Locator, label: str, option: str, sentence: str) -> None:
    """Once the preview says what that comes to."""
    drawer.get_by_label(label).select_option(option)
    expect(drawer.locator(".sentence")).to_contain_text(sentence)


def lines(drawer: Locator) -> set[tuple[str, str, str]]:
    """Connector, cluster, and what of it."""
    rows = drawer.locator("table.lines tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].map(cell => cell.innerText))"
    )
    return {(connector, cluster, what) for connector, cluster, what in rows}


def asked(one: Watched) -> list[str]:
    """What the cluster has been asked for since, and took on."""
    found = one.proxy.taken()
    one.proxy.asked.clear()
    return sorted(found)


def accepted(one: Watched) -> list[str]:
    """Restarts that the cluster has answered for."""
    return [each.target for each in one.proxy.asked if fnmatchcase(each.call, RESTART) and 200 <= each.status < 300]


def test_of_what_and_which(page: Page, watched: tuple[Watched, Watched], name: str) -> None:
    """Tasks alone, connectors alone, both; what has failed of them, or all. Each cluster is asked for that and nothing else."""
    sink, source = f"{name}-sink", f"{name}-source"
    clusters = [one.site.cluster for one in watched]
    for one in watched:
        one.site.failing_sink(sink, tasks=2)
        one.site.failed_source(source)

    drawer = begin(page, name, watched, 6)
    assert lines(drawer) == {
        (connector, cluster, what)
        for cluster in clusters
        for connector, what in ((sink, "tasks 0 and 1"), (source, "the connector"))
    }
    chosen(drawer, "Of each", "tasks alone", "Restart 4 failed in 2 connectors")
    expect(drawer.locator(".left-out")).to_contain_text("2 left out: each has nothing that failed")
    assert lines(drawer) == {(sink, cluster, "tasks 0 and 1") for cluster in clusters}
    for one in watched:
        assert asked(one) == []
    drawer.locator("button.primary").click()
    expect(drawer.locator(".sentence")).to_contain_text("Done · 2 failed again")
    for one in watched:
        assert asked(one) == [f"POST /connectors/{sink}/tasks/{task}/restart" for task in range(2)]

    drawer = begin(page, name, watched, 6)
    chosen(drawer, "Of each", "tasks alone", "Restart 4 failed in 2 connectors")
    chosen(drawer, "Of each", "the connector alone", "Restart 2 failed in 2 connectors")
    assert lines(drawer) == {(source, cluster, "the connector") for cluster in clusters}
    drawer.locator("button.primary").click()
    expect(drawer.locator(".sentence")).to_contain_text("Done · 2 failed again")
    for one in watched:
        assert asked(one) == [f"POST /connectors/{source}/restart?includeTasks=false&onlyFailed=true"]

    for one in watched:
        one.site.mend(sink)
    drawer = begin(page, name, watched, 6)
    chosen(drawer, "Which", "failed or not", "Restart 4 connectors")
    assert lines(drawer) == {
        (connector, cluster, what)
        for cluster in clusters
        for connector, what in ((sink, "the connector, tasks 0 and 1"), (source, "the connector, task 0"))
    }
    drawer.locator("button.primary").click()
    expect(drawer.locator(".sentence")).to_contain_text("Done · 2 failed again · 2 running again")
    for one in watched:
        assert asked(one) == [f"POST /connectors/{each}/restart?includeTasks=true&onlyFailed=false" for each in (sink, source)]
        one.site.wait_for(sink, "RUNNING", "RUNNING", "RUNNING")
        assert one.site.states(source)[0] == "FAILED"


def test_during_a_rebalance(page: Page, watched: tuple[Watched, Watched], name: str) -> None:
    """Each connector tells what it waits for, and is asked for again until its cluster takes it on."""
    for one in watched:
        one.site.failing_sink(name)
        one.site.mend(name)
    local, apache = watched
    drawer = begin(page, name, watched, 2)
    with local.proxy.refusing(RESTART, 409, REBALANCES), apache.proxy.refusing(RESTART, 409, REBALANCES):
        drawer.locator("button.primary").click()
        for one in watched:
            item = drawer.locator(f'[data-item="{one.site.key(name)}"]')
            expect(item).to_contain_text("waiting to ask again")
            expect(item).to_contain_text(REBALANCES)
            assert accepted(one) == []
    expect(drawer.locator(".sentence")).to_contain_text("Done · 2 running again")
    for one in watched:
        assert len(accepted(one)) == 1


def test_cancelled_in_the_middle(page: Page, watched: tuple[Watched, Watched], name: str) -> None:
    """What is under way is seen to its end, and nothing else is begun."""
    names = [f"{name}-{number}" for number in range(MANY)]
    made([one.site for one in watched], names, Site.sink_config, "RUNNING", "FAILED")
    for one in watched:
        for each in names:
            one.site.mend(each)
    local, apache = watched
    drawer = begin(page, name, watched, 2 * MANY)
    ended = f"Cancelled · {2 * THROUGH} running again · {2 * (MANY - THROUGH)} cancelled"
    with local.proxy.hanging(RESTART, after=THROUGH), apache.proxy.hanging(RESTART, after=THROUGH):
        drawer.locator("button.primary").click()
        for one in watched:
            eventually(lambda one=one: len(accepted(one)) == THROUGH, "those that get through")  # type: ignore[misc]
        drawer.get_by_role("button", name="Cancel the rest").click()
        # Those that it never came to are, and so no others are begun from here on; those that were are on their way.
        expect(drawer.locator(".sentence")).to_contain_text(CANCELLED)
        begun = 2 * MANY - int(CANCELLED.search(drawer.locator(".sentence").inner_text())[1])  # type: ignore[index]
        eventually(lambda: sum(len(set(one.proxy.sent(RESTART))) for one in watched) == begun, f"{begun} questions")
    expect(drawer.locator(".sentence")).to_contain_text(ended)
    for one in watched:
        assert len(accepted(one)) == THROUGH
        assert sorted(one.site.states(each)[1] for each in names) == ["FAILED"] * (MANY - THROUGH) + ["RUNNING"] * THROUGH
        assert len(set(one.proxy.sent(RESTART))) <= THROUGH + 8 < MANY
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Jobs").click()
    job = page.locator("tr", has_text=f"Restart {2 * MANY} failed in {2 * MANY} connectors").first
    expect(job).to_contain_text(ended)
