"""The API of tests/api, the real herder on logs in memory with real plug-ins, behind the standalone worker's HTTP server."""

import logging
import os
from collections.abc import Iterator

import pytest
from django.core.wsgi import get_wsgi_application

from tests import levels
from tests.api.conftest import api_of
from web.server import Door, bound, serving
from workers.connectors.plugins import InstalledPlugins, discover

#: How long to look; 0 for a bounded number of requests, the same ones each time.
SECONDS = int(os.environ.get("DROVER_FUZZ_SECONDS", "0"))


@pytest.fixture(autouse=True)
def levels_kept() -> Iterator[None]:
    """Whoever asks for everything also sets levels."""
    with levels.kept():
        yield


@pytest.fixture
def url() -> Iterator[str]:
    # A line for each request that is refused would bury what is found.
    logging.disable(logging.WARNING)
    with (
        bound("127.0.0.1", 0) as listener,
        api_of(InstalledPlugins(discover())),
        serving(get_wsgi_application(), [Door(listener)], longest_body=16 * 1024**2),
    ):
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    logging.disable(logging.NOTSET)
