"""Letting go of what is too old, in steps small enough that a follower never waits long for the database."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count

from dashboard.models import Gap, StateChange

BATCH = 2000


@dataclass(frozen=True, slots=True)
class Retention:
    days: int
    per_connector: int


def too_old(kept: Retention, now: datetime) -> bool:
    """Deletes some of what is older than it may be; whether there may be more. Rows are written in the order of time, so that the
    first ones tell."""
    cutoff = now - timedelta(days=kept.days)
    Gap.objects.filter(until__lt=cutoff).delete()
    first = StateChange.objects.order_by("pk").values_list("pk", "at")[:BATCH]
    old = [pk for pk, at in first if at < cutoff]
    StateChange.objects.filter(pk__in=old).delete()
    return len(old) == BATCH


def too_many(kept: Retention) -> bool:
    """Deletes some of the oldest changes of connectors that have more than they may; whether there may be more."""
    crowded = StateChange.objects.values("cluster", "connector").annotate(rows=Count("pk")).filter(rows__gt=kept.per_connector)
    left = BATCH
    for each in crowded[:BATCH]:
        of_it = StateChange.objects.filter(cluster=each["cluster"], connector=each["connector"]).order_by("at", "pk")
        oldest = list(of_it.values_list("pk", flat=True)[: min(left, each["rows"] - kept.per_connector)])
        StateChange.objects.filter(pk__in=oldest).delete()
        left -= len(oldest)
        if not left:
            return True
    return False
