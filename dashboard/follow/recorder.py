"""Writing down what a cluster told: its connectors, and how the last attempt to ask it went."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db import transaction

from connect_client import Connector, ConnectorStatus
from connect_client.shapes import Json
from connect_client.states import connector_failed, overall_state, tasks_failed
from connect_client.traces import root_cause
from dashboard import versions
from dashboard.failures.kinds import kind
from dashboard.fleet.clusters import SILENCE
from dashboard.history.changes import changes
from dashboard.models import Cluster, ClusterSnapshot, ConnectorSnapshot, Gap, StateChange

# How exact the age of unchanged data has to be is not worth a write per second.
_NOTE_EVERY = timedelta(seconds=5)
_BATCH = 500
_SEEN_FIELDS = ("info", "status", "state", "tasks", "tasks_failed", "connector_failed", "state_since", "changed_at", "version")


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a listing changed: the rows as they now are, and the names that are gone."""

    rows: tuple[ConnectorSnapshot, ...] = ()
    gone: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.rows or self.gone)


class Recorder:
    """Of one cluster. Holds what is in the database, so that an unchanged list costs no query; belongs to one thread."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._known: dict[str, ConnectorSnapshot] | None = None
        self._snapshot: ClusterSnapshot | None = None

    def forget(self) -> None:
        """After a failed write: what is held may not be what is stored."""
        self._known = self._snapshot = None

    def listing(self, entries: Mapping[str, Json], now: datetime) -> Recorded:
        """The cluster answered with these connectors."""
        first = self._known is None
        known = self._load()
        changed = [name for name, entry in entries.items() if name not in known or not _same(known[name], entry)]
        gone = tuple(name for name in known if name not in entries)
        rows = tuple(self._row(name, entries[name], now) for name in changed)
        if first or rows or gone:
            history = [*self._changes_of(rows, now), *self._ends_of(gone, now)]
            with transaction.atomic():
                self._write(rows, gone)
                StateChange.objects.bulk_create(history, batch_size=_BATCH)
                versions.seen(self._cluster, _new_configs(entries, entries if first else changed, {} if first else known), now)
                self._note(now, reached=True)
            self._known = {name: row for name, row in known.items() if name in entries} | {row.name: row for row in rows}
        else:
            self._note_sometimes(now)
        return Recorded(rows, gone)

    def unchanged(self, now: datetime) -> None:
        """The cluster answered that the last list still holds."""
        self._note_sometimes(now)

    def reached(self, version: str | None, now: datetime) -> None:
        """The cluster answers, for the first time or again. `version` None: it did not tell, what it told before is kept."""
        self._note(now, reached=True, version=version)

    def unreachable(self, error: str, now: datetime) -> None:
        snapshot = self._load_snapshot()
        if snapshot.unreachable_since is None or snapshot.error != error or now - snapshot.checked_at >= _NOTE_EVERY:
            self._note(now, reached=False, error=error)

    def _load(self) -> dict[str, ConnectorSnapshot]:
        if self._known is None:
            self._known = {row.name: row for row in ConnectorSnapshot.objects.filter(cluster=self._cluster)}
        return self._known

    def _load_snapshot(self) -> ClusterSnapshot:
        if self._snapshot is None:
            stored = ClusterSnapshot.objects.filter(cluster=self._cluster).first()
            # Long ago, so that whatever is noted first is written.
            self._snapshot = stored or ClusterSnapshot(cluster=self._cluster, checked_at=datetime.min.replace(tzinfo=UTC))
        return self._snapshot

    def _row(self, name: str, entry: Json, now: datetime) -> ConnectorSnapshot:
        status = Connector.from_json(name, entry).status
        state = overall_state(status)
        before = self._load().get(name)
        if before is not None and before.state == state:
            since = before.state_since
        else:
            # What was there when the cluster was first read has been in its state for nobody knows how long.
            since = None if before is None and self._load_snapshot().fetched_at is None else now
        return ConnectorSnapshot(
            cluster=self._cluster,
            name=name,
            info=entry.get("info"),
            status=entry.get("status"),
            state=state,
            tasks=len(status.tasks) if status else 0,
            tasks_failed=tasks_failed(status),
            connector_failed=connector_failed(status),
            state_since=since,
            changed_at=now,
        )

    def _write(self, rows: Iterable[ConnectorSnapshot], gone: Iterable[str]) -> None:
        ConnectorSnapshot.objects.bulk_create(
            rows, batch_size=_BATCH, update_conflicts=True, unique_fields=("cluster", "name"), update_fields=_SEEN_FIELDS
        )
        ConnectorSnapshot.objects.filter(cluster=self._cluster, name__in=gone).delete()

    def _changes_of(self, rows: Iterable[ConnectorSnapshot], now: datetime) -> Iterator[StateChange]:
        known = self._load()
        for row in rows:
            before = known.get(row.name)
            yield from self._history(row.name, before.status if before else None, row.status, now)

    def _ends_of(self, gone: Iterable[str], now: datetime) -> Iterator[StateChange]:
        for name in gone:
            yield from self._history(name, self._load()[name].status, None, now)

    def _history(self, name: str, before: Json | None, after: Json | None, now: datetime) -> Iterator[StateChange]:
        for change in changes(_status(before), _status(after)):
            yield StateChange(
                cluster=self._cluster,
                connector=name,
                task=change.task,
                was=change.was,
                state=change.state,
                worker=change.worker,
                cause=root_cause(change.trace),
                kind=kind(change.trace),
                trace=change.trace,
                at=now,
            )

    def _note_sometimes(self, now: datetime) -> None:
        snapshot = self._load_snapshot()
        if snapshot.unreachable_since is not None or now - snapshot.checked_at >= _NOTE_EVERY:
            self._note(now, reached=True)

    def _note(self, now: datetime, *, reached: bool, version: str | None = None, error: str = "") -> None:
        snapshot = self._load_snapshot()
        if reached:
            self._note_gap(snapshot, now)
        snapshot.checked_at = now
        snapshot.error = error
        if version is not None:
            snapshot.version = version
        if reached:
            snapshot.fetched_at, snapshot.unreachable_since = now, None
        else:
            snapshot.unreachable_since = snapshot.unreachable_since or now
        snapshot.save()

    def _note_gap(self, snapshot: ClusterSnapshot, now: datetime) -> None:
        """The cluster has been silent, or whoever listens to it: what happened in between is not known."""
        since = snapshot.fetched_at
        if since is None or snapshot.unreachable_since is not None or now - since > SILENCE:
            Gap.objects.create(cluster=self._cluster, since=since, until=now, error=snapshot.error)


def _status(told: Json | None) -> ConnectorStatus | None:
    return ConnectorStatus.from_json(told) if told else None


def _new_configs(
    entries: Mapping[str, Json], names: Iterable[str], known: Mapping[str, ConnectorSnapshot]
) -> dict[str, dict[str, str | None]]:
    """Of those that have another config than is known of them."""
    told = {name: (entries[name].get("info") or {}).get("config") for name in names}
    before = {name: (row.info or {}).get("config") for name, row in known.items()}
    return {name: config for name, config in told.items() if config is not None and config != before.get(name)}


def _same(row: ConnectorSnapshot, entry: Json) -> bool:
    return bool(row.status == entry.get("status") and row.info == entry.get("info"))
