"""Average and maximum over this window and the one before."""

import pytest

from workers.metrics.window import Window


@pytest.mark.parametrize(
    ("values", "at", "expected"),
    [
        ([], 0, (None, None)),
        ([(0, 2), (1, 4)], 1, (3, 4)),
        ([(0, 2), (29.9, 4)], 29.9, (3, 4)),
        # The window before still counts, whether anything has come since or not.
        ([(0, 9), (31, 1)], 31, (5, 9)),
        ([(0, 9)], 59, (9, 9)),
        # The one before that does not.
        ([(0, 9), (31, 1)], 61, (1, 1)),
        ([(0, 9)], 61, (None, None)),
        ([(0, 9), (31, 1), (61, 3)], 61, (2, 3)),
        ([(0, 9), (500, 1)], 500, (1, 1)),
        ([(0, 0)], 1, (0, 0)),
    ],
)
def test_what_counts_when(values: list[tuple[float, float]], at: float, expected: tuple[float | None, float | None]) -> None:
    now = [0.0]
    window = Window(lambda: now[0])
    for when, value in values:
        now[0] = when
        window.add(value)
    now[0] = at
    assert window.figures() == expected
