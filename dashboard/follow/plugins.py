"""Following a cluster's plug-ins, beside its connectors: they change when workers are restarted, which is rarely."""

from datetime import datetime, timedelta

from connect_client import ConnectClient, ConnectError
from dashboard import plugins
from dashboard.models import Cluster, PluginSnapshot

_LIST_EVERY = timedelta(minutes=10)


class PluginFollower:
    """One small question a step: the list, or what one plug-in's config is."""

    def __init__(self, cluster: Cluster, client: ConnectClient) -> None:
        self._cluster = cluster
        self._client = client
        self.forget()

    def forget(self) -> None:
        """What answers next may be other workers, with other plug-ins."""
        self._listed_at: datetime | None = None
        self._undefined: list[PluginSnapshot] = []

    def step(self, now: datetime) -> None:
        """Raises DatabaseError. Whether the cluster can be reached is for the list of connectors to say."""
        try:
            if self._listed_at is None or now - self._listed_at >= _LIST_EVERY:
                self._listed_at = now
                plugins.refresh(self._cluster, self._client)
                self._undefined = list(
                    PluginSnapshot.objects.filter(cluster=self._cluster, definitions__isnull=True).order_by("-pk")
                )
            elif self._undefined:
                plugins.define(self._undefined.pop(), self._client)
        except ConnectError:
            return
