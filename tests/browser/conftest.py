"""A real Chromium in front of a real Drover."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from connect_client import ConnectClient
from tests.chromium import OpenPage, chromium, pages
from tests.running import RunningDrover


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def open_page(browser: Browser, drover: RunningDrover) -> Iterator[OpenPage]:
    """See `tests.chromium.pages`."""
    with pages(browser, drover) as open_page:
        yield open_page


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    return open_page()


@pytest.fixture
def connect(drover: RunningDrover) -> Iterator[ConnectClient]:
    """The REST API behind the pages; connectors that a test makes are deleted at its end."""
    with drover.client() as client:
        yield client


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
