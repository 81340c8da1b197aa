"""Waiting for something to become true, with a deadline. For tests against real, separate processes."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def eventually(probe: Callable[[], T], seconds: float = 30.0, what: str = "") -> T:
    """The first truthy value of `probe`, which may also raise until then. Fails with what it gave or raised last."""
    deadline = time.monotonic() + seconds
    last: object = None
    while time.monotonic() < deadline:
        try:
            value = probe()
        except Exception as error:
            last = error
        else:
            if value:
                return value
            last = value
        time.sleep(0.02)
    raise AssertionError(f"{what or 'It'} did not come true within {seconds:g} s; last seen: {last!r}")
