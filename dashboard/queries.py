"""From the database to what a page shows. Never asks a cluster: a page about a dead one is as quick as any."""

from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Count

from connect_client import Connector, ConnectorStatus, Instance
from connect_client.shapes import Json
from connect_client.states import State, overall_state
from dashboard.fleet.clusters import ClusterView, Contact, contact
from dashboard.fleet.connector_page import ConnectorPage, Tab, connector_page
from dashboard.fleet.overlay import Seen, restart_pending
from dashboard.fleet.rows import Automatic, Row, row
from dashboard.models import Cluster, ClustersFile, ClusterSnapshot, ConnectorSnapshot, GroupSnapshot, OffsetChange
from dashboard.offsets.changes import Change
from dashboard.offsets.history import Deed, Outcome, Past
from dashboard.offsets.partitions import key
from dashboard.placement import memory
from dashboard.placement.page import WorkersPage, cluster_workers
from dashboard.placement.panels import Known
from dashboard.placement.roster import Roster, from_statuses
from dashboard.placement.shown import Shown
from dashboard.registry.flags import flags
from dashboard.registry.origin import why_fixed
from dashboard.registry.page import ClustersPage
from dashboard.registry.page import Line as RegistryLine
from dashboard.rights.roles import Rights, Role

_CHANGES_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Sight:
    """A connector as it is to be shown now: the answer to a restart, for a moment, or what was last seen."""

    connector: Connector
    state: State
    since: datetime | None


def clusters(now: datetime, has: Rights) -> dict[int, ClusterView]:
    """Those of which something may be seen."""
    every = Cluster.objects.select_related("snapshot").order_by("name")
    return {cluster.pk: cluster_view(cluster, now) for cluster in every if has.sees(cluster.name)}


def any_cluster() -> bool:
    return Cluster.objects.exists()


def cluster_view(cluster: Cluster, now: datetime) -> ClusterView:
    snapshot: ClusterSnapshot | None = getattr(cluster, "snapshot", None)
    view = ClusterView(cluster.name, cluster.url, "", Contact.AWAITED, None, None, "", flags(cluster))
    if snapshot is None:
        return view
    kind = contact(snapshot.fetched_at, snapshot.checked_at, snapshot.unreachable_since, now)
    since = snapshot.checked_at if kind is Contact.UNFOLLOWED else snapshot.unreachable_since
    return replace(
        view, version=snapshot.version, contact=kind, fetched_at=snapshot.fetched_at, since=since, error=snapshot.error
    )


def registry(now: datetime) -> ClustersPage:
    """Every cluster, for those who look after them."""
    every = Cluster.objects.select_related("snapshot").annotate(holds=Count("connectors")).order_by("name")
    lines = tuple(
        RegistryLine(cluster_view(cluster, now), tuple(cluster.urls), cluster.origin, cluster.holds, why_fixed(cluster))
        for cluster in every
    )
    file = ClustersFile.objects.first()
    return ClustersPage(lines, file.path, tuple(file.trouble.splitlines())) if file else ClustersPage(lines)


def workers(shown: Shown, now: datetime, has: Rights) -> WorkersPage:
    columns = (
        "cluster_id",
        "name",
        "status",
        "state_since",
        "changed_at",
        "restart_asked_at",
        "restart_answered_at",
        "restart_answer",
    )
    connectors: defaultdict[int, dict[str, Known]] = defaultdict(dict)
    known_clusters = clusters(now, has)
    for snapshot in ConnectorSnapshot.objects.filter(cluster__in=known_clusters).only(*columns):
        if not has.may(Role.VIEWER, known_clusters[snapshot.cluster_id].name, snapshot.name):
            continue
        status, _ = _told(snapshot, known_clusters[snapshot.cluster_id], now)
        known = Known(snapshot.pk, snapshot.name, ConnectorStatus.from_json(status) if status else None)
        connectors[snapshot.cluster_id][snapshot.name] = known
    told = {group.pk: _roster(group) for group in GroupSnapshot.objects.all()}
    parts = []
    for pk, cluster in known_clusters.items():
        here = connectors[pk]
        if pk in told:
            roster = told[pk].only(here, whole=has.everywhere(Role.VIEWER))
        else:
            roster = from_statuses(one.status for one in here.values() if one.status)
        parts.append(cluster_workers(cluster, roster, here, shown, now))
    return WorkersPage(tuple(parts), now)


def _roster(group: GroupSnapshot) -> Roster:
    seen = tuple(memory.Seen.from_json(worker) for worker in group.workers)
    return Roster(True, seen, tuple(Instance(connector, task) for connector, task in group.moving))


def sight(snapshot: ConnectorSnapshot, cluster: ClusterView, now: datetime) -> Sight:
    status, since = _told(snapshot, cluster, now)
    connector = Connector.from_json(snapshot.name, {"info": snapshot.info, "status": status})
    return Sight(connector, overall_state(connector.status), since)


def _told(snapshot: ConnectorSnapshot, cluster: ClusterView, now: datetime) -> tuple[Json | None, datetime | None]:
    """The status that is to be shown now, and since when it is so."""
    seen = Seen(snapshot.changed_at, snapshot.restart_asked_at, snapshot.restart_answered_at, cluster.fetched_at)
    if restart_pending(seen, now):
        return snapshot.restart_answer, snapshot.restart_asked_at
    return snapshot.status, snapshot.state_since


def connector(snapshot: ConnectorSnapshot, tab: Tab, now: datetime) -> ConnectorPage:
    cluster = cluster_view(snapshot.cluster, now)
    seen = sight(snapshot, cluster, now)
    return connector_page(snapshot.pk, cluster, seen.connector, seen.state, seen.since, tab=tab)


def offset_changes(snapshot: ConnectorSnapshot) -> tuple[Past, ...]:
    """What was done to the connector's offsets, the newest first."""
    found = OffsetChange.objects.filter(cluster=snapshot.cluster, connector=snapshot.name).order_by("-asked_at", "-pk")
    return tuple(past(change) for change in found[:_CHANGES_SHOWN])


def offset_change(snapshot: ConnectorSnapshot, id: str) -> Past | None:
    found = OffsetChange.objects.filter(cluster=snapshot.cluster, connector=snapshot.name)
    change = found.filter(pk=int(id)).first() if id.isdecimal() else None
    return past(change) if change else None


def past(change: OffsetChange) -> Past:
    after = {key(item["partition"]): item["offset"] for item in change.after}
    changes = (Change(item["partition"], item["offset"], after.get(key(item["partition"]))) for item in change.before)
    deed, outcome = Deed(change.deed), Outcome(change.outcome)
    return Past(change.pk, change.asked_at, change.by, deed, outcome, change.message, tuple(changes))


def one_row(
    snapshot: ConnectorSnapshot, cluster: ClusterView, now: datetime, *, tall: bool = False, automatic: Automatic | None = None
) -> Row:
    seen = sight(snapshot, cluster, now)
    return row(snapshot.pk, cluster, seen.connector, seen.state, seen.since, tall=tall, automatic=automatic)
