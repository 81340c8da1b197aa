"""Which connectors somebody means, of those that he may see: by a filter of the fleet, by their ids, or by their names."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db.models import Q, QuerySet

from connect_client import ConnectorStatus
from connect_client.states import State
from dashboard import queries
from dashboard.fleet.query import FleetQuery
from dashboard.fleet_queries import matching
from dashboard.jobs.preview import Candidate
from dashboard.jobs.verbs import JobVerb, Options
from dashboard.models import ConnectorSnapshot
from dashboard.rights.roles import Rights, Role

# Fewer than a database takes parameters in one query.
_IDS = 5_000


def by_ids(ids: Sequence[int], rights: Rights, now: datetime) -> list[Candidate]:
    rows = [row for start in range(0, len(ids), _IDS) for row in _seen().filter(pk__in=ids[start : start + _IDS])]
    return _candidates(rows, rights, now)


def by_filter(query: FleetQuery, verb: JobVerb, options: Options, rights: Rights, now: datetime) -> list[Candidate]:
    """Without what has not failed, if that is all that the verb is about: nobody asked for those to be told of. None of a filter
    that is not understood: without that part of it, it would mean more."""
    if query.problems:
        return []
    ids = matching(query, rights, now)
    if verb is JobVerb.RESTART and options.only_failed:
        failed = set(
            ConnectorSnapshot.objects.filter(Q(tasks_failed__gt=0) | Q(connector_failed=True)).values_list("pk", flat=True)
        )
        ids = [id for id in ids if id in failed]
    return by_ids(ids, rights, now)


def by_names(names: Iterable[tuple[str, str]], rights: Rights, now: datetime) -> tuple[list[Candidate], list[tuple[str, str]]]:
    """`(cluster, name)` of each. What there is, and the names of what there is not."""
    wanted = list(dict.fromkeys(names))
    found: dict[tuple[str, str], int] = {}
    for start in range(0, len(wanted), _IDS):
        part = [name for _, name in wanted[start : start + _IDS]]
        for pk, cluster, name in ConnectorSnapshot.objects.filter(name__in=part).values_list("pk", "cluster__name", "name"):
            found[cluster, name] = pk
    candidates = by_ids([found[key] for key in wanted if key in found], rights, now)
    seen = {(candidate.cluster, candidate.name) for candidate in candidates}
    return candidates, [key for key in wanted if key not in seen]


def _seen() -> QuerySet[ConnectorSnapshot]:
    return ConnectorSnapshot.objects.only("pk", "cluster_id", "name", "state", "status").order_by("name", "cluster_id")


def _candidates(rows: Iterable[ConnectorSnapshot], rights: Rights, now: datetime) -> list[Candidate]:
    clusters = queries.clusters(now, rights)
    return [
        Candidate(
            row.pk,
            cluster.name,
            cluster.reachable,
            row.name,
            State(row.state),
            ConnectorStatus.from_json(row.status) if row.status else None,
            cluster.version,
        )
        for row in rows
        if (cluster := clusters.get(row.cluster_id)) and rights.may(Role.VIEWER, cluster.name, row.name)
    ]
