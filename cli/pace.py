"""Time that passes while something is waited for."""

import time

#: Seconds between two looks.
LOOK = 1.0


def pause(seconds: float) -> None:
    """Ctrl-C ends it at once."""
    time.sleep(seconds)


def now() -> float:
    """Seconds, for differences only."""
    return time.monotonic()
