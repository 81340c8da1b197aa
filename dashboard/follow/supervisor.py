"""A follower thread for every registered cluster, started and ended as clusters come and go."""

import logging
import threading
from dataclasses import dataclass

from django.conf import settings

from dashboard.clusters import Access, access, connect, register_own
from dashboard.control.rounds import Rounds
from dashboard.follow.follower import Follower
from dashboard.follow.pace import Pace
from dashboard.live.publisher import Publisher
from dashboard.models import Cluster
from dashboard.registry.keeping import FileOfClusters

logger = logging.getLogger(__name__)

_LOOK_EVERY = 5.0
# Short enough that a cluster that hangs is told dead before its silence could be taken for the follower's (fleet/clusters.py).
_TIMEOUT = 8.0


@dataclass(frozen=True, slots=True)
class How:
    """What a follower begins with; where it changes, another one takes over."""

    access: Access
    poll: float


@dataclass(frozen=True, slots=True)
class Running:
    how: How
    stop: threading.Event


class Followers:
    """`step` brings the threads in line with the table of clusters; the database may be away, the threads go on."""

    def __init__(self) -> None:
        self._running: dict[int, Running] = {}
        self._file = FileOfClusters(settings.CLUSTERS_FILE)
        self._rounds = Rounds("followers", self.step, _LOOK_EVERY, purpose="looking for clusters")

    def start(self) -> None:
        self._rounds.start()

    def stop(self) -> None:
        """At once: the threads are daemons, and one that waits for an answer has nothing in hand that could be lost."""
        self._rounds.stop()
        for running in self._running.values():
            running.stop.set()

    def step(self) -> None:
        register_own()
        self._file.step()
        clusters = {cluster.pk: cluster for cluster in Cluster.objects.all()}
        for pk, running in list(self._running.items()):
            if pk not in clusters or _how(clusters[pk]) != running.how:
                running.stop.set()
                del self._running[pk]
        for pk, cluster in clusters.items():
            if pk not in self._running:
                self._running[pk] = _follow(cluster)


def _how(cluster: Cluster) -> How:
    return How(access(cluster), cluster.poll_seconds)


def _follow(cluster: Cluster) -> Running:
    how = _how(cluster)
    follower = Follower(cluster, connect(how.access, timeout=_TIMEOUT), Publisher(settings.REDIS_URL), Pace(poll=how.poll))
    running = Running(how, threading.Event())
    threading.Thread(target=follower.run, args=(running.stop,), name=f"follow-{cluster}", daemon=True).start()
    return running
