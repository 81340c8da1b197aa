"""Which moves wait to be carried out."""

from collections.abc import Collection
from datetime import datetime

from django.db.models import QuerySet

from dashboard.control import leases
from dashboard.models import Move

UNENDED = (Move.State.WAITING, Move.State.RUNNING, Move.State.UNDOING)


def rows(moves: Collection[int] | None = None) -> QuerySet[Move]:
    unended = Move.objects.filter(state__in=UNENDED)
    return unended if moves is None else unended.filter(pk__in=moves)


def claimable(now: datetime) -> list[int]:
    """The oldest first."""
    return list(rows().filter(leases.free(now)).order_by("asked_at", "pk").values_list("pk", flat=True))
