"""A cluster of the control room as a document of kind KafkaConnect: what the follower knows of it, to be read only."""

from datetime import UTC, datetime
from typing import Any

from dashboard import queries
from dashboard.fleet.clusters import Contact
from dashboard.models import Cluster
from dashboard.resources import conditions, documents
from dashboard.resources.conditions import Condition

_WHY = {
    Contact.UNFOLLOWED: "The control process is silent: what is known of the cluster is old.",
    Contact.AWAITED: "The cluster has not been read yet.",
}


def document(cluster: Cluster) -> dict[str, Any]:
    """`cluster`'s snapshot and plug-ins are loaded."""
    now = datetime.now(UTC)
    view = queries.cluster_view(cluster, now)
    ready = conditions.READY if view.live else _not_ready(view.contact, view.error)
    told = [{"class": one.class_name, "type": one.type, "version": one.version} for one in cluster.plugins.all()]
    status: dict[str, Any] = {"conditions": conditions.told([ready], (), view.since or view.fetched_at or now)}
    if view.version:
        status["version"] = view.version
    return {
        "apiVersion": documents.API_VERSIONS[0],
        "kind": "KafkaConnect",
        # Each of its connectors may have a resource, and none has to.
        "metadata": {"name": cluster.name, "labels": {}, "annotations": {"strimzi.io/use-connector-resources": "true"}},
        "spec": {},
        "status": {**status, "url": cluster.url, "connectorPlugins": told},
    }


def _not_ready(contact: Contact, error: str) -> Condition:
    return conditions.not_ready("ConnectTimeoutException", _WHY.get(contact) or error)
