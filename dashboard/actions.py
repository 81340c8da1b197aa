"""What the control room does to connectors: one function per operation. Each asks the cluster, and notes what it answered."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from connect_client import ConnectError, ConnectorStatus
from dashboard.clusters import client
from dashboard.fleet.states import State, overall_state
from dashboard.fleet.verbs import Verb
from dashboard.live.messages import Entry, connectors_changed, entry
from dashboard.live.publisher import publisher
from dashboard.models import ConnectorSnapshot

_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Refusal:
    """A connector that was not restarted, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a restart of several went: how many connectors took it on, and which did not."""

    asked: int
    refused: tuple[Refusal, ...]


@dataclass(frozen=True, slots=True)
class Answered:
    """A restart that a cluster took on: what it said, and when it was asked."""

    snapshot: ConnectorSnapshot
    status: ConnectorStatus
    asked_at: datetime


def do(snapshot: ConnectorSnapshot, verb: Verb) -> None:
    """One verb to one connector. Raises ConnectError; then nothing was changed here."""
    to = client(snapshot.cluster)
    match verb:
        case Verb.RESTART | Verb.RESTART_FAILED:
            _note_restarts([_restart(snapshot, only_failed=verb is Verb.RESTART_FAILED)])
        case Verb.PAUSE:
            to.pause(snapshot.name)
        case Verb.RESUME:
            to.resume(snapshot.name)
        case Verb.STOP:
            to.stop(snapshot.name)


def restart_task(snapshot: ConnectorSnapshot, task: int) -> None:
    """Connect answers this with nothing, so what is noted is what was last seen, with RESTARTING for the one task."""
    asked_at = _now()
    client(snapshot.cluster).restart_task(snapshot.name, task)
    if snapshot.status:
        _note_restarts([Answered(snapshot, _with_task_restarting(snapshot.status, task), asked_at)])


def restart_failed(snapshots: Sequence[ConnectorSnapshot]) -> Outcome:
    """Whatever has failed of each of these, several at a time: a cluster answers a restart before it carries it out.

    The snapshots come with their clusters loaded: they are asked from threads that have no business with the database.
    """
    with ThreadPoolExecutor(max_workers=_AT_ONCE, thread_name_prefix="restart") as pool:
        answers = list(pool.map(_try_restart_of_failed, snapshots))
    answered = [answer for answer in answers if isinstance(answer, Answered)]
    _note_restarts(answered)
    return Outcome(len(answered), tuple(answer for answer in answers if not isinstance(answer, Answered)))


def _try_restart_of_failed(snapshot: ConnectorSnapshot) -> Answered | Refusal:
    try:
        return _restart(snapshot, only_failed=True)
    except ConnectError as error:
        return Refusal(snapshot.name, str(error))


def _restart(snapshot: ConnectorSnapshot, *, only_failed: bool) -> Answered:
    asked_at = _now()
    return Answered(snapshot, client(snapshot.cluster).restart(snapshot.name, only_failed=only_failed), asked_at)


def _note_restarts(answers: Iterable[Answered]) -> None:
    """Beside what the follower writes, in columns of its own: see `dashboard.fleet.overlay`."""
    restarting = [answer for answer in answers if overall_state(answer.status) is State.RESTARTING]
    by_cluster: defaultdict[str, list[Entry]] = defaultdict(list)
    for answer in restarting:
        snapshot = answer.snapshot
        snapshot.restart_asked_at, snapshot.restart_answer = answer.asked_at, answer.status.to_json()
        by_cluster[snapshot.cluster.name].append(entry(snapshot.name, State.RESTARTING, answer.asked_at, answer.status))
    ConnectorSnapshot.objects.bulk_update([answer.snapshot for answer in restarting], ("restart_asked_at", "restart_answer"), 200)
    for cluster, entries in by_cluster.items():
        publisher().publish(connectors_changed(cluster, entries))


def _with_task_restarting(status: dict[str, Any], task: int) -> ConnectorStatus:
    seen = ConnectorStatus.from_json(status)
    tasks = tuple(replace(one, state=State.RESTARTING) if one.id == task else one for one in seen.tasks)
    return replace(seen, tasks=tasks)


def _now() -> datetime:
    return datetime.now(UTC)
