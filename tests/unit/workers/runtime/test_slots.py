"""Who may keep how many of Spark's slots."""

import pytest

from workers.connectors.base import ConnectError
from workers.runtime.slots import Slots


def test_up_to_the_limit_they_are_given_out() -> None:
    slots = Slots(3)
    slots.hold("a", 1)
    slots.hold("b", 2)
    with pytest.raises(ConnectError, match="1 here, and 0 of this worker's 3 are free"):
        slots.hold("c", 1)
    slots.release("b")
    slots.hold("c", 2)


def test_who_asks_again_asks_for_all_that_it_needs_and_keeps_what_it_had() -> None:
    slots = Slots(3)
    slots.hold("a", 2)
    slots.hold("a", 3)
    slots.hold("a", 1)
    slots.hold("b", 2)
    with pytest.raises(ConnectError):
        slots.hold("a", 2)
    with pytest.raises(ConnectError):
        slots.hold("c", 1)
    slots.release("a")
    slots.hold("c", 1)


def test_whoever_holds_none_may_release_them() -> None:
    Slots(0).release("a")
