"""Work at its time."""

import threading
import time
from functools import partial

from workers.herder.clock import Clock


def test_work_is_begun_in_the_order_of_its_times() -> None:
    clock, all_begun = Clock("test"), threading.Event()
    begun: list[float] = []
    clock.after(0.8, all_begun.set)
    for seconds in (0.6, 0.2, 0.4):
        clock.after(seconds, partial(begun.append, seconds))
    assert all_begun.wait(5)
    assert begun == [0.2, 0.4, 0.6]
    clock.stop()


def test_work_is_not_begun_before_its_time() -> None:
    clock, begun = Clock("test"), threading.Event()
    at = time.monotonic()
    clock.after(0.05, begun.set)
    assert begun.wait(5)
    assert time.monotonic() - at >= 0.05
    clock.stop()


def test_after_a_stop_nothing_is_begun() -> None:
    clock, begun = Clock("test"), threading.Event()
    clock.after(0.02, begun.set)
    clock.stop()
    clock.after(0, begun.set)
    assert not begun.wait(0.1)
