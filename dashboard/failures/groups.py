"""Failures grouped by kind. Decisions over values."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from dashboard.failures.kinds import class_of, literal
from dashboard.fleet.sentence import count

MOST_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Failing:
    """The connector instance (`task` None) or a task that is FAILED now."""

    cluster: str
    connector: str
    task: int | None
    kind: str
    cause: str


@dataclass(frozen=True, slots=True)
class Failed:
    """How often a connector was seen to fail in one way, `times` of it lately; `cause` is that of the last."""

    cluster: str
    connector: str
    kind: str
    cause: str
    times: int
    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True)
class Hit:
    """A connector that a kind of failure has hit. `now`: how many of its instances are FAILED of it; `tasks`: which tasks."""

    cluster: str
    connector: str
    now: int
    tasks: tuple[int, ...]
    times: int
    first: datetime | None
    last: datetime | None


@dataclass(frozen=True, slots=True)
class Group:
    """All of one kind. `kind` is empty for what told no trace. `first` and `last` are None where none was seen to begin."""

    kind: str
    cause: str
    hits: tuple[Hit, ...]

    @property
    def class_name(self) -> str:
        return class_of(self.cause)

    @property
    def message(self) -> str:
        """The cause without the class that stands before it."""
        return self.cause.partition(":")[2].strip() if self.class_name else self.cause

    @property
    def words(self) -> str:
        """To search the fleet by."""
        return literal(self.cause)

    @property
    def now(self) -> int:
        return sum(hit.now for hit in self.hits)

    @property
    def connectors_now(self) -> int:
        return sum(hit.now > 0 for hit in self.hits)

    @property
    def times(self) -> int:
        return sum(hit.times for hit in self.hits)

    @property
    def first(self) -> datetime | None:
        return min((hit.first for hit in self.hits if hit.first), default=None)

    @property
    def last(self) -> datetime | None:
        return max((hit.last for hit in self.hits if hit.last), default=None)

    @property
    def clusters(self) -> tuple[str, ...]:
        return tuple(sorted({hit.cluster for hit in self.hits}))

    @property
    def shown(self) -> tuple[Hit, ...]:
        return self.hits[:MOST_SHOWN]

    @property
    def more(self) -> int:
        return len(self.hits) - len(self.shown)


def groups(failing: Iterable[Failing], failed: Iterable[Failed], *, now_only: bool) -> tuple[Group, ...]:
    """Those that hurt most now come first, then the latest. `now_only` leaves out connectors that have recovered."""
    hurt: defaultdict[tuple[str, str, str], list[Failing]] = defaultdict(list)
    for one in failing:
        hurt[one.kind, one.cluster, one.connector].append(one)
    past = {(each.kind, each.cluster, each.connector): each for each in failed}
    of_kind: defaultdict[str, list[tuple[Hit, str]]] = defaultdict(list)
    for kind, cluster, connector in sorted(hurt.keys() | past.keys()):
        here, before = hurt.get((kind, cluster, connector), []), past.get((kind, cluster, connector))
        if here or (not now_only and before and before.times):
            cause = here[0].cause if here else before.cause if before else ""
            of_kind[kind].append((_hit(cluster, connector, here, before), cause))
    found = [_group(kind, hits) for kind, hits in of_kind.items()]
    return tuple(sorted(found, key=lambda group: (-group.now, -_seconds(group.last), group.kind)))


def headline(found: Iterable[Group], *, lately: str = "") -> str:
    """`lately`: of which time, in words; empty for now."""
    every = tuple(found)
    kinds, connectors = len(every), len({(hit.cluster, hit.connector) for group in every for hit in group.hits})
    if lately:
        failures = sum(group.times for group in every)
        return f"{count(failures, 'failure')} of {count(kinds, 'kind')} in {lately}" if every else f"Nothing failed in {lately}"
    failures = sum(group.now for group in every)
    if not every:
        return "Nothing has failed"
    return f"{failures:,} failed in {count(connectors, 'connector')}, for {count(kinds, 'reason')}"


def _group(kind: str, hits: list[tuple[Hit, str]]) -> Group:
    hits.sort(key=lambda hit: (-hit[0].now, -_seconds(hit[0].last), hit[0].cluster, hit[0].connector))
    return Group(kind, hits[0][1], tuple(hit for hit, _ in hits))


def _hit(cluster: str, connector: str, here: list[Failing], before: Failed | None) -> Hit:
    tasks = tuple(sorted(one.task for one in here if one.task is not None))
    times, first, last = (before.times, before.first, before.last) if before else (0, None, None)
    return Hit(cluster, connector, len(here), tasks, times, first, last)


def _seconds(moment: datetime | None) -> float:
    return moment.timestamp() if moment else 0.0
