"""From the database to what a page shows. Never asks a cluster: a page about a dead one is as quick as any."""

from collections import defaultdict
from collections.abc import Iterable, Set
from dataclasses import dataclass
from datetime import datetime

from connect_client import Connector, ConnectorStatus, Instance
from connect_client.shapes import Json
from dashboard.fleet import page as fleet_page
from dashboard.fleet.clusters import ClusterView, Contact, contact
from dashboard.fleet.connector_page import ConnectorPage, Tab, connector_page
from dashboard.fleet.order import Held, hold
from dashboard.fleet.overlay import Seen, restart_pending
from dashboard.fleet.page import FleetPage
from dashboard.fleet.query import PAGE_SIZE, FleetQuery
from dashboard.fleet.rows import Row, gone, row
from dashboard.fleet.sentence import Tally, summary
from dashboard.fleet.states import State, overall_state
from dashboard.models import Cluster, ClusterSnapshot, ConnectorSnapshot, GroupSnapshot
from dashboard.placement import memory
from dashboard.placement.page import WorkersPage, cluster_workers
from dashboard.placement.panels import Known
from dashboard.placement.roster import Roster, from_statuses
from dashboard.placement.shown import Shown


@dataclass(frozen=True, slots=True)
class Line:
    """A connector without its documents, for sorting and counting thousands of them."""

    id: int
    cluster: ClusterView
    name: str
    tally: Tally


@dataclass(frozen=True, slots=True)
class Sight:
    """A connector as it is to be shown now: the answer to a restart, for a moment, or what was last seen."""

    connector: Connector
    state: State
    since: datetime | None


def clusters(now: datetime) -> dict[int, ClusterView]:
    every = Cluster.objects.select_related("snapshot").order_by("name")
    return {cluster.pk: cluster_view(cluster, now) for cluster in every}


def cluster_view(cluster: Cluster, now: datetime) -> ClusterView:
    snapshot: ClusterSnapshot | None = getattr(cluster, "snapshot", None)
    if snapshot is None:
        return ClusterView(cluster.name, cluster.url, "", Contact.AWAITED, None, None, "")
    kind = contact(snapshot.fetched_at, snapshot.checked_at, snapshot.unreachable_since, now)
    since = snapshot.checked_at if kind is Contact.UNFOLLOWED else snapshot.unreachable_since
    return ClusterView(cluster.name, cluster.url, snapshot.version, kind, snapshot.fetched_at, since, snapshot.error)


def fleet(query: FleetQuery, now: datetime) -> FleetPage:
    known = clusters(now)
    lines = _lines(known, now)
    found = [line for line in lines if query.text.lower() in line.name.lower()]
    matching = [line for line in found if query.state is None or line.tally.state is query.state]
    matching.sort(key=lambda line: (line.tally.state.rank, line.name, line.cluster.name))
    held = _held(query, [line.id for line in matching])
    return FleetPage(
        query=query,
        clusters=tuple(known.values()),
        summary=summary(line.tally for line in lines),
        restartable=summary(line.tally for line in lines if line.cluster.reachable).failures,
        chips=fleet_page.chips(query, [line.tally.state for line in found]),
        rows=tuple(_rows(held.ids, query.tall, known, now)),
        matches=len(matching),
        changes=held.changes,
        pages=max(1, -(-len(matching) // PAGE_SIZE)),
    )


def workers(shown: Shown, now: datetime) -> WorkersPage:
    columns = ("cluster_id", "name", "status", "state_since", "changed_at", "restart_asked_at", "restart_answer")
    connectors: defaultdict[int, dict[str, Known]] = defaultdict(dict)
    for snapshot in ConnectorSnapshot.objects.only(*columns):
        status, _ = _told(snapshot, now)
        known = Known(snapshot.pk, snapshot.name, ConnectorStatus.from_json(status) if status else None)
        connectors[snapshot.cluster_id][snapshot.name] = known
    told = {group.pk: _roster(group) for group in GroupSnapshot.objects.all()}
    parts = []
    for pk, cluster in clusters(now).items():
        here = connectors[pk]
        roster = told.get(pk) or from_statuses(one.status for one in here.values() if one.status)
        parts.append(cluster_workers(cluster, roster, here, shown, now))
    return WorkersPage(tuple(parts), now)


def _roster(group: GroupSnapshot) -> Roster:
    seen = tuple(memory.Seen.from_json(worker) for worker in group.workers)
    return Roster(True, seen, tuple(Instance(connector, task) for connector, task in group.moving))


def sight(snapshot: ConnectorSnapshot, now: datetime) -> Sight:
    status, since = _told(snapshot, now)
    connector = Connector.from_json(snapshot.name, {"info": snapshot.info, "status": status})
    return Sight(connector, overall_state(connector.status), since)


def _told(snapshot: ConnectorSnapshot, now: datetime) -> tuple[Json | None, datetime | None]:
    """The status that is to be shown now, and since when it is so."""
    if restart_pending(Seen(snapshot.changed_at, snapshot.restart_asked_at), now):
        return snapshot.restart_answer, snapshot.restart_asked_at
    return snapshot.status, snapshot.state_since


def connector(snapshot: ConnectorSnapshot, tab: Tab, now: datetime) -> ConnectorPage:
    seen = sight(snapshot, now)
    return connector_page(snapshot.pk, cluster_view(snapshot.cluster, now), seen.connector, seen.state, seen.since, tab=tab)


def failed(now: datetime) -> list[ConnectorSnapshot]:
    """Connectors of which something has failed, where their cluster can be asked to do something about it."""
    reachable = [pk for pk, cluster in clusters(now).items() if cluster.reachable]
    broken = ConnectorSnapshot.objects.filter(state__in=(State.FAILED, State.DEGRADED), cluster__in=reachable)
    return list(broken.select_related("cluster"))


def one_row(snapshot: ConnectorSnapshot, cluster: ClusterView, now: datetime, *, tall: bool = False) -> Row:
    seen = sight(snapshot, now)
    return row(snapshot.pk, cluster, seen.connector, seen.state, seen.since, tall=tall)


def _lines(known: dict[int, ClusterView], now: datetime) -> list[Line]:
    columns = ("pk", "cluster_id", "name", "state", "tasks_failed", "connector_failed", "changed_at", "restart_asked_at")
    lines = []
    for pk, cluster, name, state, tasks, own, changed_at, asked_at in ConnectorSnapshot.objects.filter(
        cluster__in=known
    ).values_list(*columns):
        pending = restart_pending(Seen(changed_at, asked_at), now)
        tally = Tally(State.RESTARTING, 0, False) if pending else Tally(State(state), tasks, own)
        lines.append(Line(pk, known[cluster], name, tally))
    return lines


def _held(query: FleetQuery, matching: list[int]) -> Held:
    start = (query.page - 1) * PAGE_SIZE
    fresh = matching[start : start + PAGE_SIZE]
    return hold(fresh, query.shown, PAGE_SIZE) if query.shown else Held(tuple(fresh), 0)


def _rows(ids: Iterable[int], tall: Set[int], known: dict[int, ClusterView], now: datetime) -> Iterable[Row]:
    snapshots = ConnectorSnapshot.objects.in_bulk(list(ids))
    for id in ids:
        snapshot = snapshots.get(id)
        yield one_row(snapshot, known[snapshot.cluster_id], now, tall=id in tall) if snapshot else gone(id)
