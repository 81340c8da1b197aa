"""Whose turn it is: which of the connectors that wait are asked for next, and which are not asked for at all."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol, TypeVar

from dashboard.jobs.verbs import JobVerb, Nothing, Options, What, what_of
from dashboard.jobs.watch import Sight

# A restart of which nothing is seen, because it was too quick or takes long, gives its place to the next.
PLACE = timedelta(seconds=3)
# How long a job waits for a cluster that cannot be reached.
PATIENCE = timedelta(seconds=30)


class Waiting(Protocol):
    cluster_name: str
    next_try_at: datetime | None


@dataclass(frozen=True, slots=True)
class Ask:
    what: What


@dataclass(frozen=True, slots=True)
class Later:
    """Its cluster may come back."""


@dataclass(frozen=True, slots=True)
class Over:
    """There is nothing to ask for any more, and that is well."""

    why: str


@dataclass(frozen=True, slots=True)
class Never:
    why: str


Turn = Ask | Later | Over | Never
W = TypeVar("W", bound=Waiting)


def due(waiting: Iterable[W], taken: Counter[str], at_once: int, now: datetime) -> Iterator[W]:
    """As many of each cluster as there are places left in it; `taken`: by cluster, how many there are not."""
    taken = taken.copy()
    for item in waiting:
        if taken[item.cluster_name] < at_once and (item.next_try_at is None or item.next_try_at <= now):
            taken[item.cluster_name] += 1
            yield item


def holds_place(asked_at: datetime | None, back_after: float | None, now: datetime) -> bool:
    """Of one that its cluster has taken on: whether another one has to wait for it."""
    return back_after is None and asked_at is not None and now - asked_at < PLACE


def turn(verb: JobVerb, options: Options, what: What, sight: Sight, started_at: datetime, now: datetime) -> Turn:
    """Decided anew just before it is asked for: it may run again by now, or be gone. Nothing is asked for that was not in `what`,
    which is what somebody has agreed to."""
    if sight.dead_since is not None:
        patient = now - max(sight.dead_since, started_at) <= PATIENCE
        return Later() if patient else Never("Its cluster cannot be reached. It was not asked for")
    if not sight.there:
        return Over("It is deleted already") if verb is JobVerb.DELETE else Never("It has been deleted meanwhile")
    fresh = what_of(verb, options, sight.status)
    if isinstance(fresh, Nothing):
        return Over(f"It {fresh.reason}")
    if verb is not JobVerb.RESTART:
        return Ask(fresh)
    narrowed = What(what.connector and fresh.connector, tuple(task for task in fresh.tasks if task in what.tasks))
    return Ask(narrowed) if narrowed.count else Over("What had failed of it has not failed any more")
