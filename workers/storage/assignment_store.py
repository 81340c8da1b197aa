"""The assignment store: who leads, what runs where, and what workers tell the leader. One partition, so all of it is in order.

| key | value | written by |
|---|---|---|
| `leader` | `{"epoch", "leader", "members"}` | leader |
| `assignment-<connector>` | `{"epoch", "connector": place, "tasks": {"0": place}}` | leader |
| `worker-<member>` | `{"released": epoch, …}` | that worker: what was taken from it up to this epoch has stopped |
| | `{"released": null, …}` | that worker, before it leaves: everything has stopped |
| `tasks-<connector>` | `{"revision", "tasks": [config]}` | the worker that runs the connector: the tasks that it wants |

A place is `"worker"`, or `{"worker", "awaited", "epoch"}` while somebody still has to stop the instance.
"""

import logging
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workers.herder.assignment import Place, Places, Release
from workers.herder.membership import Member, member_of
from workers.herder.values import Config, InstanceId, TaskId
from workers.storage import records
from workers.storage.log import Log, LogRecord, Part, Positions, SoleWriter
from workers.storage.records import KeyValue

logger = logging.getLogger(__name__)

#: Released up to this epoch: all that there was and may be.
EVERYTHING = sys.maxsize

LEADER, ASSIGNMENT, WORKER, TASKS = "leader", "assignment-", "worker-", "tasks-"


@dataclass(frozen=True, slots=True)
class WantedTasks:
    """What a connector asked for, from its config of `revision` (an offset in the config topic)."""

    revision: int
    configs: Sequence[Config]


@dataclass(frozen=True, slots=True)
class AssignmentEvent:
    """`connector` is set when its places or wanted tasks changed; `wants` tells the two apart."""

    connector: str | None = None
    wants: bool = False
    #: Who has said something of himself, or of whom nothing is said any more.
    worker: Member | None = None
    #: The epoch of an assignment of which all records have been met.
    complete: int | None = None


@dataclass(frozen=True, slots=True)
class Assignments:
    """Everything as of one moment. The mappings are never changed after they were made."""

    epoch: int = 0
    leader: Member | None = None
    members: frozenset[Member] = frozenset()
    places: Places = field(default_factory=dict)
    released: Mapping[Member, int] = field(default_factory=dict)
    #: What each worker says of itself: `started` (epoch milliseconds), `pid`, `host`, `version`.
    workers: Mapping[Member, Mapping[str, object]] = field(default_factory=dict)


Listener = Callable[[AssignmentEvent], None]


class AssignmentStore:
    def __init__(self, log: Log, writer: SoleWriter | None = None) -> None:
        self.log = log
        self._writer = writer
        self._lock = threading.Lock()
        self._listener: Listener | None = None
        self._epoch = 0
        self._leader: Member | None = None
        self._members: frozenset[Member] = frozenset()
        self._places: dict[str, dict[InstanceId, Place]] = {}
        self._workers: dict[Member, dict[str, Any]] = {}
        self._wanted: dict[str, WantedTasks] = {}
        #: One more with each record.
        self.version = 0

    def start(self, listener: Listener | None = None) -> None:
        self.log.start(self._on_record)
        with self._lock:
            self._listener = listener

    def stop(self) -> None:
        self.log.stop()

    # --- reading ------------------------------------------------------------------------------------------------------

    def _on_record(self, record: LogRecord) -> None:
        key, value = record.key.decode(errors="replace"), records.decode_map(record.value)
        with self._lock:
            try:
                event = self._delete(key) if record.value is None else self._apply(key, value or {})
            except (KeyError, TypeError, ValueError, AttributeError):
                # One bad record must not stop what runs, nor make two workers run it.
                logger.warning("Record %s at offset %d of the membership topic cannot be read and is ignored", key, record.offset)
                return
            self.version += 1
            listener = self._listener
        if event is not None and listener is not None:
            listener(event)

    def _delete(self, key: str) -> AssignmentEvent | None:
        if key.startswith(ASSIGNMENT):
            name = key.removeprefix(ASSIGNMENT)
            self._places.pop(name, None)
            return AssignmentEvent(name)
        if key.startswith(WORKER) and (member := member_of(key.removeprefix(WORKER))):
            self._workers.pop(member, None)
            return AssignmentEvent(worker=member)
        if key.startswith(TASKS):
            self._wanted.pop(key.removeprefix(TASKS), None)
        return None

    def _apply(self, key: str, value: dict[str, Any]) -> AssignmentEvent | None:
        """Reads all of it before it changes anything."""
        if key == LEADER:
            epoch, leader, members = int(value["epoch"]), member_of(value["leader"]), [member_of(m) for m in value["members"]]
            self._epoch, self._leader, self._members = max(self._epoch, epoch), leader, frozenset(filter(None, members))
            return AssignmentEvent(complete=epoch)
        if key.startswith(ASSIGNMENT):
            name, epoch = key.removeprefix(ASSIGNMENT), int(value["epoch"])
            places: dict[InstanceId, Place] = {TaskId(name, int(task)): _place(raw) for task, raw in value["tasks"].items()}
            if value["connector"] is not None:
                places[name] = _place(value["connector"])
            self._epoch, self._places[name] = max(self._epoch, epoch), places
            return AssignmentEvent(name)
        if key.startswith(WORKER) and (member := member_of(key.removeprefix(WORKER))):
            _released(value)
            if value:
                self._workers[member] = value
            return AssignmentEvent(worker=member)
        if key.startswith(TASKS):
            name = key.removeprefix(TASKS)
            self._wanted[name] = WantedTasks(int(value["revision"]), [dict(config) for config in value["tasks"]])
            return AssignmentEvent(name, wants=True)
        return None

    @property
    def epoch(self) -> int:
        with self._lock:
            return self._epoch

    @property
    def leader(self) -> Member | None:
        with self._lock:
            return self._leader

    def knows(self, worker: Member) -> bool:
        with self._lock:
            return worker in self._workers

    def places(self, connector: str) -> Places:
        with self._lock:
            return self._places.get(connector, {})

    def holds_tasks(self, connector: str) -> bool:
        """Whether a task of it may run somewhere."""
        return any(isinstance(instance, TaskId) for instance in self.places(connector))

    def owner(self, instance: InstanceId) -> Member | None:
        """Who runs it; None while nobody may."""
        place = self.places(instance.connector if isinstance(instance, TaskId) else instance).get(instance)
        return place.owner if place else None

    def wanted_tasks(self) -> Mapping[str, WantedTasks]:
        with self._lock:
            return dict(self._wanted)

    def snapshot(self) -> Assignments:
        with self._lock:
            places = {instance: place for of_one in self._places.values() for instance, place in of_one.items()}
            released = {member: _released(told) for member, told in self._workers.items()}
            return Assignments(self._epoch, self._leader, self._members, places, released, dict(self._workers))

    # --- the leader's writes ------------------------------------------------------------------------------------------

    def put(
        self, epoch: int, leader: Member, members: frozenset[Member], places: Places, changed: set[str], also: Sequence[Part] = ()
    ) -> Positions:
        """The new places of the connectors in `changed`, in one write with `also`. Raises LogError, Fenced."""
        head = {"epoch": epoch, "leader": str(leader), "members": sorted(map(str, members))}
        by_connector: dict[str, dict[InstanceId, Place]] = {name: {} for name in sorted(changed)}
        for instance, place in places.items():
            name = instance.connector if isinstance(instance, TaskId) else instance
            if name in by_connector:
                by_connector[name][instance] = place
        lines = [_assignment_record(epoch, name, of_one) for name, of_one in by_connector.items()]
        # The last: whoever meets it has met all of the assignment.
        lines.append(KeyValue(LEADER.encode(), records.encode(head)))
        assert self._writer is not None, "this process never leads"
        return self._writer.write([Part(self.log, lines), *also])[0]

    def forget(self, workers: Sequence[Member], wanted_tasks: Sequence[str]) -> None:
        """Deletes what nobody needs any more. Raises LogError, Fenced."""
        keys = [f"{WORKER}{member}" for member in workers] + [f"{TASKS}{name}" for name in wanted_tasks]
        if keys:
            assert self._writer is not None, "this process never leads"
            self._writer.write([Part(self.log, [KeyValue(key.encode(), None) for key in keys])])

    # --- every worker's writes ----------------------------------------------------------------------------------------

    def tell(self, me: Member, about: Mapping[str, object]) -> None:
        """What this worker says of itself. Does not wait."""
        self.log.submit([KeyValue(f"{WORKER}{me}".encode(), records.encode(dict(about)))])

    def take_leave(self, me: Member) -> None:
        """All that this worker ran has stopped, and it begins nothing any more. Does not wait."""
        self.tell(me, {"released": None})

    def want_tasks(self, name: str, revision: int, configs: Sequence[Config]) -> None:
        """Does not wait: the leader will see it."""
        value = {"revision": revision, "tasks": [dict(config) for config in configs]}
        self.log.submit([KeyValue(f"{TASKS}{name}".encode(), records.encode(value))])


def _assignment_record(epoch: int, name: str, places: Places) -> KeyValue:
    key = f"{ASSIGNMENT}{name}".encode()
    if not places:
        return KeyValue(key, None)
    tasks = {str(i.task): _raw(place) for i, place in places.items() if isinstance(i, TaskId)}
    value = {"epoch": epoch, "connector": _raw(places[name]) if name in places else None, "tasks": tasks}
    return KeyValue(key, records.encode(value))


def _released(told: Mapping[str, Any]) -> int:
    """Up to which epoch a worker has released what was taken from it."""
    released = told.get("released", -1)
    return EVERYTHING if released is None else int(released)


def _raw(place: Place) -> object:
    worker = str(place.worker) if place.worker else None
    if place.awaited is None:
        return worker or {"worker": None}
    return {"worker": worker, "awaited": str(place.awaited.member), "epoch": place.awaited.epoch}


def _place(raw: Any) -> Place:
    if isinstance(raw, str):
        return Place(member_of(raw))
    worker = member_of(raw["worker"]) if raw["worker"] else None
    awaited = member_of(raw["awaited"]) if raw.get("awaited") else None
    return Place(worker, Release(awaited, int(raw["epoch"])) if awaited else None)
