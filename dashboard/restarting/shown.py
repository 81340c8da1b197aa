"""Automatic restarts as pages show them, and `/api/v1/` tells them."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings

from dashboard import queries
from dashboard.fleet.clusters import ClusterView
from dashboard.fleet.overlay import Seen, restart_pending
from dashboard.fleet.rows import Automatic
from dashboard.fleet.sentence import count as counted
from dashboard.models import AutoRestart, ConnectorSnapshot, RestartOverride, RestartPolicy
from dashboard.restarting import look
from dashboard.restarting.decide import Condition, Plan, Restart, Sight, Wait, decide
from dashboard.restarting.policies import AS_POLICIES_SAY, Override, Policy, Subject, plan_of, policy_of


@dataclass(frozen=True, slots=True)
class ConnectorRestarts:
    """One connector's. `on`: whether it is restarted by itself; `why`: who says so. `source`: who says something of it alone,
    `ui` or `resource`. `next_at`: when it is restarted next, if it fails now; null if it is not."""

    on: bool
    why: str
    policy: str | None
    source: str
    override: Override
    limit: int | None
    count: int
    last_restart_at: datetime | None
    next_at: datetime | None
    gave_up_at: datetime | None
    failing: bool
    message: str
    trace: str

    @property
    def gave_up(self) -> bool:
        """And still is as it was then."""
        return self.gave_up_at is not None and self.failing

    @property
    def in_a_row(self) -> Automatic | None:
        """What the fleet has to say of it; None: nothing."""
        return Automatic(self.count, self.next_at, self.gave_up) if self.gave_up or self.next_at else None

    @property
    def times(self) -> str:
        """`restarted 2 times of 6 by itself`"""
        return f"restarted {counted(self.count, 'time')}{f' of {self.limit}' if self.limit and self.on else ''} by itself"

    def as_json(self) -> dict[str, Any]:
        return {
            "enabled": self.on,
            "why": self.why,
            "policy": self.policy,
            "max_restarts": self.limit,
            "count": self.count,
            "last_restart_at": self.last_restart_at,
            "next_restart_at": self.next_at,
            "gave_up_at": self.gave_up_at,
            "message": self.message,
            "trace": self.trace,
            "override": (
                {"enabled": self.override.enabled, "max_restarts": self.override.limit, "source": self.source}
                if self.source
                else None
            ),
        }


@dataclass(frozen=True, slots=True)
class PolicyLine:
    id: int
    name: str
    enabled: bool
    means: str
    when: str
    first: bool
    last: bool


def of_connector(snapshot: ConnectorSnapshot, now: datetime) -> ConnectorRestarts:
    """In three queries."""
    return of_connectors([snapshot], {snapshot.cluster_id: queries.cluster_view(snapshot.cluster, now)}, now)[snapshot.pk]


def of_connectors(
    snapshots: Collection[ConnectorSnapshot], clusters: Mapping[int, ClusterView], now: datetime
) -> dict[int, ConnectorRestarts]:
    """By id; in three queries, however many they are."""
    if not snapshots:
        return {}
    own = {"cluster__in": {one.cluster_id for one in snapshots}, "connector__in": {one.name for one in snapshots}}
    policies = look.policies()
    rows = {(row.cluster_id, row.connector): row for row in AutoRestart.objects.filter(**own)}
    said = {(one.cluster_id, one.connector): one for one in RestartOverride.objects.filter(**own)}
    return {
        one.pk: _of(one, clusters[one.cluster_id], policies, rows.get(key), said.get(key), now)
        for one in snapshots
        if (key := (one.cluster_id, one.name))
    }


def _of(
    snapshot: ConnectorSnapshot,
    cluster: ClusterView,
    policies: Iterable[Policy],
    row: AutoRestart | None,
    said: RestartOverride | None,
    now: datetime,
) -> ConnectorRestarts:
    read = look.read(snapshot, policies)
    policy = policy_of(policies, Subject(cluster.name, snapshot.name, read.class_name, read.text))
    override = Override(said.enabled, said.max_restarts) if said else AS_POLICIES_SAY
    plan = plan_of(policy, override) if settings.AUTO_RESTART else None
    # What is shown of it is not what was seen, for a moment.
    seen = Seen(snapshot.changed_at, snapshot.restart_asked_at, snapshot.restart_answered_at, cluster.fetched_at)
    pending = restart_pending(seen, now)
    failing = read.condition is Condition.FAILED and not pending
    kept = row or AutoRestart()
    sight = Sight(read.condition, cluster.fetched_at, snapshot.restart_asked_at)
    return ConnectorRestarts(
        on=plan is not None,
        why=_why(policy, override, said.source if said else ""),
        policy=policy.name if policy else None,
        source=said.source if said else "",
        override=override,
        limit=plan.limit if plan else None,
        count=kept.count,
        last_restart_at=kept.last_restart_at,
        next_at=_next(plan, kept, sight, now) if plan and failing and cluster.live else None,
        gave_up_at=kept.gave_up_at,
        failing=failing,
        message=kept.message,
        trace=kept.trace,
    )


def _next(plan: Plan, kept: AutoRestart, sight: Sight, now: datetime) -> datetime | None:
    if kept.asking_since is not None:
        return kept.next_try_at or now
    match decide(plan, look.kept(kept), sight, now):
        case Restart():
            return now
        case Wait(until):
            return until
    return None


def of_override(snapshot: ConnectorSnapshot) -> Override:
    """What is said of it alone."""
    said = RestartOverride.objects.filter(cluster=snapshot.cluster_id, connector=snapshot.name).first()
    return Override(said.enabled, said.max_restarts) if said else AS_POLICIES_SAY


def lines() -> tuple[PolicyLine, ...]:
    rows = list(RestartPolicy.objects.select_related("cluster"))
    return tuple(
        PolicyLine(row.pk, row.name, row.enabled, _means(row), _when(row), number == 0, number == len(rows) - 1)
        for number, row in enumerate(rows)
    )


def _why(policy: Policy | None, override: Override, source: str) -> str:
    if not settings.AUTO_RESTART:
        return "this installation restarts nothing by itself: DROVER_AUTO_RESTART"
    if override.enabled is not None:
        return "its resource says so" if source == RestartOverride.Source.RESOURCE else "switched for this connector alone"
    if policy is None:
        return "no policy means it"
    return f"by policy “{policy.name}”"


def _means(row: RestartPolicy) -> str:
    """`orders-* in eu, class JdbcSink, failed with “disk full”`"""
    parts = ["any connector" if row.pattern == "*" else row.pattern]
    parts[0] += f" in {row.cluster.name}" if row.cluster else " in every cluster"
    if row.class_pattern != "*":
        parts.append(f"class {row.class_pattern}")
    if row.text:
        parts.append(f"failed with “{row.text}”")
    return ", ".join(parts)


def _when(row: RestartPolicy) -> str:
    words = str(RestartPolicy.Schedule(row.schedule).label)
    if row.schedule == RestartPolicy.Schedule.NEVER:
        return words
    if row.max_restarts is not None:
        words += f"; {counted(row.max_restarts, 'restart')} at most"
    if row.quiet_from is not None and row.quiet_until is not None:
        words += f"; not from {row.quiet_from:%H:%M} to {row.quiet_until:%H:%M}, {row.zone}"
    return words
