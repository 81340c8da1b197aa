"""From the database to what has been of a connector."""

from dataclasses import dataclass
from datetime import datetime

from connect_client import ConnectorStatus
from connect_client.states import State
from dashboard.failures.groups import Failed, Group, groups
from dashboard.failures.queries import failing_of
from dashboard.fleet.clusters import Contact
from dashboard.history.events import Done, EventsPage, Some, Turned, interleaved, together
from dashboard.history.overview import Overview, overview
from dashboard.history.timeline import Turn, Unknown, bands
from dashboard.history.windows import Window
from dashboard.models import Activity, ConnectorSnapshot, Gap, OffsetChange, StateChange
from dashboard.offsets.history import Deed
from dashboard.queries import cluster_view

_PAGE = 100


@dataclass(frozen=True, slots=True)
class Changes:
    """The newest first. `next`: the moment to go on before; None where there are no older ones."""

    changes: tuple[StateChange, ...]
    next: datetime | None


def changes(
    cluster: str, connector: str, *, before: datetime | None = None, after: datetime | None = None, limit: int = 100
) -> Changes | None:
    """None if nobody has ever seen such a connector. What has been of one that is gone is still there."""
    of_it = StateChange.objects.filter(cluster__name=cluster, connector=connector).order_by("-at", "-pk")
    found = of_it
    if before is not None:
        found = found.filter(at__lt=before)
    if after is not None:
        found = found.filter(at__gte=after)
    page = list(found[: limit + 1])
    if len(page) > limit:
        last = page[limit - 1].at
        # A whole moment: the next page begins before it.
        page = [*[change for change in page[:limit] if change.at > last], *found.filter(at=last)]
        return Changes(tuple(page), last if found.filter(at__lt=last).exists() else None)
    if not page and not of_it.exists() and not ConnectorSnapshot.objects.filter(cluster__name=cluster, name=connector).exists():
        return None
    return Changes(tuple(page), None)


def of_connector(snapshot: ConnectorSnapshot, window: Window, now: datetime) -> Overview:
    """What its page begins with. The snapshot comes with its cluster loaded."""
    start = window.start(now)
    of_it = StateChange.objects.filter(cluster=snapshot.cluster, connector=snapshot.name, at__gte=start)
    rows = list(of_it.order_by("at", "pk").values_list("at", "task", "was", "state", "cause", "kind"))
    turns = [Turn(at, task, was, state, cause) for at, task, was, state, cause, _ in rows]
    failures = _failures(snapshot, [(at, cause, kind) for at, _, _, state, cause, kind in rows if state == State.FAILED])
    every = bands(turns, _present(snapshot), _unknown(snapshot, start, now), start, now)
    return overview(window, now, every, turns, failures)


def _present(snapshot: ConnectorSnapshot) -> dict[int | None, str]:
    if not snapshot.status:
        return {}
    status = ConnectorStatus.from_json(snapshot.status)
    return {None: status.connector.state, **{task.id: task.state for task in status.tasks}}


def _unknown(snapshot: ConnectorSnapshot, start: datetime, now: datetime) -> list[Unknown]:
    gaps = Gap.objects.filter(cluster=snapshot.cluster, until__gt=start).order_by("until")
    past = [Unknown(gap.since, gap.until, gap.error) for gap in gaps]
    cluster = cluster_view(snapshot.cluster, now)
    lasts = cluster.contact in (Contact.UNREACHABLE, Contact.UNFOLLOWED)
    return [*past, Unknown(cluster.fetched_at, now, cluster.error)] if lasts else past


def _failures(snapshot: ConnectorSnapshot, failures: list[tuple[datetime, str, str]]) -> tuple[Group, ...]:
    """In the order of time."""
    cluster = snapshot.cluster.name
    past: dict[str, Failed] = {}
    for at, cause, kind in failures:
        before = past.get(kind)
        times, first = (before.times, before.first) if before else (0, at)
        past[kind] = Failed(cluster, snapshot.name, kind, cause, times + 1, first, at)
    return groups(failing_of(cluster, snapshot.name, snapshot.status), past.values(), now_only=False)


def events(snapshot: ConnectorSnapshot, before: datetime | None) -> EventsPage:
    """What happened to it and what was done to it, a page of it."""
    return interleaved(
        (_turned(snapshot, before), _done(snapshot, before), _offset_changes(snapshot, before)), first=before is None
    )


def _turned(snapshot: ConnectorSnapshot, before: datetime | None) -> Some:
    found = changes(snapshot.cluster.name, snapshot.name, before=before, limit=_PAGE)
    turns = [
        Turned(
            change.at,
            None if change.task is None else (change.task,),
            change.was,
            change.state,
            change.cause,
            change.worker,
        )
        for change in (found.changes if found else ())
    ]
    return Some(together(turns), found.next if found else None)


def _done(snapshot: ConnectorSnapshot, before: datetime | None) -> Some:
    rows = Activity.objects.filter(cluster=snapshot.cluster.name, connector=snapshot.name).order_by("-at", "-pk")
    # `_offset_changes` knows them, and also those that nobody was left to note the end of. What resources do is not among those.
    rows = rows.exclude(via__in=("ui", "api"), verb__in=[deed.verb for deed in Deed])
    page = list(rows.filter(at__lt=before)[: _PAGE + 1] if before else rows[: _PAGE + 1])
    done = [
        Done(row.at, row.by, row.via, row.verb.replace("-", " "), row.task, row.job, row.outcome, row.message)
        for row in page[:_PAGE]
    ]
    return Some(done, done[-1].at if len(page) > _PAGE else None)


def _offset_changes(snapshot: ConnectorSnapshot, before: datetime | None) -> Some:
    rows = OffsetChange.objects.filter(cluster=snapshot.cluster, connector=snapshot.name).order_by("-asked_at", "-pk")
    page = list(rows.filter(asked_at__lt=before)[: _PAGE + 1] if before else rows[: _PAGE + 1])
    done = [
        Done(
            row.asked_at,
            row.by,
            "ui",
            Deed(row.deed).verb.replace("-", " "),
            outcome=row.outcome,
            message="" if row.outcome == "done" else row.message,
        )
        for row in page[:_PAGE]
    ]
    return Some(done, done[-1].at if len(page) > _PAGE else None)
