"""Which resources wait to be brought about, and when each is looked at."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from dashboard.control import leases
from dashboard.models import ConnectorSnapshot, Resource, ResourceConnector

#: Where it is told that a resource is to be looked at.
CHANNEL = "drover:resources"


@dataclass(frozen=True, slots=True)
class Due:
    resource: int
    cluster: str

    def __str__(self) -> str:
        return str(self.resource)


def rows(resources: Collection[int] | None = None) -> QuerySet[Resource]:
    return Resource.objects.all() if resources is None else Resource.objects.filter(pk__in=resources)


def claimable(now: datetime) -> list[Due]:
    """Those that have waited longest first."""
    found = rows().filter(leases.free(now), due_at__lte=now).order_by("due_at", "pk")
    return [Due(pk, cluster) for pk, cluster in found.values_list("pk", "cluster_name")]


def claim(resource: int, by: str, now: datetime) -> bool:
    return leases.claim(rows([resource]).filter(due_at__lte=now), by, now)


def release(resource: int, by: str, wake: int, due_at: datetime) -> None:
    """Until `due_at`; at once, if there was a reason to look at it again since it was read with `wake`."""
    rows([resource]).filter(claimed_by=by, wake=wake).update(due_at=due_at)
    leases.release(rows([resource]), by)


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
