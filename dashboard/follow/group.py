"""Following the worker group of a cluster, beside its connectors, where it is told."""

from datetime import datetime

from connect_client import ConnectClient, ConnectError, ConnectNotFound, ConnectUnexpected, Unchanged
from connect_client.shapes import Group
from dashboard.follow.pace import HOLD, HOLD_WITH_GROUP
from dashboard.models import Cluster, GroupSnapshot
from dashboard.placement.memory import Seen, remember


class GroupFollower:
    """Asks after each list of connectors, until it is answered that there is nothing to ask for."""

    def __init__(self, cluster: Cluster, client: ConnectClient) -> None:
        self._cluster = cluster
        self._client = client
        self.forget()

    def forget(self) -> None:
        """What answers next may be another server, or what is held may not be what is stored."""
        self._tells: bool | None = None
        self._etag: str | None = None

    @property
    def hold(self) -> int:
        """How long a list of connectors may be held back without the group being looked at."""
        return HOLD_WITH_GROUP if self._tells else HOLD

    def step(self, now: datetime) -> bool:
        """Whether what is kept of the group has changed. Raises DatabaseError."""
        if self._tells is False:
            return False
        try:
            answer = self._client.workers(self._etag)
        except (ConnectNotFound, ConnectUnexpected):
            self._tells = False
            return bool(GroupSnapshot.objects.filter(cluster=self._cluster).delete()[0])
        except ConnectError:
            # Whether the cluster can be reached is for the list of connectors to say.
            return False
        self._tells = True
        if isinstance(answer, Unchanged):
            return False
        self._record(answer, now)
        self._etag = answer.etag
        return True

    def _record(self, group: Group, now: datetime) -> None:
        stored = GroupSnapshot.objects.filter(cluster=self._cluster).first()
        before = [Seen.from_json(seen) for seen in stored.workers] if stored else []
        workers = [seen.to_json() for seen in remember(before, group.workers, now)]
        moving = [[instance.connector, instance.task] for instance in group.moving]
        GroupSnapshot.objects.update_or_create(cluster=self._cluster, defaults={"workers": workers, "moving": moving})
