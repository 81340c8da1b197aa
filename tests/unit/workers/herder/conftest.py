"""One herder on logs in memory; `herding` has been started and is stopped at the end."""

from collections.abc import Iterator

import pytest

from tests.fakes import Herding


@pytest.fixture
def herding() -> Iterator[Herding]:
    with Herding().started() as started:
        yield started
