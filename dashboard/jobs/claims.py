"""Which control process works on a job: a lease in the database. Whoever holds it renews it with each of its writes; a process
that was killed, or slept too long, loses it to the next."""

from datetime import datetime, timedelta

from django.db.models import Q

from dashboard.models import Job

LEASE = timedelta(seconds=15)
UNENDED = (Job.State.WAITING, Job.State.RUNNING, Job.State.CANCELLING)


class LostClaim(Exception):
    """Another process works on it by now. Nothing was written."""


def claimable(now: datetime) -> list[int]:
    """The oldest first."""
    free = Q(claimed_until=None) | Q(claimed_until__lt=now)
    return list(Job.objects.filter(free, state__in=UNENDED).order_by("asked_at", "pk").values_list("pk", flat=True))


def claim(job: int, by: str, now: datetime) -> bool:
    """Of several that try at once, one succeeds. A job that nobody has begun is begun."""
    free = Q(claimed_until=None) | Q(claimed_until__lt=now)
    if not Job.objects.filter(free, pk=job, state__in=UNENDED).update(claimed_by=by, claimed_until=now + LEASE):
        return False
    begun = Job.objects.filter(pk=job, claimed_by=by)
    begun.filter(started_at=None).update(started_at=now)
    begun.filter(state=Job.State.WAITING).update(state=Job.State.RUNNING)
    return True


def renew(job: int, by: str, now: datetime) -> None:
    """Within a transaction: what is written in it is written by whoever holds the claim, or not at all. Raises LostClaim."""
    if not Job.objects.filter(pk=job, claimed_by=by, state__in=UNENDED).update(claimed_until=now + LEASE):
        raise LostClaim


def release(job: int, by: str, now: datetime) -> None:
    """For the next process to take at once."""
    Job.objects.filter(pk=job, claimed_by=by).update(claimed_until=now - LEASE)
