"""From the database to what is decided over: policies, and connectors that have failed or were restarted lately."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from connect_client import ConnectorStatus
from connect_client.shapes import Json
from connect_client.states import State
from dashboard import queries
from dashboard.models import AutoRestart, Cluster, ConnectorSnapshot, Move, RestartOverride, RestartPolicy
from dashboard.moves.claims import UNENDED
from dashboard.restarting.decide import Condition, Kept, Schedule, Sight, condition
from dashboard.restarting.policies import Override, Policy, Subject
from dashboard.restarting.quiet import Quiet

#: A cluster's id, and a connector's name.
Key = tuple[int, str]
# SQLite takes so many values in one query.
_BATCH = 500


@dataclass(frozen=True, slots=True)
class Seen:
    """A connector as it was last seen. `changed_at`: when its status last became another one."""

    pk: int
    cluster: Cluster
    name: str
    subject: Subject
    condition: Condition
    changed_at: datetime
    asked_at: datetime | None

    @property
    def key(self) -> Key:
        return self.cluster.pk, self.name

    @property
    def sight(self) -> Sight:
        return Sight(self.condition, self.cluster.snapshot.fetched_at, self.asked_at)


def given_up() -> dict[tuple[str, str], datetime]:
    """Since when, by cluster's and connector's name; those that are well again since are among them for a while."""
    rows = AutoRestart.objects.exclude(gave_up_at=None).values_list("cluster__name", "connector", "gave_up_at")
    return {(cluster, name): at for cluster, name, at in rows if at}


def policies() -> tuple[Policy, ...]:
    """Those that are switched on, in their order."""
    return tuple(policy(row) for row in RestartPolicy.objects.filter(enabled=True).select_related("cluster"))


def policy(row: RestartPolicy) -> Policy:
    never = row.schedule == RestartPolicy.Schedule.NEVER
    quiet = None
    if row.quiet_from is not None and row.quiet_until is not None:
        quiet = Quiet(row.quiet_from, row.quiet_until, ZoneInfo(row.zone))
    return Policy(
        row.name,
        None if never else Schedule(row.schedule),
        row.max_restarts,
        quiet,
        row.cluster.name if row.cluster else None,
        row.pattern,
        row.class_pattern,
        row.text.lower(),
    )


def overrides() -> dict[Key, Override]:
    columns = ("cluster_id", "connector", "enabled", "max_restarts")
    found = RestartOverride.objects.values_list(*columns)
    return {(cluster, name): Override(enabled, limit) for cluster, name, enabled, limit in found}


def kept(row: AutoRestart | None) -> Kept:
    if row is None:
        return Kept()
    healthy = timedelta(seconds=row.healthy_seconds)
    return Kept(row.count, row.last_restart_at, healthy, row.looked_at, row.gave_up_at is not None)


def live_clusters(now: datetime) -> dict[int, Cluster]:
    """Of any other nothing is known at this moment."""
    every = Cluster.objects.select_related("snapshot")
    return {cluster.pk: cluster for cluster in every if queries.cluster_view(cluster, now).live}


def moving() -> set[tuple[str, str]]:
    """By the names of their clusters and their own: those on the way to another cluster, and what they become there."""
    columns = ("source_name", "connector", "target_name", "new_name")
    found = Move.objects.filter(state__in=UNENDED).values_list(*columns)
    return {key for source, name, target, new_name in found for key in ((source, name), (target, new_name))}


def texts_of(policies: Iterable[Policy]) -> frozenset[str]:
    return frozenset(policy.text for policy in policies if policy.text)


@dataclass(frozen=True, slots=True)
class Read:
    """What is read of a row once for each of its versions. `text`: those of the policies' texts that it failed with."""

    version: int
    class_name: str
    text: str
    condition: Condition


class Connectors:
    """Those that have failed, and those that something is kept of. Statuses are long: each is read once, when it has changed."""

    def __init__(self) -> None:
        self._texts: frozenset[str] = frozenset()
        self._read: dict[int, Read] = {}

    def seen(self, clusters: Mapping[int, Cluster], known: Iterable[Key], texts: frozenset[str]) -> dict[Key, Seen]:
        if texts != self._texts:
            self._texts, self._read = texts, {}
        rows = {row["pk"]: row for row in self._rows(clusters, known)}
        self._bring_up_to_date(rows)
        every = (_seen(row, clusters[row["cluster_id"]], self._read[pk]) for pk, row in rows.items() if pk in self._read)
        return {one.key: one for one in every}

    def _rows(self, clusters: Mapping[int, Cluster], known: Iterable[Key]) -> Iterator[dict[str, Any]]:
        columns = ("pk", "cluster_id", "name", "version", "changed_at", "restart_asked_at")
        here = ConnectorSnapshot.objects.filter(cluster__in=clusters).values(*columns)
        yield from here.filter(state__in=(State.FAILED, State.DEGRADED))
        wanted = {(cluster, name) for cluster, name in known if cluster in clusters}
        for some in _batches(sorted({name for _, name in wanted})):
            yield from (row for row in here.filter(name__in=some) if (row["cluster_id"], row["name"]) in wanted)

    def _bring_up_to_date(self, rows: Mapping[int, dict[str, Any]]) -> None:
        self._read = {pk: read for pk, read in self._read.items() if pk in rows}
        stale = [pk for pk, row in rows.items() if pk not in self._read or self._read[pk].version != row["version"]]
        for some in _batches(stale):
            found = ConnectorSnapshot.objects.filter(pk__in=some).values_list("pk", "version", "info", "status")
            for pk, version, info, told in found:
                self._read[pk] = _reading(version, info, told, self._texts)


def read(snapshot: ConnectorSnapshot, policies: Iterable[Policy]) -> Read:
    """Of one, for a page."""
    return _reading(snapshot.version, snapshot.info, snapshot.status, texts_of(policies))


def _reading(version: int, info: Json | None, told: Json | None, texts: frozenset[str]) -> Read:
    status = ConnectorStatus.from_json(told) if told else None
    class_name = ((info or {}).get("config") or {}).get("connector.class") or ""
    failure = "\n".join(trace for _, trace in failed(status)).lower() if texts else ""
    return Read(version, class_name, "\n".join(sorted(text for text in texts if text in failure)), condition(status))


def _seen(row: Mapping[str, Any], cluster: Cluster, read: Read) -> Seen:
    subject = Subject(cluster.name, row["name"], read.class_name, read.text)
    return Seen(row["pk"], cluster, row["name"], subject, read.condition, row["changed_at"], row["restart_asked_at"])


def failed(status: ConnectorStatus | None) -> list[tuple[str, str]]:
    """What has failed, the connector's own instance first, and its trace: `("task 0", "java.io…")`."""
    if status is None:
        return []
    told: list[tuple[str, str, str | None]] = [("connector", status.connector.state, status.connector.trace)]
    told += [(f"task {task.id}", task.state, task.trace) for task in status.tasks]
    return [(name, trace or "") for name, state, trace in told if state == State.FAILED]


def _batches(values: Collection[Any]) -> Iterator[list[Any]]:
    listed = list(values)
    return (listed[start : start + _BATCH] for start in range(0, len(listed), _BATCH))
