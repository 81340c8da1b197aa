"""The offsets tab on a real Drover: stop, edit, review, apply, resume; and then it begins exactly there."""

import uuid
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from connect_client import ConnectClient
from tests.browser.paper import paper_cluster
from tests.chromium import OpenPage
from tests.running import RunningDrover
from tests.topics import create_topic, produce
from tests.waiting import eventually


@pytest.fixture
def name() -> str:
    return f"o-{uuid.uuid4().hex[:6]}"


@pytest.fixture
def make_topic_sink(drover: RunningDrover, connect: ConnectClient, tmp_path: Path) -> Callable[[str], Path]:
    """Makes a sink of a topic of three partitions with ten records each, and returns the file when all of them are in it."""

    def make(name: str) -> Path:
        create_topic(drover.bootstrap_servers, f"topic-{name}", 3)
        for partition in range(3):
            lines = [("k", f"{partition}-{number}") for number in range(10)]
            produce(drover.bootstrap_servers, f"topic-{name}", *lines, partition=partition)
        file = tmp_path / f"{name}.txt"
        config = {"connector.class": "FileStreamSink", "tasks.max": "1", "topics": f"topic-{name}", "file": str(file)}
        connect.put_config(name, config)
        eventually(lambda: len(connect.offsets(name)) == 3)
        return file

    return make


def to_offsets(page: Page, name: str, cluster: str = "local") -> None:
    page.goto(f"/ui/clusters/{cluster}/connectors/{name}")
    page.get_by_role("link", name="Offsets").click()
    page.wait_for_selector('#link[data-link="live"]')
    page.evaluate("window.notReloaded = true")


def stop(page: Page, name: str) -> None:
    expect(page.locator("#offsets-moving")).to_contain_text(f"Nothing can be edited while {name} is RUNNING.")
    page.get_by_role("button", name=f"Stop {name} to edit its offsets").click()
    expect(page.get_by_role("button", name="Review changes")).to_be_visible()


def test_a_sink_goes_to_the_earliest_and_back(
    page: Page, connect: ConnectClient, make_topic_sink: Callable[[str], Path], name: str
) -> None:
    file = make_topic_sink(name)
    to_offsets(page, name)
    expect(page.locator(".offsets")).to_contain_text("3 partitions · lag 0")
    stop(page, name)
    page.get_by_role("button", name=f"topic-{name} 1 to earliest").click()
    inputs = page.get_by_label("New offset of")
    expect(inputs.nth(1)).to_have_value("0")
    assert [inputs.nth(number).input_value() for number in range(3)] == ["10", "0", "10"]
    page.get_by_role("button", name="earliest", exact=True).click()
    expect(inputs.first).to_have_value("0")
    page.get_by_role("button", name="Review changes").click()
    page.get_by_role("button", name="Apply 3 changes").click()
    expect(page.locator(".offsets")).to_contain_text("3 partitions · lag 30")

    page.get_by_role("button", name="Put back what was before").click()
    expect(page.locator(".banner.good")).to_contain_text("3 offsets put back.")
    expect(page.locator(".offsets")).to_contain_text("3 partitions · lag 0")
    assert {str(at.offset) for at in connect.offsets(name)} == {"{'kafka_offset': 10}"}

    page.get_by_label("Type its name").fill(name)
    page.get_by_role("button", name="Reset all").click()
    page.get_by_role("button", name="Reset all 3 offsets").click()
    expect(page.locator(".banner.good")).to_contain_text("reset successfully")
    page.get_by_role("button", name=f"Resume {name}").last.click()
    eventually(lambda: len(connect.offsets(name)) == 3)
    assert set(Counter(file.read_text().splitlines()).values()) == {2}


def test_what_is_typed_stays_while_other_things_happen(
    page: Page, connect: ConnectClient, make_source: Callable[[str], None], name: str
) -> None:
    make_source(name)
    eventually(lambda: connect.offsets(name))
    to_offsets(page, name)
    stop(page, name)
    page.get_by_label("New offset of").fill("half of a")
    page.get_by_label("Type its name").focus()
    with page.expect_response(lambda response: "shown=offsets-stopped" in response.url):
        make_source(f"{name}-other")
    eventually(lambda: not page.locator(".htmx-request").count())
    expect(page.get_by_label("New offset of")).to_have_value("half of a")
    # But it is another panel as soon as nothing can be edited any more.
    connect.resume(name)
    expect(page.get_by_role("button", name="Review changes")).to_have_count(0)


LAKE = "lake-with-a-name-that-is-longer-than-a-phone-is-wide"
PARTITIONS = [{"partition": {"kafka_topic": "lake", "kafka_partition": n}, "offset": {"kafka_offset": 7}} for n in range(120)]


def lake(state: str, version: str = "4.3.0") -> dict[str, object]:
    status = {"name": LAKE, "connector": {"state": state, "worker_id": "w:1"}, "tasks": [], "type": "sink"}
    entry = {"info": {"name": LAKE, "config": {}, "tasks": [], "type": "sink"}, "status": status}
    return {"/": {"version": version}, "/connectors": {LAKE: entry}}


@pytest.mark.parametrize("width", [360, 1280])
def test_many_partitions_on_any_screen(open_page: OpenPage, drover: RunningDrover, name: str, width: int) -> None:
    page = open_page(viewport={"width": width, "height": 740})

    def fits() -> bool:
        return bool(page.evaluate("document.documentElement.scrollWidth") <= width)

    answers = {**lake("RUNNING"), f"/connectors/{LAKE}/offsets": {"offsets": PARTITIONS}}
    with paper_cluster(drover, name, answers):
        page.wait_for_selector(f'[data-key="{name}/{LAKE}"]')
        to_offsets(page, LAKE, name)
        expect(page.get_by_role("button", name="to edit its offsets")).to_be_visible()
        assert fits()
        answers.update(lake("STOPPED"))
        expect(page.get_by_role("button", name="Review changes")).to_be_visible()
        assert fits()

        rows = page.locator("#partitions tbody tr:visible")
        expect(rows).to_have_count(120)
        page.get_by_label("New offset of lake 117").fill("x")
        page.get_by_label("Filter partitions").fill("lake 11")
        expect(rows).to_have_count(11)
        page.get_by_label("New offset of lake 11", exact=True).fill("5")
        page.get_by_role("button", name="Review changes").click()
        # What was typed into rows that are not shown is there as well, and what is wrong is in sight.
        expect(page.get_by_label("New offset of lake 117")).to_be_focused()
        page.get_by_label("Filter partitions").fill("lake 5")
        expect(rows).to_have_count(12)
        page.get_by_label("New offset of lake 117").fill("7")
        page.get_by_role("button", name="Review changes").click()
        expect(page.locator(".diff tbody tr")).to_have_count(1)
        assert fits()


def test_a_cluster_that_is_too_old(page: Page, drover: RunningDrover, name: str) -> None:
    with paper_cluster(drover, name, lake("RUNNING", "3.4.0")):
        page.wait_for_selector(f'[data-key="{name}/{LAKE}"]')
        to_offsets(page, LAKE, name)
        expect(page.locator(".offsets").get_by_role("alert")).to_contain_text(f"Cluster {name} is too old to tell offsets.")
