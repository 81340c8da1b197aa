"""What the control room keeps: the clusters it looks after, and what each was last seen to hold.

Everything here but the clusters themselves can be thrown away: the follower writes it anew from the REST API.
"""

from django.db import models


class Cluster(models.Model):
    """A Connect cluster, known by nothing but the URL of its REST API."""

    name = models.SlugField(max_length=100, unique=True)
    url = models.URLField(max_length=500)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


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
    restart_answer = models.JSONField(null=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("cluster", "name"), name="connector_once_per_cluster"),)

    def __str__(self) -> str:
        return self.name
