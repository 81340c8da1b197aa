"""Rows that are being looked at stay where they are."""

import pytest

from dashboard.fleet.order import Held, hold


@pytest.mark.parametrize(
    ("fresh", "shown", "held"),
    [
        ([1, 2, 3], [1, 2, 3], Held((1, 2, 3), 0)),
        # 3 has failed and belongs to the top.
        ([3, 1, 2], [1, 2, 3], Held((1, 2, 3), 1)),
        ([3, 2, 1], [1, 2, 3], Held((1, 2, 3), 2)),
        # 4 is new and would belong to the top, or to the end, where it is.
        ([4, 1, 2], [1, 2], Held((1, 2, 4), 1)),
        ([1, 2, 4], [1, 2], Held((1, 2, 4), 0)),
        # The page is full.
        ([9, 1, 2, 3], [1, 2, 3, 4], Held((1, 2, 3, 4), 1)),
        # 2 is gone, or does not fit the filter any more; its place stays.
        ([1, 3], [1, 2, 3], Held((1, 2, 3), 1)),
        ([], [1], Held((1,), 1)),
        ([1], [], Held((1,), 0)),
    ],
)
def test_hold(fresh: list[int], shown: list[int], held: Held) -> None:
    assert hold(fresh, shown, 4) == held
