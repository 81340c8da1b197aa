"""How long to wait before asking a cluster again: decisions over values."""

from dataclasses import dataclass

# Seconds that a server which can is asked to hold a request while nothing changes.
HOLD = 20
# An idle worker that comes or goes changes no connector: where there is a worker group to tell of, it is looked at this often.
HOLD_WITH_GROUP = 2


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds. `poll` is for servers that do not hold requests; `rest` lets a burst of changes gather into one answer."""

    poll: float = 1.0
    rest: float = 0.05
    retry_first: float = 0.5
    retry_longest: float = 15.0


def after_answer(pace: Pace, *, holds: bool, took: float) -> float:
    """`took`: seconds it took to write the answer down. Where that is long (thousands of changes), changes gather meanwhile."""
    return max(pace.rest, took) if holds else max(pace.poll, took)


def after_failures(pace: Pace, failures: int) -> float:
    return float(min(pace.retry_longest, pace.retry_first * 2 ** (failures - 1)))
