"""From the database to the activities of a page. What their reader may not see is not among them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from dashboard.activities.differences import Difference, differences, masked
from dashboard.activities.query import PAGE_SIZE, ActivityQuery
from dashboard.models import Activity
from dashboard.rights.roles import Rights, Role
from dashboard.rights.where import where

_SUBJECTS = ("user", "name", "address", "about")


@dataclass(frozen=True, slots=True)
class Reader:
    """Who looks, and what they may see."""

    name: str
    has: Rights

    def condition(self) -> Q:
        """One's own, and what was done to connectors that one may see. What was done to clusters and people is for
        administrators, jobs for whoever sees everything."""
        if self.has.everywhere(Role.ADMIN):
            return Q()
        of_connectors = where(self.has, Role.VIEWER, cluster="cluster") & ~Q(connector="")
        of_jobs = Q(job__isnull=False) if self.has.everywhere(Role.VIEWER) else Q(pk__in=())
        return Q(by=self.name) | of_connectors | of_jobs


@dataclass(frozen=True, slots=True)
class Line:
    id: int
    at: datetime
    by: str
    via: str
    what: str
    cluster: str
    connector: str
    task: int | None
    job: int | None
    outcome: str
    message: str
    differences: tuple[Difference, ...]

    @property
    def about(self) -> str:
        """Whom or what it was done to, where that is no connector."""
        found = () if self.connector else (one for one in self.differences if one.key in _SUBJECTS)
        return ", ".join(one.after or one.before or "" for one in found)

    @property
    def details(self) -> tuple[Difference, ...]:
        """What `about` does not say already."""
        told = self.about and not self.cluster and all(one.key in _SUBJECTS for one in self.differences)
        return () if told else self.differences


@dataclass(frozen=True, slots=True)
class ActivityPage:
    """`newest`: the id of the newest one that there was when the page was first drawn; `new`: how many have come since."""

    query: ActivityQuery
    lines: tuple[Line, ...]
    matches: int
    newest: int
    new: int
    verbs: tuple[str, ...]
    clusters: tuple[str, ...]

    @property
    def pages(self) -> int:
        return max(1, -(-self.matches // PAGE_SIZE))

    @property
    def previous(self) -> str:
        return self.query.turned(self.query.page - 1).address if self.query.page > 1 else ""

    @property
    def next(self) -> str:
        return self.query.turned(self.query.page + 1).address if self.query.page < self.pages else ""


def matching(query: ActivityQuery, reader: Reader) -> QuerySet[Activity]:
    """The newest first."""
    texts = {"by": query.person, "verb": query.verb, "cluster": query.cluster, "outcome": query.outcome}
    found = Activity.objects.filter(reader.condition(), **{name: text for name, text in texts.items() if text})
    if query.connector:
        found = found.filter(connector__icontains=query.connector)
    if query.since:
        found = found.filter(at__gte=query.since)
    if query.until:
        found = found.filter(at__lt=query.until)
    return found.order_by("-pk")


def activity(query: ActivityQuery, reader: Reader) -> ActivityPage:
    found = matching(query, reader)
    newest = query.newest if query.newest is not None else found.values_list("pk", flat=True).first() or 0
    still = found.filter(pk__lte=newest)
    matches = still.count()
    start = (query.page - 1) * PAGE_SIZE
    every = Activity.objects.filter(reader.condition())
    return ActivityPage(
        query=query,
        lines=tuple(_line(one) for one in still[start : start + PAGE_SIZE]),
        matches=matches,
        newest=newest,
        new=found.filter(pk__gt=newest).count(),
        verbs=tuple(sorted(set(every.values_list("verb", flat=True).distinct()))),
        clusters=tuple(sorted(set(every.exclude(cluster="").values_list("cluster", flat=True).distinct()))),
    )


def told(one: Activity) -> dict[str, Any]:
    """As it goes into a file or an answer."""
    return {
        "id": one.pk,
        "at": one.at.isoformat(),
        "person": one.by,
        "via": one.via,
        "verb": one.verb,
        "cluster": one.cluster or None,
        "connector": one.connector or None,
        "task": one.task,
        "job": one.job,
        "outcome": one.outcome,
        "message": one.message or None,
        "before": masked(one.before),
        "after": masked(one.after),
    }


def all_told(query: ActivityQuery, reader: Reader) -> Iterator[dict[str, Any]]:
    """One by one: a year may be long."""
    return (told(one) for one in matching(query, reader).iterator(chunk_size=500))


def _line(one: Activity) -> Line:
    return Line(
        one.pk,
        one.at,
        one.by,
        one.via,
        one.verb.replace("-", " "),
        one.cluster,
        one.connector,
        one.task,
        one.job,
        one.outcome,
        one.message,
        differences(one.before, one.after),
    )
