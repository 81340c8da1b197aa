"""Waiting for an end that has to come."""

import time
from collections.abc import Callable

#: How often an end that is timed is looked for: small beside what is measured, and no load.
POLL_SECONDS = 0.02
_CHECK_SECONDS = 2.0


class Stuck(Exception):
    """What was waited for did not come; the message says what and why."""


def until(done: Callable[[], bool], what: str, *, check: Callable[[], None] = lambda: None, seconds: float = 180.0) -> float:
    """Returns the moment (`time.monotonic`) at which `done` was seen. `check` is called now and then, to raise if it never will.

    Raises Stuck.
    """
    deadline = time.monotonic() + seconds
    next_check = time.monotonic() + _CHECK_SECONDS
    while not done():
        now = time.monotonic()
        if now > deadline:
            raise Stuck(f"{what} did not happen within {seconds:g} s")
        if now > next_check:
            check()
            next_check = now + _CHECK_SECONDS
        time.sleep(POLL_SECONDS)
    return time.monotonic()
