"""What somebody wants to be told of, and what they were told."""

from uuid import uuid4

from django.db import models

from dashboard.models.clusters import Cluster


class AlertRule(models.Model):
    """What is worth telling (`dashboard.alerts.decide`), and whom. `states`: of `connect_client.states`, GIVEN UP or
    UNREACHABLE.

    `address` (a URL, which may be a secret by itself, or e-mail addresses) and `key` (PagerDuty's) are sealed. Its messages are
    sent by one control process at a time: `claimed_by` until `claimed_until`.
    """

    class Channel(models.TextChoices):
        WEBHOOK = "webhook"
        SLACK = "slack"
        TEAMS = "teams"
        PAGERDUTY = "pagerduty", "PagerDuty"
        EMAIL = "email", "E-mail"

    name = models.CharField(max_length=100, unique=True)
    enabled = models.BooleanField(default=True)
    cluster = models.ForeignKey(Cluster, models.CASCADE, null=True, related_name="alert_rules")
    pattern = models.CharField(max_length=300, default="*")
    states = models.JSONField(default=list)
    lasting_seconds = models.PositiveIntegerField(default=60)
    text = models.CharField(max_length=300, blank=True)
    channel = models.CharField(max_length=10, choices=Channel, default=Channel.WEBHOOK)
    address = models.TextField()
    key = models.TextField(blank=True)
    claimed_by = models.CharField(max_length=200, blank=True)
    claimed_until = models.DateTimeField(null=True)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class AlertDelivery(models.Model):
    """One message of a rule: that alerts have begun, or have ended. Sent after all before it, again and again until it is taken
    (`done_at`) or not worth it any more (`gave_up_at`). The id stays the same over all attempts."""

    id = models.UUIDField(primary_key=True, default=uuid4)
    rule = models.ForeignKey(AlertRule, models.CASCADE, related_name="deliveries")
    ended = models.BooleanField()
    made_at = models.DateTimeField()
    attempts = models.PositiveIntegerField(default=0)
    next_try_at = models.DateTimeField()
    done_at = models.DateTimeField(null=True)
    gave_up_at = models.DateTimeField(null=True)
    error = models.TextField(blank=True)

    class Meta:
        indexes = (models.Index(fields=("rule", "made_at"), name="alert_deliveries_in_order"),)

    def __str__(self) -> str:
        return f"message {self.id} of {self.rule_id}"


class Alert(models.Model):
    """It is so, for one connector, or for a cluster (`connector` empty), `since`; told as of `began_at`, which is null for as
    long as it has not lasted long enough. `clear_since`: it is not so any more, and may yet be again."""

    id = models.UUIDField(primary_key=True, default=uuid4)
    rule = models.ForeignKey(AlertRule, models.CASCADE, related_name="alerts")
    # Names stay when what they are of is gone.
    cluster = models.CharField(max_length=100)
    connector = models.CharField(max_length=1000, blank=True)
    state = models.CharField(max_length=20)
    cause = models.TextField(blank=True)
    since = models.DateTimeField()
    began_at = models.DateTimeField(null=True)
    clear_since = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    # Why it ended, where that is another reason than that it is not so any more.
    why = models.CharField(max_length=200, blank=True)
    began_message = models.ForeignKey(AlertDelivery, models.SET_NULL, null=True, related_name="begun")
    ended_message = models.ForeignKey(AlertDelivery, models.SET_NULL, null=True, related_name="ended_ones")

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("rule", "cluster", "connector"), condition=models.Q(ended_at=None), name="alert_open_once"
            ),
        )
        indexes = (models.Index(fields=("-ended_at",), name="alerts_newest_first"),)

    def __str__(self) -> str:
        return f"{self.state} of {self.cluster}/{self.connector}"
