"""What nobody runs, because its worker has gone and no other has it yet, on both clusters."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from connect_client import ConnectClient
from local import supervise
from tests.browser.both.site import Site, search
from tests.peer import connect_worker
from tests.running import RunningDrover
from tests.two_clusters import Apache
from tests.waiting import eventually


@pytest.fixture
def second(worker: Apache, kafka: str, tmp_path: Path) -> Iterator[tuple[ConnectClient, ExitStack]]:
    """Of Apache Kafka Connect's workers; what ends it."""
    with ExitStack() as running:
        yield running.enter_context(connect_worker(kafka, tmp_path, group=worker.group, settings=worker.settings)), running


def test_between_two_workers(
    page: Page, drover: RunningDrover, sites: tuple[Site, Site], second: tuple[ConnectClient, ExitStack], name: str
) -> None:
    """Drover's only worker ends and starts anew; of two of Apache Kafka Connect one ends, and the other waits for it a while."""
    local, apache = sites
    client, its_end = second
    names = [f"{name}-{number}" for number in range(2)]
    for each in names:
        apache.client.create(each, apache.source_config(each))
    local.source(names[0])
    worker_id = client.url.removeprefix("http://")
    (moved,) = eventually(
        lambda: [each for each in names if apache.states(each) == ["RUNNING"] * 2 and apache.worker_of(each) == worker_id],
        "one connector on the second worker",
    )
    search(page, f"name:{name}*")
    gone = ((local, names[0]), (apache, moved))
    for site, each in gone:
        site.shows(page, each, "RUNNING")

    with supervise.Remote(drover.installation) as remote:
        remote.stop_process("worker")
        local.shows(page, names[0], "UNASSIGNED")
        its_end.close()
        apache.shows(page, moved, "UNASSIGNED")
        chip = page.locator('.filters a[data-state="UNASSIGNED"]')
        expect(chip.locator("b")).to_have_text("2")
        chip.click()
        expect(page.locator("tbody[data-key]")).to_have_count(2)
        search(page, f"name:{name}*")
        remote.start("worker")
    for site, each in gone:
        site.shows(page, each, "RUNNING")
    assert page.evaluate("window.notReloaded")
