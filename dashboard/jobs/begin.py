"""Asking for a job, and asking for its end. Who may is decided before: a preview has nothing in it that may not be done."""

from datetime import UTC, datetime

from django.db import IntegrityError, transaction

from dashboard.activity import Who, note
from dashboard.control.hints import hint
from dashboard.jobs.claims import CHANNEL
from dashboard.jobs.preview import Line, Preview
from dashboard.models import Cluster, Job, JobItem

_BATCH = 500


class NothingToDo(Exception):
    """A job of no connectors."""


def begin(preview: Preview, who: Who, key: str | None = None) -> Job:
    """`key`: of two requests with the same, only the first makes a job; the other gets that one. Raises NothingToDo."""
    if key is not None and (already := with_key(who, key)):
        return already
    if not preview.lines:
        raise NothingToDo
    try:
        with transaction.atomic():
            job = _written(preview, who, key)
    except IntegrityError:
        # Two of the same key at the same moment.
        if key is None or (already := with_key(who, key)) is None:
            raise
        return already
    hint(CHANNEL)
    return job


def with_key(who: Who, key: str) -> Job | None:
    return Job.objects.filter(by=who.name, key=key).first()


def cancel(job: Job, who: Who) -> bool:
    """Nothing more is begun; what has been asked for is seen to its end. Whether there was anything to cancel."""
    unended = Job.objects.filter(pk=job.pk, state__in=(Job.State.WAITING, Job.State.RUNNING))
    with transaction.atomic():
        cancelled = bool(unended.update(state=Job.State.CANCELLING))
        if cancelled:
            note(who, "cancel", job=job.pk)
    hint(CHANNEL)
    job.refresh_from_db()
    return cancelled


def _written(preview: Preview, who: Who, key: str | None) -> Job:
    job = Job.objects.create(
        verb=preview.verb,
        options=preview.options.to_json(),
        about=preview.about,
        by=who.name,
        via=who.via,
        key=key,
        asked_at=datetime.now(UTC),
    )
    clusters = dict(Cluster.objects.values_list("name", "pk"))
    items = [_item(job, line, clusters) for line in preview.lines]
    JobItem.objects.bulk_create(items, batch_size=_BATCH)
    note(who, preview.verb, job=job.pk, after={"about": preview.about, "options": job.options})
    return job


def _item(job: Job, line: Line, clusters: dict[str, int]) -> JobItem:
    one = line.candidate
    return JobItem(
        job=job, cluster_id=clusters.get(one.cluster), cluster_name=one.cluster, connector=one.name, what=line.what.to_json()
    )
