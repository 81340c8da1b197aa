"""The editor of configs in a real Chromium, over a cluster of paper: what is typed on one side is on the other, the cluster's
word is at the field, and nothing is lost."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, Dialog, Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from dashboard import plugins
from dashboard.follow.recorder import Recorder
from dashboard.models import Cluster
from tests.browser.conftest import browser as browser  # noqa: PLC0414
from tests.dashboard.configs.paper import CONFIG, SINK, ConfigPaper

TAB = "/ui/clusters/eu/connectors/orders?tab=config"


@pytest.fixture(scope="module", autouse=True)
def beside_playwright() -> Iterator[None]:
    """Its loop runs in this thread, and Django takes that for a mistake."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        yield


@pytest.fixture
def paper(monkeypatch: pytest.MonkeyPatch, transactional_db: None) -> ConfigPaper:
    """The cluster `eu`, with `orders` in it, as the follower has seen it."""
    paper = ConfigPaper()
    paper.add()
    monkeypatch.setattr("dashboard.clusters._client", lambda _access: paper.client())
    cluster = Cluster.objects.create(name="eu", urls=["http://paper"])
    Recorder(cluster).listing(paper.entries, datetime.now(UTC))
    plugins.refresh(cluster, paper.client())
    for plugin in cluster.plugins.all():
        plugins.define(plugin, paper.client())
    return paper


@pytest.fixture
def page(browser: Browser, live_server: LiveServer, paper: ConfigPaper) -> Iterator[Page]:
    """Signed in as an administrator. What a page complains of in its console fails the test."""
    client = Client()
    client.force_login(User.objects.create_superuser("operator"))
    cookie = next(iter(client.cookies.values()))
    context = browser.new_context(base_url=live_server.url)
    context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": live_server.url}])
    page = context.new_page()
    page.set_default_timeout(10_000)
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if "Content Security" in said.text else None)
    yield page
    context.close()
    assert complaints == []


def field(page: Page, key: str) -> Locator:
    """Where it is typed."""
    return page.locator(f'[data-key="{key}"]')


def row(page: Page, key: str) -> Locator:
    return page.locator(f'[data-field="{key}"]')


def test_from_the_form_to_the_cluster(page: Page, paper: ConfigPaper) -> None:
    page.goto(TAB)
    text = page.get_by_label("JSON", exact=True)
    verdict = page.locator("[data-verdict]")
    expect(verdict).to_have_attribute("data-good", "true")
    assert "geheim" not in page.content()
    assert "vierstellig" not in page.content()
    expect(field(page, "unknown.key")).to_have_value("kept")

    # What is typed into the form is in the JSON, and the cluster's word is at the field.
    paper.errors = {"file": "Invalid value /nowhere for configuration file: no such folder"}
    field(page, "file").fill("/nowhere")
    expect(text).to_have_value(re.compile(r'"file": "/nowhere"'))
    expect(row(page, "file").locator(".error")).to_contain_text("no such folder")
    expect(verdict).to_have_attribute("data-good", "false")
    expect(row(page, "file")).to_have_attribute("data-changed", "")
    expect(field(page, "file")).to_be_focused()

    # And the other way round.
    paper.errors = {}
    text.fill(text.input_value().replace("/nowhere", "/tmp/new.txt").replace('"kept"', '"kept", "errors.tolerance": "all"'))
    expect(field(page, "file")).to_have_value("/tmp/new.txt")
    expect(field(page, "errors.tolerance")).to_have_value("all")
    expect(verdict).to_have_attribute("data-good", "true")

    page.get_by_role("button", name="Review changes").click()
    diff = page.locator(".diff")
    expect(diff.locator("tbody tr")).to_have_count(2)
    expect(diff).to_contain_text("/tmp/orders.txt")
    page.get_by_label("Why").fill("a new disk")
    page.get_by_role("button", name="Save 2 changes").click()
    expect(page.locator("#notices")).to_contain_text("was saved, as version 2")
    assert paper.config() == {**CONFIG, "file": "/tmp/new.txt", "errors.tolerance": "all"}
    assert list(paper.config()) == [*CONFIG, "errors.tolerance"]
    expect(page.locator("form[data-dirty]")).to_have_count(0)


def test_what_is_wrong_is_said_and_kept(page: Page, paper: ConfigPaper) -> None:
    page.goto(TAB)
    text = page.get_by_label("JSON", exact=True)
    expect(page.locator("[data-verdict]")).to_have_attribute("data-good", "true")
    text.fill('{"name": "orders",\n "file": }')
    expect(page.locator("[data-verdict]")).to_contain_text("This is not JSON: line 2, column 10")
    page.get_by_role("button", name="Review changes").click()
    expect(page.locator("#review")).to_contain_text("This is not JSON")
    expect(text).to_have_value('{"name": "orders",\n "file": }')

    # A mask of another tool is no value.
    text.fill(json.dumps({"name": "orders", "connector.class": SINK, "file": "********"}))
    expect(row(page, "file").locator(".error")).to_contain_text("is a mask, no value")
    page.get_by_role("button", name="Review changes").click()
    expect(page.locator("#review")).to_contain_text("is a mask, no value")
    assert paper.config() == CONFIG


def test_a_refresh_takes_nothing_away(page: Page, paper: ConfigPaper) -> None:
    page.goto(TAB)
    expect(page.locator("[data-verdict]")).to_have_attribute("data-good", "true")
    field(page, "file").fill("/tmp/mine")
    paper.hold({**CONFIG, "topics": "elsewhere"})
    Recorder(Cluster.objects.get()).listing(paper.entries, datetime.now(UTC))
    page.evaluate("import('/static/js/view.js').then((view) => view.refresh())")
    expect(page.locator("#overtaken")).to_contain_text("changed elsewhere")
    expect(field(page, "file")).to_have_value("/tmp/mine")
    page.get_by_role("button", name="Review changes").click()
    expect(page.locator("#review .banner")).to_contain_text("Somebody else has changed this config")

    # Leaving is asked about.
    asked: list[str] = []

    def leave(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", leave)
    page.get_by_role("link", name="Fleet").first.click()
    page.wait_for_url("**/ui/")
    assert asked == ["beforeunload"]


def test_a_connector_is_created_from_the_catalogue(page: Page, paper: ConfigPaper) -> None:
    page.goto("/ui/create")
    page.get_by_label("Find a plug-in").fill("orderssi")
    page.get_by_role("link", name="OrdersSink").click()
    field(page, "name").fill("second")
    field(page, "topics").fill("a,b")
    page.get_by_label("It begins").select_option("STOPPED")
    page.get_by_role("button", name="Create", exact=True).click()
    page.wait_for_url("**/connectors/second")
    assert paper.config("second") == {"name": "second", "connector.class": SINK, "tasks.max": "1", "topics": "a,b"}
