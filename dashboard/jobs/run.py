"""One job, carried out in rounds.

Each item is written down as asked for before it is asked for, and again when there is an answer. Whoever ends in between
leaves it so, and the next process decides by `answers.after_lost`: only what does no harm twice is asked for twice. All writes of
a round are one transaction that begins with the claim: a process that has lost it writes nothing, and asks for nothing.
"""

import logging
import queue
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta

from django.db import transaction

from connect_client import ConnectorStatus
from dashboard.actions import Answered, note_restarts
from dashboard.activity import Who, note
from dashboard.clusters import client, version
from dashboard.control import leases
from dashboard.jobs import claims
from dashboard.jobs.answers import Again, Gone, Refused, Taken, after, after_lost
from dashboard.jobs.asked import Asked, ask
from dashboard.jobs.turns import Ask, Later, Never, Over, due, holds_place, turn
from dashboard.jobs.verbs import JobVerb, Options, What
from dashboard.jobs.watch import Done, FailedAgain, Progress, Sight, UnderWay, begun, judged
from dashboard.live.messages import ACTIVITY, job_changed
from dashboard.live.publisher import publisher
from dashboard.models import Cluster, ConnectorSnapshot, Job, JobItem
from dashboard.restarting.rearm import rearm

logger = logging.getLogger(__name__)

# Seconds: between two looks at what is under way, and at what can only wait; in which answers gather; between two words to pages.
LOOK, WAIT, GATHER, TELL = 0.25, 1.0, 0.02, 0.4
_RENEW = leases.LEASE / 3
_S = JobItem.State
ENDED = (_S.DONE, _S.FAILED_AGAIN, _S.REFUSED, _S.UNKNOWN, _S.CANCELLED)
_FIELDS = ("state", "attempts", "next_try_at", "asked_at", "ended_at", "result", "cause", "what")
_BATCH = 100


class Run:
    """Of a job that `by` has claimed. Belongs to one thread; `step` is a round, and tells how many seconds to rest until the next
    or, None, that it is over. Raises LostClaim and DatabaseError: then another Run goes on from what is written."""

    def __init__(self, job: int, by: str, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._by = by
        self._clock = clock
        self._job = Job.objects.get(pk=job)
        self._verb, self._options = JobVerb(self._job.verb), Options.from_json(self._job.options)
        self._answers: queue.SimpleQueue[Asked] = queue.SimpleQueue()
        #: What waits for its answer, with the row that is to show it.
        self._asking: dict[int, ConnectorSnapshot | None] = {}
        self._unended = {item.pk: item for item in self._job.items.exclude(state__in=ENDED).order_by("pk")}
        self._renewed_at = self._clock()
        self._restarting: list[Answered] = []
        self._told_at, self._news = 0.0, True
        self._changed: dict[int, JobItem] = {}
        for item in self._of(_S.ASKED):
            self._lost(item)

    def work(self, stop: threading.Event) -> None:
        while not stop.is_set():
            rest = self.step()
            if rest is None:
                return
            self._rest(rest)
        self._leave()

    def step(self) -> float | None:
        now = self._clock()
        self._job.refresh_from_db(fields=("state",))
        cancelled = self._job.state == Job.State.CANCELLING
        self._hear(now)
        clusters = {cluster.pk: cluster for cluster in Cluster.objects.select_related("snapshot")}
        waiting = [] if cancelled else self._due(now)
        rows = self._rows([*waiting, *self._of(_S.UNDER_WAY)])
        for item in self._of(_S.UNDER_WAY):
            self._watch(item, _sight(item, clusters, rows), now)
        asks = [item for item in waiting if self._turn(item, _sight(item, clusters, rows), now)]
        self._write(now, cancelled=cancelled)
        for item in asks:
            self._ask(item, clusters, rows)
        self._tell()
        if not self._unended:
            self._end()
            return None
        # Those of which there was nothing to do have left their places.
        return 0.0 if any(item.state in ENDED for item in waiting) else self._pause()

    def _of(self, state: str) -> list[JobItem]:
        return [item for item in self._unended.values() if item.state == state]

    def _due(self, now: datetime) -> list[JobItem]:
        taken = Counter(item.cluster_name for item in self._unended.values() if _holds_place(item, now))
        return list(due(self._of(_S.WAITING), taken, self._job.at_once, now))

    def _rows(self, items: Iterable[JobItem]) -> dict[tuple[int | None, str], ConnectorSnapshot]:
        items = list(items)
        found = ConnectorSnapshot.objects.filter(
            cluster__in={item.cluster_id for item in items}, name__in={item.connector for item in items}
        )
        return {(row.cluster_id, row.name): row for row in found} if items else {}

    # What has been asked for

    def _lost(self, item: JobItem) -> None:
        decided = after_lost(self._verb, self._options, cancelled=self._job.state == Job.State.CANCELLING)
        self._answered(item, decided, self._clock())

    def _hear(self, now: datetime) -> None:
        while True:
            try:
                told = self._answers.get_nowait()
            except queue.Empty:
                return
            row = self._asking.pop(told.item)
            item = self._unended[told.item]
            if told.tasks:
                item.result = {**item.result, "asked": sorted({*item.result.get("asked", ()), *told.tasks})}
            if told.status is not None and row is not None and item.asked_at is not None:
                self._restarting.append(Answered(row, told.status, item.asked_at))
            decided = after(self._verb, self._options, item.attempts, told.error)
            self._answered(item, decided, now)

    def _answered(self, item: JobItem, decided: Taken | Gone | Again | Refused, now: datetime) -> None:
        item.cause = ""
        match decided:
            case Taken(lost):
                item.state = _S.UNDER_WAY
                item.result = {**item.result, "lost": lost, "answered_at": now.isoformat()}
            case Again(seconds, cause):
                item.state, item.cause, item.next_try_at = _S.WAITING, cause, now + timedelta(seconds=seconds)
            case Gone():
                self._ended(item, _S.DONE, now)
            case Refused(cause):
                self._ended(item, _S.REFUSED, now, cause)
        self._changed_is(item)

    def _watch(self, item: JobItem, sight: Sight, now: datetime) -> None:
        before = Progress.from_json(item.result)
        asked_at = item.asked_at or now
        judgement = judged(self._verb, What.from_json(item.what), asked_at, before, sight, now)
        match judgement:
            case Done(progress):
                self._ended(item, _S.DONE, now)
            case FailedAgain(progress, cause):
                self._ended(item, _S.FAILED_AGAIN, now, cause)
            case UnderWay(progress):
                if progress == before:
                    return
            case _:
                progress = judgement.progress
                self._ended(item, _S.UNKNOWN, now, judgement.cause)
        item.result = progress.to_json()
        self._changed_is(item)

    # What is asked for next

    def _turn(self, item: JobItem, sight: Sight, now: datetime) -> bool:
        """Whether it is to be asked for, once that is written."""
        what = What.from_json(item.what)
        asked = tuple(item.result.get("asked", ()))
        decided = turn(self._verb, self._options, _without(what, asked), sight, self._job.started_at or now, now)
        match decided:
            case Ask(meant):
                item.what = What(meant.connector, tuple(sorted({*meant.tasks, *asked}))).to_json()
                item.state, item.asked_at, item.attempts, item.next_try_at = _S.ASKED, now, item.attempts + 1, None
                item.result = begun(What.from_json(item.what), sight.status, asked).to_json()
            case Later():
                return False
            case Over() if item.attempts and self._verb is not JobVerb.DELETE:
                # It was asked for before, and that may have been heard.
                item.state = _S.UNDER_WAY
            case Over(why):
                self._ended(item, _S.DONE, now, why)
            case Never(why):
                self._ended(item, _S.REFUSED, now, why)
        self._changed_is(item)
        return item.state == _S.ASKED

    def _ask(
        self, item: JobItem, clusters: Mapping[int, Cluster], rows: Mapping[tuple[int | None, str], ConnectorSnapshot]
    ) -> None:
        cluster = clusters[item.cluster_id]  # type: ignore[index]
        row = rows.get((item.cluster_id, item.connector))
        if row is not None:
            row.cluster = cluster
        self._asking[item.pk] = row
        what = _without(What.from_json(item.what), tuple(item.result.get("asked", ())))
        # Not in the thread: several that look for a new client at the same moment would make one each.
        to = client(cluster)
        arguments = (item.pk, to, version(cluster), item.connector, self._verb, self._options, what)
        threading.Thread(target=lambda: self._answers.put(ask(*arguments)), name=f"job-{self._job.pk}", daemon=True).start()

    # Writing down

    def _ended(self, item: JobItem, state: str, now: datetime, cause: str = "") -> None:
        item.state, item.ended_at, item.cause, item.next_try_at = state, now, cause, None

    def _changed_is(self, item: JobItem) -> None:
        self._changed[item.pk] = item

    def _write(self, now: datetime, *, cancelled: bool = False) -> None:
        waiting = self._of(_S.WAITING) if cancelled else []
        for item in waiting:
            self._ended(item, _S.CANCELLED, now, item.cause)
            self._changed_is(item)
        if not self._changed and now - self._renewed_at < _RENEW:
            return
        with transaction.atomic():
            leases.hold(claims.rows([self._job.pk]), self._by, now)
            JobItem.objects.bulk_update(self._changed.values(), _FIELDS, batch_size=_BATCH)
            self._rearm(now)
            for item in self._changed.values():
                if item.state in ENDED and item.attempts:
                    self._note(item)
        self._renewed_at = now
        self._news = self._news or bool(self._changed)
        for pk, item in self._changed.items():
            if item.state in ENDED:
                del self._unended[pk]
        self._changed = {}

    def _rearm(self, now: datetime) -> None:
        """What the cluster has just taken on is restarted by hand."""
        if self._verb is not JobVerb.RESTART:
            return
        by_cluster: defaultdict[int, list[str]] = defaultdict(list)
        for item in self._changed.values():
            if item.state == _S.UNDER_WAY and item.cluster_id is not None:
                by_cluster[item.cluster_id].append(item.connector)
        for cluster, names in by_cluster.items():
            rearm(cluster, names, now)

    def _note(self, item: JobItem) -> None:
        refused = item.cause if item.state in (_S.REFUSED, _S.CANCELLED) else ""
        outcome = {"outcome": item.state} | ({"cause": item.cause} if item.cause else {})
        who = Who(self._job.by, self._job.via)
        note(
            who,
            self._verb,
            cluster=item.cluster_name,
            connector=item.connector,
            job=self._job.pk,
            after=None if refused else outcome,
            refused=refused,
            tell=False,
        )

    def _end(self) -> None:
        with transaction.atomic():
            leases.hold(claims.rows([self._job.pk]), self._by, self._clock())
            cancelled = self._job.items.filter(state=_S.CANCELLED).exists()
            state = Job.State.CANCELLED if cancelled else Job.State.DONE
            Job.objects.filter(pk=self._job.pk).update(state=state, ended_at=self._clock())
        self._news, self._told_at = True, 0.0
        self._tell()

    def _leave(self) -> None:
        """Told to stop: what has been asked is given a moment to be answered, the rest is the next process's."""
        patience = time.monotonic() + 2
        while self._asking and time.monotonic() < patience:
            self._rest(0.1)
            self._hear(self._clock())
        self._write(self._clock())

    # In between

    def _tell(self) -> None:
        """The pages, a few times a second at most."""
        if not (self._news or self._restarting) or time.monotonic() - self._told_at < TELL:
            return
        note_restarts(self._restarting)
        publisher().publish(job_changed(self._job.pk))
        publisher().publish(ACTIVITY)
        self._restarting, self._news, self._told_at = [], False, time.monotonic()

    def _pause(self) -> float:
        return LOOK if self._asking or self._news or self._of(_S.UNDER_WAY) else WAIT

    def _rest(self, seconds: float) -> None:
        """Until there is an answer, and then a little, so that many are one round."""
        try:
            answer = self._answers.get(timeout=seconds) if seconds else None
        except queue.Empty:
            return
        if answer is not None:
            time.sleep(GATHER)
            self._answers.put(answer)


def _without(what: What, asked: tuple[int, ...]) -> What:
    return What(what.connector, tuple(task for task in what.tasks if task not in asked)) if asked else what


def _holds_place(item: JobItem, now: datetime) -> bool:
    if item.state == _S.UNDER_WAY:
        return holds_place(item.asked_at, item.result.get("back_after"), now)
    return bool(item.state == _S.ASKED)


def _sight(item: JobItem, clusters: Mapping[int, Cluster], rows: Mapping[tuple[int | None, str], ConnectorSnapshot]) -> Sight:
    """Of a cluster that was forgotten nothing is there."""
    row = rows.get((item.cluster_id, item.connector))
    cluster = clusters.get(item.cluster_id or 0)
    seen = getattr(cluster, "snapshot", None)
    if row is None:
        return Sight(False, dead_since=seen.unreachable_since if seen else None)
    return Sight(
        True,
        ConnectorStatus.from_json(row.status) if row.status else None,
        row.changed_at,
        seen.fetched_at if seen else None,
        seen.unreachable_since if seen else None,
    )
