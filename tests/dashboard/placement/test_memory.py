"""Who was there: leaving, coming back, a new life in between, two lives at once."""

from datetime import UTC, datetime, timedelta

import pytest

from connect_client import Instance, Worker
from dashboard.placement.memory import REMEMBERED, Seen, natural, remember

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
THEN = NOW - timedelta(minutes=1)
BEFORE = NOW - timedelta(minutes=2)
W1, W2 = Worker("w1", started=5), Worker("w2", started=5)
W2_ANEW = Worker("w2", started=9)


@pytest.mark.parametrize(
    ("before", "told", "after"),
    [
        # Nobody is "back" when a cluster is first read, or is new to it.
        ([], [W2, W1], [Seen(W1), Seen(W2)]),
        ([Seen(W1)], [W1, W2], [Seen(W1), Seen(W2)]),
        ([Seen(W1), Seen(W2)], [W1], [Seen(W1), Seen(W2, left_at=NOW)]),
        ([Seen(W2, left_at=THEN)], [], [Seen(W2, left_at=THEN)]),
        ([Seen(W2, left_at=NOW - REMEMBERED)], [], []),
        ([Seen(W2, left_at=THEN)], [W2_ANEW], [Seen(W2_ANEW, left_at=THEN, back_at=NOW)]),
        # It was only cut off.
        ([Seen(W2, left_at=THEN)], [W2], [Seen(W2, left_at=THEN, back_at=NOW)]),
        ([Seen(W2_ANEW, left_at=BEFORE, back_at=THEN)], [W2_ANEW], [Seen(W2_ANEW, left_at=BEFORE, back_at=THEN)]),
        ([Seen(W2_ANEW, left_at=BEFORE, back_at=THEN)], [], [Seen(W2_ANEW, left_at=NOW, back_at=THEN)]),
        # Back sooner than anybody looked.
        ([Seen(W2)], [W2_ANEW], [Seen(W2_ANEW, back_at=NOW)]),
    ],
)
def test_remember(before: list[Seen], told: list[Worker], after: list[Seen]) -> None:
    assert list(remember(before, told, NOW)) == after


@pytest.mark.parametrize(
    ("left", "back", "gone"),
    [(None, None, False), (THEN, None, True), (BEFORE, THEN, False), (NOW, THEN, True), (None, THEN, False)],
)
def test_gone(left: datetime | None, back: datetime | None, gone: bool) -> None:
    assert Seen(W1, left, back).gone is gone


def test_two_lives_of_one_worker_are_one_panel() -> None:
    old = Worker("w1", leader=True, started=5, connectors=("a",), tasks=(Instance("a", 0), Instance("a", 1)))
    new = Worker("w1", started=9, connectors=("b",), tasks=(Instance("a", 1), Instance("b", 0)))
    tasks = (Instance("a", 0), Instance("a", 1), Instance("b", 0))
    assert remember([], [new, old], NOW) == (Seen(Worker("w1", leader=True, started=9, connectors=("a", "b"), tasks=tasks)),)


def test_seen_survives_being_kept() -> None:
    seen = Seen(Worker("w1", True, "h", 3, 5, ("a",), (Instance("a", 0),)), THEN, NOW)
    assert Seen.from_json(seen.to_json()) == seen
    assert Seen.from_json(Seen(W1).to_json()) == Seen(W1)


def test_natural_order() -> None:
    assert sorted(["vm:8083-10", "vm:8083-9", "vm:8083", "a"], key=natural) == ["a", "vm:8083", "vm:8083-9", "vm:8083-10"]
