"""How long to wait before the next try. Pure."""

FIRST, MOST = 0.3, 60.0


def delay(attempt: int) -> float:
    """Seconds before try `attempt` + 1, doubling from 300 ms to a minute; `attempt` counts failures, from 1."""
    return float(min(MOST, FIRST * 2 ** min(attempt - 1, 16)))
