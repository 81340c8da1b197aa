"""The status store: the last seen state of each connector and task, and the topics that each connector was seen to use."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from workers.herder.states import State
from workers.herder.values import InstanceId, Status, TaskId, TopicStatus
from workers.storage import records
from workers.storage.log import Log, LogRecord, Positions, tell_unreadable

Listener = Callable[[InstanceId, Status | None], None]
_READ_BACK = 10.0
K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class StatusSnapshot:
    """The status topic as of `version`. The mappings are never changed after they were made."""

    version: int
    connectors: Mapping[str, Status]
    #: connector → task number → status
    tasks: Mapping[str, Mapping[int, Status]]
    #: connector → its active topics (KIP-558)
    topics: Mapping[str, frozenset[str]] = field(default_factory=dict)


def outdated(seen: Status | None, incoming: Status) -> bool:
    """Whether a record tells of the past: of an assignment that holds no more, or of before a restart that was promised."""
    if seen is None:
        return False
    if incoming.generation < seen.generation:
        # Also of the same worker: a former life of it, perhaps, that was halted.
        return True
    if seen.state is State.RESTARTING and seen.acted_on is not None and incoming.acted_on is not None:
        return incoming.acted_on < seen.acted_on
    # As in Kafka Connect: who leaves cannot unassign what runs elsewhere by now.
    return (
        incoming.state is State.UNASSIGNED
        and seen.state is State.RUNNING
        and seen.worker_id != incoming.worker_id
        and seen.generation >= incoming.generation
    )


def may_write(seen: Status | None, incoming: Status) -> bool:
    """Whether a worker may still speak for an instance: it wrote last, or its assignment is no older."""
    return seen is None or seen.worker_id == incoming.worker_id or seen.generation <= incoming.generation


class StatusStore:
    def __init__(self, log: Log) -> None:
        self.log = log
        self._connectors: dict[str, Status] = {}
        self._tasks: dict[str, dict[int, Status]] = {}
        self._topics: dict[str, frozenset[str]] = {}
        self._lock = threading.Lock()
        self._version = 0
        self._snapshot: StatusSnapshot | None = None
        self._listener: Listener | None = None
        self._on_disowned: Callable[[InstanceId], None] | None = None

    def start(self, listener: Listener | None = None, on_disowned: Callable[[InstanceId], None] | None = None) -> None:
        """`on_disowned` hears of instances of which somebody has said something who has no say in them any more."""
        self.log.start(self._on_record)
        with self._lock:
            self._listener = listener
            self._on_disowned = on_disowned

    def _on_record(self, record: LogRecord) -> None:
        if (key := records.topic_key(record.key)) is not None:
            if record.value is None or records.topic_of(record.value) is not None:
                self._on_topic(*key, used=record.value is not None)
            else:
                tell_unreadable("status", record)
            return
        instance = records.status_instance(record.key)
        status = records.status_of(record.value, record.headers)
        if instance is None or (status is None and record.value is not None):
            tell_unreadable("status", record)
            return
        with self._lock:
            seen = self._get(instance)
            past = status is not None and outdated(seen, status)
            if not past:
                self._set(instance, None if status is not None and status.state is State.DESTROYED else status)
                self._version += 1
                self._snapshot = None
            listener, on_disowned = self._listener, self._on_disowned
        if not past and listener is not None:
            listener(instance, status)
        # One's own word of before a promise is followed by a newer one anyway.
        if past and on_disowned is not None and seen is not None and status is not None and seen.worker_id != status.worker_id:
            on_disowned(instance)

    def _on_topic(self, connector: str, topic: str, *, used: bool) -> None:
        with self._lock:
            known = self._topics.get(connector, frozenset())
            _put(self._topics, connector, (known | {topic} if used else known - {topic}) or None)
            self._version += 1
            self._snapshot = None

    def _get(self, instance: InstanceId) -> Status | None:
        if isinstance(instance, TaskId):
            return self._tasks.get(instance.connector, {}).get(instance.task)
        return self._connectors.get(instance)

    def _set(self, instance: InstanceId, status: Status | None) -> None:
        if isinstance(instance, str):
            _put(self._connectors, instance, status)
            return
        # A new inner mapping each time: a snapshot may hold the old one.
        tasks = dict(self._tasks.get(instance.connector, {}))
        _put(tasks, instance.task, status)
        _put(self._tasks, instance.connector, tasks or None)

    def get(self, instance: InstanceId) -> Status | None:
        with self._lock:
            return self._get(instance)

    def snapshot(self) -> StatusSnapshot:
        with self._lock:
            if self._snapshot is None:
                self._snapshot = StatusSnapshot(self._version, dict(self._connectors), dict(self._tasks), dict(self._topics))
            return self._snapshot

    def topics(self, connector: str) -> frozenset[str]:
        with self._lock:
            return self._topics.get(connector, frozenset())

    def put_topic(self, status: TopicStatus) -> None:
        """Writes without waiting."""
        self.log.submit([records.topic_record(status)])

    def forget_topic(self, connector: str, topic: str) -> None:
        """Deletes without waiting."""
        self.log.submit([records.topic_tombstone(connector, topic)])

    def put(self, instance: InstanceId, status: Status | None) -> None:
        """Writes without waiting; None deletes. The newest write of one thread for one instance wins."""
        if status is None or may_write(self.get(instance), status):
            self.log.submit([records.status_record(instance, status)])

    def flush(self) -> Positions:
        """Waits until every `put` is durable and shows here; returns positions by which any reader has seen them.
        Raises LogError."""
        positions = self.log.flush()
        self.log.wait_for(positions, _READ_BACK)
        return positions

    def stop(self) -> None:
        self.log.stop()


def _put(mapping: dict[K, V], key: K, value: V | None) -> None:
    if value is None:
        mapping.pop(key, None)
    else:
        mapping[key] = value
