"""Whose word on a cluster counts."""

from django.conf import settings

from dashboard.models import Cluster


def why_fixed(cluster: Cluster) -> str:
    """Why it cannot be changed or removed here; empty where it can."""
    if cluster.origin == Cluster.Origin.OWN:
        return "This is Drover's own cluster. It is reached where this installation listens, which its settings say."
    if cluster.origin == Cluster.Origin.FILE and settings.CLUSTERS_FILE:
        return f"This cluster comes from {settings.CLUSTERS_FILE} (DROVER_CLUSTERS_FILE). Change it there."
    return ""
