"""What only the leader does beside the callers' requests: it says what runs where, and commits the tasks that connectors want."""

import logging
import time
from collections.abc import Callable
from dataclasses import replace

from workers.herder.assignment import Place, Places, assign, changes
from workers.herder.membership import Member
from workers.herder.reconcile import counts_for, instances, tasks_outdated, wanted_instances
from workers.herder.stages import INITIALIZING, Stages
from workers.herder.states import State
from workers.herder.topics import ActiveTopics
from workers.herder.values import InstanceId, TaskId, connector_of
from workers.storage import records
from workers.storage.assignment_store import EVERYTHING, Assignments, AssignmentStore
from workers.storage.config_store import ConfigStore
from workers.storage.log import Part, SoleWriter
from workers.storage.offset_stores import OffsetStores
from workers.storage.records import KeyValue
from workers.storage.status_store import StatusStore

logger = logging.getLogger(__name__)

#: The epoch as of which offsets are altered → what is to be written for it; nothing where there is nothing to write.
OffsetParts = Callable[[int], list[Part]]


def no_offsets(epoch: int) -> list[Part]:
    return []


class Leader:
    """Used on the herder's thread only. Every method that writes raises LogError, and Fenced when another worker leads by now.

    `homecoming` is for how many seconds a worker that left finds its own instances again (`scheduled.rebalance.max.delay.ms`).
    They do not wait for it: they run elsewhere meanwhile. But first, if it left without a word, they wait for `grace` seconds, in
    which it may not know yet that it is out (`Group.grace`).
    """

    def __init__(
        self,
        configs: ConfigStore,
        statuses: StatusStore,
        assignments: AssignmentStore,
        offsets: OffsetStores,
        writer: SoleWriter,
        topics: ActiveTopics,
        me: Member,
        homecoming: float,
        grace: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
        stages: Stages | None = None,
    ) -> None:
        self._stages = stages or Stages()
        self._configs = configs
        self._statuses = statuses
        self._assignments = assignments
        self._offsets = offsets
        self._writer = writer
        self._topics = topics
        self._homecoming = homecoming
        self._grace = grace
        self._clock = clock
        self.me = me
        self._members: frozenset[Member] = frozenset()
        #: instance → the worker that it ran on, and until when that is remembered
        self._homes: dict[InstanceId, tuple[str, float]] = {}
        #: who is named in the assignment and is no member → since when this is known
        self._missed: dict[Member, float] = {}
        self._least_epoch = 0
        self.leads = False
        #: No member came or went since the last assignment.
        self.settled = False

    def begin(self, me: Member, members: frozenset[Member]) -> None:
        """Shuts out whoever led before, reads what he wrote, and takes over from there as `me`."""
        self.me = me
        with self._stages.during("reclaiming write privileges for the config topic"):
            self._writer.claim()
        with self._stages.during("reading to the end of the config topic"):
            self._configs.log.read_to_end()
        with self._stages.during(INITIALIZING):
            self._statuses.log.read_to_end()
            self._assignments.log.read_to_end()
            self._offsets.refresh()
        # Statuses may be of an earlier cluster of another kind, with generations of its own, and offsets of one whose assignments
        # are gone: ours have to count as newer.
        seen = self._statuses.snapshot()
        statuses = [*seen.connectors.values(), *(status for tasks in seen.tasks.values() for status in tasks.values())]
        self._least_epoch = max(self._offsets.newest_epoch, max((status.generation for status in statuses), default=0)) + 1
        self.see(members, settled=True)
        self._bury()
        self.leads = True
        logger.info("Member %s leads", me)

    def end(self) -> None:
        if self.leads:
            logger.info("Member %s leads no more", self.me)
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
        wanted = [instance for entry in self._configs.snapshot().connectors.values() for instance in instances(entry)]
        self._remember_homes(now.places)
        homes = {instance: home for instance, (home, _) in self._homes.items()}
        lingering = self._lingering(now)
        places = assign(wanted, self._members, now.places, now.released, epoch, homes, lingering)
        changed = {connector_of(instance) for instance in changes(now.places, places)}
        if changed or now.leader != self.me or now.members != self._members:
            self._write(epoch, places, changed, now)

    def next_end_of_grace(self) -> float | None:
        """In how many seconds `balance` has to be called again because somebody who is gone writes no more by then."""
        ends = [since + self._grace - self._clock() for since in self._missed.values()]
        return min((end for end in ends if end > 0), default=None)

    def _lingering(self, now: Assignments) -> set[Member]:
        """Who is gone and may not know."""
        named = {member for place in now.places.values() for member in _named(place)} | now.members
        moment = self._clock()
        self._missed = {member: self._missed.get(member, moment) for member in named - self._members}
        said_farewell = {member for member, released in now.released.items() if released == EVERYTHING}
        return {member for member, since in self._missed.items() if moment < since + self._grace} - said_farewell

    def _write(self, epoch: int, places: Places, changed: set[str], now: Assignments) -> None:
        logger.info("Assignment %d: %d instance(s) on %d worker(s)", epoch, len(places), len(self._members))
        news = self._unassigned(now.places, epoch) + self._tombstones(places, now.places)
        also = [Part(self._statuses.log, news)] if news else []
        with self._stages.during(f"writing the assignment of {len(places)} connectors and tasks to the membership topic"):
            self._assignments.put(epoch, self.me, self._members, places, changed, also)
        self._forget(now, places)

    def _remember_homes(self, places: Places) -> None:
        now = self._clock()
        present = {member.worker_id for member in self._members}
        self._homes = {instance: home for instance, home in self._homes.items() if home[1] > now}
        for instance, place in places.items():
            if place.worker is None or place.worker in self._members:
                continue
            # Where it only waited for its own worker's return is not its home.
            if instance not in self._homes or self._homes[instance][0] in present:
                self._homes[instance] = (place.worker.worker_id, now + self._homecoming)

    def _unassigned(self, places: Places, epoch: int) -> list[KeyValue]:
        """UNASSIGNED for what ran on members that are gone: they cannot say it themselves."""
        lines = []
        for instance, place in places.items():
            owner = place.owner
            if owner is None or owner in self._members:
                continue
            seen = self._statuses.get(instance)
            if seen is None or seen.worker_id != owner.worker_id:
                continue
            if seen.state not in (State.UNASSIGNED, State.RESTARTING):
                gone = replace(seen, state=State.UNASSIGNED, generation=epoch, trace=None, acted_on=None)
                lines.append(records.status_record(instance, gone))
        return lines

    def _tombstones(self, places: Places, before: Places) -> list[KeyValue]:
        """For what has stopped for good. Whoever ran it says nothing of it any more: all he said is in the topic by now."""
        return [records.status_record(instance, None) for instance in before if instance not in places]

    def _forget(self, now: Assignments, places: Places) -> None:
        named = {member for place in places.values() for member in _named(place)}
        # Only who was there and is not any more: who has said something and is not there yet is about to join.
        workers = [member for member in now.workers if member in self._missed and member not in named]
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
        wanted = self._assignments.wanted_tasks().get(name)
        if wanted is None:
            return
        if not counts_for(self._configs.entry(name), wanted.revision):
            # Whoever generated them may have read further than this worker has.
            self._configs.log.read_to_end()
        entry = self._configs.entry(name)
        if entry is None or not counts_for(entry, wanted.revision):
            return
        configs = [dict(config) for config in wanted.configs]
        if tasks_outdated(entry, configs):
            with self._stages.during(f"writing {len(configs)} task configs for connector {name} to the config topic"):
                self._configs.put_tasks(name, configs)

    # --- sources' offsets -------------------------------------------------------------------------------------------------

    def offset_parts(self, wanted: OffsetParts) -> list[Part]:
        """What makes these offsets hold against every task that has been started until now."""
        return wanted(self._assignments.epoch)

    def write_offsets(self, wanted: OffsetParts) -> None:
        if parts := self.offset_parts(wanted):
            self._writer.write(parts)

    def restate_offsets(self) -> None:
        """Where a task of the past has committed once more, what counts is written again."""
        if parts := self._offsets.restatements():
            logger.warning("A task that was stopped before offsets were altered has committed: it does not count")
            with self._stages.during("writing altered offsets to the offsets topic once more"):
                self._writer.write(parts)


def _named(place: Place) -> list[Member]:
    return [member for member in (place.worker, place.awaited.member if place.awaited else None) if member is not None]
