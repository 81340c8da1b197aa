"""Which control process brings a resource about: a lease in the database, as of jobs and moves. And when it is looked at."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, OuterRef, Q, Subquery

from dashboard.models import ConnectorSnapshot, Resource, ResourceConnector

LEASE = timedelta(seconds=15)


class LostClaim(Exception):
    """Another process is at it by now, or it is gone. Nothing was written."""


@dataclass(frozen=True, slots=True)
class Due:
    resource: int
    cluster: str


def claimable(now: datetime) -> list[Due]:
    """Those that have waited longest first."""
    found = Resource.objects.filter(_free(now), due_at__lte=now).order_by("due_at", "pk")
    return [Due(pk, cluster) for pk, cluster in found.values_list("pk", "cluster_name")]


def claim(resource: int, by: str, now: datetime) -> bool:
    """Of several that try at once, one succeeds."""
    free = Resource.objects.filter(_free(now), pk=resource, due_at__lte=now)
    return bool(free.update(claimed_by=by, claimed_until=now + LEASE))


def renew(resources: Iterable[int], by: str, now: datetime) -> None:
    Resource.objects.filter(pk__in=list(resources), claimed_by=by).update(claimed_until=now + LEASE)


def hold(resource: int, by: str, now: datetime) -> None:
    """Before anything is asked for. Raises LostClaim."""
    if not Resource.objects.filter(pk=resource, claimed_by=by, claimed_until__gt=now).update(claimed_until=now + LEASE):
        raise LostClaim


def release(resource: int, by: str, wake: int, due_at: datetime) -> None:
    """Until `due_at`; at once, if there was a reason to look at it again since it was read with `wake`."""
    own = Resource.objects.filter(pk=resource, claimed_by=by)
    own.filter(wake=wake).update(due_at=due_at)
    own.update(claimed_by="", claimed_until=None)


def let_go(by: str, now: datetime) -> None:
    """All of them, for the next process to take at once."""
    Resource.objects.filter(claimed_by=by, claimed_until__gt=now).update(claimed_until=now)


def wake_changed(now: datetime) -> int:
    """Those of whose connectors the follower has seen something new: they are looked at now, and not at their next time."""
    known = ConnectorSnapshot.objects.filter(cluster__name=OuterRef("cluster_name"), name=OuterRef("connector"))
    rows = ResourceConnector.objects.annotate(now_at=Subquery(known.values("version")[:1]))
    appeared, vanished = Q(seen=None, now_at__isnull=False), Q(seen__isnull=False, now_at=None)
    changed = list(rows.filter(appeared | vanished | Q(now_at__lt=F("seen")) | Q(now_at__gt=F("seen"))).only("seen", "resource"))
    if not changed:
        return 0
    for row in changed:
        row.seen = row.now_at
    with transaction.atomic():
        ResourceConnector.objects.bulk_update(changed, ("seen",), 200)
        return Resource.objects.filter(pk__in={row.resource_id for row in changed}).update(due_at=now, wake=F("wake") + 1)


def _free(now: datetime) -> Q:
    return Q(claimed_until=None) | Q(claimed_until__lte=now)
