"""The clusters that the control room looks after."""

from django.db import models


class Cluster(models.Model):
    """A Connect cluster, known by nothing but its REST API. `urls`: one or more that lead to it, the first is tried first.

    `secret` (a password or a bearer token) and `private_key` are sealed (`dashboard.sealed`). `bootstrap_servers`, if given, are
    its Kafka's: for the lag of sinks on a cluster that does not tell it.
    """

    class Auth(models.TextChoices):
        NONE = "none"
        BASIC = "basic"
        BEARER = "bearer"

    class Origin(models.TextChoices):
        """Who says what it is: Drover itself of its own, somebody in the control room, or a file that is read at each start."""

        OWN = "own"
        ROOM = "room"
        FILE = "file"

    name = models.SlugField(max_length=100, unique=True)
    urls = models.JSONField(default=list)
    auth = models.CharField(max_length=10, choices=Auth, default=Auth.NONE)
    username = models.CharField(max_length=200, blank=True)
    secret = models.TextField(blank=True)
    # PEM: whom to trust in place of the usual authorities, and what to show.
    authorities = models.TextField(blank=True)
    certificate = models.TextField(blank=True)
    private_key = models.TextField(blank=True)
    # How often a cluster is asked that does not hold requests.
    poll_seconds = models.FloatField(default=1.0)
    bootstrap_servers = models.CharField(max_length=1000, blank=True)
    origin = models.CharField(max_length=10, choices=Origin, default=Origin.ROOM)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name

    @property
    def url(self) -> str:
        """The one to show, and to write into commands that are to be copied."""
        return str(self.urls[0])


class ClustersFile(models.Model):
    """How the file of clusters was read last (`dashboard.registry.file`); one row, or none where no file is named. The control
    process is the only writer. `trouble`: why it was not taken up; what it said before still holds then."""

    path = models.CharField(max_length=1000)
    read_at = models.DateTimeField()
    trouble = models.TextField(blank=True)

    def __str__(self) -> str:
        return self.path
