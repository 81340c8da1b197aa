"""What only the leader does beside the callers' requests: it says what runs where, and commits the tasks that connectors want."""

import logging
import time
from collections.abc import Callable
from dataclasses import replace

from workers.herder.assignment import Places, assign
from workers.herder.membership import Member
from workers.herder.reconcile import tasks_outdated, wanted_instances
from workers.herder.states import State, TargetState
from workers.herder.topics import ActiveTopics
from workers.herder.values import InstanceId, TaskId, connector_of
from workers.storage import records
from workers.storage.assignment_store import Assignments, AssignmentStore
from workers.storage.config_store import ConfigStore
from workers.storage.log import Part, SoleWriter
from workers.storage.records import KeyValue
from workers.storage.status_store import StatusStore

logger = logging.getLogger(__name__)


class Leader:
    """Used on the herder's thread only. Every method that writes raises LogError, and Fenced when another worker leads by now.

    `homecoming` is for how many seconds a worker that left finds its own instances again (`scheduled.rebalance.max.delay.ms`).
    They do not wait for it: they run elsewhere meanwhile.
    """

    def __init__(
        self,
        configs: ConfigStore,
        statuses: StatusStore,
        assignments: AssignmentStore,
        writer: SoleWriter,
        topics: ActiveTopics,
        me: Member,
        homecoming: float,
        clock: Callable[[], float] = time.monotonic,
    ):
        self._configs = configs
        self._statuses = statuses
        self._assignments = assignments
        self._writer = writer
        self._topics = topics
        self._me = me
        self._homecoming = homecoming
        self._clock = clock
        self._members: frozenset[Member] = frozenset()
        #: instance → the worker that it ran on, and until when that is remembered
        self._homes: dict[InstanceId, tuple[str, float]] = {}
        self._least_epoch = 0
        self.leads = False
        #: No member came or went since the last assignment.
        self.settled = False

    def begin(self, members: frozenset[Member]) -> None:
        """Shuts out whoever led before, reads what he wrote, and takes over from there."""
        self._writer.claim()
        for log in (self._configs.log, self._statuses.log, self._assignments.log):
            log.read_to_end()
        # Statuses may be of an earlier cluster of another kind, with generations of its own: ours have to count as newer.
        seen = self._statuses.snapshot()
        statuses = [*seen.connectors.values(), *(status for tasks in seen.tasks.values() for status in tasks.values())]
        self._least_epoch = max((status.generation for status in statuses), default=0) + 1
        self.see(members, settled=True)
        self._bury()
        self.leads = True
        logger.info("Member %s leads", self._me)

    def end(self) -> None:
        if self.leads:
            logger.info("Member %s leads no more", self._me)
        self._writer.release()
        self.leads = self.settled = False

    def see(self, members: frozenset[Member], settled: bool) -> None:
        """Who is there."""
        self.settled = settled
        if settled:
            self._members = members
            self.balance()

    # --- what runs where ------------------------------------------------------------------------------------------------

    def balance(self) -> None:
        """Writes the assignment that fits what is wanted and who is there, if it is another one than that which holds."""
        now = self._assignments.snapshot()
        epoch = max(now.epoch + 1, self._least_epoch)
        wanted = [instance for entry in self._configs.snapshot().connectors.values() for instance in wanted_instances(entry)]
        self._remember_homes(now.places)
        homes = {instance: home for instance, (home, _) in self._homes.items()}
        places = assign(wanted, self._members, now.places, now.released, epoch, homes)
        changed = {connector_of(i) for i in {*places, *now.places} if places.get(i) != now.places.get(i)}
        if changed or now.leader != self._me or now.members != self._members:
            self._write(epoch, places, changed, now)

    def _write(self, epoch: int, places: Places, changed: set[str], now: Assignments) -> None:
        logger.info("Assignment %d: %d instance(s) on %d worker(s)", epoch, len(places), len(self._members))
        news = self._unassigned(now.places, epoch) + self._tombstones(places, now.places)
        also = [Part(self._statuses.log, news)] if news else []
        self._assignments.put(epoch, self._me, self._members, places, changed, also)
        self._forget(now, places)

    def _remember_homes(self, places: Places) -> None:
        now = self._clock()
        self._homes = {instance: home for instance, home in self._homes.items() if home[1] > now}
        for instance, place in places.items():
            if place.worker is not None and place.worker not in self._members:
                self._homes[instance] = (place.worker.worker_id, now + self._homecoming)

    def _unassigned(self, places: Places, epoch: int) -> list[KeyValue]:
        """UNASSIGNED for what ran on members that are gone: they cannot say it themselves."""
        lines = []
        for instance, place in places.items():
            seen = self._statuses.get(instance)
            if place.owner is None or place.owner in self._members or seen is None:
                continue
            if seen.state not in (State.UNASSIGNED, State.RESTARTING) and seen.worker_id == place.owner.worker_id:
                gone = replace(seen, state=State.UNASSIGNED, generation=epoch, trace=None, acted_on=None)
                lines.append(records.status_record(instance, gone))
        return lines

    def _tombstones(self, places: Places, before: Places) -> list[KeyValue]:
        """For what has stopped for good. Whoever ran it says nothing of it any more: all he said is in the topic by now."""
        return [records.status_record(instance, None) for instance in before if instance not in places]

    def _forget(self, now: Assignments, places: Places) -> None:
        named = {place.awaited.member for place in places.values() if place.awaited}
        # Only who was there and is not any more: who has said something and is not there yet is about to join.
        workers = [member for member in now.workers if member in now.members - self._members and member not in named]
        connectors = self._configs.snapshot().connectors
        self._assignments.forget(workers, [name for name in self._assignments.wanted_tasks() if name not in connectors])

    def _bury(self) -> None:
        """Deletes the statuses and topics of connectors and tasks that ceased to be while nobody was there to see."""
        seen = self._statuses.snapshot()
        instances: list[InstanceId] = [*seen.connectors, *(TaskId(name, n) for name, tasks in seen.tasks.items() for n in tasks)]
        held = self._assignments.snapshot().places
        for instance in instances:
            if instance not in held and instance not in wanted_instances(self._configs.entry(connector_of(instance))):
                self._statuses.put(instance, None)
        for name in seen.topics:
            if self._configs.entry(name) is None:
                self._topics.forget(name)

    # --- tasks ------------------------------------------------------------------------------------------------------------

    def commit_wanted_tasks(self, name: str) -> None:
        """Writes the task configs that the connector asked for, unless they are in force already."""
        wanted, entry = self._assignments.wanted_tasks().get(name), self._configs.entry(name)
        # Generated from a config that was replaced since, or for a connector that is to have no tasks: the newer word counts.
        if wanted is None or entry is None or entry.revision != wanted.revision or entry.target_state is TargetState.STOPPED:
            return
        configs = [dict(config) for config in wanted.configs]
        if tasks_outdated(entry, configs):
            self._configs.put_tasks(name, configs)
