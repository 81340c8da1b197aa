"""Waiting for something to become true, with a deadline. For tests against real, separate processes."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

# Seconds after which a test that waits in vain ends. No measure of anything: processors are shared with brokers and Spark.
PATIENCE = 120.0


def eventually(probe: Callable[[], T], what: str = "", seconds: float = PATIENCE) -> T:
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


def patiently(ask: Callable[[], object]) -> None:
    """Until it is answered: a worker may be on its way back."""

    def answered() -> bool:
        ask()
        return True

    eventually(answered)


def eventually_as(look: Callable[[], dict[str, str]], wanted: dict[str, str], what: str = "", seconds: float = PATIENCE) -> None:
    """Waits until `look` gives what is wanted. Fails with what is different: key → (there, wanted)."""
    differing: dict[str, tuple[str | None, str | None]] = {}

    def same() -> bool:
        nonlocal differing
        there = look()
        keys = sorted(there.keys() | wanted.keys())
        differing = {key: (there.get(key), wanted.get(key)) for key in keys if there.get(key) != wanted.get(key)}
        return not differing

    try:
        eventually(same, what, seconds)
    except AssertionError as error:
        raise AssertionError(f"{error}; different: {differing}") from None
