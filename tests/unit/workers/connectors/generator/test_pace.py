"""How many records are due."""

import pytest

from workers.connectors.generator.pace import Pace


@pytest.mark.parametrize(
    ("rate", "elapsed", "due"),
    [(10, 0, 1), (10, 0.5, 6), (10, 4, 41), (10, 3600, 50), (0.1, 5, 1.0), (0.01, 3600, 1), (1000, 0.001, 2)],
)
def test_what_is_due_after_a_while(rate: float, elapsed: float, due: float) -> None:
    assert Pace(rate, 100.0).now(100.0 + elapsed).due == pytest.approx(due)


def test_what_was_made_is_not_due_any_more() -> None:
    assert Pace(10, 100.0).now(101.0).less(11).now(101.5).due == pytest.approx(5)


@pytest.mark.parametrize(("rate", "look"), [(7, 0.1), (0.5, 1), (100, 0.03), (3, 4)])
def test_the_rate_is_kept_however_often_it_is_asked(rate: float, look: float) -> None:
    pace, made = Pace(rate, 0.0), 0
    for number in range(1, 1001):
        pace = pace.now(number * look)
        made += int(pace.due)
        pace = pace.less(int(pace.due))
    assert made == pytest.approx(1000 * look * rate, abs=2)
