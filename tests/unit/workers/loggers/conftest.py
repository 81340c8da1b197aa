"""Levels of this process's own loggers, put back as they were."""

import uuid
from collections.abc import Iterator

import pytest

from tests import levels


@pytest.fixture
def name() -> Iterator[str]:
    """Of a logger that there is not yet."""
    with levels.kept():
        yield f"example-{uuid.uuid4().hex}"
