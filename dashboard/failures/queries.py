"""From the database to the failures of the fleet. What its reader may not see is not among them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.db.models import Count, Max, Min, Q

from connect_client import ConnectorStatus, InstanceStatus, TaskStatus
from connect_client.shapes import Json
from connect_client.states import State, own_state
from connect_client.traces import root_cause
from dashboard.failures.groups import Failed, Failing, Group, groups, headline
from dashboard.failures.kinds import kind
from dashboard.fleet.clusters import ClusterView, troubled
from dashboard.fleet.overlay import Seen, restart_pending
from dashboard.history.windows import Window
from dashboard.models import Cluster, ConnectorSnapshot, StateChange
from dashboard.queries import cluster_view
from dashboard.rights.roles import Rights, Role

_BROKEN = Q(tasks_failed__gt=0) | Q(connector_failed=True)
# Of `dashboard.fleet.overlay.Seen`.
_SEEN = ("changed_at", "restart_asked_at", "restart_answered_at", "cluster__snapshot__fetched_at")


@dataclass(frozen=True, slots=True)
class FailuresQuery:
    """`window` None: what is FAILED now. `cluster` empty: of every cluster."""

    window: Window | None = None
    cluster: str = ""

    @property
    def address(self) -> str:
        """The query string that says the same."""
        pairs = {"window": self.window or "", "cluster": self.cluster}
        return "?" + urlencode({key: value for key, value in pairs.items() if value})


def parse(parameters: Mapping[str, str]) -> FailuresQuery:
    """Of anything that makes no sense, the usual is meant."""
    word = parameters.get("window", "")
    return FailuresQuery(Window(word) if word in list(Window) else None, parameters.get("cluster", ""))


@dataclass(frozen=True, slots=True)
class Choice:
    """A filter that can be put on."""

    words: str
    address: str
    on: bool


@dataclass(frozen=True, slots=True)
class FailuresPage:
    """`counted`: the time that `times` are of, in words."""

    query: FailuresQuery
    groups: tuple[Group, ...]
    clusters: tuple[ClusterView, ...]
    headline: str
    counted: str

    @property
    def troubled(self) -> tuple[ClusterView, ...]:
        return troubled([cluster for cluster in self.clusters if self.query.cluster in ("", cluster.name)])

    @property
    def windows(self) -> tuple[Choice, ...]:
        every = (("now", None), *((window.words, window) for window in (Window.DAY, Window.WEEK)))
        return tuple(
            Choice(words, FailuresQuery(window, self.query.cluster).address, window is self.query.window)
            for words, window in every
        )

    @property
    def places(self) -> tuple[Choice, ...]:
        """One cluster needs no choice."""
        if len(self.clusters) < 2:
            return ()
        names = ("", *(cluster.name for cluster in self.clusters))
        return tuple(
            Choice(name or "all clusters", FailuresQuery(self.query.window, name).address, name == self.query.cluster)
            for name in names
        )


def page(query: FailuresQuery, rights: Rights, now: datetime) -> FailuresPage:
    window = query.window or Window.DAY
    failing = [one for one in _failing(rights, now) if query.cluster in ("", one.cluster)]
    failed = _failed({one.kind for one in failing}, query, rights, window.start(now))
    found = groups(failing, failed, now_only=query.window is None)
    return FailuresPage(
        query, found, _clusters(rights, now), headline(found, lately=query.window.words if query.window else ""), window.words
    )


def _clusters(rights: Rights, now: datetime) -> tuple[ClusterView, ...]:
    """Those of which anything may be seen."""
    every = Cluster.objects.select_related("snapshot").order_by("name")
    seen = [cluster for cluster in every if any(given.cluster in (None, cluster.name) for given in rights.given)]
    return tuple(cluster_view(cluster, now) for cluster in seen)


def failed_now(rights: Rights, now: datetime) -> int:
    """How many instances are FAILED that are not being restarted."""
    columns = ("cluster__name", "name", "tasks_failed", "connector_failed", *_SEEN)
    broken = ConnectorSnapshot.objects.filter(_BROKEN).values_list(*columns)
    return sum(
        tasks + own
        for cluster, name, tasks, own, *seen in broken
        if rights.may(Role.VIEWER, cluster, name) and not restart_pending(Seen(*seen), now)
    )


def _failing(rights: Rights, now: datetime) -> Iterator[Failing]:
    columns = ("cluster__name", "name", "status", *_SEEN)
    for cluster, name, status, *seen in ConnectorSnapshot.objects.filter(_BROKEN).values_list(*columns):
        if rights.may(Role.VIEWER, cluster, name) and not restart_pending(Seen(*seen), now):
            yield from failing_of(cluster, name, status)


def failing_of(cluster: str, name: str, status: Json | None) -> Iterator[Failing]:
    """What of one connector is FAILED."""
    if not status:
        return
    told = ConnectorStatus.from_json(status)
    instances: list[tuple[int | None, InstanceStatus | TaskStatus]] = [
        (None, told.connector),
        *((task.id, task) for task in told.tasks),
    ]
    for task, instance in instances:
        if own_state(instance.state) is State.FAILED:
            yield Failing(cluster, name, task, kind(instance.trace), root_cause(instance.trace))


def _failed(kinds: set[str], query: FailuresQuery, rights: Rights, start: datetime) -> list[Failed]:
    every = StateChange.objects.filter(state=State.FAILED)
    if query.cluster:
        every = every.filter(cluster__name=query.cluster)
    of_these = Q(kind__in=kinds)
    if query.window:
        of_these |= Q(kind__in=every.filter(at__gte=start).values("kind"))
    counted = every.filter(of_these).values("kind", "cluster__name", "connector")
    rows = [
        row
        for row in counted.annotate(
            times=Count("pk", filter=Q(at__gte=start)), first=Min("at"), latest=Max("at"), sample=Max("pk")
        )
        if rights.may(Role.VIEWER, row["cluster__name"], row["connector"])
    ]
    causes = dict(StateChange.objects.filter(pk__in=[row["sample"] for row in rows]).values_list("pk", "cause"))
    return [
        Failed(
            cluster=row["cluster__name"],
            connector=row["connector"],
            kind=row["kind"],
            cause=causes.get(row["sample"], ""),
            times=row["times"],
            first=row["first"],
            last=row["latest"],
        )
        for row in rows
    ]
