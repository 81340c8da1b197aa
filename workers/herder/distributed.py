"""The herder of a worker: follows the config topic and the assignment and brings what it hosts in line with them. While it leads,
it also makes the assignment and carries out what callers ask for."""

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

from workers.herder.actions import Actions, Done
from workers.herder.assignment import Place
from workers.herder.config_patches import ConfigPatches
from workers.herder.errors import HerderError
from workers.herder.futures import after_all, done
from workers.herder.gathered import Gathered
from workers.herder.host import Host
from workers.herder.leader import Leader
from workers.herder.leadership import Leadership
from workers.herder.loop import Loop, in_time
from workers.herder.membership import Group, GroupView
from workers.herder.offset_requests import OffsetRequests
from workers.herder.ports import GroupsOf, Plugins, TaskRunner
from workers.herder.reconcile import Step, Wanted, steps, tasks_outdated, wanted_instances
from workers.herder.releases import Releases
from workers.herder.restart import PendingRestart
from workers.herder.stages import AWAITING_STARTUP, INITIALIZING, JOINING, STARTING_CONNECTOR, Stage, Stages, timed_out
from workers.herder.topics import ActiveTopics
from workers.herder.values import ConnectorEntry, InstanceId, RestartRequest, TaskId
from workers.loggers.loggers import Loggers
from workers.metrics.worker_recorder import WorkerRecorder
from workers.storage.assignment_store import AssignmentEvent, AssignmentStore, WantedTasks
from workers.storage.config_store import ConfigStore, TargetStateSet
from workers.storage.config_tables import Change, ConfigEvent
from workers.storage.log import Fenced, LogError, SoleWriter
from workers.storage.offset_stores import OffsetStores
from workers.storage.status_store import StatusStore

logger = logging.getLogger(__name__)

_LOOK = 0.05


class DistributedHerder:
    """`on_lead` hears when this worker begins and ceases to lead; `about` is what it tells the others of itself. `offsets` has to
    be started before this is, and stopped behind it: tasks use it, too."""

    def __init__(
        self,
        configs: ConfigStore,
        statuses: StatusStore,
        assignments: AssignmentStore,
        writer: SoleWriter,
        group: Group,
        plugins: Plugins,
        runner: TaskRunner,
        *,
        offsets: OffsetStores,
        consumer_groups: GroupsOf,
        topics: ActiveTopics,
        homecoming: float = 300.0,
        stop_timeout: float = 5.0,
        about: Mapping[str, object] = {},
        on_lead: Callable[[bool], None] = lambda leads: None,
        recorder: WorkerRecorder | None = None,
        loggers: Loggers | None = None,
    ) -> None:
        self.loggers = loggers or Loggers()
        self._configs = configs
        self._statuses = statuses
        self._assignments = assignments
        self._offsets = offsets
        self._group = group
        self._about = dict(about)
        self._topics = topics
        recorder = recorder or WorkerRecorder()
        self._rebalances = recorder.rebalances
        self._loop = Loop()
        self._host = Host(
            plugins,
            runner,
            statuses,
            worker_id=group.me.worker_id,
            on_task_configs=self._want_tasks,
            stop_timeout=stop_timeout,
            may_speak=group.holds,
            recorder=recorder,
        )
        self.stages = Stages()
        self.stages.begin(AWAITING_STARTUP)
        self.leader = Leader(
            configs, statuses, assignments, offsets, writer, topics, group.me, homecoming, group.grace, stages=self.stages
        )
        self.actions = Actions(
            configs, statuses, assignments, plugins, self._host, self.leader, self.stages, topics, lambda: offsets.logs
        )
        self.offsets = OffsetRequests(
            configs, offsets, consumer_groups, plugins, self.actions, self.stages, self.call, self._tasks_stopped
        )
        self.patches = ConfigPatches(self.actions, self.result)
        self._target_states = Gathered(self._loop, self._set_target_states)
        self._view = GroupView(group.me)
        self._leadership = Leadership(self.leader, group, lambda: self._view, assignments, self._loop, on_lead)
        self._ready = threading.Event()
        self._assigned = threading.Condition()
        self._releases = Releases(lambda epoch: self._loop.post(partial(self._released, epoch)))
        #: Requests not yet carried out; several for one connector become one restart.
        self._restarts: dict[str, list[PendingRestart]] = {}
        #: What this has taken notice of, of all that connectors wanted.
        self._noticed: dict[str, WantedTasks] = {}

    # --- the life of it -------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Reads the topics to their end, joins the group and returns when it is a member. Raises LogError."""
        self.stages.end(AWAITING_STARTUP)
        self._offsets.watch(lambda: self._loop.post(self._leadership.restate_offsets))
        with self.stages.during(INITIALIZING):
            self._statuses.start(on_disowned=self._on_disowned)
            self._assignments.start(self._on_assignment)
            self._configs.start(self._on_config, self.loggers.follow)
        self._host.has_acted_on(self._configs.log.reached[0])
        self._loop.start()
        self.stages.begin(JOINING)
        self._group.join(lambda view: self._loop.post(partial(self._on_group, view)))
        self._ready.wait()

    def call(self, action: Callable[[], Any], request: str | None = None) -> Future[Any]:
        """Runs an action of `actions` on the herder's thread. What it writes is marked as of `request`."""
        return self._loop.call(partial(self._carry_out, action, request))

    def result(
        self, action: Callable[[], Any], deadline: float, request: str | None = None, lasting: str = STARTING_CONNECTOR
    ) -> Any:
        """As `call`, waited for until `deadline` (monotonic): after that the action is not begun. `lasting` is what goes on when
        the herder has done its part of it. Raises HerderError that says what the worker is at."""
        begun: list[Stage] = []

        def act() -> Any:
            result = in_time(action, deadline)
            begun.append(Stage(lasting, time.time()))
            return result

        future = self.call(act, request)
        try:
            return future.result(max(0.0, deadline - time.monotonic()))
        except TimeoutError as error:
            raise timed_out(begun[0] if begun else self.stages.current) from error

    def set_target_state(self, wanted: TargetStateSet, deadline: float) -> Done:
        """Waited for, as `result`; written with all others that wait by then."""
        try:
            return self._target_states.call(wanted, deadline).result(max(0.0, deadline - time.monotonic()))
        except TimeoutError as error:
            raise timed_out(self.stages.current) from error

    def _set_target_states(self, wanted: Sequence[TargetStateSet]) -> Sequence[Future[Done]]:
        outcomes = self.actions.set_target_states(wanted)
        for error in {outcome.exception() for outcome in outcomes}:
            self._step_down_after(error)
        return outcomes

    def _carry_out(self, action: Callable[[], Any], request: str | None) -> Any:
        try:
            with self._configs.on_behalf_of(request):
                return action()
        except HerderError as error:
            self._step_down_after(error)
            raise

    def _step_down_after(self, error: BaseException | None) -> None:
        """Of a leader that could not write because another leads."""
        if error is not None and isinstance(error.__cause__, Fenced):
            self._leadership.step_down(error.__cause__)

    def has_carried_out(self, request: str) -> bool:
        """Whether that request's record is in the config topic."""
        return self._configs.has_seen(request)

    def idle(self) -> bool:
        """Whether the herder has nothing to do at this moment."""
        return self._host.idle() and self._loop.idle()

    @property
    def host(self) -> Host:
        """For the herder's thread only."""
        return self._host

    def carried_out(self, name: str, timeout: float) -> bool:
        """Whether within `timeout` seconds all was carried out that has been written of the connector, the tasks included that
        it asked for. For a worker that is alone, and never on the herder's thread."""
        deadline = time.monotonic() + timeout
        while self._host.wait_until_idle(name, deadline - time.monotonic()):
            # What is not at rest and in no lane is in the queue, before the next time that this asks.
            try:
                if self._loop.call(partial(self._at_rest, name)).result(max(0.0, deadline - time.monotonic())):
                    return True
            except TimeoutError:
                return False
        return False

    def _at_rest(self, name: str) -> bool:
        # The lanes first: what they lead to can be seen when they are idle.
        if not self._host.idle(name):
            return False
        wanted_tasks = self._assignments.wanted_tasks().get(name)
        noticed = wanted_tasks is None or wanted_tasks is self._noticed.get(name)
        wanted = wanted_instances(self._configs.entry(name))
        # What has stopped for good is over when it has no place any more: with that its status is deleted.
        return noticed and self._host.hosted(name) == wanted and self._assignments.places(name).keys() == wanted.keys()

    def stop(self) -> None:
        """Stops what is hosted, says so in the status topic, and leaves. What is queued is still answered."""
        self._loop.stop()
        self.actions.stop()
        self.offsets.stop()
        self._host.shut_down()
        if self._view.joined:
            self._assignments.take_leave(self._view.me)
        for log in (self._statuses.log, self._assignments.log):
            try:
                log.flush()
            except LogError as error:
                logger.error("Not everything could be said at the end: %s", error)
        self.leader.end()
        self._group.leave()
        for store in (self._configs, self._statuses, self._assignments):
            store.stop()

    # --- the group ------------------------------------------------------------------------------------------------------

    def _on_group(self, view: GroupView) -> None:
        before, self._view = self._view, view
        if view.joined != before.joined:
            if view.joined:
                self.stages.end(JOINING)
                self._introduce()
            else:
                self.stages.begin(JOINING)
                logger.warning("Cut off from the group: stopping everything here")
            before_this = self._host.instances()
            for name in {*self._host.connectors(), *self._configs.snapshot().connectors}:
                self._reconcile(name)
            if not view.joined:
                after_all([self._host.settled(instance) for instance in before_this], self._has_stopped)
        self._leadership.follow()
        if view.joined:
            self._ready.set()

    def _has_stopped(self) -> Future[None]:
        self._group.stopped()
        return done(None)

    def _introduce(self) -> None:
        """Tells the others who this is, and how far it has released what was taken from it."""
        self._assignments.tell(self._view.me, {**self._about, "released": self._releases.reached})

    # --- following the topics -------------------------------------------------------------------------------------------

    def _on_config(self, event: ConfigEvent) -> None:
        """On the log's thread: hands over at once."""
        self._loop.post(partial(self._take_config, event))

    def _take_config(self, event: ConfigEvent) -> None:
        self._host.has_acted_on(event.offset + 1)
        if event.restart is not None:
            with self.stages.during(f"handling restart request for connector {event.connector}"):
                self._take_restart(event.restart, event.promised)
            return
        self._reconcile(event.connector)
        if event.change is not Change.CONFIG or not self._assignments.places(event.connector):
            self._leadership.balance_soon()

    def _on_assignment(self, event: AssignmentEvent) -> None:
        with self._assigned:
            self._assigned.notify_all()
        self._loop.post(partial(self._take_assignment, event))

    def _take_assignment(self, event: AssignmentEvent) -> None:
        if event.complete is not None:
            leader = self._assignments.leader
            if self._rebalances.met(event.complete, leader.worker_id if leader else None):
                self._loop.post(self._end_rebalance)
            self._tell_released(self._releases.complete(event.complete))
        elif event.worker is not None:
            if event.worker == self._view.me and self._view.joined and not self._assignments.knows(event.worker):
                self._introduce()
            self._leadership.balance_soon()
        elif event.connector is None:
            return
        elif event.wants:
            wanted = self._assignments.wanted_tasks().get(event.connector)
            if wanted is not None:
                self._noticed[event.connector] = wanted
            self._leadership.commit_wanted_tasks(event.connector)
        else:
            self._reconcile(event.connector)
            self._release(self._assignments.places(event.connector))

    def _tasks_stopped(self, name: str, timeout: float) -> bool:
        """Whether within `timeout` seconds no task of the connector may run anywhere any more. On a caller's thread."""
        with self._assigned:
            return self._assigned.wait_for(lambda: not self._assignments.holds_tasks(name), timeout)

    def _end_rebalance(self) -> None:
        if self._host.idle():
            self._rebalances.carried_out()
        else:
            self._loop.later(_LOOK, self._end_rebalance)

    def _reconcile(self, name: str) -> None:
        entry = self._configs.entry(name)
        wanted = wanted_instances(entry)
        mine = {i: want for i, want in wanted.items() if self._view.joined and self._assignments.owner(i) == self._view.me}
        # Not older than what was just read: a status of an older assignment than its instance's own would not be believed.
        self._host.confirm(mine, self._assignments.epoch)
        for instance, step in steps(mine, self._host.hosted(name)).items():
            if step is Step.REMOVE and instance in wanted:
                self._host.release(instance)
            else:
                self._take(step, instance, entry, mine)
        if entry is None:
            self._restarts.pop(name, None)
            self._topics.forget(name)

    def _take(self, step: Step, instance: InstanceId, entry: ConnectorEntry | None, wanted: dict[InstanceId, Wanted]) -> None:
        if step is Step.REMOVE or entry is None:
            self._host.remove(instance)
        elif step is Step.RETARGET:
            self._host.retarget(instance, wanted[instance])
        else:
            self._host.start(instance, entry, wanted[instance])

    def _release(self, places: Mapping[InstanceId, Place]) -> None:
        """Tells the leader when what it took from this worker has stopped: only then may anybody else start it."""
        for instance, place in places.items():
            if place.awaited is not None and place.awaited.member == self._view.me:
                self._releases.await_all(place.awaited.epoch, [self._host.settled(instance)])

    def _released(self, epoch: int) -> None:
        self._tell_released(self._releases.finish(epoch))

    def _tell_released(self, news: bool) -> None:
        if news:
            self._introduce()

    def _on_disowned(self, instance: InstanceId) -> None:
        """On the log's thread. Somebody has said something of it who has no say: the last record in the topic, which is all that
        compaction leaves, is to be the truth again."""
        self._loop.post(partial(self._host.say_again, instance))

    def _want_tasks(self, name: str, revision: int, configs: list[dict[str, str]]) -> None:
        """On a lane: a connector has said which tasks it wants. The leader hears of it if they are not in force."""
        entry = self._configs.entry(name)
        if entry is None or entry.revision != revision or tasks_outdated(entry, configs):
            self._assignments.want_tasks(name, revision, configs)

    # --- restarts (KIP-745) ---------------------------------------------------------------------------------------------

    def _take_restart(self, request: RestartRequest, promised: frozenset[InstanceId]) -> None:
        # Of what is here now: what comes later is started later, which is what was asked for.
        here = frozenset(self._host.hosted(request.connector))
        # Posted, not done: further requests that are queued already join this one.
        self._restarts.setdefault(request.connector, []).append(PendingRestart(request, promised, here))
        self._loop.post(partial(self._restart, request.connector))

    def _restart(self, name: str) -> None:
        pending = self._restarts.pop(name, [])
        entry = self._configs.entry(name)
        # Without a status there is no plan, as in Kafka Connect: whoever asked was told so.
        if entry is None or (self._statuses.get(name) is None and not any(restart.promised for restart in pending)):
            return
        states = self._host.states(name)
        chosen = {instance for restart in pending for instance in restart.instances(states)}
        if chosen:
            logger.info(
                "Restarting %s for %s",
                ", ".join(sorted(map(str, chosen))),
                "; ".join({str(restart.request): None for restart in pending}),
            )
        for instance in sorted(chosen, key=lambda i: (isinstance(i, TaskId), str(i))):
            self._host.restart(instance, entry)
