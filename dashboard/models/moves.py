"""A connector that goes from one cluster to another."""

from django.db import models
from django.db.models import Q

from dashboard.models.clusters import Cluster


class Move(models.Model):
    """What was asked for, how far it has come, and what of it was seen on the way. Claimed by one control process at a time:
    `claimed_by` until `claimed_until`.

    `source_config` and `config` are sealed: the JSON of what the source has and of what is created, passwords and all. `options`:
    `dashboard.moves.plan.Options`. `log`: a `dashboard.moves.log.Entry` for each step, in order; `phase` is 0 for the move itself
    and counts the times it was put back. `offsets`: what was read, as on the wire; null before.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"
        UNDOING = "undoing"
        UNDONE = "undone"

    source = models.ForeignKey(Cluster, models.SET_NULL, null=True, related_name="+")
    # Names stay when a cluster is forgotten.
    source_name = models.CharField(max_length=100)
    connector = models.CharField(max_length=1000)
    target = models.ForeignKey(Cluster, models.SET_NULL, null=True, related_name="+")
    target_name = models.CharField(max_length=100)
    new_name = models.CharField(max_length=1000)
    options = models.JSONField(default=dict)
    type = models.CharField(max_length=10, blank=True)
    source_config = models.TextField()
    config = models.TextField()
    state = models.CharField(max_length=20, choices=State, default=State.WAITING)
    phase = models.PositiveIntegerField(default=0)
    cancelling = models.BooleanField(default=False)
    log = models.JSONField(default=list)
    # Of the connector before anything was done to it: its state, and on how many workers its tasks ran.
    former_state = models.CharField(max_length=20, blank=True)
    former_workers = models.PositiveIntegerField(default=0)
    offsets = models.JSONField(null=True)
    offsets_back = models.JSONField(null=True)
    # What it waits for at this moment, and what it has failed of.
    waiting_for = models.TextField(blank=True)
    cause = models.TextField(blank=True)
    by = models.CharField(max_length=150)
    via = models.CharField(max_length=20)
    asked_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    claimed_by = models.CharField(max_length=200, blank=True)
    claimed_until = models.DateTimeField(null=True)

    class Meta:
        indexes = (models.Index(fields=("state", "asked_at"), name="moves_by_state"),)
        constraints = (
            models.UniqueConstraint(
                fields=("source_name", "connector"),
                condition=Q(state__in=("waiting", "running", "undoing")),
                name="one_move_of_a_connector",
            ),
            models.UniqueConstraint(
                fields=("target_name", "new_name"),
                condition=Q(state__in=("waiting", "running", "undoing")),
                name="one_move_to_a_name",
            ),
        )

    def __str__(self) -> str:
        return f"{self.connector}: {self.source_name} to {self.target_name}"
