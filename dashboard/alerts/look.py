"""From the database to what is decided over: rules, what is seen, and the alerts that have not ended."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from connect_client import ConnectorStatus
from connect_client.states import State
from dashboard import queries
from dashboard.alerts.decide import GIVEN_UP, ClusterSeen, ConnectorSeen, Open, Rule
from dashboard.fleet.rows import cause
from dashboard.models import Alert, AlertRule, ConnectorSnapshot
from dashboard.restarting import look
from dashboard.rights.roles import ADMIN_OF_ALL

# SQLite takes so many values in one query.
_BATCH = 500


def rules() -> list[Rule]:
    return [
        Rule(
            rule.pk,
            frozenset(rule.states),
            rule.enabled,
            rule.cluster.name if rule.cluster else None,
            rule.pattern,
            timedelta(seconds=rule.lasting_seconds),
            rule.text.lower(),
        )
        for rule in AlertRule.objects.select_related("cluster")
    ]


def clusters(now: datetime) -> list[ClusterSeen]:
    return [ClusterSeen(seen.name, seen.contact, seen.since, seen.error) for seen in queries.clusters(now, ADMIN_OF_ALL).values()]


def open_alerts() -> list[Open]:
    columns = ("id", "rule_id", "cluster", "connector", "since", "began_at", "clear_since")
    found = Alert.objects.filter(ended_at=None).values_list(*columns)
    return [
        Open(id, (rule, cluster, connector), since, began, clear) for id, rule, cluster, connector, since, began, clear in found
    ]


@dataclass(frozen=True, slots=True)
class _Told:
    """What a connector failed with, as of its last change."""

    changed_at: datetime
    cause: str
    contains: frozenset[str]


class Connectors:
    """Those in a state that a rule names. Statuses are long: each is read once, when the connector has changed."""

    def __init__(self) -> None:
        self._texts: frozenset[str] = frozenset()
        self._told: dict[int, _Told] = {}

    def seen(self, rules: Iterable[Rule]) -> list[ConnectorSeen]:
        rules = [rule for rule in rules if rule.enabled]
        texts = frozenset(rule.text for rule in rules if rule.text)
        if texts != self._texts:
            self._texts, self._told = texts, {}
        states = {State.RESTARTING.value}.union(*(rule.states for rule in rules))
        given_up = look.given_up() if GIVEN_UP in states else {}
        if given_up:
            states |= {State.FAILED, State.DEGRADED}
        columns = ("pk", "cluster__name", "name", "state", "state_since", "changed_at")
        rows = list(ConnectorSnapshot.objects.filter(state__in=states).order_by("pk").values_list(*columns))
        self._read(rows)
        found = [
            ConnectorSeen(cluster, name, state, since, self._told[pk].cause, self._told[pk].contains)
            for pk, cluster, name, state, since, _ in rows
            if pk in self._told
        ]
        failed = (one for one in found if one.state in (State.FAILED, State.DEGRADED))
        # Beside what they are besides: a rule may be about either.
        return found + [replace(one, state=GIVEN_UP, since=at) for one in failed if (at := given_up.get((one.cluster, one.name)))]

    def _read(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Forgets what is in none of these states any more."""
        self._told = {row[0]: told for row in rows if (told := self._told.get(row[0])) and told.changed_at == row[5]}
        new = [row[0] for row in rows if row[0] not in self._told]
        for start in range(0, len(new), _BATCH):
            found = ConnectorSnapshot.objects.filter(pk__in=new[start : start + _BATCH])
            for pk, changed_at, status in found.values_list("pk", "changed_at", "status"):
                self._told[pk] = self._of(ConnectorStatus.from_json(status) if status else None, changed_at)

    def _of(self, status: ConnectorStatus | None, changed_at: datetime) -> _Told:
        found = [status.connector.trace, *(task.trace for task in status.tasks)] if status else []
        traces = [trace.lower() for trace in found if trace]
        contains = frozenset(text for text in self._texts if any(text in trace for trace in traces))
        return _Told(changed_at, cause(status), contains)
