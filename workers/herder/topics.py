"""Which topics a connector uses (KIP-558): recorded in the status topic when a task has first written to or read from one."""

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from workers.herder.errors import Forbidden
from workers.herder.values import TaskId, TopicStatus
from workers.storage.status_store import StatusStore


@dataclass(frozen=True, slots=True)
class TopicTracking:
    """`topic.tracking.enable` and `topic.tracking.allow.reset`."""

    enabled: bool = True
    allow_reset: bool = True

    def check(self) -> None:
        """Raises Forbidden unless topics are tracked."""
        if not self.enabled:
            raise Forbidden("Topic tracking is disabled.")

    def check_reset(self) -> None:
        """Raises Forbidden unless they are, and may be reset."""
        self.check()
        if not self.allow_reset:
            raise Forbidden("Topic tracking reset is disabled.")


#: Kafka Connect's defaults.
TRACKING = TopicTracking()


class ActiveTopics:
    """Writes what the tasks of this worker use. `exists` says whether there is a connector of a name.

    `forget` also deletes what was written and not yet read back, and both write under one lock: a topic that a task reports
    while its connector is being deleted either goes with the others or, coming later, is not written any more.
    """

    def __init__(
        self,
        statuses: StatusStore,
        exists: Callable[[str], bool],
        tracking: TopicTracking = TRACKING,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._statuses = statuses
        self._exists = exists
        self._tracking = tracking
        self._clock = clock
        self._lock = threading.Lock()
        #: Connector → what was written here, read back or not.
        self._written: dict[str, set[str]] = {}

    def record(self, task: TaskId, topics: Iterable[str]) -> None:
        """Notes that the task has just used these topics. Cheap where they are known already: it is called for every job."""
        if not self._tracking.enabled:
            return
        new = set(topics) - self._statuses.topics(task.connector)
        if not new:
            return
        with self._lock:
            if not self._exists(task.connector):
                return
            for topic in sorted(new):
                self._statuses.put_topic(TopicStatus(topic, task, int(self._clock() * 1000)))
            self._written.setdefault(task.connector, set()).update(new)

    def forget(self, connector: str) -> None:
        """Deletes the connector's topics: it was deleted, or somebody asked for it. They come back with the next record."""
        with self._lock:
            for topic in sorted(self._statuses.topics(connector) | self._written.pop(connector, set())):
                self._statuses.forget_topic(connector, topic)
