"""What each cluster was last seen to hold. All of it can be thrown away: the follower writes it anew from the REST API."""

import secrets

from django.db import models

from dashboard.models.clusters import Cluster


def new_version() -> int:
    """Of a row as it is written now. Random, so that the sum of them tells any change of any row by any process, deletions too,
    whatever the clocks say; small enough for a sum of as many as there will ever be."""
    return secrets.randbits(40)


class ClusterSnapshot(models.Model):
    """How the last attempt to read a cluster went. The follower is the only writer."""

    cluster = models.OneToOneField(Cluster, models.CASCADE, primary_key=True, related_name="snapshot")
    version = models.CharField(max_length=100, blank=True)
    # When the list below was last known to be right, and when anything was last heard of the follower itself.
    fetched_at = models.DateTimeField(null=True)
    checked_at = models.DateTimeField()
    unreachable_since = models.DateTimeField(null=True)
    error = models.TextField(blank=True)

    def __str__(self) -> str:
        return f"snapshot of {self.cluster_id}"


class GroupSnapshot(models.Model):
    """The worker group of a cluster that tells of it, which is Drover's own way. `workers`: `dashboard.placement.memory.Seen`,
    those that left lately among them; `moving`: `[connector, task or null]` for what nobody runs at this moment.
    """

    cluster = models.OneToOneField(Cluster, models.CASCADE, primary_key=True, related_name="group")
    workers = models.JSONField(default=list)
    moving = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"worker group of {self.cluster_id}"


class ConnectorSnapshot(models.Model):
    """One connector as its cluster last told it. `info` and `status` are kept as they came; the counts beside them spare a
    page of thousands from reading them all.

    `version` is another one each time that the follower writes the row: `dashboard.index` holds what it has read by it.

    A restart that was asked for here is noted beside what was seen, never over it: see `dashboard.fleet.overlay`.
    """

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="connectors")
    name = models.CharField(max_length=1000)
    info = models.JSONField(null=True)
    status = models.JSONField(null=True)
    state = models.CharField(max_length=20)
    tasks = models.PositiveIntegerField(default=0)
    tasks_failed = models.PositiveIntegerField(default=0)
    connector_failed = models.BooleanField(default=False)
    # Since when the state is this one (unknown if it already was when the cluster was first read), and when anything changed.
    state_since = models.DateTimeField(null=True)
    changed_at = models.DateTimeField()
    restart_asked_at = models.DateTimeField(null=True)
    restart_answered_at = models.DateTimeField(null=True)
    restart_answer = models.JSONField(null=True)
    version = models.PositiveBigIntegerField(default=new_version)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("cluster", "name"), name="connector_once_per_cluster"),)
        # The first and the last are asked for each page; the documents would have to be read past.
        indexes = (
            models.Index(fields=("cluster", "version"), name="connector_versions"),
            # What has failed is looked for every second.
            models.Index(fields=("state",), name="connectors_by_state"),
            models.Index(
                fields=("restart_answered_at", "changed_at"),
                condition=models.Q(restart_answered_at__isnull=False),
                name="connectors_asked_to_restart",
            ),
        )

    def __str__(self) -> str:
        return self.name


class PluginSnapshot(models.Model):
    """A plug-in that a cluster has. `type` as Kafka Connect tells it, or empty before 2.0.

    `definitions` is what the cluster says of its config (KIP-769), null until it has been asked; `passwords` the names of those
    keys that are of type PASSWORD, apart, because every config that is shown needs them. `told_at`: when it was last listed.
    """

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="plugins")
    class_name = models.CharField(max_length=500)
    type = models.CharField(max_length=20, blank=True)
    version = models.CharField(max_length=100, blank=True)
    definitions = models.JSONField(null=True)
    passwords = models.JSONField(default=list)
    told_at = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("cluster", "class_name", "type", "version"), name="plugin_once"),)

    def __str__(self) -> str:
        return self.class_name
