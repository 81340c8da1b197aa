"""What a version does not have is not offered, or says why: a Kafka Connect 2.8 between Drover's own cluster and a 4.3."""

import json
import uuid
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.both.conftest import cleared
from tests.browser.both.site import Site, Watched, open_tab, search
from tests.browser.paper import registered
from tests.peer import OLDER, connect_worker
from tests.proxy import proxying
from tests.running import RunningDrover

STOP = "Kafka Connect has stopping as of 3.5; this cluster is 2.8.2"
OFFSETS = "Kafka Connect has offsets as of 3.5; this cluster is 2.8.2. They can be changed as of 3.6."
LOGGERS = "log levels of all workers at once as of 3.7; this cluster is 2.8.2. Only the worker that answers is changed."
STATES = "Kafka Connect has an initial state as of 3.7; this cluster is 2.8.2."


@pytest.fixture(scope="module")
def old_cluster(drover: RunningDrover, kafka: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    folder, group = tmp_path_factory.mktemp("older"), f"older-{uuid.uuid4().hex[:6]}"
    with (
        connect_worker(kafka, folder, group=group, release=OLDER) as client,
        proxying(client.url) as proxy,
        registered(drover, group, proxy.url),
    ):
        yield Watched(Site(group, client, kafka, f"{group}-config", folder / "files"), proxy)


@pytest.fixture
def older(old_cluster: Watched) -> Iterator[Watched]:
    with cleared(old_cluster.site.client):
        old_cluster.proxy.asked.clear()
        yield old_cluster


@pytest.fixture
def three(sites: tuple[Site, Site], older: Watched) -> tuple[Site, Site, Site]:
    return *sites, older.site


def test_stopping(page: Page, three: tuple[Site, Site, Site], older: Watched, name: str) -> None:
    """Of one, and of a selection of which one cannot be. And the version, where the clusters are listed."""
    for site in three:
        site.source(name)
        open_tab(page, site, name)
        expect(page.locator('h1 .state[data-state="RUNNING"]')).to_be_visible()
        expect(page.locator('[data-verb="pause"]')).to_be_visible()
        expect(page.locator('[data-verb="stop"]')).to_have_count(0 if site is older.site else 1)

    search(page, name)
    page.get_by_label("Select all on this page").check()
    page.locator("#chosen").get_by_role("button", name="Stop 2").click()
    drawer = page.locator("#drawer")
    expect(drawer.locator(".left-out")).to_contain_text(STOP)
    expect(drawer.locator("table.lines tbody tr")).to_have_count(2)
    drawer.locator("button.primary").click()
    expect(drawer.locator(".sentence")).to_contain_text("Done · 2 stopped")
    assert older.proxy.sent("*/connectors/*") == []
    older.site.wait_for(name, "RUNNING", "RUNNING")
    page.goto("/ui/settings/clusters/")
    expect(page.locator(f"#cluster-{older.site.cluster}")).to_contain_text("2.8.2")


def test_what_failed_is_restarted_one_by_one(page: Page, three: tuple[Site, Site, Site], older: Watched, name: str) -> None:
    """With one click over all: this one knows no restart of a connector together with its tasks."""
    for site in three:
        site.failing_sink(name, tasks=2)
        site.mend(name)
    search(page, f"name:{name}")
    page.get_by_role("button", name="Restart 6 failed").click()
    drawer = page.locator("#drawer")
    drawer.locator("button.primary").click()
    expect(drawer.locator(".sentence")).to_contain_text("Done · 3 running again")
    for site in three:
        site.wait_for(name, "RUNNING", "RUNNING", "RUNNING")
    assert older.proxy.taken() == [f"POST /connectors/{name}/tasks/{task}/restart" for task in range(2)]


def test_offsets_and_log_levels(page: Page, older: Watched, name: str) -> None:
    site = older.site
    site.source(name)
    open_tab(page, site, name, "offsets")
    expect(page.locator(".offsets .empty")).to_contain_text(OFFSETS)
    page.goto(f"/ui/clusters/{site.cluster}/loggers/")
    expect(page.get_by_text(LOGGERS)).to_be_visible()
    expect(page.get_by_label("all workers of the cluster")).to_be_disabled()
    page.get_by_label("Logger, or the beginning of some").fill("org.apache.kafka.connect.file")
    page.get_by_label("Level", exact=True).select_option("DEBUG")
    page.get_by_role("button", name="Set level").click()
    expect(page.locator('#loggers tr[data-name="org.apache.kafka.connect.file"]')).to_contain_text("DEBUG")
    assert [one.level for one in site.client.loggers() if one.name == "org.apache.kafka.connect.file"] == ["DEBUG"]


def test_creating(page: Page, older: Watched, name: str) -> None:
    """It begins running; what is wrong with it is told as everywhere."""
    site = older.site
    config = {**site.source_config(name), "name": name}
    page.goto("/ui/create")
    page.get_by_label("JSON or .properties").fill(json.dumps({**config, "tasks.max": "0"}))
    page.get_by_role("button", name="Go on with it").click()
    cluster, begins = page.locator("select[name=cluster]"), page.get_by_label("It begins")
    cluster.select_option("local")
    begins.select_option("PAUSED")
    cluster.select_option(site.cluster)
    expect(begins).to_be_disabled()
    expect(begins).to_have_value("")
    expect(page.get_by_text(STATES)).to_be_visible()
    expect(page.locator('[data-field="tasks.max"] .error')).to_contain_text("Value must be at least 1")
    page.locator('.fields [data-key="tasks.max"]').fill("1")
    expect(page.locator("[data-verdict]")).to_have_attribute("data-good", "true")
    page.get_by_role("button", name="Create", exact=True).click()
    page.wait_for_url(f"**/{site.cluster}/connectors/{name}")
    site.wait_for(name, "RUNNING", "RUNNING")
    assert site.client.config(name) == config
