"""What has been: of connectors, of their configs, and of what people and machines did. Rows are written once."""

from django.db import models

from dashboard.models.clusters import Cluster


class StateChange(models.Model):
    """A connector instance (`task` null) or a task was seen in another state than before. The follower is the only writer.

    `was` is empty for one that has just appeared, `state` for one that is gone. `cause`: a failure's root cause in one line;
    `kind` is the same for failures whose causes differ in numbers and names only (`dashboard.failures`). From FAILED to FAILED:
    it was restarted and failed of something else, and nobody saw what was in between.
    """

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="state_changes")
    connector = models.CharField(max_length=1000)
    task = models.PositiveIntegerField(null=True)
    was = models.CharField(max_length=20, blank=True)
    state = models.CharField(max_length=20, blank=True)
    worker = models.CharField(max_length=300, blank=True)
    cause = models.TextField(blank=True)
    kind = models.CharField(max_length=64, blank=True)
    trace = models.TextField(blank=True)
    at = models.DateTimeField()

    class Meta:
        indexes = (
            models.Index(fields=("cluster", "connector", "-at"), name="state_changes_of_connector"),
            # Has all that failures are grouped by: rows with their traces need not be read for it.
            models.Index(fields=("state", "kind", "cluster", "connector", "at"), name="state_changes_by_kind"),
        )

    def __str__(self) -> str:
        return f"{self.connector}: {self.was} to {self.state}"


class Gap(models.Model):
    """Nothing was known of a cluster from `since` (null: ever) until `until`: it did not answer (`error`), or was not asked.

    Written by the follower when it is over; what lasts still stands in `ClusterSnapshot`.
    """

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="gaps")
    since = models.DateTimeField(null=True)
    until = models.DateTimeField()
    error = models.TextField(blank=True)

    class Meta:
        indexes = (models.Index(fields=("cluster", "-until"), name="gaps_newest_first"),)

    def __str__(self) -> str:
        return f"nothing known of {self.cluster_id} until {self.until}"


class Readings(models.Model):
    """One hour of a connector's figures. Not a row each minute: 5,000 connectors would make seven million of them a day.

    `points`, in order: `[seconds after the hour, records in per second, records out per second, lag]`; null is not known.
    Written by the sampler of the control process.
    """

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="readings")
    connector = models.CharField(max_length=1000)
    hour = models.DateTimeField()
    # Seconds between two points: a minute each, later ten.
    step = models.PositiveIntegerField(default=60)
    points = models.JSONField(default=list)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("cluster", "connector", "hour"), name="readings_once_an_hour"),)
        indexes = (models.Index(fields=("hour", "step"), name="readings_by_age"),)

    def __str__(self) -> str:
        return f"{self.connector} at {self.hour}"


class Sampling(models.Model):
    """How the sampler's last round went: whether the cluster tells metrics at all, and what went wrong."""

    cluster = models.OneToOneField(Cluster, models.CASCADE, primary_key=True, related_name="sampling")
    at = models.DateTimeField()
    tells_metrics = models.BooleanField(null=True)
    metrics_error = models.TextField(blank=True)
    lag_error = models.TextField(blank=True)

    def __str__(self) -> str:
        return f"sampling of {self.cluster_id}"


class ConfigVersion(models.Model):
    """A config that a connector has had, from `at` on. `by` is empty where it was changed elsewhere and seen here.

    `config` is sealed: its JSON, in the order of its keys, may hold secrets. `digest` tells equal ones apart without unsealing.
    """

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="config_versions")
    connector = models.CharField(max_length=1000)
    number = models.PositiveIntegerField()
    at = models.DateTimeField()
    by = models.CharField(max_length=150, blank=True)
    note = models.CharField(max_length=300, blank=True)
    config = models.TextField()
    digest = models.CharField(max_length=64)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("cluster", "connector", "number"), name="config_version_once"),)

    def __str__(self) -> str:
        return f"{self.connector} v{self.number}"


class Activity(models.Model):
    """Somebody did something: who, what, where, and what it changed (the audit log).

    Names, not references: it stays when what it is about is gone. `before` and `after` have no secrets in them.
    """

    at = models.DateTimeField()
    by = models.CharField(max_length=150)
    # `ui`, `api` or `automation`.
    via = models.CharField(max_length=20)
    verb = models.CharField(max_length=40)
    cluster = models.CharField(max_length=100, blank=True)
    connector = models.CharField(max_length=1000, blank=True)
    task = models.PositiveIntegerField(null=True)
    job = models.PositiveBigIntegerField(null=True)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    # `done`, or `refused` with the `message` of who refused it.
    outcome = models.CharField(max_length=20)
    message = models.TextField(blank=True)

    class Meta:
        indexes = (
            models.Index(fields=("-at",), name="activity_newest_first"),
            models.Index(fields=("cluster", "connector", "-at"), name="activity_of_connector"),
        )

    def __str__(self) -> str:
        return f"{self.by}: {self.verb} {self.connector}"
