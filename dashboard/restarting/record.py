"""Writing down what was decided, and what came of it.

Each write is of a row as it was when that was decided over, or not at all: of several control processes that decide the same, one
writes it. Who has written down a restart holds it for a while (`dashboard.control.leases`), and asks for it then.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from connect_client import ConnectorStatus
from connect_client.traces import root_cause
from dashboard.activity import Who, note
from dashboard.control import leases
from dashboard.fleet.verbs import Verb
from dashboard.jobs.answers import After, Again, Refused
from dashboard.models import AutoRestart
from dashboard.restarting.decide import GiveUp, Healthy, Reset, Sick, Wait
from dashboard.restarting.look import Seen, failed

WHO = Who("automatic restart", "automation")
GAVE_UP = "give-up-restarting"
KEPT_WHEN_GONE = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Ask:
    """A restart that is written down, and is to be asked for by whoever has it."""

    row: int
    seen: Seen
    asked_at: datetime
    count: int
    attempts: int
    cause: str


def begin(seen: Seen, row: AutoRestart | None, status: ConnectorStatus, by: str, now: datetime) -> Ask | None:
    """Another restart is counted, before it is asked for. None: somebody else has it."""
    trace = trace_of(status)
    count = (row.count if row else 0) + 1
    fields = {
        "count": count,
        "last_restart_at": now,
        "trace": trace,
        "gave_up_at": None,
        "asking_since": now,
        "attempts": 1,
        "next_try_at": None,
        "message": "",
        **leases.claimed(by, now),
    }
    pk = _created(seen, fields) if row is None else _updated(row, fields, now)
    return Ask(pk, seen, now, count, 1, cause_of(status)) if pk else None


def again(seen: Seen, row: AutoRestart, status: ConnectorStatus, by: str, now: datetime) -> Ask | None:
    """The same one is asked for once more. None: somebody else does."""
    attempts = row.attempts + 1
    fields = {"asking_since": now, "attempts": attempts, "next_try_at": None, **leases.claimed(by, now)}
    pk = _updated(row, fields, now)
    return Ask(pk, seen, now, row.count, attempts, cause_of(status)) if pk else None


def answered(ask: Ask, after: After, by: str, now: datetime, *, heard: bool = True) -> None:
    """What the cluster said; what it may have carried out is told of, whoever has the row by now. `heard` False: it is to be
    asked again, but may be at it; so it is looked at first, as after an answer that was lost."""
    fields: dict[str, object] = {"claimed_by": "", "claimed_until": None}
    if isinstance(after, Again):
        fields |= {"next_try_at": now + timedelta(seconds=after.after) if heard else None, "message": after.cause}
    else:
        refused = after.cause if isinstance(after, Refused) else ""
        fields |= {"asking_since": None, "next_try_at": None, "message": refused}
    with transaction.atomic():
        AutoRestart.objects.filter(pk=ask.row, claimed_by=by).update(**fields)
        if not isinstance(after, Again):
            told: dict[str, Any] = {"restart": ask.count} | ({"cause": ask.cause} if ask.cause else {})
            _noted(ask.seen, told, refused)


def over(seen: Seen, row: AutoRestart, now: datetime) -> None:
    """It has no answer, and needs none any more: it was heard all the same; or the cluster did not take it on, and the connector
    runs again or is switched off."""
    fields: dict[str, object] = {"asking_since": None, "next_try_at": None, "claimed_by": "", "claimed_until": None}
    refused = row.message if row.next_try_at is not None else ""
    with transaction.atomic():
        if _updated(row, fields, now):
            told = {"restart": row.count} | ({} if refused else {"answer": "lost"})
            _noted(seen, told, refused)


def kept(seen: Seen, row: AutoRestart | None, decision: Wait | GiveUp | Healthy | Sick | Reset, now: datetime) -> bool:
    """What needs nobody to be asked. Whether it was written."""
    match decision:
        case GiveUp():
            return _given_up(seen, row, now)
        case Wait(_, counted_from):
            return row is not None and counted_from is not None and bool(_updated(row, {"last_restart_at": counted_from}, now))
        case Healthy(healthy):
            fields = {"healthy_seconds": healthy.total_seconds(), "looked_at": now}
            return row is not None and bool(_updated(row, fields, now))
        case Sick():
            return row is not None and bool(_updated(row, {"healthy_seconds": 0.0, "looked_at": None}, now))
        case Reset():
            return row is not None and bool(_as_it_was(row, now).delete()[0])


def forget(rows: list[int], now: datetime) -> None:
    """Of connectors that are not there any more. One that is created anew goes on where it was, for a day."""
    long_ago = now - KEPT_WHEN_GONE
    recent = Q(last_restart_at__gt=long_ago) | Q(gave_up_at__gt=long_ago)
    AutoRestart.objects.filter(leases.free(now), ~recent, pk__in=rows).delete()


def trace_of(status: ConnectorStatus) -> str:
    """What has failed, and of what: the same of several instances once."""
    who: dict[str, list[str]] = {}
    for name, trace in failed(status):
        who.setdefault(trace or "It told no trace.", []).append(name)
    return "\n\n".join(f"{', '.join(names)}:\n{trace.rstrip()}" for trace, names in who.items())


def cause_of(status: ConnectorStatus) -> str:
    return next((cause for _, trace in failed(status) if (cause := root_cause(trace))), "")


def _given_up(seen: Seen, row: AutoRestart | None, now: datetime) -> bool:
    fields = {"gave_up_at": now, "message": ""}
    with transaction.atomic():
        written = _created(seen, fields) if row is None else _updated(row, fields, now)
        if written:
            told = {"restarts": row.count if row else 0}
            note(WHO, GAVE_UP, cluster=seen.cluster.name, connector=seen.name, after=told, tell=False)
    return bool(written)


def _noted(seen: Seen, told: dict[str, Any], refused: str) -> None:
    """Once for each restart that is counted."""
    cluster = seen.cluster.name
    note(WHO, Verb.RESTART_FAILED, cluster=cluster, connector=seen.name, after=told, refused=refused, tell=False)


def _created(seen: Seen, fields: dict[str, object]) -> int:
    try:
        with transaction.atomic():
            return AutoRestart.objects.create(cluster=seen.cluster, connector=seen.name, **fields).pk
    except IntegrityError:
        # Somebody else was quicker, or the cluster is gone.
        return 0


def _updated(row: AutoRestart, fields: dict[str, object], now: datetime) -> int:
    return row.pk if _as_it_was(row, now).update(**fields) else 0


def _as_it_was(row: AutoRestart, now: datetime) -> QuerySet[AutoRestart]:
    return AutoRestart.objects.filter(
        leases.free(now),
        pk=row.pk,
        count=row.count,
        last_restart_at=row.last_restart_at,
        gave_up_at=row.gave_up_at,
        asking_since=row.asking_since,
        attempts=row.attempts,
        looked_at=row.looked_at,
    )
