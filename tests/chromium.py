"""A real Chromium in front of a real Drover. Not a test module."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakSet

from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

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
# Milliseconds: as tests.waiting has it.
PATIENCE = 90_000
# What the browser itself notes of an answer that a page expects, such as the 401 after signing out.
EXPECTED = ("Failed to load resource",)
# And of a server that is killed while it answers.
LOST = ("TypeError: Failed to fetch", "TypeError: network error")
OpenPage = Callable[..., Page]
_losing: WeakSet[Page] = WeakSet()
_LOOKED_AT_AGAIN = """async () => {
  const ajax = htmx.ajax, asked = [];
  htmx.ajax = (...what) => asked[asked.push(ajax.apply(htmx, what)) - 1];
  document.dispatchEvent(new Event("visibilitychange"));
  htmx.ajax = ajax;
  await Promise.all(asked);
}"""


@contextmanager
def chromium() -> Iterator[Browser]:
    """For one module at most: while Playwright's loop runs in this thread, Django takes every use of the database for an async
    mistake."""
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


@contextmanager
def pages(browser: Browser, drover: RunningDrover) -> Iterator[OpenPage]:
    """Opens the fleet, signed in unless told not to be. Whatever a page complains of in its console fails the test."""
    complaints: list[str] = []
    contexts = []

    def listen(message: ConsoleMessage) -> None:
        expected = EXPECTED + (LOST if message.page in _losing else ())
        if message.type in ("error", "warning") and not any(text in message.text for text in expected):
            complaints.append(message.text)

    def open_page(*, sign_in: bool = True, **options: Any) -> Page:
        context = browser.new_context(base_url=drover.url, **options)
        context.set_default_timeout(PATIENCE)
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
    assert complaints == [], complaints


def may_lose_its_server(page: Page) -> None:
    """From here on."""
    _losing.add(page)


def looked_at_again(page: Page) -> None:
    """As by somebody who was in another window, or with a live event: what the page asks for then has been drawn at the end."""
    page.evaluate(_LOOKED_AT_AGAIN)
