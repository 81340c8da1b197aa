"""How long somebody waits after wrong passwords."""

from datetime import UTC, datetime, timedelta

import pytest

from dashboard.people.throttle import SPRAYING, SURROUNDED, TRYING, WINDOW, Limit, pause

NOW = datetime(2026, 11, 22, tzinfo=UTC)


@pytest.mark.parametrize(
    ("limit", "failures", "ago", "left"),
    [
        (TRYING, 0, 0, 0),
        (TRYING, 4, 0, 0),
        (TRYING, 5, 0, 2),
        (TRYING, 6, 0, 4),
        (TRYING, 6, 3, 1),
        (TRYING, 6, 4, 0),
        (TRYING, 9, 0, 32),
        (TRYING, 1000, 0, 900),
        (SPRAYING, 19, 0, 0),
        (SPRAYING, 20, 0, 2),
        (SURROUNDED, 49, 0, 0),
        (SURROUNDED, 1000, 0, 30),
        (TRYING, 1000, WINDOW.total_seconds(), 0),
    ],
)
def test_each_failure_beyond_the_free_ones_doubles_the_pause(limit: Limit, failures: int, ago: float, left: float) -> None:
    at = NOW - timedelta(seconds=ago)
    assert pause(limit, [at] * failures, NOW) == timedelta(seconds=left)
