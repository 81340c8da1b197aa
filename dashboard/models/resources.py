"""Connectors as documents: what is wanted of them, and how far that is so."""

from django.db import models


class Resource(models.Model):
    """A document of `/api/v1/resources`. Whoever writes it here is the only writer of all but `status`, `observed_at` and the
    claim, which are the reconciler's.

    `body` is sealed: JSON of the `spec` (of a ConfigMap, of the `data`), which may hold secrets. `cluster_name` is what the label
    `strimzi.io/cluster` says. `applied`: the keys of annotations that were in the document as it was last applied.

    Reconciled when `due_at` has come (null: never by itself); `wake` counts the reasons to do so that came from outside, so that
    one that comes while it is under way is not lost. With `deleted_at` it goes when its connectors have gone.
    """

    class Kind(models.TextChoices):
        CONNECTOR = "kafkaconnector"
        MIRROR_MAKER = "kafkamirrormaker2"
        CONFIG_MAP = "configmap"

    kind = models.CharField(max_length=30, choices=Kind)
    name = models.CharField(max_length=1000)
    api_version = models.CharField(max_length=100)
    namespace = models.CharField(max_length=300, blank=True)
    labels = models.JSONField(default=dict)
    cluster_name = models.CharField(max_length=300, blank=True)
    body = models.TextField()
    applied = models.JSONField(default=list)
    generation = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField()
    deleted_at = models.DateTimeField(null=True)
    deleted_by = models.CharField(max_length=150, blank=True)
    status = models.JSONField(default=dict)
    observed_at = models.DateTimeField(null=True)
    due_at = models.DateTimeField(null=True)
    wake = models.PositiveIntegerField(default=0)
    claimed_by = models.CharField(max_length=200, blank=True)
    claimed_until = models.DateTimeField(null=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("kind", "name"), name="resource_once"),)
        indexes = (models.Index(fields=("due_at",), name="resources_by_due"),)

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}"


class ResourceAnnotation(models.Model):
    """One of a resource's annotations. Setting it anew makes another row, so that what is known of it is of this time.

    `state` is of one that asks for something: written before it is asked for, so that whoever comes after a crash knows that it
    may have been. `message`: what came of it, for the conditions.
    """

    class State(models.TextChoices):
        FRESH = "fresh"
        ASKING = "asking"
        FAILED = "failed"
        UNKNOWN = "unknown"

    resource = models.ForeignKey(Resource, models.CASCADE, related_name="annotations")
    key = models.CharField(max_length=300)
    value = models.TextField(blank=True)
    state = models.CharField(max_length=10, choices=State, default=State.FRESH)
    tried_at = models.DateTimeField(null=True)
    message = models.TextField(blank=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("resource", "key"), name="annotation_once"),)

    def __str__(self) -> str:
        return f"{self.key} of {self.resource_id}"


class ResourceConnector(models.Model):
    """A connector that a resource answers for. Written before it is created, gone after it was deleted, by the reconciler
    only.

    `written` and `told`: digests of the config that was written last and of what the cluster made of it; both empty until then.
    `state_asked`: the state that was last asked for. `seen`: the `version` of the follower's snapshot when its
    resource was last woken.
    `refused`: what the cluster last said no with. `drift_at` and `drift_keys`: what was last changed by others and put back.
    """

    resource = models.ForeignKey(Resource, models.CASCADE, related_name="connectors")
    cluster_name = models.CharField(max_length=300)
    connector = models.CharField(max_length=1000)
    written = models.CharField(max_length=64, blank=True)
    told = models.CharField(max_length=64, blank=True)
    state_asked = models.CharField(max_length=20, blank=True)
    state_asked_at = models.DateTimeField(null=True)
    seen = models.PositiveBigIntegerField(null=True)
    refused = models.TextField(blank=True)
    drift_at = models.DateTimeField(null=True)
    drift_keys = models.JSONField(default=list)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("cluster_name", "connector"), name="one_resource_of_a_connector"),)

    def __str__(self) -> str:
        return f"{self.connector} of {self.cluster_name}"
