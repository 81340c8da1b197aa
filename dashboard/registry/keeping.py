"""Keeping the table of clusters in line with the file. Part of the control process."""

import logging
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from django.db import transaction

from dashboard.activity import Who, note
from dashboard.live.messages import CLUSTERS_CHANGED
from dashboard.live.publisher import publisher
from dashboard.models import Cluster, ClustersFile
from dashboard.registry import stored
from dashboard.registry.file import Unreadable, read_file
from dashboard.registry.wish import Wish

logger = logging.getLogger(__name__)

_BY = Who("the file of clusters", "automation")


class FileOfClusters:
    """`step` reads it again, a small file every few seconds: what it names, too, may be another by now, and a file that is
    replaced by a link to another tells nothing by its date."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._taken_up: tuple[Wish, ...] | None = None
        self._told: str | None = None

    def step(self) -> None:
        """Raises DatabaseError."""
        if not self._path:
            if self._told is None:
                ClustersFile.objects.all().delete()
                self._told = ""
            return
        try:
            wishes = read_file(Path(self._path))
            if wishes != self._taken_up:
                take_up(wishes)
                self._taken_up = wishes
                logger.info("%s names %d clusters", self._path, len(wishes))
                publisher().publish(CLUSTERS_CHANGED)
            self._tell("")
        except Unreadable as trouble:
            self._tell(str(trouble))

    def _tell(self, trouble: str) -> None:
        if trouble == self._told:
            return
        if trouble:
            logger.error("%s is not taken up, what it said before holds: %s", self._path, "; ".join(trouble.splitlines()))
        now = datetime.now(UTC)
        ClustersFile.objects.update_or_create(pk=1, defaults={"path": self._path, "read_at": now, "trouble": trouble})
        self._told = trouble
        publisher().publish(CLUSTERS_CHANGED)


@transaction.atomic
def take_up(wishes: Sequence[Wish]) -> None:
    """All of them or, raising Unreadable, none. Of those that are there, only the ones that came from a file are changed, and
    removed where it names them no more."""
    there = {cluster.name.lower(): cluster for cluster in Cluster.objects.all()}
    foreign = [found.name for wish in wishes if (found := there.get(wish.name.lower())) and found.origin != Cluster.Origin.FILE]
    if foreign:
        raise Unreadable("\n".join(f"{name}: There is a cluster of this name already, not from this file." for name in foreign))
    for wish in wishes:
        _put(there.pop(wish.name.lower(), None), wish)
    for cluster in there.values():
        if cluster.origin == Cluster.Origin.FILE:
            before = stored.settings_of(cluster)
            cluster.delete()
            note(_BY, "remove-cluster", cluster=cluster.name, before=before)


def _put(cluster: Cluster | None, wish: Wish) -> None:
    if cluster is None:
        cluster = Cluster(origin=Cluster.Origin.FILE)
        stored.put(cluster, wish)
        cluster.save()
        note(_BY, "add-cluster", cluster=cluster.name, after=stored.settings_of(cluster))
    elif stored.normal(stored.wish_of(cluster)) != stored.normal(wish):
        before = stored.settings_of(cluster)
        stored.put(cluster, wish)
        cluster.save()
        note(_BY, "change-cluster", cluster=cluster.name, before=before, after=stored.settings_of(cluster))
