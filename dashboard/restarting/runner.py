"""Restarting what has failed, in a thread of every control process: what one of them has written down no other asks for."""

import logging
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime

from django.conf import settings
from django.db import DatabaseError

from connect_client import ConnectConflict, ConnectorStatus
from dashboard.actions import Answered, note_restarts
from dashboard.clusters import client, version
from dashboard.control import leases
from dashboard.control.rounds import Rounds
from dashboard.jobs.answers import after
from dashboard.jobs.asked import Asked, ask
from dashboard.jobs.verbs import JobVerb, Options, What
from dashboard.live.messages import ACTIVITY, refresh
from dashboard.live.publisher import publisher
from dashboard.models import AutoRestart, ConnectorSnapshot
from dashboard.restarting import look, record
from dashboard.restarting.decide import (
    PACE,
    AskAgain,
    Condition,
    GiveUp,
    Healthy,
    Later,
    Over,
    Pace,
    Plan,
    Reset,
    Restart,
    Sick,
    Wait,
    condition,
    decide,
    unanswered,
)
from dashboard.restarting.look import Seen
from dashboard.restarting.policies import AS_POLICIES_SAY, plan_of, policy_of

logger = logging.getLogger(__name__)

# Of one cluster, as of a job: whatever it does, others are not waited for.
AT_ONCE = 8
_LOOK_EVERY = 1.0
_PATIENCE = 2.0
_OPTIONS = Options(only_failed=True)


class Restarting:
    """`step` looks at everything once, and begins what is due; each restart is asked for in a thread of its own."""

    def __init__(self, pace: Pace = PACE, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._by = leases.new_name()
        self._pace = pace
        self._clock = clock
        self._connectors = look.Connectors()
        self._answers: queue.SimpleQueue[Asked] = queue.SimpleQueue()
        #: Clusters whose pages have something to show anew.
        self._changed: set[str] = set()
        #: What waits for its answer, by its row.
        self._asking: dict[int, record.Ask] = {}
        self._rounds = Rounds("restarting", self.step, _LOOK_EVERY, purpose="restarting what has failed", leave=self._leave)

    def start(self) -> None:
        self._rounds.start()

    def stop(self) -> None:
        """What has no answer in a moment is the next process's, when its claim is over."""
        self._rounds.stop(timeout=4)

    def step(self) -> None:
        now = self._clock()
        self._hear(now)
        if self._asking:
            leases.renew(AutoRestart.objects.filter(pk__in=self._asking), self._by, now)
        if settings.AUTO_RESTART:
            self._look(now)
        self._tell()

    def _look(self, now: datetime) -> None:
        rows = {(row.cluster_id, row.connector): row for row in AutoRestart.objects.defer("trace")}
        policies, overrides = look.policies(), look.overrides()
        clusters, moving = look.live_clusters(now), look.moving()
        seen = self._connectors.seen(clusters, rows, look.texts_of(policies))
        for key, one in seen.items():
            if (one.cluster.name, one.name) not in moving:
                plan = plan_of(policy_of(policies, one.subject), overrides.get(key, AS_POLICIES_SAY))
                self._look_at(one, rows.get(key), plan, now)
        gone = [row.pk for key, row in rows.items() if key[0] in clusters and key not in seen]
        if gone:
            record.forget(gone, now)

    def _look_at(self, one: Seen, row: AutoRestart | None, plan: Plan | None, now: datetime) -> None:
        if row is not None and row.asking_since is not None:
            self._unanswered(one, row, plan, now)
            return
        decision = decide(plan, look.kept(row), one.sight, now, self._pace)
        match decision:
            case Restart():
                self._begin(one, row, now)
            case GiveUp() | Healthy() | Sick() | Reset():
                if record.kept(one, row, decision, now) and not isinstance(decision, Healthy):
                    self._changed.add(one.cluster.name)
            case Wait(_, counted_from) if counted_from is not None:
                record.kept(one, row, decision, now)

    def _unanswered(self, one: Seen, row: AutoRestart, plan: Plan | None, now: datetime) -> None:
        if row.pk in self._asking or row.asking_since is None or leases.is_held(row.claimed_until, now):
            return
        decided = unanswered(row.asking_since, row.next_try_at, one.sight, one.changed_at, now, self._pace)
        match Over() if plan is None else decided:
            case Over():
                record.over(one, row, now)
                self._changed.add(one.cluster.name)
            case AskAgain():
                self._begin(one, row, now)
            case Later():
                pass

    def _begin(self, one: Seen, row: AutoRestart | None, now: datetime) -> None:
        """Another one, or the one that has no answer."""
        if Counter(ask.seen.cluster.pk for ask in self._asking.values())[one.cluster.pk] >= AT_ONCE:
            return
        told = ConnectorSnapshot.objects.filter(pk=one.pk).values_list("status", flat=True).first()
        status = ConnectorStatus.from_json(told) if told else None
        if status is None or condition(status) is not Condition.FAILED:
            return
        if row is not None and row.asking_since is not None:
            begun = record.again(one, row, status, self._by, now)
        else:
            begun = record.begin(one, row, status, self._by, now)
        if begun is not None:
            self._ask(begun)

    def _ask(self, begun: record.Ask) -> None:
        seen = begun.seen
        logger.info("restart %s of %s in %s: %s", begun.count, seen.name, seen.cluster.name, begun.cause)
        # Not in the thread: several that look for a new client at the same moment would make one each.
        to = client(seen.cluster)
        self._asking[begun.row] = begun
        arguments = (begun.row, to, version(seen.cluster), seen.name, JobVerb.RESTART, _OPTIONS, What())
        threading.Thread(target=lambda: self._answer(ask(*arguments)), name=f"restart-{begun.row}", daemon=True).start()

    def _answer(self, told: Asked) -> None:
        self._answers.put(told)
        self._rounds.wake()

    def _hear(self, now: datetime) -> None:
        taken = []
        while not self._answers.empty():
            told = self._answers.get()
            begun = self._asking[told.item]
            try:
                decided = after(JobVerb.RESTART, _OPTIONS, begun.attempts, told.error)
                # Only of a conflict is it sure that nothing was done.
                record.answered(begun, decided, self._by, now, heard=isinstance(told.error, ConnectConflict))
            except DatabaseError:
                self._answers.put(told)
                raise
            del self._asking[told.item]
            self._changed.add(begun.seen.cluster.name)
            if told.error is not None:
                logger.warning("restart %s of %s in %s: %s", begun.count, begun.seen.name, begun.seen.cluster.name, told.error)
            elif told.status is not None:
                taken.append((begun, told.status))
        self._show(taken)

    def _show(self, taken: list[tuple[record.Ask, ConnectorStatus]]) -> None:
        if taken:
            rows = ConnectorSnapshot.objects.select_related("cluster").in_bulk([begun.seen.pk for begun, _ in taken])
            found = [(rows[begun.seen.pk], status, begun.asked_at) for begun, status in taken if begun.seen.pk in rows]
            note_restarts(Answered(*one) for one in found)

    def _tell(self) -> None:
        """The pages: of many at once in one word."""
        for cluster in self._changed:
            publisher().publish(refresh(cluster))
        if self._changed:
            publisher().publish(ACTIVITY)
        self._changed.clear()

    def _leave(self) -> None:
        patience = time.monotonic() + _PATIENCE
        try:
            while self._asking and time.monotonic() < patience:
                self._rounds.woken.wait(0.1)
                self._hear(self._clock())
        except DatabaseError as error:
            logger.warning("the next process finds out what came of %s restarts: %s", len(self._asking), error)
