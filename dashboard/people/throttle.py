"""How long somebody has to wait after wrong passwords: a decision over moments."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

#: What is longer ago does not count.
WINDOW = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class Limit:
    """So many failures are free; each further one doubles the pause, up to the longest."""

    free: int
    longest: timedelta
    first: timedelta = timedelta(seconds=2)


#: One name from one address.
TRYING = Limit(5, timedelta(minutes=15))
#: Any name from one address.
SPRAYING = Limit(20, timedelta(minutes=15))
#: One name from anywhere. Never for long: nobody is to be locked out by others.
SURROUNDED = Limit(50, timedelta(seconds=30))


def pause(limit: Limit, failures: Sequence[datetime], now: datetime) -> timedelta:
    """What is left of it; nothing for whoever may try."""
    recent = [at for at in failures if now - at < WINDOW]
    over = len(recent) - limit.free
    if over < 0:
        return timedelta(0)
    # Beyond that the power is longer than any longest anyhow.
    whole: timedelta = min(limit.first * (1 << min(over, 20)), limit.longest)
    return max(max(recent) + whole - now, timedelta(0))
