"""A real Chromium in front of a real Drover."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

from connect_client import ConnectClient
from tests.running import RunningDrover

CHROMIUM = "/usr/bin/chromium"
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# What the browser itself notes of an answer that a page expects, such as the 401 after signing out.
EXPECTED = "Failed to load resource"
OpenPage = Callable[..., Page]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Per module: while Playwright's loop runs in this thread, Django takes every use of the database for an async mistake."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser: Browser, drover: RunningDrover) -> Iterator[OpenPage]:
    """Opens the fleet, signed in unless told not to be. Whatever a page complains of in its console fails the test."""
    complaints: list[str] = []
    contexts = []

    def listen(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and EXPECTED not in message.text:
            complaints.append(message.text)

    def open_page(*, sign_in: bool = True, **options: Any) -> Page:
        context = browser.new_context(base_url=drover.url, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", listen)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto("/ui/")
        if sign_in:
            page.fill("input[name=username]", drover.username)
            page.fill("input[name=password]", drover.password)
            page.click("text=Sign in")
            page.wait_for_selector('#link[data-link="live"]')
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    return open_page()


@pytest.fixture
def connect(drover: RunningDrover) -> Iterator[ConnectClient]:
    """The REST API behind the pages; connectors that a test makes are deleted at its end."""
    with ConnectClient(drover.url) as client:
        before = set(client.connectors())
        yield client
        for name in set(client.connectors()) - before:
            client.delete(name)


@pytest.fixture
def make_sink(connect: ConnectClient, tmp_path: Path) -> Callable[[str], Path]:
    """Makes a sink whose file is in a folder that does not exist; returns that folder."""

    def make_sink(name: str) -> Path:
        folder = tmp_path / name
        config = {
            "connector.class": "FileStreamSink",
            "tasks.max": "1",
            "topics": f"topic-{name}",
            "file": str(folder / "out.txt"),
        }
        connect.put_config(name, config)
        return folder

    return make_sink


@pytest.fixture
def make_source(connect: ConnectClient, tmp_path: Path) -> Callable[[str], None]:
    """Makes a source that runs."""

    def make_source(name: str) -> None:
        file = tmp_path / f"{name}.txt"
        file.write_text("one line\n")
        config = {"connector.class": "FileStreamSource", "tasks.max": "1", "topic": f"topic-{name}", "file": str(file)}
        connect.put_config(name, config)

    return make_source
