"""Which jobs wait to be worked on, and by whom."""

from collections.abc import Collection
from datetime import datetime

from django.db.models import QuerySet

from dashboard.control import leases
from dashboard.models import Job

#: Where it is told that there is a job to begin or to end.
CHANNEL = "drover:jobs"
UNENDED = (Job.State.WAITING, Job.State.RUNNING, Job.State.CANCELLING)


def rows(jobs: Collection[int] | None = None) -> QuerySet[Job]:
    unended = Job.objects.filter(state__in=UNENDED)
    return unended if jobs is None else unended.filter(pk__in=jobs)


def claimable(now: datetime) -> list[int]:
    """The oldest first."""
    return list(rows().filter(leases.free(now)).order_by("asked_at", "pk").values_list("pk", flat=True))


def claim(job: int, by: str, now: datetime) -> bool:
    """Of several that try at once, one succeeds. A job that nobody has begun is begun."""
    if not leases.claim(rows([job]), by, now):
        return False
    begun = Job.objects.filter(pk=job, claimed_by=by)
    begun.filter(started_at=None).update(started_at=now)
    begun.filter(state=Job.State.WAITING).update(state=Job.State.RUNNING)
    return True
