"""Which control process carries a move out: a lease in the database, as of jobs."""

from datetime import datetime, timedelta

from django.db.models import Q

from dashboard.models import Move

LEASE = timedelta(seconds=15)
UNENDED = (Move.State.WAITING, Move.State.RUNNING, Move.State.UNDOING)


class LostClaim(Exception):
    """Another process carries it out by now, or nobody any more. Nothing was written."""


def claimable(now: datetime) -> list[int]:
    return list(Move.objects.filter(_free(now), state__in=UNENDED).order_by("asked_at", "pk").values_list("pk", flat=True))


def claim(move: int, by: str, now: datetime) -> bool:
    """Of several that try at once, one succeeds."""
    return bool(Move.objects.filter(_free(now), pk=move, state__in=UNENDED).update(claimed_by=by, claimed_until=now + LEASE))


def renew(moves: list[int], by: str, now: datetime) -> None:
    Move.objects.filter(pk__in=moves, claimed_by=by, state__in=UNENDED).update(claimed_until=now + LEASE)


def release(by: str, now: datetime) -> None:
    """For the next process to take at once."""
    Move.objects.filter(claimed_by=by, claimed_until__gt=now).update(claimed_until=now)


def _free(now: datetime) -> Q:
    return Q(claimed_until=None) | Q(claimed_until__lte=now)
