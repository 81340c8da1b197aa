"""What was done to offsets."""

from django.db import models

from dashboard.models.clusters import Cluster


class OffsetChange(models.Model):
    """A change of a connector's offsets that was asked for here. Written before it is asked for, so that what was there can be
    put back whatever happens; its outcome follows.

    `before` and `after` hold `{"partition", "offset"}` of each partition that changes, as on the wire; null is no offset.
    """

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="offset_changes")
    connector = models.CharField(max_length=1000)
    asked_at = models.DateTimeField()
    by = models.CharField(max_length=150)
    # `dashboard.offsets.history.Deed` and `Outcome`.
    deed = models.CharField(max_length=20)
    before = models.JSONField()
    after = models.JSONField()
    outcome = models.CharField(max_length=20, default="unknown")
    message = models.TextField(blank=True)

    class Meta:
        indexes = (models.Index(fields=("cluster", "connector", "-asked_at"), name="offset_changes_newest_first"),)

    def __str__(self) -> str:
        return f"{self.deed} of {self.connector}"
