"""Work on many connectors at once, which goes on when the page that asked for it is closed."""

from django.db import models

from dashboard.models.clusters import Cluster


class Job(models.Model):
    """`verb`: of the verbs of `dashboard.jobs`. `options`: how, `{"only_failed", "include_tasks", …}`. `about`: what it was asked
    for, in words. Claimed by one control process at a time: `claimed_by` until `claimed_until`. `key`: by what whoever asked
    tells this request from others, so that one that is repeated makes one job.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        # Nothing more is begun; what has been asked is seen to its end.
        CANCELLING = "cancelling"
        CANCELLED = "cancelled"
        DONE = "done"

    verb = models.CharField(max_length=20)
    options = models.JSONField(default=dict)
    about = models.TextField()
    state = models.CharField(max_length=20, choices=State, default=State.WAITING)
    by = models.CharField(max_length=150)
    via = models.CharField(max_length=20)
    key = models.CharField(max_length=200, null=True)
    asked_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    # How many connectors of one cluster are worked on at once.
    at_once = models.PositiveIntegerField(default=8)
    claimed_by = models.CharField(max_length=200, blank=True)
    claimed_until = models.DateTimeField(null=True)

    class Meta:
        indexes = (models.Index(fields=("state", "asked_at"), name="jobs_by_state"),)
        constraints = (models.UniqueConstraint(fields=("by", "key"), name="job_once_per_key"),)

    def __str__(self) -> str:
        return f"job {self.pk}: {self.verb}"


class JobItem(models.Model):
    """One connector of a job. `what`: which of its instances, as they were when it was asked for: `{"connector", "tasks": [id]}`.

    `result`: what it has come to by now, per instance; `cause`: why it was refused or has failed again.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        # Asked of the cluster; the answer may have been lost.
        ASKED = "asked"
        # Taken on by the cluster: it restarts, pauses, stops.
        UNDER_WAY = "under way"
        DONE = "done"
        FAILED_AGAIN = "failed again"
        REFUSED = "refused"
        # Asked for, and not seen to its end: it was deleted meanwhile, or its cluster tells nothing any more.
        UNKNOWN = "unknown"
        CANCELLED = "cancelled"

    job = models.ForeignKey(Job, models.CASCADE, related_name="items")
    # Names stay when the cluster is forgotten.
    cluster = models.ForeignKey(Cluster, models.SET_NULL, null=True, related_name="+")
    cluster_name = models.CharField(max_length=100)
    connector = models.CharField(max_length=1000)
    what = models.JSONField(default=dict)
    state = models.CharField(max_length=20, choices=State, default=State.WAITING)
    attempts = models.PositiveIntegerField(default=0)
    next_try_at = models.DateTimeField(null=True)
    asked_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    result = models.JSONField(default=dict)
    cause = models.TextField(blank=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("job", "cluster_name", "connector"), name="once_per_job"),)

    def __str__(self) -> str:
        return f"{self.connector} of job {self.job_id}"
