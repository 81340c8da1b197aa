"""The connectors of all clusters in this process's memory, brought up to date whenever they are looked for.

What is in the database is the truth: a page asks it for one number a cluster, and reads the rows behind those that have changed.
"""

import threading
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cache

from django.db.models import QuerySet, Sum

from connect_client.states import State
from dashboard.fleet.entries import Entry, entry
from dashboard.fleet.sentence import Tally
from dashboard.models import ConnectorSnapshot
from dashboard.plugins import passwords_in

_COLUMNS = ("pk", "version", "cluster_id", "name", "state", "tasks_failed", "connector_failed", "state_since", "changed_at")
_DOCUMENTS = ("info", "status")
#: Rows that are asked for by their ids; of more, all rows of their clusters are.
_BY_ID = 500


class Index:
    """Thread-safe. `entries` takes one query where nothing has changed since it was last asked, and four where something has."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # By cluster: its name and the sum of its rows' versions, and the rows by id. A mark is never newer than the rows.
        self._marks: dict[int, tuple[str, int]] = {}
        self._entries: dict[int, dict[int, Entry]] = {}

    def entries(self, names: Mapping[int, str]) -> list[Entry]:
        """Of the clusters with these names, by id."""
        with self._lock:
            marks = {pk: (names[pk], total) for pk, total in _sums() if pk in names}
            changed = [pk for pk, mark in marks.items() if self._marks.get(pk) != mark]
            if changed:
                self._read(changed, names)
            self._marks = marks
            self._entries = {pk: self._entries[pk] for pk in marks}
            return [entry for pk in marks for entry in self._entries[pk].values()]

    def _read(self, clusters: list[int], names: Mapping[int, str]) -> None:
        there = dict(_rows(clusters).values_list("pk", "version"))
        kept = {
            pk: {id: held for id, held in self._entries.get(pk, {}).items() if _holds(held, there.get(id), names[pk])}
            for pk in clusters
        }
        missing = there.keys() - {id for held in kept.values() for id in held}
        passwords = passwords_in(clusters)
        rows = ConnectorSnapshot.objects.filter(pk__in=missing) if len(missing) <= _BY_ID else _rows(clusters)
        for id, version, cluster, name, state, tasks_failed, connector_failed, *seen in rows.values_list(*_COLUMNS, *_DOCUMENTS):
            since, changed_at, info, status = seen
            tally = Tally(State(state), tasks_failed, connector_failed)
            kept[cluster][id] = entry(
                id, version, names[cluster], name, tally, since, changed_at, info, status, passwords[cluster]
            )
        self._entries |= kept


@cache
def index() -> Index:
    """This process's own."""
    return Index()


def asked_to_restart(since: datetime) -> Iterable[tuple[int, int, datetime, datetime | None, datetime | None]]:
    """Connectors whose restart was answered after `since`: id, cluster's id, when a change was last seen, when it was asked for,
    and when that was answered."""
    asked = ConnectorSnapshot.objects.filter(restart_answered_at__gt=since)
    return asked.values_list("pk", "cluster_id", "changed_at", "restart_asked_at", "restart_answered_at")


def _sums() -> Iterable[tuple[int, int]]:
    return ConnectorSnapshot.objects.order_by().values_list("cluster_id").annotate(Sum("version"))


def _rows(clusters: list[int]) -> QuerySet[ConnectorSnapshot]:
    return ConnectorSnapshot.objects.filter(cluster__in=clusters)


def _holds(held: Entry, version: int | None, cluster: str) -> bool:
    return held.version == version and held.cluster == cluster
