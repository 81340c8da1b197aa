"""Restarts that nobody has to ask for: what is wanted of them, and what they have come to."""

from django.db import models

from dashboard.models.clusters import Cluster


class RestartPolicy(models.Model):
    """What is restarted by itself, and when (`dashboard.restarting.policies`). Of those that are enabled the first that matches
    counts, by `position`; where none does, nothing is restarted.

    `cluster` null: each. `pattern` is of the name, `class_pattern` of the class, whole or without its package; `text`: part of
    what failed with, in any case of letters, empty: whatever that is. `max_restarts` null: as many as the schedule has.
    From `quiet_from` until `quiet_until`, by the clocks of `zone`, nothing is restarted; both are null, or neither.
    """

    class Schedule(models.TextChoices):
        # Strimzi's proposal 007: at these minutes, and no more.
        PROPOSAL = "proposal", "at minute 0, 2, 6, 12, 20 and 30"
        # What Strimzi has come to: n² + n minutes after restart n, an hour at most, without an end.
        STRIMZI = "strimzi", "n² + n minutes after restart n, 60 at most"
        NEVER = "never", "never"

    name = models.CharField(max_length=100, unique=True)
    position = models.PositiveIntegerField(default=0)
    enabled = models.BooleanField(default=True)
    cluster = models.ForeignKey(Cluster, models.CASCADE, null=True, related_name="restart_policies")
    pattern = models.CharField(max_length=300, default="*")
    class_pattern = models.CharField(max_length=300, default="*")
    text = models.CharField(max_length=300, blank=True)
    schedule = models.CharField(max_length=10, choices=Schedule, default=Schedule.PROPOSAL)
    max_restarts = models.PositiveIntegerField(null=True)
    quiet_from = models.TimeField(null=True)
    quiet_until = models.TimeField(null=True)
    zone = models.CharField(max_length=64, default="UTC")

    class Meta:
        ordering = ("position", "pk")

    def __str__(self) -> str:
        return self.name


class RestartOverride(models.Model):
    """What is wanted of one connector, whatever the policies say. Null: as they say. `enabled` true: also where they say never.

    `source` is who says so: `ui` (somebody, also by `/api/v1/`) or `resource` (its resource). One row, the later one counts.
    """

    class Source(models.TextChoices):
        UI = "ui"
        RESOURCE = "resource"

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="restart_overrides")
    connector = models.CharField(max_length=1000)
    enabled = models.BooleanField(null=True)
    max_restarts = models.PositiveIntegerField(null=True)
    source = models.CharField(max_length=10, choices=Source, default=Source.UI)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("cluster", "connector"), name="restart_override_once"),)

    def __str__(self) -> str:
        return f"automatic restart of {self.connector}"


class AutoRestart(models.Model):
    """How often a connector was restarted by itself since it last was well, and when last. There is a row as of the first time,
    or as of when it was given up, until it has been well for long enough: no row is a count of 0. A restart by hand of what was
    given up leaves a count of 0 too, and its own time.

    A restart is written down before it is asked for: `count`, `last_restart_at`, `trace` (what had failed, and of what), and
    `asking_since`, which is null again when there is an answer. Whoever asks holds `claimed_by` until `claimed_until`. What was
    written down and not answered is the next process's (`dashboard.restarting.decide`). `attempts`: how often this restart was
    asked for; `next_try_at`: not again before then; `message`: what the cluster said to the last one, if it did not take it on.

    `healthy_seconds`: for how long it was seen to be well, `looked_at` the last time: what a clock jumps over is not counted.
    """

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="auto_restarts")
    connector = models.CharField(max_length=1000)
    count = models.PositiveIntegerField(default=0)
    last_restart_at = models.DateTimeField(null=True)
    trace = models.TextField(blank=True)
    healthy_seconds = models.FloatField(default=0.0)
    looked_at = models.DateTimeField(null=True)
    gave_up_at = models.DateTimeField(null=True)
    asking_since = models.DateTimeField(null=True)
    attempts = models.PositiveIntegerField(default=0)
    next_try_at = models.DateTimeField(null=True)
    message = models.TextField(blank=True)
    claimed_by = models.CharField(max_length=200, blank=True)
    claimed_until = models.DateTimeField(null=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("cluster", "connector"), name="auto_restart_once"),)

    def __str__(self) -> str:
        return f"{self.connector}: restarted {self.count} times"
