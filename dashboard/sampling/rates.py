"""Records per second, from counters that stand still, jump back and move to other workers. Decisions over values."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from dashboard.sampling.exposition import Counter

# A worker that has been silent for longer is not expected back with the same counts.
_FORGET_AFTER = 3600.0


@dataclass(frozen=True, slots=True)
class Flow:
    """Records per second."""

    into: float
    out: float


@dataclass(frozen=True, slots=True)
class Standing:
    """Where each counter stood when it was last told, and the moment, in seconds; and when a scrape was last read at all."""

    counters: Mapping[Counter, tuple[float, float]]
    at: float


def flows(before: Standing | None, told: Mapping[Counter, float], at: float) -> tuple[dict[str, Flow], Standing]:
    """Of each connector that tells a counter; none at all at the first look. A counter that is new has begun since the last look,
    and one that stands lower than it did has begun again: both at 0 (docs/metrics.md)."""
    found: dict[str, Flow] = {}
    if before is not None and at > before.at:
        sums: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        for counter, value in told.items():
            stood, then = before.counters.get(counter, (0.0, before.at))
            grown = value - stood if value >= stood else value
            sums[counter.connector][counter.outward] += grown / (at - then)
        found = {connector: Flow(round(into, 3), round(out, 3)) for connector, (into, out) in sums.items()}
    kept = {counter: stood for counter, stood in (before.counters if before else {}).items() if at - stood[1] < _FORGET_AFTER}
    return found, Standing({**kept, **{counter: (value, at) for counter, value in told.items()}}, at)
