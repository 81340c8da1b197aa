"""Who may do what."""

from django.conf import settings
from django.db import models

from dashboard.models.clusters import Cluster


class Grant(models.Model):
    """A user has a role (`dashboard.rights.roles.Role`) for those connectors of one cluster, or of each, whose names match
    `pattern`, with `*` and `?` as in a shell. Superusers need none."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="grants")
    role = models.PositiveSmallIntegerField()
    cluster = models.ForeignKey(Cluster, models.CASCADE, null=True, related_name="grants")
    pattern = models.CharField(max_length=300, default="*")

    def __str__(self) -> str:
        return f"{self.user} on {self.pattern}"


class FailedSignIn(models.Model):
    """A wrong password, kept as long as it slows down the next try. `account`: a digest of the name that was typed, which may
    have been anything, a password too."""

    account = models.CharField(max_length=64)
    address = models.CharField(max_length=100)
    at = models.DateTimeField()

    class Meta:
        indexes = (models.Index(fields=("at",), name="failed_sign_ins_by_time"),)

    def __str__(self) -> str:
        return f"{self.address} at {self.at}"


class Token(models.Model):
    """Signs automation in as its user, with no more than `role`. Only a digest of it is kept; `start` helps to tell it."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=100)
    role = models.PositiveSmallIntegerField()
    start = models.CharField(max_length=12)
    digest = models.CharField(max_length=64, unique=True)
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.name} of {self.user}"
