"""Resources as people write them: a document is typed, reviewed, applied, edited, asked for a restart, and deleted. A real
control process keeps its connector as it is wanted, in a cluster in memory."""

import json
import uuid
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.paper import registered, served
from tests.chromium import OpenPage, looked_at_again
from tests.dashboard.resources.paper import Paper
from tests.running import RunningDrover
from tests.waiting import eventually


@pytest.fixture
def berlin(drover: RunningDrover) -> Iterator[Paper]:
    paper = Paper("berlin")
    with served(paper) as url, registered(drover, "berlin", url):
        yield paper


@pytest.fixture
def name() -> str:
    return f"resource-{uuid.uuid4().hex[:6]}"


def document(name: str, topic: str = "lines") -> str:
    """JSON is YAML, too."""
    told = {
        "apiVersion": "kafka.strimzi.io/v1",
        "kind": "KafkaConnector",
        "metadata": {"name": name, "labels": {"strimzi.io/cluster": "berlin"}},
        "spec": {
            "class": "org.apache.kafka.connect.file.FileStreamSourceConnector",
            "tasksMax": 1,
            "config": {"file": "/in", "topic": topic, "db.password": "geheim"},
        },
    }
    return json.dumps(told, indent=2)


def made(page: Page, name: str) -> None:
    page.get_by_role("link", name="Resources").click()
    page.get_by_role("link", name="New resource").click()
    page.locator("textarea[name=document]").fill(document(name))
    page.get_by_role("button", name="Review changes").click()
    expect(page.get_by_role("status").filter(has_text="It will be created.")).to_be_visible()
    page.get_by_role("button", name="Apply", exact=True).click()
    expect(page.locator("h1 .state")).to_contain_text("ready")


def deleted(page: Page, name: str) -> None:
    page.get_by_label("Type its name").fill(name)
    page.get_by_role("button", name=f"Delete {name}").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Resources")
    expect(page.get_by_role("link", name=name)).to_have_count(0)


def test_a_resource_is_written_reviewed_and_edited(page: Page, berlin: Paper, name: str) -> None:
    made(page, name)
    assert berlin.connectors[name].config["db.password"] == "geheim"
    assert berlin.took() == ["POST /connectors"]
    typed = page.locator("textarea[name=document]")
    expect(typed).not_to_have_value("geheim")
    typed.fill(typed.input_value().replace("topic: lines", "topic: other"))
    page.get_by_role("button", name="Review changes").click()
    changes = page.get_by_role("table", name="Changes").locator("tbody tr")
    expect(changes).to_have_count(1)
    expect(changes).to_contain_text("spec.config.topic")
    expect(changes).to_contain_text("other")
    looked_at_again(page)
    expect(changes).to_have_count(1)
    assert berlin.took() == [], "nothing before it is applied"
    page.get_by_role("button", name="Apply", exact=True).click()
    expect(page.locator(".facts")).to_contain_text("generation 2")
    expect(page.locator("h1 .state")).to_contain_text("ready")
    expect(page.get_by_role("region", name="Status")).to_contain_text("observedGeneration: 2")
    found = berlin.connectors[name].config
    assert (found["topic"], found["db.password"]) == ("other", "geheim"), "the mask has kept what it stands for"
    assert berlin.took() == [f"PUT /connectors/{name}/config"]

    page.get_by_role("link", name="Resources", exact=True).first.click()
    row = page.locator(f'tbody[id="kafkaconnector-{name}"]')
    expect(row).to_contain_text("ready")
    expect(row).to_contain_text("berlin")
    row.get_by_role("link", name=name).click()
    deleted(page, name)
    assert berlin.connectors == {}


def test_what_cannot_be_taken_is_told_and_kept(page: Page, berlin: Paper, name: str) -> None:
    page.goto("/ui/resources/new")
    typed = page.locator("textarea[name=document]")
    for text, told in (
        ("a: [", "Nothing was applied."),
        (document(name).replace('"tasksMax": 1', '"tasksMax": "x"'), "tasksMax"),
    ):
        typed.fill(text)
        page.get_by_role("button", name="Review changes").click()
        expect(page.get_by_role("alert")).to_contain_text(told)
        expect(typed).to_have_value(text)
    assert berlin.took() == []


def test_what_is_changed_by_hand_is_put_back_and_shown(page: Page, berlin: Paper, name: str) -> None:
    made(page, name)
    page.evaluate("window.notReloaded = true")
    berlin.connectors[name].config["topic"] = "by hand"
    expect(page.locator("body")).to_contain_text(f"{name} was changed by hand (topic) and put back")
    assert page.evaluate("window.notReloaded")
    assert berlin.connectors[name].config["topic"] == "lines"
    deleted(page, name)


def test_a_restart_and_a_pause_of_its_reconciliation(page: Page, berlin: Paper, name: str) -> None:
    made(page, name)
    berlin.took()
    page.get_by_role("button", name="Restart with its tasks").click()
    restart = f"POST /connectors/{name}/restart?includeTasks=true&onlyFailed=false"
    eventually(lambda: restart in berlin.sent)
    expect(page.get_by_role("button", name="Restart with its tasks")).to_be_enabled()
    expect(page.get_by_role("table", name="Annotations")).to_have_count(0)
    assert berlin.took() == [restart]
    page.get_by_role("button", name="Pause reconciliation").click()
    expect(page.locator("h1 .state")).to_contain_text("paused")
    page.get_by_role("button", name="Resume reconciliation").click()
    expect(page.locator("h1 .state")).to_contain_text("ready")
    deleted(page, name)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone(open_page: OpenPage, berlin: Paper, name: str, scheme: str) -> None:
    page = open_page(viewport={"width": 360, "height": 740}, color_scheme=scheme)
    page.goto("/ui/resources/new")
    page.locator("textarea[name=document]").fill(document(name))
    page.get_by_role("button", name="Review changes").click()
    expect(page.get_by_role("button", name="Apply", exact=True)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
