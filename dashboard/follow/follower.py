"""Following one cluster: ask, write down, pass on; and go on, whatever of it fails."""

import logging
import threading
import time
from datetime import UTC, datetime

from django.db import DatabaseError, close_old_connections, connections

from connect_client import ConnectClient, ConnectError, Listing
from dashboard.follow.group import GroupFollower
from dashboard.follow.pace import Pace, after_answer, after_failures
from dashboard.follow.plugins import PluginFollower
from dashboard.follow.recorder import Recorded, Recorder
from dashboard.live.messages import connectors_changed, entry_of, refresh
from dashboard.live.publisher import Publisher
from dashboard.models import Cluster

logger = logging.getLogger(__name__)

# One dropped connection is not an outage: the banner waits for the second failure in a row, half a second later.
_FAILURES_TO_TELL = 2
# Workers are replaced by newer ones one after the other, and somebody answers all the while.
_VERSION_EVERY = 60.0


class Follower:
    """`step` asks once and returns the seconds to wait before the next; `run` does so until stopped."""

    def __init__(self, cluster: Cluster, client: ConnectClient, publisher: Publisher, pace: Pace | None = None) -> None:
        self.cluster = cluster
        self._client = client
        self._publisher = publisher
        self._pace = pace or Pace()
        self._recorder = Recorder(cluster)
        self._group = GroupFollower(cluster, client)
        self._plugins = PluginFollower(cluster, client)
        self._etag: str | None = None
        self._reached: bool | None = None
        self._version_holds_until = 0.0
        self._failures = 0
        self._broken_writes = 0

    def run(self, stop: threading.Event) -> None:
        delay = 0.0
        while not stop.wait(delay):
            close_old_connections()
            delay = self.step()
        connections.close_all()

    def step(self) -> float:
        try:
            return self._follow()
        except ConnectError as error:
            return self._unreachable(error)
        except DatabaseError as error:
            return self._not_recorded(error)
        except Exception:
            # An answer that nothing above foresaw must not end the thread: the pages would show old states as if they were new.
            logger.exception("following cluster %s failed", self.cluster)
            return self._pace.retry_longest

    def _follow(self) -> float:
        answer = self._client.changes(self._etag, self._group.hold)
        answered = time.monotonic()
        if isinstance(answer, Listing):
            recorded = self._recorder.listing(answer.entries, _now())
            self._etag = answer.etag
            self._publish(recorded)
        else:
            self._recorder.unchanged(_now())
        took = time.monotonic() - answered
        self._failures = 0
        if self._group.step(_now()):
            self._publisher.publish(refresh(self.cluster.name))
        self._tell_reached()
        self._plugins.step(_now())
        self._broken_writes = 0
        return after_answer(self._pace, holds=answer.holds, took=took)

    def _publish(self, recorded: Recorded) -> None:
        if recorded:
            self._publisher.publish(
                connectors_changed(self.cluster.name, [entry_of(row) for row in recorded.rows], recorded.gone)
            )

    def _tell_reached(self) -> None:
        known = bool(self._reached)
        if known and time.monotonic() < self._version_holds_until:
            return
        self._recorder.reached(self._version(), _now())
        self._version_holds_until = time.monotonic() + _VERSION_EVERY
        self._reached = True
        if not known:
            logger.info("cluster %s answers", self.cluster)
            self._publisher.publish(refresh(self.cluster.name))

    def _version(self) -> str | None:
        try:
            return self._client.root().version
        except ConnectError:
            # Nice to know, and no reason to call a cluster dead that has just listed its connectors.
            return None

    def _unreachable(self, error: ConnectError) -> float:
        self._failures += 1
        if self._failures >= _FAILURES_TO_TELL:
            self._tell_unreachable(error)
        return after_failures(self._pace, self._failures)

    def _tell_unreachable(self, error: ConnectError) -> None:
        try:
            self._recorder.unreachable(str(error), _now())
        except DatabaseError as failure:
            self._not_recorded(failure)
            return
        if self._reached is not False:
            logger.warning("cluster %s is unreachable: %s", self.cluster, error)
            self._publisher.publish(refresh(self.cluster.name))
        self._reached = False
        self._group.forget()
        self._plugins.forget()

    def _is_removed(self) -> bool:
        try:
            return not Cluster.objects.filter(pk=self.cluster.pk).exists()
        except DatabaseError:
            return False

    def _not_recorded(self, error: DatabaseError) -> float:
        self._broken_writes += 1
        if self._is_removed():
            logger.info("cluster %s was removed while it was being asked", self.cluster)
        elif self._broken_writes == 1:
            logger.error("what cluster %s told cannot be written down: %s", self.cluster, error)
        # Ask for the whole list again once the database is back, and trust nothing that is held of it.
        self._etag = None
        self._recorder.forget()
        self._group.forget()
        self._plugins.forget()
        connections.close_all()
        return after_failures(self._pace, self._broken_writes)


def _now() -> datetime:
    return datetime.now(UTC)
